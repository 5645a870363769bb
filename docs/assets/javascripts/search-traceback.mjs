/**
 * From what people paste to the line that matters: the last "SomethingError: message" of a traceback,
 * without files, line numbers, rank prefixes and the advice that PyTorch prints below every error.
 * Works on one line too, as a search field turns line breaks into spaces.
 */

/** An error stands at the end of what was pasted; a longer line is data, not a message. */
const MAX_TEXT = 20_000;
const MAX_LINE = 400;

const FRAME = /File ["'][^"'\n]{0,300}["'], line \d+(?:, in (?:<[^>\n]{0,60}>|[\w.]{1,80}))?/g;
const LOG_PREFIX =
  /^\s*(?:\[(?:rank|default)?\d+(?:\/\d+)?\][:\s]*|\(\w[\w ]{0,40}pid=\d+\)\s*|\[?[EWI]?\d{4}[ -][\d:.,\- ]{8,30}[^\]\s]{0,20}[^\]]{0,120}\]\s*)*/;
const PATH =
  /(?<![\w.\\/-])(?:[A-Za-z]:)?[\w.@~+-]{0,80}[\\/][^\s:"'()]{0,300}?\.(?:pyi?(?::\d+)?|(?:cpp|cc|cuh?|hpp|h):\d+):?(?=[\s"')]|$)/g;
const ADVICE = [
  "Traceback \\(most recent call last\\):?",
  "The above exception was the direct cause of the following exception:?",
  "During handling of the above exception, another exception occurred:?",
  "Set TORCH(?:DYNAMO_VERBOSE|_LOGS)=\\S+ (?:for|and)[^\\n]*",
  "For even more developer context[^\\n]*",
  "You can suppress this exception and fall back to eager[^\\n]*",
  "CUDA kernel errors might be asynchronously reported at some other API call[^\\n]*?incorrect\\.?",
  "For debugging consider passing \\w{1,20}_LAUNCH_BLOCKING=1\\.?",
  "Compile with `?TORCH_USE_(?:CUDA|HIP)_DSA`? to enable device-side assertions\\.?",
  "Check the documentation of torch\\.load to learn more[^\\n]*",
  "from user code:",
].map((advice) => new RegExp(advice, "gi"));

const NAME = String.raw`(?:[A-Za-z_]\w*\.)*(?:[A-Za-z_]\w*(?:Error|Exception|Warning|Interrupt|Violation)|Unsupported|(?<=exc\.)\w+)`;
/** "XError: message", "XError" alone on its line, and "WeightsUnpickler error: message". */
const ERROR_LINE = new RegExp(String.raw`^\s*(?:${NAME}(?:: *\S|\s*$)|[A-Z]\w* [Ee]rror: *\S)`);
const ERROR_INSIDE = new RegExp(String.raw`(?<![\w.])(?:${NAME}|[A-Z]\w* error): *(?=\S)`, "g");

/** @param {string} text @returns {string} */
function squeeze(text) {
  return text.replace(/\s+/g, " ").trim();
}

/**
 * Whether the text is a pasted traceback or log rather than something typed.
 *
 * @param {string} text
 * @returns {boolean}
 */
export function isTraceback(text) {
  return (
    /Traceback \(most recent|File ["'][^"'\n]{1,300}["'], line \d+/.test(text) || /\n\s*\S/.test(text.trim())
  );
}

/**
 * The line of a pasted text that says what went wrong; a typed query comes back unchanged but for
 * the names of Python files.
 *
 * @param {string} text
 * @returns {string} one line; empty only for a text without anything but space
 */
export function errorLine(text) {
  const recent = text.trim().slice(-MAX_TEXT);
  const clean = (/** @type {string} */ part) => squeeze(part.replace(PATH, " "));
  if (!isTraceback(recent)) return (clean(recent) || squeeze(recent)).slice(0, MAX_LINE);
  const lines = ADVICE.reduce((rest, advice) => rest.replace(advice, "\n"), recent.replace(FRAME, "\n"))
    .split(/\r?\n/)
    .map((line) => clean(line.replace(LOG_PREFIX, "")))
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const last = lines.findLastIndex((line) => ERROR_LINE.test(line));
  if (last >= 0) {
    // NCCL says what it met two lines further down.
    const cause = lines.findIndex((line, i) => i > last && /^last error:?$/i.test(line));
    const line = cause >= 0 && lines[cause + 1] ? `${lines[last]} ${lines[cause + 1]}` : lines[last];
    const error = line.length > MAX_LINE ? [...line.matchAll(ERROR_INSIDE)].at(-1) : null;
    return line.slice(error?.index ?? 0).slice(0, MAX_LINE);
  }
  const inside = lines.join(" ");
  const error = [...inside.matchAll(ERROR_INSIDE)].at(-1);
  if (error) return inside.slice(error.index, error.index + MAX_LINE);
  const line = /File ["']/.test(recent) ? lines.at(-1) : lines[0];
  return (line || squeeze(recent)).slice(0, MAX_LINE);
}
