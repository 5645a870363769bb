from pathlib import Path

import pytest
from packaging.specifiers import InvalidSpecifier
from packaging.version import Version
from pydantic import BaseModel, ConfigDict

from scripts.coverage import load_coverage
from scripts.errors import SourceError
from scripts.releases import REFERENCE_RELEASE, Release, load_releases, version_key
from scripts.yamlread import load_yaml, validate

MINORS = ("2.4", "2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15")


def test_the_twelve_releases_stand_in_order() -> None:
    releases = load_releases()
    assert releases.minors == MINORS
    assert (releases.oldest.release, releases.newest.release) == ("2.4", "2.15")
    assert releases.by_minor(REFERENCE_RELEASE).patch == "2.13.0"
    dates = [record.date for record in releases.records]
    assert dates == sorted(dates)


def test_releases_compare_as_versions() -> None:
    assert version_key("2.9") < version_key("2.10")
    assert sorted(set(MINORS), key=version_key) == list(MINORS)


def test_an_unknown_release_names_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"no release 2\.3; allowed: 2\.4, .*, 2\.15"):
        load_releases().by_minor("2.3")


@pytest.mark.parametrize("record", load_releases().records, ids=lambda record: record.release)
def test_a_record_agrees_with_itself(record: Release) -> None:
    build = record.default_build
    assert build.capabilities, "the default wheel is at hand, so its capabilities are known"
    assert record.index.cuda is not None
    assert record.index.cuda.endswith(f"/{build.tag}")
    for one in record.cuda:
        known = [Version(capability) for capability in one.capabilities or ()]
        assert known == sorted(known)


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        (">=2.4", MINORS),
        (">=2.14", ("2.14", "2.15")),
        ("<2.6", ("2.4", "2.5")),
        ("<=2.5", ("2.4", "2.5")),  # its newest patch is 2.5.1, and the whole series is meant
        ("==2.14", ("2.14",)),
        ("~=2.13", ("2.13", "2.14", "2.15")),
        (">=2.8,!=2.9,<2.11", ("2.8", "2.10")),
        (">2.9,<2.12", ("2.10", "2.11")),
        ("==2.*", MINORS),
        (">=2.16", ()),
        ("", MINORS),
    ],
)
def test_matching(specifier: str, expected: tuple[str, ...]) -> None:
    assert tuple(load_releases().matching(specifier)) == expected


@pytest.mark.parametrize("specifier", [">=2.9.1", "2.6", ">=two", "===2.6+cpu"])
def test_matching_refuses_what_is_no_range_of_minor_releases(specifier: str) -> None:
    with pytest.raises(InvalidSpecifier):
        load_releases().matching(specifier)


RECORD = """\
releases:
- release: "2.16"
  patch: "2.16.0"
  date: 2026-12-22
  patch_date: 2026-12-22
  python: ["3.11", "3.12"]
  requires_python: ">=3.11"
  cuda:
  - {version: "13.2", tag: cu132, status: stable}
  default_cuda: "13.2"
  rocm: null
  xpu: null
  cxx11_abi: {default: true}
  cxx_standard: c++20
  manylinux: {x86_64: manylinux_2_28}
  macos: 14_0 arm64
  triton: "3.10.0"
  index: {cpu: null, cuda: null, rocm: null, xpu: null, mps: default}
  colab: null
  extras: {numpy: "2.4.6"}
  samples_python: "3.11"
  sources: [https://github.com/pytorch/pytorch/releases]
"""


def read(folder: Path, text: str) -> str:
    """What reading ``text`` as the data file says after the file's name."""
    path = folder / "releases.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        load_releases(path)
    return str(caught.value).removeprefix(f"{path}:")


def test_a_whole_record_is_read(tmp_path: Path) -> None:
    path = tmp_path / "releases.yml"
    path.write_text(RECORD, encoding="utf-8")
    assert load_releases(path).minors == ("2.16",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'release: "2.16"',
            "release: 2.10",
            '2: releases[0].release: YAML does not read 2.10 as text; allowed: "2.10", in quotes',
        ),
        (
            'numpy: "2.4.6"',
            "numpy: 2.0",
            '20: releases[0].extras.numpy: YAML does not read 2.0 as text; allowed: "2.0", '
            "in quotes",
        ),
        (
            'release: "2.16"',
            'release: "2.16.0"',
            '2: releases[0].release: "2.16.0" is not of the right form; allowed: a minor release '
            'like "2.10"',
        ),
        (
            "status: stable",
            "status: good",
            '9: releases[0].cuda[0].status: "good" is not known; allowed: stable, experimental, '
            "unknown",
        ),
        (
            "tag: cu132",
            "tags: cu132",
            '9: releases[0].cuda[0]: unknown key "tags"; allowed: version, tag, status, ',
        ),
        (
            "tag: cu132, ",
            "",
            '9: releases[0].cuda[0]: the key "tag" is missing',
        ),
        (
            "status: stable",
            "status: stable, nvcc: 1",
            '9: releases[0].cuda[0]: unknown key "nvcc"; allowed: version, tag, status, '
            "min_capability, capabilities, cudnn, nccl, driver",
        ),
        (
            "tag: cu132",
            "tag: cu130",
            '9: releases[0].cuda[0]: "cu130" is not the tag of CUDA 13.2',
        ),
        (
            'default_cuda: "13.2"',
            'default_cuda: "13.0"',
            "2: releases[0]: default_cuda 13.0 is no build; allowed: 13.2",
        ),
        (
            '["3.11", "3.12"]',
            '"3.11"',
            '6: releases[0].python: "3.11" is not a list; allowed: a list like [3.11]',
        ),
        (
            "date: 2026-12-22",
            "date: 2026-13-22",
            '4: "2026-13-22" is not a value: month must be in 1..12',
        ),
        (
            "colab: null",
            'xpu: "2026.1"',
            '19: the key "xpu" stands twice; first on line 12',
        ),
        (
            "colab: null",
            "3.13: null",
            '19: a key must be text; write "3.13"',
        ),
        (
            "colab: null",
            "colab: {runtime",
            "20: not valid YAML: while parsing a flow mapping, expected ",
        ),
        (
            "colab: null",
            "colab: 2026.07",
            "19: releases[0].colab: one value stands here; allowed: keys (runtime, torch)",
        ),
        (
            "xpu: null\n",
            "xpu: null\n  known_by: {cudda: seen}\n",
            '2: releases[0]: known_by speaks of "cudda", which is no key of a record',
        ),
    ],
)
def test_a_mistake_names_its_line_and_what_is_allowed(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in RECORD
    assert read(tmp_path, RECORD.replace(old, new, 1)).startswith(message)


def test_the_order_of_releases_is_checked(tmp_path: Path) -> None:
    again = RECORD + RECORD.split("\n", 1)[1].replace("2.16", "2.9")
    assert read(tmp_path, again) == "1: 2.9 stands after 2.16; allowed: oldest first, each once"


def test_no_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"absent\.yml:1: cannot be read: "):
        load_releases(tmp_path / "absent.yml")
    assert read(tmp_path, "") == "1: nothing stands here; allowed: keys (releases)"


class Leaf(BaseModel):
    model_config = ConfigDict(extra="forbid")

    since: str


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")

    one: Leaf | str
    many: tuple[Leaf, ...] = ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one: a\nmany:\n- since: '1'\n- {}\n", 'a.md:5: many[1]: the key "since" is missing'),
        ("one: a\nmany: [{since: 1}]\nmore: 2\n", "a.md:3: many[0].since: YAML does not read 1"),
        ("one: &x a\nmany: *x\n", "a.md:3: an alias (*name) is not read; write the value out"),
        ("one: !!set {a, b}\n", "a.md:2: the tag tag:yaml.org,2002:set is not read"),
        ("one: a\n\x00\n", "a.md:3: not readable as YAML: "),
    ],
)
def test_lines_count_from_where_the_text_starts(text: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        validate(Tree, load_yaml(text, "a.md", first_line=2), "a.md")
    assert str(caught.value).startswith(message)


def test_the_subjects_to_cover(tmp_path: Path) -> None:
    coverage = load_coverage()
    assert len(coverage.ids) == len(coverage.rows)
    assert {row.since for row in coverage.rows} - {None} <= set(MINORS)
    path = tmp_path / "coverage.yml"
    path.write_text("groups:\n  a:\n  - {id: x, line: one}\n  b:\n  - {id: x, line: two}\n")
    with pytest.raises(SourceError, match=r':5: the id "x" stands in two rows'):
        load_coverage(path)
