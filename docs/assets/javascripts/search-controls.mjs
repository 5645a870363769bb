/** The filters of the search page as form controls. */
import { HARDWARE_NAMES, element } from "./search-dom.mjs";
import { HARDWARE, KINDS, STABILITIES } from "./search-filters.mjs";

/**
 * @typedef {import("./search-filters.mjs").Filters} Filters
 * @typedef {[value: string, label: string]} Choice
 */

/** @param {string[]} values @returns {Choice[]} */
const same = (values) => values.map((value) => [value, value]);

/** Name, label and the entry for "not filtered" of each list, in the order in which they stand. */
const LISTS = /** @type {const} */ ([
  ["torch", "Your release", "any"],
  ["from", "Upgrade from", "–"],
  ["to", "to", "–"],
  ["kind", "Kind", "any"],
  ["hardware", "Hardware", "any"],
  ["topic", "Topic", "any"],
  ["stability", "Stability", "any"],
]);

/** Makes the controls: give them the choices once they are known, the filters whenever they change. */
export function createControls() {
  /** @type {Map<string, HTMLSelectElement>} */
  const lists = new Map();
  const labels = LISTS.map(([name, label, none]) => {
    const list = element("select", { name }, element("option", { value: "" }, none));
    lists.set(name, list);
    return element(
      "label",
      { class: `kb-find__filter kb-find__filter--${name}` },
      element("span", {}, label),
      list,
    );
  });
  const only = element("input", { type: "checkbox", name: "only" });
  const onlyText = element("span", {});
  const root = element(
    "div",
    { class: "kb-find__filters", id: "kb-find-filters", role: "group", "aria-label": "Filters" },
    ...labels,
    element("label", { class: "kb-find__only" }, only, onlyText),
  );

  /** @param {string} name @param {Choice[]} choices */
  function offer(name, choices) {
    const list = lists.get(name);
    const known = new Set([...(list?.options ?? [])].map((option) => option.value));
    const added = choices.filter(([value]) => !known.has(value));
    list?.append(...added.map(([value, label]) => element("option", { value }, label)));
  }

  return {
    root,
    /** @param {string[]} releases @param {{id: string, title: string}[]} topics */
    offerAll(releases, topics) {
      const newestFirst = same([...releases].reverse());
      for (const name of ["torch", "from", "to"]) offer(name, newestFirst);
      offer("kind", same(KINDS));
      offer(
        "hardware",
        HARDWARE.map((id) => [id, HARDWARE_NAMES[/** @type {"cpu"} */ (id)]]),
      );
      offer(
        "topic",
        topics.map(({ id, title }) => [id, title]),
      );
      offer("stability", same(STABILITIES));
    },
    /** @param {Filters} filters shown; a value that no list has is added to it, so that it is seen */
    show(filters) {
      for (const [name, list] of lists) {
        const value = String(filters[/** @type {keyof Filters} */ (name)] ?? "");
        if (value) offer(name, [[value, value]]);
        list.value = value;
      }
      only.disabled = !filters.torch;
      only.checked = Boolean(filters.only && filters.torch);
      onlyText.textContent = `Only what applies to ${filters.torch ?? "my release"}`;
    },
    /** @returns {Filters} */
    read() {
      const values = [...lists].map(([name, list]) => [name, list.value || undefined]);
      return { ...Object.fromEntries(values), only: only.checked || undefined };
    },
    /** @param {keyof Filters} name @returns {string} a filter in words, such as "kind: removed" */
    describe(name) {
      if (name === "only") return onlyText.textContent?.toLowerCase() ?? "";
      const list = lists.get(name);
      const label = LISTS.find(([one]) => one === name)?.[1].toLowerCase();
      return `${label}${name === "to" || name === "from" ? "" : ":"} ${list?.selectedOptions[0]?.text}`;
    },
  };
}
