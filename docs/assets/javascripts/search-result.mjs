/** What a search result says, as nodes. All text goes in as text, never as HTML. */
import { HARDWARE_NAMES, element } from "./search-dom.mjs";
import { plain, segments, snippet } from "./search-highlight.mjs";
import { compareReleases } from "./state.mjs";

/**
 * @typedef {import("./search-engine.mjs").Result} Result
 * @typedef {import("./search-filters.mjs").SearchRecord} SearchRecord
 */

const PROOFS = { passed: ["✓", "proven"], failed: ["✗", "failed"], "not-run": ["○", "not run"] };
const TYPES = { guide: "guide", section: "section", page: "page" };

/** @param {string} text @param {Set<string>} terms @returns {(Node | string)[]} */
function marked(text, terms) {
  return segments(text, terms).map((part) => (part.hit ? element("mark", {}, part.text) : part.text));
}

/** @param {string} name @param {string} sign @param {string} word @returns {HTMLElement} */
function signed(name, sign, word) {
  return element("span", { class: name }, element("span", { "aria-hidden": "true" }, `${sign} `), word);
}

/** @param {SearchRecord} record @param {string} oldest @returns {string} */
function span({ since, until }, oldest) {
  if (!since) return until ? `until ${until}` : "";
  if (until) return since === until ? `in ${since} only` : `${since} to ${until}`;
  return since === oldest ? `${since} and later` : `since ${since}`;
}

/** @param {Result} result @param {string} release @returns {HTMLElement} whether it holds in the release */
function badge({ record, applies }, release) {
  if (applies) return signed("kb-hit__badge kb-hit__badge--in", "●", `applies to ${release}`);
  const ahead = record.since !== null && compareReleases(release, record.since) < 0;
  const where = ahead ? `from ${record.since}` : `until ${record.until}`;
  return signed("kb-hit__badge kb-hit__badge--out", ahead ? "→" : "←", `${where}, not in ${release}`);
}

/** @param {SearchRecord} record @param {string | null} release @returns {HTMLElement | null} */
function proof(record, release) {
  const newest = Object.keys(record.status).sort(compareReleases).at(-1);
  const shown = release ?? newest;
  if (!shown) return null;
  const runs = Object.entries(record.status[shown] ?? {});
  const status = ["failed", "passed", "not-run"].find((one) => runs.some(([, state]) => state === one));
  if (!status) return signed("kb-hit__proof", "–", `no run on ${shown}`);
  const devices = runs
    .filter(([, state]) => state === status)
    .map(([device]) => HARDWARE_NAMES[/** @type {"cpu"} */ (device)] ?? device);
  const [sign, word] = PROOFS[/** @type {"passed"} */ (status)];
  return signed(
    `kb-hit__proof kb-hit__proof--${status}`,
    sign,
    `${word} on ${shown} (${devices.join(", ")})`,
  );
}

/**
 * What a result says: title, summary, the part that matched, and whether it holds where.
 *
 * @param {Result} result
 * @param {{release: string | null, releases: string[], topics: {id: string, title: string}[]}} context
 * @param {{brief: boolean}} form brief: for the list below a field, without a part that matched
 * @returns {{title: (Node | string)[], body: HTMLElement[]}}
 */
export function describe(result, { release, releases, topics }, { brief }) {
  const { record, terms } = result;
  const facts = element("span", { class: "kb-hit__facts" });
  const type = TYPES[/** @type {"guide"} */ (record.type)];
  const words = [type ?? record.kind, span(record, releases[0]), record.stability].filter(Boolean);
  facts.append(...words.map((word) => element("span", {}, String(word))));
  if (release && record.since) facts.append(badge(result, release));
  if (!brief) {
    const topic = topics.find(({ id }) => id === record.topic)?.title;
    if (topic && record.type !== "section") facts.append(element("span", {}, topic));
    facts.append(proof(record, release) ?? "");
  }
  const body = [
    element("span", { class: "kb-hit__summary" }, ...marked(plain(record.summary), terms)),
    facts,
  ];
  const part = brief ? null : snippet(record, terms);
  if (part) {
    const tag = part.code ? "code" : "span";
    body.splice(1, 0, element(tag, { class: "kb-hit__part" }, ...marked(part.text, terms)));
  }
  if (!result.applies && record.instead) {
    body.push(element("span", { class: "kb-hit__instead" }, `In ${release}: ${plain(record.instead)}`));
  }
  return { title: marked(plain(record.title), terms), body };
}
