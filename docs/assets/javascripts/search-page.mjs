/**
 * The page of the search: everything it shows stands in its address, so that a link shows the same to
 * everyone and the way back brings it again.
 */
import { createControls } from "./search-controls.mjs";
import { getSearch, newestOnly } from "./search-data.mjs";
import { addressOf, count, element, searchField } from "./search-dom.mjs";
import { hidingFilters, readAddress, writeAddress } from "./search-filters.mjs";
import { describe } from "./search-result.mjs";
import { getRelease, setRelease } from "./state.mjs";

const PORTION = 25;
const WRITE_AFTER = 300;

/** @param {string} path @returns {string} the last part of an address as words */
function wordsOfPath(path) {
  const last = path.split("/").findLast((part) => part && !/^index\.\w+$/.test(part)) ?? "";
  try {
    return decodeURIComponent(last).replace(/\.\w+$/, "").replace(/[-_]+/g, " ");
  } catch {
    return last;
  }
}

/**
 * Puts the search in place of what stands in the element.
 *
 * @param {HTMLElement} host
 * @returns {() => void} ends it
 */
export function mountSearchPage(host) {
  const { pathname } = location;
  const listening = new AbortController();
  const { signal } = listening;
  let { query, filters } = readAddress(new URLSearchParams(location.search));
  let portion = PORTION;
  /** @type {import("./search-data.mjs").Search | null} */
  let search = null;
  const shown = new EventTarget();
  let answered = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let writing;

  const controls = createControls();
  const input = searchField({
    class: "kb-find__input",
    placeholder: "A name, an error message, a whole traceback, a question",
  });
  const toggle = element(
    "button",
    { class: "kb-find__toggle", type: "button", "aria-expanded": "false", "aria-controls": controls.root.id },
    "Filters",
  );
  const form = element("form", { class: "kb-find", role: "search" }, input, toggle, controls.root);
  const status = element("p", { class: "kb-find__status", role: "status" });
  const active = element("span", { class: "kb-find__active" });
  const clear = element("button", { class: "kb-find__button", type: "button" }, "Clear the filters");
  const clearing = element("p", { class: "kb-find__clear", hidden: "" }, active, clear);
  const line = element("p", { class: "kb-find__line", hidden: "" });
  const list = element("ol", { class: "kb-hits" });
  const more = element("button", { class: "kb-find__button", type: "button", hidden: "" }, "Show more");

  function write() {
    clearTimeout(writing);
    writing = undefined;
    if (location.pathname !== pathname) return; // on the way to another page
    const url = writeAddress(new URL(location.href), query, filters);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  /** @param {import("./search-view.mjs").View} result @returns {HTMLLIElement} */
  function item(result) {
    const { title, body } = describe(result);
    const made = element("li", { class: "kb-hit" });
    if (result.type === "entry") made.dataset.entry = result.id;
    made.append(element("a", { class: "kb-hit__title", href: addressOf(result) }, ...title), ...body);
    return made;
  }

  /** @param {import("./search-data.mjs").Reply} reply @returns {string} */
  function summary({ total, behind, outside }) {
    const hiding = hidingFilters(filters).length > 0;
    if (!query.trim() && !hiding) return "Type above, or choose a filter to see all entries it lets through.";
    const further = outside > 0 ? `${outside} more outside the filter.` : "";
    if (total === 0 && outside > 0) return `Nothing inside the filter, ${outside} outside it.`;
    if (total === 0) {
      return "Nothing found. Try the name alone, or the last line of the error.";
    }
    const those = behind === total ? "none" : behind;
    const marked =
      behind === 0 ? "" : `, ${those} of them ${those === "none" ? "" : "not "}for ${filters.torch}`;
    return `${count(total, "result")}${marked}. ${further}`;
  }

  function render() {
    controls.show(filters);
    const hiding = hidingFilters(filters);
    toggle.textContent = hiding.length > 0 ? `Filters (${hiding.length})` : "Filters";
    active.textContent = hiding.map(controls.describe).join(" · ");
    clearing.hidden = hiding.length === 0;
    if (search) ask();
  }

  const ask = newestOnly(
    async () => search?.ask(query, filters, { limit: portion }),
    (reply) => {
      if (!reply || signal.aborted) return;
      list.replaceChildren(...reply.results.map(item));
      more.hidden = reply.total <= portion;
      status.textContent = summary(reply).trim();
      line.hidden = reply.line === query.replace(/\s+/g, " ").trim();
      line.replaceChildren("Searched for ", element("code", {}, reply.line));
      answered += 1;
      list.dataset.answered = String(answered); // benchmarks wait for it
      shown.dispatchEvent(new Event("shown"));
    },
  );

  /** @param {typeof filters} next */
  function filter(next) {
    const changed = next.torch !== filters.torch;
    filters = next;
    portion = PORTION;
    if (changed)
      setRelease(next.torch ?? null); // comes back as kb:release
    else takeRelease();
  }

  function readAgain() {
    clearTimeout(writing);
    if (location.pathname !== pathname) return;
    ({ query, filters } = readAddress(new URLSearchParams(location.search)));
    filters.torch = getRelease() ?? undefined;
    if (!query && "fromPath" in host.dataset) query = wordsOfPath(pathname);
    input.value = query.replace(/\s+/g, " ");
    render();
  }

  function takeRelease() {
    filters.torch = getRelease() ?? undefined;
    render();
    write();
  }

  async function prepare() {
    const slow = setTimeout(() => (status.textContent = "Loading the search …"), 400);
    try {
      search = await getSearch();
      search.onComplete(
        () => {
          list.dataset.complete = "";
          render();
        },
        { signal },
      );
      controls.offerAll(search.releases, search.topics);
      if (!signal.aborted) render();
    } catch {
      const again = element("button", { class: "kb-find__button", type: "button" }, "Try again");
      again.addEventListener("click", () => void prepare());
      status.replaceChildren("The search could not be loaded. ", again);
    } finally {
      clearTimeout(slow);
    }
  }

  /** @param {KeyboardEvent} event */
  function onArrow(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.isComposing) return;
    const stops = [input, ...list.querySelectorAll("a")];
    const place = stops.findIndex((stop) => stop === event.target);
    const next = stops[place + step];
    if (place < 0 || !next) return;
    event.preventDefault();
    next.focus();
  }

  input.addEventListener("input", () => {
    query = input.value;
    portion = PORTION;
    render();
    clearTimeout(writing);
    writing = setTimeout(write, WRITE_AFTER);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.focus();
  });
  controls.root.addEventListener("change", () => filter(controls.read()));
  toggle.addEventListener("click", () => {
    toggle.setAttribute("aria-expanded", String(toggle.getAttribute("aria-expanded") !== "true"));
  });
  clear.addEventListener("click", () => {
    filter({ torch: filters.torch });
    input.focus();
  });
  more.addEventListener("click", () => {
    const first = portion;
    portion += PORTION;
    shown.addEventListener("shown", () => list.querySelectorAll("a")[first]?.focus(), { once: true });
    render();
  });
  host.addEventListener("keydown", onArrow, { signal });
  document.addEventListener("click", () => writing && write(), { signal, capture: true });
  document.addEventListener("kb:release", takeRelease, { signal });
  addEventListener("popstate", readAgain, { signal });

  host.replaceChildren(form, status, clearing, line, list, more);
  readAgain();
  write();
  if (!query && matchMedia("(hover: hover)").matches) input.focus({ preventScroll: true });
  void prepare();
  return () => {
    clearTimeout(writing);
    listening.abort();
  };
}
