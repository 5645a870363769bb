/**
 * What every page does with the reader's release: shows it in the header, puts the fitting tab in
 * front, says where an entry does not hold, and marks the release in strips and tables.
 * @module
 */

import { applies, compareReleases, getRelease, setRelease } from "./state.mjs";
import "./mounts.mjs";
import "./run-cell.mjs";

/** @template {Element} T @param {string} selector @param {(element: T) => void} action */
const each = (selector, action) =>
  document.querySelectorAll(selector).forEach((element) => action(/** @type {T} */ (element)));

/** @param {string|null} release */
function showChoice(release) {
  each("[data-kb-release-select]", (/** @type {HTMLSelectElement} */ select) => {
    select.disabled = false;
    select.value = release ?? "";
    select.onchange = () => setRelease(select.value || null);
  });
  each("[data-kb-release]", (/** @type {HTMLAnchorElement} */ link) => {
    if (link.dataset.kbRelease === release) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.onclick = (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      setRelease(link.dataset.kbRelease ?? null);
    };
  });
}

/** The place of the tab for a release: the one that names it, else the nearest older one. */
export function fittingTab(/** @type {string[][]} */ panes, /** @type {string} */ release) {
  const exact = panes.findIndex((releases) => releases.includes(release));
  if (exact >= 0) return exact;
  let best = -1;
  let newest = "0";
  panes.forEach((releases, place) => {
    for (const one of releases) {
      if (compareReleases(one, release) < 0 && compareReleases(one, newest) > 0) {
        best = place;
        newest = one;
      }
    }
  });
  return best >= 0 ? best : 0;
}

/** @param {string|null} release */
function chooseTabs(release) {
  if (!release) return;
  each(".kb-variants", (/** @type {HTMLElement} */ group) => {
    const panes = (group.dataset.releases ?? "").split("|").map((one) => one.split(" "));
    const inputs = group.querySelectorAll(":scope > .tabbed-set > input");
    const input = /** @type {HTMLInputElement|undefined} */ (inputs[fittingTab(panes, release)]);
    if (input && !input.checked) input.click();
  });
}

/** @param {string|null} release */
function showApplies(release) {
  each(".kb-applies", (/** @type {HTMLElement} */ note) => {
    const { since = null, until } = note.dataset;
    const where = note.querySelector(".kb-applies__where");
    const general = (note.dataset.general ??= where?.textContent ?? "");
    const outside = release !== null && !applies(since, until, release);
    note.classList.toggle("kb-applies--outside", outside);
    note.classList.toggle("kb-applies--inside", release !== null && !outside);
    if (where) where.textContent = outside ? `Does not apply to ${release}.` : general;
  });
  each(".kb-card", (/** @type {HTMLElement} */ card) => {
    const { since = null, until } = card.dataset;
    const outside = release !== null && !applies(since, until, release);
    card.classList.toggle("kb-card--outside", outside);
    let note = card.querySelector(".kb-card__note");
    if (outside && !note) {
      note = document.createElement("span");
      note.className = "kb-card__note";
      card.querySelector(".kb-facts")?.append(note);
    }
    if (note) note.textContent = outside ? `not on ${release}` : "";
  });
}

/** @param {string|null} release */
function markRelease(release) {
  each("[data-release]", (element) => {
    const mine = element.getAttribute("data-release") === release;
    element.classList.toggle("kb-mine", mine);
  });
  each("[data-kb-release-text]", (element) => {
    element.textContent = release ?? "any release";
  });
}

function update() {
  const release = getRelease();
  showChoice(release);
  chooseTabs(release);
  showApplies(release);
  markRelease(release);
}

document.addEventListener("kb:release", update);
// Material replaces the page in place; document$ emits after each arrival, the first included.
const arrivals = /** @type {any} */ (window).document$;
if (arrivals) arrivals.subscribe(update);
else update();
