/**
 * Python in a module worker: loads Pyodide from this site when told to, then runs one cell at a time.
 *
 * In:  {type: "boot"} · {type: "run", source, filename}
 * Out: {type: "progress", file, loaded, total} · {type: "starting"} · {type: "ready"} ·
 *      {type: "failed", reason} · {type: "crashed", reason} (this worker is of no more use) ·
 *      {type: "text", stream, text} · {type: "cut"} · {type: "done", seconds, result}
 */

import { DOWNLOADS, TEXT_LIMIT } from "./run-format.mjs";
import { RUNNER, RUNNER_FILE } from "./run-python.mjs";

const VENDOR = new URL("../vendor/pyodide/", import.meta.url);
const PROGRESS_MS = 100;

/** @type {(source: string, filename: string) => string} */
let run;
/** Characters of output that the running cell may still show. */
let room = 0;

/** @param {Record<string, unknown>} message */
const post = (message) => self.postMessage(message);

self.onmessage = async ({ data }) => {
  if (data.type === "run") runCell(data.source, data.filename);
  else if (data.type === "boot") {
    try {
      run = await boot();
      post({ type: "ready" });
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
  }
};

/** @param {string} reason */
function fail(reason) {
  post({ type: "failed", reason });
}

/**
 * @param {string} source
 * @param {string} filename
 */
function runCell(source, filename) {
  room = TEXT_LIMIT;
  const start = performance.now();
  try {
    const result = JSON.parse(run(source, filename));
    post({ type: "done", seconds: (performance.now() - start) / 1000, result });
  } catch (error) {
    // Errors of the cell are in the result; what arrives here ended the interpreter itself.
    post({ type: "crashed", reason: error instanceof Error ? error.message : String(error) });
  }
}

async function boot() {
  const fetchFile = self.fetch;
  const { instantiateStreaming } = WebAssembly;
  countDownloads();
  // Pyodide only logs this failure and then waits for ever.
  WebAssembly.instantiateStreaming = (source, imports) =>
    instantiateStreaming(source, imports).catch((error) => {
      fail(`its runtime does not start (${error.message})`);
      throw error;
    });
  const { loadPyodide } = await import(new URL("pyodide.mjs", VENDOR).href);
  const pyodide = await loadPyodide({ indexURL: VENDOR.href });
  WebAssembly.instantiateStreaming = instantiateStreaming;
  self.fetch = fetchFile;

  pyodide.setStdout({ write: writer("stdout") });
  pyodide.setStderr({ write: writer("stderr") });
  pyodide.setStdin({ stdin: () => null }); // input() raises EOFError
  return pyodide.runPython(RUNNER, { globals: pyodide.toPy({}), filename: RUNNER_FILE });
}

/** Report the bytes of each large file on their way to Pyodide, and each failure that Pyodide swallows. */
function countDownloads() {
  const fetchFile = self.fetch.bind(self);
  /** @type {Record<string, number>} */
  let sizes = {};
  // Content-Length counts compressed bytes where it is sent at all.
  fetchFile(new URL("sizes.json", VENDOR))
    .then((response) => (response.ok ? response.json() : {}))
    .then((known) => (sizes = known), () => {});
  let missing = DOWNLOADS.size;

  self.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const file = url.slice(url.lastIndexOf("/") + 1);
    const response = await fetchFile(input, init).catch((error) => {
      fail(`${file}: ${error.message}`);
      throw error;
    });
    if (!response.ok) fail(`${file}: ${response.status} ${response.statusText}`.trim());
    else if (DOWNLOADS.has(file)) count(file, response.clone());
    return response; // the response as it came, so that WebAssembly compiles while it arrives
  };

  /**
   * @param {string} file
   * @param {Response} copy
   */
  async function count(file, copy) {
    let loaded = 0;
    let reported = -PROGRESS_MS;
    try {
      const reader = /** @type {ReadableStream<Uint8Array>} */ (copy.body).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        loaded += part.value.length;
        if (performance.now() - reported < PROGRESS_MS) continue;
        reported = performance.now();
        post({ type: "progress", file, loaded, total: sizes[file] ?? null });
      }
      post({ type: "progress", file, loaded, total: loaded });
      missing -= 1;
      if (missing === 0) post({ type: "starting" });
    } catch (error) {
      fail(`${file}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/**
 * @param {"stdout" | "stderr"} stream
 * @returns {(bytes: Uint8Array) => number} what Pyodide calls with each line
 */
function writer(stream) {
  const decoder = new TextDecoder();
  return (bytes) => {
    // Past the limit an endless loop of prints costs the page nothing.
    if (room > 0) {
      const text = decoder.decode(bytes, { stream: true });
      post({ type: "text", stream, text: text.slice(0, room) });
      room -= text.length;
      if (room <= 0) post({ type: "cut" });
    }
    return bytes.length;
  };
}
