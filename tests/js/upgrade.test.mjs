// The plan from one release to another, on entries that are made up here.
import assert from "node:assert/strict";
import { test } from "node:test";

const scripts = new URL("../../docs/assets/javascripts/", import.meta.url);
const { asData, asMarkdown, grepCommand, plan, timing } = await import(new URL("upgrade-plan.mjs", scripts).href);
const { isRead, findPlaces } = await import(new URL("upgrade-code.mjs", scripts).href);

const BLANK = {
  summary: "In 2.6 it changed.",
  do: "Do it.",
  look_for: [],
  uses: [],
  concerns: [],
  until: null,
  moved_in: [],
  possible_from: null,
  required_by: null,
  instead: "On the other side it is not so",
  stability: "stable",
  proof: "proven on 2.4 to 2.15 (CPU)",
  status: {},
};
const entry = (id, more) => ({ ...BLANK, id, title: id, ...more });
const data = {
  releases: ["2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "2.9", "2.10"],
  entries: [
    entry("removed", { kind: "removed", effect: "breaks", since: "2.7", possible_from: "2.5", required_by: "2.7" }),
    entry("late-way", { kind: "removed", effect: "breaks", since: "2.7", possible_from: "2.7", required_by: "2.7" }),
    entry("warned", { kind: "deprecated", effect: "warns", since: "2.6", possible_from: "2.4", required_by: "2.9" }),
    entry("silent", { kind: "changed", effect: "silent", since: "2.10", concerns: ["cuda"] }),
    entry("added", { kind: "added", effect: "harmless", since: "2.6", uses: ["compile"] }),
    entry("old-warning", { kind: "deprecated", effect: "warns", since: "2.4" }),
    entry("moved", { kind: "changed", effect: "silent", since: "2.4", moved_in: ["2.8"] }),
    entry("gone", { kind: "added", effect: "harmless", since: "2.4", until: "2.8" }),
  ],
};
const groups = (from, to, more = {}) =>
  Object.fromEntries(
    plan(data, { from, to, ...more }).groups.map(({ id, rows }) => [id, rows.map(({ entry: { id } }) => id)]),
  );

test("a break is met between the two releases, and only there", () => {
  assert.deepEqual(groups("2.5", "2.7").must, ["removed", "late-way"]);
  assert.deepEqual(groups("2.7", "2.8").must, []);
  assert.deepEqual(groups("2.4", "2.6").must, []);
});

test("releases are compared as versions, both ends as on a road: left out, arrived at", () => {
  assert.deepEqual(groups("2.9", "2.10").silent, ["silent"]);
  assert.deepEqual(groups("2.10", "2.10"), { must: [], silent: [], should: [], new: [], later: [] });
});

test("what a later release needs is told where it is possible", () => {
  assert.deepEqual(groups("2.5", "2.6").later, ["removed"]);
  assert.deepEqual(groups("2.5", "2.6").should, ["warned", "old-warning"]);
  assert.deepEqual(groups("2.8", "2.9").must, ["warned", "gone"]);
});

test("what moved again is met again", () => {
  assert.deepEqual(groups("2.7", "2.8").silent, ["moved"]);
  assert.deepEqual(groups("2.8", "2.9").silent, []);
});

test("the project's choices hide, and the number is told", () => {
  const all = plan(data, { from: "2.5", to: "2.10" });
  assert.equal(all.hidden, 0);
  const some = plan(data, { from: "2.5", to: "2.10", uses: ["onnx"], hardware: "cpu" });
  assert.equal(some.hidden, 2);
  assert.deepEqual(groups("2.5", "2.10", { uses: ["compile"] }).new, ["added"]);
});

test("what can be done before the upgrade comes first", () => {
  const [first, second] = plan(data, { from: "2.5", to: "2.7" }).groups[0].rows;
  assert.equal(first.ahead, true);
  assert.equal(second.ahead, false);
  const way = plan(data, { from: "2.5", to: "2.7" });
  assert.equal(timing(first, way), "Can be done on 2.5, needed by 2.7.");
  assert.equal(timing(second, way), "Possible from 2.7, needed by 2.7.");
});

test("the way back names what is not there", () => {
  assert.deepEqual(groups("2.7", "2.6").must, ["late-way"]);
  assert.deepEqual(groups("2.7", "2.6").should, ["removed"]);
  assert.deepEqual(groups("2.7", "2.5").new, ["added"]);
  assert.deepEqual(groups("2.10", "2.9").silent, ["silent"]);
  const [row] = plan(data, { from: "2.10", to: "2.9" }).groups.find(({ id }) => id === "silent").rows;
  assert.equal(row.action, "On the other side it is not so.");
});

test("a release that does not exist is refused with what is allowed", () => {
  assert.throws(() => plan(data, { from: "2.5", to: "3.0" }), /no release 3\.0; allowed: 2\.3, 2\.4/);
});

test("checklist and data say the same", () => {
  const made = plan(data, { from: "2.5", to: "2.7" });
  const link = (id) => `https://example.org/${id}/`;
  const text = asMarkdown(made, "https://example.org/upgrade/?from=2.5&to=2.7", link, "pip install torch==2.7.1");
  assert.match(text, /^# PyTorch 2\.5 to 2\.7\n/);
  assert.match(text, /- \[ \] \*\*removed\*\*: Do it\. Can be done on 2\.5, needed by 2\.7\./);
  assert.match(text, /pip install torch==2\.7\.1/);
  const found = asData(made, link);
  assert.deepEqual(
    found.groups.must.map(({ id, address }) => [id, address]),
    [
      ["removed", "https://example.org/removed/"],
      ["late-way", "https://example.org/late-way/"],
    ],
  );
});

test("a pattern is a grep command, and finds places in a file", () => {
  const one = { id: "x", look_for: [String.raw`torch\.load\(`, "it's"] };
  assert.equal(grepCommand(one), String.raw`grep -rnE -e 'torch\.load\(' -e 'it'\''s' .`);
  assert.equal(grepCommand({ id: "y", look_for: [] }), null);
  const found = new Map();
  findPlaces([one], "a.py", "import torch\nx = torch.load(p)\r\n", found);
  assert.deepEqual(found.get("x"), [{ file: "a.py", line: 2, text: "x = torch.load(p)" }]);
  assert.equal(isRead({ name: "a.py", size: 10, webkitRelativePath: "p/.venv/lib/a.py" }), false);
  assert.equal(isRead({ name: "a.bin", size: 10 }), false);
});
