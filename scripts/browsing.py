"""A folder served on this machine and a Chromium to look at it: for tests and benchmarks."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from scripts.setup import find_browser


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    below = ""

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(self.below))

    def log_message(self, *_: object) -> None:
        pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A page that is not there is answered as GitHub Pages does, with the site's own page."""
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.exists():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


_Quiet.extensions_map |= {".mjs": "text/javascript", ".wasm": "application/wasm"}


@contextlib.contextmanager
def served(folder: Path, below: str = "") -> Iterator[str]:
    """Serve ``folder`` below a path such as "/docs"; gives its address, without a last slash."""
    kind = type("_Below", (_Quiet,), {"below": below})
    handler = functools.partial(kind, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}{below}"
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium that asks nobody for anything by itself."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()
