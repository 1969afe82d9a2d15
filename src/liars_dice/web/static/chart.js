// Charts: the chances to win over a game, bars, and the heatmap of match-ups.

import { h, s } from "./dom.js";

/** @typedef {{ at: number, chances: number[] }} Point an event, and every seat's chance to win after it */
/** @typedef {{ at: number, seat: number, cost: number, label: string }} Dot */

const WIDTH = 1000;
const HEIGHT = 160;

/**
 * The chances to win over a game: a line per seat, dots where a decision cost something, and a cursor.
 */
export class Curve {
  /** @param {(at: number) => void} onpick */
  constructor(onpick) {
    this.onpick = onpick;
    this.picture = h("div", { class: "curve-plot" });
    this.key = h("ul", { class: "key" });
    this.element = h("figure", { class: "curve" }, h("figcaption", {}, "Chance to win"), this.picture, this.key);
    this.length = 1;
  }

  /**
   * @param {{ points: Point[], dots: Dot[], names: string[], marks: string[], length: number }} data length: how many events there are
   */
  draw({ points, dots, names, marks, length }) {
    this.length = Math.max(1, length);
    const x = (/** @type {number} */ at) => (at / this.length) * WIDTH;
    const y = (/** @type {number} */ p) => HEIGHT - p * HEIGHT;
    const seats = points[0]?.chances.length ?? 0;
    const shown = Array.from({ length: seats }, (_, i) => i);
    this.cursor = s("line", { class: "cursor", x1: 0, x2: 0, y1: 0, y2: HEIGHT });
    const svg = s(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      [0.25, 0.5, 0.75].map((p) => s("line", { class: p === 0.5 ? "even" : "rule", x1: 0, x2: WIDTH, y1: y(p), y2: y(p) })),
      shown.map((seat) =>
        s("path", {
          class: `line seat-${seat % 8}`,
          d: points.map((p, i) => (i ? `H${x(p.at)}V${y(p.chances[seat])}` : `M${x(p.at)} ${y(p.chances[seat])}`)).join("") + `H${WIDTH}`,
        }),
      ),
      this.cursor,
    );
    const marksAtEnd = shown.map((seat) => {
      const last = points[points.length - 1];
      return h("span", { class: `token tiny seat-${seat % 8}`, "aria-hidden": "true", vars: { y: 1 - (last?.chances[seat] ?? 0) } }, marks[seat]);
    });
    const spots = dots.map((dot) => {
      const point = points.filter((p) => p.at <= dot.at).pop();
      return h(
        "button",
        {
          type: "button",
          class: `spot seat-${dot.seat % 8}`,
          "aria-label": dot.label,
          title: dot.label,
          onclick: () => this.onpick(dot.at),
          vars: { x: dot.at / this.length, y: 1 - (point?.chances[dot.seat] ?? 0.5), size: Math.min(1, Math.sqrt(dot.cost) * 1.6) },
        },
      );
    });
    this.picture.replaceChildren(svg, h("div", { class: "spots" }, spots), h("div", { class: "ends" }, marksAtEnd));
    this.key.replaceChildren(
      ...names.map((name, seat) => h("li", {}, h("span", { class: `token small seat-${seat % 8}`, "aria-hidden": "true" }, marks[seat]), ` ${name} `, h("output", { class: "now" }))),
    );
    this.points = points;
  }

  /** @param {number} at */
  stand(at) {
    if (!this.cursor) return;
    const x = String((at / this.length) * WIDTH);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    const now = this.points?.filter((p) => p.at <= at).pop() ?? this.points?.[0];
    this.key.querySelectorAll("output").forEach((out, seat) => (out.textContent = now ? `${Math.round(now.chances[seat] * 100)}%` : ""));
  }
}

/**
 * A bar that shows a share of one.
 * @param {number} share
 * @param {string} [extra]
 */
export const bar = (share, extra = "") => h("span", { class: `bar ${extra}`, "aria-hidden": "true" }, h("span", { vars: { share } }));

/**
 * How often rows beat columns, with a button per cell.
 * @param {string[]} names
 * @param {(number | null)[][]} matrix
 * @param {(row: number, column: number) => void} onpick
 */
export function heatmap(names, matrix, onpick) {
  return h(
    "div",
    { class: "heatmap-box", tabindex: "0", role: "region", "aria-label": "Match-ups, scrollable table" },
    h(
      "table",
      { class: "heatmap" },
      h("caption", { class: "unseen" }, "How often the bot in the row beats the bot in the column, in percent"),
      h("thead", {}, h("tr", {}, h("td", {}), names.map((name) => h("th", { scope: "col" }, h("span", {}, name))))),
      h(
        "tbody",
        {},
        names.map((name, i) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, name),
            names.map((other, j) => {
              const value = matrix[i]?.[j] ?? null;
              if (i === j || value === null) return h("td", { class: "same" }, i === j ? "·" : "–");
              const away = (value - 0.5) * 2;
              return h(
                "td",
                { class: away >= 0 ? "above" : "below", vars: { share: Math.round(Math.abs(away) * 100) } },
                h("button", { type: "button", onclick: () => onpick(i, j), "aria-label": `${name} against ${other}: ${(value * 100).toFixed(0)} percent` }, (value * 100).toFixed(0)),
              );
            }),
          ),
        ),
      ),
    ),
  );
}
