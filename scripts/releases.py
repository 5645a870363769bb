"""The releases of PyTorch that the knowledge base speaks about: ``data/releases.yml``.

Everything that differs from release to release and is not prose stands in that file: which wheels
exist, what to install for which hardware, which versions of other packages fit. The models below
say what a record holds; a wrong record stops the run with file, line and what is allowed.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, Self

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from scripts.paths import DATA
from scripts.yamlread import read_yaml, shown, validate

DEFAULT = DATA / "releases.yml"

REFERENCE_RELEASE = "2.13"
"""The release whose behavior a page shows to a reader who has not chosen one."""


def version_key(release: str) -> Version:
    """Give the key that sorts releases as versions: 2.9 before 2.10."""
    return Version(release)


def _written_like(pattern: str, what: str) -> AfterValidator:
    """Check text against ``pattern``; ``what`` says in words what is allowed."""

    def check(value: str) -> str:
        if re.fullmatch(pattern, value) is None:
            raise ValueError(f'"{value}" is not of the right form; allowed: {what}')
        return value

    return AfterValidator(check)


def _specifier(value: str) -> str:
    try:
        SpecifierSet(value)
    except InvalidSpecifier:
        raise ValueError(f'"{value}" cannot be compared; allowed: text like ">=3.9"') from None
    return value


Text = Annotated[str, _written_like(r"\S(.*\S)?", "text that is not empty")]
Minor = Annotated[str, _written_like(r"\d+\.\d+", 'a minor release like "2.10"')]
Patch = Annotated[str, _written_like(r"\d+\.\d+\.\d+", 'a patch release like "2.10.0"')]
Number = Annotated[str, _written_like(r"\d+(\.\d+)*", 'a version like "12.6" or "9.1.0.70"')]
Python = Annotated[str, _written_like(r"3\.\d+t?", 'a Python version like "3.12" or "3.13t"')]
Capability = Annotated[str, _written_like(r"\d+\.\d", 'a compute capability like "7.5"')]
Address = Annotated[str, _written_like(r"https://\S+", "an address that starts with https://")]
Specifier = Annotated[str, AfterValidator(_specifier)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CudaBuild(_Record):
    """One of the CUDA builds in which a release is published."""

    version: Number
    tag: Annotated[str, _written_like(r"cu\d{3}", "a tag like cu126")]
    status: Literal["stable", "experimental", "unknown"]
    min_capability: Capability | None = None
    """Lowest compute capability that the build has kernels for."""
    capabilities: tuple[Capability, ...] | None = None
    cudnn: Number | None = None
    nccl: Number | None = None
    driver: Number | None = None
    """Oldest Linux driver that the build runs on."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.tag != "cu" + self.version.replace(".", ""):
            raise ValueError(f'"{self.tag}" is not the tag of CUDA {self.version}')
        if self.capabilities and self.min_capability != self.capabilities[0]:
            raise ValueError("min_capability is not the first of capabilities")
        return self


class Index(_Record):
    """Where pip finds each hardware's build; "default" needs no address, None is not known."""

    cpu: Address | None
    cuda: Address | None
    rocm: Address | None
    xpu: Address | None
    mps: Literal["default"] | None


class Colab(_Record):
    """A pinned Colab runtime that has the release installed."""

    runtime: Annotated[str, _written_like(r"\d{4}\.\d{2}", 'a Colab runtime like "2025.07"')]
    torch: Patch


class Release(_Record):
    """What is known about one minor release. None means not known, never "none"."""

    release: Minor
    patch: Patch
    date: datetime.date
    patch_date: datetime.date
    python: Annotated[tuple[Python, ...], Field(min_length=1)]
    requires_python: Specifier | None
    cuda: Annotated[tuple[CudaBuild, ...], Field(min_length=1)]
    default_cuda: Number
    rocm: tuple[Number, ...] | None
    xpu: Number | None
    cxx11_abi: Mapping[Text, bool | None]
    cxx_standard: Annotated[str, _written_like(r"c\+\+\d\d", "a standard like c++17")]
    manylinux: Mapping[Text, Text]
    macos: Text
    triton: Text
    index: Index
    colab: Colab | None
    extras: Mapping[Text, Number]
    samples_python: Python
    known_by: Mapping[Text, Text] = Field(default_factory=dict)
    sources: Annotated[tuple[Address, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        for name, patch in (("patch", self.patch), ("colab", self.colab and self.colab.torch)):
            if patch and not patch.startswith(f"{self.release}."):
                raise ValueError(f"{name}: {patch} is no patch release of {self.release}")
        if self.patch_date < self.date:
            raise ValueError(f"patch_date {self.patch_date} lies before date {self.date}")
        if self.default_cuda not in (versions := [build.version for build in self.cuda]):
            allowed = ", ".join(versions)
            raise ValueError(f"default_cuda {self.default_cuda} is no build; allowed: {allowed}")
        if self.samples_python not in self.python:
            allowed = ", ".join(self.python)
            raise ValueError(f"samples_python {self.samples_python}; allowed: {allowed}")
        if unknown := sorted(set(self.known_by) - set(type(self).model_fields)):
            raise ValueError(f'known_by speaks of "{unknown[0]}", which is no key of a record')
        return self

    @property
    def default_build(self) -> CudaBuild:
        """The CUDA build that ``pip install torch`` brings on Linux x86-64."""
        return next(build for build in self.cuda if build.version == self.default_cuda)


class Releases(_Record):
    """All releases, oldest first."""

    records: Annotated[tuple[Release, ...], Field(alias="releases", min_length=1)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        for before, after in pairwise(self.minors):
            if version_key(after) <= version_key(before):
                raise ValueError(f"{after} stands after {before}; allowed: oldest first, each once")
        return self

    @cached_property
    def minors(self) -> tuple[str, ...]:
        """The minor releases, "2.4" first."""
        return tuple(record.release for record in self.records)

    @property
    def oldest(self) -> Release:
        """The first release that the knowledge base covers."""
        return self.records[0]

    @property
    def newest(self) -> Release:
        """The last release there is."""
        return self.records[-1]

    def by_minor(self, minor: str) -> Release:
        """Give the record of a minor release ("2.6").

        Raises:
            KeyError: there is no record of it.
        """
        for record in self.records:
            if record.release == minor:
                return record
        raise KeyError(f"no release {minor}; allowed: {', '.join(self.minors)}")

    def matching(self, spec: SpecifierSet | str) -> list[str]:
        """Give the minor releases that a PEP 440 specifier like ">=2.6,<2.10" matches.

        A minor release stands for its whole series: "<=2.13" and "==2.13" match 2.13, whichever
        its newest patch release is. So a specifier cannot tell patch releases apart.

        Raises:
            InvalidSpecifier: no specifier at all, or one that names a patch release.
        """
        specifiers = SpecifierSet(spec) if isinstance(spec, str) else spec
        for one in specifiers:
            if re.fullmatch(r"\d+\.(\d+|\*)", one.version) is None:
                raise InvalidSpecifier(f'"{one}" does not name a minor release; allowed: >=2.6')
        return [minor for minor in self.minors if specifiers.contains(version_key(minor))]


@lru_cache
def load_releases(path: Path = DEFAULT) -> Releases:
    """Read the releases.

    Raises:
        SourceError: the file cannot be read or a record is wrong; it names the line.
    """
    return validate(Releases, read_yaml(path), shown(path))
