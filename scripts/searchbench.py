"""How well and how fast the search answers, beside Material's own search and Pagefind.

All three run in one Chromium over the same built site and get the same queries
(``data/queries.yml``). Speed is measured at the page of the search: from the key to the results.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route
from rich.console import Console
from rich.table import Table

from scripts.browsing import chromium, served
from scripts.paths import ROOT
from scripts.queries import Query, load_queries
from scripts.sitebuild import QUIET

SIZES = (5_000, 20_000)
"""Numbers of entries, most of them generated, at which the speed is measured besides today's."""
KEYS = 20
"""Queries that are typed key by key."""

OURS = """async (asked) => {
  const code = new URL("../assets/javascripts/search-data.mjs", location.href);
  const { getSearch } = await import(code);
  const search = await getSearch();
  await new Promise((done) => {
    search.onComplete(done, { signal: new AbortController().signal });
    setTimeout(done, 60000);
  });
  const found = [];
  for (const { query, torch } of asked) {
    const { results } = await search.ask(query, { torch: torch ?? undefined }, { limit: 20 });
    found.push(results.map(({ url }) => url.split("?")[0]));
  }
  return found;
}"""

MATERIAL = """async (asked) => {
  const config = JSON.parse(document.getElementById("__config").textContent);
  const worker = new Worker(new URL(config.search, location.href));
  const ask = (message) => new Promise((done) => {
    worker.onmessage = ({ data }) => done(data);
    worker.postMessage(message);
  });
  const index = await (await fetch("/search/search_index.json")).json();
  await ask({ type: 0, data: { ...index, options: { suggest: false } } });
  const found = [];
  for (const { query } of asked) {
    const { data } = await ask({ type: 2, data: query });
    found.push(data.items.flat().map(({ location }) => location));
  }
  return found;
}"""

PAGEFIND = """async (asked) => {
  const pagefind = await import("/pagefind/pagefind.js");
  await pagefind.init();
  const found = [];
  for (const { query } of asked) {
    const { results } = await pagefind.search(query);
    const pages = await Promise.all(results.slice(0, 20).map((one) => one.data()));
    found.push(pages.map(({ url }) => url));
  }
  return found;
}"""

TYPING = """async (queries) => {
  const input = document.querySelector("kb-search-page input");
  const list = document.querySelector(".kb-hits");
  const taken = [];
  for (const query of queries) {
    for (let end = 1; end <= query.length; end += 1) {
      const before = list.dataset.answered;
      const started = performance.now();
      input.value = query.slice(0, end);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      while (list.dataset.answered === before) {
        await new Promise((next) => { const { port1, port2 } = new MessageChannel();
          port1.onmessage = next; port2.postMessage(0); });
      }
      taken.push(performance.now() - started);
    }
  }
  return taken;
}"""


def bench_search(console: Console) -> int:
    """Print both tables.

    Returns:
        The exit status: 1 if an answer that must never be first is, else 0.
    """
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "site"
        _build(site)
        head = json.loads((site / "data/search.json").read_text(encoding="utf-8"))
        queries = load_queries(frozenset(record["id"] for record in head["records"]))
        with served(site) as address, chromium() as browser:
            page = browser.new_page()
            page.goto(f"{address}/method/")
            asked = [{"query": one.query, "torch": one.torch} for one in queries]
            found = {
                name: [[_place(url) for url in urls] for urls in page.evaluate(code, asked)]
                for name, code in (("this", OURS), ("Material", MATERIAL), ("Pagefind", PAGEFIND))
            }
            page.close()
            console.print(_quality(queries, found))
            wrong = _print_misses(queries, found["this"], console)
            single = [one.query for one in queries if "\n" not in one.query]
            typed = single[:: max(1, len(single) // KEYS)]
            texts = json.loads((site / "data/search-text.json").read_text(encoding="utf-8"))
            rows = []
            for size in (len(head["records"]), *SIZES):
                page = browser.new_page()
                rows.append(_speed(page, address, site, typed, size, generate(head, texts, size)))
                page.close()
                console.print(" ".join(rows[-1]), highlight=False)
            console.print(_speeds(rows))
    return 1 if wrong else 0


def _build(site: Path) -> None:
    """Build the site with Material's search switched on, and Pagefind's index beside it."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = config.replace("plugins:\n", "plugins:\n  - search\n", 1)
    changed = ROOT / ".mkdocs-bench.yml"  # beside the other: its paths are relative
    try:
        changed.write_text(config, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "-q",
            "-f",
            str(changed),
            "-d",
            str(site),
        ]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **QUIET}, check=True)
    finally:
        changed.unlink(missing_ok=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    subprocess.run(
        [ROOT / "node_modules/.bin/pagefind", "--site", str(site), "--quiet"],
        env={**os.environ, "PATH": path},
        check=True,
    )


def _place(url: str) -> str:
    """The record that an address is of: without the site, the heading, the file's name."""
    path = re.sub(r"^https?://[^/]+", "", url).split("#")[0].split("?")[0].lstrip("/")
    return re.sub(r"index\.html$", "", path).rstrip("/")


def ranks(queries: Sequence[Query], found: Sequence[Sequence[str]]) -> list[int | None]:
    """At which place, from 1, the first right answer stands; a page counts once."""
    places: list[int | None] = []
    for query, pages in zip(queries, found, strict=True):
        answers = {answer.rstrip("/") for answer in query.answers}
        pages = list(dict.fromkeys(page.rstrip("/") for page in pages))
        places.append(next((i for i, page in enumerate(pages, 1) if page in answers), None))
    return places


def _quality(queries: Sequence[Query], found: Mapping[str, Sequence[Sequence[str]]]) -> Table:
    table = Table(title=f"{len(queries)} queries: right entry first / in the top three / MRR")
    table.add_column("kind")
    for name in found:
        table.add_column(name, justify="right")
    kinds = ["all", *dict.fromkeys(query.kind for query in queries)]
    for kind in kinds:
        chosen = [kind in ("all", query.kind) for query in queries]
        cells = []
        for answers in found.values():
            places = [p for p, yes in zip(ranks(queries, answers), chosen, strict=True) if yes]
            first = sum(place == 1 for place in places) / len(places)
            three = sum(place is not None and place <= 3 for place in places) / len(places)
            mean = statistics.fmean(1 / place if place else 0 for place in places)
            cells.append(f"{first:.0%} / {three:.0%} / {mean:.2f}")
        table.add_row(f"{kind} ({sum(chosen)})", *cells)
    return table


def _print_misses(
    queries: Sequence[Query], found: Sequence[Sequence[str]], console: Console
) -> bool:
    """Name what is not in the top three, and what is first and must not be."""
    wrong = False
    for query, pages, place in zip(queries, found, ranks(queries, found), strict=True):
        words = " ".join(query.query.split())[:90]
        if pages and pages[0] in query.never_first:
            wrong = True
            console.print(f"never first: {words!r} gave {pages[0]}", highlight=False, markup=False)
        if place is None or place > 3:
            line = f"{place or '–'}: {words!r} gave {pages[:2]}, wanted {list(query.answers)}"
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    return wrong


def generate(
    head: Mapping[str, Any], texts: Mapping[str, Any], size: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two files of the search with ``size`` records: names and sentences recombined."""
    rng = random.Random(7)  # noqa: S311 - no secret
    entries = [record for record in head["records"] if record["type"] == "entry"]
    words = sorted(
        {word for e in entries for name in e["symbols"] for word in re.findall(r"[a-z]{3,}", name)}
    )
    sentences = [
        one
        for entry in entries
        for one in re.split(r"(?<=[.!?])\s", texts[entry["id"]].get("text", ""))
        if len(one) > 20
    ]
    records, more = list(head["records"]), dict(texts)
    for number in range(len(records), size):
        base = rng.choice(entries)
        name = "_".join(rng.sample(words, 3))
        made = f"{base['topic']}/generated-{number}"
        records.append(
            {
                **base,
                "id": made,
                "url": f"{made}/",
                "title": f"{name}: {rng.choice(entries)['title']}",
                "symbols": [f"torch.{rng.choice(words)}.{name}", *base["symbols"][:2]],
                "errors": [f"{error} {name}" for error in base["errors"]],
                "summary": rng.choice(sentences)[:280],
            }
        )
        more[made] = {
            "text": " ".join(rng.choices(sentences, k=12)),
            "code": texts[base["id"]].get("code", "").replace("model", name),
        }
    return {**head, "records": records}, more


def _speed(
    page: Page,
    address: str,
    site: Path,
    typed: Sequence[str],
    size: int,
    made: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> list[str]:
    """A row of the table of speeds."""
    bodies = {
        f"data/{name}.json": json.dumps(data)
        for name, data in zip(("search", "search-text"), made, strict=True)
    }
    for place, body in bodies.items():
        page.context.route(f"**/{place}", _answer(body))
    page.goto(f"{address}/method/")
    page.wait_for_load_state("networkidle")
    arrived: list[str] = []
    page.on("requestfinished", lambda request: arrived.append(_place(request.url)))
    page.keyboard.press("/")
    page.keyboard.type("torch")
    page.wait_for_selector(".kb-search__options a", timeout=600_000)
    # The texts are fetched once the first answer is there, and here that is at once.
    before_first = sum(
        len(
            gzip.compress(
                bodies[place].encode() if place in bodies else (site / place).read_bytes()
            )
        )
        for place in list(arrived)
        if place != "data/search-text.json"
    )
    page.goto(f"{address}/search/?q=torch")
    page.wait_for_selector(".kb-hits[data-complete]", timeout=900_000)
    taken = sorted(page.evaluate(TYPING, list(typed)))
    return [
        f"{size}",
        f"{len(taken)}",
        f"{statistics.median(taken):.1f}",
        f"{taken[int(len(taken) * 0.95)]:.1f}",
        f"{taken[-1]:.1f}",
        f"{before_first / 1000:.0f}",
    ]


def _speeds(rows: Iterable[Sequence[str]]) -> Table:
    table = Table(title="From key to results, milliseconds")
    for column in ("entries", "keys", "median", "95 %", "slowest", "KB before the first"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def _answer(body: str) -> Callable[[Route], None]:
    return lambda route: route.fulfill(body=body, content_type="application/json")
