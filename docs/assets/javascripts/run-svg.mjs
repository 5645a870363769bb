/** A picture that a reader's Python made, cleaned before it enters the page. */

/** Cleaned so far. */
let pictures = 0;

/**
 * @param {string} source of an SVG document or element
 * @returns {Promise<SVGSVGElement | null>} null when nothing of it is a picture; rejected when the cleaner
 *   cannot be loaded
 */
export async function cleanSvg(source) {
  const { default: purify } = await import("../vendor/purify.mjs");
  pictures += 1;
  const prefix = `kb-svg-${pictures}-`;
  purify.addHook("uponSanitizeAttribute", (_node, data) => {
    const value = ownReferences(data.attrName, data.attrValue, prefix);
    if (value === null) data.keepAttr = false;
    else data.attrValue = value;
  });
  const fragment = purify.sanitize(source, {
    USE_PROFILES: { svg: true },
    // Styles would reach the whole page, images would load from elsewhere, links would lead there.
    FORBID_TAGS: ["style", "image", "a"],
    FORBID_ATTR: ["style", "class"],
    RETURN_DOM_FRAGMENT: true,
  });
  purify.removeHook("uponSanitizeAttribute");
  return fragment.querySelector("svg");
}

/**
 * Keep names inside one picture: two pictures on a page may use the same ids, and none may refer to
 * anything outside itself.
 * @param {string} name of the attribute
 * @param {string} value
 * @param {string} prefix
 * @returns {string | null} the value to use, or null to drop the attribute
 */
export function ownReferences(name, value, prefix) {
  if (name === "id") return prefix + value;
  if (name === "href" || name === "xlink:href") {
    return value.startsWith("#") ? `#${prefix}${value.slice(1)}` : null;
  }
  if (name === "aria-labelledby" || name === "aria-describedby") {
    return value.trim().split(/\s+/).map((id) => prefix + id).join(" ");
  }
  if (!/url\s*\(/i.test(value)) return value;
  const local = /^\s*url\(\s*(["']?)#([^"')]+)\1\s*\)\s*$/i.exec(value);
  return local ? `url(#${prefix}${local[2]})` : null;
}
