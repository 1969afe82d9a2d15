// A room: take a seat, play, watch, come back.

import { get, keepToken, post, sentence, token } from "../api.js";
import { ARROWS } from "../board.js";
import { h, say, toggle } from "../dom.js";
import { narrate, read, sayBid } from "../events.js";
import { legalRungs, parse } from "../ladder.js";
import { lobby } from "../lobby.js";
import { go } from "../router.js";
import { keep, setting } from "../settings.js";
import { RoomSocket } from "../socket.js";
import { sound } from "../sound.js";
import { Stage } from "../stage.js";
import { standing } from "../state.js";
import { status } from "../table.js";
import { Timeline } from "../timeline.js";

/** @typedef {import("../lobby.js").SeatLine} SeatLine */
/** @typedef {{ turn: number, seat: number, legal?: number[], calls?: string[] }} Turn */

/** How fast bots play for those who watch: the name, the delay asked of the server, how much quicker events are shown. @type {[string, number, number][]} */
const SPEEDS = [["Slow", 1800, 0.6], ["Normal", 900, 1], ["Fast", 250, 3], ["At once", 0, 1000]];

/** How much quicker everything is shown to those who want it. */
const QUICK = 5;
/** How long a reveal is shown when other people play on, in milliseconds. */
const PATIENCE = 10_000;

/** @type {import("../router.js").MakePage} */
export async function page({ id }) {
  const first = await get(`/rooms/${encodeURIComponent(id)}`);
  const room = new RoomPage(id, first);
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
    /** @type {number | null} */
    this.chosen = null;
    this.busy = false;
    this.online = true;
    this.known = 0;
    this.lobbyKey = "";
    this.wasHeld = false;
    /** @type {string | null} */
    this.gameId = room.game_id;
    this.timeline = new Timeline((_, fresh) => this.show(fresh));
    this.stage = new Stage({ onchoose: (rung) => this.choose(rung), onbid: (rung) => this.bid(rung) });
    this.offline = h("p", { class: "notice offline", role: "alert", hidden: true }, "Reconnecting… Your seat is kept, and nothing is lost.");
    this.problem = h("p", { class: "error", role: "alert", hidden: true });
    this.lobby = h("div", { class: "lobby" });
    this.title = h("h1", { class: "unseen" }, "Table");
    this.element = h("div", { class: "page room" }, this.title, this.offline, this.lobby, this.stage.element);
    this.#makeControls();
    this.keys = (/** @type {KeyboardEvent} */ event) => this.pressed(event);
    document.addEventListener("keydown", this.keys);
    this.socket = new RoomSocket(
      id,
      { onmessage: (message) => this.hear(message), online: (on) => this.connection(on) },
      () => this.known,
    );
    this.show(false);
  }

  leave() {
    clearTimeout(this.onwards);
    document.removeEventListener("keydown", this.keys);
    this.timeline.stop();
    this.socket.close();
  }

  // -- what the server says

  /** @param {any} message */
  hear(message) {
    switch (message.type) {
      case "welcome": {
        this.room = message.room;
        this.gameId = message.room.game_id;
        this.me = message.seat;
        this.turn = null;
        this.timeline.holds = this.me !== null;
        const events = message.events;
        if (events.length && events[0].n === 0) {
          this.timeline.reset(events.map(read));
        } else {
          this.timeline.add(...events.filter((/** @type {any} */ e) => e.n >= this.known).map(read));
        }
        if (events.length) this.known = events[events.length - 1].n + 1;
        break;
      }
      case "event":
        if (message.n < this.known) return;
        this.known = message.n + 1;
        if (this.room.status === "waiting") this.room.status = "playing";
        this.timeline.add(read(message.event));
        break;
      case "turn":
        this.turn = message;
        this.chosen = null;
        break;
      case "seats":
        this.room = { ...this.room, seats: message.seats, status: message.status ?? this.room.status, spectators: message.spectators ?? this.room.spectators };
        break;
      case "over":
        this.gameId = message.game_id ?? this.gameId;
        this.room = { ...this.room, status: "over" };
        break;
      case "error":
        this.complain(sentence(message.error));
        break;
    }
    this.show(false);
  }

  /** @param {boolean} on */
  connection(on) {
    if (this.online !== on) say(on ? "Connected again." : "The connection is gone. Reconnecting.");
    this.online = on;
    if (!on) this.busy = false;
    this.offline.hidden = on;
    this.show(false);
  }

  /** @param {string | null} problem */
  complain(problem) {
    this.problem.hidden = !problem;
    this.problem.textContent = problem ?? "";
  }

  // -- what one sees

  /** @param {boolean} fresh */
  show(fresh) {
    const { timeline } = this;
    const { state } = timeline;
    const waiting = this.room.status === "waiting";
    this.#showLobby(waiting);
    this.stage.element.hidden = waiting;
    if (waiting) return;
    const mine = this.mayAct;
    if (!mine) this.chosen = null;
    this.stage.show(timeline, {
      me: this.me,
      fresh,
      odds: setting("odds") === "on" && (this.me !== null || this.room.status === "over" || state.turn !== null),
      legal: mine ? new Set(this.turn?.legal ?? legalRungs(state)) : new Set(),
      chosen: this.chosen,
      seats: this.room.seats.map((/** @type {SeatLine} */ s) => ({ kind: s.kind, agent: s.played_by ?? s.agent, present: s.present })),
    });
    if (fresh) {
      const event = timeline.events[timeline.at - 1];
      const turn = state.turn === this.me && this.me !== null && event.type !== "DiceRolled" ? ` ${status(state, this.me)}` : "";
      say(narrate(event, state.names, this.me, state.config) + turn);
      sound(event.type);
    }
    this.#showControls();
  }

  /** Whether it is this player's turn, and everything that happened has been shown. */
  get mayAct() {
    const { state, atEnd } = this.timeline;
    return this.me !== null && atEnd && this.online && !this.busy && this.turn?.seat === this.me && state.turn === this.me;
  }

  #makeControls() {
    this.bidButton = h("button", { type: "button", class: "primary", onclick: () => this.chosen !== null && this.bid(this.chosen) });
    this.liarButton = h("button", { type: "button", class: "plain", onclick: () => this.call("liar") }, "Liar!", h("kbd", { "aria-hidden": "true" }, "L"));
    this.exactButton = h("button", { type: "button", class: "plain", onclick: () => this.call("exact") }, "Exact", h("kbd", { "aria-hidden": "true" }, "X"));
    this.goButton = h("button", { type: "button", class: "primary", onclick: () => this.onward() }, "Next round ", h("kbd", { "aria-hidden": "true" }, "Enter"));
    this.acts = h("div", { class: "acts sticky" }, this.bidButton, h("div", { class: "calls" }, this.liarButton, this.exactButton));
    this.goes = h("div", { class: "acts sticky" }, this.goButton);
    this.done = h("div", { class: "panel done" });
    this.hint = h("p", { class: "hint", hidden: true, "aria-live": "polite" });
    this.hintButton = h("button", { type: "button", class: "quiet", onclick: () => this.advise() }, "Hint");
    this.undoButton = h("button", { type: "button", class: "quiet", onclick: () => this.undo() }, "Take back");
    this.watching = this.#watchControls();
    const odds = toggle("Odds", setting("odds") === "on", (on) => {
      keep("odds", on ? "on" : "off");
      this.show(false);
    });
    this.quick = toggle("Quick", setting("quick") === "on", (on) => {
      keep("quick", on ? "on" : "off");
      this.timeline.speed = on ? QUICK : 1;
    });
    this.timeline.speed = setting("quick") === "on" ? QUICK : 1;
    const sounds = toggle("Sound", setting("sound") === "on", (on) => keep("sound", on ? "on" : "off"));
    this.stage.controls.append(this.problem, this.acts, this.goes, this.done, this.watching, this.hint, h("div", { class: "options" }, odds, this.hintButton, this.undoButton, this.quick, sounds));
  }

  #watchControls() {
    this.pauseButton = h("button", {
      type: "button",
      class: "plain",
      onclick: () => {
        if (this.timeline.paused) this.timeline.play();
        else this.timeline.pause();
        this.show(false);
      },
    });
    this.stepButton = h("button", { type: "button", class: "plain", onclick: () => this.timeline.step() }, "Step");
    const speeds = SPEEDS.map(([name, delay, quick], i) => {
      const radio = h("input", {
        type: "radio",
        name: "speed",
        checked: i === 1,
        onchange: () => {
          this.timeline.speed = quick;
          this.socket.tell({ type: "speed", delay_ms: delay });
        },
      });
      return h("label", { class: "toggle" }, radio, name);
    });
    return h("div", { class: "watching" }, h("div", { class: "row" }, this.pauseButton, this.stepButton), h("fieldset", { class: "speeds" }, h("legend", { class: "unseen" }, "Speed"), speeds));
  }

  #showControls() {
    const { state, held, atEnd } = this.timeline;
    const mine = this.mayAct;
    const over = state.winner !== null && atEnd;
    const playing = this.me !== null && !over;
    const chosen = this.chosen === null ? null : state.ladder[this.chosen];
    if (this.acts && this.goes && this.done && this.watching) {
      this.acts.hidden = !playing || held;
      this.goes.hidden = !playing || !held;
      this.done.hidden = !over;
      this.watching.hidden = this.me !== null || over;
    }
    if (this.bidButton && this.liarButton && this.exactButton) {
      const left = mine && (this.turn?.legal?.length ?? 1) > 0;
      this.bidButton.disabled = !mine || chosen === null;
      this.bidButton.replaceChildren(chosen ? `Bid ${sayBid(chosen)} ` : mine ? (left ? "Choose a bid" : "No higher bid is left") : "Not your turn");
      if (chosen) this.bidButton.append(h("kbd", { "aria-hidden": "true" }, "Enter"));
      this.liarButton.disabled = !mine || !standing(state);
      this.exactButton.disabled = !mine || !standing(state);
      this.exactButton.hidden = !state.config?.exact_call;
    }
    if (this.hintButton && this.undoButton && this.hint) {
      this.hintButton.hidden = this.me === null || over;
      this.hintButton.disabled = !mine;
      this.undoButton.hidden = !this.room.practice || this.me === null;
      if (!mine) this.hint.hidden = true;
      if (this.quick) this.quick.hidden = this.me === null;
    }
    if (this.pauseButton && this.stepButton) {
      this.pauseButton.textContent = this.timeline.paused ? "Go on" : "Pause";
      this.stepButton.disabled = atEnd;
    }
    if (over && this.done && this.done.dataset.game !== `${this.gameId}`) this.#showEnd();
    if (held && !this.wasHeld) {
      this.goButton?.focus({ preventScroll: true });
      const company = this.room.seats.some((/** @type {SeatLine} */ s) => s.kind === "person" && s.seat !== this.me && s.present);
      if (company) this.onwards = setTimeout(() => this.timeline.held && this.onward(), PATIENCE); // others wait
    }
    document.title = `${mine ? "Your turn" : over ? "Over" : "Room"} · Liar’s Dice`;
    this.wasHeld = held;
  }

  #showEnd() {
    const { state } = this.timeline;
    if (!this.done || state.winner === null) return;
    this.done.dataset.game = `${this.gameId}`;
    const links = this.gameId
      ? [h("a", { class: "button", href: `/review/${this.gameId}` }, "Review with the coach"), h("a", { class: "button", href: `/replay/${this.gameId}` }, "Replay")]
      : [];
    const again = h("button", { type: "button", class: "primary", onclick: () => this.again() }, this.me === null ? "Watch another" : "Play again");
    const text = state.winner === this.me ? "You won. The coach can tell you which moves made it." : this.me === null ? `${state.names[state.winner]} won.` : "Lost this one. The coach shows where it turned.";
    this.done.replaceChildren(h("h2", {}, state.winner === this.me ? "Won" : this.me === null ? "Over" : "Lost"), h("p", {}, text), h("div", { class: "row" }, again, links));
  }

  // -- before the game

  /** @param {boolean} waiting */
  #showLobby(waiting) {
    this.lobby.hidden = !waiting;
    if (!waiting) {
      if (this.lobbyKey) this.stage.controls.prepend(this.problem);
      this.lobby.replaceChildren();
      this.lobbyKey = "";
      return;
    }
    const key = JSON.stringify([this.room.seats, this.me]);
    if (key === this.lobbyKey) return;
    this.lobbyKey = key;
    this.lobby.replaceChildren(...lobby(this.room.seats, this.me, { onsit: (name) => this.sit(name), onbegin: () => this.begin() }), this.problem);
  }

  /** @param {string} name */
  async sit(name) {
    await this.#try(async () => {
      keep("name", name.trim());
      const seat = await post(`/rooms/${encodeURIComponent(this.id)}/seats`, { name: name.trim(), seat: null });
      keepToken(this.id, seat.token, seat.seat);
      this.socket.close();
      this.known = 0;
      this.socket = new RoomSocket(this.id, { onmessage: (message) => this.hear(message), online: (on) => this.connection(on) }, () => this.known);
    });
  }

  async begin() {
    await this.#try(() => post(`/rooms/${encodeURIComponent(this.id)}/start`, { token: token(this.id) }));
  }

  // -- what one does

  /** @param {number} rung */
  choose(rung) {
    if (!this.mayAct) return;
    this.chosen = rung;
    this.show(false);
    say(sayBid(this.timeline.state.ladder[rung]));
  }

  /** @param {number} rung */
  bid(rung) {
    const bid = this.timeline.state.ladder[rung];
    if (bid) this.act({ kind: "bid", ...bid });
  }

  /** @param {"liar" | "exact"} kind */
  call(kind) {
    if (standing(this.timeline.state)) this.act({ kind });
  }

  /** @param {Record<string, unknown>} action */
  async act(action) {
    if (!this.mayAct || !this.turn) return;
    const { turn } = this.turn;
    this.busy = true;
    this.show(false);
    this.rest();
    await this.#try(() => this.socket.ask({ type: "act", turn, action }));
    this.busy = false;
    this.show(false);
  }

  /** Buttons that go away leave the focus beside the board rather than at the top of the page. */
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
    if (!this.hint || !this.mayAct) return;
    this.hint.hidden = false;
    this.hint.textContent = "The coach is thinking…";
    await this.#try(async () => {
      const answer = await this.socket.ask({ type: "ask", what: "hint" });
      const hint = answer.hint ?? answer;
      if (!this.hint || !this.mayAct) return;
      const best = String(hint.best ?? "");
      const bid = parse(best);
      if (bid) {
        const rung = this.timeline.state.ladder.findIndex((b) => b.quantity === bid.quantity && b.face === bid.face);
        if (rung >= 0) this.chosen = rung;
      }
      this.show(false);
      this.hint.hidden = false;
      const move = bid ? `bid ${sayBid(bid)}` : `call ${best}`;
      this.hint.replaceChildren(h("b", {}, `The coach would ${move}. `), String(hint.why ?? ""));
    });
    if (!this.problem.hidden) this.hint.hidden = true;
  }

  async undo() {
    await this.#try(() => this.socket.ask({ type: "undo" }));
  }

  async again() {
    await this.#try(async () => {
      const { seed, ...config } = this.room.config;
      const seats = this.room.seats.map((/** @type {SeatLine} */ s) => (s.seat === this.me ? { kind: "you", name: s.name } : s.kind === "bot" ? { kind: "bot", agent: s.agent ?? "optimal" } : { kind: "open" }));
      const made = await post("/rooms", { rules: config, changes: {}, seats, seed: null, practice: Boolean(this.room.practice), delay_ms: this.room.delay_ms ?? 700 });
      keepToken(made.room, made.token, made.seat);
      go(`/room/${made.room}`);
    });
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input, select, textarea") && !target.matches('input[type="checkbox"], input[type="radio"]')) return;
    if (target.matches('input[type="radio"]') && ARROWS[event.key]) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const onButton = target.closest("button, a[href], .history-box") !== null;
    if (this.timeline.held && key === "Enter" && !onButton) this.onward();
    else if (key === "l" && this.mayAct) this.call("liar");
    else if (key === "x" && this.mayAct && this.timeline.state.config?.exact_call) this.call("exact");
    else if (ARROWS[key] && this.mayAct && !target.closest(".history-box")) {
      const rung = this.stage.board.towards(...ARROWS[key]);
      if (rung !== null) this.choose(rung);
    } else if (key === "Enter" && !onButton && this.mayAct && this.chosen !== null) this.bid(this.chosen);
    else return;
    event.preventDefault();
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
