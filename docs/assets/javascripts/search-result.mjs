/** A search result as nodes. All text goes in as text, never as HTML. */
import { element } from "./search-dom.mjs";

/** @param {import("./search-highlight.mjs").Segment[]} parts @returns {(Node | string)[]} */
function marked(parts) {
  return parts.map(({ text, hit }) => (hit ? element("mark", {}, text) : text));
}

/** @param {string | import("./search-view.mjs").Signed} fact @returns {HTMLElement} */
function factNode(fact) {
  if (typeof fact === "string") return element("span", {}, fact);
  const sign = element("span", { "aria-hidden": "true" }, `${fact.sign} `);
  return element("span", { class: `kb-hit__${fact.name}` }, sign, fact.word);
}

/**
 * @param {import("./search-view.mjs").View} view
 * @returns {{title: (Node | string)[], body: HTMLElement[]}}
 */
export function describe({ title, summary, part, facts, instead }) {
  const body = [element("span", { class: "kb-hit__summary" }, ...marked(summary))];
  if (part) {
    body.push(element(part.code ? "code" : "span", { class: "kb-hit__part" }, ...marked(part.segments)));
  }
  body.push(element("span", { class: "kb-hit__facts" }, ...facts.map(factNode)));
  if (instead) body.push(element("span", { class: "kb-hit__instead" }, instead));
  return { title: marked(title), body };
}
