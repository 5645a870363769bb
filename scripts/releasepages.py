"""A page a release: what changed in it, its builds beside those of the one before, its proof."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import pairwise

from scripts.entries import HARDWARE, Entry
from scripts.notebooks import HARDWARE_NAMES
from scripts.pages import SIGNS, Site, matter, since_until
from scripts.proof import Proof, count, spans
from scripts.releases import CudaBuild, Release, Releases
from scripts.upgrade import BASELINE

HEADINGS = {
    "removed": "Removed",
    "changed": "Changed",
    "deprecated": "Deprecated",
    "fixed": "Fixed",
    "security": "Security",
    "packaging": "Packaging and requirements",
    "added": "New",
}
"""The kinds in the order in which somebody who arrives at the release needs them."""


def entries_of(release: str, entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """The entries that begin to hold in a minor release, by kind, in the order of ``HEADINGS``."""
    return {
        kind: [e for e in entries if e.front.kind == kind and e.front.since == release]
        for kind in HEADINGS
    }


def moved_again(release: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that are older and moved again in a minor release, or are needed from it on."""
    return [
        entry
        for entry in entries
        if entry.front.since != release
        and (release in entry.front.moved_in or entry.front.required_by == release)
    ]


def release_page(
    release: Release, releases: Releases, proofs: Mapping[str, Proof], site: Site
) -> str:
    """The staged Markdown of a release's page."""
    place = releases.records.index(release)
    before = releases.records[place - 1] if place else None
    minor, found = release.release, entries_of(release.release, site.entries)
    parts = [
        matter(
            f"PyTorch {minor}",
            f"What PyTorch {minor} added, changed, deprecated, removed and fixed, its builds and"
            " requirements, and on what the samples ran.",
        ),
        f"# PyTorch {minor}",
        f'<p class="kb-facts"><span>out since {release.date}</span><span>newest patch'
        f" {release.patch}, {release.patch_date}</span></p>",
        _ways(release, releases),
    ]
    for kind, heading in HEADINGS.items():
        if found[kind]:
            parts += [f"## {heading} {{#{kind}}}", _list(found[kind])]
    if again := moved_again(minor, site.entries):
        parts += ["## Moved again {#moved}", _list(again, site)]
    parts += [
        "## Builds and requirements {#builds}",
        _builds(release, before),
        _notes(release),
        "## Verification {#verification}",
        _verification(minor, proofs),
        "## Sources {#sources}",
        "\n".join(f"- <{source}>" for source in release.sources),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _ways(release: Release, releases: Releases) -> str:
    """Links to the neighbors, to the way here, and to what holds here."""
    minor, minors = release.release, releases.minors
    place = minors.index(minor)
    links = [
        f'<a href="../../upgrade/?from={minors[place - 1] if place else BASELINE}&amp;to={minor}">'
        f"From {minors[place - 1] if place else BASELINE} to {minor}</a>"
    ]
    if minor != minors[-1]:
        links.append(
            f'<a href="../../upgrade/?from={minor}&amp;to={minors[-1]}">From {minor} to'
            f" {minors[-1]}</a>"
        )
    links.append(f'<a href="../../search/?torch={minor}&amp;only=applies">All that holds in it</a>')
    if place:
        links.append(f'<a href="../{minors[place - 1]}/">{minors[place - 1]}</a>')
    if minor != minors[-1]:
        links.append(f'<a href="../{minors[place + 1]}/">{minors[place + 1]}</a>')
    return f'<p class="kb-ways">{" · ".join(links)}</p>'


def _list(entries: Sequence[Entry], site: Site | None = None) -> str:
    lines = []
    for entry in entries:
        span = f", {since_until(entry, site)}" if site else ""
        lines.append(
            f"- [{entry.front.title}](../{entry.topic}/{entry.slug}.md){span}<br>"
            f"<small>{html.escape(entry.front.do or entry.front.summary)}</small>"
        )
    return "\n".join(lines)


def requirements(release: Release) -> dict[str, str]:
    """What a release is built for and with, as words; "not known" is never "none"."""
    abi = ", ".join(
        f"{name}: {'not known' if new is None else 'new' if new else 'old'}"
        for name, new in release.cxx11_abi.items()
    )
    rows = {
        "Python": ", ".join(release.python),
        "Requires-Python of the wheel": release.requires_python or "not known",
        "CUDA builds": ", ".join(_cuda(build) for build in release.cuda),
        "CUDA of a plain install on Linux": release.default_cuda,
        "Oldest compute capability": "; ".join(
            f"{build.tag}: {build.min_capability or 'not known'}" for build in release.cuda
        ),
        "Oldest Linux driver": "; ".join(
            f"{build.tag}: {build.driver or 'not known'}" for build in release.cuda
        ),
        "cuDNN": "; ".join(f"{build.tag}: {build.cudnn}" for build in release.cuda if build.cudnn),
        "NCCL": "; ".join(f"{build.tag}: {build.nccl}" for build in release.cuda if build.nccl),
        "ROCm builds": ", ".join(release.rocm) if release.rocm else "not known",
        "Intel GPU support package": release.xpu or "no stable wheel known",
        "Triton": release.triton,
        "C++11 ABI": abi,
        "C++ standard of extensions": release.cxx_standard,
        "Linux wheels": ", ".join(f"{name} {tag}" for name, tag in release.manylinux.items()),
        "macOS wheels": release.macos,
    }
    return {name: words or "not known" for name, words in rows.items()}


def _cuda(build: CudaBuild) -> str:
    known = {"stable": "", "experimental": " (experimental)", "unknown": " (status not known)"}
    return f"{build.version}{known[build.status]}"


def _builds(release: Release, before: Release | None) -> str:
    """Two columns, the release before and this one; what differs is marked by sign and word."""
    now, then = requirements(release), requirements(before) if before else {}
    head = f'<th scope="col">{before.release}</th>' if before else ""
    rows = []
    for name, words in now.items():
        old = then.get(name)
        differs = before is not None and old != words
        mark = '<span class="kb-differs">≠ differs</span> ' if differs else ""
        cell = f"<td>{html.escape(old or '')}</td>" if before else ""
        rows.append(
            f'<tr><th scope="row">{html.escape(name)}</th>{cell}'
            f"<td>{mark}{html.escape(words)}</td></tr>"
        )
    return (
        '<div class="kb-scroll" tabindex="0" role="region" aria-label="Builds and requirements">'
        f'<table class="kb-runs kb-builds"><thead><tr><th scope="col">What</th>{head}'
        f'<th scope="col">{release.release}</th></tr></thead><tbody>{"".join(rows)}</tbody>'
        "</table></div>"
    )


def _notes(release: Release) -> str:
    lines = [
        f"- {name.replace('_', ' ')}: {html.escape(words)}"
        for name, words in release.known_by.items()
    ]
    return "\n".join(["What to know about these values:", "", *lines]) if lines else ""


def _verification(minor: str, proofs: Mapping[str, Proof]) -> str:
    runs = [run for proof in proofs.values() for run in proof.runs if run.release == minor]
    lines = []
    for hardware in HARDWARE:
        here = [run for run in runs if run.hardware == hardware]
        words = ", ".join(
            f"{SIGNS[status][0]} {number} {SIGNS[status][1]}"
            for status in SIGNS
            if (number := sum(run.status == status for run in here))
        )
        if words:
            lines.append(f"- {HARDWARE_NAMES[hardware]}: {words}")
    lines.append("\nNotebooks by device; [Verification](../verification/index.md) names them.")
    return "\n".join(lines)


def releases_page(releases: Releases, site: Site) -> str:
    """The list of all releases, newest first."""
    rows = []
    for record in reversed(releases.records):
        found = entries_of(record.release, site.entries)
        words = ", ".join(f"{len(some)} {kind}" for kind, some in found.items() if some)
        rows.append(
            f'<tr data-release="{record.release}"><th scope="row"><a href="{record.release}/">'
            f"{record.release}</a></th><td>{record.date}</td><td>{record.patch}</td>"
            f"<td>{record.python[0]} to {record.python[-1]}</td>"
            f"<td>{', '.join(build.version for build in record.cuda)}</td><td>{words}</td></tr>"
        )
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("Release", "Out", "Newest patch", "Python", "CUDA builds", "Entries")
    )
    total = count(len(site.entries), "entry")
    return (
        matter("Releases", "A page for each PyTorch release: what changed in it, builds, proof.")
        + "\n\n# Releases\n\nWhat each release changed, what it is built for, and how it differs"
        f" from the one before. {total} in all; for two releases further apart there is"
        " [the way from one to another](../upgrade/index.md).\n\n"
        '<div class="kb-scroll" tabindex="0" role="region" aria-label="Releases">'
        f'<table class="kb-runs kb-releases"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>\n"
    )


def plain_release(release: Release, releases: Releases, site: Site) -> str:
    """A release's page as Markdown without a line of HTML."""
    minor = release.release
    lines = [
        f"# PyTorch {minor}",
        f"Out since {release.date}; newest patch release {release.patch} ({release.patch_date}).",
    ]
    for kind, found in entries_of(minor, site.entries).items():
        if found:
            lines += [f"## {HEADINGS[kind]} in PyTorch {minor}", _plain_list(found, site)]
    if again := moved_again(minor, site.entries):
        lines += [f"## Older, and moved again in PyTorch {minor}", _plain_list(again, site)]
    records = releases.records
    changes = {later.release: _changes(before, later) for before, later in pairwise(records)}
    table = "\n".join(f"- {name}: {words}" for name, words in requirements(release).items())
    lines += [f"## Builds and requirements of PyTorch {minor}", table]
    if changes.get(minor):
        before = releases.minors[releases.minors.index(minor) - 1]
        lines += [f"## Different from PyTorch {before}", "\n".join(changes[minor])]
    return "\n\n".join(lines) + "\n"


def _plain_list(entries: Sequence[Entry], site: Site) -> str:
    return "\n".join(
        f"- [{e.front.title}]({site.settings.site_url}{e.id}/index.md) (holds on"
        f" {spans([m for m in site.minors if e.holds_on(m)], site.minors)}): {e.front.summary}"
        for e in entries
    )


def _changes(before: Release, release: Release) -> list[str]:
    then = requirements(before)
    return [
        f"- {name}: {then[name]} became {words}"
        for name, words in requirements(release).items()
        if then[name] != words
    ]
