"""The hook of ``mkdocs.yml``: stages before each build and finishes what mkdocs cannot.

It is loaded by path, so that plain ``mkdocs serve`` works; the logic is in ``scripts.staging``.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from markdown import Extension, Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import event_priority
from mkdocs.structure.pages import Page

from scripts.cards import card
from scripts.paths import DATA, DOCS, NOTEBOOKS, STAGED
from scripts.policy import with_policy
from scripts.releases import load_releases
from scripts.staging import stage

ICON = "assets/images/icon-192.png"
SITE_LINE = "Every sample is a notebook that ran on the release it names"
NOTEBOOK_CSS = "assets/stylesheets/notebook.css"
_STYLE = re.compile(r"<style[^>]*>.*?</style>", re.DOTALL)
_notebook_styles: list[str] = []


class _BlockElements(Extension):
    """Lets ``markdown="1"`` work inside the custom elements that stand for blocks."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name is Markdown's
        md.block_level_elements += ["kb-run-cell", "kb-search-page", "kb-upgrade", "kb-install"]


@event_priority(50)  # before the plugins read what is set here
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Stage, and point mkdocs at what was staged."""
    config.nav = stage()
    config.docs_dir = str(STAGED)
    config.markdown_extensions.insert(0, cast(Any, _BlockElements()))
    config.plugins["rss"].config.image = f"{config.site_url}{ICON}"
    config.extra["releases"] = list(load_releases().minors)
    _notebook_styles.clear()
    return config


def on_serve(server: LiveReloadServer, config: MkDocsConfig, **_: Any) -> LiveReloadServer:
    """Watch what people write, not what is made of it."""
    server.unwatch(str(STAGED))
    for folder in (DOCS, DATA, NOTEBOOKS):
        server.watch(str(folder))
    return server


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Take the style sheets out of a notebook's page: all guides share one file."""
    if not page.file.src_uri.endswith(".ipynb"):
        return html
    styles = _STYLE.findall(html)
    if not _notebook_styles:
        _notebook_styles.extend(styles)
    # Code that is wider than the page must scroll by keyboard too.
    html = html.replace('<div class="highlight-ipynb', '<div tabindex="0" class="highlight-ipynb')
    html = html.replace("<pre>", '<pre tabindex="0">')
    return _STYLE.sub("", html)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Put the policy into the page, and draw its picture."""
    if name := page.meta.get("kb_card"):
        picture = Path(config.site_dir) / "assets/cards" / f"{name}.png"
        card(str(page.meta["title"]), str(page.meta["kb_card_line"]), picture)
    return with_policy(output)


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    """Put the policy into the page for addresses that do not exist."""
    return with_policy(output_content) if template_name.endswith(".html") else output_content


def on_post_build(config: MkDocsConfig) -> None:
    """Give each page its Markdown beside it, and finish the guides' style sheet and the feeds."""
    site = Path(config.site_dir)
    _finish_feeds(site)
    card(
        "What changed in PyTorch, proven on your release", SITE_LINE, site / "assets/cards/site.png"
    )
    for plain in STAGED.rglob("*.plain.txt"):
        name = plain.relative_to(STAGED).with_name(plain.name.removesuffix(".plain.txt"))
        folder = site / (name.parent if name.name == "index" else name)
        shutil.copyfile(plain, folder / "index.md")
        (site / plain.relative_to(STAGED)).unlink(missing_ok=True)
    css = "\n".join(re.sub(r"</?style[^>]*>", "", style) for style in _notebook_styles)
    (site / NOTEBOOK_CSS).write_text(css, encoding="utf-8")


def _finish_feeds(site: Path) -> None:
    """Make the JSON feeds valid: their format knows no null."""
    for feed in site.glob("feed_json_*.json"):
        made = json.loads(feed.read_text(encoding="utf-8"))
        made["items"] = [_known(item) for item in made["items"]]
        feed.write_text(json.dumps(_known(made), ensure_ascii=False, indent=1), encoding="utf-8")


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
