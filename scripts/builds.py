"""The page that chooses a build: what ``data/releases.yml`` says of builds, and GPUs by name."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scripts.pages import matter
from scripts.paths import DATA
from scripts.releases import Address, Capability, Release, Releases, Text
from scripts.yamlread import read_yaml, shown, validate

GPUS = DATA / "gpus.yml"


class Gpu(BaseModel):
    """A GPU, and what decides which builds run on it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text
    capability: Capability | None = None
    """CUDA compute capability of an NVIDIA GPU."""
    hardware: Literal["rocm", "xpu", "mps"] | None = None
    """The builds that another maker's GPU takes."""

    @model_validator(mode="after")
    def _either(self) -> Self:
        if (self.capability is None) == (self.hardware is None):
            raise ValueError(f"{self.name}: allowed: capability or hardware, one of the two")
        return self


class Gpus(BaseModel):
    """All GPUs that are known by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sources: Annotated[tuple[Address, ...], Field(min_length=1)]
    gpus: Annotated[tuple[Gpu, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _once(self) -> Self:
        names = [gpu.name.lower() for gpu in self.gpus]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{twice[0]} stands there twice")
        return self


@lru_cache
def load_gpus(path: Path = GPUS) -> Gpus:
    """Read the GPUs.

    Raises:
        SourceError: the file cannot be read or a record is wrong; it names the line.
    """
    return validate(Gpus, read_yaml(path), shown(path))


def builds_data(releases: Releases) -> dict[str, Any]:
    """What ``data/builds.json`` holds: of each release what decides on a build, and the GPUs."""
    fields = {"release", "patch", "python", "cuda", "default_cuda", "rocm", "xpu", "macos", "index"}
    return {
        "releases": [record.model_dump(mode="json", include=fields) for record in releases.records],
        "gpus": [gpu.model_dump(mode="json", exclude_none=True) for gpu in load_gpus().gpus],
    }


def install_page(releases: Releases) -> str:
    """The staged Markdown of the page; the element holds what a reader without a script needs."""
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("Release", "Python", "CUDA build: oldest capability, driver", "Others")
    )
    rows = "".join(_row(record) for record in reversed(releases.records))
    return (
        matter(
            "Install: which build fits",
            "Which PyTorch build fits a GPU, operating system, driver and Python, with the pip and"
            " uv command, or why there is none and the nearest that works.",
            hide=["navigation", "toc"],
        )
        + "\n\n# Which build, and the command\n\n"
        "Say what the machine has; what you leave empty is taken as no hindrance.\n\n"
        "<kb-install>\n<p>The choice is made in your browser and needs JavaScript. Without it, look"
        " your GPU's compute capability, your driver and your Python up here:</p>\n"
        f'<table class="kb-runs kb-builds"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>'
        "</table>\n</kb-install>\n"
    )


def _row(record: Release) -> str:
    cuda = "<br>".join(
        f"{build.tag}: {build.min_capability or 'not known'}, {build.driver or 'not known'}"
        + (" (plain pip install on Linux)" if build.version == record.default_cuda else "")
        for build in record.cuda
    )
    others = f"ROCm {', '.join(record.rocm) if record.rocm else 'not known'}<br>XPU" + (
        f" {record.xpu}" if record.xpu else " not known"
    )
    return (
        f'<tr data-release="{record.release}"><th scope="row">{record.release}</th>'
        f"<td>{', '.join(record.python)}</td><td>{cuda}</td><td>{others}</td></tr>"
    )
