from __future__ import annotations

import pytest

from scripts.checks import Check, run_checks, tool
from scripts.errors import SourceError


def complain() -> str:
    raise SourceError("docs/a.md", 3, "no such topic")


def test_all_checks_run_whichever_fail(capsys: pytest.CaptureFixture[str]) -> None:
    checks = [
        Check("one", lambda: "first\nsecond"),
        Check("two", complain),
        Check("three", lambda: ""),
    ]
    assert run_checks(checks) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if not line.startswith("    ")] == [
        ["one", "failed"],
        ["two", "failed"],
        ["three", "ok"],
        ["2", "of"],
    ]
    assert "    second" in lines
    assert "    docs/a.md:3: no such topic" in lines


def test_nothing_failed_is_status_zero() -> None:
    assert run_checks([Check("one", lambda: "")]) == 0


def test_a_tool_is_judged_by_its_status_and_quoted() -> None:
    assert tool("fine", "python", "-c", "print('a note')").run() == ""
    assert tool("wrong", "python", "-c", "raise SystemExit('line 3')").run() == "line 3"
    assert tool("silent", "python", "-c", "raise SystemExit(3)").run() == "python ended with 3"
    assert "make check installs it" in tool("absent", "no-such-tool").run()
