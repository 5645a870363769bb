"""Run one notebook in an environment and write into it what happened."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import nbformat
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.client import KernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode
from traitlets import Type

from scripts.environments import Environment
from scripts.guard import Guard, Limits
from scripts.outputs import tidy, tidy_text
from scripts.provisioner import NAME as WARM_FORK
from scripts.records import source_hash

KERNEL_NAME = "knowledge-patch"

Item = TypeVar("Item")

# Asked of the kernel after the cells, and not part of the notebook.
PROBE = """
def _probe():
    import json, platform, torch
    device = None
    if torch.cuda.is_available():
        name = torch.cuda.get_device_name(0)
        kind = "rocm" if torch.version.hip else "cuda"
        device = f"{kind}: {name}"
    elif hasattr(torch, "xpu") and torch.xpu.is_available():
        device = f"xpu: {torch.xpu.get_device_name(0)}"
    elif torch.backends.mps.is_available():
        device = "mps: Apple silicon"
    python = platform.python_version()
    return json.dumps({"torch": torch.__version__, "python": python, "device": device})
"""


FAILED = "failed"
OTHER_ERROR = "raised something else than documented"
UNEXPECTED_PASS = "passed though documented to fail"  # noqa: S105 - no password


@dataclass(frozen=True)
class Outcome:
    """How one run ended."""

    status: str
    """``passed`` or ``failed``."""
    seconds: float
    reason: str | None = None
    kind: str | None = None
    """Of a failure: ``FAILED``, ``OTHER_ERROR`` or ``UNEXPECTED_PASS``."""


def kernel_environment(hardware: str, scratch: Path) -> dict[str, str]:
    """Environment variables of a kernel: the caller's, without what would leak into outputs.

    Torch turns warnings into errors where ``CI`` is set, and ipykernel does not read what is
    written past ``sys.stderr`` where it believes to be under pytest.
    """
    leaking = re.compile(r"(PYTHON|TORCH|JUPYTER|PYTEST).*|CI")
    kept = {k: v for k, v in os.environ.items() if not leaking.fullmatch(k)}
    kept |= {
        "TORCHINDUCTOR_CACHE_DIR": str(scratch / "inductor"),
        "TRITON_CACHE_DIR": str(scratch / "triton"),
        "TMPDIR": str(scratch),
        "PYTHONHASHSEED": "0",
        # A pool of compile workers would outlive a short run, and its threads cannot be forked.
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        # Each run has a cache of its own, and a header precompiled for one run never pays.
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
        "NO_COLOR": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "IPYTHONDIR": str(scratch / "ipython"),
        # Gloo looks the host's name up; a machine without a resolvable name would hang.
        "GLOO_SOCKET_IFNAME": os.environ.get("GLOO_SOCKET_IFNAME", "lo"),
    }
    if hardware == "cpu":
        kept["CUDA_VISIBLE_DEVICES"] = ""
    return kept


def cpu_name() -> str:
    """The processor's name, as the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A working directory for one run, gone afterwards."""
    path = Path(tempfile.mkdtemp(prefix="knowledge-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


async def run_notebook(
    notebook: NotebookNode,
    environment: Environment,
    hardware: str,
    limits: Limits,
    *,
    warm: bool = True,
) -> Outcome:
    """Run ``notebook`` and write outputs and record into it (the file is not touched).

    Args:
        notebook: as generated; changed in place.
        environment: where torch is.
        hardware: the device that it speaks of; "cpu" hides the others.
        limits: what it may take.
        warm: fork the kernel from a process that has torch imported.
    """
    started, reached = time.monotonic(), 0
    watching: asyncio.Task[None] | None = None
    facts: dict[str, Any] = {}
    reason = None
    with scratch_folder() as scratch:
        manager = _kernel_manager(notebook, environment, scratch, warm)
        work = scratch / "work"
        work.mkdir()
        guard = Guard(limits, lambda: getattr(manager.provisioner, "pid", None))
        client = _Client(
            guard,
            notebook,
            km=manager,
            timeout=None,
            kernel_name=KERNEL_NAME,
            skip_cells_with_tag="skip-execution",
            resources={"metadata": {"path": str(work)}},
            record_timing=False,
        )
        _clear(notebook)
        try:
            async with asyncio.timeout(limits.seconds) as scope:
                async with client.async_setup_kernel(
                    env=kernel_environment(hardware, scratch),
                    cwd=str(work),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                ):
                    started = time.monotonic()
                    watching = asyncio.create_task(guard.watch())
                    for reached, cell in enumerate(notebook.cells):
                        await client.async_execute_cell(cell, reached)
                    seconds = time.monotonic() - started
                    watching.cancel()
                    facts = await _probe(client)
        except (TimeoutError, DeadKernelError, AssertionError):
            # nbclient takes every cancellation for a dead kernel: that of the time limit, and that
            # of somebody who stops the whole run, which says nothing about the notebook.
            task = asyncio.current_task()
            if not scope.expired() and task is not None and task.cancelling():
                raise asyncio.CancelledError from None
            late = f"took longer than {limits.seconds:.0f} s" if scope.expired() else None
            reason = f"{guard.broken or late or _death(manager)} in cell {reached}"
        except CellExecutionError as error:
            reason = f"cell {reached} raised {error.ename}: {_first(error.evalue)}"
        forked = getattr(manager.provisioner, "forked", None)
        if reason is not None:
            seconds = time.monotonic() - started
            if watching is not None:
                watching.cancel()
            with contextlib.suppress(Exception):
                await manager.shutdown_kernel(now=True)
        if reason is None and forked is not None:
            await asyncio.to_thread(forked.wait, 10)
            if forked.left:
                reason = f"left processes behind: {', '.join(forked.left)}"
    tidy(notebook)
    kind = FAILED
    if reason is None and (found := unexpected(notebook)) is not None:
        kind, reason = found
    if reason is None and hardware != "cpu" and not str(facts["device"]).startswith(hardware):
        reason = f"no {hardware} device was there, only {facts['device'] or 'the CPU'}"
    status = "failed" if reason else "passed"
    outcome = Outcome(status, round(seconds, 1), reason, kind if reason else None)
    notebook.metadata["verification"] = nbformat.from_dict(
        _record(notebook, outcome, hardware, facts)
    )
    return outcome


async def for_each(
    items: Iterable[Item], run: Callable[[Item], Awaitable[None]], parallel: int | None = None
) -> None:
    """Await ``run`` for each item, ``parallel`` at a time; None for one a core."""
    slots = asyncio.Semaphore(parallel or os.cpu_count() or 1)

    async def one(item: Item) -> None:
        async with slots:
            await run(item)

    await asyncio.gather(*(one(item) for item in items))


def unexpected(notebook: NotebookNode) -> tuple[str, str] | None:
    """What a run did that the entry does not say: its kind and words for it; None if nothing."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        wanted = cell.metadata.get("raises")
        raised = [o for o in cell.outputs if o.output_type == "error"]
        if wanted and not raised:
            return UNEXPECTED_PASS, f"cell {number} did not raise {wanted}"
        if wanted and raised[0].ename != wanted:
            return OTHER_ERROR, f"cell {number} raised {raised[0].ename} instead of {wanted}"
        if not wanted and raised:
            return FAILED, f"cell {number} raised {raised[0].ename}: {_first(raised[0].evalue)}"
    return None


def warm_modules(notebook: NotebookNode) -> list[str]:
    """What the warm parent of a notebook's kernel imports: torch, and for compile its machinery.

    No more than that: a sample that forgets to import what it uses must fail here too.
    """
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    if re.search(r"torch\.compile|_dynamo|_inductor|torch\.compiler|torch\.export", code):
        return ["torch", "torch._dynamo", "torch._inductor.compile_fx"]
    return ["torch"]


def write_kernelspec(
    folder: Path, python: Path, modules: Sequence[str], *, warm: bool = True
) -> None:
    """Write a kernelspec into ``folder``, whose name is the kernel's.

    Args:
        folder: made if it is not there.
        python: the interpreter with torch and ipykernel.
        modules: what its warm parent imports.
        warm: fork kernels from a warm parent; else start an interpreter for each.
    """
    spec: dict[str, Any] = {
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python",
        "language": "python",
    }
    if warm:
        config = {"python": str(python), "modules": list(modules)}
        spec["metadata"] = {"kernel_provisioner": {"provisioner_name": WARM_FORK, "config": config}}
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(spec))


def _kernel_manager(
    notebook: NotebookNode, environment: Environment, scratch: Path, warm: bool
) -> AsyncKernelManager:
    kernels = scratch / "kernels"
    write_kernelspec(kernels / KERNEL_NAME, environment.python, warm_modules(notebook), warm=warm)
    return _Manager(
        kernel_name=KERNEL_NAME,
        # Nobody else on the machine may talk to the kernel, and no port can be taken.
        transport="tcp" if os.name == "nt" else "ipc",
        ip="127.0.0.1" if os.name == "nt" else str(scratch / "kernel"),
        kernel_spec_manager=KernelSpecManager(
            kernel_dirs=[str(kernels)], ensure_native_kernel=False
        ),
    )


class _KernelClient(AsyncKernelClient):
    """Is ready as soon as the kernel is; the base class then listens for 0.2 s to silence."""

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        async with asyncio.timeout(timeout):
            while True:
                asked = self.kernel_info()
                if await self._answered(asked):
                    return
                if not await self._async_is_alive():
                    raise DeadKernelError("the kernel ended before it was ready")

    async def _answered(self, asked: str) -> bool:
        """Whether the answer to ``asked`` came on both channels.

        A kernel whose output channel is still being connected loses what it says there; whoever
        went on then would wait for the end of the first cell forever.
        """
        try:
            async with asyncio.timeout(1):
                reply = await self._message(self.get_shell_msg, asked)
            async with asyncio.timeout(0.05):
                while True:
                    message = await self._message(self.get_iopub_msg, asked)
                    if message["content"].get("execution_state") == "idle":
                        break
        except TimeoutError:
            return False
        self._handle_kernel_info_reply(reply)
        return True

    @staticmethod
    async def _message(get: Callable[[], Awaitable[dict[str, Any]]], asked: str) -> dict[str, Any]:
        """The next message that answers ``asked``."""
        while (message := await get())["parent_header"].get("msg_id") != asked:
            pass
        return message


class _Manager(AsyncKernelManager):
    """Notices the end of a kernel at once; it is waited for once a notebook."""

    client_factory = Type(klass=AsyncKernelClient, default_value=_KernelClient)

    async def _async_wait(self, pollinterval: float = 0.01) -> None:
        await super()._async_wait(pollinterval=min(pollinterval, 0.01))


class _Client(NotebookClient):
    """Tells the guard how much is printed, and keeps no more of it than is shown."""

    def __init__(self, guard: Guard, notebook: NotebookNode, **options: Any) -> None:
        super().__init__(notebook, **options)
        self._guard = guard

    @contextlib.asynccontextmanager
    async def async_setup_kernel(self, **options: Any) -> AsyncIterator[None]:
        """Start the kernel and end it, and leave the signals to the whole run.

        The base class takes SIGINT and SIGTERM to end this one kernel and go on with the next.
        """
        try:
            await self.async_start_new_kernel(**options)
            await self.async_start_new_kernel_client()
            yield
        finally:
            await self._async_cleanup_kernel()

    async def async_start_new_kernel_client(self) -> KernelClient:
        """Connect once the kernel listens: ZeroMQ tries a refused connection again after 0.1 s."""
        manager = self.km
        if isinstance(manager, _Manager) and manager.transport == "ipc":
            ports = [Path(f"{manager.ip}-{port}") for port in manager.ports]
            while not all(port.exists() for port in ports) and await manager.is_alive():
                await asyncio.sleep(0.005)
        return await super().async_start_new_kernel_client()

    def process_message(
        self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
    ) -> NotebookNode | None:
        content = msg["content"]
        self._guard.printed(len(content.get("text", "")) + len(str(content.get("data", ""))))
        if self._guard.broken:
            return None
        return super().process_message(msg, cell, cell_index)


def _death(manager: AsyncKernelManager) -> str:
    """How the kernel's process ended, in words."""
    forked = getattr(manager.provisioner, "forked", None)
    code = forked.poll() if forked is not None else None
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"the process was ended by {signal.Signals(-code).name}"
    return "the process ended" + (f" with {code}" if code is not None else "")


async def _probe(client: NotebookClient) -> dict[str, Any]:
    kernel = client.kc
    if not isinstance(kernel, AsyncKernelClient):
        raise TypeError(f"the client of the kernel is a {type(kernel).__name__}")
    reply = await kernel.execute_interactive(
        PROBE,
        user_expressions={"facts": "_probe()"},
        store_history=False,
        timeout=60,
        output_hook=lambda message: None,
    )
    found = reply["content"]["user_expressions"]["facts"]
    facts: dict[str, Any] = json.loads(found["data"]["text/plain"].strip("'"))
    return facts


def _record(
    notebook: NotebookNode, outcome: Outcome, hardware: str, facts: Mapping[str, Any]
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "status": outcome.status,
        "torch": facts.get("torch"),
        "python": facts.get("python"),
        "platform": f"{platform.system()} {platform.machine()}, {'-'.join(platform.libc_ver())}",
        "device": f"cpu: {cpu_name()}" if hardware == "cpu" else facts.get("device"),
        "finished": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds": outcome.seconds,
        "source_sha256": source_hash(notebook),
    }
    if outcome.reason:
        record["reason"] = tidy_text(outcome.reason)
    return {key: value for key, value in record.items() if value is not None}


def _clear(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def _first(text: str) -> str:
    return text.strip().split("\n", 1)[0][:200]
