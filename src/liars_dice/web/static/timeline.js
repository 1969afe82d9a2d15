// The events of a game and the moment that is shown. Live play, watching, replay and review differ only in where events come from.

import { moves } from "./dom.js";
import { EMPTY, standing, step, truth } from "./state.js";

/** @typedef {import("./events.js").GameEvent} GameEvent */
/** @typedef {import("./state.js").State} State */

/** How long each type of event is shown before the next, in milliseconds. @type {Record<string, number>} */
const PAUSES = { GameCreated: 0, RoundStarted: 150, DiceRolled: 200, SharedDiceRolled: 200, BidPlaced: 500, LiarCalled: 900, ExactCalled: 900, DiceRevealed: 700, RoundEnded: 2600, GameEnded: 0, AgentFaulted: 300 }; // prettier-ignore

/** The pause between two dice when those of a reveal are counted, and the longest time that all of them may take. */
const COUNT_MS = 140;
const WHOLE_COUNT_MS = 1200;
/** How long the cups take to lift, one after the other, before the count begins. */
const LIFT_MS = 600;

export class Timeline {
  /** @param {(timeline: Timeline, fresh: boolean) => void} show fresh: the last event was just added */
  constructor(show) {
    this.show = show;
    /** @type {GameEvent[]} */
    this.events = [];
    /** @type {State[]} the state after each number of events */
    this.states = [EMPTY];
    /** How many events are shown. */
    this.at = 0;
    /** How much faster than normal; Infinity: at once. */
    this.speed = 1;
    this.paused = false;
    /** Whether to stop at the end of a round until `play()`. */
    this.holds = false;
    this.held = false;
    /** Whether the timeline stopped at the end of this round and the player has continued. */
    this.seen = false;
    /** While the dice of a reveal are being counted: how many so far. The verdict comes when all are. @type {number | null} */
    this.counted = null;
    this.timer = 0;
  }

  get state() {
    return this.states[this.at];
  }

  get atEnd() {
    return this.at === this.events.length;
  }

  /** @param {GameEvent[]} events */
  add(...events) {
    for (const event of events) {
      this.events.push(event);
      this.states.push(step(this.states[this.states.length - 1], event));
    }
    this.#plan();
  }

  /**
   * Replaces all events.
   * @param {GameEvent[]} events
   * @param {number} [at] how many of them to show; all by default
   */
  reset(events, at = events.length) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.events = [];
    this.states = [EMPTY];
    this.held = false;
    const { paused } = this;
    this.paused = true;
    this.add(...events);
    this.paused = paused;
    this.goto(at);
  }

  /** @param {number} at */
  goto(at) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.counted = null;
    this.at = Math.max(0, Math.min(this.events.length, at));
    this.held = this.seen = false;
    this.show(this, false);
    this.#plan();
  }

  /** Shows one more event, even while paused. */
  step() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.held = false;
    this.counted = null;
    if (!this.atEnd) this.#advance();
  }

  /** Ends the count of a reveal. */
  skip() {
    if (this.counted === null) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.counted = null;
    this.show(this, false);
    this.#plan();
  }

  play() {
    this.paused = false;
    this.seen ||= this.held;
    this.held = false;
    this.#plan();
  }

  pause() {
    this.paused = true;
    clearTimeout(this.timer);
    this.timer = 0;
    this.counted = null;
  }

  stop() {
    this.pause();
    this.show = () => {};
  }

  #advance() {
    this.at++;
    this.seen = false;
    const counts = this.events[this.at - 1].type === "DiceRevealed";
    this.counted = counts && moves() && !this.paused && this.speed < 100 ? 0 : null;
    if (this.holds && this.events[this.at - 1].type === "RoundEnded" && this.events[this.at]?.type !== "GameEnded") this.held = true;
    this.show(this, true);
    this.#plan();
  }

  /** How many dice match the bid that was called. */
  get #found() {
    const bid = standing(this.state)?.bid;
    return (bid && truth(this.state)?.[bid.face - 1]) ?? 0;
  }

  #plan() {
    if (this.paused || this.held || this.timer) return;
    if (this.counted !== null) {
      this.timer = setTimeout(() => {
        this.timer = 0;
        this.counted = this.counted === null || this.counted + 1 > this.#found ? null : this.counted + 1;
        this.show(this, false);
        this.#plan();
      }, (Math.min(COUNT_MS, WHOLE_COUNT_MS / (this.#found + 1)) + (this.counted ? 0 : LIFT_MS)) / this.speed);
      return;
    }
    if (this.atEnd) return;
    const shown = this.events[this.at - 1];
    const next = this.events[this.at];
    let pause = shown && !this.seen ? (PAUSES[shown.type] ?? 0) : 0;
    if (shown?.type === "RoundEnded" && next.type === "GameEnded") pause = 300;
    if (shown?.type === "DiceRolled" && /Rolled$/.test(next.type)) pause = 0;
    const behind = this.events.length - this.at;
    const wait = pause / this.speed / (behind > 60 ? 4 : 1);
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (!this.paused && !this.atEnd) this.#advance();
    }, wait);
  }
}
