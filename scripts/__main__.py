"""The command line: ``python -m scripts <command>``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from scripts.entries import HARDWARE, TOPICS, Document
from scripts.errors import SourceError
from scripts.paths import REFERENCE, ROOT
from scripts.stopping import listen, stopped


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit status: 0 fine, 1 something failed, 2 wrong arguments or a mistake in a file.
    """
    options = _parser().parse_args(arguments)
    listen()
    try:
        return int(options.run(options) or 0)
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    except BaseException:
        # Libraries that are interrupted half-way raise whatever they then trip over.
        if not stopped():
            raise
        print("stopped; what has run is kept, the same command goes on from here", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, run: object, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(run=run)
        return made

    def narrow(made: argparse.ArgumentParser) -> None:
        made.add_argument("--release", help='minor release, "2.6"; several with commas')
        made.add_argument("--hardware", choices=HARDWARE, help="device; default cpu")
        made.add_argument("--entry", help="<topic>/<entry>, guides/<guide> or a topic")

    def options(made: argparse.ArgumentParser) -> None:
        made.add_argument("--jobs", type=int, help="notebooks at a time; default one a core")
        made.add_argument("--disk", type=float, help="GB that all environments may take together")
        made.add_argument("--python", type=Path, help="interpreter that has torch and ipykernel")

    def running(made: argparse.ArgumentParser) -> None:
        made.add_argument("--all", action="store_true", help="also what has passed already")
        options(made)
        made.add_argument("--shard", default="1/1", help="the i-th of n shares: i/n")
        made.add_argument("--json", type=Path, help="write a summary there")
        made.add_argument("--junit", type=Path, help="write JUnit XML there")

    made = command("notebooks", _notebooks, "bring the notebooks up to date with the entries")
    made.add_argument("--check", action="store_true", help="only say what is not up to date")
    made = command("verify", _verify, "run what is stale and write the results into the notebooks")
    narrow(made)
    running(made)
    made = command("recheck", _recheck, "run again what has passed, keep nothing, tell differences")
    narrow(made)
    made.add_argument("--fresh", action="store_true", help="in new interpreters, not forked ones")
    options(made)
    made = command("plan", _plan, "say which release and hardware has something to run")
    made.add_argument("--json", action="store_true", help="as a matrix for the workflow")
    narrow(made)
    made = command("merge", _merge, "take over the notebooks that other machines have run")
    made.add_argument("folders", nargs="+", type=Path, help="each holds notebooks/<release>/...")
    made = command("watch", _watch, "look for new releases of PyTorch and new Colab runtimes")
    made.add_argument("--write", action="store_true", help="write them into data/releases.yml")
    made = command("entry", _entry, "check one entry, make its notebooks and run them")
    narrow(made)
    running(made)
    made = command("new", _new, "start an entry: <topic>/<entry>")
    made.add_argument("entry")
    made = command("bench", _bench, "measure against peers, side by side in one run")
    kinds = "notebooks: runs of notebooks; search: its answers and speed; build: of the site"
    made.add_argument("what", nargs="*", choices=("notebooks", "search", "build", []), help=kinds)
    made.add_argument("--release", help="minor release with an environment; default the reference")
    made.add_argument("--notebooks", type=int, default=20, help="how many; default 20")
    command("stage", _stage, "write the pages to build/docs")
    command("site", _site, "build the site into site/")
    made = command("serve", _serve, "serve the site with live reload")
    made.add_argument("--address", default="127.0.0.1:8000", help="default 127.0.0.1:8000")
    command("check", _check, "format, lint, types, spelling, workflows, entries, notebooks")
    made = command("setup", _setup, "install what the tests need: torch and a browser")
    made.add_argument("what", choices=["tests"])
    made = command("test", _test, "run all tests")
    made.add_argument("rest", nargs=argparse.REMAINDER, help="passed on to pytest")
    return parser


def _documents(chosen: str | None) -> list[Document]:
    from scripts.paths import GUIDES
    from scripts.reader import entry_paths, read_documents, read_entry, read_guide
    from scripts.releases import load_releases

    if chosen is not None:
        chosen = chosen.removesuffix(".md").removeprefix("docs/").removeprefix("reference/")
        guide = GUIDES.parent / f"{chosen}.md"
        if guide.parent == GUIDES and guide.is_file():
            return [read_guide(guide, load_releases())]
        path = REFERENCE / f"{chosen}.md"
        folder = REFERENCE / chosen
        if path.is_file() or folder.is_dir():  # whatever state the other entries are in
            paths = [path] if path.is_file() else entry_paths()
            return [read_entry(one) for one in paths if one == path or one.parent == folder]
    documents = read_documents()
    if chosen is None:
        return documents
    found = [d for d in documents if chosen in (d.id, d.folder)]
    if not found:
        near = [d.id for d in documents if chosen.rsplit("/", 1)[-1] in d.id]
        hint = f"; is it {', '.join(near)}?" if near else f"; topics: {', '.join(TOPICS)}, guides"
        raise SourceError(f"docs/reference/{chosen}.md", 1, f"no such entry{hint}")
    return found


def _releases(chosen: str | None) -> list[str] | None:
    from scripts.releases import load_releases

    if chosen is None:
        return None
    minors = load_releases().minors
    wanted = [".".join(one.strip().split(".")[:2]) for one in chosen.split(",")]
    for one in wanted:
        if one not in minors:
            raise SourceError(
                "data/releases.yml", 1, f"no release {one!r}; allowed: {', '.join(minors)}"
            )
    return wanted


def _notebooks(options: argparse.Namespace) -> int:
    from scripts.notebooks import write_notebooks

    changed = write_notebooks(_documents(None), check=options.check)
    for path in changed:
        print(path.relative_to(ROOT))
    if options.check and changed:
        print(f"{len(changed)} notebooks are not up to date; run: python -m scripts notebooks")
        return 1
    return 0


def _verify(options: argparse.Namespace) -> int:
    from scripts.notebooks import write_notebooks
    from scripts.plan import plan
    from scripts.verify import Options, verify

    documents = _documents(options.entry)
    write_notebooks(documents, prune=options.entry is None)
    jobs = plan(
        documents,
        releases=_releases(options.release),
        hardware=options.hardware or "cpu",
        everything=options.all,
        shard=_shard(options.shard),
    )
    console = Console()
    if not jobs:
        console.print("nothing is stale; --all runs everything again")
        return 0
    report = verify(jobs, console, Options(options.jobs, options.disk, options.python))
    if options.json:
        report.write_json(options.json)
    if options.junit:
        report.write_junit(options.junit)
    return report.status


def _recheck(options: argparse.Namespace) -> int:
    from scripts.environments import EnvironmentFailure
    from scripts.plan import plan
    from scripts.recheck import recheck
    from scripts.verify import Options

    jobs = plan(
        _documents(options.entry),
        releases=_releases(options.release),
        hardware=options.hardware or "cpu",
        everything=True,
    )
    how = Options(options.jobs, options.disk, options.python)
    try:
        found = recheck(jobs, Console(), how, fresh=options.fresh)
    except EnvironmentFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 1 if any(one.serious for one in found) else 0


def _shard(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise SystemExit(f"--shard {text!r}; allowed: i/n, from 1/n to n/n")
    return int(match[1]), int(match[2])


def _plan(options: argparse.Namespace) -> int:
    from scripts.matrix import matrix
    from scripts.plan import plan

    jobs = plan(
        _documents(options.entry),
        releases=_releases(options.release),
        hardware=options.hardware,
    )
    if options.json:
        print(json.dumps(matrix(jobs)))
    else:
        for item in matrix(jobs):
            print(f"{item['release']} {item['hardware']}: {item['notebooks']} notebooks")
    return 0


def _merge(options: argparse.Namespace) -> int:
    from scripts.merge import merge

    for line in merge(options.folders, _documents(None)):
        print(f"not taken: {line}")
    return 0


def _watch(options: argparse.Namespace) -> int:
    from requests.exceptions import RequestException

    from scripts.watch import propose_changes

    try:
        said = propose_changes(write=options.write)
    except RequestException as error:
        print(f"the index does not answer: {error}", file=sys.stderr)
        return 1
    print("\n".join(said) or "nothing new")
    return 0


def _entry(options: argparse.Namespace) -> int:
    if options.entry is None:
        print("which entry? ENTRY=<topic>/<entry>", file=sys.stderr)
        return 2
    for document in _documents(options.entry):
        print(f"{document.source} reads well")
    return _verify(options)


def _new(options: argparse.Namespace) -> int:
    from scripts.new import new_entry

    path: Path = new_entry(options.entry)
    print(f"{path.relative_to(ROOT)} is there; edit it, then: make entry ENTRY={options.entry}")
    return 0


def _bench(options: argparse.Namespace) -> int:
    from scripts.bench import bench_verify
    from scripts.buildbench import bench_build
    from scripts.releases import REFERENCE_RELEASE
    from scripts.searchbench import bench_search

    releases = _releases(options.release) or [REFERENCE_RELEASE]
    benches: dict[str, Callable[[], int]] = {
        "notebooks": lambda: bench_verify(
            _documents(None), releases[0], options.notebooks, Console()
        ),
        "search": lambda: bench_search(Console()),
        "build": lambda: bench_build(releases[0], Console()),
    }
    return max([benches[name]() for name in options.what or benches])


def _stage(options: argparse.Namespace) -> int:
    from scripts.staging import stage

    stage()
    return 0


def _site(options: argparse.Namespace) -> int:
    from scripts.sitebuild import build

    return build()


def _serve(options: argparse.Namespace) -> int:
    from scripts.sitebuild import serve

    return serve(options.address)


def _check(options: argparse.Namespace) -> int:
    from scripts.checks import run_checks

    return run_checks()


def _setup(options: argparse.Namespace) -> int:
    from scripts.setup import setup_tests

    return setup_tests()


def _test(options: argparse.Namespace) -> int:
    from scripts.testing import run_tests

    return run_tests(options.rest)


if __name__ == "__main__":
    sys.exit(main())
