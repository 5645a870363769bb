/** Records and index, fetched and built once, and not before somebody searches. */
import { siteRoot } from "./state.mjs";

/**
 * @typedef {Awaited<ReturnType<typeof import("./search-engine.mjs").createEngine>>} Engine
 * @typedef {Engine & Pick<typeof import("./search-result.mjs"), "describe">} Search
 */

/** @type {Promise<Search> | null} */
let loading = null;

/** @returns {Promise<Search>} */
async function load() {
  const [response, { createEngine }, { describe }, { default: MiniSearch }] = await Promise.all([
    fetch(new URL("data/search.json", siteRoot())),
    import("./search-engine.mjs"),
    import("./search-result.mjs"),
    // @ts-ignore copied here from the package when the site is built
    import("../vendor/minisearch.mjs"),
  ]);
  if (!response.ok) throw new Error(`${response.status} ${response.url}`);
  const pause = () => new Promise((/** @type {(value: void) => void} */ resume) => setTimeout(resume));
  return { ...(await createEngine(MiniSearch, await response.json(), pause)), describe };
}

/**
 * The search, ready to use. A failed attempt is not remembered: the next call tries again.
 *
 * @returns {Promise<Search>}
 */
export function getSearch() {
  loading ??= load().catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}
