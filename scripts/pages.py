"""The page of an entry, as Markdown for the site generator.

Code fences, tabs and admonitions are Markdown; only what Markdown has no word for (the strip of
releases, the table of runs) is HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import yaml
from nbformat import NotebookNode

from scripts.entries import Cell, Entry, Prose, variants
from scripts.notebooks import HARDWARE_NAMES
from scripts.proof import Printed, Proof, Run, printed, spans
from scripts.settings import Settings

SIGNS = {"passed": ("✓", "proven"), "failed": ("✗", "failed"), "not-run": ("○", "not run")}
NOT_THERE = ("–", "does not apply")
KINDS = {
    "added": "Added",
    "changed": "Changed",
    "deprecated": "Deprecated",
    "removed": "Removed",
    "fixed": "Fixed",
    "security": "Security",
    "packaging": "Packaging",
}


@dataclass(frozen=True)
class Site:
    """What every page needs beside its own entry."""

    minors: tuple[str, ...]
    settings: Settings
    entries: tuple[Entry, ...]


def entry_page(proof: Proof, site: Site) -> str:
    """The staged Markdown of an entry's page."""
    entry = _entry(proof)
    front = entry.front
    parts = [
        matter(
            front.title,
            front.summary,
            kb_entry=entry.id,
            kb_card=entry.id,
            kb_card_line=f"{KINDS[front.kind]}, {since_until(entry, site)}",
        ),
        f"# {front.title}",
        facts(entry, site),
        applies_note(entry, site),
        f'<p class="kb-summary">{html.escape(front.summary)}</p>',
        f'<p class="kb-proof"><a href="#proof">{html.escape(sign_sentence(proof, site))}</a></p>',
        _errors(front.errors),
        *_body(proof, site),
        "## Proof {#proof}",
        strip(proof, site.minors),
        _runs_table(proof, site),
        "## Sources {#sources}",
        "\n".join(f"- <{address}>" for address in front.sources),
        '<p class="kb-numbers"><a href="index.md">This page as Markdown</a>, and'
        f' <a href="{site.settings.github(entry.source)}">its source</a></p>',
        _neighbors(entry, site),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def facts(entry: Entry, site: Site) -> str:
    """The line under a title: kind, releases, stability, hardware."""
    front = entry.front
    span = since_until(entry, site)
    hardware = ", ".join(HARDWARE_NAMES[one] for one in front.hardware)
    items = [
        f'<span class="kb-kind kb-kind--{front.kind}">{KINDS[front.kind]}</span>',
        f'<span class="kb-span">{span}</span>',
        f'<span class="kb-stability kb-stability--{front.stability}">{front.stability}</span>',
        f'<span class="kb-hardware">{hardware}</span>',
    ]
    if front.possible_from:
        items.append(f"<span>new way from {front.possible_from}</span>")
    if front.required_by:
        items.append(f"<span>needed by {front.required_by}</span>")
    return f'<p class="kb-facts">{" ".join(items)}</p>'


def since_until(entry: Entry, site: Site) -> str:
    """The releases in which an entry holds, in words."""
    front = entry.front
    if front.until == front.since:
        return f"in {front.since} only"
    if front.until:
        return f"{front.since} to {front.until}"
    return f"since {front.since}" if front.since != site.minors[0] else f"{front.since} and later"


def applies_note(entry: Entry, site: Site) -> str:
    """What a reader on a release in which the entry does not hold is told."""
    front = entry.front
    if front.instead is None:
        return ""
    until = f' data-until="{front.until}"' if front.until else ""
    return (
        f'<p class="kb-applies" data-since="{front.since}"{until}>'
        f'<strong class="kb-applies__where">Before {front.since}'
        f"{f' and after {front.until}' if front.until else ''}:</strong>"
        f" {html.escape(front.instead)}</p>"
    )


def sign_sentence(proof: Proof, site: Site) -> str:
    """The proof in one line, with the sign of the worst that happened in front."""
    statuses = {run.status for run in proof.runs}
    sign = "✗" if "failed" in statuses else "✓" if "passed" in statuses else "○"
    return f"{sign} {proof.sentence(site.minors)}"


def strip(proof: Proof, minors: Sequence[str]) -> str:
    """Twelve releases by hardware: proven, failed, not run, does not apply."""
    rows = []
    for hardware in proof.document.front.hardware:
        cells = []
        for minor in minors:
            run = proof.by_target.get((minor, hardware))
            status = run.status if run else "none"
            sign, word = SIGNS.get(status, NOT_THERE)
            cells.append(
                f'<td class="kb-strip__{status}" data-release="{minor}">'
                f'<span aria-hidden="true">{sign}</span><span class="kb-sr">{word}</span></td>'
            )
        rows.append(
            f'<tr><th scope="row">{html.escape(HARDWARE_NAMES[hardware].split(" ")[0])}</th>'
            f"{''.join(cells)}</tr>"
        )
    head = "".join(f'<th scope="col" data-release="{m}">{m}</th>' for m in minors)
    return (
        '<table class="kb-strip"><caption class="kb-sr">Where the samples were run</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def legend() -> str:
    """What the signs of the strip mean."""
    signs = [*SIGNS.items(), ("none", NOT_THERE)]
    items = " ".join(
        f'<span class="kb-strip__{status}"><span aria-hidden="true">{sign}</span> {word}</span>'
        for status, (sign, word) in signs
    )
    return f'<p class="kb-legend">{items}</p>'


def _entry(proof: Proof) -> Entry:
    if not isinstance(proof.document, Entry):
        raise TypeError(f"{proof.document.id} is no entry")
    return proof.document


def matter(title: str, description: str, **more: Any) -> str:
    """The front matter of a staged page."""
    return (
        "---\n"
        + yaml.safe_dump(
            {"title": title, "description": description, **more}, allow_unicode=True, width=1000
        )
        + "---"
    )


def _errors(errors: Sequence[str]) -> str:
    if not errors:
        return ""
    first, *others = [f"<li><code>{html.escape(error)}</code></li>" for error in errors]
    more = f"<details><summary>{len(others)} more</summary><ul>{''.join(others)}</ul></details>"
    return (
        '<div class="kb-errors"><p class="kb-errors__title">What you see</p>'
        f"<ul>{first}</ul>{more if others else ''}</div>"
    )


def _body(proof: Proof, site: Site) -> Iterable[str]:
    number = 0
    is_cell = {True: "cells", False: "prose"}
    for kind, blocks in groupby(proof.document.blocks, key=lambda b: is_cell[isinstance(b, Cell)]):
        if kind == "prose":
            yield from (block.text for block in blocks if isinstance(block, Prose))
            continue
        cells = [block for block in blocks if isinstance(block, Cell)]
        for group in variants(cells, proof.document):
            number += 1
            yield from _group(proof, group, number, site)


def _group(proof: Proof, group: Sequence[Cell], number: int, site: Site) -> Iterable[str]:
    """One cell, or several of which each release runs one: those become tabs."""
    title = next((cell.title for cell in group if cell.title), None)
    if title:
        yield f'<p class="kb-cell-title">{html.escape(title)}</p>'
    if len(group) == 1:
        yield from _cell(proof, group[0], number, site)
        return
    panes = []
    for cell in group:
        where = sorted(
            {
                release
                for release, hardware in proof.document.targets()
                if cell.applies(release, hardware)
            },
            key=site.minors.index,
        )
        label = spans(where, site.minors)
        if cell.hardware:
            label += f", {HARDWARE_NAMES[cell.hardware]}"
        panes.append((where, label, "\n\n".join(_cell(proof, cell, number, site))))
    yield _tabs(panes)


def _tabs(panes: Sequence[tuple[Sequence[str], str, str]]) -> str:
    """Tabs of (releases, label, content); the newest is in front until a reader names a release."""
    data = "|".join(" ".join(where) for where, _, _ in panes)
    tabs = []
    for place, (_, label, content) in enumerate(panes):
        mark = "===!" if place == 0 else "==="
        if place == len(panes) - 1:
            mark += "+"
        indented = "\n".join(f"    {line}" if line else "" for line in content.split("\n"))
        tabs.append(f'{mark} "{label}"\n\n{indented}')
    body = "\n\n".join(tabs)
    return f'<div class="kb-variants" data-releases="{data}" markdown="1">\n\n{body}\n\n</div>'


def _cell(proof: Proof, cell: Cell, number: int, site: Site) -> Iterable[str]:
    if cell.no_run is not None:
        yield f"```python\n{cell.source}\n```"
        yield f'<p class="kb-not-run">○ not run: {html.escape(cell.no_run)}</p>'
        return
    code = f"```python\n{cell.source}\n```"
    if cell.run == "browser":
        title = html.escape(cell.title or "Example")
        raises = " data-raises" if cell.raises else ""
        code = (
            f'<kb-run-cell data-cell="{number}" data-title="{title}"{raises} markdown="1">'
            f"\n\n{code}\n\n</kb-run-cell>"
        )
    yield code
    groups = printed(proof, cell)
    if len(groups) > 1 and len({len(group.outputs) for group in groups} - {0}):
        panes = [
            (_where(g.runs), _label(g, proof, site), "\n\n".join(_outputs(g, site)) or "No output.")
            for g in groups
        ]
        yield _tabs(panes)
        return
    for group in groups:
        yield from _outputs(group, site)


def _where(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(run.release for run in runs))


def _label(group: Printed, proof: Proof, site: Site) -> str:
    devices = list(dict.fromkeys(run.hardware for run in group.runs))
    label = f"Output on {spans(_where(group.runs), site.minors)}"
    if len(proof.document.front.hardware) > 1 and devices != ["cpu"]:
        label += f" ({', '.join(HARDWARE_NAMES[one] for one in devices)})"
    return label


def _outputs(group: Printed, site: Site) -> Iterable[str]:
    """What the runs printed, captioned with the releases that printed it."""
    caption = f"printed on {spans(_where(group.runs), site.minors)}"
    for kind, outputs in groupby(group.outputs, key=_output_kind):
        if kind == "svg":
            for output in outputs:
                picture = _one_line(output["data"]["image/svg+xml"])
                yield f'<figure class="kb-figure">{picture}</figure>'
        elif kind == "png":
            for output in outputs:
                data = "data:image/png;base64," + output["data"]["image/png"].replace("\n", "")
                yield f'<figure class="kb-figure"><img alt="plot" src="{data}"></figure>'
        else:
            text = "".join(output_text(output) for output in outputs).rstrip("\n")
            words = caption.replace("printed", "raised") if kind == "error" else caption
            fence = "`" * max(3, 1 + max((len(m) for m in re.findall(r"`+", text)), default=0))
            lexer = "pytb" if kind == "error" else "text"
            style = "kb-output kb-output--error" if kind == "error" else "kb-output"
            classes = " ".join(f".{one}" for one in style.split())
            yield f'{fence} {{ .{lexer} {classes} title="{words}" }}\n{text}\n{fence}'


def _output_kind(output: NotebookNode) -> str:
    if output["output_type"] == "error":
        return "error"
    if output["output_type"] == "stream":
        return "text"
    data = output["data"]
    if "image/svg+xml" in data:
        return "svg"
    return "png" if "image/png" in data else "text"


def output_text(output: NotebookNode) -> str:
    """An output as text."""
    if output["output_type"] == "stream":
        return str(output["text"])
    if output["output_type"] == "error":
        return "\n".join(output["traceback"]) + "\n"
    return str(output["data"].get("text/plain", "")) + "\n"


def _one_line(svg: str) -> str:
    return re.sub(r"\s*\n\s*", " ", svg.strip())


def _runs_table(proof: Proof, site: Site) -> str:
    """Every notebook: what its run said, and where it opens."""
    link = site.settings
    rows = []
    for run in proof.runs:
        sign, word = SIGNS[run.status]
        device = HARDWARE_NAMES[run.hardware]
        name = f"{run.release} on {device}"
        rows.append(
            f'<tr data-release="{run.release}"><th scope="row">{run.release}</th>'
            f'<td><span class="kb-strip__{run.status}">{sign} {word}</span> {device}'
            f"<small>{html.escape(_details(run))}</small></td>"
            f'<td><a href="{link.github(run.path)}" aria-label="Notebook for {name}">notebook</a>'
            f' <a href="{link.colab(run.path)}" aria-label="Open {name} in Colab">Colab</a>'
            f' <a href="{link.raw(run.path)}" aria-label="Download {name}" download>download</a>'
            "</td></tr>"
        )
    return (
        legend() + '\n\n<table class="kb-runs"><thead><tr><th scope="col">Release</th>'
        '<th scope="col">Result</th><th scope="col">Open</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _details(run: Run) -> str:
    record = run.record
    if run.status == "passed":
        return (
            f"{record['torch']}, Python {record['python']}, {record['device']},"
            f" {record['finished'][:10]}, {record['seconds']} s"
        )
    return str(record["reason"])


def _neighbors(entry: Entry, site: Site) -> str:
    near = related(entry, site.entries)
    if not near:
        return ""
    lines = [f"- [{other.front.title}](../{_link(entry, other)}) {_dash(other)}" for other in near]
    return "## Neighbors {#neighbors}\n\n" + "\n".join(lines)


def _link(entry: Entry, other: Entry) -> str:
    return f"{other.topic}/{other.slug}.md"


def _dash(entry: Entry) -> str:
    return f"<br><small>{html.escape(entry.front.summary)}</small>"


def related(entry: Entry, entries: Sequence[Entry], most: int = 5) -> list[Entry]:
    """The entries nearest to ``entry``: shared symbols count most, then section, then topic."""

    def nearness(other: Entry) -> int:
        return (
            8 * len(entry.names & other.names)
            + 3 * len(entry.modules & other.modules)
            + 4 * (entry.topic == other.topic and entry.front.section == other.front.section)
            + (entry.topic == other.topic)
        )

    others = [(nearness(other), other) for other in entries if other.id != entry.id]
    others.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [other for score, other in others[:most] if score > 0]
