"""Every subject is covered by an entry that has run on the CPU on each release that it shows."""

from collections.abc import Iterable
from functools import cache

from scripts.briefings import read_briefings
from scripts.coverage import load_coverage
from scripts.proof import Proof, load_proofs, proven_everywhere
from scripts.reader import read_entries

UNRELEASED = "unreleased-and-briefings"


@cache
def proofs() -> tuple[Proof, ...]:
    return tuple(load_proofs(read_entries()))


def covered(by: Iterable[Proof]) -> set[str]:
    return {row for proof in by for row in proof.document.front.model_dump()["covers"]}


def test_every_subject_has_a_proven_entry_and_what_is_unreleased_a_briefing() -> None:
    proven = covered(proof for proof in proofs() if proven_everywhere(proof, "cpu"))
    told = {row for briefing in read_briefings() for row in briefing.front.covers}
    rows = load_coverage().rows
    assert [row.id for row in rows if row.id not in proven and row.topic != UNRELEASED] == []
    assert [row.id for row in rows if row.id not in proven | told] == []
    assert told <= load_coverage().ids


def test_at_least_100_entries_and_85_percent_of_them_proven_on_every_release() -> None:
    found = proofs()
    assert len(found) >= 100
    assert sum(proven_everywhere(proof, "cpu") for proof in found) >= 0.85 * len(found)
