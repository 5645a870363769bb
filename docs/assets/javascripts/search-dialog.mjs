/**
 * The search over every page: a dialog with one field and a list. Opened by "/", by Ctrl or Command
 * with K, and by anything with `data-kb-search-open`. Arrows choose, Enter goes there, Escape closes.
 */
import { getSearch, newestOnly } from "./search-data.mjs";
import { addressOf, count, element, resultsAddress, searchField } from "./search-dom.mjs";
import { describe } from "./search-result.mjs";
import { getRelease } from "./state.mjs";

const SHOWN = 8;
const HINT = "A name, a question, an error message or a whole traceback.";

/** @param {EventTarget | null} target @returns {boolean} whether keys typed there are text */
function takesText(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName))
  );
}

export class SearchDialog extends HTMLElement {
  /** @type {HTMLDialogElement | null} */ dialog = null;
  /** @type {import("./search-data.mjs").Search | null} */ search = null;
  active = -1;
  /** What the list answers. */
  asked = "";

  input = searchField({
    class: "kb-search__input",
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": "kb-search-options",
    placeholder: "Search",
  });
  status = element("p", { class: "kb-search__status", role: "status" });
  list = element("div", {
    class: "kb-search__options",
    id: "kb-search-options",
    role: "listbox",
    "aria-label": "Results",
  });

  connectedCallback() {
    this.listening = new AbortController();
    const { signal } = this.listening;
    document.addEventListener("keydown", (event) => this.onShortcut(event), { signal });
    // Before the theme's own handler, which would go to the address of the link.
    document.addEventListener("click", (event) => this.onOpener(event), { signal, capture: true });
    document.addEventListener("kb:release", () => this.dialog?.open && this.show(), { signal });
    this.signal = signal;
  }

  disconnectedCallback() {
    this.listening?.abort();
    this.dialog?.close();
  }

  /** @param {KeyboardEvent} event */
  onShortcut(event) {
    const slash =
      event.key === "/" && !takesText(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey;
    const k =
      event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || event.isComposing || (!slash && !k)) return;
    event.preventDefault();
    this.open();
  }

  /** @param {MouseEvent} event */
  onOpener(event) {
    const opener = event.target instanceof Element && event.target.closest("[data-kb-search-open]");
    if (!opener || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.open();
  }

  /** Opens the dialog; on the page of the search its own field is the place to type. */
  open() {
    const onPage = document.querySelector("kb-search-page input");
    if (onPage instanceof HTMLInputElement) {
      onPage.focus();
      onPage.select();
      return;
    }
    this.dialog ??= this.build();
    if (!this.dialog.open) this.dialog.showModal();
    this.input.select();
    void this.prepare();
  }

  build() {
    const close = element("button", { class: "kb-search__close", type: "button" }, "Close");
    const form = element("form", { class: "kb-search__form", role: "search" }, this.input, close);
    const keys = element(
      "p",
      { class: "kb-search__keys", "aria-hidden": "true" },
      "↑ ↓ choose · Enter open · Esc close",
    );
    const inner = element("div", { class: "kb-search__inner" }, form, this.status, this.list, keys);
    const dialog = element("dialog", { class: "kb-search", "aria-label": "Search" }, inner);
    close.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", (event) => event.preventDefault());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("click", (event) => {
      const modified = event.ctrlKey || event.metaKey || event.shiftKey;
      if (!modified && event.target instanceof Element && event.target.closest("a")) dialog.close();
    });
    this.input.addEventListener("input", () => this.show());
    this.append(dialog);
    return dialog;
  }

  async prepare() {
    if (this.search) return this.show();
    this.status.textContent = HINT;
    const slow = setTimeout(() => (this.status.textContent = "Loading the search …"), 400);
    try {
      this.search = await getSearch();
      if (this.signal) this.search.onComplete(() => this.show(), { signal: this.signal });
      this.show();
    } catch {
      const again = element("button", { class: "kb-search__again", type: "button" }, "Try again");
      again.addEventListener("click", () => void this.prepare());
      this.status.replaceChildren("The search could not be loaded. ", again);
    } finally {
      clearTimeout(slow);
    }
  }

  /** Searches for what the field holds and lists what was found. */
  show = newestOnly(
    async () => {
      const query = this.input.value;
      const filters = { torch: getRelease() ?? undefined };
      return { query, reply: await this.search?.ask(query, filters, { limit: SHOWN, brief: true }) };
    },
    ({ query, reply }) => reply && this.showReply(query, reply),
  );

  /** @param {string} query @param {import("./search-data.mjs").Reply} reply */
  showReply(query, { results, total }) {
    this.asked = query;
    const options = results.map((result) => {
      const { title, body } = describe(result);
      const link = element("a", { class: "kb-hit", href: addressOf(result) });
      if (result.type === "entry") link.dataset.entry = result.id;
      link.append(element("span", { class: "kb-hit__title" }, ...title), ...body);
      return link;
    });
    if (total > 0) {
      const all = total > SHOWN ? `All ${total} results` : "All on a page, with filters";
      options.push(element("a", { class: "kb-search__all", href: resultsAddress(query) }, all));
    }
    options.forEach((option, place) => {
      option.id = `kb-search-option-${place}`;
      option.setAttribute("role", "option");
      option.tabIndex = -1;
    });
    this.list.replaceChildren(...options);
    this.list.scrollTop = 0;
    this.input.setAttribute("aria-expanded", String(options.length > 0));
    this.choose(options.length > 0 ? 0 : -1);
    if (!query.trim()) this.status.textContent = HINT;
    else if (total > 0) this.status.textContent = count(total, "result");
    else this.status.textContent = "Nothing found. Try the name alone, or the last line of the error.";
  }

  /** @param {number} place */
  choose(place) {
    this.active = place;
    [...this.list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === place)));
    const option = this.list.children[place];
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  /** Goes to the chosen result, once what was typed last is answered. */
  async go() {
    if (this.asked !== this.input.value) await this.show();
    const option = this.list.children[this.active];
    if (option instanceof HTMLElement) option.click();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.isComposing) return;
    const total = this.list.children.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && total > 0) {
      event.preventDefault();
      this.choose((this.active + step + total) % total);
    } else if (event.key === "Enter" && event.target === this.input) {
      event.preventDefault();
      void this.go();
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.dialog?.close();
    }
  }
}
