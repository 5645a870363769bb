from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from scripts.entries import HARDWARE
from scripts.paths import DATA, ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_lock_file_names_no_registry() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    del packages[""]
    assert packages
    assert all(
        "integrity" in package and "resolved" not in package for package in packages.values()
    )


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-test.txt"])
def test_requirements_are_pinned_exactly(name: str) -> None:
    lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    loose = [x for x in lines if x and not re.fullmatch(r"[\w-]+==[\w.]+|-r requirements\.txt", x)]
    assert loose == []


def test_versions_in_package_json_are_pinned_exactly() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    pins = {**package["dependencies"], **package["devDependencies"]}
    assert [name for name, pin in pins.items() if not re.fullmatch(r"\d+\.\d+\.\d+", pin)] == []
    assert sorted(package["//"]) == sorted(pins)  # each says why it is there


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_jobs_are_limited(path: Path) -> None:
    text = path.read_text()
    for line in re.findall(r"uses:.*", text):
        assert re.fullmatch(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 180
        assert job["permissions"]


def test_a_pull_request_meets_no_runner_of_the_project() -> None:
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text())
        triggers = workflow[True]  # YAML 1.1 reads `on` so
        runners = {str(job["runs-on"]) for job in workflow["jobs"].values()}
        assert "pull_request_target" not in triggers
        assert "pull_request" not in triggers or runners == {"ubuntu-24.04"}


def test_every_hardware_has_a_runner_or_says_that_there_is_none() -> None:
    runners = yaml.safe_load((DATA / "runners.yml").read_text())
    assert set(runners) == set(HARDWARE)
    assert all(runner is None or runner for runner in runners.values())
