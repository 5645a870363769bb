/**
 * Looks for what entries name in a reader's own files. Everything stays in the page: files are read by
 * the browser, one after the other, and nothing is sent.
 */

/** @typedef {{file: string, line: number, text: string}} Place */

/** Kinds of files in which the patterns make sense. */
const READ = /\.(?:py|pyi|ipynb|c|cc|cpp|cxx|cu|cuh|h|hpp|toml|cfg|txt|ya?ml|sh)$/i;
const SKIP = /(?:^|\/)(?:\.git|\.venv|venv|node_modules|site-packages|__pycache__|build|dist)\//;
const LARGEST = 2_000_000;
const MOST_PLACES = 200;

/** @param {{name: string, size: number, webkitRelativePath?: string}} file @returns {boolean} */
export function isRead(file) {
  const path = file.webkitRelativePath || file.name;
  return READ.test(path) && !SKIP.test(path) && file.size <= LARGEST;
}

/**
 * The places of a text that the patterns of each entry find, one a line.
 *
 * @param {{id: string, look_for: string[]}[]} entries
 * @param {string} file its name
 * @param {string} text
 * @param {Map<string, Place[]>} found by entry; added to
 */
export function findPlaces(entries, file, text, found) {
  const lines = text.split(/\r?\n/);
  for (const { id, look_for } of entries) {
    if (look_for.length === 0) continue;
    const pattern = new RegExp(look_for.map((one) => `(?:${one})`).join("|"));
    if (!pattern.test(text)) continue;
    const places = found.get(id) ?? [];
    lines.forEach((line, i) => {
      if (places.length < MOST_PLACES && pattern.test(line)) {
        places.push({ file, line: i + 1, text: line.trim().slice(0, 160) });
      }
    });
    if (places.length > 0) found.set(id, places);
  }
}

/**
 * Reads files and looks in each.
 *
 * @param {{id: string, look_for: string[]}[]} entries
 * @param {Iterable<File>} files
 * @param {(done: number) => void} progress
 * @returns {Promise<{found: Map<string, Place[]>, read: number, skipped: number}>}
 */
export async function findInFiles(entries, files, progress) {
  /** @type {Map<string, Place[]>} */
  const found = new Map();
  let read = 0;
  let skipped = 0;
  for (const file of files) {
    if (!isRead(file)) {
      skipped += 1;
      continue;
    }
    const text = await file.text();
    findPlaces(entries, file.webkitRelativePath || file.name, text, found);
    read += 1;
    if (read % 20 === 0) progress(read);
  }
  return { found, read, skipped };
}
