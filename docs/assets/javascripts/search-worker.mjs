/**
 * The search, beside the page: builds the index and answers, so that typing never waits. It answers
 * from names, titles, errors and summaries as soon as those are there; the texts and code follow.
 */
// @ts-ignore copied here from the package when the site is built
import MiniSearch from "../vendor/minisearch.mjs";
import { createEngine } from "./search-engine.mjs";
import { view } from "./search-view.mjs";

/**
 * @typedef {object} Question
 * @property {number} id
 * @property {string} query
 * @property {import("./search-filters.mjs").Filters} filters
 * @property {number} limit how many results are wanted
 * @property {boolean} brief
 *
 * @typedef {object} Reply
 * @property {import("./search-view.mjs").View[]} results the best, as many as wanted
 * @property {number} total
 * @property {number} behind how many of them do not hold in the reader's release
 * @property {number} outside how many more the filters hide
 * @property {string} line what was searched
 */

/** @type {Awaited<ReturnType<typeof createEngine>> | null} */
let engine = null;
/** @type {() => void} */
let firstAnswered = () => {};
const answered = new Promise((/** @type {(value: void) => void} */ done) => (firstAnswered = done));
const pause = () => new Promise((/** @type {(value: void) => void} */ resume) => setTimeout(resume));

/** @param {string} address @returns {Promise<any>} */
async function read(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status} ${response.url}`);
  return response.json();
}

/** @param {{head: string, text: string}} addresses */
async function load({ head, text }) {
  try {
    const data = await read(head);
    const records = data.records.map((/** @type {any} */ record) => ({ text: "", code: "", ...record }));
    engine = await createEngine(MiniSearch, { ...data, records }, pause);
    postMessage({ type: "ready", releases: data.releases, topics: data.topics });
    await Promise.race([answered, new Promise((late) => setTimeout(late, 1000))]); // the first answer first
    const more = await read(text).catch(() => null); // without them it still finds names and errors
    if (!more) return;
    const whole = records.map((/** @type {any} */ record) => ({ ...record, ...more[record.id] }));
    engine = await createEngine(MiniSearch, { ...data, records: whole }, pause);
    postMessage({ type: "complete" });
  } catch (error) {
    postMessage({ type: "failed", message: String(error) });
  }
}

/** @param {Question} question */
function answer({ id, query, filters, limit, brief }) {
  if (!engine) return;
  const { results, outside, line } = engine.search(query, filters);
  const context = { release: filters.torch ?? null, releases: engine.releases, topics: engine.topics };
  /** @type {Reply} */
  const reply = {
    results: results.slice(0, limit).map((result) => view(result, context, brief)),
    total: results.length,
    behind: results.filter((result) => !result.applies).length,
    outside,
    line,
  };
  postMessage({ type: "answer", id, reply });
  firstAnswered();
}

addEventListener("message", ({ data }) => {
  if (data.type === "load") void load(data);
  else answer(data);
});
