/**
 * One Python for all interactive cells of a page: they share a worker and its namespace, as the cells of
 * a notebook do, and run one after the other.
 *
 * @typedef {{error?: string, text?: string | null, svg?: string | null}} Result
 * @typedef {object} Cell what the session needs of a cell on the page
 * @property {string} source its present text
 * @property {string} filename what tracebacks call it
 * @property {string} label what sentences call it
 * @property {boolean} raises whether an error is what it is there to show
 * @property {() => Cell[]} earlier the cells above it, first one first
 * @property {(text: string, announce: boolean) => void} report something is going on
 * @property {() => void} clear its output so far is void
 * @property {(stream: "stdout" | "stderr", text: string) => void} write
 * @property {() => void} noteCut output past the limit is not shown
 * @property {(result: Result, seconds: number) => Promise<void>} finish it ran
 * @property {(kind: "stopped" | "blocked" | "failed", sentence: string) => void} abandon it did not run,
 *   or not to its end
 */

import { progressText } from "./run-format.mjs";

const STOPPED = "Stopped. The next run starts Python again.";

/** Stands for a run that was given up; carries what the reader is told. */
class Abandoned extends Error {
  /**
   * @param {"stopped" | "blocked" | "failed"} kind
   * @param {string} sentence
   */
  constructor(kind, sentence) {
    super(sentence);
    this.kind = kind;
  }
}

export class Session {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Promise<void> | null} settled once the worker can run cells */
  #ready = null;
  /** Text that each cell last ran with in this worker. @type {Map<Cell, string>} */
  #ran = new Map();
  /** End of the queue. */
  #tail = Promise.resolve();
  /** @type {((message: any) => void) | null} takes the messages of whoever waits for the worker */
  #listener = null;
  /** @type {((reason: Abandoned) => void) | null} */
  #abandon = null;
  /** Counts the times the worker was ended; a queued run of an earlier count is void. */
  #epoch = 0;

  /**
   * Run a cell, after the cells above it whose present text has not run in this worker.
   * @param {Cell} cell
   * @returns {Promise<void>} resolved when it ran or was given up; never rejected
   */
  run(cell) {
    const epoch = this.#epoch;
    cell.report("Waiting for the other cell", false);
    this.#tail = this.#tail.then(async () => {
      try {
        if (epoch !== this.#epoch) throw new Abandoned("stopped", STOPPED);
        await this.#boot(cell);
        for (const other of cell.earlier()) {
          if (this.#ran.get(other) === other.source) continue;
          cell.report(`Running “${other.label}” first`, false);
          if (await this.#execute(other)) continue;
          throw new Abandoned("blocked", `Not run, because “${other.label}” above fails.`);
        }
        await this.#execute(cell);
      } catch (error) {
        if (!(error instanceof Abandoned)) throw error;
        cell.abandon(error.kind, error.message);
      }
    });
    return this.#tail;
  }

  /** End the worker at once, whatever it does; all runs under way or waiting are given up. */
  stop() {
    this.#end(new Abandoned("stopped", STOPPED));
  }

  /** @param {Abandoned} reason */
  #end(reason) {
    this.#epoch += 1;
    this.#worker?.terminate();
    this.#worker = null;
    this.#ready = null;
    this.#ran.clear();
    this.#abandon?.(reason);
  }

  /**
   * @param {Cell} cell gets the progress
   * @returns {Promise<void>} rejected with Abandoned
   */
  #boot(cell) {
    if (this.#ready) return this.#ready;
    const ready = this.#wait((/** @type {(value: void) => void} */ resolve) => {
      const files = new Map();
      cell.report(progressText(files), true);
      this.#listener = (message) => {
        if (message.type === "progress") {
          files.set(message.file, message);
          cell.report(progressText(files), false);
        } else if (message.type === "starting") cell.report("Starting Python", false);
        else if (message.type === "ready") resolve();
      };
      this.#start();
    });
    this.#ready = ready;
    ready.catch(() => {
      if (this.#ready === ready) this.#ready = null;
    });
    return ready;
  }

  /**
   * @param {Cell} cell
   * @returns {Promise<boolean>} whether it ran as it should; rejected with Abandoned
   */
  async #execute(cell) {
    const { source, filename } = cell;
    cell.clear();
    cell.report("Running", true);
    try {
      const { result, seconds } = await this.#wait((resolve) => {
        this.#listener = (message) => {
          if (message.type === "text") cell.write(message.stream, message.text);
          else if (message.type === "cut") cell.noteCut();
          else if (message.type === "done") resolve(message);
        };
        this.#worker?.postMessage({ type: "run", source, filename });
      });
      const complete = result.error === undefined || cell.raises;
      // A failed cell may have done half its work: the cells below run it anew.
      if (complete) this.#ran.set(cell, source);
      else this.#ran.delete(cell);
      await cell.finish(result, seconds);
      return complete;
    } catch (error) {
      if (error instanceof Abandoned) cell.abandon(error.kind, error.message);
      throw error;
    }
  }

  /**
   * @template T
   * @param {(resolve: (value: T) => void) => void} begin
   * @returns {Promise<T>} rejected with Abandoned when the worker ends first
   */
  #wait(begin) {
    return new Promise((resolve, reject) => {
      this.#abandon = reject;
      begin(resolve);
    });
  }

  #start() {
    if (typeof WebAssembly !== "object") {
      this.#end(new Abandoned("failed", "Python cannot run here: WebAssembly is switched off."));
      return;
    }
    let modules = false;
    // Only a browser that knows module workers reads `type`.
    const options = {
      /** @returns {"module"} */
      get type() {
        modules = true;
        return "module";
      },
    };
    const worker = new Worker(new URL("run-worker.mjs", import.meta.url), options);
    this.#worker = worker;
    if (!modules) {
      this.#end(new Abandoned("failed", "Python cannot run here: this browser is too old for it."));
      return;
    }
    worker.onmessage = ({ data }) => {
      if (worker !== this.#worker) return;
      if (data.type === "failed") this.#fail(data.reason);
      else if (data.type === "crashed") {
        const sentence = `Python ended unexpectedly (${data.reason}). The next run starts it again.`;
        this.#end(new Abandoned("failed", sentence));
      } else this.#listener?.(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message ?? "the worker cannot be loaded");
    };
    worker.postMessage({ type: "boot" });
  }

  /** @param {string} reason */
  #fail(reason) {
    const what = navigator.onLine ? reason : "there is no network connection";
    this.#end(new Abandoned("failed", `Python cannot be loaded: ${what.replace(/\.$/, "")}.`));
  }
}
