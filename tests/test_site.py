"""Drives the built site in a browser, as its readers do."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.briefings import read_briefings
from scripts.entries import TOPICS
from scripts.paths import ROOT
from scripts.queries import load_queries
from scripts.searchbench import OURS, ranks

pytestmark = pytest.mark.browser

WEIGHTS = "migrations-and-security/load-weights-only-default"
BLOCKS = "compiler-and-attention/flex-block-mask"
STANCE = "compiler-and-attention/set-stance"
REMOVED = "migrations-and-security/export-for-training-removed"
PAGES = ["", *(f"{topic}/" for topic in TOPICS), f"{WEIGHTS}/", f"{BLOCKS}/"]
PAGES += ["search/?q=torch.load", "guides/", "guides/compile-without-breaks/", "verification/"]
PAGES += [
    "upgrade/?from=2.5&to=2.15",
    "install/?gpu=V100",
    "releases/",
    "releases/2.13/",
    "404.html",
]
PAGES += ["method/", "briefings/", "briefings/2026-09-22-guards-that-travel/"]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page at desktop width that fails the test for whatever the console complains about."""
    with browser.new_context(
        base_url=f"{address}/", viewport={"width": 1280, "height": 900}
    ) as ctx:
        page = ctx.new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda m: (
                complaints.append(f"{m.text} {m.location}")
                # The policy stops a handler that the sanitizer then takes away.
                if m.type == "error" and "purify.mjs" not in str(m.location)
                else None
            ),
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((address, "data:", "blob:"))
                else complaints.append(f"asked elsewhere: {request.url}")
            ),
        )
        yield page
        assert complaints == []


def choose(page: Page, release: str) -> None:
    page.get_by_label("Your PyTorch release").select_option(release)


def front_tab(page: Page) -> str:
    group = page.locator(".kb-variants").first
    shown = group.locator("> .tabbed-set > .tabbed-content > .tabbed-block:visible")
    return shown.inner_text()


def test_the_release_is_asked_for_remembered_and_obeyed(page: Page) -> None:
    page.goto("./")
    page.locator(".kb-choose").get_by_role("link", name="2.5", exact=True).click()
    expect(page.get_by_label("Your PyTorch release")).to_have_value("2.5")
    assert "torch=2.5" in page.url
    page.goto(f"{WEIGHTS}/")
    expect(page.get_by_label("Your PyTorch release")).to_have_value("2.5")
    expect(page.locator(".kb-applies")).to_contain_text("Does not apply to 2.5.")
    before = front_tab(page)
    choose(page, "2.15")
    assert "torch=2.15" in page.url
    expect(page.locator(".kb-applies")).to_be_hidden()
    assert front_tab(page) != before
    page.reload()
    expect(page.get_by_label("Your PyTorch release")).to_have_value("2.15")


def test_an_address_gives_everybody_the_same_view(page: Page) -> None:
    page.goto(f"{STANCE}/?torch=2.5")
    expect(page.get_by_label("Your PyTorch release")).to_have_value("2.5")
    expect(page.locator(".kb-applies--outside")).to_contain_text("Does not apply to 2.5.")
    page.goto(f"{STANCE}/?torch=2.6.0")
    expect(page.get_by_label("Your PyTorch release")).to_have_value("2.6")
    expect(page.locator(".kb-applies--outside")).to_have_count(0)


def test_both_sides_of_a_change_are_tabs(page: Page) -> None:
    page.goto(f"{WEIGHTS}/")
    group = page.locator(".kb-variants").first
    labels = group.locator("> .tabbed-set > .tabbed-labels > label")
    seen = set()
    for number in range(labels.count()):
        labels.nth(number).click()
        seen.add(front_tab(page))
    assert len(seen) == labels.count() >= 2


def test_following_a_link_keeps_the_release(page: Page) -> None:
    page.goto("migrations-and-security/?torch=2.5")
    page.locator(f'[data-entry="{WEIGHTS}"] h3 a').first.click()
    page.wait_for_url(re.compile(WEIGHTS))
    expect(page.locator(".kb-applies")).to_contain_text("Does not apply to 2.5.")


def results(page: Page) -> list[str | None]:
    found = page.locator("kb-search-page [data-entry]")
    return [found.nth(n).get_attribute("data-entry") for n in range(found.count())]


def test_search_shows_results_by_address_alone(page: Page) -> None:
    page.goto("search/?q=export_for_training&kind=removed")
    expect(page.locator(f'kb-search-page [data-entry="{REMOVED}"]')).to_be_visible()
    assert results(page)[0] == REMOVED


def test_a_filter_that_hides_everything_says_how_many_there_are(page: Page) -> None:
    page.goto("search/?q=export_for_training&hardware=mps")
    status = page.locator("kb-search-page").get_by_role("status")
    expect(status).to_contain_text(re.compile(r"Nothing inside the filter, \d+ outside"))
    assert results(page) == []
    page.get_by_role("button", name=re.compile("clear", re.IGNORECASE)).first.click()
    expect(page.locator(f'kb-search-page [data-entry="{REMOVED}"]')).to_be_visible()
    assert "hardware" not in page.url


def test_the_dialog_finds_an_error_by_keyboard_alone(page: Page) -> None:
    page.goto("./")
    page.keyboard.press("/")
    page.keyboard.type("Weights only load failed")
    first = page.get_by_role("dialog").get_by_role("option").first
    expect(first).to_contain_text(re.compile("torch.load|weights", re.IGNORECASE))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("migrations-and-security/"))


def test_an_example_runs_stops_and_runs_again(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{BLOCKS}/")
    cell = page.locator("kb-run-cell").last
    run = cell.get_by_role("button", name="Run")
    expect(run).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "pyodide" in url or "purify" in url]

    run.click()
    output = cell.get_by_label("Output of your run")
    expect(output.locator("svg")).to_be_visible(timeout=90_000)

    code = cell.get_by_role("textbox")
    code.fill("print('before')\nwhile True: pass")
    code.press("Control+Enter")
    expect(output).to_contain_text("before", timeout=30_000)
    cell.get_by_role("button", name="Stop").click()
    code.fill("1 / 0")
    run.click()
    expect(output).to_contain_text("ZeroDivisionError: division by zero", timeout=90_000)
    cell.get_by_role("button", name="Reset").click()
    expect(code).to_have_value(re.compile("sliding_window|WINDOW"))


def test_an_svg_cannot_run_anything(page: Page) -> None:
    page.goto(f"{BLOCKS}/")
    cell = page.locator("kb-run-cell").first
    code = cell.get_by_role("textbox")
    code.fill(
        "class Evil:\n    def _repr_svg_(self):\n        return '''<svg xmlns=\"http://www.w3.org/2000/svg\""
        ' onload="window.hit=1"><script>window.hit=1</script>'
        '<image href="x" onerror="window.hit=1"/>'
        "<circle r=\"5\"/></svg>'''\nEvil()"
    )
    code.press("Control+Enter")
    expect(cell.get_by_label("Output of your run").locator("circle")).to_be_attached(timeout=90_000)
    assert page.evaluate("window.hit") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious(browser: Browser, address: str, path: str, scheme: str) -> None:
    dark = scheme == "dark"
    with browser.new_context(color_scheme="dark" if dark else "light") as context:
        page = context.new_page()
        page.goto(f"{address}/{path}")
        page.wait_for_load_state("networkidle")
        page.evaluate(AXE.read_text(encoding="utf-8"))  # the page's policy lets no script in
        found = page.evaluate("axe.run().then(result => result.violations)")
        serious = [
            f"{one['id']}: {one['nodes'][0]['html'][:200]} ({one['nodes'][0]['failureSummary']})"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == []


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_wider_than_a_small_phone(browser: Browser, address: str, path: str) -> None:
    with browser.new_context(viewport={"width": 320, "height": 640}) as context:
        page = context.new_page()
        page.goto(f"{address}/{path}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_pages_read_without_javascript(browser: Browser, address: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/{WEIGHTS}/")
        expect(page.locator(".kb-applies")).to_contain_text("Before 2.6")
        expect(page.locator(".kb-variants .tabbed-block:visible").first).to_be_visible()
        page.goto(f"{address}/search/")
        expect(page.locator("kb-search-page a")).to_have_count(len(TOPICS))


def test_every_link_to_a_notebook_names_a_file_that_exists(built_site: Path) -> None:
    checked = 0
    for html in built_site.glob("*/*/index.html"):
        for link in re.findall(r'href="(https://[^"]+\.ipynb)"', html.read_text(encoding="utf-8")):
            path = urlsplit(link).path
            assert (ROOT / "notebooks" / path.split("/notebooks/", 1)[1]).is_file(), link
            checked += "colab.research.google.com/github/" in link
    assert checked > 100


def test_every_page_has_its_markdown_and_the_data_their_promises(built_site: Path) -> None:
    data = json.loads((built_site / "data/entries.json").read_text(encoding="utf-8"))
    assert len(data["entries"]) >= 16
    for entry in data["entries"]:
        text = (built_site / entry["id"] / "index.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {entry['title']}\n\nHolds on PyTorch ")
        assert "<div" not in text
        assert f"{entry['id']}/index.md" in (built_site / "llms.txt").read_text(encoding="utf-8")
        assert set(entry["verification"]) <= set(data["releases"])


def test_the_feeds_are_what_their_formats_allow(built_site: Path) -> None:
    titles = {briefing.front.title for briefing in read_briefings()}
    feed = json.loads((built_site / "feed_json_created.json").read_text())
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert {item["title"] for item in feed["items"]} == titles
    for values in (feed, *feed["items"]):
        assert None not in values.values()  # the format knows no null
    for item in feed["items"]:
        assert item["id"] == item["url"]
        assert item["content_html"]
        assert datetime.fromisoformat(item["date_published"]).tzinfo
    rss = ElementTree.parse(built_site / "feed_rss_created.xml")  # noqa: S314 - built here
    channel = rss.getroot().find("channel")
    assert channel is not None
    assert all(channel.findtext(name) for name in ("title", "link", "description"))
    assert str(channel.findtext("image/url")).endswith(".png")
    assert {item.findtext("title") for item in channel.iter("item")} == titles
    for item in channel.iter("item"):
        assert parsedate_to_datetime(str(item.findtext("pubDate"))).year >= 2026
        assert str(item.findtext("guid")).startswith("https://")
        page = str(item.findtext("link")).split("/briefings/")[1]
        assert (built_site / "briefings" / page / "index.html").is_file()


def rows(page: Page, group: str) -> list[str | None]:
    found = page.locator(f".kb-plan__group--{group} .kb-plan__row")
    return [one.get_attribute("data-entry") for one in found.all()]


def test_the_way_from_one_release_to_another_is_an_address(page: Page, tmp_path: Path) -> None:
    page.goto("upgrade/?from=2.5&to=2.6&uses=checkpoints")
    expect(page.locator(".kb-tool-status")).to_contain_text("From 2.5 to 2.6: must do")
    assert WEIGHTS in rows(page, "must")
    expect(page.locator(".kb-install__yes")).to_contain_text("PyTorch 2.6")
    page.locator("kb-upgrade select[name=to]").select_option("2.7")
    page.get_by_role("checkbox", name="checkpoints").uncheck()
    assert "to=2.7" in page.url
    assert "uses=" not in page.url
    assert "migrations-and-security/lr-scheduler-verbose-removed" in rows(page, "must")
    before = page.locator(".kb-plan").inner_text()
    page.reload()
    expect(page.locator(".kb-plan__row").first).to_be_visible()
    assert page.locator(".kb-plan").inner_text() == before
    script = tmp_path / "train.py"
    script.write_text("import torch\n\nstate = torch.load('run.pt')\n", encoding="utf-8")
    page.locator(".kb-tool-code summary").click()
    page.locator("#kb-code-files").set_input_files(script)
    expect(page.locator(f'[data-entry="{WEIGHTS}"]')).to_contain_text("train.py:3")
    assert "migrations-and-security/lr-scheduler-verbose-removed" not in rows(page, "must")
    choose(page, "2.4")
    expect(page.locator(".kb-tool-status")).to_contain_text("From 2.4 to 2.7")


def test_the_way_is_copied_as_a_checklist(browser: Browser, address: str) -> None:
    with browser.new_context(
        base_url=f"{address}/", permissions=["clipboard-read", "clipboard-write"]
    ) as context:
        page = context.new_page()
        page.goto("upgrade/?from=2.5&to=2.6")
        page.get_by_role("button", name="Copy as Markdown checklist").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("# PyTorch 2.5 to 2.6\n")
    assert "- [ ] **" in text
    assert f"{WEIGHTS}/" in text


def test_the_build_is_chosen_or_the_nearest_named(page: Page) -> None:
    page.goto("install/?gpu=V100&release=2.15")
    verdict = page.locator(".kb-install__verdict")
    expect(verdict).to_contain_text("No build of 2.15 fits")
    expect(verdict).to_contain_text("The last that fits: PyTorch 2.14 with CUDA 12.6")
    page.locator("kb-install select").first.select_option("2.14")
    expect(verdict).to_contain_text("pip install torch==2.14.1 --index-url")
    assert "release=2.14" in page.url
    page.get_by_label("GPU (name or compute capability)").fill("my old card")
    expect(verdict).to_contain_text("“my old card” is not known here")


def test_an_address_that_does_not_exist_searches(browser: Browser, address: str) -> None:
    with browser.new_context(base_url=f"{address}/") as context:
        page = context.new_page()
        answer = page.goto("compiler-and-attention/set_stance_/")
        assert answer is not None
        assert answer.status == 404
        expect(page.locator(".kb-hit").first).to_be_visible()
        assert page.locator(".kb-hit").first.get_attribute("data-entry") == STANCE


def test_the_policy_holds_on_every_page(built_site: Path) -> None:
    for path in built_site.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
        assert policy, path
        assert "script-src 'self' 'wasm-unsafe-eval' 'sha256-" in policy[1]
        assert not re.search(r"<[a-z]+[^>]* on[a-z]+=", html), f"{path}: a handler in an attribute"
        scripts, _, _ = policy[1].partition("style-src")
        assert "unsafe-inline" not in scripts


def test_links_have_pictures(built_site: Path) -> None:
    html = (built_site / STANCE / "index.html").read_text(encoding="utf-8")
    picture = re.search(r'property="og:image" content="\S+?/(assets/cards/\S+\.png)"', html)
    assert picture
    assert (built_site / picture[1]).stat().st_size > 1000


def test_search_answers_what_people_type(page: Page, built_site: Path) -> None:
    """The floor that `bench search` shows in full."""
    head = json.loads((built_site / "data/search.json").read_text(encoding="utf-8"))
    queries = load_queries(frozenset(record["id"] for record in head["records"]))
    asked = [{"query": one.query, "torch": one.torch} for one in queries]
    page.goto("method/")
    found = page.evaluate(OURS, asked)
    places = ranks(queries, found)
    assert sum(place == 1 for place in places) >= 0.8 * len(places)
    assert sum(place is not None and place <= 3 for place in places) >= 0.95 * len(places)
    for query, pages in zip(queries, found, strict=True):
        assert not pages or pages[0].rstrip("/") not in query.never_first
