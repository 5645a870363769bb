/**
 * Elements that a page may hold and whose code is fetched when one does. What stands in such an element
 * is for readers without JavaScript and is replaced.
 */
import { SearchDialog } from "./search-dialog.mjs";

/** @typedef {(host: HTMLElement) => () => void} Mount puts content in place; what comes back ends it */

/** @param {string} name @param {() => Promise<Mount>} load */
function define(name, load) {
  if (customElements.get(name)) return;
  customElements.define(
    name,
    class extends HTMLElement {
      /** @type {(() => void) | undefined} */
      #unmount;

      async connectedCallback() {
        const mount = await load();
        if (this.isConnected && !this.#unmount) this.#unmount = mount(this);
      }

      disconnectedCallback() {
        this.#unmount?.();
        this.#unmount = undefined;
      }
    },
  );
}

if (!customElements.get("kb-search-dialog")) customElements.define("kb-search-dialog", SearchDialog);
define("kb-search-page", async () => (await import("./search-page.mjs")).mountSearchPage);
define("kb-install", async () => (await import("./install-page.mjs")).mountInstallPage);
define("kb-upgrade", async () => (await import("./upgrade-page.mjs")).mountUpgradePage);
