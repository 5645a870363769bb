"""Write everything the site generator reads to ``build/docs``, and nothing else there.

Files are written only where they changed, so that a generator which watches them rebuilds only
what it must.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import nbformat

from scripts.briefings import FOLDER as BRIEFINGS
from scripts.briefings import briefing_page, briefings_page, read_briefings
from scripts.builds import builds_data, install_page, load_gpus
from scripts.chapters import guides_page, home_page, method_page, newest_run, topic_page
from scripts.coverage import load_coverage
from scripts.entries import Guide
from scripts.known import load_known
from scripts.notebooks import read_notebook, serialize, write_if_changed
from scripts.pages import Site, entry_page, matter, related, sign_sentence
from scripts.paths import DATA, DOCS, ROOT, STAGED
from scripts.plain import entry_record, index, plain_entry, plain_topic
from scripts.proof import Proof, load_proofs
from scripts.reader import read_entries, read_guides
from scripts.releasepages import plain_release, release_page, releases_page
from scripts.releases import load_releases
from scripts.searchdata import search_data
from scripts.settings import load_settings
from scripts.topics import Topic, read_topics
from scripts.upgrade import upgrade_data, upgrade_page
from scripts.verification import verification_page

VENDORED = {
    "minisearch/dist/es/index.js": "minisearch.mjs",
    "dompurify/dist/purify.es.mjs": "purify.mjs",
    "pyodide/pyodide.mjs": "pyodide/pyodide.mjs",
    "pyodide/pyodide.asm.mjs": "pyodide/pyodide.asm.mjs",
    "pyodide/pyodide.asm.wasm": "pyodide/pyodide.asm.wasm",
    "pyodide/python_stdlib.zip": "pyodide/python_stdlib.zip",
}
"""Files of npm packages that the site serves itself, and their names below ``assets/vendor``."""


def stage(target: Path = STAGED) -> list[dict[str, Any]]:
    """Write the pages, the data and the assets below ``target``.

    Returns:
        The site's navigation, as ``mkdocs.yml`` would have it.

    Raises:
        SourceError: something that is written by hand is wrong.
        FileNotFoundError: the npm packages are not installed.
    """
    files: dict[str, str] = {}
    _forget_changed_data()
    releases = load_releases()
    entries, guides = read_entries(), read_guides()
    topics = read_topics(entries)
    site = Site(releases.minors, load_settings(), tuple(entries))
    proofs = {proof.document.id: proof for proof in load_proofs([*entries, *guides])}
    files["index.md"] = home_page(
        (DOCS / "index.md").read_text(encoding="utf-8"), topics, proofs, guides, site
    )
    for topic in topics:
        files[f"{topic.id}/index.md"] = topic_page(topic, proofs, guides, site)
        files[f"{topic.id}/index.plain.txt"] = plain_topic(topic, site)
    for entry in entries:
        proof = proofs[entry.id]
        made_of = (entry, *proof.runs, *related(entry, site.entries))
        files |= _once(entry.id, made_of, partial(_entry_pages, proof, site))
    files["guides/index.md"] = guides_page(guides, proofs, site)
    for guide in guides:
        files[f"guides/{guide.slug}.ipynb"] = _guide(guide, proofs[guide.id], site)
    briefings = read_briefings()
    files["briefings/index.md"] = briefings_page((BRIEFINGS / "index.md").read_text("utf-8"))
    for briefing in briefings:
        files[f"briefings/posts/{briefing.path.name}"] = briefing_page(briefing, briefings)
    files["method/index.md"] = method_page(
        (DOCS / "method.md").read_text(encoding="utf-8"), proofs, site
    )
    files["verification/index.md"] = verification_page(list(proofs.values()), site)
    files["search/index.md"] = _search_page(topics)
    files["install/index.md"] = install_page(releases)
    files["data/builds.json"] = _json(builds_data(releases))
    files["upgrade/index.md"] = upgrade_page(releases.records)
    files["data/upgrade.json"] = _json(upgrade_data(entries, proofs, site))
    files["releases/index.md"] = releases_page(releases, site)
    for record in releases.records:
        files[f"releases/{record.release}.md"] = release_page(record, releases, proofs, site)
        files[f"releases/{record.release}.plain.txt"] = plain_release(record, releases, site)
    files["llms.txt"] = index(topics, guides, site)
    files["data/entries.json"] = _json(
        {
            "releases": releases.minors,
            "topics": [{"id": t.id, "title": t.title} for t in topics],
            "entries": [entry_record(proofs[entry.id], site) for entry in entries],
        }
    )
    head, texts = search_data(topics, guides, briefings, proofs, releases)
    files["data/search.json"] = _json(head)
    files["data/search-text.json"] = _json(texts)
    sheets = sorted((DOCS / "assets/stylesheets").glob("*.css"))
    files["assets/stylesheets/all.css"] = "\n".join(one.read_text("utf-8") for one in sheets)
    _write(files, target)
    return _nav(topics, guides)


def _entry_pages(proof: Proof, site: Site) -> dict[str, str]:
    return {
        f"{proof.document.id}.md": entry_page(proof, site),
        f"{proof.document.id}.plain.txt": plain_entry(proof, site),
    }


_made: dict[str, tuple[tuple[object, ...], dict[str, str]]] = {}


def _once(name: str, of: tuple[object, ...], make: Callable[[], dict[str, str]]) -> dict[str, str]:
    """What ``make`` gives, made again only if one of the objects it is made of is another one."""
    known = _made.get(name)
    if (
        known
        and len(known[0]) == len(of)
        and all(a is b for a, b in zip(known[0], of, strict=True))
    ):
        return known[1]
    _made[name] = (of, make())
    return _made[name][1]


_data: dict[Path, tuple[int, int]] = {}


def _forget_changed_data() -> None:
    """A server stages again and again: what was read from ``data/`` is read anew if it changed."""
    now = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in DATA.glob("*.yml")}
    if now != _data:
        for read in (load_releases, load_coverage, load_known, load_gpus, load_settings):
            read.cache_clear()
        _made.clear()
        _data.clear()
        _data.update(now)


def _nav(topics: list[Topic], guides: list[Guide]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"Home": "index.md"}, {"Upgrade": "upgrade/index.md"}]
    made.append({"Install": "install/index.md"})
    for topic in topics:
        items: list[Any] = [f"{topic.id}/index.md"]
        for section in topic.sections:
            if entries := topic.in_section(section):
                items.append(
                    {section: [{entry.front.title: f"{entry.id}.md"} for entry in entries]}
                )
        # The row of tabs is short; "Compiler" is enough to find "Compiler and attention".
        made.append({topic.title.split()[0].rstrip(","): items})
    made.append(
        {
            "Guides": [
                "guides/index.md",
                *({guide.front.title: f"guides/{guide.slug}.ipynb"} for guide in guides),
            ]
        }
    )
    minors = reversed(load_releases().minors)
    made += [
        {"Releases": ["releases/index.md", *({m: f"releases/{m}.md"} for m in minors)]},
        {"Briefings": ["briefings/index.md"]},
        {"Method": ["method/index.md", {"Verification": "verification/index.md"}]},
    ]
    return made


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def _guide(guide: Guide, proof: Proof, site: Site) -> str:
    """The notebook of a guide, with a line of proof, without its set-up cell."""
    run = newest_run(proof)
    path = ROOT / run.path
    notebook = read_notebook(path)
    link = site.settings
    head = nbformat.v4.new_markdown_cell(
        f"# {guide.front.title}\n\n{guide.front.summary}\n\n"
        f'<p class="kb-proof">{sign_sentence(proof, site)}. Shown: {run.torch}.</p>\n\n'
        f"[Open in Colab]({link.colab(run.path)}) · [notebook]({link.github(run.path)}) · "
        f"[download]({link.raw(run.path)})"
    )
    head["id"] = "cell-0"
    notebook.cells = [head, *notebook.cells[2:]]
    return serialize(notebook)


def _search_page(topics: list[Topic]) -> str:
    links = "\n".join(f'<li><a href="../{topic.id}/">{topic.title}</a></li>' for topic in topics)
    return (
        matter("Search", "Search all entries by name, error message or question, for your release.")
        + "\n\n# Search\n\n<kb-search-page>\n<p>The search runs in your browser and needs"
        " JavaScript. Without it, all entries are on the pages of the topics:</p>\n"
        f"<ul>\n{links}\n</ul>\n</kb-search-page>\n"
    )


def _write(files: dict[str, str], target: Path) -> None:
    keep = {target / name for name in files}
    for name, text in sorted(files.items()):
        write_if_changed(target / name, text)
    copies = {source: target / source.relative_to(DOCS) for source in (DOCS / "assets").rglob("*")}
    sizes = {}
    for package, name in VENDORED.items():
        source = ROOT / "node_modules" / package
        copies[source] = target / "assets" / "vendor" / name
        sizes[source.name] = source.stat().st_size
    for source, copy in copies.items():
        if source.is_file():
            keep.add(copy)
            if not copy.exists() or _changed(source, copy):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy)
    # Without the list of packages an import of one is a plain error; with it Pyodide would send
    # readers to somebody else's server.
    lock = json.loads((ROOT / "node_modules/pyodide/pyodide-lock.json").read_text())
    short_lock = target / "assets/vendor/pyodide/pyodide-lock.json"
    keep.add(short_lock)
    write_if_changed(short_lock, _json({"info": lock["info"], "packages": {}}))
    list_of_sizes = target / "assets/vendor/pyodide/sizes.json"
    keep.add(list_of_sizes)
    write_if_changed(list_of_sizes, _json(sizes))
    for path in sorted(target.rglob("*")):
        if path.is_file() and path not in keep:
            path.unlink()


def _changed(source: Path, copy: Path) -> bool:
    new, old = source.stat(), copy.stat()
    return new.st_size != old.st_size or new.st_mtime_ns != old.st_mtime_ns
