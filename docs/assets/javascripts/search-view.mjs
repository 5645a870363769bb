/**
 * What a search result says, as plain data: text cut into what matched and what did not. Made in the
 * worker, so that the page only makes nodes of it.
 */
import { plain, segments, snippet } from "./search-highlight.mjs";
import { compareReleases } from "./state.mjs";

/**
 * @typedef {import("./search-engine.mjs").Result} Result
 * @typedef {import("./search-filters.mjs").SearchRecord} SearchRecord
 * @typedef {import("./search-highlight.mjs").Segment} Segment
 * @typedef {{name: string, sign: string, word: string}} Signed a sign, its word, and a class for it
 *
 * @typedef {object} View
 * @property {string} id
 * @property {string} type
 * @property {string} url
 * @property {Segment[]} title
 * @property {Segment[]} summary
 * @property {{code: boolean, segments: Segment[]} | null} part the part that matched
 * @property {(string | Signed)[]} facts
 * @property {string | null} instead what to do in the reader's release, where the entry does not hold
 */

const HARDWARE_NAMES = { cpu: "CPU", cuda: "CUDA", rocm: "ROCm", xpu: "XPU", mps: "MPS" };
const PROOFS = { passed: ["✓", "proven"], failed: ["✗", "failed"], "not-run": ["○", "not run"] };
const TYPES = { guide: "guide", section: "section", page: "page", briefing: "briefing" };

/** @param {SearchRecord} record @param {string} oldest @returns {string} */
function span({ since, until }, oldest) {
  if (!since) return until ? `until ${until}` : "";
  if (until) return since === until ? `in ${since} only` : `${since} to ${until}`;
  return since === oldest ? `${since} and later` : `since ${since}`;
}

/** @param {Result} result @param {string} release @returns {Signed} whether it holds in the release */
function badge({ record, applies }, release) {
  if (applies) return { name: "badge kb-hit__badge--in", sign: "●", word: `applies to ${release}` };
  const ahead = record.since !== null && compareReleases(release, record.since) < 0;
  const where = ahead ? `from ${record.since}` : `until ${record.until}`;
  return { name: "badge kb-hit__badge--out", sign: ahead ? "→" : "←", word: `${where}, not in ${release}` };
}

/** @param {SearchRecord} record @param {string | null} release @returns {Signed | null} */
function proof(record, release) {
  const newest = Object.keys(record.status).sort(compareReleases).at(-1);
  const shown = release ?? newest;
  if (!shown) return null;
  const runs = Object.entries(record.status[shown] ?? {});
  const status = ["failed", "passed", "not-run"].find((one) => runs.some(([, state]) => state === one));
  if (!status) return { name: "proof", sign: "–", word: `no run on ${shown}` };
  const devices = runs
    .filter(([, state]) => state === status)
    .map(([device]) => HARDWARE_NAMES[/** @type {"cpu"} */ (device)] ?? device);
  const [sign, word] = PROOFS[/** @type {"passed"} */ (status)];
  return { name: `proof kb-hit__proof--${status}`, sign, word: `${word} on ${shown} (${devices.join(", ")})` };
}

/**
 * What a result says: title, summary, the part that matched, and whether it holds where.
 *
 * @param {Result} result
 * @param {{release: string | null, releases: string[], topics: {id: string, title: string}[]}} context
 * @param {boolean} brief for the list below a field: without the topic, the proof and a part that matched
 * @returns {View}
 */
export function view(result, { release, releases, topics }, brief) {
  const { record, terms } = result;
  const type = TYPES[/** @type {"guide"} */ (record.type)];
  /** @type {(string | Signed | null | undefined)[]} */
  const facts = [type ?? record.kind, span(record, releases[0]), record.stability];
  if (release && record.since) facts.push(badge(result, release));
  if (!brief) {
    if (record.type !== "section") facts.push(topics.find(({ id }) => id === record.topic)?.title);
    facts.push(proof(record, release));
  }
  const part = brief ? null : snippet(record, terms);
  return {
    id: record.id,
    type: record.type,
    url: record.url,
    title: segments(plain(record.title), terms),
    summary: segments(plain(record.summary), terms),
    part: part && { code: part.code, segments: segments(part.text, terms) },
    facts: /** @type {(string | Signed)[]} */ (facts.filter(Boolean)),
    instead: !result.applies && record.instead ? `In ${release}: ${plain(record.instead)}` : null,
  };
}
