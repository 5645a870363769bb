"""The same pages for programs: entries as plain Markdown, one index of them, and JSON.

A sentence there never stands without its releases: whoever fetches one page alone must not take
what holds on 2.6 for what holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scripts.entries import Entry, Guide, Prose
from scripts.notebooks import HARDWARE_NAMES
from scripts.pages import Site, output_text, related, since_until
from scripts.proof import Proof, printed, spans
from scripts.topics import Topic


def plain_entry(proof: Proof, site: Site) -> str:
    """An entry as Markdown without a line of HTML, releases and proof in the text."""
    entry = proof.document
    assert isinstance(entry, Entry)  # noqa: S101 - called for entries
    front = entry.front
    lines = [
        f"# {front.title}",
        f"Holds {_holds(entry, site)}. Kind: {front.kind}. Stability: {front.stability}.",
        front.summary,
    ]
    if front.instead:
        lines.append(f"On other releases: {front.instead}")
    if front.possible_from:
        lines.append(f"The new way works from PyTorch {front.possible_from}.")
    if front.required_by:
        lines.append(f"The old way no longer works from PyTorch {front.required_by}.")
    lines.append(f"Proof: {proof.sentence(site.minors)}.")
    if front.errors:
        lines.append("What you see:\n\n" + "\n".join(f"    {error}" for error in front.errors))
    lines += _body(proof, site)
    lines.append("## Sources\n\n" + "\n".join(f"- {address}" for address in front.sources))
    notebooks = [
        f"- PyTorch {run.release}, {HARDWARE_NAMES[run.hardware]}: {run.status}:"
        f" {site.settings.raw(run.path)}"
        for run in proof.runs
    ]
    lines.append("## Notebooks\n\n" + "\n".join(notebooks))
    near = [
        f"- {other.front.title} ({since_until(other, site)}):"
        f" {site.settings.site_url}{other.id}/index.md"
        for other in related(entry, site.entries)
    ]
    if near:
        lines.append("## Neighbors\n\n" + "\n".join(near))
    return "\n\n".join(lines) + "\n"


def _holds(entry: Entry, site: Site) -> str:
    return f"on PyTorch {spans([m for m in site.minors if entry.holds_on(m)], site.minors)}"


def _body(proof: Proof, site: Site) -> Iterable[str]:
    entry = proof.document
    for block in entry.blocks:
        if isinstance(block, Prose):
            yield block.text
            continue
        where = [
            r for r in entry.releases if any(block.applies(r, h) for h in entry.front.hardware)
        ]
        title = f"{block.title}: " if block.title else ""
        if block.no_run:
            yield f"{title}not run ({block.no_run}):\n\n```python\n{block.source}\n```"
            continue
        device = f", {HARDWARE_NAMES[block.hardware]} only" if block.hardware else ""
        yield f"{title}on PyTorch {spans(where, site.minors)}{device}:"
        yield f"```python\n{block.source}\n```"
        for group in printed(proof, block):
            text = "".join(output_text(output) for output in group.outputs).rstrip()
            if text:
                releases = spans({run.release for run in group.runs}, site.minors)
                yield f"Output on {releases}:\n\n```text\n{text}\n```"


def plain_topic(topic: Topic, site: Site) -> str:
    """A topic as Markdown: its entries with releases and addresses."""
    lines = [f"# {topic.title}", topic.introduction]
    for section in topic.sections:
        entries = topic.in_section(section)
        if entries:
            lines.append(f"## {section}")
            lines.append("\n".join(_line(entry, site) for entry in entries))
    return "\n\n".join(lines) + "\n"


def index(topics: Sequence[Topic], guides: Sequence[Guide], site: Site) -> str:
    """``llms.txt``: one line an entry, with releases and the address of its Markdown."""
    root = site.settings.site_url
    lines = [
        "# PyTorch Knowledge Patch",
        f"> What changed in PyTorch {site.minors[0]} to {site.minors[-1]}. Each line names the"
        " releases in which it holds; each page says on which releases its samples were run.",
        f"All entries as JSON: {root}data/entries.json",
        f"What a project meets between two releases, as JSON: {root}data/upgrade.json. It says what"
        " to do, what to grep for, since when it is possible and by when it is needed; an entry is"
        " met on the way from A to B if since, moved_in or required_by lies after A and up to B.",
        f"Builds, drivers and Pythons of each release, as JSON: {root}data/builds.json",
        "## Releases",
        "\n".join(
            f"- [PyTorch {minor}]({root}releases/{minor}/index.md)"
            for minor in reversed(site.minors)
        ),
    ]
    for topic in topics:
        lines.append(f"## {topic.title}")
        lines.append("\n".join(_line(entry, site) for entry in topic.entries))
    if guides:
        lines.append("## Guides")
        lines.append(
            "\n".join(
                f"- [{guide.front.title}]({site.settings.site_url}guides/{guide.slug}/):"
                f" {guide.front.summary}"
                for guide in guides
            )
        )
    return "\n\n".join(lines) + "\n"


def _line(entry: Entry, site: Site) -> str:
    address = f"{site.settings.site_url}{entry.id}/index.md"
    return f"- [{entry.front.title}]({address}) ({since_until(entry, site)}): {entry.front.summary}"


def entry_record(proof: Proof, site: Site) -> dict[str, Any]:
    """An entry in ``data/entries.json``: front matter, address, text, every run."""
    entry = proof.document
    assert isinstance(entry, Entry)  # noqa: S101 - called for entries
    runs: dict[str, dict[str, Any]] = {}
    for run in proof.runs:
        notebook = {"notebook": run.path, "colab": site.settings.colab(run.path)}
        runs.setdefault(run.release, {})[run.hardware] = {**run.record, **notebook}
    return {
        "id": entry.id,
        "topic": entry.topic,
        "address": f"{site.settings.site_url}{entry.id}/",
        **entry.front.model_dump(mode="json"),
        "text": entry.prose,
        "verification": runs,
    }
