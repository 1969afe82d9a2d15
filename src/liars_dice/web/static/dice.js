// Drawings of dice and cups.

import { s } from "./dom.js";

/** @type {Record<number, [number, number][]>} */
const PIPS = {
  1: [[1, 1]],
  2: [[0, 2], [2, 0]],
  3: [[0, 2], [1, 1], [2, 0]],
  4: [[0, 0], [0, 2], [2, 0], [2, 2]],
  5: [[0, 0], [0, 2], [1, 1], [2, 0], [2, 2]],
  6: [[0, 0], [1, 0], [2, 0], [0, 2], [1, 2], [2, 2]],
}; // prettier-ignore

/**
 * A die that shows a face: pips up to six, a numeral above.
 * @param {number} face
 * @param {{ class?: string, label?: string | null, vars?: Record<string, string | number> }} [options] no label: decoration
 */
export function die(face, { class: extra = "", label = null, vars = {} } = {}) {
  const spots = PIPS[face]?.map(([row, column]) => s("circle", { cx: 11 + column * 9, cy: 11 + row * 9, r: 3.6 }));
  return s(
    "svg",
    { viewBox: "0 0 40 40", class: `die ${extra}`, vars, ...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }) },
    s("rect", { x: 1.5, y: 1.5, width: 37, height: 37, rx: 8 }),
    spots ?? s("text", { x: 20, y: 27, "text-anchor": "middle" }, face),
  );
}

/** A hidden die. */
export function blank() {
  return s("svg", { viewBox: "0 0 40 40", class: "die blank", "aria-hidden": "true" }, s("rect", { x: 1.5, y: 1.5, width: 37, height: 37, rx: 8 }));
}

/** A cup, upside down over its dice. */
export function cup() {
  return s(
    "svg",
    { viewBox: "0 0 72 60", class: "cup", "aria-hidden": "true" },
    s("path", { class: "cup-body", d: "M17 8 Q18 3 24 3 H48 Q54 3 55 8 L64 49 H8 Z" }),
    s("path", { class: "cup-band", d: "M14.2 21 H57.8 L59.3 28 H12.7 Z" }),
    s("rect", { class: "cup-rim", x: 4, y: 48, width: 64, height: 8, rx: 4 }),
  );
}
