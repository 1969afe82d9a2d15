// Table, board and history at one moment: shown by live play, watching, replay and review alike.

import { Board } from "./board.js";
import { h, moves, set } from "./dom.js";
import { diceCount, faces } from "./events.js";
import { History } from "./history.js";
import { chance, chanceExact, legalRungs, percent, text, wildFace } from "./ladder.js";
import { marks, standing, told, total, truth } from "./state.js";
import { Table, status } from "./table.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./board.js").Shade} Shade */
/**
 * @typedef {object} Showing
 * @property {number | null} me
 * @property {boolean} [peek]
 * @property {boolean} [fresh]
 * @property {boolean} [odds] shade by the chance that a bid holds
 * @property {Set<number>} [legal] rungs that can be chosen; none by default
 * @property {number | null} [chosen]
 * @property {import("./table.js").SeatInfo[]} [seats]
 * @property {Map<string, Shade> | null} [shade]
 * @property {number} [spectators]
 * @property {string} [says] the status line, where it is not about the game
 * @property {boolean} [givenUp] whether the game ends here without a winner; no event says so
 */

/** One column, as in stage.css. */
const NARROW = matchMedia("(max-width: 45.99rem) and (min-height: 30.01rem), (max-width: 34.99rem)");

export class Stage {
  /**
   * @param {{ onchoose?: (rung: number, pointed?: boolean) => void, onbid?: (rung: number) => void, onpick?: (at: number) => void, note?: (event: number) => (Node | null) }} [options]
   */
  constructor({ onchoose, onbid, onpick, note } = {}) {
    this.table = new Table();
    this.board = new Board({ label: "Bid board", onchoose, onbid });
    this.history = new History({ onpick, note });
    this.status = h("p", { class: "status", id: "status", tabindex: "-1" });
    this.where = h("p", { class: "where" });
    /** The time that is left for your move. */
    this.countdown = h("p", { class: "countdown", role: "timer", hidden: true });
    this.heading = h("div", { class: "status-bar" }, this.where);
    /** The main buttons. On a phone they stay at the bottom of the screen, below the status line. */
    this.dock = h("div", { class: "dock" });
    this.controls = h("div", { class: "controls" }, this.dock);
    this.below = h("div", { class: "below" });
    this.element = h(
      "div",
      { class: "stage" },
      h("div", { class: "play" }, this.heading, this.table.element, h("div", { class: "board-column" }, this.board.element, this.controls)),
      this.history.element,
      this.below,
    );
    this.headline = h("div", { class: "headline" }, this.status, this.countdown);
    this.settle = () => (NARROW.matches ? this.dock : this.heading).prepend(this.headline);
    this.settle();
    NARROW.addEventListener("change", this.settle);
  }

  leave() {
    clearInterval(this.ticking);
    NARROW.removeEventListener("change", this.settle);
  }

  /**
   * Shows how much time is left for your move.
   * @param {number | null} until in milliseconds since 1970
   */
  count(until) {
    clearInterval(this.ticking);
    this.countdown.hidden = until === null;
    if (until === null) return;
    const tick = () => {
      const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
      this.countdown.textContent = `${left}\u00a0s`;
      set(this.countdown, { "data-short": left <= 5 ? "yes" : null, "aria-label": `${left} seconds left` });
    };
    tick();
    this.ticking = setInterval(tick, 250);
  }

  /**
   * Scrolls to what matters now, on a phone, where not everything fits on the screen.
   * @param {Element} what
   */
  bring(what) {
    if (NARROW.matches) what.scrollIntoView({ block: "nearest", behavior: moves() ? "smooth" : "auto" });
  }

  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {Showing} showing
   */
  show(timeline, { me, peek = false, fresh = false, odds = false, legal, chosen = null, seats = [], shade = null, spectators = 0, says, givenUp = false }) {
    const state = givenUp ? { ...timeline.state, turn: null, ended: true } : timeline.state;
    this.status.textContent = says ?? status(state, me);
    this.element.setAttribute("data-mood", mood(state, me));
    this.where.textContent = [where(state), spectators && `${spectators} watching`].filter(Boolean).join(" · ");
    this.table.update(state, me, { peek, seats, fresh, counted: timeline.counted, odds: odds && !state.revealed ? standingOdds(state, me) : "" });
    if (state.config) {
      const bid = standing(state)?.bid ?? null;
      const counts = truth(state);
      this.board.update({
        ladder: state.ladder,
        faces: state.config.faces,
        legal: legal ?? new Set(),
        chosen,
        trail: state.bids,
        marks: marks(state.names),
        names: state.names.map((name, seat) => (seat === me ? "you" : name)),
        shade: shade ?? (odds && !state.revealed ? oddsShade(state, me) : null),
        truth: counts && bid ? (timeline.counted === null ? told(bid, counts, state.call) : { bid, counts: counts.map((_, i) => (i === bid.face - 1 ? (timeline.counted ?? 0) : 0)) }) : null,
      });
    }
    this.history.update(timeline, me);
  }
}

/**
 * @param {State} state
 * @param {number | null} me
 */
function mood(state, me) {
  if (state.ended) return me === null || state.winner === null ? "over" : state.winner === me ? "won" : "lost";
  if (state.revealed) return "reveal";
  return state.turn !== null && state.turn === me ? "yours" : "waiting";
}

/** @param {State} state */
function where(state) {
  if (!state.config || state.round < 0) return "";
  const parts = [`Round ${state.round + 1}`, diceCount(total(state))];
  const wild = wildFace(state.config, state.palifico);
  if (wild !== null) parts.push(`${faces(wild)} are wild`);
  if (state.palifico) parts.push("palifico");
  if (state.config.mode === "best_of") parts.push(`best of ${state.config.rounds}`);
  return parts.join(" · ");
}

/**
 * How likely the standing bid is, given the dice the player sees: `holds 34% · exact 12%`.
 * @param {State} state
 * @param {number | null} me
 */
function standingOdds(state, me) {
  const bid = standing(state)?.bid;
  if (!bid || !state.config) return "";
  const known = [...((me === null ? null : state.hands[me]) ?? []), ...state.open];
  /** @type {[import("./ladder.js").Bid, number[], number, number, number | null]} */
  const given = [bid, known, total(state), state.config.faces, wildFace(state.config, state.palifico)];
  return `holds ${percent(chance(...given))}% · exact ${percent(chanceExact(...given))}%`;
}

/**
 * The chance that each legal bid holds, given the dice the player sees (for a spectator, those on the table).
 * @param {State} state
 * @param {number | null} me
 */
function oddsShade(state, me) {
  /** @type {Map<string, Shade>} */
  const shade = new Map();
  if (!state.config || state.round < 0) return shade;
  const known = [...((me === null ? null : state.hands[me]) ?? []), ...state.open];
  const wild = wildFace(state.config, state.palifico);
  const may = state.turn === null ? new Set() : legalRungs(state);
  state.ladder.forEach((bid, rung) => {
    if (!may.has(rung)) return;
    const p = chance(bid, known, total(state), state.config?.faces ?? 6, wild);
    shade.set(text(bid), { share: p, label: percent(p), says: `holds ${percent(p)} percent of the time` });
  });
  return shade;
}
