/**
 * The search itself: an index over the records of `data/search.json`, a ranking, and filters that say
 * how much they hide.
 *
 * The MiniSearch class is a parameter: the page takes it from its own copy, Node from the package.
 */
import { hidingFilters, passes } from "./search-filters.mjs";
import { aboutReleases, parseQuery } from "./search-query.mjs";
import { NAME_FACTOR, createScore, mainNames, tellingTerms, triples } from "./search-score.mjs";
import { tokenize } from "./search-tokenize.mjs";
import { applies, compareReleases } from "./state.mjs";

/**
 * @typedef {import("./search-filters.mjs").Filters} Filters
 * @typedef {import("./search-filters.mjs").SearchRecord} SearchRecord
 *
 * @typedef {object} Result
 * @property {SearchRecord} record
 * @property {number} score
 * @property {Set<string>} terms the terms of the record that matched, for highlighting
 * @property {boolean} applies whether it holds in the reader's release; true where none is set
 *
 * @typedef {object} Answer
 * @property {Result[]} results best first
 * @property {number} outside how many more there are that the filters hide
 * @property {string} line what was searched: of a traceback, the line that matters
 * @property {string[]} terms the terms of the query
 */

/** The fields of the index, and how much a match in each counts. */
const FIELDS = { title: 3, symbols: 4, errors: 2.5, summary: 2, section: 0.7, text: 1, code: 0.5 };
/** Results below this share of the best one only share a word or two with the query. */
const WEAK = 0.05;
/** How many of the best by the rough score are looked at closely. */
const CLOSE = 200;
/** From this many records on, what stands everywhere costs more than it tells. */
const LARGE = 1000;
/** From this many words on a query is long. */
const LONG = 4;
/** A term that this share of the records has. */
const COMMON = 0.3;
/** How many records are read between two pauses. */
const BATCH = 20;

/** A result; what is shown of few is found out when it is asked for. */
class Found {
  #hit;
  #query;

  /**
   * @param {SearchRecord} record
   * @param {number} score
   * @param {import("./search-score.mjs").Hit} hit
   * @param {import("./search-query.mjs").Query} query
   * @param {Filters} filters
   */
  constructor(record, score, hit, query, { torch }) {
    this.record = record;
    this.score = score;
    this.applies = applies(record.since, record.until, torch ?? null);
    this.#hit = hit;
    this.#query = query;
  }

  get terms() {
    return tellingTerms(this.#hit, this.#query);
  }
}

/**
 * Builds the index.
 *
 * @param {any} MiniSearch the class
 * @param {{releases: string[], topics: {id: string, title: string}[], records: SearchRecord[]}} data
 * @param {() => void | Promise<void>} [pause] awaited now and then, so that a page can go on meanwhile
 */
export async function createEngine(MiniSearch, { releases, topics, records }, pause = () => {}) {
  const byId = new Map(records.map((record) => [record.id, record]));
  /** @type {Map<string, number>} how many records have a term */
  const frequency = new Map();
  const names = new Map(records.map((record) => [record.id, mainNames(record)]));
  const errors = new Map(records.map((record) => [record.id, record.errors.map(triples)]));
  /** @type {Set<string>} */
  let seen = new Set();
  const index = new MiniSearch({
    fields: Object.keys(FIELDS),
    extractField: (/** @type {any} */ record, /** @type {string} */ field) =>
      [record[field] ?? ""].flat().join("\n"),
    tokenize,
    processTerm: (/** @type {string} */ term) => {
      seen.add(term);
      return term;
    },
  });
  for (const [place, record] of records.entries()) {
    if (place % BATCH === BATCH - 1) await pause();
    seen = new Set();
    index.add(record);
    for (const term of seen) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }

  /** @param {string} term @returns {number} how telling it is: rare terms more than common ones */
  function rarity(term) {
    const count = frequency.get(term);
    return count ? Math.log(1 + records.length / count) : Math.log(1 + records.length / 20);
  }

  /**
   * @param {import("./search-query.mjs").Query} asked
   * @param {Filters} filters
   * @returns {Result[]} all that match, best first
   */
  function rank(asked, filters) {
    const query = { ...asked, terms: telling(asked) };
    const terms = new Map(query.terms.map((term) => [term.term, term]));
    /** @type {import("./search-score.mjs").Hit[]} */
    const hits = index.search([...terms.keys()].join("\0"), {
      tokenize: (/** @type {string} */ text) => text.split("\0"),
      processTerm: (/** @type {string} */ term) => term,
      boost: FIELDS,
      boostTerm: (/** @type {string} */ name) => {
        const { weight = 1, units = [] } = terms.get(name) ?? {};
        return weight * (units.some((unit) => query.units[unit].named) ? NAME_FACTOR : 1);
      },
      // What is a whole word nearly everywhere need not be completed too.
      prefix: (/** @type {string} */ term) =>
        (terms.get(term)?.prefix ?? false) && (frequency.get(term) ?? 0) < COMMON * records.length,
      fuzzy: (/** @type {string} */ term) => {
        // A typo is forgiven only in what no record says.
        if (!terms.get(term)?.fuzzy || frequency.has(term) || term.length < 5) return false;
        return term.length < 7 ? 1 : 2;
      },
      weights: { prefix: 0.25, fuzzy: 0.45 },
    });
    const { rough, fine } = createScore(query, filters, releases, rarity);
    const scored = hits.map((hit) => ({ hit, score: rough(hit) })).sort((a, b) => b.score - a.score);
    // Only what may come out in front is worth the closer look.
    const close = scored.slice(0, CLOSE).map((one) => {
      const record = /** @type {SearchRecord} */ (byId.get(one.hit.id));
      const score = one.score * fine(one.hit, record, errors.get(record.id) ?? [], names.get(record.id));
      return { hit: one.hit, score };
    });
    return [...close, ...scored.slice(CLOSE)]
      .sort((a, b) => b.score - a.score || (a.hit.id < b.hit.id ? -1 : 1))
      .map(({ hit, score }) => new Found(/** @type {SearchRecord} */ (byId.get(hit.id)), score, hit, query, filters));
  }

  /**
   * Of a long query to a large index only what tells: not the words that stand nearly everywhere, nor the single words of
   * its names.
   *
   * @param {import("./search-query.mjs").Query} query
   */
  function telling({ terms, units }) {
    if (units.length < LONG || records.length < LARGE) return terms;
    const kept = terms.filter(
      ({ term, weight }) =>
        (frequency.get(term) ?? 0) < COMMON * records.length && (weight >= 0.5 || units.length < 2 * LONG),
    );
    return kept.length > 0 ? kept : terms;
  }

  /** @param {Filters} filters @returns {Result[]} everything, the newest changes first */
  function listAll(filters) {
    return records
      .filter((record) => record.type === "entry")
      .map((record) => ({
        record,
        score: 0,
        terms: /** @type {Set<string>} */ (new Set()),
        applies: applies(record.since, record.until, filters.torch ?? null),
      }))
      .sort(
        (a, b) =>
          Number(b.applies) - Number(a.applies) ||
          compareReleases(b.record.since ?? "0", a.record.since ?? "0") ||
          a.record.title.localeCompare(b.record.title),
      );
  }

  /** @param {{id: string, url: string}} page @param {Result[]} found @returns {Result[]} with the page in front */
  function first({ id, url }, found) {
    const record = byId.get(id);
    if (!record) return found;
    const terms = /** @type {Set<string>} */ (new Set());
    const score = Math.max(1, found[0]?.score ?? 0);
    const others = found.filter((result) => result.record.id !== id);
    return [{ record: { ...record, url }, score, terms, applies: true }, ...others];
  }

  return {
    releases,
    topics,
    /**
     * Searches. An empty query lists what the filters let through, and nothing without filters.
     *
     * @param {string} text as typed or pasted
     * @param {Filters} [filters]
     * @returns {Answer}
     */
    search(text, filters = {}) {
      const query = parseQuery(text);
      if (query.units.length === 0 && hidingFilters(filters).length === 0) {
        return { results: [], outside: 0, line: "", terms: [] };
      }
      const found = query.units.length === 0 ? listAll(filters) : rank(query, filters);
      const page = aboutReleases(query, releases);
      const all = page ? first(page, found) : found;
      const strong = all.filter((result) => result.score >= WEAK * all[0].score);
      const results = strong.filter((result) => passes(result.record, filters));
      return {
        results,
        outside: strong.length - results.length,
        line: query.line,
        terms: query.terms.map(({ term }) => term),
      };
    },
  };
}
