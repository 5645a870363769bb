"""Keep a running notebook within its limits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Limits:
    """What one notebook may take."""

    seconds: float = 300.0
    """All cells together."""
    memory: int = 8 * 2**30
    """Resident bytes, its child processes included."""
    output: int = 5 * 2**20
    """Characters printed."""


class Guard:
    """Watches one run; ``broken`` says in words which limit it broke, if any."""

    def __init__(self, limits: Limits, pid: Callable[[], int | None]) -> None:
        """Watch the kernel whose process ``pid`` gives, None while there is none."""
        self.broken: str | None = None
        self._limits = limits
        self._pid = pid
        self._printed = 0

    def printed(self, characters: int) -> None:
        """Count output."""
        self._printed += characters
        if self._printed > self._limits.output:
            self._break(f"printed more than {self._limits.output / 2**20:.0f} MB")

    async def watch(self) -> None:
        """Look at the memory until a limit is broken or this is cancelled."""
        while self.broken is None:
            await asyncio.sleep(0.2)
            if self._resident() > self._limits.memory:
                self._break(f"used more than {self._limits.memory / 2**30:.1f} GB of memory")

    def _break(self, words: str) -> None:
        if self.broken is None and (pid := self._pid()) is not None:
            self.broken = words
            with contextlib.suppress(psutil.Error):
                psutil.Process(pid).kill()

    def _resident(self) -> int:
        total = 0
        if (pid := self._pid()) is not None:
            with contextlib.suppress(psutil.Error):
                kernel = psutil.Process(pid)
                for process in (kernel, *kernel.children(recursive=True)):
                    with contextlib.suppress(psutil.Error):
                        total += process.memory_info().rss
        return total
