"""The look for new releases, against an index and a list of runtimes served from this machine."""

import threading
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest
from requests.exceptions import RequestException

from scripts import watch
from scripts.releases import DEFAULT, load_releases

WHEELS = ["2.15.0", "2.16.0", "2.16.1", "2.17.0rc1"]
PYTHONS = ["cp312-cp312", "cp314-cp314t"]
PLATFORMS = ["manylinux_2_34_x86_64", "manylinux_2_34_aarch64", "macosx_15_0_arm64"]
LOCAL = ["cpu", "cu132", "cu134", "rocm7.3", "xpu"]
METADATA = """Metadata-Version: 2.4
Name: torch
Requires-Dist: filelock
Requires-Dist: cuda-toolkit[cublas]==13.4.1; platform_system == "Linux"
Requires-Dist: triton==4.0.1; platform_system == "Linux"
"""
README = """# Runtimes
### 2027.01

*   Python 3.13.1
*   PyTorch 2.14.1

### 2026.01

*   PyTorch 2.9.0
"""


def page(names: list[str]) -> str:
    digest = sha256(METADATA.encode()).hexdigest()
    about = f'data-requires-python="&gt;=3.12" data-core-metadata="sha256={digest}"'
    links = [f'<a href="{name}" {about}>{unquote(name)}</a>' for name in names]
    return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    names = [
        f"torch-{wheel}-{python}-{platform}.whl"
        for wheel in WHEELS
        for python in PYTHONS
        for platform in PLATFORMS
    ]
    local = [f"torch-2.16.1%2B{one}-cp312-cp312-linux_x86_64.whl" for one in LOCAL]
    for folder, found in (("default", names), ("whl", local)):
        (tmp_path / folder / "torch").mkdir(parents=True)
        (tmp_path / folder / "torch/index.html").write_text(page(found))
    for name in names:
        (tmp_path / "default/torch" / f"{name}.metadata").write_text(METADATA)
    (tmp_path / "README.md").write_text(README)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    monkeypatch.setattr(watch, "PYTORCH_INDEX", f"{address}whl/")
    monkeypatch.setattr(watch, "RUNTIMES", f"{address}README.md")
    yield f"{address}default/"
    server.shutdown()
    server.server_close()


def test_a_new_release_and_a_new_runtime_are_proposed(index: str, tmp_path: Path) -> None:
    text, said = watch.look(DEFAULT, index)
    assert said == [
        "PyTorch 2.16.1 is out; its record is proposed",
        "Colab has a runtime 2027.01 with PyTorch 2.14.1",
    ]
    (tmp_path / "releases.yml").write_text(text.replace(index.split("default")[0], "https://x/"))
    releases = load_releases(tmp_path / "releases.yml")
    new = releases.newest
    assert (new.release, new.patch) == ("2.16", "2.16.1")
    assert (new.triton, new.default_cuda) == ("4.0.1", "13.4")
    assert [build.tag for build in new.cuda] == ["cu132", "cu134"]
    assert new.python == ("3.12", "3.14t")
    assert (new.rocm, new.macos) == (("7.3",), "15_0 arm64")
    assert dict(new.manylinux) == {"x86_64": "manylinux_2_34", "aarch64": "manylinux_2_34"}
    assert new.index.xpu == "https://x/whl/xpu"
    colab = releases.by_minor("2.14").colab
    assert colab is not None
    assert colab.runtime == "2027.01"
    # All that people wrote stands as it did.
    old = DEFAULT.read_text().replace("  colab: null\n", "")
    assert [line for line in old.splitlines() if line not in text.splitlines()] == []


def test_a_new_patch_release_changes_two_lines(index: str, tmp_path: Path) -> None:
    older = DEFAULT.read_text().replace('patch: "2.15.0"', 'patch: "2.15.0"  # yes')
    (tmp_path / "releases.yml").write_text(older)
    server = tmp_path / "default/torch/index.html"
    server.write_text(page(["torch-2.15.3-cp312-cp312-manylinux_2_28_x86_64.whl"]))
    text, said = watch.look(tmp_path / "releases.yml", index)
    assert said[0] == "PyTorch 2.15.3 is out; the record has 2.15.0"
    (tmp_path / "new.yml").write_text(text)
    assert load_releases(tmp_path / "new.yml").newest.patch == "2.15.3"


def test_an_index_that_does_not_answer_is_an_error_and_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(RequestException):
        watch.look(DEFAULT, "http://127.0.0.1:9/")
