/** The page that chooses a build: the choices stand in its address. */
import { createInstall } from "./install-panel.mjs";
import { element } from "./search-dom.mjs";
import { getRelease } from "./state.mjs";

/**
 * Puts the page in place of what stands in the element.
 *
 * @param {HTMLElement} host
 * @returns {() => void} ends it
 */
export function mountInstallPage(host) {
  const { pathname } = location;
  const listening = new AbortController();
  const select = element("select", {});
  const label = element("label", { class: "kb-tool-field" }, element("span", {}, "PyTorch"), select);
  const panel = createInstall(render);
  const table = [...host.children].find((child) => child.localName === "table");

  function render() {
    panel.show(select.value, undefined);
    if (location.pathname !== pathname) return;
    const url = new URL(location.href);
    for (const [key, value] of Object.entries({ release: select.value, ...panel.values() })) {
      if (value) url.searchParams.set(key, value);
      else url.searchParams.delete(key);
    }
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  function readAddress() {
    const params = new URLSearchParams(location.search);
    const releases = panel.releases();
    const asked = /^v?(\d+\.\d+)/.exec(params.get("release") ?? "")?.[1] ?? getRelease() ?? "";
    select.value = releases.includes(asked) ? asked : (releases.at(-1) ?? "");
    panel.read(params);
    render();
  }

  async function prepare() {
    try {
      await panel.ready;
    } catch {
      host.prepend(element("p", { role: "status" }, "The builds could not be loaded. Load the page again."));
      return;
    }
    const newestFirst = panel.releases().reverse();
    select.replaceChildren(...newestFirst.map((one) => element("option", { value: one }, one)));
    readAddress();
  }

  select.addEventListener("change", render);
  addEventListener("popstate", () => location.pathname === pathname && readAddress(), { signal: listening.signal });
  host.replaceChildren(element("div", { class: "kb-tool-row" }, label), panel.root);
  if (table) {
    const all = element("details", { class: "kb-tool-code" }, element("summary", {}, "All builds"), table);
    host.append(all);
  }
  void prepare();
  return () => listening.abort();
}
