"""The plan between any two releases, from the real entries, and the pages of the releases."""

import itertools
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from scripts.entries import Entry
from scripts.pages import Site
from scripts.paths import ROOT
from scripts.proof import Proof
from scripts.reader import read_entries
from scripts.releasepages import HEADINGS, entries_of, requirements
from scripts.releases import load_releases
from scripts.settings import load_settings
from scripts.upgrade import BASELINE, upgrade_data

MINORS = load_releases().minors
FROM = (BASELINE, *MINORS)
PLAN = """
import { readFileSync } from "node:fs";
const { plan, asMarkdown } = await import(process.argv[1]);
const { data, pairs } = JSON.parse(readFileSync(0));
const answers = pairs.map(([from, to]) => {
  const made = plan(data, { from, to });
  return {
    groups: Object.fromEntries(
      made.groups.map(({ id, rows }) => [id, rows.map(({ entry, action }) => [entry.id, action])]),
    ),
    lines: asMarkdown(made, "https://example.org/", (id) => id).split("\\n").length,
  };
});
process.stdout.write(JSON.stringify(answers));
"""


@cache
def entries() -> tuple[Entry, ...]:
    return tuple(read_entries())


@cache
def plans() -> dict[tuple[str, str], dict[str, Any]]:
    """The plan of every pair of releases, made by the code of the page."""
    proofs = {entry.id: Proof(entry, ()) for entry in entries()}
    data = upgrade_data(entries(), proofs, Site(MINORS, load_settings(), entries()))
    pairs = [(a, b) for a in FROM for b in MINORS if a != b]
    code = ROOT / "docs/assets/javascripts/upgrade-plan.mjs"
    node = Path(sys.executable).parent / "node"
    done = subprocess.run(
        [node, "--input-type=module", "-e", PLAN, code.as_uri()],
        input=json.dumps({"data": data, "pairs": pairs}),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(pairs, json.loads(done.stdout), strict=True))


def named(plan: dict[str, Any]) -> list[str]:
    return [name for rows in plan["groups"].values() for name, _ in rows]


def test_every_pair_has_something_to_say_and_says_it_once() -> None:
    assert len(plans()) == len(MINORS) * (len(MINORS) + 1) - len(MINORS)
    for (a, b), plan in plans().items():
        found = named(plan)
        assert found, f"nothing from {a} to {b}"
        assert len(found) == len(set(found)), f"twice from {a} to {b}"
        for rows in plan["groups"].values():
            assert all(action.strip()[-1] in ".!?)`" for _, action in rows)
        assert plan["lines"] > len(found)


def test_nothing_that_begins_on_the_way_is_missing() -> None:
    for (a, b), plan in plans().items():
        low, high = sorted((a, b), key=Version)
        begin = {
            entry.id
            for entry in entries()
            if Version(low) < Version(entry.front.since) <= Version(high)
            and entry.front.until is None
        }
        assert begin <= set(named(plan)), f"{a} to {b}: {sorted(begin - set(named(plan)))[:3]}"


def test_what_is_needed_on_the_way_must_be_done() -> None:
    for (a, b), plan in plans().items():
        if Version(a) > Version(b):
            continue
        needed = {
            entry.id
            for entry in entries()
            if entry.front.required_by
            and Version(a) < Version(entry.front.required_by) <= Version(b)
            and entry.front.until is None
        }
        assert needed <= {name for name, _ in plan["groups"]["must"]}


@pytest.mark.parametrize(
    ("pair", "group", "entry"),
    [
        (("2.5", "2.6"), "must", "migrations-and-security/load-weights-only-default"),
        (("2.5", "2.15"), "must", "migrations-and-security/load-weights-only-default"),
        (("2.12", "2.13"), "must", "migrations-and-security/named-tensors-removed"),
        (("2.12", "2.13"), "silent", "platforms-extensions-and-runtime/float8-cast-saturation"),
        (("2.9", "2.10"), "should", "migrations-and-security/torchscript-deprecated"),
        (("2.5", "2.6"), "new", "compiler-and-attention/set-stance"),
        (("2.6", "2.5"), "new", "compiler-and-attention/set-stance"),
    ],
)
def test_what_readers_look_for_stands_where_they_look(
    pair: tuple[str, str], group: str, entry: str
) -> None:
    assert entry in {name for name, _ in plans()[pair]["groups"][group]}


def test_each_entry_stands_on_the_page_of_its_release() -> None:
    listed = [
        entry.id
        for minor in MINORS
        for found in entries_of(minor, entries()).values()
        for entry in found
    ]
    assert sorted(listed) == sorted(entry.id for entry in entries())
    assert set(HEADINGS) == {entry.front.kind for entry in entries()}


def test_the_builds_of_neighbors_are_compared_by_the_same_rows() -> None:
    for before, after in itertools.pairwise(load_releases().records):
        assert requirements(before).keys() == requirements(after).keys()
        assert requirements(before) != requirements(after)
