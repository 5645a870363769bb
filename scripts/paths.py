"""Where things stand in a clone."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
GUIDES = DOCS / "guides"
DATA = ROOT / "data"
NOTEBOOKS = ROOT / "notebooks"
BUILD = ROOT / "build"
STAGED = BUILD / "docs"
SITE = ROOT / "site"
ENVIRONMENTS = ROOT / ".envs"
