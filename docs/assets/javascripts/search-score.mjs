/**
 * How well a record answers a query, beyond how often its words occur: how much of the query it
 * covers, whether it says the pasted error word for word, and whether it holds in the reader's
 * release.
 */
import { minorRelease } from "./search-filters.mjs";
import { tokenize } from "./search-tokenize.mjs";
import { applies, compareReleases } from "./state.mjs";

/**
 * @typedef {import("./search-filters.mjs").Filters} Filters
 * @typedef {import("./search-filters.mjs").SearchRecord} SearchRecord
 * @typedef {import("./search-query.mjs").Query} Query
 * @typedef {import("./search-query.mjs").QueryTerm} QueryTerm
 *
 * @typedef {object} Hit what MiniSearch says about a record
 * @property {string} id
 * @property {number} score
 * @property {string[]} terms of the record
 * @property {string[]} queryTerms
 * @property {Record<string, string[]>} match the fields in which each term was found
 */

/** A name in a query says more than a word. */
export const NAME_FACTOR = 1.6;
const TYPE_FACTOR = { entry: 1, guide: 0.9, briefing: 0.8, page: 0.7, section: 0.7 };
/** What does not hold in the reader's release moves back by this, not out of sight. */
const OUTSIDE_RELEASE = 0.6;
/** Begins to hold in a release that the query names, or on the way between two. */
const NAMED_RELEASE = 1.15;
/** The title says the name that the query asks for. */
const NAME_IN_TITLE = 1.3;
/** The record is about the name that the query asks for: it is the first of its symbols. */
const MAIN_NAME = 1.25;
/** Asked for a name alone, what introduces it comes before what changed about it later. */
const INTRODUCES = 1.2;
/** Each doubling of the pages that link to a record: what others build on is looked for more often. */
const LINKED = 0.07;
/** The whole error message of a record is in the query. */
const SAME_ERROR = 2;

/**
 * A text as runs of three words, to see how much two messages have in common.
 *
 * @param {string} text
 * @returns {Set<string>}
 */
export function triples(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`));
}

/** @param {Set<string>[]} said @param {Set<string>} asked @returns {number} 0 to 1 */
function sameError(said, asked) {
  let most = 0;
  for (const error of said) {
    const [small, large] = error.size < asked.size ? [error, asked] : [asked, error];
    let common = 0;
    for (const triple of small) if (large.has(triple)) common += 1;
    most = Math.max(most, common / Math.max(2, small.size));
  }
  return most;
}

/** @param {Hit} hit @param {Query} query @returns {boolean} whether a name as a whole is in the title */
function namesInTitle({ match }, query) {
  return query.terms.some(
    ({ term, weight, units }) =>
      weight >= 0.9 && match[term]?.includes("title") && (units.length > 1 || query.units[units[0]].named),
  );
}

/**
 * The terms that ask for a record's first symbol: its name, and its path from any package on.
 *
 * @param {SearchRecord} record
 * @returns {Set<string>}
 */
export function mainNames({ symbols }) {
  const [first = ""] = symbols;
  const name = tokenize(first.split(".").at(-1) ?? "")[0];
  return new Set([name, ...tokenize(first).filter((term) => term.includes(".") && term.endsWith(`.${name}`))]);
}

/** @param {Set<string>} names @param {Query} query @returns {boolean} */
function asksFor(names, query) {
  return query.terms.some(
    ({ term, weight, units }) =>
      weight >= 0.9 && names.has(term) && (units.length > 1 || query.units[units[0]].named),
  );
}

/** @param {string | null} since @param {string[]} named in order @returns {boolean} */
function beginsOnTheWay(since, named) {
  if (since === null || named.length === 0) return false;
  return since === named.at(-1) || (since !== named[0] && applies(named[0], named.at(-1), since));
}

/**
 * Prepares a query: what comes back rates a record.
 *
 * @param {Query} query
 * @param {Filters} filters
 * @param {string[]} releases
 * @param {(term: string) => number} rarity
 * @returns {{
 *   rough: (hit: Hit) => number,
 *   fine: (hit: Hit, record: SearchRecord, errors: Set<string>[], names?: Set<string>) => number,
 * }} the score by how much of the query is found, and the factor that a closer look adds
 */
export function createScore(query, filters, releases, rarity) {
  const terms = new Map(query.terms.map((term) => [term.term, term]));
  const worth = query.units.map(({ named }, unit) => {
    const own = query.terms.filter(({ units }) => units.includes(unit));
    return (named ? NAME_FACTOR : 1) * Math.max(0, ...own.map(({ term, weight }) => rarity(term) * weight));
  });
  const whole = worth.reduce((sum, one) => sum + one, 0) || 1;
  const asked = triples(query.line);
  const sole = query.units.length === 1;
  const named = [...query.versions.map(minorRelease), filters.from, filters.to]
    .filter((release) => release !== undefined)
    .filter((release) => releases.includes(release))
    .sort(compareReleases);

  /** @param {Hit} hit @returns {number} the share of the query that is found, 0 to 1 */
  function coverage({ queryTerms }) {
    const share = query.units.map(() => 0);
    for (const name of queryTerms) {
      const term = terms.get(name);
      for (const unit of term?.units ?? []) share[unit] = Math.max(share[unit], term?.weight ?? 0);
    }
    return share.reduce((sum, part, unit) => sum + part * worth[unit], 0) / whole;
  }

  return {
    // MiniSearch multiplies by the number of terms, of which one word here may have many.
    rough: (hit) => (hit.score / hit.queryTerms.length) * coverage(hit) ** 1.5,
    fine: (hit, record, errors, names = new Set()) =>
      (1 + SAME_ERROR * sameError(errors, asked) * coverage(hit) ** 3) *
      (TYPE_FACTOR[record.type] ?? 1) *
      (namesInTitle(hit, query) ? NAME_IN_TITLE : 1) *
      (asksFor(names, query) ? MAIN_NAME * (sole && record.kind === "added" ? INTRODUCES : 1) : 1) *
      (1 + LINKED * Math.log2(1 + (record.links ?? 0))) *
      (beginsOnTheWay(record.since, named) ? NAMED_RELEASE : 1) *
      (applies(record.since, record.until, filters.torch ?? null) ? 1 : OUTSIDE_RELEASE),
  };
}

/**
 * The matched terms worth showing: not the single words of a name, nor a longer path that only begins
 * with a word of the query.
 *
 * @param {Hit} hit
 * @param {Query} query
 * @returns {Set<string>}
 */
export function tellingTerms({ terms }, query) {
  const asked = new Map(query.terms.map((term) => [term.term, term]));
  const paths = [...asked.keys()].filter((term) => term.includes("."));
  const kept = terms.filter((term) => {
    const own = asked.get(term);
    if (own) return own.weight >= 0.5;
    return !term.includes(".") || paths.some((path) => term.startsWith(path));
  });
  return new Set(kept.length > 0 ? kept : terms);
}
