"""Make what a kernel printed short and the same on every machine.

Outputs go into committed notebooks and onto pages, so they carry no path, memory address, time or
process number of the machine that ran them, and a traceback is cut to the cell and the error.
"""

from __future__ import annotations

import re
from typing import Any

import nbformat
from nbformat import NotebookNode

MAX_LINES = 60
MAX_LINE = 400

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    # A warning or a frame from the cell itself: /tmp/ipykernel_71/1034567.py:3
    (re.compile(r"\S*ipykernel_\d+[/\\]\d+\.py"), "cell"),
    (re.compile(r"<ipython-input-[\w-]+>"), "cell"),
    # Installed packages are shown from the package on, on any machine and Python.
    (re.compile(r"[^\s'\"(]*(?:site|dist)-packages[/\\]"), ""),
    (re.compile(r"[^\s'\"(]*[/\\]lib[/\\]python3\.\d+[/\\]"), ""),
    (re.compile(r"(?:/tmp|/var/folders|/private/var)/[^\s'\":,)]+"), "<tmp>"),
    (re.compile(r"(?:/home|/root|/Users)/[^\s'\":,)]+"), "<home>"),
    (re.compile(r"\b0x[0-9a-fA-F]{6,}\b"), "0x…"),
    # glog and torch.distributed prefix their lines with date, time, process and thread.
    (re.compile(r"\[?\b([VIWE])\d{4} \d\d:\d\d:\d\d\.\d+(?: \d+)? ?"), r"[\1] "),
    (re.compile(r" ?\(Triggered internally at [^)]*\)\.?"), ""),
)


# Lines about the machine and not about the sample: the profiler's own log, and what a CUDA build
# says where there is no CUDA.
_NOISE = re.compile(
    r"^(?:USDT|STAGE|INFO|WARNING|ERROR):\d{4}-\d\d-\d\d .*\n?"
    r"|^.*No CUDA runtime is found, using CUDA_HOME=.*\n?",
    re.MULTILINE,
)


def tidy_text(text: str) -> str:
    """``text`` without color codes, paths, addresses, times; long lines and long output are cut."""
    text = _NOISE.sub("", _ANSI.sub("", text))
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    lines = text.split("\n")
    lines = [line if len(line) <= MAX_LINE else line[:MAX_LINE] + " …" for line in lines]
    if len(lines) > MAX_LINES:
        kept = (
            MAX_LINES - 2
        )  # with the two lines below no more than that, so a second pass cuts none
        lines = [*lines[:kept], f"… {len(lines) - kept} more lines", ""]
    return "\n".join(lines)


def tidy_output(output: NotebookNode) -> NotebookNode:
    """One output of a cell, tidied; the input is left as it is."""
    kind = output["output_type"]
    if kind == "stream":
        return _output(kind, name=output["name"], text=tidy_text(output["text"]))
    if kind == "error":
        name, value = output["ename"], tidy_text(output["evalue"])
        return _output(
            kind, ename=name, evalue=value, traceback=_cut(output["traceback"], name, value)
        )
    data = {
        mime: tidy_text(value) if isinstance(value, str) and mime.startswith("text/") else value
        for mime, value in output["data"].items()
    }
    if kind == "execute_result":
        return _output(kind, data=data, metadata={}, execution_count=output["execution_count"])
    return _output(kind, data=data, metadata={})


def tidy_outputs(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """All outputs of a cell, tidied, the pieces of one stream that stand together joined."""
    joined: list[NotebookNode] = []
    for output in outputs:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before["output_type"] == output["output_type"] == "stream"
            and before["name"] == output["name"]
        ):
            before["text"] += output["text"]
        else:
            joined.append(nbformat.from_dict(dict(output)))
    tidied = [tidy_output(output) for output in joined]
    return [one for one in tidied if one["output_type"] != "stream" or one["text"]]


def tidy(notebook: NotebookNode, resources: Any = None) -> tuple[NotebookNode, Any]:
    """Tidy every output of ``notebook`` in place; the shape of pytest-notebook's post-processors.

    Returns:
        The notebook and ``resources`` as they came in.
    """
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = tidy_outputs(cell["outputs"])
    return notebook, resources


def _cut(traceback: list[str], name: str, value: str) -> list[str]:
    """The frames of the cell, and the error: what a reader needs and what never moves."""
    frames = [tidy_text(part) for part in traceback]
    kept = [
        frame.rstrip() for frame in frames if re.match(r"(?:  )?(?:Cell In ?\[|File cell)", frame)
    ]
    return [*kept, f"{name}: {value}" if value else name]


def _output(kind: str, **content: Any) -> NotebookNode:
    made: NotebookNode = nbformat.from_dict({"output_type": kind, **content})
    return made
