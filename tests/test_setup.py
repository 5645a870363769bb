from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from scripts import setup
from scripts.setup import SetupError, find_browser, install_browser


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("KB_CHROMIUM", raising=False)
    find_browser.cache_clear()
    yield
    find_browser.cache_clear()


def program(path: Path, status: int = 0) -> Path:
    path.write_text(f"#!/bin/sh\nexit {status}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_variable_goes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = program(tmp_path / "mine")
    program(tmp_path / "chromium")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("KB_CHROMIUM", str(mine))
    assert find_browser() == mine


def test_a_variable_that_names_nothing_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_CHROMIUM", "/no/such/browser")
    with pytest.raises(SetupError, match="/no/such/browser does not start"):
        find_browser()


def test_what_does_not_start_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "chromium-browser", status=1)
    chrome = program(tmp_path / "google-chrome")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser() == chrome


def test_no_browser_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser() is None


def test_when_no_way_works_all_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "apt-get", status=1)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(setup, "_playwright_has_one", lambda: False)
    monkeypatch.setattr(setup, "_as_root", list)
    failed = CompletedProcess([], 1, "Downloading\n", "Error: no such host\n    at a.js\n")
    monkeypatch.setattr(setup, "_run", lambda *_: failed)
    with pytest.raises(SetupError) as caught:
        install_browser()
    message = str(caught.value)
    assert "playwright install chromium (Error: no such host)" in message
    assert "apt-get install chromium (Error: no such host)" in message
    assert "KB_CHROMIUM" in message
