/**
 * A query as units (what the reader typed, word by word) and the terms that stand for each. A unit
 * counts as found by its best term: `torch.compiler.set_stance` is found by the whole path, less by
 * `setstance`, hardly by `torch`.
 */
import { aliasTable } from "./search-aliases.mjs";
import { chunks, isStopWord } from "./search-tokenize.mjs";
import { errorLine } from "./search-traceback.mjs";

/**
 * @typedef {object} QueryTerm
 * @property {string} term
 * @property {number} weight how well it stands for its units, 0 to 1
 * @property {number[]} units which units it stands for
 * @property {boolean} prefix whether the beginning of a longer term counts
 * @property {boolean} fuzzy whether a typo may be forgiven
 *
 * @typedef {object} Query
 * @property {string} line what is searched: the query, or the line of a pasted traceback that matters
 * @property {{text: string, named: boolean}[]} units with whether it is a name: by its form, or because
 *   the error puts it in quotes
 * @property {QueryTerm[]} terms
 * @property {string[]} versions versions named in the query
 */

const MAX_UNITS = 40;
const MAX_RUN = 4;
/** How much of a unit each type of term carries, when the unit has several. */
const WEIGHT = { path: 1, pair: 1, name: 0.9, word: 0.25, version: 0.5, number: 0.5 };
/** The last part of a path, where it is one word: the "load" of torch.load. */
const TAIL_WEIGHT = 0.5;
const ALIAS_WEIGHT = 0.7;
const ALIAS_OF_RUN_WEIGHT = 0.9;
/** Names that say nothing about which change it is. */
const GENERIC = /^(?:\w+\.)*\w*(?:Error|Warning|Exception)$|^(?:py)?torch$/i;

const aliases = aliasTable((text) => chunks(text)[0].terms[0].term);

/**
 * @param {string} text
 * @returns {Query}
 */
export function parseQuery(text) {
  const line = errorLine(text);
  const all = chunks(line).slice(0, MAX_UNITS);
  const telling = all.filter((chunk) => chunk.terms.length > 0);
  const kept = telling.length > 0 ? telling : all; // stop words alone: they find nothing, and say so
  /** @type {Map<string, QueryTerm>} */
  const terms = new Map();

  /** @param {QueryTerm} added */
  const add = (added) => {
    const known = terms.get(added.term);
    if (!known) terms.set(added.term, added);
    else {
      known.weight = Math.max(known.weight, added.weight);
      known.prefix ||= added.prefix;
      known.fuzzy ||= added.fuzzy;
      known.units.push(...added.units.filter((unit) => !known.units.includes(unit)));
    }
  };
  /** @param {string} name @param {number[]} units */
  const addAliases = (name, units) => {
    const weight = units.length > 1 ? ALIAS_OF_RUN_WEIGHT : ALIAS_WEIGHT;
    for (const other of aliases.get(name) ?? []) {
      const { term } = chunks(other)[0].terms[0];
      add({ term, weight, units, prefix: false, fuzzy: false });
    }
  };

  kept.forEach((chunk, unit) => {
    if (chunk.terms.length === 0) {
      add({ term: chunk.text.toLowerCase(), weight: 1, units: [unit], prefix: false, fuzzy: false });
    }
    chunk.terms.forEach(({ term, type }, i) => {
      const named = type !== "version" && type !== "number";
      const sole = chunk.terms.length === 1 && type === "word";
      const tail = type === "word" && i === chunk.terms.length - 1 && chunk.text.includes(".");
      add({
        term,
        weight: (sole ? 1 : tail ? TAIL_WEIGHT : WEIGHT[type]) - (type === "path" ? 0.02 * i : 0),
        units: [unit],
        prefix: named && (sole || type !== "word") && term.length >= (unit === kept.length - 1 ? 2 : 3),
        fuzzy: (sole || type === "name") && !/[\d_]/.test(term),
      });
      if (named) addAliases(term, [unit]);
    });
  });

  // "set stance", "scaled dot product attention": words that stand together may be one name.
  for (let first = 0; first < all.length; first += 1) {
    for (let size = 2; size <= MAX_RUN && first + size <= all.length; size += 1) {
      const run = all.slice(first, first + size);
      if (!/^[\p{L}\p{N} ]+$/u.test(line.slice(run[0].start, run.at(-1)?.end))) break;
      const units = run.map((chunk) => kept.indexOf(chunk)).filter((unit) => unit >= 0);
      if (units.length === 0 || run.every((chunk) => isStopWord(chunk.text.toLowerCase()))) continue;
      const term = chunks(run.map((chunk) => chunk.text.toLowerCase()).join(""))[0].terms[0]?.term;
      if (!term) continue;
      add({ term, weight: 1, units, prefix: first + size === all.length, fuzzy: false });
      addAliases(term, units);
    }
  }
  const units = kept.map((chunk) => ({
    text: chunk.text,
    named:
      !GENERIC.test(chunk.text) &&
      (chunk.terms.some(({ type }) => type === "path" || type === "name" || type === "pair") ||
        /["'`]/.test(line.charAt(chunk.start - 1))),
  }));
  const versions = kept.flatMap((chunk) =>
    chunk.terms.filter((t) => t.type === "version").map((t) => t.term),
  );
  return { line, units, terms: [...terms.values()], versions };
}

/** Words of a question about releases as wholes; with any other word it is about something else. */
const ABOUT_RELEASES =
  /^(?:(?:py)?torch|version|release[sd]?|notes?|changes?|changed|changelog|what'?s|new|news|features?|breaks?|breaking|broken|upgrades?|upgrading|downgrade|downgrading|updates?|updating|migrates?|migration|migrating|going|guide|differences?|between|list|all|everything|happens?|go|going|move|moving|v)$/;

/**
 * The page that answers a question about releases alone: "2.14", "what is new in 2.14", "upgrade from 2.5
 * to 2.15".
 *
 * @param {Query} query
 * @param {string[]} releases
 * @returns {{id: string, url: string} | null} the record, and the address with what was asked
 */
export function aboutReleases({ units, versions, line }, releases) {
  const minors = [...new Set(versions.filter((one) => /^\d+\.\d+$/.test(one)))];
  const known = minors.filter((one) => releases.includes(one));
  const rest = units.filter(({ text }) => !/^v?\d/.test(text));
  if (known.length === 0 || !rest.every(({ text }) => ABOUT_RELEASES.test(text.toLowerCase()))) return null;
  if (known.length === 1 && minors.length === 1) return { id: `releases/${known[0]}/`, url: `releases/${known[0]}/` };
  if (minors.length !== 2 || line.length > 80) return null;
  const [from, to] = minors;
  return { id: "upgrade/", url: `upgrade/?from=${from}&to=${to}` };
}
