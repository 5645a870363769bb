/** What a run printed and returned, below its cell. */

import { cut, grouped, SVG_LIMIT, TEXT_LIMIT } from "./run-format.mjs";

export class Output {
  element = document.createElement("div");
  /** What was shown is of an earlier run and goes when this run has something to show. */
  #stale = false;
  /** Text on its way to the page, collected so that a fast loop draws once a frame. */
  #pending = /** @type {{stream: string, text: string}[]} */ ([]);
  #frame = 0;

  constructor() {
    this.element.className = "kb-run__output";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Output of your run");
    this.element.hidden = true;
  }

  /** Forget the output so far; it stays to be seen until there is something new, lest the page jumps. */
  clear() {
    this.#pending = [];
    this.#stale = true;
  }

  /** Remove the output at once. */
  remove() {
    this.clear();
    this.#refresh();
  }

  /**
   * @param {"stdout" | "stderr"} stream
   * @param {string} text
   */
  write(stream, text) {
    this.#pending.push({ stream, text });
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  noteCut() {
    this.#draw();
    this.#append("note", `Output is cut after ${grouped(TEXT_LIMIT)} characters.`);
  }

  /**
   * @param {import("./run-session.mjs").Result} result
   * @returns {Promise<string>} the result in words
   */
  async finish({ error, text, svg }) {
    this.#draw();
    this.#refresh();
    if (error !== undefined) this.#append("error", cut(error));
    else if (svg) return this.#picture(svg, text ?? "");
    else if (typeof text === "string") this.#append("value", cut(text));
    this.element.hidden = !this.element.hasChildNodes();
    this.#letScroll();
    return this.element.textContent?.trim() ?? "";
  }

  /** The run ended early: show what there is of it. */
  settle() {
    this.#draw();
    this.#refresh();
    this.#letScroll();
  }

  /**
   * @param {string} svg
   * @param {string} text to show where there is no picture
   * @returns {Promise<string>}
   */
  async #picture(svg, text) {
    let picture = null;
    let problem = "The picture is empty.";
    if (svg.length > SVG_LIMIT) problem = "The picture is too large to show.";
    else {
      try {
        const { cleanSvg } = await import("./run-svg.mjs");
        picture = await cleanSvg(svg);
      } catch {
        problem = "The picture cannot be shown: a part of the page did not load.";
      }
    }
    if (!picture) {
      this.#append("value", cut(text));
      this.#append("note", problem);
      this.#letScroll();
      return problem;
    }
    this.#append("picture", "").append(picture);
    this.#letScroll();
    return picture.querySelector("title")?.textContent ?? "A picture";
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!this.#pending.length) return;
    this.#refresh();
    for (const { stream, text } of this.#pending) {
      const last = this.element.lastElementChild;
      const place = last?.classList.contains(`kb-run__${stream}`) ? last : this.#append(stream, "");
      place.append(text);
    }
    this.#pending = [];
  }

  #refresh() {
    if (!this.#stale) return;
    this.#stale = false;
    this.element.replaceChildren();
    this.element.hidden = true;
  }

  /** A part that scrolls can be reached by the keyboard. */
  #letScroll() {
    for (const part of this.element.children) {
      const scrolls = part.scrollHeight > part.clientHeight || part.scrollWidth > part.clientWidth;
      if (scrolls) part.setAttribute("tabindex", "0");
    }
  }

  /**
   * @param {string} kind stdout, stderr, value, error, note or picture
   * @param {string} text
   * @returns {HTMLElement}
   */
  #append(kind, text) {
    const part = document.createElement(kind === "note" ? "p" : kind === "picture" ? "div" : "pre");
    part.className = `kb-run__${kind}`;
    part.textContent = text;
    this.element.append(part);
    this.element.hidden = false;
    return part;
  }
}
