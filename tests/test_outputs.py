import nbformat
import pytest

from scripts.outputs import MAX_LINES, tidy, tidy_text

# What a kernel printed, and what may stay of it.
TEXTS = [
    ("/tmp/ipykernel_71/1034567.py:3: FutureWarning: old\n", "cell:3: FutureWarning: old\n"),
    (
        "/a/.venv/lib/python3.11/site-packages/torch/serialization.py:12: W",
        "torch/serialization.py:12: W",
    ),
    ("/usr/lib/python3.11/pickle.py", "pickle.py"),
    ("<A object at 0x7f00aa12cd30>", "<A object at 0x…>"),
    ("saved /tmp/knowledge-abc/x.pt", "saved <tmp>"),
    ("W1201 10:00:00.123456 4242 torch/_dynamo] hit", "[W] torch/_dynamo] hit"),
    ("\x1b[31mred\x1b[0m", "red"),
    ("a\nUSDT:2026-12-01 02:36:45 22069:22069 A.cpp:52] profiler_start\nb\n", "a\nb\n"),
    ("[W] x.py:1] [0/0] No CUDA runtime is found, using CUDA_HOME='/usr/local'\n", ""),
    ("bad (Triggered internally at /pytorch/x.cpp:12.)", "bad"),
    ("tensor([0., 1.])  0xff 2.10.0", "tensor([0., 1.])  0xff 2.10.0"),
]


@pytest.mark.parametrize(("before", "after"), TEXTS)
def test_nothing_of_the_machine_stays(before: str, after: str) -> None:
    assert tidy_text(before) == after
    assert tidy_text(after) == after


def test_long_output_is_cut_and_says_so() -> None:
    cut = tidy_text("\n".join(str(n) for n in range(1000)))
    assert cut.splitlines()[-1] == f"… {1000 - MAX_LINES + 2} more lines"
    assert tidy_text(cut) == cut


def test_a_traceback_keeps_the_cell_and_the_error() -> None:
    output = nbformat.from_dict(
        {
            "output_type": "error",
            "ename": "ValueError",
            "evalue": "no",
            "traceback": [
                "----",
                "\x1b[31mValueError\x1b[0m   Traceback (most recent call last)",
                "Cell \x1b[32mIn[2], line 1\x1b[0m\n----> 1 f()",
                "File /x/site-packages/torch/a.py:3, in f()",
                "ValueError: no",
            ],
        }
    )
    cell = nbformat.v4.new_code_cell("f()", outputs=[output])
    notebook, _ = tidy(nbformat.v4.new_notebook(cells=[cell]))
    assert notebook.cells[0].outputs[0].traceback == [
        "Cell In[2], line 1\n----> 1 f()",
        "ValueError: no",
    ]
