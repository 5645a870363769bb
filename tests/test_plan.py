from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.plan import Job, share
from scripts.reader import read_entry
from tests.test_reader import GOOD, PATH

ENTRY = read_entry(PATH, text=GOOD)


def job(number: int, seconds: float) -> Job:
    return Job(ENTRY, f"2.{number}", "cpu", Path(), nbformat.v4.new_notebook(), seconds)


@given(st.lists(st.floats(0, 100), max_size=40), st.integers(1, 7))
def test_shares_are_complete_disjoint_and_balanced(seconds: list[float], of: int) -> None:
    jobs = [job(number, taken) for number, taken in enumerate(seconds)]
    shares = [share(jobs, number, of) for number in range(1, of + 1)]
    assert sorted(j.name for one in shares for j in one) == sorted(j.name for j in jobs)
    totals = [sum(j.seconds for j in one) for one in shares]
    assert max(totals) - min(totals) <= max(seconds, default=0) + 1e-6
    assert share(jobs[::-1], 1, of) == shares[0][::-1]


@pytest.mark.parametrize("number", [0, 3])
def test_a_share_that_does_not_exist_is_an_error(number: int) -> None:
    with pytest.raises(ValueError, match="allowed: 1/2 to 2/2"):
        share([], number, 2)
