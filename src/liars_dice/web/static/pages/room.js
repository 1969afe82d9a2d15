// A room: take a seat, play, watch, reconnect.

import { createRoom, forgetRoom, get, invitation, keepGame, keepToken, markOver, pass, post, sentence, token } from "../api.js";
import { ARROWS } from "../board.js";
import { h, say } from "../dom.js";
import { capital, inWords, isMove, narrate, read, sayBid } from "../events.js";
import { CoachWatch } from "../coach_watch.js";
import { FairDice, addWords, settleAnew } from "../fair_dice.js";
import { legalRungs, parse } from "../ladder.js";
import { go } from "../router.js";
import { keep, ownName, setting } from "../settings.js";
import { RoomSocket } from "../socket.js";
import { sound } from "../sound.js";
import { Stage } from "../stage.js";
import { standing } from "../state.js";
import { status } from "../table.js";
import { Timeline } from "../timeline.js";
import { Company, removal } from "./company.js";
import { Controls } from "./controls.js";
import { Lobby } from "./lobby.js";

/** @typedef {{ seat: number, name: string, kind: "person" | "bot" | "open", agent: string | null, present: boolean, dice: number, played_by?: string | null, left?: "" | "given" | "resigned" | "removed", ready?: boolean }} SeatLine */
/** @typedef {{ turn: number, seat: number, legal?: number[], calls?: string[], until: number | null }} Turn until: when a bot moves for a player who is away or whose time is limited */

/** @typedef {RoomPage} Room */

/** How long a reveal is shown while other people are waiting, in milliseconds; and where the time for turns is limited. */
const REVEAL_MS = 10_000;
const LIMITED_REVEAL_MS = 5000;

/** @type {import("../router.js").MakePage} */
export async function page({ id, query }) {
  const first = await get(`/rooms/${encodeURIComponent(id)}`, pass(id)).catch((error) => {
    if (error.status === 404) forgetRoom(id);
    throw error;
  });
  const room = new RoomPage(id, first);
  if (query.get("guide")) {
    const { Guide } = await import("./guide.js");
    room.guide = new Guide(room);
    room.show(false); // the turn may be known already
  }
  return { title: "Room", element: room.element, leave: () => room.leave() };
}

class RoomPage {
  /**
   * @param {string} id
   * @param {any} room as the API has it
   */
  constructor(id, room) {
    this.id = id;
    this.room = room;
    /** @type {number | null} */
    this.me = null;
    /** @type {Turn | null} */
    this.turn = null;
    /** What the next confirmation does: bid this rung, or call. @type {number | "liar" | "exact" | null} */
    this.chosen = null;
    this.busy = false;
    this.online = true;
    this.known = 0;
    this.wasHeld = false;
    /** For beginners. @type {import("./guide.js").Guide | null} */
    this.guide = null;
    /** The game whose events are shown. @type {string | null} */
    this.gameId = room.game_id;
    this.timeline = new Timeline((_, fresh) => this.show(fresh));
    this.stage = new Stage({ onchoose: (rung, pointed) => this.choose(rung, pointed), onbid: () => this.confirm() });
    this.offline = h("p", { class: "notice offline", role: "alert", hidden: true });
    this.refusal = h("div", { class: "panel refusal", role: "alert", hidden: true });
    this.problem = h("p", { class: "error", role: "alert", hidden: true });
    this.lobbyProblem = h("p", { class: "error", role: "alert", hidden: true });
    this.lobby = new Lobby({ sit: (name, words) => this.sit(name, words), add: (words) => this.add(words), begin: () => this.begin(), close: (closed) => this.close(closed), ready: (on) => this.others.ask({ type: "ready", ready: on }), leave: () => this.stand(), removal: (seat) => removal(this.others, seat) }, this.lobbyProblem);
    this.fair = new FairDice();
    this.element = h("div", { class: "page room" }, h("h1", { class: "unseen" }, "Table"), this.offline, this.refusal, this.lobby.element, this.stage.element, this.fair.element);
    this.socket = new RoomSocket(
      id,
      { onmessage: (message) => this.hear(message), online: (on) => this.connection(on), refused: (error) => this.refused(error) },
      () => ({ events: this.known, game: this.gameId }),
    );
    this.others = new Company(this);
    this.controls = new Controls(this);
    this.watch = new CoachWatch(() => this.socket.ask({ type: "ask", what: "hint" }));
    this.stage.controls.append(this.watch.element);
    this.stage.table.element.addEventListener("click", () => this.timeline.skip());
    this.keys = (/** @type {KeyboardEvent} */ event) => this.pressed(event);
    document.addEventListener("keydown", this.keys);
    this.show(false);
  }

  leave() {
    clearTimeout(this.onwards);
    document.removeEventListener("keydown", this.keys);
    this.timeline.stop();
    this.stage.leave();
    this.socket.close();
  }

  /** How many other players are people or network bots. */
  get company() {
    return this.room.seats.filter((/** @type {SeatLine} */ s) => s.seat !== this.me && (s.kind === "person" || (s.kind === "bot" && !s.agent))).length;
  }

  /** How many moves this page has heard of. */
  get moves() {
    return this.timeline.events.filter(isMove).length;
  }

  /** Whether the game is over and was shown to its end. No event ends a game that became too long. */
  get over() {
    const { atEnd, events, state } = this.timeline;
    return atEnd && events.length > 0 && (state.ended || this.room.ended === "too_long");
  }

  // -- messages from the server

  /** @param {any} message */
  hear(message) {
    switch (message.type) {
      case "welcome":
        this.welcome(message);
        break;
      case "event":
        if (message.n < this.known) return;
        this.known = message.n + 1;
        if (this.room.status === "waiting") this.room.status = "playing";
        if (message.event.type === "GameCreated") {
          this.gameId = message.event.game_id;
          this.room = { ...this.room, fairness: message.event.fairness ?? null };
        }
        this.timeline.add(read(message.event));
        break;
      case "turn":
        this.turn = { ...message, until: message.deadline_s === null || message.deadline_s === undefined ? null : Date.now() + message.deadline_s * 1000 };
        this.chosen = null;
        this.watch.began(this.room.practice, message.seat === this.me);
        break;
      case "seats":
        this.room = { ...this.room, seats: message.seats, status: message.status, spectators: message.spectators, closed: message.closed, rematch: message.rematch, next_commitment: message.next_commitment, host: message.host, invite: message.invite };
        break;
      case "reaction":
      case "nudged":
        this.others.hear(message);
        return;
      case "said":
        this.others.chat.hear(message);
        return;
      case "over":
        this.gameId = message.game_id;
        this.room = { ...this.room, status: "over", ended: message.ended, winner: message.winner, fairness: message.fairness };
        break;
      case "error":
        this.complain(sentence(message.error));
        break;
    }
    markOver(this.id, this.room.status === "over");
    if (this.me !== null) keepGame(this.id, this.gameId, this.me);
    this.show(false);
  }

  /**
   * The state of the room. After an undo the room has a new game, and all events are sent again.
   * @param {any} message
   */
  welcome(message) {
    const { events } = message;
    if (this.gameId && message.game_id !== this.gameId) {
      const promised = this.room.practice ? null : this.room.next_commitment; // before anyone agreed to this game
      settleAnew(this.id, promised ?? message.room.fairness?.commitment ?? null);
      this.controls.calm();
    }
    this.room = { ...message.room, invite: message.invite };
    this.gameId = message.game_id;
    this.me = message.seat;
    this.turn = null;
    this.refusal.hidden = true;
    this.timeline.holds = this.me !== null;
    this.controls.showSpeed();
    if (message.from === 0) this.timeline.reset(events.map(read));
    else this.timeline.add(...events.map(read));
    this.known = events.length ? events[events.length - 1].n + 1 : message.from;
  }

  /** @param {boolean} on */
  connection(on) {
    if (this.online !== on) say(on ? "Reconnected." : "Connection lost. Reconnecting.");
    this.online = on;
    this.offline.textContent = `The connection is lost. Reconnecting… ${this.busy ? "Your move is sent again as soon as it is back." : "Your seat is kept, and nothing is lost."}`;
    this.offline.hidden = on;
    this.show(false);
  }

  /**
   * The server refuses the connection, and trying again would not help.
   * @param {import("../api.js").ServerError} error
   */
  refused(error) {
    this.online = this.busy = false;
    this.offline.hidden = true;
    this.complain(null);
    const asleep = error.code === "stay_away";
    if (asleep && this.room.status === "over") return;
    const seated = token(this.id) !== null;
    const notMine = seated && error.code === "wrong_token";
    const again = (/** @type {string} */ label, /** @type {() => void} */ first) =>
      h("button", { type: "button", class: "primary", onclick: () => (first(), this.connect()) }, label);
    this.refusal.replaceChildren(
      h("h2", {}, notMine ? "This seat is not yours" : asleep ? "The room is not connected" : "You cannot join this room"),
      h("p", {}, `The server says: ${error.message}${notMine ? " You can watch, or take a seat if one is open." : seated ? " Your seat is kept." : ""}`),
      h("div", { class: "row" }, notMine ? again("Continue without the seat", () => forgetRoom(this.id)) : again("Try again", () => {}), h("a", { class: "button", href: "/" }, "Go to the home page")),
    );
    this.refusal.hidden = false;
    this.show(false);
  }

  /** Connects again, with another seat or none, and asks for everything. */
  connect() {
    this.socket.close();
    this.known = 0;
    this.online = true;
    this.socket = new RoomSocket(this.id, this.socket.listener, this.socket.known);
  }

  /** @param {string | null} problem */
  complain(problem) {
    for (const place of [this.problem, this.lobbyProblem]) {
      place.hidden = !problem;
      place.textContent = problem ?? "";
    }
  }

  // -- drawing

  /** @param {boolean} fresh */
  show(fresh) {
    const { timeline } = this;
    const { state } = timeline;
    const waiting = this.room.status === "waiting";
    const outside = !this.refusal.hidden && !timeline.events.length;
    this.lobby.element.hidden = !waiting || outside;
    this.stage.element.hidden = waiting || outside;
    this.fair.show(this.room.fairness, { names: this.room.seats.map((/** @type {SeatLine} */ s) => s.name), game: this.gameId, room: this.id });
    if (waiting) {
      this.lobby.show(this.room, this.me);
      return;
    }
    const mine = this.mayAct;
    if (!mine) this.chosen = null;
    this.stage.show(timeline, {
      me: this.me,
      fresh,
      odds: setting("odds") === "on" && this.room.help !== false && (this.me !== null || this.room.status === "over" || state.turn !== null),
      legal: mine ? new Set(this.turn?.legal ?? legalRungs(state)) : new Set(),
      chosen: typeof this.chosen === "number" ? this.chosen : null,
      seats: this.room.seats.map((/** @type {SeatLine} */ s) => ({ kind: s.kind, agent: s.played_by ?? s.agent, present: s.present, until: this.turn?.seat === s.seat ? this.turn.until : null })),
      spectators: this.room.spectators,
      says: this.online || this.over ? undefined : "No connection to the table.",
      givenUp: this.over && !state.ended,
    });
    if (fresh) this.tell();
    else if (timeline.counted && timeline.counted !== this.counted) sound("Counted");
    this.counted = timeline.counted;
    this.stage.count(mine ? (this.turn?.until ?? null) : null);
    this.others.update();
    this.controls.update();
    this.guide?.update();
    this.attend();
  }

  /** Announces the last event, and on a phone scrolls to it. */
  tell() {
    const { state, events, at } = this.timeline;
    const event = events[at - 1];
    const turn = state.turn === this.me && this.me !== null && !/Rolled$/.test(event.type) ? ` ${status(state, this.me)}` : "";
    say(narrate(event, state, this.me) + turn);
    sound(event.type === "GameEnded" ? (event.winner === (this.me ?? event.winner) ? "Won" : "Lost") : event.type === "BidPlaced" && turn ? "YourTurn" : event.type);
    if (event.type === "LiarCalled" || event.type === "ExactCalled") this.stage.bring(this.stage.table.element);
  }

  /** Moves the focus and the view: to the board on the player's turn, to the button after a reveal. */
  attend() {
    const mine = this.mayAct;
    const { held } = this.timeline;
    if (mine && !this.wasMine) this.stage.bring(this.stage.board.element);
    if (held && !this.wasHeld) {
      this.controls.go.focus({ preventScroll: true });
      const company = this.room.seats.some((/** @type {SeatLine} */ s) => s.kind === "person" && s.seat !== this.me && s.present);
      if (company) this.onwards = setTimeout(() => this.timeline.held && this.onward(), this.room.turn_limit ? LIMITED_REVEAL_MS : REVEAL_MS);
    }
    document.title = `${mine ? "Your turn" : this.over ? "Over" : "Room"} · Liar’s Dice`;
    this.wasMine = mine;
    this.wasHeld = held;
  }

  /** Whether it is this player's turn and all events have been shown. */
  get mayAct() {
    const { state, atEnd } = this.timeline;
    return this.me !== null && !this.room.seats[this.me]?.left && atEnd && !this.over && this.online && !this.busy && this.turn?.seat === this.me && state.turn === this.me;
  }

  // -- before the game

  /**
   * @param {string} name
   * @param {string} words for the dice
   */
  async sit(name, words) {
    await this.#try(async () => {
      keep("name", name.trim());
      const seat = await post(`/rooms/${encodeURIComponent(this.id)}/seats`, { name: ownName(name) ?? "", seat: null, entropy: words, invite: invitation() });
      keepToken(this.id, seat.token, seat.seat);
      this.connect();
    });
  }

  /** @param {string} words for the dice */
  async add(words) {
    await this.#try(async () => {
      this.room = { ...this.room, fairness: (await addWords(this.id, words)).fairness };
      this.show(false);
    });
  }

  /** @param {boolean} closed whether only people with the link can join */
  async close(closed) {
    await this.#try(async () => {
      const { invite } = await post(`/rooms/${encodeURIComponent(this.id)}/access`, { token: token(this.id), closed });
      this.room = { ...this.room, closed, invite };
      say(closed ? "The room is closed. Only people with the new link can join." : "The room is open.");
    });
    this.show(false);
  }

  /** Leaves the seat before the game. */
  async stand() {
    await this.#try(async () => {
      await this.socket.ask({ type: "resign" });
      forgetRoom(this.id);
      this.connect();
    });
  }

  async begin() {
    await this.#try(() => post(`/rooms/${encodeURIComponent(this.id)}/start`, { token: token(this.id) }));
  }

  // -- moves

  /**
   * Chooses a bid or a call. It is made when it is chosen again or confirmed; with "One tap", at once.
   * @param {number | "liar" | "exact" | null} what null: nothing any more
   * @param {boolean} [pointed] at the cell or button itself, not by an arrow key
   */
  choose(what, pointed = false) {
    const { ladder } = this.timeline.state;
    if (!this.mayAct || (typeof what === "string" && !standing(this.timeline.state))) return;
    const again = this.chosen === what;
    this.chosen = what;
    this.show(false);
    if (pointed && (again || setting("onetap") === "on")) this.confirm();
    else if (what !== null) say(typeof what === "number" ? capital(sayBid(ladder[what])) : `Call ${what}? Press again to confirm.`);
  }

  /** Makes the chosen move. */
  confirm() {
    const { chosen } = this;
    if (chosen === null) return;
    this.act(typeof chosen === "number" ? { kind: "bid", ...this.timeline.state.ladder[chosen] } : { kind: chosen });
  }

  /** @param {Record<string, unknown>} action */
  async act(action) {
    if (!this.mayAct || !this.turn) return;
    const { turn } = this.turn;
    const game = this.gameId;
    const undone = () => this.gameId === game && this.moves < turn;
    this.busy = true;
    this.show(false);
    this.rest();
    const tell = this.watch.looksAt(action.kind === "bid" ? `${action.quantity}x${action.face}` : String(action.kind));
    await this.#try(async () => {
      await this.socket.ask({ type: "act", turn, action, game_id: game }, undone);
      this.guide?.moved(turn, action);
      tell(); // not awaited: the coach may take longer than the next player
    });
    this.busy = false;
    this.show(false);
  }

  /** Keeps the focus beside the board when the focused button disappears. */
  rest() {
    const at = document.activeElement;
    if (!at || at === document.body || at.closest("[hidden], :disabled")) this.stage.status.focus({ preventScroll: true });
  }

  onward() {
    clearTimeout(this.onwards);
    this.timeline.play();
    this.show(false);
    this.rest();
  }

  async advise() {
    const { advice } = this.controls;
    if (!this.mayAct) return;
    advice.hidden = false;
    advice.textContent = "The coach is thinking…";
    await this.#try(async () => {
      const answer = await this.socket.ask({ type: "ask", what: "hint" });
      const hint = answer.hint ?? answer;
      if (!this.mayAct) return;
      const best = String(hint.best ?? "");
      const bid = parse(best);
      if (bid) {
        const rung = this.timeline.state.ladder.findIndex((b) => b.quantity === bid.quantity && b.face === bid.face);
        if (rung >= 0) this.chosen = rung;
      }
      const move = bid ? `bid ${sayBid(bid)}` : `call ${best}`;
      const habits = hint.habits ? ` Knowing the others’ habits: ${inWords(String(hint.habits.why))}` : "";
      advice.replaceChildren(h("b", {}, `The coach would ${move}. `), capital(inWords(String(hint.why ?? ""))), habits);
      this.show(false); // again, as on a phone the advice makes the board smaller
      this.stage.bring(advice);
      this.stage.board.focus(); // so that Enter makes the chosen bid
    });
    if (!this.problem.hidden) advice.hidden = true;
  }

  /** @param {number} delay the pause before bots' moves, in milliseconds */
  async pace(delay) {
    await this.#try(async () => {
      await this.socket.ask({ type: "speed", delay_ms: delay });
      this.room = { ...this.room, delay_ms: delay };
    });
    this.controls.showSpeed(); // the old speed, if the server refused
  }

  async undo() {
    await this.#try(() => this.socket.ask({ type: "undo" }));
    this.stage.board.focus();
  }

  async again() {
    await this.#try(async () => {
      const { seed, ...config } = this.room.config;
      const seats = this.room.seats.map((/** @type {SeatLine} */ s) => (s.seat === this.me ? { kind: "you", name: ownName() } : { kind: "bot", agent: s.agent ?? "optimal" }));
      await go(`/room/${await createRoom({ rules: config, seats, practice: Boolean(this.room.practice), delay_ms: this.room.delay_ms ?? 700 })}`);
    });
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input, select, textarea") && !target.matches('input[type="checkbox"], input[type="radio"]')) return;
    if (target.matches('input[type="radio"]') && ARROWS[event.key]) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (this.timeline.counted !== null && (key === "Enter" || key === " ")) {
      this.timeline.skip();
      event.preventDefault();
      return;
    }
    const onButton = target.closest("button, a[href], .history-box") !== null;
    if (this.timeline.held && key === "Enter" && !onButton) this.onward();
    else if (key === "l" && this.mayAct) this.choose("liar", true);
    else if (key === "x" && this.mayAct && this.timeline.state.config?.exact_call) this.choose("exact", true);
    else if (key === "Escape" && this.chosen !== null) this.choose(null);
    else if (ARROWS[key] && this.mayAct && !target.closest(".history-box")) {
      const rung = this.stage.board.towards(...ARROWS[key]);
      if (rung !== null) this.choose(rung);
    } else if (key === "Enter" && !onButton && this.mayAct && this.chosen !== null) this.confirm();
    else return;
    event.preventDefault();
  }

  /** @param {() => Promise<unknown>} what */
  attempt(what) {
    return this.#try(what);
  }

  /** @param {() => Promise<unknown>} what */
  async #try(what) {
    this.complain(null);
    try {
      await what();
    } catch (error) {
      this.complain(error instanceof Error ? error.message : String(error));
    }
  }
}
