"""The picture that stands beside a link to a page in a chat or a feed: 1200 x 630, made once.

A picture is kept in ``build/cards`` under the hash of what stands on it, so that a build draws only
what is new.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import textwrap
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from scripts.paths import ROOT

CACHE = ROOT / "build" / "cards"
SIZE = (1200, 630)
DRAWN_AS = "2"
"""Changed whenever the drawing below is, so that no old picture is taken."""
GROUND, INK, QUIET, ACCENT = "#22272e", "#ffffff", "#aab2bd", "#ff9d85"
MARGIN, WIDTH = 80, 34
"""Pixels around; letters in a line of the title."""


def card(title: str, line: str, target: Path) -> None:
    """Write the picture for a page.

    Args:
        title: of the page, at most four lines of it.
        line: what stands below, such as "since 2.6, proven on 2.6 to 2.15".
        target: a PNG file; it is written in one go.
    """
    key = hashlib.sha256("\0".join((DRAWN_AS, title, line)).encode()).hexdigest()[:32]
    kept = CACHE / f"{key}.png"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        half = kept.with_suffix(f".{os.getpid()}.part")
        _draw(title, line).save(half, format="PNG")
        half.replace(kept)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kept, target)


def _draw(title: str, line: str) -> Image.Image:
    picture = Image.new("RGB", SIZE, GROUND)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 16, SIZE[1]), fill=ACCENT)
    draw.text((MARGIN, 70), "PyTorch Knowledge Patch", font=_font(36), fill=QUIET)
    lines = textwrap.wrap(title, WIDTH, max_lines=4, placeholder=" …")
    draw.multiline_text((MARGIN, 170), "\n".join(lines), font=_font(62), fill=INK, spacing=18)
    below = textwrap.shorten(line, 70, placeholder=" …")
    draw.text((MARGIN, SIZE[1] - 100), below, font=_font(34), fill=ACCENT)
    return picture


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
