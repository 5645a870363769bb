// What people type, and which entry they must find first. Run with `node --test tests/js/`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import MiniSearch from "minisearch";

const scripts = new URL("../../docs/assets/javascripts/", import.meta.url);
const { createEngine } = await import(new URL("search-engine.mjs", scripts).href);
const { readAddress, writeAddress } = await import(new URL("search-filters.mjs", scripts).href);
const { plain, segments, snippet } = await import(new URL("search-highlight.mjs", scripts).href);
const { stem, tokenize } = await import(new URL("search-tokenize.mjs", scripts).href);
const { errorLine } = await import(new URL("search-traceback.mjs", scripts).href);

const data = JSON.parse(readFileSync(new URL("records.json", import.meta.url), "utf8"));
let engine;
before(async () => {
  engine = await createEngine(MiniSearch, data);
});

const slug = (id) => id.split("/").at(-1);
const found = (query, filters) => engine.search(query, filters).results.map(({ record }) => slug(record.id));

const TRACEBACK = `[rank0]: Traceback (most recent call last):
[rank0]:   File "/home/me/train.py", line 12, in <module>
[rank0]:     state = torch.load("run.pt")
[rank0]:             ^^^^^^^^^^^^^^^^^^^^
[rank0]:   File "/opt/venv/lib/python3.11/site-packages/torch/serialization.py", line 1470, in load
[rank0]:     raise pickle.UnpicklingError(_get_wo_message(str(e))) from None
[rank0]: _pickle.UnpicklingError: Weights only load failed. This file can still be loaded, to do so you have two options.
[rank0]: \tWeightsUnpickler error: Unsupported global: GLOBAL numpy.core.multiarray.scalar was not an allowed global by default. Please use \`torch.serialization.add_safe_globals\`.

Check the documentation of torch.load to learn more about types accepted by default with weights_only https://example.org/.
`;

const FIRST = [
  // A name in any form.
  ["torch.compiler.set_stance", "set-stance"],
  ["compiler.set_stance", "set-stance"],
  ["set_stance", "set-stance"],
  ["set stance", "set-stance"],
  ["setStance", "set-stance"],
  ["setstance", "set-stance"],
  ["F.scaled_mm", "scaled-mm"],
  ["create_block_mask", "flex-block-mask"],
  ["BlockMask", "flex-block-mask"],
  ["block mask", "flex-block-mask"],
  ["get_unsafe_globals_in_checkpoint", "load-unsafe-globals-in-checkpoint"],
  // While typing.
  ["set_sta", "set-stance"],
  ["torch.compiler.set_st", "set-stance"],
  ["get unsafe glob", "load-unsafe-globals-in-checkpoint"],
  // Private names.
  ["_dynamo.config", "recompile-limit"],
  ["torch._dynamo.config.cache_size_limit", "recompile-limit"],
  ["torch._scaled_mm returns 2 values", "scaled-mm"],
  ["_flatten", "mesh-flattened-slice"],
  // Typos.
  ["set_stnace", "set-stance"],
  ["flexatention", "flex-score-mod"],
  ["recompile_limt", "recompile-limit"],
  ["torch.onnx.exportt fallback", "onnx-fallback-removed"],
  // Other names for it.
  ["FSDP2", "fsdp2-fully-shard"],
  ["AOTI", "aoti-package"],
  ["DCP", "dcp-save-load"],
  ["RTX 5090", "wheel-blackwell"],
  ["intel gpu", "accelerator-api"],
  // Arguments, flags, numbers.
  ["weights_only=True", "load-cve-2025-32434"],
  ["cve 2025 32434", "load-cve-2025-32434"],
  ["-std=c++17 extension stopped compiling", "extensions-cpp20"],
  ["cuda 13.0", "wheel-default-cuda-13"],
  // Errors, in part, whole, with what stands around them.
  [
    "Weights only load failed. This file can still be loaded, to do so you have two options",
    "load-weights-only-default",
  ],
  [TRACEBACK, "load-weights-only-default"],
  [TRACEBACK.replaceAll("\n", " "), "load-weights-only-default"],
  ["TypeError: export() got an unexpected keyword argument 'fallback'", "onnx-fallback-removed"],
  [
    "AttributeError: module 'torch.export' has no attribute 'export_for_training'",
    "export-for-training-removed",
  ],
  ["torch.qr RuntimeError", "cholesky-removed"],
  ["sm_120 is not compatible with the current PyTorch installation", "wheel-blackwell"],
  ["KeyError Mesh dim indices should be in ascending order", "mesh-flattened-slice"],
  ["prepare_pt2e XNNPACKQuantizer import error", "pt2e-moved-to-torchao"],
  // Questions.
  ["varlen_attn causal", "varlen-attn-window"],
  ["torch.library.impl_abstract removed?", "impl-abstract-renamed"],
  ["from torch.distributed._composable.fsdp import fully_shard still valid?", "fsdp2-fully-shard"],
  ["how do I move the compile cache to another machine", "portable-cache"],
  [
    "allow_tf32 deprecated warning, replaced it, now RuntimeError mix of legacy and new",
    "fp32-precision-mixing",
  ],
  ["graph breaks", "error-on-graph-break"],
];

for (const [query, expected] of FIRST) {
  test(`first for: ${query.slice(0, 70).replaceAll("\n", " ")}`, () =>
    assert.equal(found(query)[0], expected));
}

test("a release is found as a whole, never by its beginning", () => {
  assert.deepEqual(tokenize("2.10 2.1 v2.9.1 torch==2.6.0+cu124 python3.14"), [
    ...["2.10", "2.1", "2.9.1", "2.9", "torch", "2.6.0", "2.6", "cu124", "python", "3.14"],
  ]);
  assert.deepEqual(found("2.1"), []);
  assert.ok(!found("2.1").includes("extensions-cpp20"));
  assert.ok(found("2.12").includes("extensions-cpp20"));
});

test("spellings of a name give the same term", () => {
  for (const name of ["set_stance", "setStance", "set-stance", "SetStance", "SET_STANCE"]) {
    assert.ok(tokenize(name).includes(stem("setstance")), name);
  }
  assert.deepEqual(tokenize("_flatten"), ["_flatten", "flatten"]);
  assert.ok(tokenize("XNNPACKQuantizer").includes("xnnpack"));
  assert.ok(tokenize("weights_only=True").includes("weightsonly=true"));
  assert.ok(tokenize("-std=c++17").includes("c++17"));
  assert.deepEqual(tokenize("loading loads loaded"), ["load", "load", "load"]);
});

test("what shares only a word of a name with the query is left out", () => {
  assert.deepEqual(found("torch.compiler.set_stance"), ["set-stance"]);
});

test("a query of stop words alone is no error", () => {
  assert.deepEqual(engine.search("what is it").results, []);
  assert.deepEqual(engine.search("  \n ").results, []);
});

test("hostile input ends quickly", () => {
  for (const part of ["x", "a.", "a/", "a_", "1.", "aB", 'File "', "(", "a=", "\0", "\u202e"]) {
    const start = performance.now();
    engine.search(part.repeat(20_000));
    assert.ok(performance.now() - start < 2_000, JSON.stringify(part));
  }
});

test("of a traceback the line that matters is searched", () => {
  const line = /^WeightsUnpickler error: Unsupported global: GLOBAL numpy\.core\.multiarray\.scalar/;
  assert.match(errorLine(TRACEBACK), line);
  assert.match(errorLine(TRACEBACK.replaceAll("\n", " ")), line);
  assert.equal(errorLine("set_stance"), "set_stance");
  assert.equal(
    errorLine("/x/site-packages/torch/onnx/__init__.py:12: FutureWarning: dynamo is the default"),
    "FutureWarning: dynamo is the default",
  );
  assert.equal(
    errorLine(
      'torch._dynamo.exc.Unsupported: Data-dependent branching\n  Hint: use torch.cond\n\nfrom user code:\n   File "x.py", line 4, in f\n    if x:\n',
    ),
    "torch._dynamo.exc.Unsupported: Data-dependent branching",
  );
  assert.match(
    errorLine(
      "RuntimeError: CUDA error: no kernel image is available\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1",
    ),
    /^RuntimeError: CUDA error: no kernel image is available$/,
  );
});

test("the reader's release orders and marks, and hides nothing", () => {
  const { results, outside } = engine.search("set_stance", { torch: "2.5" });
  assert.equal(slug(results[0].record.id), "set-stance");
  assert.equal(results[0].applies, false);
  assert.equal(outside, 0);
  // Of two that answer alike, the one that holds in the release comes first.
  assert.equal(found("safe_globals", { torch: "2.5" })[0], "load-safe-globals");
  assert.equal(found("DeviceMesh", { torch: "2.15" })[0], "mesh-flattened-slice");
});

// Two records alike but for one thing; the names put the one that must come first last in the alphabet.
const TWINS = [
  ["what holds in the release", "allocator", { torch: "2.5" }, { since: "2.6" }, { since: "2.4" }],
  ["what begins in the release named", "allocator in 2.9", {}, { since: "2.6" }, { since: "2.9" }],
  [
    "what begins on the way",
    "allocator",
    { from: "2.6", to: "2.9" },
    { since: "2.6", until: "2.7" },
    { since: "2.9" },
  ],
  [
    "the same error over the same words",
    "RuntimeError: expected a contiguous allocator here",
    {},
    { errors: ["RuntimeError: here a contiguous expected allocator"] },
    { errors: ["RuntimeError: expected a contiguous allocator here"] },
  ],
  [
    "what the error puts in quotes over a word of the message",
    "unexpected 'pooling'",
    {},
    { text: "unexpected" },
    { text: "ring_pool" },
  ],
  ["a name over its words", "ring pool", {}, { text: "the pool to ring" }, { text: "ring_pool" }],
  [
    "the name in the title over more of it elsewhere",
    "ring_pool",
    {},
    { summary: "ring_pool", text: "ring_pool" },
    { title: "ring_pool" },
  ],
];

for (const [name, query, filters, other, first] of TWINS) {
  test(`${name} comes first`, async () => {
    const base = {
      ...data.records[0],
      title: "Allocator",
      summary: "",
      text: "",
      code: "",
      errors: [],
      symbols: [],
    };
    const records = [{ ...base, id: "a", ...other }, { ...base, id: "b", ...first }, ...data.records];
    const { results } = (await createEngine(MiniSearch, { ...data, records })).search(query, filters);
    assert.equal(results[0].record.id, "b");
  });
}

test("only what applies is a filter, and counts what it hides", () => {
  const { results, outside } = engine.search("set_stance", { torch: "2.5", only: true });
  assert.deepEqual(results, []);
  assert.ok(outside >= 1);
  assert.equal(engine.search("set_stance", { torch: "2.10", only: true }).outside, 0);
});

const FILTERED = [
  // query, filters, an entry inside, an entry outside
  ["export", { kind: "removed" }, "onnx-fallback-removed", "aoti-package"],
  ["attention", { hardware: "cuda" }, "varlen-attn-window", undefined],
  ["weights_only", { topic: "compiler-and-attention" }, undefined, "load-weights-only-default"],
  ["checkpoint", { stability: "stable" }, "dcp-save-load", undefined],
  ["safe_globals", { from: "2.5", to: "2.6" }, "load-weights-only-default", "load-safe-globals"],
  // The statement about 2.10 alone ends with 2.11.
  ["mesh", { from: "2.10", to: "2.11" }, "mesh-flattened-slice", undefined],
  ["mesh", { from: "2.11", to: "2.12" }, undefined, "mesh-flattened-slice"],
  // 2.9 comes before 2.10.
  ["torchscript", { from: "2.9", to: "2.10" }, "torchscript-deprecated", undefined],
  ["torchscript", { from: "2.10", to: "2.12" }, undefined, "torchscript-deprecated"],
  ["torchscript", { from: "2.10", to: "2.10" }, "torchscript-deprecated", undefined],
];

for (const [query, filters, inside, hidden] of FILTERED) {
  test(`${query} with ${JSON.stringify(filters)}`, () => {
    const all = engine.search(query);
    const { results, outside } = engine.search(query, filters);
    assert.equal(results.length + outside, all.results.length, "what is hidden is counted");
    const names = results.map(({ record }) => slug(record.id));
    if (inside) assert.ok(names.includes(inside), names.join());
    if (hidden) assert.ok(!names.includes(hidden) && outside > 0, names.join());
  });
}

test("filters alone list what they let through", () => {
  const { results } = engine.search("", { kind: "removed", from: "2.10", to: "2.11" });
  assert.deepEqual(results.map(({ record }) => slug(record.id)).sort(), [
    "export-for-training-removed",
    "onnx-fallback-removed",
    "pt2e-moved-to-torchao",
  ]);
  assert.deepEqual(engine.search("", {}).results, []);
  assert.deepEqual(engine.search("", { torch: "2.6" }).results, [], "the release alone is no question");
});

test("the address says all of a search and nothing else", () => {
  const asked =
    "q=a%20b&torch=2.9.1&only=applies&from=2.8&to=2.5&hardware=CUDA&kind=removed&topic=t&stability=beta";
  const { query, filters } = readAddress(new URLSearchParams(asked));
  assert.equal(query, "a b");
  assert.deepEqual(
    { ...filters },
    {
      ...{ torch: "2.9", only: true, from: "2.5", to: "2.8", hardware: "cuda" },
      ...{ kind: "removed", topic: "t", stability: "beta" },
    },
  );
  const written = writeAddress(new URL("https://example.org/search/?utm=1&q=old#x"), query, filters);
  assert.deepEqual(readAddress(written.searchParams), { query, filters });
  assert.equal(written.searchParams.get("utm"), "1");
  assert.equal(written.hash, "#x");
  assert.equal(writeAddress(new URL("https://example.org/search/?torch=2.6&q=x"), "", {}).search, "");
  assert.equal(readAddress(new URLSearchParams("torch=latest")).filters.torch, undefined);
});

test("what matched is marked, and only that", () => {
  const [result] = engine.search("set_stance").results;
  const marked = (text) =>
    segments(text, result.terms)
      .filter(({ hit }) => hit)
      .map(({ text: part }) => part);
  assert.deepEqual(marked("torch.compiler.set_stance sets what torch.compile does"), ["set_stance"]);
  const text = "a <b>set_stance</b> & so on";
  assert.equal(
    segments(text, result.terms)
      .map((part) => part.text)
      .join(""),
    text,
  );
});

test("the part that matched is shown when title and summary do not have it", () => {
  const part = (query) =>
    snippet(...Object.values((({ record, terms }) => ({ record, terms }))(engine.search(query).results[0])));
  assert.match(part("Unsupported global numpy.core.multiarray.scalar").text, /^WeightsUnpickler error/);
  assert.deepEqual(part("XNNPACKQuantizer ExecuTorch"), {
    text: "XNNPACKQuantizer lives in ExecuTorch.",
    code: false,
  });
  assert.equal(part("compiler stances"), null);
  assert.equal(plain("see [`torch.load`](../load/index.md), **now**"), "see torch.load, now");
});
