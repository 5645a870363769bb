"""The warm parent: imports torch once and forks each kernel from there.

Runs under the interpreter of a release's environment, by path, so it uses nothing of this
project. ``scripts.provisioner`` starts it as ``python forkserver.py SOCKET MODULE...`` and talks
to it over the socket: one connection a kernel, one line of JSON each way.

    -> {"argv": [...], "cwd": "...", "env": {...}}
    <- {"pid": 4711}                 forked
    <- {"returncode": 0, "left": []}  ended (negative: the signal), and what it had left behind

It must stay free of threads and of CUDA contexts: neither survives a fork. It ends when its
standard input closes, so a killed run leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import importlib.util
import json
import os
import random
import select
import signal
import socket
import sys
import tempfile
import threading
import time
from typing import Any, NoReturn

PR_SET_CHILD_SUBREAPER = 36
# What a kernel imports before its first cell.
KERNEL_MODULES = (
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.extensions.storemagic",
)

GRACE = 2.0
"""Seconds that helpers of a kernel (resource trackers, workers) have to end by themselves."""


def main(path: str, *modules: str) -> None:
    """Import ``modules``, then fork on request at the Unix socket ``path`` until stdin ends."""
    del sys.path[0]  # this file's folder, whose modules are not for samples
    for module in (*KERNEL_MODULES, *modules):
        importlib.import_module(module)
    if threading.active_count() > 1:
        names = ", ".join(thread.name for thread in threading.enumerate())
        sys.exit(f"an import started threads ({names}); a fork would lose them")
    gc.collect()
    gc.freeze()  # the children do not copy what they never touch
    launcher = importlib.util.find_spec("ipykernel_launcher")
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(64)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    print("ready", flush=True)
    supervisors: set[int] = set()
    while True:
        readable, _, _ = select.select([server, wake, sys.stdin], [], [])
        if sys.stdin in readable and not os.read(sys.stdin.fileno(), 4096):
            break
        if wake in readable:
            os.read(wake, 4096)
            while (pid := ended()) is not None:
                supervisors.discard(pid)
        if server in readable:
            connection, _ = server.accept()
            request = json.loads(connection.makefile().readline())
            request["argv"].insert(0, launcher.origin if launcher else "ipykernel_launcher")
            pid = os.fork()
            if pid == 0:
                for descriptor in (server.detach(), wake, woken):
                    os.close(descriptor)
                supervise(connection, request)
            connection.close()
            supervisors.add(pid)
    for pid in supervisors:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    for pid in supervisors:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


def ended() -> int | None:
    """The process that has ended and was not reaped yet; None if there is none."""
    try:
        pid, _ = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return pid or None


def supervise(connection: socket.socket, request: dict[str, Any]) -> NoReturn:
    """Fork the kernel, wait for its end, end what it left behind, and say how it went.

    Orphans come to this process, whichever session or process group they made for themselves.
    """
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    kernel = os.fork()
    if kernel == 0:
        become_kernel(connection, request)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(kernel, signal.SIGKILL))
    send(connection, {"pid": kernel})
    status = None
    while status is None:
        pid, code = os.waitpid(-1, 0)
        if pid == kernel:
            status = os.waitstatus_to_exitcode(code)
    send(connection, {"returncode": status, "left": end_children()})
    os._exit(0)


def end_children() -> list[str]:
    """Kill what is still there after a grace; the names of those."""
    end = time.monotonic() + GRACE
    names = []
    while children():
        if ended() is None:
            if time.monotonic() < end:
                time.sleep(0.02)
                continue
            for pid in children():
                names.append(name_of(pid))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
    return sorted(set(names))


def children() -> list[int]:
    """The processes whose parent is this one."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123 - hot, and plain
        return [int(pid) for pid in file.read().split()]


def name_of(pid: int) -> str:
    """A process's name, or its number where it has none any more."""
    try:
        with open(f"/proc/{pid}/comm") as file:  # noqa: PTH123
            return file.read().strip()
    except OSError:
        return str(pid)


def send(connection: socket.socket, message: dict[str, Any]) -> None:
    """Write a line; whoever is gone does not read it."""
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(message).encode() + b"\n")


def become_kernel(connection: socket.socket, request: dict[str, Any]) -> NoReturn:
    """Turn this forked process into the kernel that a fresh interpreter would be; never returns."""
    os.setsid()
    connection.close()
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
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()
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
