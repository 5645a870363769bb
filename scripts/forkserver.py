"""The warm parent: imports torch once and forks each kernel from there.

Runs under the interpreter of a release's environment, by path, so it uses nothing of this
project. ``scripts.provisioner`` starts it as ``python forkserver.py SOCKET MODULE...`` and talks
to it over the socket: one connection a kernel, one line of JSON each way.

    -> {"argv": [...], "cwd": "...", "env": {...}}
    <- {"pid": 4711}                 forked
    <- {"returncode": 0}             ended; negative is the signal

It must stay free of threads and of CUDA contexts: neither survives a fork. It ends when its
standard input closes, so a killed run leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import sys
import tempfile
import threading
from typing import Any, NoReturn


def main(path: str, *modules: str) -> None:
    """Import ``modules``, then fork on request at the Unix socket ``path`` until stdin ends."""
    for module in ("ipykernel.kernelapp", *modules):
        importlib.import_module(module)
    if threading.active_count() > 1:
        names = ", ".join(thread.name for thread in threading.enumerate())
        sys.exit(f"an import started threads ({names}); a fork would lose them")
    gc.collect()
    gc.freeze()  # the children do not copy what they never touch
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(64)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    print("ready", flush=True)
    kernels: dict[int, socket.socket] = {}
    while True:
        readable, _, _ = select.select([server, wake, sys.stdin], [], [])
        if sys.stdin in readable and not os.read(sys.stdin.fileno(), 4096):
            break
        if wake in readable:
            os.read(wake, 4096)
            reap(kernels)
        if server in readable:
            connection, _ = server.accept()
            request = json.loads(connection.makefile().readline())
            pid = os.fork()
            if pid == 0:
                server.close()
                for other in kernels.values():
                    other.close()
                os.close(wake)
                os.close(woken)
                become_kernel(connection, request)
            kernels[pid] = connection
            send(connection, {"pid": pid})
    for pid in kernels:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def reap(kernels: dict[int, socket.socket]) -> None:
    """Tell each connection whose kernel has ended how it did."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        connection = kernels.pop(pid, None)
        if connection is not None:
            send(connection, {"returncode": os.waitstatus_to_exitcode(status)})
            connection.close()


def send(connection: socket.socket, message: dict[str, int]) -> None:
    """Write a line; whoever is gone does not read it."""
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(message).encode() + b"\n")


def become_kernel(connection: socket.socket, request: dict[str, Any]) -> NoReturn:
    """Turn this forked process into the kernel that a fresh interpreter would be; never returns."""
    os.setsid()
    connection.close()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    # What a new process would not share with its siblings.
    random.seed()
    tempfile.tempdir = None
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    sys.path[0] = ""
    sys.argv = request["argv"]
    code = 1
    try:
        from ipykernel.kernelapp import IPKernelApp

        IPKernelApp.launch_instance(argv=request["argv"][1:])
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 0
    finally:
        os._exit(code or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
