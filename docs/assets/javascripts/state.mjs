/**
 * What the reader has set: the release and the hardware. An address wins over what was stored, so
 * that a link shows everyone the same page; what it says is stored, so that it lasts.
 */

const STORAGE = { torch: "kb-release", hardware: "kb-hardware" };

/** @param {string} value @returns {string | null} "2.9.1" and "v2.9" as "2.9"; null for anything else */
function minor(value) {
  const match = /^v?(\d+\.\d+)(?:\.\w+)*$/.exec(value.trim());
  return match ? match[1] : null;
}

/** @param {string} value @returns {string | null} */
function device(value) {
  return /^[a-z]+$/.test(value) ? value : null;
}

/**
 * @param {"torch" | "hardware"} key
 * @param {(value: string) => string | null} clean
 * @returns {string | null}
 */
function read(key, clean) {
  const asked = clean(new URLSearchParams(location.search).get(key) ?? "");
  try {
    if (asked) localStorage.setItem(STORAGE[key], asked);
    return asked ?? clean(localStorage.getItem(STORAGE[key]) ?? "");
  } catch {
    return asked; // storage is switched off
  }
}

/**
 * @param {"torch" | "hardware"} key
 * @param {string | null} value
 * @param {string} event
 * @param {object} detail
 */
function write(key, value, event, detail) {
  try {
    if (value) localStorage.setItem(STORAGE[key], value);
    else localStorage.removeItem(STORAGE[key]);
  } catch {
    // Storage is switched off: the address still carries it.
  }
  const url = new URL(location.href);
  if (value) url.searchParams.set(key, value);
  else url.searchParams.delete(key);
  if (url.href !== location.href) history.replaceState(history.state, "", url);
  document.dispatchEvent(new CustomEvent(event, { detail }));
}

/** @returns {string | null} the reader's release, such as "2.6"; null for any */
export function getRelease() {
  return read("torch", minor);
}

/** @param {string | null} release stored, put into the address and announced as `kb:release` */
export function setRelease(release) {
  write("torch", release, "kb:release", { release });
}

/** @returns {string | null} cpu, cuda, rocm, xpu or mps; null for any */
export function getHardware() {
  return read("hardware", device);
}

/** @param {string | null} hardware stored, put into the address and announced as `kb:hardware` */
export function setHardware(hardware) {
  write("hardware", hardware, "kb:hardware", { hardware });
}

/**
 * Orders releases as versions: 2.9 comes before 2.10.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number} negative, zero or positive
 */
export function compareReleases(a, b) {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference) return difference;
  }
  return 0;
}

/**
 * Whether a statement that holds from `since` to `until` (both included) holds in a release.
 *
 * @param {string | null | undefined} since
 * @param {string | null | undefined} until
 * @param {string | null} release null: any, so that it always does
 * @returns {boolean}
 */
export function applies(since, until, release) {
  if (!release) return true;
  return (!since || compareReleases(since, release) <= 0) && (!until || compareReleases(release, until) <= 0);
}

/** @returns {string} what the first page says about the root; later pages come by instant navigation */
function findRoot() {
  if (typeof document === "undefined") return "";
  const written = document.documentElement.dataset.siteRoot;
  const config = document.getElementById("__config")?.textContent;
  const base = written ?? (config ? JSON.parse(config).base : "/");
  return new URL(base.endsWith("/") ? base : `${base}/`, location.href).href;
}

const root = findRoot();

/** @returns {URL} absolute address of the site's root, ending with "/" */
export function siteRoot() {
  return new URL(root);
}
