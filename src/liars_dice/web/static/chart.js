// Charts: the chances to win over a game, bars, and the heatmap of match-ups.

import { h, s } from "./dom.js";
import { capital } from "./events.js";

/** @typedef {{ at: number, chances: number[] }} Point an event, and every seat's chance to win after it */
/** @typedef {{ at: number, seat: number, kind: string, sign: string, label: string }} Dot a decision that cost something */

const WIDTH = 1000;
const HEIGHT = 160;
/** How far apart the marks at the ends of the lines are at least, as a share of the height. */
const APART = 0.135;
/** Other players' lines differ by their dashes too, not by colour alone. */
const DASHES = ["6 3", "2 3", "9 3 2 3", "12 4", "4 6", "2 6"];

/** What the curve shows, and for whom, by the coach's name for where it comes from. @param {string} source */
function caption(source) {
  if (source.startsWith("share of")) return [capital(source), "of each player; the chance to win is not known for these rules"];
  const known = /** @type {Record<string, string>} */ ({ "perfect play": "by perfect play where the round is solved", champion: "by how champions would end it from these numbers of dice" });
  const by = source.split("; ").map((part) => known[part] ?? (part && `by how ${part} play`)).filter(Boolean).join(", else ");
  return ["Chance to win the game", `for someone who sees the bids but no dice${by && `, ${by}`}`];
}

/** The chances to win over a game: a line per seat, marks where decisions cost something, and a cursor. */
export class Curve {
  /** @param {(at: number) => void} onpick */
  constructor(onpick) {
    this.onpick = onpick;
    this.picture = h("div", { class: "curve-plot" });
    this.key = h("ul", { class: "key" });
    this.caption = h("figcaption", {});
    this.element = h("figure", { class: "curve" }, this.caption, this.picture, this.key);
    this.length = 1;
  }

  /**
   * @param {{ points: Point[], dots: Dot[], names: string[], marks: string[], length: number, seat: number | null, source: string }} data length: how many events there are; seat: whose line stands out
   */
  draw({ points, dots, names, marks, length, seat: mine, source }) {
    this.length = Math.max(1, length);
    const x = (/** @type {number} */ at) => (at / this.length) * WIDTH;
    const y = (/** @type {number} */ p) => HEIGHT - p * HEIGHT;
    const seats = names.map((_, seat) => seat).sort((a, b) => Number(a === mine) - Number(b === mine)); // mine on top
    const bold = (/** @type {number} */ seat) => mine === null || names.length === 2 || seat === mine;
    const style = (/** @type {number} */ seat) => ({ class: `line seat-${seat % 8} ${bold(seat) ? "bold" : ""}`, "stroke-dasharray": names.length > 2 && seat !== mine ? DASHES[seat % DASHES.length] : null });
    const [title, about] = caption(source);
    this.caption.replaceChildren(title, h("small", {}, ` ${about}`));
    this.cursor = s("line", { class: "cursor", x1: 0, x2: 0, y1: 0, y2: HEIGHT });
    const svg = s(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      [0.25, 0.5, 0.75].map((p) => s("line", { class: p === 0.5 ? "even" : "rule", x1: 0, x2: WIDTH, y1: y(p), y2: y(p) })),
      seats.map((seat) => s("path", { ...style(seat), d: points.map((p, i) => (i ? `H${x(p.at)}V${y(p.chances[seat])}` : `M${x(p.at)} ${y(p.chances[seat])}`)).join("") + `H${WIDTH}` })),
      this.cursor,
    );
    const last = points[points.length - 1];
    const shown = names.map((_, seat) => seat).filter((seat) => names.length === 2 || mine === null || seat === mine || last?.chances[seat] === Math.max(...last.chances)); // the others end at the bottom
    const heights = spread(shown.map((seat) => 1 - (last?.chances[seat] ?? 0)));
    const ends = shown.map((seat, i) => h("span", { class: `token tiny seat-${seat % 8}`, "aria-hidden": "true", vars: { y: heights[i] } }, marks[seat]));
    const spots = dots.map(({ at, seat, kind, sign, label }) => {
      const point = points.filter((p) => p.at <= at).pop();
      return h("button", { type: "button", class: `spot seat-${seat % 8} kind-${kind}`, "aria-label": label, title: label, onclick: () => this.onpick(at), vars: { x: at / this.length, y: 1 - (point?.chances[seat] ?? 0.5) } }, sign);
    });
    const scale = h("div", { class: "scale", "aria-hidden": "true" }, h("span", {}, "100%"), h("span", {}, "50"), h("span", {}, "0"));
    this.picture.replaceChildren(scale, h("div", { class: "plot" }, svg, h("div", { class: "spots" }, spots), h("div", { class: "ends" }, ends)));
    const sample = (/** @type {number} */ seat) => s("svg", { class: "sample", viewBox: "0 0 28 8", "aria-hidden": "true" }, s("path", { ...style(seat), d: "M0 4H28" }));
    this.key.replaceChildren(...names.map((name, seat) => h("li", { class: seat === mine ? "chosen" : "" }, sample(seat), h("span", { class: `token small seat-${seat % 8}`, "aria-hidden": "true" }, marks[seat]), ` ${name} `, h("output", { class: "now" }))));
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
 * Heights from 0 to 1, moved apart so that marks there do not cover each other.
 * @param {number[]} wanted
 */
function spread(wanted) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const apart = Math.min(APART, 1 / Math.max(1, wanted.length - 1));
  const found = [...wanted];
  order.forEach((i, n) => n && (found[i] = Math.max(found[i], found[order[n - 1]] + apart)));
  let most = 1;
  for (const i of [...order].reverse()) {
    found[i] = Math.min(found[i], most);
    most = found[i] - apart;
  }
  return found;
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
