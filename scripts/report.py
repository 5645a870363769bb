"""What a run of many notebooks came to: for people, for JUnit readers, and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite
from rich.console import Console
from rich.markup import escape

from scripts.execute import FAILED, UNEXPECTED_PASS, Outcome
from scripts.known import Excuse, load_known
from scripts.notebooks import write_if_changed
from scripts.plan import Job

KNOWN = "failed as known"


@dataclass
class Report:
    """The outcomes, in the order in which they came."""

    outcomes: list[tuple[Job, Outcome]] = field(default_factory=list)
    no_environment: dict[str, str] = field(default_factory=dict)
    """Why, by release and hardware ("2.6 cuda")."""
    excuses: tuple[Excuse, ...] = field(default_factory=load_known)

    def add(self, job: Job, outcome: Outcome) -> None:
        """Take one outcome in."""
        self.outcomes.append((job, outcome))

    @property
    def status(self) -> int:
        """The exit status: 0 if nothing is wrong that is not known, else 1."""
        bad = any(
            self.verdict(job, outcome) not in ("passed", KNOWN) for job, outcome in self.outcomes
        )
        return 1 if bad or self.no_environment else 0

    def verdict(self, job: Job, outcome: Outcome) -> str:
        """``passed``, or which kind of bad news it is."""
        name = f"{job.release}/{job.hardware}/{job.document.id}"
        known = any(one.covers(name, "failed") for one in self.excuses)
        if outcome.status == "passed":
            return UNEXPECTED_PASS if known else "passed"
        return KNOWN if known else outcome.kind or FAILED

    def print(self, console: Console) -> None:
        """Print the counts, then every piece of bad news with its reason."""
        counts = Counter(self.verdict(job, outcome) for job, outcome in self.outcomes)
        seconds = sum(outcome.seconds for _, outcome in self.outcomes)
        words = (
            ", ".join(f"{number} {verdict}" for verdict, number in counts.items()) or "nothing ran"
        )
        console.print(f"{words}; {seconds:.0f} s of cells", highlight=False)
        for job, outcome in self.outcomes:
            verdict = self.verdict(job, outcome)
            if verdict != "passed":
                line = f"{verdict}: {job.name}: {escape(outcome.reason or '')}"
                console.print(line, soft_wrap=True, highlight=False)
        for place, why in self.no_environment.items():
            line = f"no environment: {place}: {escape(why)}"
            console.print(line, soft_wrap=True, highlight=False)

    def write_json(self, path: Path) -> None:
        """Write a summary for programs."""
        runs: list[dict[str, Any]] = [
            {
                "release": job.release,
                "hardware": job.hardware,
                "id": job.document.id,
                "verdict": self.verdict(job, outcome),
                "seconds": outcome.seconds,
                "reason": outcome.reason,
            }
            for job, outcome in self.outcomes
        ]
        summary = {"status": self.status, "runs": runs, "no_environment": self.no_environment}
        write_if_changed(path, json.dumps(summary, indent=1) + "\n")

    def write_junit(self, path: Path) -> None:
        """Write JUnit XML, a suite for each release and hardware."""
        suites: dict[str, TestSuite] = {}
        for job, outcome in self.outcomes:
            name = f"{job.release} {job.hardware}"
            case = TestCase(job.document.id, classname=name, time=outcome.seconds)
            verdict = self.verdict(job, outcome)
            if verdict not in ("passed", KNOWN):
                case.result = [Failure(outcome.reason or verdict, verdict)]
            suites.setdefault(name, TestSuite(name)).add_testcase(case)
        for name, why in self.no_environment.items():
            case = TestCase("environment", classname=name)
            case.result = [Error(why, "no environment")]
            suites.setdefault(name, TestSuite(name)).add_testcase(case)
        xml = JUnitXml("verify")
        for suite in suites.values():
            xml.add_testsuite(suite)
        xml.update_statistics()
        path.parent.mkdir(parents=True, exist_ok=True)
        xml.write(str(path), pretty=True)
