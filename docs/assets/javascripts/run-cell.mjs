/**
 * <kb-run-cell>: a code cell that the reader may edit and run in the page.
 *
 *     <kb-run-cell data-cell="3" data-title="Draw a block mask" data-download="13 MB">
 *       <div class="highlight"><pre><span></span><code>…</code></pre></div>
 *     </kb-run-cell>
 *
 * `data-cell` is the number that tracebacks show, `data-title` names the cell in sentences,
 * `data-download` (optional) says what the first run costs, and `data-raises` (optional, no value) that an
 * error is what the cell shows, so that the cells below still run. Without scripts it shows its code.
 *
 * Loaded on every page, and therefore small: the controls come with the first cell, Python and the rest
 * with the first run.
 */

class RunCell extends HTMLElement {
  /** @type {typeof import("./run-view.mjs") | null} */
  #controls = null;

  async connectedCallback() {
    this.#controls ??= await import("./run-view.mjs");
    if (this.isConnected) this.#controls.attach(this);
  }

  disconnectedCallback() {
    this.#controls?.detach();
  }
}

if (!customElements.get("kb-run-cell")) customElements.define("kb-run-cell", RunCell);
