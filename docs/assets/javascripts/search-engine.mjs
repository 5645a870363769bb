/**
 * The search itself: an index over the records of `data/search.json`, and a ranking that asks more
 * than how often a word occurs: how much of the query an entry answers, whether it says the pasted
 * error word for word, and whether it holds in the reader's release.
 *
 * The MiniSearch class is a parameter: the page takes it from its own copy, Node from the package.
 */
import { hidingFilters, minorRelease, passes } from "./search-filters.mjs";
import { parseQuery } from "./search-query.mjs";
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

const FIELDS = {
  title: 3,
  symbols: 4,
  errors: 2.5,
  summary: 2,
  section: 0.7,
  text: 1,
  code: 0.5,
};
const TYPE_FACTOR = { entry: 1, guide: 0.9, page: 0.7, section: 0.7 };
/** What does not hold in the reader's release moves back by this, not out of sight. */
const OUTSIDE_RELEASE = 0.6;
/** Begins to hold in a release that the query names, or on the way between two. */
const NAMED_RELEASE = 1.15;
/** A name in a query says more than a word. */
const NAME_FACTOR = 1.6;
/** The whole error message of a record is in the query. */
const SAME_ERROR = 2;
/** Results below this share of the best one only share a word or two with the query. */
const WEAK = 0.15;

/**
 * The matched terms worth showing: not the single words of a name, nor a longer path that only begins
 * with a word of the query.
 *
 * @param {string[]} found terms of the record
 * @param {Map<string, import("./search-query.mjs").QueryTerm>} asked
 * @returns {Set<string>}
 */
function telling(found, asked) {
  const paths = [...asked.keys()].filter((term) => term.includes("."));
  const kept = found.filter((term) => {
    const own = asked.get(term);
    if (own) return own.weight >= 0.5;
    return !term.includes(".") || paths.some((path) => term.startsWith(path));
  });
  return new Set(kept.length > 0 ? kept : found);
}

/** How many records are read between two pauses. */
const BATCH = 20;

/** @param {string} text @returns {string[]} its plain words, three by three */
function triples(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`);
}

/** @param {string[]} values @returns {string} one field of the index */
function joined(values) {
  return values.join("\n");
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
  const errors = new Map(
    records.filter((r) => r.errors.length > 0).map((r) => [r.id, r.errors.map((e) => new Set(triples(e)))]),
  );
  /** @type {Set<string>} */
  let seen = new Set();
  const index = new MiniSearch({
    fields: Object.keys(FIELDS),
    extractField: (/** @type {any} */ record, /** @type {string} */ field) =>
      Array.isArray(record[field]) ? joined(record[field]) : (record[field] ?? ""),
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

  /** @param {import("./search-query.mjs").Query} query @returns {Result[]} all that match, best first */
  function rank(query, /** @type {Filters} */ filters) {
    const terms = new Map(query.terms.map((term) => [term.term, term]));
    const found = index.search(query.terms.map(({ term }) => term).join("\0"), {
      tokenize: (/** @type {string} */ text) => text.split("\0"),
      processTerm: (/** @type {string} */ term) => term,
      boost: FIELDS,
      boostTerm: (/** @type {string} */ name) => {
        const term = terms.get(name);
        return term ? term.weight * (term.units.some((unit) => query.units[unit].named) ? NAME_FACTOR : 1) : 1;
      },
      prefix: (/** @type {string} */ term) => terms.get(term)?.prefix ?? false,
      fuzzy: (/** @type {string} */ term) => {
        if (!terms.get(term)?.fuzzy || frequency.has(term) || term.length < 5) return false;
        return term.length < 9 ? 1 : 2;
      },
      weights: { prefix: 0.4, fuzzy: 0.45 },
    });
    const unitRarity = query.units.map(
      ({ named }, unit) =>
        (named ? NAME_FACTOR : 1) *
        Math.max(0, ...query.terms.filter((t) => t.units.includes(unit)).map((t) => rarity(t.term) * t.weight)),
    );
    const whole = unitRarity.reduce((sum, one) => sum + one, 0) || 1;
    const asked = new Set(triples(query.line));
    const named = [...query.versions.map(minorRelease), filters.from, filters.to]
      .filter((release) => release !== undefined && releases.includes(release))
      .sort((a, b) => compareReleases(String(a), String(b)));

    return found
      .map((/** @type {any} */ hit) => {
        const record = /** @type {SearchRecord} */ (byId.get(hit.id));
        const share = query.units.map(() => 0);
        for (const name of hit.queryTerms) {
          const term = terms.get(name);
          for (const unit of term?.units ?? []) share[unit] = Math.max(share[unit], term?.weight ?? 0);
        }
        const coverage = share.reduce((sum, part, unit) => sum + part * unitRarity[unit], 0) / whole;
        const error = Math.max(
          0,
          ...(errors.get(record.id) ?? []).map((said) => {
            const common = [...said].filter((triple) => asked.has(triple)).length;
            return common / Math.max(2, Math.min(said.size, asked.size));
          }),
        );
        const holds = applies(record.since, record.until, filters.torch ?? null);
        const onTheWay =
          record.since !== null &&
          (named.includes(record.since) ||
            (named.length > 1 && applies(named[0], named.at(-1), record.since) && named[0] !== record.since));
        const score =
          (hit.score / hit.queryTerms.length) *
          coverage ** 1.5 *
          (1 + SAME_ERROR * error * coverage ** 3) *
          (TYPE_FACTOR[record.type] ?? 1) *
          (onTheWay ? NAMED_RELEASE : 1) *
          (holds ? 1 : OUTSIDE_RELEASE);
        return { record, score, terms: telling(hit.terms, terms), applies: holds };
      })
      .sort((/** @type {Result} */ a, /** @type {Result} */ b) => b.score - a.score);
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
      const all = query.units.length === 0 ? listAll(filters) : rank(query, filters);
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
