"""What happens when somebody stops a long run with Ctrl-C or SIGTERM."""

from __future__ import annotations

import signal
import threading

_stopped: list[int] = []


def stopped() -> bool:
    """Whether this process was told to stop."""
    return bool(_stopped)


def listen() -> None:
    """Make SIGINT and SIGTERM raise KeyboardInterrupt; only a main thread can do that."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)


def _stop(number: int, _: object) -> None:
    _stopped.append(number)
    raise KeyboardInterrupt
