/**
 * The plan from one release to another: which entries concern the way, and in which order to work.
 * No DOM, no state: for the page, for programs and for Node alike.
 */
import { compareReleases } from "./state.mjs";

/**
 * @typedef {object} Entry one of `data/upgrade.json`
 * @property {string} id
 * @property {string} title
 * @property {string} summary
 * @property {string} kind
 * @property {"breaks" | "warns" | "silent" | "harmless"} effect
 * @property {string | null} do
 * @property {string[]} look_for extended regular expressions
 * @property {string[]} uses
 * @property {string[]} concerns
 * @property {string} since
 * @property {string | null} until
 * @property {string[]} moved_in
 * @property {string | null} possible_from
 * @property {string | null} required_by
 * @property {string | null} instead
 * @property {string} stability
 * @property {string} proof
 * @property {Record<string, string | null>} status
 *
 * @typedef {object} Data
 * @property {string[]} releases oldest first
 * @property {Entry[]} entries
 *
 * @typedef {object} Question
 * @property {string} from
 * @property {string} to
 * @property {string[]} [uses] what the project uses; none given: everything
 * @property {string} [hardware] none given: any
 *
 * @typedef {"must" | "silent" | "should" | "new" | "later"} Group
 *
 * @typedef {object} Row
 * @property {Entry} entry
 * @property {string} at the release on the way in which it is met
 * @property {string} action what to do, one sentence
 * @property {boolean} ahead whether it can be done before the upgrade, on the release left
 * @property {boolean} old whether it already was so on the release left
 *
 * @typedef {object} Plan
 * @property {string} from
 * @property {string} to
 * @property {boolean} down
 * @property {{id: Group, title: string, about: string, rows: Row[]}[]} groups
 * @property {number} hidden entries on the way that the project's choices leave out
 */

export const USES = ["compile", "export", "onnx", "distributed", "checkpoints", "custom-ops", "quantization"];

const UP = /** @type {const} */ ({
  must: ["Must do", "Unchanged code stops with an error, or does not build or import."],
  silent: ["Check: results change without a word", "The code still runs and gives something else."],
  should: ["Should do", "It still works, with a warning; a later release ends it."],
  new: ["New, and worth having", "Nothing breaks if you leave it."],
  later: ["Needed after this upgrade", "A later release breaks it; what is possible now can be done now."],
});
const DOWN = /** @type {const} */ ({
  must: ["Must undo", "The older release does not have it, or refuses it."],
  silent: ["Check: results change without a word", "The older release gives something else."],
  should: ["Works again, or no longer warns", "Nothing has to be done; the old way is there."],
  new: ["Not there", "What the older release lacks; of concern if you use it."],
  later: ["Needed after this", ""],
});

/** @param {string} release @param {string} low @param {string} high @returns {boolean} low < release <= high */
const within = (release, low, high) =>
  compareReleases(release, low) > 0 && compareReleases(release, high) <= 0;

/** @param {string | null} release @param {string} other @returns {boolean} */
const upTo = (release, other) => release !== null && compareReleases(release, other) <= 0;

/** @param {string} text @returns {string} */
const sentence = (text) => (/[.!?)`]$/.test(text) ? text : `${text}.`);

/**
 * Where an upgrade meets an entry.
 *
 * @param {Entry} entry
 * @param {string} from
 * @param {string} to
 * @returns {{group: Group, at: string, old: boolean} | null}
 */
function meetUp(entry, from, to) {
  const steps = [entry.since, ...entry.moved_in, ...(entry.required_by ? [entry.required_by] : [])];
  const met = steps.filter((step) => within(step, from, to)).sort(compareReleases);
  const ended = entry.until !== null && within(entry.until, "0", to) && entry.until !== to;
  if (ended) {
    // What came and went between the two releases is not met; what was there and is gone is.
    if (compareReleases(entry.since, from) > 0 || !upTo(from, entry.until ?? to)) return null;
    const group = entry.effect === "harmless" ? "must" : entry.effect === "silent" ? "silent" : "should";
    return { group, at: to, old: false };
  }
  if (met.length > 0) {
    const needed = entry.required_by !== null && within(entry.required_by, from, to);
    const groups = /** @type {const} */ ({ breaks: "must", silent: "silent", warns: "should", harmless: "new" });
    return { group: needed ? "must" : groups[entry.effect], at: met[0], old: false };
  }
  const coming = [entry.required_by ?? entry.since].find((step) => compareReleases(step, to) > 0);
  if (coming && (entry.required_by || entry.effect === "breaks") && upTo(entry.possible_from, to)) {
    return { group: "later", at: coming, old: false };
  }
  if (entry.effect === "warns" && upTo(entry.since, from)) {
    return { group: "should", at: entry.since, old: true };
  }
  return null;
}

/**
 * Where a way back meets an entry.
 *
 * @param {Entry} entry
 * @param {string} from the newer release
 * @param {string} to the older one
 * @returns {{group: Group, at: string, old: boolean} | null}
 */
function meetDown(entry, from, to) {
  if (!within(entry.since, to, from)) {
    const moved = entry.moved_in.filter((step) => within(step, to, from));
    return moved.length > 0 && entry.effect !== "warns"
      ? { group: entry.effect === "harmless" ? "new" : "silent", at: moved[0], old: false }
      : null;
  }
  if (entry.until !== null && compareReleases(entry.until, from) < 0) return null;
  if (entry.kind === "added") return { group: "new", at: entry.since, old: false };
  // Whoever has moved to the new way can stay there where the older release has it already.
  const missing = entry.possible_from !== null && compareReleases(entry.possible_from, to) > 0;
  if (missing) return { group: "must", at: entry.possible_from ?? entry.since, old: false };
  return { group: entry.effect === "silent" || entry.kind === "fixed" ? "silent" : "should", at: entry.since, old: false };
}

/** @param {Entry} entry @param {Question} question @returns {boolean} whether the project is concerned */
export function concerns(entry, { uses = [], hardware }) {
  const used = uses.length === 0 || entry.uses.length === 0 || entry.uses.some((use) => uses.includes(use));
  const here = !hardware || entry.concerns.length === 0 || entry.concerns.includes(hardware);
  return used && here;
}

/** @param {Entry} entry @param {boolean} down @param {string} to @returns {string} */
function action(entry, down, to) {
  if (!down) {
    const gone = entry.until !== null && compareReleases(entry.until, to) < 0;
    return sentence((gone ? entry.instead : entry.do) ?? entry.do ?? entry.summary);
  }
  return sentence(entry.instead ?? entry.summary);
}

/**
 * The plan.
 *
 * @param {Data} data
 * @param {Question} question two different releases of `data.releases`
 * @returns {Plan} the groups in the order of work, the empty ones too; a group first has what can be done
 *   before the upgrade, then what is met first
 * @throws {RangeError} a release that the data does not have
 */
export function plan(data, question) {
  const { from, to } = question;
  for (const release of [from, to]) {
    if (!data.releases.includes(release)) {
      throw new RangeError(`no release ${release}; allowed: ${data.releases.join(", ")}`);
    }
  }
  const down = compareReleases(from, to) > 0;
  const words = down ? DOWN : UP;
  /** @type {Map<Group, Row[]>} */
  const groups = new Map(/** @type {Group[]} */ (Object.keys(words)).map((id) => [id, []]));
  let hidden = 0;
  for (const entry of data.entries) {
    const met = from === to ? null : down ? meetDown(entry, from, to) : meetUp(entry, from, to);
    if (!met) continue;
    if (!concerns(entry, question)) {
      hidden += 1;
      continue;
    }
    const ahead = !down && met.group !== "new" && upTo(entry.possible_from, from);
    groups.get(met.group)?.push({
      entry,
      at: met.at,
      action: action(entry, down, to),
      ahead,
      old: met.old,
    });
  }
  for (const rows of groups.values()) {
    rows.sort(
      (a, b) =>
        Number(a.old) - Number(b.old) ||
        Number(b.ahead) - Number(a.ahead) ||
        compareReleases(a.at, b.at) * (down ? -1 : 1) ||
        (a.entry.id < b.entry.id ? -1 : 1),
    );
  }
  return {
    from,
    to,
    down,
    hidden,
    groups: [...groups].map(([id, rows]) => ({ id, title: words[id][0], about: words[id][1], rows })),
  };
}

/** @param {Entry} entry @returns {string | null} one command that finds the places in a project */
export function grepCommand(entry) {
  if (entry.look_for.length === 0) return null;
  const patterns = entry.look_for.map((pattern) => `-e '${pattern.replaceAll("'", String.raw`'\''`)}'`);
  return `grep -rnE ${patterns.join(" ")} .`;
}

/**
 * When it can be done and when it must be, in words.
 *
 * @param {Row} row
 * @param {Plan} plan
 * @returns {string}
 */
export function timing({ entry, at, ahead, old }, { from, down }) {
  if (down) return `Came with ${at}.`;
  const parts = [];
  if (entry.kind !== "added" && entry.possible_from) {
    parts.push(ahead ? `Can be done on ${from}` : `Possible from ${entry.possible_from}`);
  }
  if (entry.required_by) parts.push(`needed by ${entry.required_by}`);
  else if (old) parts.push(`so since ${at}`);
  else parts.push(entry.effect === "harmless" ? `there since ${at}` : `met on ${at}`);
  const text = parts.join(", ");
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/**
 * The plan as a checklist in Markdown.
 *
 * @param {Plan} plan
 * @param {string} address of the page that shows it
 * @param {(id: string) => string} link address of an entry
 * @param {string | null} install the command for the release aimed at
 * @returns {string}
 */
export function asMarkdown(plan, address, link, install = null) {
  const lines = [`# PyTorch ${plan.from} to ${plan.to}`, "", `Made by ${address}`, ""];
  if (install) lines.push("- [ ] Install", "", "  ```console", `  ${install}`, "  ```", "");
  for (const { title, about, rows } of plan.groups) {
    if (rows.length === 0) continue;
    lines.push(`## ${title}`, "", about, "");
    for (const row of rows) {
      lines.push(`- [ ] **${row.entry.title}**: ${row.action} ${timing(row, plan)}`);
      const grep = grepCommand(row.entry);
      if (grep) lines.push(`  - Look for: \`${grep.replaceAll("`", "'")}\``);
      lines.push(`  - ${link(row.entry.id)}`, `  - Proof: ${row.entry.proof}`);
    }
    lines.push("");
  }
  return `${lines.join("\n").trim()}\n`;
}

/**
 * The plan as plain data, for programs.
 *
 * @param {Plan} plan
 * @param {(id: string) => string} link
 * @param {string | null} install
 */
export function asData(plan, link, install = null) {
  return {
    from: plan.from,
    to: plan.to,
    install,
    groups: Object.fromEntries(
      plan.groups.map(({ id, rows }) => [
        id,
        rows.map((row) => ({
          id: row.entry.id,
          title: row.entry.title,
          do: row.action,
          look_for: row.entry.look_for,
          possible_from: row.entry.possible_from,
          required_by: row.entry.required_by,
          met_on: row.at,
          proof: row.entry.proof,
          address: link(row.entry.id),
        })),
      ]),
    ),
  };
}
