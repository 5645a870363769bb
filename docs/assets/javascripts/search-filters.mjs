/**
 * The filters of the search: their place in the address, and which records they let through.
 *
 * `torch` is the reader's release. Alone it orders and marks: what does not hold in the release
 * stays in the list, further back, because it often is the answer ("from 2.7", "gone in 2.11").
 * With `only` it filters. All other filters hide what they do not match; the page says how many.
 */
import { applies, compareReleases } from "./state.mjs";

/**
 * @typedef {object} Filters
 * @property {string} [torch] the reader's release
 * @property {boolean} [only] show only what holds in `torch`
 * @property {string} [from] upgrade: the release left; what changes after it ...
 * @property {string} [to] ... up to and with this one
 * @property {string} [hardware]
 * @property {string} [kind]
 * @property {string} [topic]
 * @property {string} [stability]
 *
 * @typedef {object} SearchRecord one of `data/search.json`
 * @property {string} id
 * @property {"entry" | "section" | "guide" | "briefing" | "page"} type
 * @property {string} url
 * @property {string} title
 * @property {string} section
 * @property {string} topic
 * @property {string} summary
 * @property {string | null} kind
 * @property {string | null} since
 * @property {string | null} until
 * @property {string | null} stability
 * @property {string[]} hardware
 * @property {string[]} symbols
 * @property {string[]} errors
 * @property {string | null} instead
 * @property {string} text
 * @property {string} code
 * @property {Record<string, Record<string, string>>} status
 * @property {number} [links] how many pages link to it
 */

export const KINDS = ["added", "changed", "deprecated", "removed", "fixed", "security", "packaging"];
export const STABILITIES = ["stable", "beta", "prototype", "unstable"];
export const HARDWARE = ["cpu", "cuda", "rocm", "xpu", "mps"];
const RELEASES = /** @type {const} */ (["torch", "from", "to"]);
const CHOICES = /** @type {const} */ (["hardware", "kind", "topic", "stability"]);

/**
 * @param {string | null} value "2.9.1" counts as "2.9"
 * @returns {string | undefined} a minor release, or nothing for what is none
 */
export function minorRelease(value) {
  return /^v?(\d+\.\d+)(?:[.+]\w+)*$/.exec((value ?? "").trim())?.[1];
}

/**
 * @param {URLSearchParams} params
 * @returns {{query: string, filters: Filters}}
 */
export function readAddress(params) {
  /** @type {Filters} */
  const filters = {};
  for (const key of RELEASES) filters[key] = minorRelease(params.get(key));
  for (const key of CHOICES) filters[key] = params.get(key)?.trim().toLowerCase() || undefined;
  filters.only = params.get("only") === "applies" || undefined;
  if (filters.from && filters.to && compareReleases(filters.from, filters.to) > 0) {
    [filters.from, filters.to] = [filters.to, filters.from];
  }
  return { query: params.get("q") ?? "", filters };
}

/**
 * Puts a search into an address; parameters that are not of the search stay.
 *
 * @param {URL} address
 * @param {string} query
 * @param {Filters} filters
 * @returns {URL}
 */
export function writeAddress(address, query, filters) {
  const url = new URL(address);
  /** @type {Record<string, string | undefined>} */
  const values = { q: query, ...filters, only: filters.only && filters.torch ? "applies" : undefined };
  for (const key of ["q", "torch", "only", "from", "to", ...CHOICES]) {
    url.searchParams.delete(key);
    if (values[key]) url.searchParams.append(key, values[key]);
  }
  return url;
}

/**
 * Whether something changes on the way from one release to another: the statement begins to hold, or
 * ends, in a release after `from` and up to `to`. The same release twice means that release.
 *
 * @param {SearchRecord} record
 * @param {string | undefined} from
 * @param {string | undefined} to
 * @returns {boolean}
 */
function changesBetween({ since, until }, from, to) {
  if (!from && !to) return true;
  if (from && from === to) return since === to;
  const begins =
    since !== null && (!from || compareReleases(since, from) > 0) && (!to || compareReleases(since, to) <= 0);
  // It ends with the release after `until`.
  const ends =
    until !== null && (!from || compareReleases(until, from) >= 0) && (!to || compareReleases(until, to) < 0);
  return begins || ends;
}

/**
 * Whether the filters let a record through.
 *
 * @param {SearchRecord} record
 * @param {Filters} filters
 * @returns {boolean}
 */
export function passes(record, filters) {
  const { torch, only, from, to, hardware, kind, topic, stability } = filters;
  return (
    (!only || applies(record.since, record.until, torch ?? null)) &&
    changesBetween(record, from, to) &&
    (!hardware || record.hardware.includes(hardware)) &&
    (!kind || record.kind === kind) &&
    (!topic || record.topic === topic) &&
    (!stability || record.stability === stability)
  );
}

/**
 * The filters that can hide something.
 *
 * @param {Filters} filters
 * @returns {(keyof Filters)[]}
 */
export function hidingFilters(filters) {
  const keys = /** @type {const} */ (["only", "from", "to", ...CHOICES]);
  return keys.filter((key) => filters[key] && (key !== "only" || filters.torch));
}
