// A recorded game, move by move, with the chances to win. The review page adds the coach to it.

import { agents, get, seatInGame } from "../api.js";
import { Curve } from "../chart.js";
import { h, say, toggle } from "../dom.js";
import { isMove, narrate, plainName, read } from "../events.js";
import { FairDice } from "../fair_dice.js";
import { PlayOn } from "../play_on.js";
import { ownName } from "../settings.js";
import { copyButton, downloads } from "../share.js";
import { Stage } from "../stage.js";
import { marks } from "../state.js";
import { Timeline } from "../timeline.js";

/** @typedef {import("../events.js").GameEvent} GameEvent */
/** @typedef {{ turn: number, seat: number, player: string, action: string, best: string, loss: number, win_chance: number, best_chance: number, kind: string, words: string, source: string, forced: boolean, against: string, of: string, stake: number, habits: { words: string } | null }} Verdict */
/** @typedef {{ moves: Verdict[], accuracy: Record<string, number>, habits_accuracy: Record<string, number>, counts: Record<string, Record<string, number>>, measured_against: Record<string, Record<string, number>>, curve: { turn: number, chances: number[] }[], curve_source: string }} Review */

/** After this many milliseconds the page explains why the review takes long. */
const LONG = 3000;
const LOOKING = "The coach is reviewing the game…";

/**
 * The seat of the only person in a game, if one person played.
 * @param {(string | null)[]} players
 */
function onlyPerson(players) {
  const people = players.flatMap((id, seat) => (id?.startsWith("human") ? [seat] : []));
  return people.length === 1 ? people[0] : null;
}

/** @type {import("../router.js").MakePage} */
export async function page({ id }) {
  const replay = new Replay(id, await get(`/games/${encodeURIComponent(id)}`));
  return replay.opened("Replay");
}

export class Replay {
  /**
   * @param {string} id
   * @param {any} game
   */
  constructor(id, game) {
    this.id = id;
    this.names = /** @type {string[]} */ (game.names);
    const events = /** @type {GameEvent[]} */ (game.events.map(read));
    const players = /** @type {(string | null)[]} */ (game.events[0]?.agent_ids ?? []);
    const byName = this.names.findIndex((name, seat) => name === ownName() && players[seat]?.startsWith("human"));
    /** The reader's own seat, if this browser played in the game or the reader has a player's name. @type {number | null} */
    this.you = seatInGame(id) ?? (byName >= 0 ? byName : null);
    /** The seat that matters most: the reader's or, in other people's games, the only person's. @type {number | null} */
    this.mine = this.you ?? onlyPerson(players);
    this.finished = game.winner !== null;
    this.tooLong = game.ended === "too_long";
    /** How many events come before each move. @type {number[]} */
    this.moves = events.flatMap((e, i) => (isMove(e) ? [i] : []));
    /** @type {Review | null} */
    this.review = null;
    this.peek = true;
    /** @type {number | undefined} the timer that asks for the coach's progress */
    this.asking = undefined;
    /** @type {import("../table.js").SeatInfo[]} */
    this.seats = [];
    this.stage = this.makeStage();
    this.curve = new Curve((at) => this.stand(at));
    this.slider = h("input", { type: "range", min: 0, max: events.length, value: "0", "aria-label": "Position in the game", oninput: () => this.stand(Number(this.slider.value)) });
    this.playButton = h("button", { type: "button", class: "primary", onclick: () => this.toggle() }, "Play");
    this.position = h("output", { class: "muted" });
    this.waitingWords = h("p", { class: "muted", role: "status" }, LOOKING);
    this.waitingBar = h("progress", { "aria-label": "Moves reviewed" });
    this.waitingCount = h("span", { class: "muted" });
    this.waiting = h("div", { class: "waiting" }, this.waitingWords, this.waitingBar, this.waitingCount);
    this.timeline = new Timeline((_, fresh) => this.show(fresh));
    this.timeline.paused = true;
    const step = (/** @type {number} */ by, /** @type {string} */ label, /** @type {string} */ sign) => h("button", { type: "button", class: "plain square", "aria-label": label, title: label, onclick: () => this.stepTo(by) }, sign);
    this.transport = h(
      "div",
      { class: "transport" },
      h("div", { class: "row" }, step(-2, "Previous round", "«"), step(-1, "Previous move", "‹"), this.playButton, step(1, "Next move", "›"), step(2, "Next round", "»")),
      h("div", { class: "scrub" }, this.slider, this.position),
    );
    this.stage.dock.append(this.transport);
    this.options = h("div", { class: "options" }, toggle("Show all dice", true, (on) => ((this.peek = on), this.show(false))), ...this.links());
    this.playOn = new PlayOn(id, this.names, players, this.mine ?? 0);
    this.stage.controls.append(this.options, this.finished ? this.playOn.element : "");
    const fair = new FairDice();
    fair.show(game.fairness, { names: this.names, game: id });
    this.stage.below.append(this.curve.element, this.waiting, fair.element);
    this.summary = h("div", { class: "summary" });
    this.title = h("h1", {});
    this.element = h(
      "div",
      { class: "page replay" },
      h("header", {}, h("div", { class: "title-row" }, this.title, h("div", { class: "row shares" }, copyButton(() => location.href), this.finished && downloads(id))), this.summary),
      this.stage.element,
    );
    this.curve.element.hidden = true;
    this.keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    this.hash = () => this.standAtHash();
    document.addEventListener("keydown", this.keys);
    addEventListener("hashchange", this.hash);
    this.timeline.reset(events, this.finished ? (this.moves[0] ?? events.length) : events.length);
    this.#name();
  }

  makeStage() {
    return new Stage({ onpick: (at) => this.stand(at) });
  }

  /** Links to other views of the game. @returns {import("../dom.js").Child[]} */
  links() {
    return [this.finished && h("a", { href: `/review/${this.id}` }, "Review with the coach")];
  }

  /**
   * The page, at the move that its address names.
   * @param {string} title
   * @returns {import("../router.js").Page}
   */
  opened(title) {
    this.title.append(title, " ", h("span", { class: "muted" }, this.names.map(plainName).join(" – ")));
    this.standAtHash();
    if (this.finished) this.#judge();
    else this.endWaiting(this.tooLong ? "This game became too long and has no winner, so the coach does not review it." : "This game is not over. The coach can review it when it is.");
    requestAnimationFrame(() => this.attend());
    return { title, element: this.element, leave: () => this.leave() };
  }

  leave() {
    clearInterval(this.asking);
    document.removeEventListener("keydown", this.keys);
    removeEventListener("hashchange", this.hash);
    this.timeline.stop();
    this.stage.leave();
  }

  // -- where we are

  /** How many moves have been made here. */
  get turn() {
    return this.moves.filter((i) => i < this.timeline.at).length;
  }

  /** Whether the address names a move of this game. */
  get hashTurn() {
    const turn = Number(/^#(\d{1,5})$/.exec(location.hash)?.[1] ?? 0);
    return turn >= 1 && turn <= this.moves.length ? turn : null;
  }

  standAtHash() {
    if (this.hashTurn !== null && this.hashTurn !== this.turn) this.standAtTurn(this.hashTurn);
  }

  /** @param {number} turn */
  standAtTurn(turn) {
    this.stand((this.moves[turn - 1] ?? 0) + 1);
  }

  /** @param {number} at */
  stand(at) {
    this.timeline.pause();
    this.timeline.goto(at);
    this.attend();
    this.#tell();
  }

  /** On a phone, scrolls so that the bid and the coach's verdict are visible above the step buttons. */
  attend() {
    this.stage.bring(this.stage.board.element);
  }

  toggle() {
    if (this.timeline.paused) {
      if (this.timeline.atEnd) this.timeline.goto(0);
      this.timeline.play();
    } else {
      this.timeline.pause();
    }
    this.show(false);
    this.attend();
  }

  /** @param {number} by 1: a move, 2: a round; below zero: back */
  stepTo(by) {
    const { at, events } = this.timeline;
    const stops = [0, ...events.flatMap((e, i) => ((Math.abs(by) === 1 ? isMove(e) || e.type === "RoundEnded" || e.type === "GameEnded" : e.type === "RoundStarted") ? [i + 1] : [])), events.length];
    const next = by > 0 ? stops.find((stop) => stop > at) : stops.filter((stop) => stop < at).pop();
    if (next !== undefined) this.stand(this.#settled(next));
  }

  /**
   * The start of a round includes its dice.
   * @param {number} at
   */
  #settled(at) {
    while (this.timeline.events[at - 1]?.type !== "RoundEnded" && /Rolled$/.test(this.timeline.events[at]?.type ?? "")) at++;
    return at;
  }

  #tell() {
    const { at, events, state } = this.timeline;
    const event = events[at - 1];
    if (event) say(narrate(event, state, this.you));
  }

  /** @param {boolean} fresh */
  show(fresh) {
    const { timeline, turn } = this;
    this.stage.show(timeline, { me: null, peek: this.peek, fresh, seats: this.seats, givenUp: this.tooLong && timeline.atEnd });
    this.slider.value = String(timeline.at);
    this.slider.setAttribute("aria-valuetext", this.stage.status.textContent ?? "");
    this.playButton.textContent = timeline.paused || timeline.atEnd ? "Play" : "Pause";
    this.position.textContent = `Move ${turn} of ${this.moves.length}`;
    this.curve.stand(timeline.at);
    const again = this.turnHere();
    const event = timeline.events[this.moves[again - 1]];
    this.playOn.show(again, event && "player_id" in event ? this.names.map(plainName)[event.player_id] : "");
    if (this.element?.isConnected) history.replaceState(null, "", turn ? `#${turn}` : location.pathname + location.search);
  }

  /** The move that is shown, to be made again; at the beginning of a round, its first. */
  turnHere() {
    const { at, events } = this.timeline;
    const made = this.turn;
    const begun = events.slice(0, at).map((e) => e.type).lastIndexOf("RoundStarted");
    return Math.max(1, Math.min(begun > (this.moves[made - 1] ?? -1) ? made + 1 : made, this.moves.length));
  }

  /** Finds out which players are bots. */
  async #name() {
    const bots = await agents().catch(() => []);
    const ids = this.timeline.states[1]?.agents ?? [];
    this.seats = ids.map((id, seat) => {
      const person = !id || /^human(:|$)/.test(id) || (id === this.names[seat] && !bots.some((bot) => bot.name === id));
      return { kind: person ? "person" : "bot", agent: person ? null : id?.replace(/^remote:.*/, "network bot") };
    });
    this.show(false);
  }

  // -- the chances to win

  async #judge() {
    const since = Date.now();
    this.asking = setInterval(() => {
      if (Date.now() - since > LONG && !this.waitingBar.value) this.waitingWords.textContent = "The coach is getting ready. The first time on a computer this takes up to half a minute.";
      this.#askProgress();
    }, 500);
    try {
      this.review = /** @type {Review} */ (await get(`/games/${encodeURIComponent(this.id)}/review`));
      this.waiting.hidden = true;
      this.drawCurve([], this.mine);
      this.judged(this.review);
      this.show(false);
      this.attend();
    } catch (error) {
      this.endWaiting(error instanceof Error ? error.message : String(error));
    } finally {
      clearInterval(this.asking);
    }
  }

  /**
   * @param {import("../chart.js").Dot[]} dots
   * @param {number | null} seat whose line stands out
   */
  drawCurve(dots, seat) {
    if (!this.review) return;
    const { curve, curve_source: source } = this.review;
    this.curve.draw({
      points: curve.map((p) => ({ at: p.turn === 0 ? 0 : (this.moves[p.turn - 1] ?? 0) + 1, chances: p.chances })),
      dots,
      names: this.names.map(plainName),
      marks: marks(this.names),
      length: this.timeline.events.length,
      seat,
      source,
    });
    this.curve.element.hidden = false;
    this.curve.stand(this.timeline.at);
  }

  /** The coach has reviewed the game. @param {Review} _review */
  judged(_review) {}

  /** Shows how far the coach is with the review. */
  async #askProgress() {
    const { done, turns } = await get(`/games/${encodeURIComponent(this.id)}/review/progress`).catch(() => ({ done: 0, turns: 0 }));
    if (!turns || this.review) return;
    this.waitingWords.textContent = LOOKING;
    this.waitingCount.textContent = `${done} of ${turns} moves`;
    this.waitingBar.max = turns;
    this.waitingBar.value = done;
  }

  /** @param {string} words why there is no review */
  endWaiting(words) {
    this.waitingWords.textContent = words;
    this.waitingBar.hidden = this.waitingCount.hidden = true;
  }

  // -- keys

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, .history-box")) return;
    if (this.pressed(event)) event.preventDefault();
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key meant something
   */
  pressed({ key, target }) {
    if (key === "ArrowLeft") this.stepTo(-1);
    else if (key === "ArrowRight") this.stepTo(1);
    else if (key === " " && !(/** @type {HTMLElement} */ (target).closest("button, a, summary"))) this.toggle();
    else return false;
    return true;
  }
}
