/** What dialog and page share: making nodes, addresses, counting, and the field. */
import { siteRoot } from "./state.mjs";
import { errorLine, isTraceback } from "./search-traceback.mjs";

export const HARDWARE_NAMES = { cpu: "CPU", cuda: "CUDA", rocm: "ROCm", xpu: "XPU", mps: "MPS" };

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** @param {{url: string}} record @returns {string} */
export function addressOf(record) {
  return new URL(record.url, siteRoot()).href;
}

/** @param {string} query @returns {string} the page with all results */
export function resultsAddress(query) {
  const url = new URL("search/", siteRoot());
  if (query) url.searchParams.set("q", query);
  return url.href;
}

/**
 * How many, in words.
 *
 * @param {number} count
 * @param {string} noun
 * @returns {string}
 */
export function count(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * A search field. It drops the line breaks of what is pasted, and with them the order of a traceback;
 * so the line that matters is taken before.
 *
 * @param {Record<string, string>} attributes
 * @returns {HTMLInputElement}
 */
export function searchField(attributes) {
  const input = element("input", {
    type: "text",
    inputmode: "search",
    enterkeyhint: "search",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-label": "Search",
    ...attributes,
  });
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!isTraceback(text)) return;
    event.preventDefault();
    input.setRangeText(errorLine(text), input.selectionStart ?? 0, input.selectionEnd ?? 0, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return input;
}
