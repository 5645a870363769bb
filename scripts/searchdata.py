"""What the search in the page knows: entries, guides, sections, briefings, releases and tools.

It comes in two files. ``search.json`` has what a first answer needs (names, titles, errors,
summaries); ``search-text.json`` has the prose and the code, by record, and follows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markdown.extensions.toc import slugify

from scripts.briefings import Briefing
from scripts.entries import TOPICS, Entry, Guide
from scripts.proof import Proof, count
from scripts.releases import Releases
from scripts.topics import Topic

PAGES = {
    "upgrade/": (
        "Upgrade from one release to another",
        "What breaks, warns or silently differs between two releases, what to do, in which order.",
    ),
    "install/": (
        "Install: which build fits",
        "The build and the command for a GPU, system, driver, Python and release, or why there is"
        " none and which is nearest.",
    ),
    "method/": (
        "Sources and method",
        "Where the facts come from, how they are proven, and what is not proven.",
    ),
    "verification/": (
        "Verification",
        "Which samples ran on which release and device, and which did not.",
    ),
}
"""Pages that are neither entry nor guide, by address: title and summary."""


def search_data(
    topics: Sequence[Topic],
    guides: Sequence[Guide],
    briefings: Sequence[Briefing],
    proofs: Mapping[str, Proof],
    releases: Releases,
) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """The two files, as data.

    Returns:
        What a first answer needs; and text and code by the id of the record.
    """
    records, texts = [], {}
    named = _times_linked([*proofs.values()])
    for record in _records(topics, guides, briefings, proofs, releases):
        record["links"] = named[record["id"].rsplit("/", 1)[-1]]
        found = {name: record.pop(name) for name in ("text", "code")}
        if any(found.values()):
            texts[record["id"]] = {name: words for name, words in found.items() if words}
        records.append(record)
    head = {
        "releases": releases.minors,
        "topics": [{"id": topic.id, "title": topic.title} for topic in topics],
        "records": records,
    }
    return head, texts


def _times_linked(proofs: Sequence[Proof]) -> Counter[str]:
    """How many entries and guides link to each slug: what others build on is looked for."""
    found: Counter[str] = Counter()
    for proof in proofs:
        found.update(set(re.findall(r"\]\([\w./-]*?([\w-]+)\.md[#)]", proof.document.prose)))
    return found


def _records(
    topics: Sequence[Topic],
    guides: Sequence[Guide],
    briefings: Sequence[Briefing],
    proofs: Mapping[str, Proof],
    releases: Releases,
) -> Iterator[dict[str, Any]]:
    for topic in topics:
        yield from (_entry(entry, proofs[entry.id]) for entry in topic.entries)
        for section in topic.sections:
            if entries := topic.in_section(section):
                summary = (
                    f"{TOPICS[topic.id]}: {count(len(entries), 'entry')}, among them"
                    f" {entries[0].front.title}."
                )
                address = f"{topic.id}/#{slugify(section, '-')}"
                yield _page("section", address, section, summary, topic=topic.id)
    for guide in guides:
        front = guide.front
        record = _page("guide", f"{guide.id}/", front.title, front.summary, topic=front.topic)
        yield {
            **record,
            "id": guide.id,
            "section": TOPICS[front.topic],
            "since": front.since,
            "hardware": front.hardware,
            "symbols": front.symbols,
            "text": guide.prose,
            "status": proofs[guide.id].statuses,
        }
    for briefing in briefings:
        record = _page("briefing", briefing.address, briefing.front.title, briefing.front.summary)
        yield {**record, "section": f"Briefing of {briefing.front.date}", "text": briefing.body}
    for minor in releases.minors:
        summary = (
            f"What PyTorch {minor} added, changed, deprecated, removed and fixed, and its builds."
        )
        yield _page("page", f"releases/{minor}/", f"PyTorch {minor}", summary) | {
            "section": "Releases"
        }
    for address, (title, summary) in PAGES.items():
        yield _page("page", address, title, summary)


def _entry(entry: Entry, proof: Proof) -> dict[str, Any]:
    front = entry.front
    return {
        "id": entry.id,
        "type": "entry",
        "url": f"{entry.id}/",
        "topic": entry.topic,
        "title": front.title,
        "section": front.section,
        "summary": front.summary,
        "kind": front.kind,
        "since": front.since,
        "until": front.until,
        "stability": front.stability,
        "hardware": front.hardware,
        "symbols": front.symbols,
        "errors": front.errors,
        "instead": front.instead,
        "text": f"{front.do}\n\n{entry.prose}" if front.do else entry.prose,
        "code": "\n".join(cell.source for cell in entry.cells),
        "status": proof.statuses,
    }


def _page(kind: str, address: str, title: str, summary: str, topic: str = "") -> dict[str, Any]:
    return {
        "id": address,
        "type": kind,
        "url": address,
        "topic": topic,
        "title": title,
        "section": "",
        "summary": summary,
        "kind": None,
        "since": None,
        "until": None,
        "stability": None,
        "hardware": [],
        "symbols": [],
        "errors": [],
        "instead": None,
        "text": "",
        "code": "",
        "status": {},
    }
