/** The page's side of the search: starts the worker when somebody searches, and asks it. */
import { siteRoot } from "./state.mjs";

/**
 * @typedef {import("./search-worker.mjs").Reply} Reply
 * @typedef {{limit: number, brief?: boolean}} Form
 *
 * @typedef {object} Search
 * @property {string[]} releases
 * @property {{id: string, title: string}[]} topics
 * @property {(query: string, filters: import("./search-filters.mjs").Filters, form: Form) => Promise<Reply>} ask
 * @property {(listener: () => void, options: {signal: AbortSignal}) => void} onComplete called once when the
 *   texts are searched too, so that what is shown can be asked again
 */

/** @type {Promise<Search> | null} */
let loading = null;

/** @returns {Promise<Search>} */
function load() {
  const worker = new Worker(new URL("search-worker.mjs", import.meta.url), { type: "module" });
  /** @type {Map<number, (reply: Reply) => void>} */
  const waiting = new Map();
  const complete = new EventTarget();
  let asked = 0;
  return new Promise((resolve, reject) => {
    worker.addEventListener("error", () => reject(new Error("the search does not run")));
    worker.addEventListener("message", ({ data }) => {
      if (data.type === "answer") {
        waiting.get(data.id)?.(data.reply);
        waiting.delete(data.id);
      } else if (data.type === "complete") {
        complete.dispatchEvent(new Event("complete"));
      } else if (data.type === "failed") {
        worker.terminate();
        reject(new Error(data.message));
      } else {
        resolve({
          releases: data.releases,
          topics: data.topics,
          ask: (query, filters, { limit, brief = false }) =>
            new Promise((found) => {
              asked += 1;
              waiting.set(asked, found);
              worker.postMessage({ type: "ask", id: asked, query, filters, limit, brief });
            }),
          onComplete: (listener, options) => complete.addEventListener("complete", listener, options),
        });
      }
    });
    const data = new URL("data/", siteRoot());
    worker.postMessage({
      type: "load",
      head: new URL("search.json", data).href,
      text: new URL("search-text.json", data).href,
    });
  });
}

/**
 * The search, ready to be asked. A failed attempt is not remembered: the next call tries again.
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

/**
 * Shows answers in the order of the questions, and only the newest: while one is on its way, of all
 * further questions the last alone is asked.
 *
 * @template T
 * @param {() => Promise<T>} ask
 * @param {(answer: T) => void} show
 * @returns {() => Promise<void>} asks; done when the newest answer is shown
 */
export function newestOnly(ask, show) {
  /** @type {Promise<void> | null} */
  let running = null;
  let again = false;
  async function run() {
    do {
      again = false;
      const answer = await ask();
      if (!again) show(answer);
    } while (again);
  }
  return () => {
    again = running !== null;
    running ??= run().finally(() => (running = null));
    return running;
  };
}
