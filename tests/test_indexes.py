from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import cast

import pytest

from scripts import indexes
from scripts.indexes import IndexChoice, NoIndexError, answers, choose_index, pip_arguments
from scripts.releases import Release

CPU = "https://index.test/cpu"


def record(**addresses: str | None) -> Release:
    index = {"cpu": CPU, "cuda": None, "rocm": None, "xpu": None, "mps": "default", **addresses}
    return cast(Release, SimpleNamespace(release="2.6", index=SimpleNamespace(**index)))


def test_an_index_that_answers_is_used() -> None:
    assert choose_index("cpu", record(), lambda address: address == CPU).address == CPU


@pytest.mark.parametrize(
    ("hardware", "why"), [("cpu", "does not answer"), ("cuda", "not known"), ("mps", "has this")]
)
def test_the_default_index_has_what_the_others_cannot_give(hardware: str, why: str) -> None:
    choice = choose_index(hardware, record(), lambda address: False)
    assert choice.address is None
    assert why in choice.why


@pytest.mark.parametrize("address", [None, "https://index.test/rocm"])
def test_no_other_build_is_taken_for_one_of_rocm(address: str | None) -> None:
    with pytest.raises(NoIndexError, match=r"rocm build of 2\.6"):
        choose_index("rocm", record(rocm=address), lambda address: False)


def test_arguments_name_an_index_only_where_one_was_chosen() -> None:
    chosen = IndexChoice(CPU, "")
    assert pip_arguments(IndexChoice(None, "")) == []
    assert pip_arguments(chosen) == ["--extra-index-url", CPU]
    assert pip_arguments(chosen, uv=True)[2:] == ["--index-strategy", "unsafe-best-match"]


def test_a_host_that_hangs_costs_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def hang(*_: object, **__: object) -> None:
        # Even the look-up of a name can hang, and no socket's limit covers that.
        over.wait(30)
        raise OSError("no such host")

    monkeypatch.setattr(indexes, "TIMEOUT", 0.1)
    monkeypatch.setattr("urllib.request.urlopen", hang)
    started = time.monotonic()
    assert not answers("https://hangs.test/cpu")
    assert time.monotonic() - started < 10
    over.set()
