"""The one exception for mistakes in files that people write by hand."""

from __future__ import annotations

from pathlib import Path


class SourceError(Exception):
    """A mistake in a source file, with the place to look at.

    ``str()`` reads ``path:line: message``, the form that editors and terminals turn into a link.
    """

    def __init__(self, path: str | Path, line: int, message: str) -> None:
        """Keep ``path`` (as shown to people), ``line`` (from 1) and ``message`` apart."""
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        """Give ``path:line: message``."""
        return f"{self.path}:{self.line}: {self.message}"
