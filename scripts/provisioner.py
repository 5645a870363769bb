"""Start kernels by forking a process that has torch imported already: 0.1 s instead of several.

This is a Jupyter kernel provisioner: a kernelspec whose metadata names ``warm-fork`` gets its
kernels from here, whoever asks (our own runs, pytest-notebook, Jupyter itself). Where a process
with torch in it cannot be forked (Windows, and macOS, whose frameworks forbid it) plain kernels
are started.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, cast

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import List, Unicode

NAME = "warm-fork"
FORKSERVER = Path(__file__).with_name("forkserver.py")
START_LIMIT = 120.0
"""Seconds that a parent may take to import its modules."""

logger = logging.getLogger(__name__)


def can_fork() -> bool:
    """Whether kernels can be forked from a warm parent here."""
    return sys.platform == "linux"


class ForkedProcess:
    """A kernel that somebody else forked, with what ``LocalProvisioner`` asks of a ``Popen``."""

    stdin = stdout = stderr = None

    def __init__(self, connection: socket.socket, pid: int) -> None:
        """Follow the process ``pid``, whose end ``connection`` will tell."""
        self.pid = pid
        self.returncode: int | None = None
        self.left: list[str] = []
        """Names of the processes that it left behind, known once it has ended."""
        self._connection = connection
        self._connection.setblocking(False)
        self._read = b""

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        while self.returncode is None:
            try:
                data = self._connection.recv(4096)
            except BlockingIOError:
                return None
            except OSError:
                data = b""
            self._read += data
            if b"\n" in self._read:
                answer = json.loads(self._read)
                self.returncode, self.left = int(answer["returncode"]), answer["left"]
            elif not data:
                self.returncode = -signal.SIGKILL  # its parent is gone, and so is it
        self._connection.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended.

        Raises:
            subprocess.TimeoutExpired: it still runs after ``timeout`` seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("kernel", timeout or 0)
            time.sleep(0.005)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)


class WarmParent:
    """A process with some modules imported, from which kernels are forked."""

    def __init__(self, python: str, modules: tuple[str, ...], environment: dict[str, str]) -> None:
        """Start it and wait until it is ready.

        Raises:
            RuntimeError: it ended or took too long; the message is its last line.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="warm-")
        self._path = str(Path(self._folder.name) / "socket")
        log = Path(self._folder.name) / "log"
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                [python, str(FORKSERVER), self._path, *modules],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                start_new_session=True,
            )
        assert self._process.stdout is not None  # noqa: S101 - asked for above
        timer = threading.Timer(START_LIMIT, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        if line.strip() != b"ready":
            said = log.read_text(errors="replace").strip().splitlines()
            self.stop()
            raise RuntimeError(f"no warm parent: {said[-1] if said else 'it ended at once'}")

    @property
    def alive(self) -> bool:
        """Whether it can fork."""
        return self._process.poll() is None

    def fork(self, argv: list[str], cwd: str, environment: dict[str, str]) -> ForkedProcess:
        """Fork a kernel with its arguments, working directory and environment variables."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._path)
        request = {"argv": argv, "cwd": cwd, "env": environment}
        connection.sendall(json.dumps(request).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = connection.recv(1)  # byte by byte: what follows is the end of the kernel
            if not part:
                raise RuntimeError("the warm parent ended")
            answer += part
        return ForkedProcess(connection, int(json.loads(answer)["pid"]))

    def stop(self) -> None:
        """End it and every kernel that still runs."""
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None  # noqa: S101 - asked for above
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()


_parents: dict[tuple[str, tuple[str, ...]], WarmParent] = {}
_lock = threading.Lock()

# What one kernel has of its own; its parent must not have read it at import.
OWN = ("TMPDIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "IPYTHONDIR", "JPY_PARENT_PID")


def parent_for(python: str, modules: tuple[str, ...], environment: dict[str, str]) -> WarmParent:
    """Give the warm parent of an interpreter and modules, started where there is none yet."""
    with _lock:
        parent = _parents.get((python, modules))
        if parent is None or not parent.alive:
            clean = {name: value for name, value in environment.items() if name not in OWN}
            parent = _parents[python, modules] = WarmParent(python, modules, clean)
        return parent


def stop_parents() -> None:
    """End all warm parents; before an environment is removed, and when this process ends."""
    with _lock:
        for parent in _parents.values():
            parent.stop()
        _parents.clear()


atexit.register(stop_parents)


class WarmForkProvisioner(LocalProvisioner):
    """Forks kernels from a warm parent; all else is as for local kernels."""

    async def wait(self) -> int | None:
        """Wait for the end of the kernel; the base class looks only ten times a second."""
        while await self.poll() is None:
            await asyncio.sleep(0.01)
        return await super().wait()

    python = Unicode(help="Interpreter of the environment with torch.").tag(config=True)
    forked: ForkedProcess | None = None
    """The kernel's process, also after its end; None for a plain kernel."""

    modules = List(Unicode(), ["torch"], help="Imported before the fork.").tag(config=True)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork the kernel that ``cmd`` (``python -m ipykernel_launcher -f FILE``) would start."""
        if not can_fork():
            logger.warning("no forking on %s: plain kernels are started, slowly", sys.platform)
            return await super().launch_kernel(cmd, **kwargs)
        environment = dict(kwargs["env"])
        parent = parent_for(self.python or cmd[0], tuple(self.modules), environment)
        argv = cmd[cmd.index("-f") :]
        process = parent.fork(argv, str(kwargs.get("cwd") or Path.cwd()), environment)
        self.forked = process
        self.process = cast(Any, process)
        self.pid = self.pgid = process.pid
        return self.connection_info
