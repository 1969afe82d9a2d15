// A decision to make: the position of a puzzle on the board, chosen and confirmed as at a real table.

import { ARROWS } from "./board.js";
import { h, say, set } from "./dom.js";
import { capital, sayBid } from "./events.js";
import { text } from "./ladder.js";
import { standing } from "./state.js";
import { Timeline } from "./timeline.js";
import { share } from "./verdict.js";

/** @typedef {import("./verdict.js").Puzzle} Puzzle */
/** @typedef {import("./verdict.js").Choice} Choice */
/** @typedef {import("./events.js").GameEvent} GameEvent */

/**
 * The events that lead to a position, as its player saw them.
 * @param {Puzzle} puzzle
 * @returns {GameEvent[]}
 */
function eventsOf({ config, names, round, opener, dice_counts, palifico, table_dice, seat, hand, bids }) {
  return [
    { type: "GameCreated", config, names, agent_ids: names.map(() => null) },
    { type: "RoundStarted", round_index: round - 1, opener, dice_counts, palifico },
    ...(table_dice.length ? [/** @type {GameEvent} */ ({ type: "SharedDiceRolled", table_dice })] : []),
    { type: "DiceRolled", player_id: seat, dice: hand },
    ...bids.map(({ seat: by, quantity, face }) => /** @type {GameEvent} */ ({ type: "BidPlaced", player_id: by, bid: { quantity, face } })),
  ];
}

export class Trial {
  /**
   * @param {Puzzle} puzzle
   * @param {import("./stage.js").Stage} stage that shows it; its board calls `choose` and `confirm`
   * @param {(answer: Choice) => void} done
   * @param {import("./table.js").SeatInfo[]} [seats]
   */
  constructor(puzzle, stage, done, seats = []) {
    this.puzzle = puzzle;
    this.seats = seats;
    this.stage = stage;
    this.done = done;
    this.timeline = new Timeline(() => {});
    this.timeline.paused = true;
    this.timeline.reset(eventsOf(puzzle));
    /** The legal actions by their text. @type {Map<string, Choice>} */
    this.choices = new Map(puzzle.choices.map((choice) => [choice.action, choice]));
    this.legal = new Set(this.timeline.state.ladder.flatMap((bid, rung) => (this.choices.has(text(bid)) ? [rung] : [])));
    /** @type {number | "liar" | "exact" | null} */
    this.chosen = null;
    /** @type {Choice | null} */
    this.answer = null;
    const call = (/** @type {"liar" | "exact"} */ kind, /** @type {string} */ label, /** @type {string} */ key) =>
      h("button", { type: "button", class: "plain", onclick: () => (this.chosen === kind ? this.confirm() : this.choose(kind)), disabled: !this.choices.has(kind), hidden: kind === "exact" && !puzzle.config.exact_call }, label, h("kbd", { "aria-hidden": "true" }, key));
    this.button = h("button", { type: "button", class: "primary", onclick: () => this.confirm() });
    this.calls = { liar: call("liar", "Liar!", "L"), exact: call("exact", "Exact", "X") };
    this.element = h("div", { class: "acts" }, this.button, h("div", { class: "calls" }, this.calls.liar, this.calls.exact));
    this.show();
  }

  /** @param {number | "liar" | "exact" | null} what */
  choose(what) {
    if (this.answer || (typeof what === "string" && !this.choices.has(what))) return;
    this.chosen = what;
    this.show();
    if (what !== null) say(typeof what === "number" ? capital(sayBid(this.timeline.state.ladder[what])) : `Call ${what}? Press again to confirm.`);
  }

  confirm() {
    const { chosen } = this;
    if (this.answer || chosen === null) return;
    this.answer = this.choices.get(typeof chosen === "number" ? text(this.timeline.state.ladder[chosen]) : chosen) ?? null;
    this.element.hidden = true;
    this.show();
    if (this.answer) this.done(this.answer);
  }

  show() {
    const { chosen, answer, timeline } = this;
    const { state } = timeline;
    this.stage.show(timeline, {
      me: this.puzzle.seat,
      seats: this.seats,
      legal: answer ? new Set() : this.legal,
      chosen: typeof chosen === "number" ? chosen : null,
      shade: answer ? this.#shade() : null,
      says: answer ? "Answered." : standing(state) ? "Your turn: what do you play?" : "You open: what do you bid?",
    });
    this.button.disabled = chosen === null;
    this.button.replaceChildren(chosen === null ? "Choose your move" : typeof chosen === "number" ? `Bid ${sayBid(state.ladder[chosen])}` : `Call ${chosen}`);
    if (chosen !== null) this.button.append(" ", h("kbd", { "aria-hidden": "true" }, "Enter"));
    for (const kind of /** @type {const} */ (["liar", "exact"])) set(this.calls[kind], { "aria-pressed": String(chosen === kind) });
  }

  /** What each bid would have been worth. */
  #shade() {
    const values = this.puzzle.choices.map((c) => c.win_chance);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return new Map(this.puzzle.choices.map((c) => [c.action, { share: high > low ? (c.win_chance - low) / (high - low) : 1, label: share(c.win_chance).replace("%", ""), says: `worth ${share(c.win_chance)}` }]));
  }

  /**
   * A key anywhere on the page.
   * @param {KeyboardEvent} event
   * @returns {boolean} whether it meant something
   */
  pressed({ key, target }) {
    const at = /** @type {HTMLElement} */ (target);
    const lower = key.toLowerCase();
    if (this.answer || at.closest("input, select, summary")) return false;
    if (lower === "l" || lower === "x") {
      const kind = lower === "l" ? "liar" : "exact";
      if (this.chosen === kind) this.confirm();
      else this.choose(kind);
      if (this.chosen === kind) this.button.focus({ preventScroll: true }); // so that Enter confirms it, not the cell that had the focus
    } else if (ARROWS[key]) {
      const rung = this.stage.board.towards(...ARROWS[key]);
      if (rung !== null) this.choose(rung);
      this.stage.board.focus();
    } else if (key === "Escape") {
      this.choose(null);
    } else if (key === "Enter" && this.chosen !== null && !at.closest("button, a")) {
      this.confirm();
    } else {
      return false;
    }
    return true;
  }
}
