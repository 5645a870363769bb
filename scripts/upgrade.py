"""The page "From A to B": what a project meets between two releases, and its data.

The page itself plans in the browser (``docs/assets/javascripts/upgrade-plan.mjs``), for any two
releases; without JavaScript it points at the pages of the releases between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scripts.entries import Entry
from scripts.pages import Site, matter
from scripts.proof import Proof
from scripts.releases import Release

BASELINE = "2.3"
"""The release before the first one that entries speak of; readers come from there too."""


def upgrade_data(
    entries: Sequence[Entry], proofs: Mapping[str, Proof], site: Site
) -> dict[str, Any]:
    """What ``data/upgrade.json`` holds: the releases, and of each entry what a plan needs."""
    return {
        "releases": [BASELINE, *site.minors],
        "entries": [_record(entry, proofs[entry.id], site) for entry in entries],
    }


def _record(entry: Entry, proof: Proof, site: Site) -> dict[str, Any]:
    front = entry.front
    return {
        "id": entry.id,
        "title": front.title,
        "summary": front.summary,
        "kind": front.kind,
        "effect": entry.effect,
        "do": front.do,
        "look_for": front.look_for,
        "uses": front.uses,
        "concerns": front.concerns,
        "since": front.since,
        "until": front.until,
        "moved_in": front.moved_in,
        "possible_from": front.possible_from,
        "required_by": front.required_by,
        "instead": front.instead,
        "stability": front.stability,
        "proof": proof.sentence(site.minors),
        "status": {release: found.get("cpu") for release, found in proof.statuses.items()},
    }


def upgrade_page(releases: Sequence[Release]) -> str:
    """The staged Markdown of the page; the element holds what a reader without a script needs."""
    links = "\n".join(
        f'<li><a href="../releases/{release.release}/">What {release.release} changed</a></li>'
        for release in releases
    )
    return (
        matter(
            "Upgrade from one release to another",
            "What breaks, warns or silently differs between two PyTorch releases, what to do about"
            " it and in which order, with the install command.",
            hide=["navigation", "toc"],
        )
        + "\n\n# From one release to another\n\n"
        "What a project must do and may do between two releases, in the order of work. Each row"
        " says how to find the places in your code, since when the new way works, and on which"
        " releases it was run.\n\n"
        "<kb-upgrade>\n<p>The list is made in your browser and needs JavaScript. Without it, read"
        " what each release on your way changed, oldest first:</p>\n"
        f"<ol>\n{links}\n</ol>\n</kb-upgrade>\n"
    )
