"""Look for a new release of PyTorch and for new Colab runtimes, and propose them for releases.yml.

What the indexes and the runtimes' own list say goes into the record; what they do not say is
carried over from the release before, and ``known_by`` says so, or stays unknown. A person reads
the proposal before it is taken in.
"""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename
from packaging.version import Version
from pypi_simple import DistributionPackage, PyPISimple
from requests.exceptions import RequestException

from scripts.notebooks import write_if_changed
from scripts.releases import DEFAULT, Release, load_releases, version_key

PYTORCH_INDEX = "https://download.pytorch.org/whl/"
RUNTIMES = "https://raw.githubusercontent.com/googlecolab/backend-info/main/README.md"
TIMEOUT = 60.0

CARRIED = "carried over from {before}, to be checked"


@dataclass(frozen=True)
class Build:
    """What the file names of one patch release say, wherever they lie."""

    patch: str
    wheels: tuple[DistributionPackage, ...]

    @property
    def day(self) -> str:
        """The day of the first upload, as in 2026-10-28; "" where the index does not say."""
        days = [str(wheel.upload_time.date()) for wheel in self.wheels if wheel.upload_time]
        return min(days, default="")


def look(path: Path = DEFAULT, default_index: str | None = None) -> tuple[str, list[str]]:
    """Ask the indexes and the list of Colab runtimes what is new.

    Args:
        path: the releases as they stand.
        default_index: where pip installs from; None for the installer's own default.

    Returns:
        The text of the file as it should be, and what is new in it, one line each.

    Raises:
        RequestException: the default index does not answer.
    """
    releases = load_releases(path)
    index = PyPISimple() if default_index is None else PyPISimple(default_index)
    with index:
        page = index.get_project_page("torch", timeout=TIMEOUT)
        found = newest_patches(page.packages)
        text, said = path.read_text(encoding="utf-8"), []
        known = {record.release: record for record in releases.records}
        for minor, build in found.items():
            if minor in known:
                old = known[minor]
                if Version(build.patch) > Version(old.patch):
                    text = _set(text, minor, "patch", f'"{build.patch}"')
                    text = _set(text, minor, "patch_date", build.day or str(old.patch_date))
                    said.append(f"PyTorch {build.patch} is out; the record has {old.patch}")
            elif version_key(minor) > version_key(releases.newest.release):
                labels, metadata = _labels(build.patch), _metadata(index, build)
                record = propose(build, labels, metadata, releases.newest)
                text = text.rstrip("\n") + "\n" + _dump(record)
                said.append(f"PyTorch {build.patch} is out; its record is proposed")
    text, runtimes = _with_runtimes(text, _runtimes())
    return text, said + runtimes


def propose_changes(path: Path = DEFAULT, *, write: bool) -> list[str]:
    """Say what is new, and write it into the file if asked to; an unchanged file is not touched."""
    text, said = look(path)
    if write and said:
        write_if_changed(path, text)
    return said


def newest_patches(packages: Iterable[DistributionPackage]) -> dict[str, Build]:
    """The newest patch release of each minor release that has wheels, oldest minor first."""
    wheels: dict[Version, list[DistributionPackage]] = {}
    for package in packages:
        if package.package_type == "wheel" and not package.is_yanked:
            version = parse_wheel_filename(package.filename)[1]
            if not version.is_prerelease and version.local is None:
                wheels.setdefault(version, []).append(package)
    newest = {f"{version.major}.{version.minor}": version for version in sorted(wheels)}
    return {minor: Build(str(one), tuple(wheels[one])) for minor, one in newest.items()}


def propose(
    build: Build, labels: Sequence[str], metadata: Mapping[str, Sequence[str]], before: Release
) -> dict[str, Any]:
    """The record of a new minor release.

    Args:
        build: its newest patch release on the default index.
        labels: the local versions that PyTorch's own index has of it ("cu130", "rocm7.2", "xpu").
        metadata: headers of one Linux wheel (Requires-Dist); empty if they could not be read.
        before: the record of the release before, for what nobody says.
    """
    carried = CARRIED.format(before=before.release)
    known_by = dict.fromkeys(("extras", "cxx_standard", "cxx11_abi"), carried)
    requires = [Requirement(line) for line in metadata.get("requires-dist", ())]
    default = _pinned(requires, "cuda-toolkit", 2) or _pinned(requires, "nvidia-cuda-runtime", 2)
    if default is None:
        default, known_by["default_cuda"] = before.default_cuda, carried
    builds = {f"{one[2:4]}.{one[4:]}": one for one in labels if re.fullmatch(r"cu\d{3}", one)}
    builds.setdefault(default, "cu" + default.replace(".", ""))
    known_by["cuda"] = "builds by the names on the index; their capabilities were not read"
    triton = _pinned(requires, "triton", 3)
    if triton is None:
        triton, known_by["triton"] = before.triton, carried
    rocm = sorted({label[4:] for label in labels if re.fullmatch(r"rocm\d+\.\d+", label)})
    pythons, (linux, macos) = _pythons(build.wheels), _platforms(build.wheels)
    return {
        "release": ".".join(build.patch.split(".")[:2]),
        "patch": build.patch,
        "date": build.day or str(before.date),
        "patch_date": build.day or str(before.date),
        "python": pythons,
        "requires_python": build.wheels[0].requires_python,
        "cuda": [
            {"version": version, "tag": tag, "status": "unknown"}
            for version, tag in sorted(builds.items(), key=lambda item: version_key(item[0]))
        ],
        "default_cuda": default,
        "rocm": rocm or None,
        "xpu": None,
        "cxx11_abi": dict(before.cxx11_abi),
        "cxx_standard": before.cxx_standard,
        "manylinux": linux or dict(before.manylinux),
        "macos": macos or before.macos,
        "triton": triton,
        "index": {
            "cpu": f"{PYTORCH_INDEX}cpu",
            "cuda": f"{PYTORCH_INDEX}{builds[default]}",
            "rocm": f"{PYTORCH_INDEX}rocm{rocm[-1]}" if rocm else None,
            "xpu": f"{PYTORCH_INDEX}xpu" if "xpu" in labels else None,
            "mps": "default",
        },
        "colab": None,
        "extras": dict(before.extras),
        "samples_python": before.samples_python if before.samples_python in pythons else pythons[0],
        "known_by": known_by,
        "sources": [f"https://github.com/pytorch/pytorch/releases/tag/v{build.patch}"],
    }


def _pinned(requires: Sequence[Requirement], name: str, parts: int) -> str | None:
    """The version that a requirement pins, cut to so many parts; None without such a one."""
    for one in requires:
        if one.name == name or re.fullmatch(rf"{re.escape(name)}-cu\d+", one.name):
            for specifier in one.specifier:
                if specifier.operator in ("==", "~="):
                    return ".".join(specifier.version.split(".")[:parts])
    return None


def _pythons(wheels: Sequence[DistributionPackage]) -> list[str]:
    found = set()
    for wheel in wheels:
        for tag in parse_wheel_filename(wheel.filename)[3]:
            if match := re.fullmatch(r"cp3(\d+)(t?)", tag.abi):
                found.add((match[2], int(match[1])))
    return [f"3.{number}{free}" for free, number in sorted(found)]


def _platforms(wheels: Sequence[DistributionPackage]) -> tuple[dict[str, str], str | None]:
    """The manylinux tag of each processor, and the macOS of the wheels ("14_0 arm64")."""
    linux, macos = {}, None
    for wheel in wheels:
        for tag in parse_wheel_filename(wheel.filename)[3]:
            if match := re.fullmatch(r"(manylinux\w*?)_(x86_64|aarch64)", tag.platform):
                linux[match[2]] = match[1]
            if match := re.fullmatch(r"macosx_(\d+_\d+)_(arm64)", tag.platform):
                macos = f"{match[1]} {match[2]}"
    return dict(sorted(linux.items(), reverse=True)), macos


def _labels(patch: str) -> list[str]:
    """The local versions that PyTorch's own index has of a release; none if it does not answer."""
    try:
        with PyPISimple(PYTORCH_INDEX) as index:
            page = index.get_project_page("torch", timeout=TIMEOUT)
    except RequestException:
        return []
    versions = {
        parse_wheel_filename(package.filename)[1]
        for package in page.packages
        if package.package_type == "wheel"
    }
    return sorted(one.local for one in versions if one.local and one.public == patch)


def _metadata(index: PyPISimple, build: Build) -> dict[str, list[str]]:
    """The headers of a Linux wheel by lower-case name; empty if the index does not serve them."""
    linux = [wheel for wheel in build.wheels if "manylinux" in wheel.filename]
    if not linux:
        return {}
    try:
        text = index.get_package_metadata_bytes(linux[0], timeout=TIMEOUT)
    except (RequestException, LookupError, ValueError):
        return {}
    headers = BytesHeaderParser().parsebytes(text)
    return {name.lower(): headers.get_all(name, []) for name in headers}


def _runtimes() -> str:
    """The list of Colab's runtimes; empty if it cannot be reached."""
    try:
        with urllib.request.urlopen(RUNTIMES, timeout=TIMEOUT) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


def runtimes_of(readme: str) -> dict[str, str]:
    """Each pinned runtime's torch, by the runtime's name ("2026.01").

    Source: the readme of googlecolab/backend-info, a section a runtime with its versions.
    """
    sections = re.split(r"^### +(\d{4}\.\d{2})\s*$", readme, flags=re.MULTILINE)[1:]
    found = {}
    for name, body in zip(sections[::2], sections[1::2], strict=True):
        if match := re.search(r"PyTorch (\d+\.\d+\.\d+)", body):
            found[name] = match[1]
    return found


def _with_runtimes(text: str, readme: str) -> tuple[str, list[str]]:
    said = []
    for name, torch in sorted(runtimes_of(readme).items()):
        minor = ".".join(torch.split(".")[:2])
        line = f'{{runtime: "{name}", torch: "{torch}"}}'
        if _get(text, minor, "colab") == "null":
            text = _set(text, minor, "colab", line)
            said.append(f"Colab has a runtime {name} with PyTorch {torch}")
    return text, said


def _record(text: str, minor: str) -> tuple[int, int] | None:
    """Where a release's record stands in the file's text."""
    start = text.find(f'\n- release: "{minor}"\n')
    if start < 0:
        return None
    end = text.find("\n- release:", start + 1)
    return start, len(text) if end < 0 else end


def _get(text: str, minor: str, key: str) -> str | None:
    place = _record(text, minor)
    if place is None:
        return None
    match = re.search(rf"^  {key}: (.*)$", text[slice(*place)], re.MULTILINE)
    return match[1] if match else None


def _set(text: str, minor: str, key: str, value: str) -> str:
    """Replace one line of a record; comments and all else stay as people wrote them."""
    place = _record(text, minor)
    if place is None:
        return text
    start, end = place
    line = re.compile(rf"^  {key}: .*$", re.MULTILINE)
    return text[:start] + line.sub(f"  {key}: {value}", text[start:end], count=1) + text[end:]


class _Dumper(yaml.SafeDumper):
    """Quotes what looks like a number: 2.10 without quotes is the number 2.1."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = '"' if re.fullmatch(r"[\d.]+t?|>=.*", value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def _dump(record: Mapping[str, Any]) -> str:
    text = yaml.dump([record], Dumper=_Dumper, sort_keys=False, width=200, allow_unicode=True)
    # Days are written plainly, as in the records that people wrote.
    return re.sub(r"'(\d{4}-\d\d-\d\d)'", r"\1", text)
