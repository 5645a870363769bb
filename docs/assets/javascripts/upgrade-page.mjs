/**
 * The page from one release to another: what is chosen stands in its address, so that a link shows the
 * same to everyone.
 */
import { HARDWARE_NAMES, count, element } from "./search-dom.mjs";
import { getRelease, siteRoot } from "./state.mjs";
import { findInFiles } from "./upgrade-code.mjs";
import { USES, asData, asMarkdown, grepCommand, plan, timing } from "./upgrade-plan.mjs";
import { createInstall } from "./install-panel.mjs";

/** How many rows of what need not be done are shown at once. */
const FEW = 8;
const USE_NAMES = {
  compile: "torch.compile",
  export: "torch.export",
  onnx: "ONNX",
  distributed: "distributed",
  checkpoints: "checkpoints",
  "custom-ops": "custom operators, C++",
  quantization: "quantization",
};

/** @param {string} id @returns {string} */
const entryAddress = (id) => new URL(`${id}/`, siteRoot()).href;

/** @param {string} name @param {string} label @param {[string, string][]} choices */
function list(name, label, choices) {
  const options = choices.map(([value, text]) => element("option", { value }, text));
  const select = element("select", { name }, ...options);
  return { select, label: element("label", { class: "kb-tool-field" }, element("span", {}, label), select) };
}

/** @param {string} text @param {string} done @param {() => string} content */
function copyButton(text, done, content) {
  const button = element("button", { type: "button", class: "kb-tool-button" }, text);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(content());
    button.textContent = done;
    setTimeout(() => (button.textContent = text), 1500);
  });
  return button;
}

/**
 * Puts the page in place of what stands in the element.
 *
 * @param {HTMLElement} host
 * @returns {() => void} ends it
 */
export function mountUpgradePage(host) {
  const { pathname } = location;
  const listening = new AbortController();
  /** @type {import("./upgrade-plan.mjs").Data | null} */
  let data = null;
  /** @type {import("./upgrade-plan.mjs").Plan | null} */
  let shown = null;
  /** @type {Map<string, import("./upgrade-code.mjs").Place[]> | null} */
  let places = null;
  /** @type {Set<string>} groups that the reader has unfolded */
  const opened = new Set();

  const from = list("from", "From", []);
  const to = list("to", "to", []);
  const swap = element("button", { type: "button", class: "kb-tool-button", "aria-label": "Swap the two releases" }, "⇄");
  const hardware = list("hardware", "Hardware", [["", "any"], ...Object.entries(HARDWARE_NAMES)]);
  const uses = USES.map((use) => {
    const box = element("input", { type: "checkbox", name: "uses", value: use });
    return { box, label: element("label", {}, box, ` ${USE_NAMES[/** @type {"onnx"} */ (use)]}`) };
  });
  const form = element(
    "form",
    { class: "kb-tool-form" },
    element("div", { class: "kb-tool-row" }, from.label, swap, to.label, hardware.label),
    element(
      "fieldset",
      { class: "kb-tool-uses" },
      element("legend", {}, "The project uses (nothing ticked: everything)"),
      ...uses.map(({ label }) => label),
    ),
  );
  const install = createInstall(() => render());
  const status = element("p", { class: "kb-tool-status", role: "status" }, "Loading …");
  const actions = element("p", { class: "kb-tool-actions", hidden: "" });
  const folder = element("input", { type: "file", multiple: "", webkitdirectory: "", id: "kb-code-folder" });
  const files = element("input", { type: "file", multiple: "", id: "kb-code-files" });
  const codeStatus = element("span", { role: "status" });
  const only = element("input", { type: "checkbox", disabled: "" });
  const code = element(
    "details",
    { class: "kb-tool-code" },
    element("summary", {}, "Look in my code"),
    element(
      "p",
      {},
      "Choose your project's folder, or single files: the browser looks for what each row names. Nothing is uploaded.",
    ),
    element(
      "p",
      { class: "kb-tool-row" },
      element("label", { class: "kb-tool-field" }, element("span", {}, "A folder"), folder),
      element("label", { class: "kb-tool-field" }, element("span", {}, "Files"), files),
    ),
    element("p", {}, codeStatus, " ", element("label", {}, only, " Show only what was found")),
  );
  const result = element("div", { class: "kb-plan" });

  /** @returns {import("./upgrade-plan.mjs").Question} */
  const question = () => ({
    from: from.select.value,
    to: to.select.value,
    uses: uses.filter(({ box }) => box.checked).map(({ box }) => box.value),
    hardware: hardware.select.value || undefined,
  });

  function write() {
    if (location.pathname !== pathname) return;
    const url = new URL(location.href);
    const { uses: used = [], ...one } = question();
    /** @type {Record<string, string | undefined>} */
    const values = { ...one, uses: used.join(","), ...install.values() };
    for (const [key, value] of Object.entries(values)) {
      if (value) url.searchParams.set(key, value);
      else url.searchParams.delete(key);
    }
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  /** @param {import("./upgrade-plan.mjs").Row} row */
  function item(row) {
    const { entry } = row;
    const hits = places?.get(entry.id) ?? [];
    const passed = entry.proof.startsWith("proven");
    /** @type {(HTMLElement | null)[]} */
    const parts = [
      element("a", { class: "kb-plan__title", href: entryAddress(entry.id) }, entry.title),
      element("p", { class: "kb-plan__do" }, row.action),
      row.action.startsWith(entry.summary.slice(0, 40)) ? null : element("p", { class: "kb-plan__why" }, entry.summary),
      element(
        "p",
        { class: "kb-plan__facts" },
        element("span", {}, timing(row, /** @type {any} */ (shown))),
        element("span", { class: `kb-strip__${passed ? "passed" : "not-run"}` }, `${passed ? "✓" : "○"} ${entry.proof}`),
      ),
    ];
    const grep = grepCommand(entry);
    if (grep) {
      const copy = copyButton("Copy", "Copied", () => grep);
      copy.setAttribute("aria-label", `Copy the grep command for: ${entry.title}`);
      parts.push(
        element("div", { class: "kb-plan__grep" }, element("code", { tabindex: "0" }, grep), copy),
      );
    }
    if (hits.length > 0) {
      const lines = hits.map(({ file, line, text }) =>
        element("li", {}, element("code", {}, `${file}:${line}`), " ", element("code", {}, text)),
      );
      parts.push(
        element(
          "details",
          { class: "kb-plan__places", ...(hits.length < 6 ? { open: "" } : {}) },
          element("summary", {}, `Found in ${count(hits.length, "line")}`),
          element("ul", {}, ...lines),
        ),
      );
    }
    const made = element("li", { class: "kb-plan__row" }, ...parts);
    made.dataset.entry = entry.id;
    return made;
  }

  /** @param {import("./upgrade-plan.mjs").Plan["groups"][number]} group */
  function section({ id, title, about, rows }) {
    const kept = only.checked && places ? rows.filter(({ entry }) => places?.has(entry.id)) : rows;
    if (kept.length === 0) return null;
    const heading = element("h2", { id: `kb-${id}` }, `${title} (${kept.length})`);
    const words = element("p", { class: "kb-plan__about" }, about);
    const rowsList = element("ol", {}, ...kept.map(item));
    const made = element("section", { class: `kb-plan__group kb-plan__group--${id}` });
    // What need not be done does not stand in the way of what must.
    if ((id === "new" || id === "later") && kept.length > FEW) {
      const open = element("summary", {}, `Show all ${kept.length}`);
      const details = element("details", { class: "kb-plan__more" }, open, rowsList);
      details.open = opened.has(id);
      details.addEventListener("toggle", () => (details.open ? opened.add(id) : opened.delete(id)));
      made.append(heading, words, details);
    } else made.append(heading, words, rowsList);
    return made;
  }

  function summary() {
    if (!shown) return "";
    const named = shown.groups.filter(({ rows }) => rows.length > 0);
    if (shown.from === shown.to) return "The same release twice: nothing changes. Choose two.";
    const parts = named.map(({ title, rows }) => `${title.split(/[:,]/)[0].toLowerCase()} ${rows.length}`);
    const left = shown.hidden > 0 ? ` ${shown.hidden} left out by what you ticked.` : "";
    return `${shown.down ? "Back from" : "From"} ${shown.from} to ${shown.to}: ${parts.join(", ")}.${left}`;
  }

  function render() {
    if (!data) return;
    shown = plan(data, question());
    install.show(to.select.value, /** @type {any} */ (hardware.select.value || undefined));
    status.textContent = summary();
    actions.hidden = shown.from === shown.to;
    result.replaceChildren(
      ...shown.groups.map(section).filter((one) => one !== null),
    );
    write();
  }

  /** Reads the address; a release that does not exist is left out. */
  function readAddress() {
    if (!data) return;
    const params = new URLSearchParams(location.search);
    const minor = (/** @type {string | null} */ value) => /^v?(\d+\.\d+)/.exec(value ?? "")?.[1] ?? "";
    const known = (/** @type {string} */ release) => (data?.releases.includes(release) ? release : null);
    const newest = data.releases.at(-1) ?? "";
    to.select.value = known(minor(params.get("to"))) ?? newest;
    const usual = getRelease() === to.select.value ? null : known(getRelease() ?? "");
    from.select.value = known(minor(params.get("from"))) ?? usual ?? data.releases.at(-2) ?? "";
    if (to.select.value === data.releases[0]) to.select.value = newest;
    hardware.select.value = params.get("hardware") ?? "";
    const used = (params.get("uses") ?? "").split(",");
    for (const { box } of uses) box.checked = used.includes(box.value);
    install.read(params);
  }

  async function prepare() {
    try {
      await install.ready;
      const response = await fetch(new URL("data/upgrade.json", siteRoot()));
      if (!response.ok) throw new Error(String(response.status));
      data = /** @type {import("./upgrade-plan.mjs").Data} */ (await response.json());
    } catch {
      const again = element("button", { type: "button", class: "kb-tool-button" }, "Try again");
      again.addEventListener("click", () => void prepare());
      status.replaceChildren("The list could not be loaded. ", again);
      return;
    }
    const newestFirst = [...data.releases].reverse();
    from.select.replaceChildren(...newestFirst.map((release) => element("option", { value: release }, release)));
    to.select.replaceChildren(
      ...newestFirst.slice(0, -1).map((release) => element("option", { value: release }, release)),
    );
    readAddress();
    if (!listening.signal.aborted) render();
  }

  /** @param {HTMLInputElement} input */
  async function look(input) {
    if (!data || !input.files) return;
    codeStatus.textContent = "Reading …";
    const answer = await findInFiles(data.entries, input.files, (done) => (codeStatus.textContent = `${done} files read …`));
    places = answer.found;
    only.disabled = false;
    const skipped = answer.skipped > 0 ? `, ${answer.skipped} left out (no code, or a package's)` : "";
    codeStatus.textContent = `${count(answer.read, "file")} read${skipped}; ${count(places.size, "subject")} found, marked below.`;
    only.checked = places.size > 0;
    render();
  }

  const markdown = () =>
    shown ? asMarkdown(shown, location.href, entryAddress, install.command()) : "";
  const json = () => (shown ? JSON.stringify(asData(shown, entryAddress, install.command()), null, 2) : "");
  actions.append(
    copyButton("Copy as Markdown checklist", "Copied", markdown),
    copyButton("Copy as JSON", "Copied", json),
    copyButton("Copy the address", "Copied", () => location.href),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", render);
  swap.addEventListener("click", () => {
    if (!data || from.select.value === data.releases[0]) return;
    [from.select.value, to.select.value] = [to.select.value, from.select.value];
    render();
  });
  folder.addEventListener("change", () => void look(folder));
  files.addEventListener("change", () => void look(files));
  only.addEventListener("change", render);
  document.addEventListener(
    "kb:release",
    () => {
      const release = getRelease() ?? "";
      if (!data?.releases.includes(release) || release === to.select.value) return;
      from.select.value = release; // who says where they are leaves from there
      render();
    },
    { signal: listening.signal },
  );
  addEventListener(
    "popstate",
    () => {
      if (location.pathname !== pathname) return;
      readAddress();
      render();
    },
    { signal: listening.signal },
  );
  host.replaceChildren(form, install.root, status, actions, code, result);
  void prepare();
  return () => listening.abort();
}
