/**
 * Text to search terms. The same function reads the records, the query and, for highlighting, what
 * is shown. It knows what PyTorch text is made of:
 *
 * - names in any spelling: `set_stance`, `setStance`, `set-stance` and `SetStance` give one term
 *   (`setstance`) and their words (`set`, `stance`); `torch.compiler.set_stance` gives each tail of
 *   the path besides, so that `compiler.set_stance` finds it;
 * - private names: `_scaled_mm` gives `_scaledmm` (exact) and `scaledmm` (found without the mark);
 * - releases: `2.10` is one term, `2.9.1` also counts as `2.9`; neither matches by its beginning;
 * - keyword arguments: `weights_only=True` gives `weightsonly=true` besides the name.
 *
 * No DOM, no state: for the page, a worker and Node alike.
 */

/**
 * @typedef {"path" | "name" | "word" | "version" | "number" | "pair"} TermType
 * @typedef {object} Term
 * @property {string} term what is compared
 * @property {TermType} type
 * @property {number} start where it stands in the text (UTF-16 offsets)
 * @property {number} end
 */

/** Left out unless a query has nothing else. Words that carry meaning in errors (not, no) stay. */
const STOP_WORDS = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its my of on or our " +
    "so than that the their them then there these they this to was we were what when where which while who why will with would you your"
  ).split(" "),
);

/** The deepest module path that gets a term for each of its tails. */
const MAX_DEPTH = 10;

const COMPONENT = String.raw`[\p{L}_][\p{L}\p{N}_]*(?:-[\p{L}\p{N}_]+)*`;
const SCANNER = new RegExp(
  [
    String.raw`(?<address>0x[0-9a-f]{4,})`,
    String.raw`(?<cpp>[cC]\+\+(?:\d\d)?)`,
    String.raw`(?<version>(?<![\p{N}.])[vV]?\d+(?:\.(?:\d+|x\b))+(?:\.?(?:post|rc|dev|a|b)\d+)?t?(?:\+(?<local>[a-z0-9]+))?(?![\p{L}\p{N}_]))`,
    // "python3.14", "torch2.6": the name ends where the version begins.
    String.raw`(?<glued>\p{L}+(?=\d+\.\d))`,
    `(?<path>${COMPONENT}(?:(?:\\.|::)${COMPONENT})*)(?:=(?<value>"[^"\\s]*"|'[^'\\s]*'|\\w+(?:\\+\\+\\d*)?))?`,
    String.raw`(?<number>\p{N}[\p{L}\p{N}]*)`,
  ].join("|"),
  "gu",
);
const PART = new RegExp(COMPONENT, "gu");
const WORDS = /\p{Lu}+\p{N}*(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+|\p{Lu}/gu;

/**
 * Cuts the endings of plain English words, so that "loads", "loaded" and "loading" meet.
 *
 * @param {string} word lower case
 * @returns {string}
 */
export function stem(word) {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (/ies$/.test(root)) root = root.replace(/ies$/, "y");
  else if (/(?:ss|x|z|ch|sh)es$/.test(root)) root = root.slice(0, -2);
  else if (/[^sui]s$/.test(root)) root = root.slice(0, -1);
  const bare = root.replace(/(?:ing|ed)$/, "");
  if (bare !== root && bare.length >= 3 && /[aeiouy]/.test(bare)) {
    root = bare.replace(/([bdfgmnprt])\1$/, "$1");
  }
  return root.length > 4 ? root.replace(/e$/, "") : root;
}

/**
 * Whether the word is left out of index and query.
 *
 * @param {string} word lower case
 * @returns {boolean}
 */
export function isStopWord(word) {
  return STOP_WORDS.has(word);
}

/** @param {string} text @returns {string} the term of a name: no separators, no case, no ending */
function canonical(text) {
  return stem(text.replace(/[_-]/g, "").toLowerCase());
}

/**
 * One component of a path: the whole name and its words.
 *
 * @param {string} text
 * @param {number} start
 * @param {boolean} alone whether it is the whole path
 * @returns {Term[]}
 */
function nameTerms(text, start, alone) {
  const end = start + text.length;
  const name = canonical(text);
  /** @type {Term[]} */
  const found = [];
  if (!name) return found;
  const words = [...text.matchAll(WORDS)];
  const plain = words.length === 1 && words[0][0].length === text.length;
  if (plain && (!alone || !isStopWord(text.toLowerCase()))) {
    if (text.length > 1) found.push({ term: name, type: "word", start, end });
    return found;
  }
  if (plain) return found;
  if (text.startsWith("_")) found.push({ term: `_${name}`, type: "name", start, end });
  found.push({ term: name, type: "name", start, end });
  for (const word of words) {
    const lower = word[0].toLowerCase();
    if (lower.length < 2 || isStopWord(lower) || stem(lower) === name) continue;
    const from = start + word.index;
    found.push({ term: stem(lower), type: "word", start: from, end: from + lower.length });
  }
  return found;
}

/**
 * A dotted path: each tail of it as one term, then its components.
 *
 * @param {string} text
 * @param {number} start
 * @returns {Term[]}
 */
function pathTerms(text, start) {
  const parts = [...text.matchAll(PART)];
  const end = start + text.length;
  /** @type {Term[]} */
  const found = [];
  const first = Math.max(0, parts.length - MAX_DEPTH);
  for (let i = first; i < parts.length - 1; i += 1) {
    const tail = parts.slice(i).map((part) => part[0]);
    // Nearly every path begins so: without it the path says as much, and "torch" has fewer completions.
    if (i === 0 && parts.length > 2 && tail[0] === "torch") continue;
    const loose = tail.map(canonical).join(".");
    const exact = tail.map((part) => (part.startsWith("_") ? "_" : "") + canonical(part)).join(".");
    const from = start + parts[i].index;
    if (exact !== loose) found.push({ term: exact, type: "path", start: from, end });
    found.push({ term: loose, type: "path", start: from, end });
  }
  for (const part of parts) {
    found.push(...nameTerms(part[0], start + part.index, parts.length === 1));
  }
  return found;
}

/**
 * All terms of a text, in order, grouped by the run of characters they were read from.
 *
 * @param {string} text
 * @returns {{text: string, start: number, end: number, terms: Term[]}[]}
 */
export function chunks(text) {
  const result = [];
  for (const match of text.matchAll(SCANNER)) {
    const groups = match.groups ?? {};
    const start = match.index;
    const end = start + match[0].length;
    /** @type {Term[]} */
    let terms = [];
    if (groups.address) continue;
    if (groups.version) {
      const version = groups.version.toLowerCase().replace(/^v/, "").replace(/\+.*$/, "");
      terms.push({ term: version, type: "version", start, end });
      const minor = /^(\d+\.\d+)(?:\.\d|t$)/.exec(version);
      if (minor) terms.push({ term: minor[1], type: "version", start, end });
      if (groups.local) {
        terms.push({ term: groups.local, type: "word", start: end - groups.local.length, end });
      }
    } else if (groups.cpp || groups.glued) {
      terms.push({ term: match[0].toLowerCase(), type: "word", start, end });
    } else if (groups.number) {
      terms.push({ term: groups.number.toLowerCase(), type: "number", start, end });
    } else {
      terms = pathTerms(groups.path, start);
      if (groups.value) {
        const name = canonical(groups.path.split(/\.|::/).at(-1) ?? "");
        const value = groups.value.replace(/["']/g, "").toLowerCase();
        if (name.length > 1) terms.push({ term: `${name}=${value}`, type: "pair", start, end });
        const at = end - groups.value.length;
        for (const term of chunks(groups.value).flatMap((chunk) => chunk.terms)) {
          terms.push({ ...term, start: term.start + at, end: term.end + at });
        }
      }
    }
    result.push({ text: match[0], start, end, terms });
  }
  return result;
}

/**
 * The terms of a text, as the index takes them.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function tokenize(text) {
  return chunks(text).flatMap((chunk) => chunk.terms.map((term) => term.term));
}
