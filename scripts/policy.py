"""The Content-Security-Policy that each page carries, with the hashes of its own inline scripts.

It stands in the page because a static host sends no header of ours. Scripts run only from the site
itself, or if their text is the one that was built; nothing is asked of any other host.
"""

from __future__ import annotations

import base64
import hashlib
import re

_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)
_CHARSET = re.compile(r"<meta charset=[^>]*>")

POLICY = {
    "default-src": "'none'",
    "base-uri": "'self'",
    "connect-src": "'self'",
    "font-src": "'self'",
    "form-action": "'self'",
    "img-src": "'self' data:",
    "manifest-src": "'self'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    # Plots are SVG with styles of their own.
    "style-src": "'self' 'unsafe-inline'",
    "worker-src": "'self'",
}
"""Each directive and its sources; the hashes of inline scripts are added to ``script-src``."""


def inline_hashes(page: str) -> list[str]:
    """The hashes of the scripts that stand in an HTML page, in order, each once."""
    found = []
    for match in _SCRIPT.finditer(page):
        attributes = match["attributes"]
        if re.search(r"\bsrc=", attributes) or "application/" in attributes:
            continue  # a file, or data
        digest = hashlib.sha256(match["text"].encode()).digest()
        found.append(f"'sha256-{base64.b64encode(digest).decode()}'")
    return list(dict.fromkeys(found))


def with_policy(page: str) -> str:
    """The HTML page with its policy as the first thing after its character set."""
    sources = POLICY | {
        "script-src": " ".join([POLICY["script-src"], *inline_hashes(page)]),
    }
    content = "; ".join(f"{name} {value}" for name, value in sources.items())
    tag = f'<meta http-equiv="Content-Security-Policy" content="{content}">'
    return _CHARSET.sub(lambda match: match[0] + tag, page, count=1)
