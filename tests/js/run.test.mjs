import assert from "node:assert/strict";
import { test } from "node:test";

import { indent, newline } from "../../docs/assets/javascripts/run-edit.mjs";
import { cut, duration, grouped, lastLine, progressText } from "../../docs/assets/javascripts/run-format.mjs";
import { tokens } from "../../docs/assets/javascripts/run-highlight.mjs";
import { ownReferences } from "../../docs/assets/javascripts/run-svg.mjs";

/** @param {string} source */
const classes = (source) => tokens(source).filter(([name]) => name);

test("progress names each download, with a total once it is known", () => {
  const files = new Map();
  assert.equal(progressText(files), "Loading Python");
  files.set("python_stdlib.zip", { loaded: 812_345, total: null });
  assert.equal(progressText(files), "standard library 0.8 MB");
  files.set("pyodide.asm.wasm", { loaded: 3_100_000, total: 9_598_218 });
  files.set("python_stdlib.zip", { loaded: 2_545_637, total: 2_545_637 });
  assert.equal(progressText(files), "Python runtime 3.1 of 9.6 MB, standard library 2.5 of 2.5 MB");
});

test("sentences about time and length", () => {
  assert.equal(duration(0.004), "less than 0.01 s");
  assert.equal(duration(0.314), "0.31 s");
  assert.equal(duration(12.6), "13 s");
  assert.equal(grouped(999), "999");
  assert.equal(grouped(1234567), "1\u2009234\u2009567");
  assert.equal(cut("abcdef", 6), "abcdef");
  assert.equal(cut("abcdef", 4), "abcd\n… 2 more characters not shown");
  assert.equal(lastLine("Traceback …\n  File …\nValueError: no\n"), "ValueError: no");
});

test("highlighting never changes the text", () => {
  const sources = [
    "",
    "x",
    "def f(a, *, b=1.5e-3) -> None:\n    return f'{a!r}' # é\n",
    '"""never closed\n',
    "'never closed\nx = 1",
    'r"\\" + b"\\\\"',
    "'''a\n'b''\n'''\n@dec.orator\nclass Ünï: pass\n",
    "0x1f 1_000 .5 3j a.print 漢字 ? $ \\ `",
    "\n\n\t \r\n",
  ];
  for (const source of sources) {
    assert.equal(tokens(source).map(([, text]) => text).join(""), source);
  }
});

test("highlighting uses the names that Pygments uses", () => {
  assert.deepEqual(classes("def f(self): return None"), [
    ["k", "def"],
    ["nf", "f"],
    ["p", "("],
    ["bp", "self"],
    ["p", "):"],
    ["k", "return"],
    ["kc", "None"],
  ]);
  assert.deepEqual(classes("import os  # c"), [["kn", "import"], ["n", "os"], ["c1", "# c"]]);
  assert.deepEqual(classes("rb'a' + f\"b\""), [["s1", "rb'a'"], ["o", "+"], ["s2", 'f"b"']]);
  const names = classes("print(x.print, 1, 2.5)").map(([name]) => name);
  assert.equal(names.join(" "), "nb p n p n p mi p mf p");
  const decorated = classes("@cache\nclass A: pass").slice(0, 3);
  assert.deepEqual(decorated, [["nd", "@cache"], ["k", "class"], ["nc", "A"]]);
  assert.deepEqual(classes("'a\nx"), [["s1", "'a"], ["n", "x"]]);
});

/** @typedef {import("../../docs/assets/javascripts/run-edit.mjs").Edit} Edit */

/**
 * @param {string} source with | at both ends of the selection, or once for a caret
 * @param {(source: string, start: number, end: number) => Edit} key
 * @returns {string} the text after the key, marked in the same way
 */
function press(source, key) {
  const start = source.indexOf("|");
  const end = source.lastIndexOf("|") - (source.indexOf("|") === source.lastIndexOf("|") ? 0 : 1);
  const plain = source.replaceAll("|", "");
  const edit = key(plain, start, end);
  const text = plain.slice(0, edit.from) + edit.text + plain.slice(edit.to);
  const marked = `${text.slice(0, edit.start)}|${text.slice(edit.start)}`;
  if (edit.start === edit.end) return marked;
  return `${marked.slice(0, edit.end + 1)}|${marked.slice(edit.end + 1)}`;
}

test("Tab indents at the caret to the next stop, or all lines of a selection", () => {
  /** @param {string} source */
  const tab = (source) => press(source, (text, start, end) => indent(text, start, end, false));
  assert.equal(tab("|x"), "    |x");
  assert.equal(tab("a\n ab|"), "a\n ab |");
  assert.equal(tab("a|b\n\nc|d\ne"), "    a|b\n\n    c|d\ne");
  assert.equal(tab("|a\n|b"), "    |a\n|b");
});

test("Shift+Tab takes indentation away", () => {
  /** @param {string} source */
  const back = (source) => press(source, (text, start, end) => indent(text, start, end, true));
  assert.equal(back("        x|"), "    x|");
  assert.equal(back("  |x\n    y"), "|x\n    y");
  assert.equal(back("|x"), "|x");
  assert.equal(back("    a|b\n  c\n    d|"), "a|b\nc\nd|");
});

test("Enter keeps the indentation and adds to it after a colon", () => {
  assert.equal(press("    x = 1|", newline), "    x = 1\n    |");
  assert.equal(press("if x:|", newline), "if x:\n    |");
  assert.equal(press("|x:", newline), "\n|x:");
  assert.equal(press("  a|bc|d", newline), "  a\n  |d");
});

test("a picture refers to nothing but itself", () => {
  assert.equal(ownReferences("id", "p", "k-"), "k-p");
  assert.equal(ownReferences("fill", "url(#p)", "k-"), "url(#k-p)");
  assert.equal(ownReferences("fill", " URL( '#p' ) ", "k-"), "url(#k-p)");
  assert.equal(ownReferences("fill", "url(https://example.org/a.svg#p)", "k-"), null);
  assert.equal(ownReferences("fill", "url(#p) url(//example.org)", "k-"), null);
  assert.equal(ownReferences("href", "#p", "k-"), "#k-p");
  assert.equal(ownReferences("xlink:href", "a.svg#p", "k-"), null);
  assert.equal(ownReferences("aria-labelledby", "t d", "k-"), "k-t k-d");
  assert.equal(ownReferences("d", "M0 0h1", "k-"), "M0 0h1");
});
