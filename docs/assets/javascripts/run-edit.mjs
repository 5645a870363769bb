/**
 * Keys in the code editor, as pure functions over the text and its selection.
 *
 * @typedef {object} Edit replace [from, to) by text, then select [start, end)
 * @property {number} from
 * @property {number} to
 * @property {string} text
 * @property {number} start
 * @property {number} end
 */

const UNIT = "    ";

/**
 * Indent, or with outward dedent, the lines of a selection; without a selection, at the caret.
 * @param {string} source
 * @param {number} start
 * @param {number} end
 * @param {boolean} outward
 * @returns {Edit}
 */
export function indent(source, start, end, outward) {
  const from = source.lastIndexOf("\n", start - 1) + 1;
  if (start === end && !outward) {
    const text = UNIT.slice((start - from) % UNIT.length);
    return { from: start, to: start, text, start: start + text.length, end: start + text.length };
  }
  // A selection that ends at the start of a line does not include that line.
  const last = end > start && source[end - 1] === "\n" ? end - 1 : end;
  const stop = source.indexOf("\n", last);
  const to = stop === -1 ? source.length : stop;
  const lines = source.slice(from, to).split("\n");
  const changed = lines.map((line) => {
    if (outward) return line.replace(/^ {1,4}/, "");
    return line && UNIT + line;
  });
  const text = changed.join("\n");
  const first = changed[0].length - lines[0].length;
  return {
    from,
    to,
    text,
    start: Math.max(from, start + first),
    end: Math.max(from, end + text.length - (to - from)),
  };
}

/**
 * A new line that keeps the indentation, and adds to it after a colon.
 * @param {string} source
 * @param {number} start
 * @param {number} end
 * @returns {Edit}
 */
export function newline(source, start, end) {
  const line = source.slice(source.lastIndexOf("\n", start - 1) + 1, start);
  const lead = /^ */.exec(line)?.[0] ?? "";
  const text = `\n${lead}${/:\s*$/.test(line) ? UNIT : ""}`;
  return { from: start, to: end, text, start: start + text.length, end: start + text.length };
}

/**
 * Make an edit in a way that the browser's undo knows.
 * @param {HTMLTextAreaElement} area
 * @param {Edit} edit
 */
export function applyEdit(area, { from, to, text, start, end }) {
  area.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, text)) {
    area.setRangeText(text, from, to);
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
  area.setSelectionRange(start, end);
}
