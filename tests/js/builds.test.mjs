// Which build fits, by the real data/releases.yml and data/gpus.yml.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);
const { choose, findGpu, hasKernels } = await import(
  new URL("docs/assets/javascripts/builds.mjs", root).href
);
const code =
  "import json; from scripts.builds import builds_data; from scripts.releases import load_releases;" +
  "print(json.dumps(builds_data(load_releases())))";
const python = process.env.PYTHON ?? "python";
const data = JSON.parse(execFileSync(python, ["-c", code], { cwd: root, maxBuffer: 1e8 }));

const on = (release, machine) => {
  const { fit, older, newer, reasons } = choose(data, release, { system: "linux", hardware: "cuda", ...machine });
  const words = (one) => one && `${one.release} ${one.build}`;
  return { fit: words(fit), pip: fit?.pip, older: words(older), newer: words(newer), reasons: reasons.join(" ") };
};

test("Volta: 2.14 with CUDA 12.6 is the last", () => {
  const { fit, older, newer, reasons } = on("2.15", { capability: "7.0" });
  assert.deepEqual([fit, older, newer], [null, "2.14 CUDA 12.6", null]);
  assert.match(reasons, /No CUDA build of PyTorch 2\.15 has kernels for compute capability 7\.0/);
  assert.equal(on("2.14", { capability: "7.0" }).pip, "pip install torch==2.14.1 --index-url https://download.pytorch.org/whl/cu126");
});

test("Blackwell: 2.7 with CUDA 12.8 is the first", () => {
  assert.deepEqual([on("2.6", { capability: "12.0" }).fit, on("2.6", { capability: "12.0" }).newer], [null, "2.7 CUDA 12.8"]);
});

test("the plain command where the default build fits, on Linux x86-64 alone", () => {
  assert.equal(on("2.15", { capability: "7.5" }).pip, "pip install torch==2.15.0");
  assert.match(on("2.15", { capability: "7.5", system: "windows" }).pip, /--index-url \S+\/cu132$/);
  assert.equal(on("2.15", { hardware: "mps", system: "macos" }).pip, "pip install torch==2.15.0");
  assert.match(on("2.15", { hardware: "cpu" }).pip, /\/whl\/cpu$/);
});

test("on ARM nothing is refused for kernels that are known of x86-64 alone", () => {
  const { fit } = choose(data, "2.15", { system: "linux-arm", hardware: "cuda", capability: "11.0" });
  assert.match(fit.notes.join(" "), /for ARM, and for which GPUs, is not known/);
});

test("an old driver gets an older CUDA, or is told what it needs", () => {
  assert.equal(on("2.13", { capability: "8.0", driver: "535.104" }).fit, "2.13 CUDA 12.6");
  const { fit, reasons, older } = on("2.15", { capability: "8.0", driver: "535.104" });
  assert.equal(fit, null);
  assert.match(reasons, /Driver 535\.104 is too old for PyTorch 2\.15: .*580\.65\.06/);
  assert.equal(older, "2.14 CUDA 12.6");
  assert.equal(on("2.4", { capability: "8.0", driver: "470.57" }).fit, "2.4 CUDA 11.8");
});

test("a Python without a wheel is told where there is one", () => {
  const { fit, older, newer, reasons } = on("2.5", { python: "3.8" });
  assert.deepEqual([fit, older, newer], [null, "2.4 CUDA 12.1", null]);
  assert.match(reasons, /no wheel for Python 3\.8/);
  assert.equal(on("2.10", { python: "3.15" }).newer, "2.15 CUDA 13.2");
});

test("GPUs by name, number and nickname", () => {
  const capability = (text) => findGpu(data, text)?.capability;
  assert.equal(capability("NVIDIA GeForce RTX 3090"), "8.6");
  assert.equal(capability("rtx3090"), "8.6");
  assert.equal(capability("v100"), "7.0");
  assert.equal(capability("sm_75"), "7.5");
  assert.equal(capability("sm_120"), "12.0");
  assert.equal(capability("10.3"), "10.3");
  assert.equal(findGpu(data, "MI300X")?.hardware, "rocm");
  assert.equal(findGpu(data, "banana"), null);
  assert.equal(findGpu(data, "  "), null);
});

test("kernels run on the same major number, made for no newer minor one", () => {
  const build = { capabilities: ["8.0", "8.6", "9.0"], min_capability: "8.0" };
  assert.deepEqual(
    ["7.5", "8.0", "8.9", "9.0", "12.0"].map((one) => hasKernels(build, one)),
    [false, true, true, true, false],
  );
  assert.equal(hasKernels({ capabilities: null, min_capability: "7.5" }, "12.0"), null);
  assert.equal(hasKernels({ capabilities: null, min_capability: "7.5" }, "7.0"), false);
});

test("every machine gets a command, or a reason", () => {
  const capabilities = [undefined, ...new Set(data.gpus.map((gpu) => gpu.capability).filter(Boolean))];
  let asked = 0;
  for (const { release } of data.releases) {
    for (const system of ["linux", "linux-arm", "windows", "macos"]) {
      for (const hardware of ["cpu", "cuda", "rocm", "xpu", "mps"]) {
        for (const capability of hardware === "cuda" ? capabilities : [undefined]) {
          const { fit, reasons } = choose(data, release, { system, hardware, capability });
          assert.ok(fit ? fit.pip.startsWith("pip install torch==") : reasons.length > 0);
          asked += 1;
        }
      }
    }
  }
  assert.ok(asked > 500);
});
