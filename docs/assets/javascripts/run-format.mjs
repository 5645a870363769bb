/**
 * What the interactive cells say: pure functions from numbers to sentences.
 *
 * @typedef {{loaded: number, total: number | null}} Download bytes so far; total is null while unknown
 */

/** Characters of output, and of a value or an error, that one run may show. */
export const TEXT_LIMIT = 20_000;

/** Characters of a picture that one run may show. */
export const SVG_LIMIT = 1_000_000;

/** The downloads worth counting, in the order in which they are shown. */
export const DOWNLOADS = new Map([
  ["pyodide.asm.wasm", "Python runtime"],
  ["python_stdlib.zip", "standard library"],
]);

/**
 * @param {number} bytes
 * @returns {string} megabytes (10^6 bytes) with one decimal, without the unit
 */
export function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

/**
 * @param {Map<string, Download>} files by file name
 * @returns {string} such as "Python runtime 3.1 of 9.6 MB, standard library 0.8 of 2.5 MB"
 */
export function progressText(files) {
  const parts = [];
  for (const [file, label] of DOWNLOADS) {
    const download = files.get(file);
    if (!download) continue;
    const of = download.total === null ? "" : ` of ${megabytes(download.total)}`;
    parts.push(`${label} ${megabytes(download.loaded)}${of} MB`);
  }
  return parts.length ? parts.join(", ") : "Loading Python";
}

/**
 * @param {number} seconds
 * @returns {string} with as many digits as a reader cares about
 */
export function duration(seconds) {
  if (seconds < 0.01) return "less than 0.01 s";
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0)} s`;
}

/**
 * @param {number} count
 * @returns {string} with thin spaces between thousands
 */
export function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/**
 * @param {string} text
 * @param {number} limit in characters
 * @returns {string} the text, or its start and a note on what was left out
 */
export function cut(text, limit = TEXT_LIMIT) {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}\n… ${grouped(text.length - limit)} more characters not shown`;
}

/**
 * @param {string} traceback as Python prints it
 * @returns {string} its last line, which names the error
 */
export function lastLine(traceback) {
  return traceback.trimEnd().split("\n").pop() ?? "";
}
