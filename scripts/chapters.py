"""The pages above the entries: the five topics, the home page, the guides' list."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from scripts.entries import Entry, Guide
from scripts.pages import SIGNS, Site, facts, legend, matter, sign_sentence, since_until, strip
from scripts.proof import Proof, Run, count, proven_everywhere
from scripts.releasepages import entries_of
from scripts.topics import Topic


def topic_page(
    topic: Topic, proofs: Mapping[str, Proof], guides: Sequence[Guide], site: Site
) -> str:
    """The staged Markdown of a topic's page: introduction, what to read first, sections."""
    parts = [matter(topic.title, topic.summary), f"# {topic.title}", topic.introduction]
    if topic.start_here:
        items = [
            f"- [{entry.front.title}]({entry.slug}.md), {since_until(entry, site)}"
            for entry in topic.start_here
        ]
        parts += ["**If you upgrade, read these first**", "\n".join(items)]
    for guide in guides:
        if guide.front.topic == topic.id:
            parts.append(
                f"**Guide:** [{guide.front.title}](../guides/{guide.slug}.ipynb)."
                f" {guide.front.summary}"
            )
    parts.append(legend())
    for section in topic.sections:
        entries = topic.in_section(section)
        if entries:
            parts.append(f"## {section}")
            parts += [card(proofs[entry.id], site) for entry in entries]
    return "\n\n".join(part for part in parts if part) + "\n"


def card(proof: Proof, site: Site) -> str:
    """An entry on its topic's page."""
    entry = proof.document
    assert isinstance(entry, Entry)  # noqa: S101 - proofs of topics are of entries
    until = f' data-until="{entry.front.until}"' if entry.front.until else ""
    return (
        f'<article class="kb-card" data-entry="{entry.id}" data-since="{entry.front.since}"{until}'
        ' markdown="1">\n\n'
        f"### [{entry.front.title}]({entry.slug}.md) {{#{entry.slug}}}\n\n"
        f"{facts(entry, site)}\n\n"
        f"<p>{html.escape(entry.front.summary)}</p>\n\n"
        f"{strip(proof, site.minors)}\n\n</article>"
    )


def home_page(
    text: str,
    topics: Sequence[Topic],
    proofs: Mapping[str, Proof],
    guides: Sequence[Guide],
    site: Site,
) -> str:
    """The home page: the hand-written ``docs/index.md`` with its three marks filled in."""
    runs = [run for proof in proofs.values() for run in proof.runs if run.status == "passed"]
    numbers = (
        f"{count(len(site.entries), 'entry')}, {count(len(runs), 'notebook run')} passed, on "
        f"{count(len({r.release for r in runs}), 'release')} and "
        f"{', '.join(sorted({r.hardware.upper() for r in runs})) or 'no device'}"
    )
    chooser = " ".join(
        f'<a class="kb-choose__release" href="?torch={minor}" data-kb-release="{minor}">{minor}</a>'
        for minor in site.minors
    )
    return (
        text.replace("{{numbers}}", numbers)
        .replace("{{releases}}", f'<p class="kb-choose">{chooser}</p>')
        .replace("{{topics}}", _topics(topics, guides))
        .replace("{{changes}}", _changes(site))
    )


def method_page(text: str, proofs: Mapping[str, Proof], site: Site) -> str:
    """The page of sources and method: the hand-written ``docs/method.md`` with its numbers."""
    entries = [proof for proof in proofs.values() if isinstance(proof.document, Entry)]
    runs = [run for proof in proofs.values() for run in proof.runs]
    by_status = {one: sum(run.status == one for run in runs) for one in SIGNS}
    everywhere = sum(proven_everywhere(proof, "cpu") for proof in entries)
    sources = {source for proof in entries for source in proof.document.front.sources}
    head = matter("Sources and method", "Where the facts come from and how each is proven.")
    return f"{head}\n\n" + (
        text.replace("{{entries}}", str(len(entries)))
        .replace("{{everywhere}}", str(everywhere))
        .replace("{{share}}", f"{100 * everywhere // max(1, len(entries))}")
        .replace("{{passed}}", str(by_status["passed"]))
        .replace("{{not-run}}", str(by_status["not-run"]))
        .replace("{{failed}}", str(by_status["failed"]))
        .replace("{{sources}}", str(len(sources)))
        .replace("{{oldest}}", site.minors[0])
        .replace("{{newest}}", site.minors[-1])
    )


def _topics(topics: Sequence[Topic], guides: Sequence[Guide]) -> str:
    lines = [
        f"- **[{topic.title}]({topic.id}/index.md)** ({count(len(topic.entries), 'entry')})<br>"
        f"{topic.summary}"
        for topic in topics
    ]
    lines += [
        f"- **Guide: [{guide.front.title}](guides/{guide.slug}.ipynb)**<br>{guide.front.summary}"
        for guide in guides
    ]
    return '<div class="kb-topics" markdown="1">\n\n' + "\n".join(lines) + "\n\n</div>"


def _changes(site: Site) -> str:
    """By release, newest first: how much changed in it, and the first of what breaks."""
    parts = []
    for minor in reversed(site.minors):
        found = entries_of(minor, site.entries)
        words = ", ".join(f"{len(entries)} {kind}" for kind, entries in found.items() if entries)
        breaks = [e for entries in found.values() for e in entries if e.effect == "breaks"]
        titles = ", ".join(
            f"[{entry.front.title}]({entry.topic}/{entry.slug}.md)" for entry in breaks[:3]
        )
        parts.append(
            f'<div class="kb-changes" data-release="{minor}" markdown="1">\n\n'
            f"**[{minor}](releases/{minor}.md)**: {words}.{f' Breaks: {titles}.' if titles else ''}"
            "\n\n</div>"
        )
    return "\n\n".join(parts)


def guides_page(guides: Sequence[Guide], proofs: Mapping[str, Proof], site: Site) -> str:
    """The list of the guides."""
    parts = [
        matter("Guides", "Longer walk-throughs: one real small task from start to end."),
        "# Guides",
        "Each guide is one notebook with one small task, from start to end, run on the releases"
        " that its line names.",
    ]
    for guide in guides:
        parts += [
            f"## [{guide.front.title}]({guide.slug}.ipynb) {{#{guide.slug}}}",
            guide.front.summary,
            f'<p class="kb-proof">{html.escape(sign_sentence(proofs[guide.id], site))}</p>',
            strip(proofs[guide.id], site.minors),
            _guide_links(proofs[guide.id], site),
        ]
    return "\n\n".join(parts) + "\n"


def _guide_links(proof: Proof, site: Site) -> str:
    run = newest_run(proof)
    return (
        f"[Read it]({proof.document.slug}.ipynb) · "
        f"[Open in Colab]({site.settings.colab(run.path)}) · "
        f"[notebook]({site.settings.github(run.path)}) · "
        f"[download]({site.settings.raw(run.path)})"
    )


def newest_run(proof: Proof) -> Run:
    """The run of the newest release that passed, else the newest of all."""
    passed = [run for run in proof.runs if run.status == "passed"]
    return (passed or list(proof.runs))[-1]
