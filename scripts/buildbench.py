"""How long the site takes to build, beside stock mkdocs-jupyter over the same notebooks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from scripts.paths import NOTEBOOKS, ROOT
from scripts.sitebuild import QUIET


def bench_build(release: str, console: Console) -> int:
    """Print seconds from clean: this site, and a stock site of the notebooks of ``release``.

    This site shows what all notebooks of all releases printed; the stock one has a page for each
    notebook of one release alone, so it does less.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ours = _seconds(ROOT / "mkdocs.yml", folder / "ours", clean=ROOT / "build/docs")
        pages = len(list((folder / "ours").rglob("*.html")))
        every = len(list(NOTEBOOKS.rglob("*.ipynb")))
        stock = folder / "stock"
        shutil.copytree(NOTEBOOKS / release / "cpu", stock / "docs")
        (stock / "docs/index.md").write_text("# Notebooks\n", encoding="utf-8")
        config = {
            "site_name": "Stock",
            "theme": {"name": "material", "font": False},
            "plugins": [{"mkdocs-jupyter": {"execute": False}}],
        }
        (stock / "mkdocs.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
        theirs = _seconds(stock / "mkdocs.yml", folder / "theirs")
        notebooks = len(list((stock / "docs").rglob("*.ipynb")))
    table = Table(title="A build from clean")
    for column in ("site", "notebooks", "pages", "seconds", "a notebook, ms", "against stock"):
        table.add_column(column, justify="left" if column == "site" else "right")
    row = "stock mkdocs-jupyter, " + release
    table.add_row(
        row,
        f"{notebooks}",
        f"{notebooks + 1}",
        f"{theirs:.1f}",
        f"{1000 * theirs / notebooks:.0f}",
        "1.0 x",
    )
    ratio = (theirs / notebooks) / (ours / every)
    table.add_row(
        "this",
        f"{every}",
        f"{pages}",
        f"{ours:.1f}",
        f"{1000 * ours / every:.0f}",
        f"{ratio:.1f} x a notebook",
    )
    console.print(table)
    return 0


def _seconds(config: Path, site: Path, clean: Path | None = None) -> float:
    if clean:
        shutil.rmtree(clean, ignore_errors=True)
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(config), "-d", str(site)]
    started = time.monotonic()
    subprocess.run(command, cwd=ROOT, env={**os.environ, **QUIET}, check=True)
    return time.monotonic() - started
