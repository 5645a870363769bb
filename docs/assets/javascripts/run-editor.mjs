/** A textarea over colored code: the text is typed in the one and seen in the other. */

import { applyEdit, indent, newline } from "./run-edit.mjs";
import { highlight } from "./run-highlight.mjs";

const HELP = "Control and Enter runs the code. While you type, Tab indents; Escape, then Tab leaves.";

export class Editor {
  #area = document.createElement("textarea");
  #code;
  #original;
  #onRun;
  /** Whether Tab indents: only once the reader is at work here, so that nobody is caught in passing. */
  #typing = false;

  /**
   * @param {Element} code the element with the code, in a <pre>
   * @param {{label: string, helpId: string, onInput: () => void, onRun: () => void}} options
   */
  constructor(code, { label, helpId, onInput, onRun }) {
    this.#code = code;
    this.#original = (code.textContent ?? "").replace(/\n+$/, "");
    this.#onRun = onRun;

    const area = this.#area;
    area.className = "kb-run__area";
    area.value = this.#original;
    area.rows = 1;
    area.spellcheck = false;
    area.autocomplete = "off";
    area.translate = false;
    area.setAttribute("autocapitalize", "off");
    area.setAttribute("autocorrect", "off");
    area.setAttribute("aria-label", label);
    area.setAttribute("aria-describedby", helpId);
    area.addEventListener("input", () => {
      this.#typing = true;
      highlight(code, this.source);
      onInput();
    });
    area.addEventListener("blur", () => (this.#typing = false));
    area.addEventListener("keydown", (event) => this.#onKey(event));

    const help = document.createElement("span");
    help.className = "kb-run__live";
    help.id = helpId;
    help.textContent = HELP;
    // The textarea is read out; the colored copy below it is for the eye.
    code.setAttribute("aria-hidden", "true");
    code.parentElement?.append(area, help);
  }

  get source() {
    return this.#area.value;
  }

  /** Whether the text is not that of the page. */
  get changed() {
    return this.source !== this.#original;
  }

  /** Bring back the text of the page. */
  restore() {
    this.#area.value = this.#original;
    highlight(this.#code, this.#original);
  }

  /** Select all, for the reader to copy. */
  select() {
    this.#area.focus();
    this.#area.select();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { value, selectionStart, selectionEnd } = this.#area;
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#onRun();
    } else if (event.key === "Escape") this.#typing = false;
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "Tab" && this.#typing) {
      event.preventDefault();
      applyEdit(this.#area, indent(value, selectionStart, selectionEnd, event.shiftKey));
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      applyEdit(this.#area, newline(value, selectionStart, selectionEnd));
    }
  }
}
