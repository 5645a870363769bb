/**
 * Which build of a release fits a machine, and the command that installs it. All facts come from
 * `data/builds.json`; what is not known there is said to be not known.
 * No DOM, no state: for the pages and for Node alike.
 */
import { compareReleases } from "./state.mjs";

/**
 * @typedef {object} CudaBuild
 * @property {string} version
 * @property {string} tag
 * @property {"stable" | "experimental" | "unknown"} status
 * @property {string | null} min_capability
 * @property {string[] | null} capabilities
 * @property {string | null} driver oldest Linux driver
 *
 * @typedef {object} Release
 * @property {string} release
 * @property {string} patch
 * @property {string[]} python
 * @property {CudaBuild[]} cuda
 * @property {string} default_cuda
 * @property {string[] | null} rocm
 * @property {string | null} xpu
 * @property {string} macos
 * @property {Record<string, string | null>} index
 *
 * @typedef {{name: string, capability?: string, hardware?: "rocm" | "xpu" | "mps"}} Gpu
 * @typedef {{releases: Release[], gpus: Gpu[]}} Data
 * @typedef {"linux" | "linux-arm" | "windows" | "macos"} System
 * @typedef {"cpu" | "cuda" | "rocm" | "xpu" | "mps"} Hardware
 *
 * @typedef {object} Machine
 * @property {System} system
 * @property {Hardware} hardware
 * @property {string} [capability] of a CUDA GPU, such as "7.0"
 * @property {string} [driver] installed, such as "535.104"
 * @property {string} [python] such as "3.12" or "3.14t"
 *
 * @typedef {object} Fit a build that fits
 * @property {string} release
 * @property {string} build in words, such as "CUDA 12.6"
 * @property {string} pip
 * @property {string} uv
 * @property {string[]} notes what to know about it
 *
 * @typedef {object} Choice
 * @property {Fit | null} fit
 * @property {string[]} reasons why nothing fits
 * @property {Fit | null} older the newest older release with a build that fits
 * @property {Fit | null} newer the oldest newer release with one
 */

export const SYSTEMS = /** @type {const} */ ({
  linux: "Linux x86-64",
  "linux-arm": "Linux ARM (aarch64)",
  windows: "Windows",
  macos: "macOS",
});

/**
 * @param {Data} data
 * @param {string} text a name, "sm_75" or "7.5"
 * @returns {Gpu | null} the GPU that is meant; null where it is not clear which
 */
export function findGpu(data, text) {
  const asked = text.trim().toLowerCase();
  if (!asked) return null;
  const sm = /^(?:sm_?|compute_?)(\d+)(\d)[a-z]?$/.exec(asked);
  const capability = sm ? `${sm[1]}.${sm[2]}` : /^\d{1,2}\.\d$/.exec(asked)?.[0];
  if (capability) return { name: `a GPU of compute capability ${capability}`, capability };
  const bare = (/** @type {string} */ name) =>
    name
      .toLowerCase()
      .replace(/\b(?:nvidia|geforce|tesla|quadro|amd|intel|radeon|instinct|apple)\b/g, " ")
      .replace(/[^a-z0-9]+/g, "");
  const wanted = bare(asked);
  if (!wanted) return null;
  const exact = data.gpus.filter(({ name }) => name.toLowerCase() === asked || bare(name) === wanted);
  if (exact.length > 0) return exact[0];
  const near = data.gpus.filter(({ name }) => bare(name).startsWith(wanted) || wanted.startsWith(bare(name)));
  const kinds = new Set(near.map((gpu) => gpu.capability ?? gpu.hardware));
  return kinds.size === 1 ? near[0] : null;
}

/** @param {string} a @param {string} b @returns {number} */
const compare = (a, b) => compareReleases(a.replace(/[^\d.]/g, ""), b.replace(/[^\d.]/g, ""));

/**
 * Whether a build has kernels for a compute capability: those of the same major number, made for no
 * newer minor one, run.
 *
 * @param {CudaBuild} build
 * @param {string} capability
 * @returns {boolean | null} null: not known, although it is not below the lowest
 */
export function hasKernels(build, capability) {
  if (build.capabilities) {
    const [major, minor] = capability.split(".").map(Number);
    return build.capabilities.some((one) => {
      const [own, least] = one.split(".").map(Number);
      return own === major && least <= minor;
    });
  }
  if (build.min_capability && compare(capability, build.min_capability) < 0) return false;
  return null;
}

/**
 * @param {string} patch
 * @param {string | null} index
 * @returns {{pip: string, uv: string}}
 */
function commands(patch, index) {
  const rest = `torch==${patch}${index ? ` --index-url ${index}` : ""}`;
  return { pip: `pip install ${rest}`, uv: `uv pip install ${rest}` };
}

/** @param {Release} release @param {string} tag @returns {string | null} the index of a CUDA build */
function cudaIndex(release, tag) {
  return release.index.cuda?.replace(/\/cu\d+$/, `/${tag}`) ?? null;
}

/**
 * @param {Release} release
 * @param {Machine} machine
 * @returns {{fit: Fit | null, reasons: string[]}}
 */
function cudaOn(release, { system, capability, driver }) {
  const name = `PyTorch ${release.release}`;
  if (system === "macos") return { fit: null, reasons: ["There is no CUDA build for macOS."] };
  // What is known of kernels is known of the x86-64 builds.
  const asked = system === "linux-arm" ? undefined : capability;
  const withKernels = release.cuda.filter((build) => !asked || hasKernels(build, asked) !== false);
  if (withKernels.length === 0) {
    const lists = release.cuda.map(({ tag, capabilities, min_capability: least }) =>
      capabilities ? `${tag}: ${capabilities.join(", ")}` : `${tag}: from ${least ?? "?"}`,
    );
    return {
      fit: null,
      reasons: [`No CUDA build of ${name} has kernels for compute capability ${capability} (${lists.join("; ")}).`],
    };
  }
  const drivable = withKernels.filter(
    (build) => system === "windows" || !driver || !build.driver || compare(driver, build.driver) >= 0,
  );
  if (drivable.length === 0) {
    const needs = withKernels.map(({ tag, driver: oldest }) => `${tag} from ${oldest}`);
    return { fit: null, reasons: [`Driver ${driver} is too old for ${name}: ${needs.join(", ")}. Or update the driver.`] };
  }
  const order = { stable: 0, unknown: 1, experimental: 2 };
  const [best] = drivable.toSorted(
    (a, b) =>
      Number(b.version === release.default_cuda) - Number(a.version === release.default_cuda) ||
      order[a.status] - order[b.status] ||
      compare(b.version, a.version),
  );
  const notes = [];
  if (asked && hasKernels(best, asked) === null) {
    notes.push("Which compute capabilities this build has kernels for is not known.");
  }
  if (best.status !== "stable") {
    notes.push(best.status === "unknown" ? "Whether this build is stable is not known." : "This build is experimental.");
  }
  if (system === "windows" && driver) notes.push("The oldest drivers known here are those for Linux; check yours with NVIDIA.");
  if (system === "linux-arm") {
    notes.push("Whether this CUDA build exists for ARM, and for which GPUs, is not known here; the command says so at once.");
  }
  const plain = system === "linux" && best.version === release.default_cuda;
  return {
    fit: {
      release: release.release,
      build: `CUDA ${best.version}`,
      ...commands(release.patch, plain ? null : cudaIndex(release, best.tag)),
      notes,
    },
    reasons: [],
  };
}

/**
 * @param {Release} release
 * @param {Machine} machine
 * @returns {{fit: Fit | null, reasons: string[]}} what of one release fits
 */
export function fitOf(release, machine) {
  const { system, hardware, python } = machine;
  const name = `PyTorch ${release.release}`;
  if (python && !release.python.includes(python)) {
    return { fit: null, reasons: [`${name} has no wheel for Python ${python}; it has ${release.python.join(", ")}.`] };
  }
  if (hardware === "cuda") return cudaOn(release, machine);
  /** @param {string} build @param {string | null} index @param {string[]} [notes] */
  const fit = (build, index, notes = []) => ({
    fit: { release: release.release, build, ...commands(release.patch, index), notes },
    reasons: [],
  });
  const none = (/** @type {string} */ reason) => ({ fit: null, reasons: [reason] });
  if (system === "macos") {
    if (hardware !== "mps" && hardware !== "cpu") return none("There is no such build for macOS.");
    const [version, machineType] = release.macos.split(" ");
    const oldest = version.replace(/_0$/, "").replace("_", ".");
    return fit("macOS", null, [`For ${machineType} (Apple silicon), macOS ${oldest} or newer.`]);
  }
  if (hardware === "mps") return none("MPS is for macOS on Apple silicon.");
  if (hardware === "cpu") return fit("CPU", release.index.cpu);
  if (system === "linux-arm" || (system === "windows" && hardware === "rocm")) {
    return none(`Builds for this hardware are known for Linux x86-64${hardware === "xpu" ? " and Windows" : ""} only.`);
  }
  if (!release.index[hardware]) {
    const known = hardware === "rocm" && release.rocm ? ` It is built for ROCm ${release.rocm.join(", ")}.` : "";
    return none(`Where ${name} is installed from for this hardware is not known here.${known}`);
  }
  const index = release.index[hardware];
  const preview = index?.includes("/test/") ? ["A preview, from the index for tests."] : [];
  if (hardware === "xpu") return fit("Intel GPU", index, preview);
  const version = /rocm([\d.]+)$/.exec(index ?? "")?.[1];
  return fit(version ? `ROCm ${version}` : "ROCm", index, preview);
}

/**
 * Chooses.
 *
 * @param {Data} data
 * @param {string} release minor release
 * @param {Machine} machine
 * @returns {Choice}
 * @throws {RangeError} no such release
 */
export function choose(data, release, machine) {
  const place = data.releases.findIndex((one) => one.release === release);
  if (place < 0) {
    const allowed = data.releases.map((one) => one.release).join(", ");
    throw new RangeError(`no release ${release}; allowed: ${allowed}`);
  }
  const { fit, reasons } = fitOf(data.releases[place], machine);
  if (fit) return { fit, reasons, older: null, newer: null };
  const first = (/** @type {Release[]} */ releases) => {
    for (const one of releases) {
      const found = fitOf(one, machine).fit;
      if (found) return found;
    }
    return null;
  };
  return {
    fit,
    reasons,
    older: first(data.releases.slice(0, place).reverse()),
    newer: first(data.releases.slice(place + 1)),
  };
}
