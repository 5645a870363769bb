/** Which parts of a text matched, and which part of a record to show with a result. */
import { chunks } from "./search-tokenize.mjs";

/**
 * @typedef {{text: string, hit: boolean}} Segment
 * @typedef {import("./search-filters.mjs").SearchRecord} SearchRecord
 */

const AROUND = 180;

const MOST_KEPT = 2000;
/** @type {Map<string, import("./search-tokenize.mjs").Term[]>} titles and summaries come at each key again */
const kept = new Map();

/** @param {string} text @returns {import("./search-tokenize.mjs").Term[]} */
function termsIn(text) {
  let found = kept.get(text);
  if (!found) {
    found = chunks(text).flatMap((chunk) => chunk.terms);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(text, found);
  }
  return found;
}

/**
 * Cuts a text into what matched and what did not.
 *
 * @param {string} text
 * @param {Set<string>} terms
 * @returns {Segment[]} joined they are the text
 */
export function segments(text, terms) {
  /** @type {Segment[]} */
  const result = [];
  let done = 0;
  const spans = termsIn(text)
    .filter(({ term }) => terms.has(term))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  for (const { start, end } of spans) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    if (from > done) result.push({ text: text.slice(done, from), hit: false });
    const last = result.at(-1);
    if (last?.hit && from === done) last.text += text.slice(from, end);
    else result.push({ text: text.slice(from, end), hit: true });
    done = end;
  }
  if (done < text.length) result.push({ text: text.slice(done), hit: false });
  return result;
}

/**
 * Prose without the marks of Markdown.
 *
 * @param {string} markdown
 * @returns {string}
 */
export function plain(markdown) {
  return markdown
    .replace(/\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/^#{1,6} |^\s*(?:[-*]|\d+\.) /gm, "")
    .replace(/(\*{1,2})([^\s*](?:[^*\n]*[^\s*])?)\1/g, "$2")
    .replaceAll("`", "");
}

/**
 * @typedef {{text: string, code: boolean, worth: number, terms: Set<string>}} Candidate
 * @type {WeakMap<SearchRecord, {head: Set<string>, candidates: Candidate[]}>} read once, asked at each key
 */
const read = new WeakMap();

/** @param {string} text @returns {Set<string>} the terms that stand in it */
function termsOf(text) {
  return new Set(chunks(text).flatMap((chunk) => chunk.terms.map(({ term }) => term)));
}

/** @param {SearchRecord} record */
function parts(record) {
  const known = read.get(record);
  if (known) return known;
  const candidates = [
    ...record.errors.map((text) => ({ text, code: true, worth: 2 })),
    ...record.symbols.map((text) => ({ text, code: true, worth: 1 })),
    ...plain(record.text)
      .split(/\n{2,}|(?<=[.!?]) (?=\p{Lu})/u)
      .map((text) => ({ text, code: false, worth: 1 })),
    ...record.code.split("\n").map((text) => ({ text, code: true, worth: 0.9 })),
  ].map((part) => ({ ...part, terms: termsOf(part.text) }));
  const made = { head: termsOf(`${record.title}\n${plain(record.summary)}`), candidates };
  read.set(record, made);
  return made;
}

/**
 * A long line cut to what stands around the first match.
 *
 * @param {string} line
 * @param {Set<string>} terms
 * @returns {string}
 */
function around(line, terms) {
  if (line.length <= AROUND) return line;
  const first = chunks(line).find((chunk) => chunk.terms.some(({ term }) => terms.has(term)))?.start ?? 0;
  let start = Math.max(0, Math.min(first - AROUND / 3, line.length - AROUND));
  if (start > 0) start = line.indexOf(" ", start) + 1;
  const end = line.lastIndexOf(" ", start + AROUND);
  const cut = line.slice(start, start + AROUND >= line.length || end <= start ? undefined : end);
  return `${start > 0 ? "… " : ""}${cut}${start + cut.length < line.length ? " …" : ""}`;
}

/**
 * The part of a record that shows why it was found, when title and summary do not: the error it
 * explains, a name, a sentence or a line of code.
 *
 * @param {SearchRecord} record
 * @param {Set<string>} terms
 * @returns {{text: string, code: boolean} | null}
 */
export function snippet(record, terms) {
  const { head, candidates } = parts(record);
  let best = null;
  let most = 0;
  for (const candidate of candidates) {
    const isError = candidate.worth === 2;
    let found = 0;
    let news = 0;
    for (const term of terms) {
      if (!candidate.terms.has(term)) continue;
      found += 1;
      if (!head.has(term)) news += 1;
    }
    const worth = (isError && found > 1 ? found : news) * candidate.worth;
    if (worth > most) {
      most = worth;
      best = candidate;
    }
  }
  return best && { text: around(best.text.replace(/\s+/g, " ").trim(), terms), code: best.code };
}
