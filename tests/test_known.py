from datetime import date

import pytest

from scripts.known import Excuse, judge

TODAY = date(2026, 12, 1)


def excuse(notebooks: str, status: str, until: date = date(2027, 1, 1)) -> Excuse:
    return Excuse.model_validate(
        {"notebooks": notebooks, "status": status, "reason": "why", "until": until}
    )


# Status of one notebook, the excuse, and what must be said.
CASES = [
    ("passed", ("*/cuda/*", "not-run"), None),
    ("not-run", ("*/cuda/*", "not-run"), None),
    ("failed", ("2.6/cuda/t/a", "failed"), None),
    ("failed", ("*/cuda/*", "not-run"), "2.6/cuda/t/a is failed, and data/known.yml has no excuse"),
    ("not-run", ("*/cuda/*", "failed"), None),
    ("passed", ("2.6/cuda/t/a", "failed"), "2.6/cuda/t/a passed though it is known to fail"),
    ("not-run", ("2.6/cuda/t/a", "not-run", date(2026, 11, 30)), "excuse ended on 2026-11-30"),
    ("passed", ("2.7/*", "failed"), "the excuse for 2.7/* fits no notebook"),
]


@pytest.mark.parametrize(("status", "known", "said"), CASES)
def test_every_notebook_that_does_not_pass_needs_a_fresh_excuse(
    status: str, known: tuple[str, str], said: str | None
) -> None:
    wrong = judge({"2.6/cuda/t/a": status}, [excuse(*known)], TODAY)
    assert (said is None) == (wrong == [])
    assert said is None or said in wrong[0]


def test_an_excuse_holds_on_its_last_day() -> None:
    assert judge({"2.6/cpu/t/a": "failed"}, [excuse("2.6/*", "failed", TODAY)], TODAY) == []
