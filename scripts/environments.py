"""The environment in which the notebooks of one release and hardware run; uv makes it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.entries import Document
from scripts.indexes import NoIndexError, choose_index, pip_arguments
from scripts.notebooks import write_if_changed
from scripts.paths import ENVIRONMENTS
from scripts.releases import Release

# What a kernel needs beside torch. Pinned, so that a traceback looks the same in every run.
KERNEL_PACKAGES = ("ipykernel==7.4.0", "ipython==9.18.1", "setuptools==80.9.0")


class EnvironmentFailure(Exception):
    """An environment could not be made; the message is one line for people."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with one release of torch in it."""

    path: Path
    interpreter: Path | None = None
    """An interpreter that somebody else made; None for the one in ``path``."""

    @classmethod
    def given(cls, python: Path, record: Release) -> Environment:
        """Take an interpreter that has torch already.

        Raises:
            EnvironmentFailure: it does not start, or has another release or no ipykernel.
        """
        code = "import ipykernel, importlib.metadata as m; print(m.version('torch'))"
        try:
            done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
        except OSError as error:
            raise EnvironmentFailure(f"{python} does not start: {error.strerror}") from None
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()[-1:] or ["it ended at once"]
            raise EnvironmentFailure(f"{python} cannot run notebooks: {said[0]}")
        version = done.stdout.strip()
        if ".".join(version.split(".")[:2]) != record.release:
            raise EnvironmentFailure(f"{python} has torch {version}, not {record.release}")
        return cls(python.parent, python)

    @property
    def python(self) -> Path:
        """Its interpreter."""
        if self.interpreter is not None:
            return self.interpreter
        return self.path / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def extras_of(documents: Iterable[Document]) -> list[str]:
    """The extra packages that the samples of ``documents`` ask for, by name."""
    return sorted({name for document in documents for name in document.front.requires})


def requirements(record: Release, extras: Sequence[str]) -> list[str]:
    """The pinned requirements of a release's samples, torch first."""
    names = sorted({"numpy", *extras})
    pins = [f"{name}=={record.extras[name]}" for name in names if name in record.extras]
    return [f"torch=={record.patch}", *pins]


def ensure_environment(
    record: Release, hardware: str, extras: Sequence[str], root: Path = ENVIRONMENTS
) -> Environment:
    """Give the environment of a release and hardware, made or brought up to date where needed.

    Raises:
        EnvironmentFailure: it could not be made; nothing half-made is taken for whole later.
    """
    environment = Environment(root / f"{record.release}-{hardware}")
    wanted = [*requirements(record, extras), *KERNEL_PACKAGES]
    stamp = environment.path / "installed.json"
    if stamp.exists() and set(wanted) <= set(json.loads(stamp.read_text())):
        return environment
    if not environment.python.exists():
        shutil.rmtree(environment.path, ignore_errors=True)
        _uv("venv", "--quiet", "--python", record.samples_python, str(environment.path))
    try:
        index = choose_index(hardware, record)
    except NoIndexError as error:
        raise EnvironmentFailure(str(error)) from None
    _uv(
        "pip",
        "install",
        "--quiet",
        "--python",
        str(environment.python),
        *pip_arguments(index, uv=True),
        *wanted,
    )
    write_if_changed(stamp, json.dumps(wanted, indent=1) + "\n")
    return environment


def _uv(*arguments: str) -> None:
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        raise EnvironmentFailure("uv is not installed; make installs it")
    done = subprocess.run([uv, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise EnvironmentFailure(f"uv {arguments[0]} failed: {_told(done.stderr)}")


def _told(stderr: str) -> str:
    """What uv says went wrong, and its last cause, in one line of at most 500 characters."""
    text = " ".join(stderr.split())
    error, *causes = re.split(r" cause: ", text.split(" hint: ")[0].split("error: ", 1)[-1])
    return ": ".join([error, *causes[-1:]])[:500]
