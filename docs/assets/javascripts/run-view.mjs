/** The editor, buttons, status and output of one <kb-run-cell>; see run-cell.mjs for the markup. */

import { Editor } from "./run-editor.mjs";
import { duration, lastLine } from "./run-format.mjs";
import { Output } from "./run-output.mjs";
import { Session } from "./run-session.mjs";

/** All cells of a page share it; a cell that leaves the page ends its worker. */
const session = new Session();
const ANNOUNCED = 200;
const COPIED_MS = 1500;

/** @typedef {import("./run-session.mjs").Cell} Cell */
/** @typedef {"idle" | "busy" | "done" | "error" | "stopped" | "blocked" | "failed"} State */

/** Cells by their elements, which know the order on the page. @type {WeakMap<Element, View>} */
const views = new WeakMap();

/**
 * Make the code of a cell runnable; does nothing the second time.
 * @param {HTMLElement} host the <kb-run-cell>
 */
export function attach(host) {
  const code = host.querySelector("pre > code");
  if (code && !views.has(host)) views.set(host, new View(host, code));
}

/** End the page's Python, if there is one. */
export function detach() {
  session.stop();
}

/** @implements {Cell} */
class View {
  #host;
  #editor;
  #output = new Output();
  #status = element("p", "kb-run__status");
  #live = element("p", "kb-run__live");
  #buttons = {
    run: button("Run", () => this.run()),
    stop: button("Stop", () => session.stop()),
    reset: button("Reset", () => this.reset()),
    copy: button("Copy", () => this.#copy()),
  };

  /**
   * @param {HTMLElement} host
   * @param {Element} code
   */
  constructor(host, code) {
    this.#host = host;
    this.#editor = new Editor(code, {
      label: `Code: ${this.label}`,
      helpId: `kb-run-help-${host.dataset.cell ?? ""}`,
      onInput: () => enable(this.#buttons.reset, this.#status.dataset.state !== "busy"),
      onRun: () => this.run(),
    });

    const bar = element("div", "kb-run__bar");
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", this.label);
    const { run, stop, reset, copy } = this.#buttons;
    run.classList.add("kb-run__button--main");
    run.title = "Ctrl+Enter or ⌘+Enter";
    run.setAttribute("aria-keyshortcuts", "Control+Enter Meta+Enter");
    const size = host.dataset.download ? ` (${host.dataset.download})` : "";
    this.#show("idle", `Edit and run it here. The first run loads Python${size}.`);
    this.#live.setAttribute("role", "status");
    bar.append(run, stop, reset, copy, this.#status);
    host.append(bar, this.#live, this.#output.element);
  }

  // What the session needs of a cell.

  get source() {
    return this.#editor.source;
  }

  get filename() {
    return `<cell ${this.#host.dataset.cell ?? ""}>`.replace(" >", ">");
  }

  get label() {
    return this.#host.dataset.title || `Cell ${this.#host.dataset.cell ?? ""}`.trim();
  }

  get raises() {
    return "raises" in this.#host.dataset;
  }

  /** The cells above, but for those in a tab that is not open: they belong to another release. */
  earlier() {
    const hosts = [...document.querySelectorAll("kb-run-cell")];
    return hosts
      .slice(0, hosts.indexOf(this.#host))
      .filter((host) => host.getClientRects().length > 0)
      .flatMap((host) => views.get(host) ?? []);
  }

  /**
   * @param {string} text
   * @param {boolean} announce
   */
  report(text, announce) {
    this.#show("busy", text);
    if (announce) this.#live.textContent = text;
  }

  clear() {
    this.#output.clear();
  }

  /**
   * @param {"stdout" | "stderr"} stream
   * @param {string} text
   */
  write(stream, text) {
    this.#output.write(stream, text);
  }

  noteCut() {
    this.#output.noteCut();
  }

  /**
   * @param {import("./run-session.mjs").Result} result
   * @param {number} seconds
   */
  async finish(result, seconds) {
    const words = await this.#output.finish(result);
    const time = duration(seconds);
    if (result.error === undefined) {
      this.#show("done", `Finished in ${time}`);
      const spoken = words.length > ANNOUNCED ? "Its output is below." : words;
      this.#live.textContent = `Finished in ${time}. ${spoken}`;
    } else {
      this.#show("error", `Error after ${time}`);
      this.#live.textContent = lastLine(result.error);
    }
  }

  /**
   * @param {"stopped" | "blocked" | "failed"} kind
   * @param {string} sentence
   */
  abandon(kind, sentence) {
    this.#output.settle();
    this.#show(kind, sentence);
    this.#live.textContent = sentence;
  }

  /** Run this cell, after those above that have not run. */
  async run() {
    if (this.#status.dataset.state === "busy") return;
    await session.run(this);
  }

  /** Bring back the code of the page. */
  reset() {
    this.#editor.restore();
    this.#output.remove();
    this.#show("idle", "The code is as it was.");
    this.#live.textContent = "The code is as it was.";
  }

  /**
   * @param {State} state
   * @param {string} text
   */
  #show(state, text) {
    this.#status.dataset.state = state;
    this.#status.textContent = text;
    const { run, stop, reset } = this.#buttons;
    run.textContent = state === "failed" ? "Try again" : "Run";
    enable(run, state !== "busy");
    enable(stop, state === "busy");
    enable(reset, state !== "busy" && (this.#editor.changed || state !== "idle"));
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.source);
    } catch {
      // No permission, or not a secure address: leave it selected for the reader's own keys.
      this.#editor.select();
      this.#status.textContent = "Selected. Copy it with Ctrl+C or ⌘+C.";
      this.#live.textContent = this.#status.textContent;
      return;
    }
    this.#buttons.copy.textContent = "Copied";
    this.#live.textContent = "Copied";
    setTimeout(() => (this.#buttons.copy.textContent = "Copy"), COPIED_MS);
  }
}

/**
 * @param {string} tag
 * @param {string} className
 * @returns {HTMLElement}
 */
function element(tag, className) {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}

/**
 * @param {string} label
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
function button(label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "kb-run__button";
  made.textContent = label;
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") !== "true") act();
  });
  return made;
}

/**
 * A button that cannot be used keeps the focus, which `disabled` would drop.
 * @param {HTMLButtonElement} target
 * @param {boolean} possible
 */
function enable(target, possible) {
  target.setAttribute("aria-disabled", String(!possible));
}
