/**
 * Colors for Python while it is edited, with the class names that Pygments gave the code before. Close
 * enough to go unnoticed; it never has to be right about anything but the text itself.
 */

/** @param {string} words */
const set = (words) => new Set(words.split(" "));

const KEYWORDS = set(
  "as assert async await break class continue def del elif else except finally for global if lambda" +
    " match nonlocal pass raise return try while with yield",
);
const IMPORTS = set("from import");
const WORD_OPERATORS = set("and in is not or");
const CONSTANTS = set("False None True");
const BUILTINS = set(
  "abs all any bool bytes callable dict dir divmod enumerate filter float format frozenset getattr hasattr" +
    " hash id int isinstance issubclass iter len list map max min next object open print property range" +
    " repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip",
);

// What is not closed goes on to the end of the text, or of the line.
const LONG = /"""[^]*?(?:"""|(?![^]))|'{3}[^]*?(?:'{3}|(?![^]))/;
const SHORT = /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/;

const TOKEN = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    `(?<string>(?:\\b[bfrtuBFRTU]{1,2})?(?:${LONG.source}|${SHORT.source}))`,
    /(?<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?j?))/,
    /(?<decorator>(?<=^[ \t]*)@[\w.]+)/,
    /(?<word>[\p{L}_][\p{L}\p{N}_]*)/u,
    /(?<operator>[-+*/%@&|^~<>=!]+)/,
    /(?<punctuation>[()[\]{},:;.]+)/,
  ]
    .map((pattern) => (typeof pattern === "string" ? pattern : pattern.source))
    .join("|"),
  "gmu",
);

/**
 * @param {string} source Python, complete or not
 * @returns {[string, string][]} class name (empty for plain text) and text; the texts joined are the source
 */
export function tokens(source) {
  /** @type {[string, string][]} */
  const found = [];
  let end = 0;
  let before = "";
  for (const match of source.matchAll(TOKEN)) {
    if (match.index > end) found.push(["", source.slice(end, match.index)]);
    found.push([className(match, before), match[0]]);
    end = match.index + match[0].length;
    before = match[0];
  }
  if (end < source.length) found.push(["", source.slice(end)]);
  return found;
}

/**
 * @param {RegExpMatchArray} match
 * @param {string} before the token before it
 * @returns {string}
 */
function className(match, before) {
  const { comment, string, number, decorator, word, operator, punctuation } = match.groups ?? {};
  if (comment) return "c1";
  if (string) return /^\w*'/.test(string) ? "s1" : "s2";
  if (number) return /[.eE]/.test(number) && !/^0[xX]/.test(number) ? "mf" : "mi";
  if (decorator) return "nd";
  if (operator) return "o";
  if (punctuation) return "p";
  if (!word) return "";
  if (before === "def") return "nf";
  if (before === "class") return "nc";
  if (KEYWORDS.has(word)) return "k";
  if (IMPORTS.has(word)) return "kn";
  if (WORD_OPERATORS.has(word)) return "ow";
  if (CONSTANTS.has(word)) return "kc";
  if (word === "self") return "bp";
  return BUILTINS.has(word) && before !== "." ? "nb" : "n";
}

/**
 * Replace what an element shows by colored Python.
 * @param {Element} code
 * @param {string} source
 */
export function highlight(code, source) {
  const nodes = tokens(source).map(([name, text]) => {
    if (!name) return text;
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    return span;
  });
  // A line break at the very end of a <pre> is not drawn, but in a textarea it opens a line.
  code.replaceChildren(...nodes, "\n");
}
