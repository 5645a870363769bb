"""The project's addresses: one setting in ``mkdocs.yml`` each, which the environment overrides."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache

from scripts.paths import NOTEBOOKS, ROOT


@dataclass(frozen=True)
class Settings:
    """Where the site and the repository are; every link is built from these."""

    site_url: str
    """Address of the site, ending in a slash."""
    repo_url: str
    """Address of the repository on GitHub, without a slash at the end."""
    branch: str
    """The branch whose notebooks the links name."""

    @property
    def repo(self) -> str:
        """``owner/name``."""
        return "/".join(self.repo_url.split("/")[-2:])

    def colab(self, path: str) -> str:
        """Address that opens ``path`` of the repository in Colab."""
        return f"https://colab.research.google.com/github/{self.repo}/blob/{self.branch}/{path}"

    def github(self, path: str) -> str:
        """Address that shows ``path`` of the repository on GitHub."""
        return f"{self.repo_url}/blob/{self.branch}/{path}"

    def raw(self, path: str) -> str:
        """Address that downloads ``path`` of the repository."""
        return f"https://raw.githubusercontent.com/{self.repo}/{self.branch}/{path}"


def notebook_path(entry_id: str, release: str, hardware: str) -> str:
    """Path of a notebook in the repository: ``notebooks/2.6/cpu/<topic>/<entry>.ipynb``."""
    return f"{NOTEBOOKS.name}/{release}/{hardware}/{entry_id}.ipynb"


@lru_cache
def load_settings() -> Settings:
    """Read the settings from ``mkdocs.yml``, as mkdocs itself reads them (``!ENV`` included)."""
    from mkdocs.utils.yaml import yaml_load

    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        config = yaml_load(file)
    return Settings(
        site_url=config["site_url"].rstrip("/") + "/",
        repo_url=config["repo_url"].rstrip("/"),
        branch=os.environ.get("KB_BRANCH") or config["extra"]["branch"],
    )
