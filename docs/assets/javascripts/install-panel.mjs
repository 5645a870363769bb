/** The choices that describe a machine, and the command that follows: on two pages. */
import { SYSTEMS, choose, findGpu } from "./builds.mjs";
import { element } from "./search-dom.mjs";
import { siteRoot } from "./state.mjs";

/** @typedef {import("./builds.mjs").Hardware} Hardware */

const NO_GPU = "none";

/** @returns {import("./builds.mjs").System} what the browser says it runs on; a guess to start with */
function guessSystem() {
  const agent = navigator.userAgent;
  if (/Windows/.test(agent)) return "windows";
  if (/Mac/.test(agent)) return "macos";
  return /aarch64|arm64/i.test(agent) ? "linux-arm" : "linux";
}

/** @param {string} label @param {HTMLElement} control */
function field(label, control) {
  return element("label", { class: "kb-tool-field" }, element("span", {}, label), control);
}

/** @param {import("./builds.mjs").Fit} fit @returns {HTMLElement} */
function commandBlock(fit) {
  const lines = [fit.pip, fit.uv].map((text) => {
    const copy = element("button", { type: "button", class: "kb-tool-button", "aria-label": `Copy: ${text}` }, "Copy");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 1500);
    });
    return element("div", { class: "kb-plan__grep" }, element("code", { tabindex: "0" }, text), copy);
  });
  return element("div", {}, ...lines);
}

/**
 * Makes the panel.
 *
 * @param {() => void} changed called when the reader has changed something
 */
export function createInstall(changed) {
  /** @type {import("./builds.mjs").Data | null} */
  let data = null;
  /** @type {import("./builds.mjs").Choice | null} */
  let choice = null;
  const names = element("datalist", { id: "kb-gpus" });
  const gpu = element("input", { type: "text", list: "kb-gpus", placeholder: "RTX 3090, V100, 7.5, none", autocomplete: "off" });
  const system = element(
    "select",
    {},
    ...Object.entries(SYSTEMS).map(([value, text]) => element("option", { value }, text)),
  );
  system.value = guessSystem();
  const driver = element("input", { type: "text", inputmode: "decimal", placeholder: "535.104", size: "8", autocomplete: "off" });
  const python = element("select", {}, element("option", { value: "" }, "any"));
  const verdict = element("div", { class: "kb-install__verdict", role: "status" });
  const root = element(
    "section",
    { class: "kb-install", "aria-label": "The build that fits" },
    element(
      "div",
      { class: "kb-tool-row" },
      field("GPU (name or compute capability)", gpu),
      field("System", system),
      field("NVIDIA driver", driver),
      field("Python", python),
      names,
    ),
    verdict,
  );

  /** @param {Hardware | undefined} fallback @returns {import("./builds.mjs").Machine | string} the machine, or what is wrong */
  function machine(fallback) {
    const text = gpu.value.trim();
    const found = data && text && text.toLowerCase() !== NO_GPU ? findGpu(data, text) : null;
    if (text && text.toLowerCase() !== NO_GPU && !found) {
      return `“${text}” is not known here. Give its compute capability, such as 8.6 (NVIDIA lists them at developer.nvidia.com/cuda-gpus), or “none”.`;
    }
    if (driver.value.trim() && !/^\d{3}(?:\.\d+)*$/.test(driver.value.trim())) {
      return "The driver is a number such as 535 or 535.104; nvidia-smi shows it.";
    }
    const chosen = /** @type {import("./builds.mjs").System} */ (system.value);
    /** @type {Hardware} */
    const usual = text ? "cpu" : (fallback ?? (chosen === "macos" ? "mps" : chosen === "linux" ? "cuda" : "cpu"));
    return {
      system: chosen,
      hardware: found ? (found.hardware ?? "cuda") : usual,
      capability: found?.capability,
      driver: driver.value.trim() || undefined,
      python: python.value || undefined,
    };
  }

  /** @param {import("./builds.mjs").Fit} fit @param {string} words */
  const alternative = (fit, words) => element("p", {}, `${words} PyTorch ${fit.release} with ${fit.build}: `, element("code", {}, fit.pip));

  /** @param {string} release @param {Hardware | undefined} hardware */
  function show(release, hardware) {
    if (!data) return;
    const asked = machine(hardware);
    choice = null;
    if (typeof asked === "string") {
      verdict.replaceChildren(element("p", { class: "kb-install__no" }, asked));
      return;
    }
    if (!data.releases.some((one) => one.release === release)) {
      verdict.replaceChildren(element("p", {}, `The builds of ${release} are not listed here.`));
      return;
    }
    choice = choose(data, release, asked);
    const { fit, reasons, older, newer } = choice;
    if (fit) {
      verdict.replaceChildren(
        element("p", { class: "kb-install__yes" }, `✓ PyTorch ${release}, ${fit.build} build:`),
        commandBlock(fit),
        ...fit.notes.map((note) => element("p", { class: "kb-install__note" }, note)),
      );
      return;
    }
    verdict.replaceChildren(
      element("p", { class: "kb-install__no" }, `✗ No build of ${release} fits. ${reasons.join(" ")}`),
      ...(older ? [alternative(older, "The last that fits:")] : []),
      ...(newer ? [alternative(newer, "The first that fits:")] : []),
      ...(older || newer ? [] : [element("p", {}, "No release from 2.4 on has a build that fits.")]),
    );
  }

  const ready = (async () => {
    const response = await fetch(new URL("data/builds.json", siteRoot()));
    if (!response.ok) throw new Error(String(response.status));
    data = /** @type {import("./builds.mjs").Data} */ (await response.json());
    names.append(...data.gpus.map(({ name }) => element("option", { value: name })));
    const pythons = [...new Set(data.releases.flatMap((one) => one.python))];
    python.append(...pythons.reverse().map((one) => element("option", { value: one }, one)));
  })();
  root.addEventListener("input", changed);

  return {
    root,
    ready,
    /** @type {() => string[]} all releases, oldest first */
    releases: () => data?.releases.map((one) => one.release) ?? [],
    show,
    /** @returns {string | null} the command that installs what fits */
    command: () => choice?.fit?.pip ?? null,
    /** @returns {Record<string, string>} for the address */
    values: () => ({
      gpu: gpu.value.trim(),
      os: system.value === guessSystem() ? "" : system.value,
      driver: driver.value.trim(),
      python: python.value,
    }),
    /** @param {URLSearchParams} params */
    read(params) {
      gpu.value = params.get("gpu") ?? "";
      const asked = params.get("os") ?? "";
      system.value = asked in SYSTEMS ? asked : guessSystem();
      driver.value = params.get("driver") ?? "";
      python.value = params.get("python") ?? "";
      if (python.selectedIndex < 0) python.value = "";
    },
  };
}
