/**
 * Registers the two elements of the search. The dialog fetches nothing before it is opened; the page
 * brings its own code.
 */
import { SearchDialog } from "./search-dialog.mjs";

/** `<kb-search-page>`: what stands in it is for readers without JavaScript and is replaced. */
class SearchPage extends HTMLElement {
  async connectedCallback() {
    const { mountSearchPage } = await import("./search-page.mjs");
    if (this.isConnected && !this.unmount) this.unmount = mountSearchPage(this);
  }

  disconnectedCallback() {
    this.unmount?.();
    this.unmount = undefined;
  }
}

if (!customElements.get("kb-search-dialog")) customElements.define("kb-search-dialog", SearchDialog);
if (!customElements.get("kb-search-page")) customElements.define("kb-search-page", SearchPage);
