// The bid board: faces are columns, quantities are rows, each cell is a rung.

import { die } from "./dice.js";
import { h, s, set } from "./dom.js";
import { capital, sayBid } from "./events.js";
import { text } from "./ladder.js";

/** @typedef {import("./ladder.js").Bid} Bid */
/** @typedef {{ share: number, label: string, says: string }} Shade how dark (0 to 1), the text in the cell, the text for screen readers */
/** @typedef {{ bid: Bid, counts: number[], right?: boolean, says?: string }} Truth the dice of each face; what they say of the bid, once all are counted */
/**
 * @typedef {object} BoardView
 * @property {Bid[]} ladder
 * @property {number} faces
 * @property {Set<number>} legal rungs that can be chosen
 * @property {number | null} chosen
 * @property {{ seat: number, bid: Bid }[]} trail
 * @property {string[]} marks a short mark for each seat
 * @property {string[]} names
 * @property {Map<string, Shade> | null} shade by the bid's text
 * @property {Truth | null} truth the real counts, once they are known
 */

/** Boards with more rows than this show only the part around the bid. */
const MANY = 40;
const AROUND = 14;

export class Board {
  /**
   * @param {{ label: string, onchoose?: (rung: number, pointed?: boolean) => void, onbid?: (rung: number) => void }} options pointed: at the cell itself, not by an arrow key
   */
  constructor({ label, onchoose, onbid }) {
    this.onchoose = onchoose;
    this.onbid = onbid;
    this.head = h("div", { class: "board-head", role: "row" });
    this.rows = h("div", { class: "board-rows", role: "rowgroup" });
    this.grid = h("div", { class: "board-grid", role: "grid", "aria-label": label }, this.head, this.rows); // scrolls; its headers stay in place
    this.element = h("div", { class: "board", hidden: true }, this.grid); // until it has cells
    /** @type {Map<string, HTMLElement>} */
    this.cells = new Map();
    this.shape = "";
    /** @type {BoardView | null} */
    this.view = null;
    /** Whether the next choice comes from a cell itself, which then must not move. */
    this.pointed = false;
    this.rows.addEventListener("click", (event) => this.#pick(event));
    this.grid.addEventListener("keydown", (event) => this.#pressed(event));
    new ResizeObserver(() => this.view && this.#scroll(this.view)).observe(this.grid);
  }

  /** @param {BoardView} view */
  update(view) {
    const before = this.view;
    this.view = view;
    const most = view.ladder.reduce((n, bid) => Math.max(n, bid.quantity), 0);
    const now = view.trail[view.trail.length - 1]?.bid.quantity ?? 1;
    let [low, high] = [1, most];
    if (most > MANY) {
      const reached = Math.max(now, view.truth ? Math.max(...view.truth.counts) : 0, view.chosen === null ? 0 : view.ladder[view.chosen].quantity);
      low = Math.max(1, now - AROUND);
      high = Math.min(most, reached + AROUND);
    }
    const shape = `${view.faces}/${low}-${high}/${view.ladder.length}`;
    if (shape !== this.shape) {
      const held = view.chosen === null ? "" : text(view.ladder[view.chosen]);
      const was = this.cells.get(held)?.offsetTop;
      this.#build(view, low, high);
      const is = this.cells.get(held)?.offsetTop;
      if (was !== undefined && is !== undefined) this.grid.scrollTop += is - was; // new rows appear beyond the chosen cell, which stays where it is
    }
    this.shape = shape;
    this.#paint(view);
    this.#draw(view, low, high);
    const news = !before || before.trail.length !== view.trail.length || before.truth?.bid !== view.truth?.bid;
    if (news || (before.chosen !== view.chosen && !this.pointed)) this.#scroll(view);
    this.pointed = false;
  }

  /**
   * The rung that an arrow key leads to from the chosen one: the nearest legal rung in that direction.
   * @param {number} right
   * @param {number} up
   */
  towards(right, up) {
    const view = this.view;
    if (!view || !view.legal.size) return null;
    const lowest = Math.min(...view.legal);
    if (view.chosen === null) return lowest;
    const from = view.ladder[view.chosen];
    let best = null;
    let nearest = Infinity;
    for (const rung of view.legal) {
      const { quantity, face } = view.ladder[rung];
      const along = right ? (face - from.face) * right : (quantity - from.quantity) * up;
      const aside = right ? Math.abs(quantity - from.quantity) : Math.abs(face - from.face);
      if (along > 0 && along + 20 * aside < nearest) {
        nearest = along + 20 * aside;
        best = rung;
      }
    }
    return best ?? view.chosen;
  }

  /** Focuses the chosen cell, or the one where choosing starts. */
  focus() {
    /** @type {HTMLElement | null} */ (this.rows.querySelector('[tabindex="0"]'))?.focus({ preventScroll: true });
  }

  /**
   * @param {BoardView} view
   * @param {number} low
   * @param {number} high
   */
  #build(view, low, high) {
    this.cells.clear();
    set(this.element, { vars: { faces: view.faces, rows: high - low + 1 }, "data-wide": view.faces > 8 ? "yes" : null });
    this.element.hidden = false;
    const known = new Set(view.ladder.map(text));
    this.head.replaceChildren(
      h("div", { class: "corner", role: "columnheader" }, h("span", { class: "unseen" }, "Quantity")),
      ...Array.from({ length: view.faces }, (_, i) => h("div", { role: "columnheader" }, die(i + 1, { label: `Face ${i + 1}` }))),
    );
    const rows = [];
    for (let quantity = high; quantity >= low; quantity--) {
      const row = h("div", { class: "board-row", role: "row" }, h("div", { class: "quantity", role: "rowheader" }, quantity));
      for (let face = 1; face <= view.faces; face++) {
        const key = text({ quantity, face });
        const cell = h("div", { class: "cell", role: "gridcell", "data-bid": key, tabindex: "-1" });
        if (!known.has(key)) set(cell, { class: "cell none", "aria-hidden": "true" });
        else this.cells.set(key, cell);
        row.append(cell);
      }
      rows.push(row);
    }
    this.trail = s("svg", { class: "trail", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.rows.replaceChildren(this.trail, ...rows);
  }

  /** @param {BoardView} view */
  #paint(view) {
    /** @type {Map<string, number[]>} */
    const made = new Map();
    view.trail.forEach(({ bid }, i) => made.set(text(bid), [...(made.get(text(bid)) ?? []), i]));
    const last = view.trail.length - 1;
    const reached = last < 0 ? 0 : view.ladder.findIndex((bid) => text(bid) === text(view.trail[last].bid));
    const stop = view.chosen ?? (view.legal.size ? Math.min(...view.legal) : reached);
    const { truth } = view;
    view.ladder.forEach((bid, rung) => {
      const key = text(bid);
      const cell = this.cells.get(key);
      if (!cell) return;
      const legal = view.legal.has(rung);
      const shade = view.shade?.get(key) ?? null;
      const trail = made.get(key);
      const seat = trail ? view.trail[trail[trail.length - 1]].seat : null;
      const filled = truth !== null && bid.quantity <= truth.counts[bid.face - 1];
      const isBid = truth !== null && key === text(truth.bid);
      const classes = ["cell"];
      if (legal) classes.push("legal");
      if (shade) classes.push("shaded");
      if (rung === view.chosen) classes.push("chosen");
      if (trail) classes.push("made");
      if (trail?.includes(last)) classes.push("standing");
      if (filled) classes.push(truth.bid.face === bid.face ? "filled" : "faint");
      if (isBid && truth.says) classes.push(truth.right ? "held" : "false");
      const words = [sayBid(bid)];
      if (seat !== null) words.push(`bid by ${view.names[seat]}`);
      if (shade) words.push(shade.says);
      else if (legal && seat === null) words.push(`${bid.quantity}×${bid.face}`); // as it is written there
      if (isBid && truth.says) words.push(truth.says);
      set(cell, {
        class: classes.join(" "),
        "aria-label": capital(words.join(", ")),
        "aria-selected": rung === view.chosen ? "true" : "false",
        "aria-disabled": legal ? null : "true",
        tabindex: rung === stop ? "0" : "-1",
        vars: { share: shade ? Math.round(shade.share * 1000) / 10 : 0 },
      });
      cell.replaceChildren(
        seat !== null
          ? h("span", { class: `token seat-${seat % 8}` }, view.marks[seat])
          : h("span", { class: "what" }, shade ? shade.label : legal ? `${bid.quantity}×${bid.face}` : ""),
      );
    });
  }

  /**
   * The trail of the bids, a line from cell to cell.
   * @param {BoardView} view
   * @param {number} low
   * @param {number} high
   */
  #draw(view, low, high) {
    if (!this.trail) return;
    set(this.trail, { viewBox: `0 0 ${view.faces} ${high - low + 1}` });
    const at = (/** @type {Bid} */ bid) => [bid.face - 0.5, high - bid.quantity + 0.5];
    const lines = view.trail.slice(1).map(({ seat, bid }, i) => {
      const [x1, y1] = at(view.trail[i].bid);
      const [x2, y2] = at(bid);
      return s("line", { x1, y1, x2, y2, class: `seat-${seat % 8}` });
    });
    this.trail.replaceChildren(...lines);
  }

  /**
   * Scrolls to the chosen cell or the standing bid if it is out of sight. What is in sight stays where it is: a second tap on the same spot
   * must reach the same cell.
   * @param {BoardView} view
   */
  #scroll(view) {
    const bid = view.chosen !== null ? view.ladder[view.chosen] : (view.truth?.bid ?? view.trail[view.trail.length - 1]?.bid);
    const box = this.grid;
    const move = () => {
      const cell = bid && this.cells.get(text(bid));
      const [head, side] = [this.head.offsetHeight, /** @type {HTMLElement | null} */ (this.head.firstElementChild)?.offsetWidth ?? 0];
      if (!cell) {
        box.scrollTo(0, box.scrollHeight);
        return;
      }
      const { offsetLeft: left, offsetWidth: wide, offsetHeight: tall } = cell;
      const top = cell.offsetTop + head; // offsetTop counts from the rows, below the head
      if (left - side < box.scrollLeft || left + wide > box.scrollLeft + box.clientWidth) box.scrollLeft = left - box.clientWidth / 2;
      const above = view.chosen === null && !view.truth ? tall : 0; // there is something to bid above the standing bid
      const hidden = top - head - above - box.scrollTop < -tall / 2 || top + tall / 2 > box.scrollTop + box.clientHeight;
      if (hidden) box.scrollTop = top - head - (box.clientHeight - head) * (above ? 0.72 : 0.5);
    };
    if (box.clientHeight) move();
    else requestAnimationFrame(move);
  }

  /**
   * @param {Event} event
   * @returns {number | null}
   */
  #rungAt(event) {
    const cell = /** @type {HTMLElement} */ (event.target).closest("[data-bid]");
    const key = cell?.getAttribute("data-bid");
    const rung = this.view ? this.view.ladder.findIndex((bid) => text(bid) === key) : -1;
    return rung >= 0 && this.view?.legal.has(rung) ? rung : null;
  }

  /**
   * Chooses a cell; choosing it again bids it.
   * @param {Event} event
   */
  #pick(event) {
    const rung = this.#rungAt(event);
    if (rung === null) return false;
    this.pointed = true;
    if (rung === this.view?.chosen) this.onbid?.(rung);
    else this.onchoose?.(rung, true);
    return true;
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    if (arrow) {
      const rung = this.towards(...arrow);
      if (rung !== null) this.onchoose?.(rung);
      this.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      if (!this.#pick(event)) return;
    } else {
      return;
    }
    event.preventDefault();
  }
}

/** @type {Record<string, [number, number]>} right, up */
export const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
