// A room before its game: the players, the invite link, the rules.

import { avatar } from "../avatars.js";
import { busily, field, h, toggle } from "../dom.js";
import { capital, diceCount, plainName, unnamed } from "../events.js";
import { WORDS_LABEL, WORDS_NOTE, wordsInput } from "../fair_dice.js";
import { describe } from "../rules_text.js";
import { setting } from "../settings.js";

/** @typedef {import("./room.js").SeatLine} SeatLine */

/**
 * What the host has chosen beside the rules.
 * @param {any} room
 */
function customs({ turn_limit: limit, help, closed, chat }) {
  const time = limit && (limit.bank ? `a bank of ${limit.seconds} seconds for each player` : `${limit.seconds} seconds per turn`);
  return [time, help === false && "no hints and odds", closed && "private", chat && "chat"].filter(Boolean);
}

/** Host names that work only on this computer. */
const SELF = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export class Lobby {
  /**
   * @param {{ sit: (name: string, words: string) => Promise<void>, add: (words: string) => void, begin: () => Promise<void>, close: (closed: boolean) => void, ready: (on: boolean) => Promise<void>, leave: () => Promise<void>, removal: (seat: number) => HTMLElement }} doing
   * @param {HTMLElement} problem where errors are shown
   */
  constructor(doing, problem) {
    this.doing = doing;
    this.problem = problem;
    this.title = h("h2", { class: "h1" });
    this.lead = h("p", { class: "lead" });
    this.seats = h("ol", { class: "lobby-seats", "aria-label": "Seats" });
    this.rules = h("p", { class: "muted" });
    this.join = this.#join();
    this.added = h("p", { class: "muted", role: "status" });
    this.words = this.#words();
    this.inviting = h("h3", {});
    this.closing = toggle("Private: only people with this link can join or watch", false, (closed) => this.doing.close(closed));
    this.link = h("input", { type: "text", readonly: true, "aria-label": "Invite link", onfocus: () => this.link.select() });
    this.copy = h("button", { type: "button", class: "plain", onclick: () => this.#copy() }, "Copy link");
    this.copied = h("span", { role: "status" });
    this.start = h("button", { type: "button", class: "plain", onclick: () => busily(this.start, () => this.doing.begin()) });
    this.ready = toggle("I am ready", false, (on) => this.doing.ready(on));
    this.leave = h("button", { type: "button", class: "quiet", onclick: () => busily(this.leave, () => this.doing.leave()) }, "Leave your seat");
    this.starting = h("div", { class: "row" }, this.ready, this.start, this.leave);
    this.element = h(
      "div",
      { class: "lobby" },
      h("header", {}, this.title, this.lead),
      h(
        "div",
        { class: "lobby-columns" },
        h("div", { class: "panel" }, h("h3", {}, "Seats"), this.seats, h("h3", {}, "Rules"), this.rules, h("p", {}, h("a", { href: "/rules" }, "How to play"))),
        h("div", { class: "panel" }, this.join, this.inviting, this.#invite(), this.closing, this.words, this.starting, this.problem),
      ),
    );
    this.key = "";
  }

  /**
   * Updates only the texts, so that what a guest is typing stays.
   * @param {any} room
   * @param {number | null} me
   */
  show(room, me) {
    const key = JSON.stringify([room.seats, room.fairness, me, room.closed, room.invite ?? typeof room.invite, room.host, room.spectators]);
    if (key === this.key) return;
    this.key = key;
    /** @type {SeatLine[]} */
    const seats = room.seats;
    const open = seats.filter((seat) => seat.kind === "open").length;
    const invited = me === null && open > 0;
    const hosts = seats.filter((seat) => seat.kind === "person").map((seat) => seat.name);
    const lead = invited
      ? `${hosts.length ? `${hosts.join(" and ")} ${hosts.length === 1 ? "is" : "are"} waiting for you. ` : ""}Enter your name and take a seat. The game starts when every seat is taken.`
      : open
        ? `${open === 1 ? "One seat is" : `${open} seats are`} open. Send the link to a friend. The game starts when every seat is taken${room.ready_check ? " and everyone is ready" : ""}.`
        : room.ready_check
          ? "The game starts when everyone is ready."
          : "Everyone is here.";
    this.title.textContent = invited ? "A seat is free" : "Your table is ready";
    this.lead.textContent = lead;
    this.seats.replaceChildren(...seats.map((seat) => this.#seat(seat, me, room)));
    this.rules.textContent = `${capital([...describe(room.config), ...customs(room)].join(" · "))}.${room.spectators ? ` ${room.spectators} watching.` : ""}`;
    this.ready.hidden = !room.ready_check;
    /** @type {HTMLInputElement} */ (this.ready.firstChild).checked = me !== null && Boolean(seats[me].ready);
    // A closed room's invitation comes with the welcome. Until then there is no link to copy: without it, no one gets in.
    const secret = room.closed && room.invite !== undefined ? (room.invite ?? location.hash.slice(1)) : "";
    const known = !room.closed || secret !== "";
    this.link.value = known ? `${location.origin}${location.pathname}${secret && `#${secret}`}` : "";
    this.copy.disabled = !known;
    this.closing.hidden = me === null || room.host !== me;
    /** @type {HTMLInputElement} */ (this.closing.firstChild).checked = Boolean(room.closed);
    this.join.hidden = !invited;
    this.inviting.textContent = invited ? "Invite others" : "Invite";
    this.start.textContent = open ? "Start now with bots in the open seats" : "Start";
    this.starting.hidden = me === null;
    this.words.hidden = me === null || !room.fairness;
    this.added.textContent = me !== null && room.fairness?.entropy[me] ? `Added: ${room.fairness.entropy[me]}` : "";
  }

  /**
   * @param {SeatLine} seat
   * @param {number | null} me
   * @param {any} room
   */
  #seat(seat, me, { host, ready_check: asks }) {
    const mine = seat.seat === me;
    const kind = seat.kind === "bot" ? (seat.agent ? "bot" : "network bot") : seat.kind === "open" ? "waiting for a player" : [seat.seat === host && "host", seat.present ? "here" : "away", asks && (seat.ready ? "ready" : "not ready yet")].filter(Boolean).join(", ");
    return h(
      "li",
      { class: `lobby-seat seat-${seat.seat % 8} ${seat.kind}` },
      seat.kind === "open" ? h("span", { class: "token", "aria-hidden": "true" }, "?") : h("span", { class: `face seat-${seat.seat % 8}`, "aria-hidden": "true" }, avatar(seat.kind === "bot" ? (seat.agent ?? "") : null, seat.name)),
      h("span", {}, h("strong", {}, seat.kind === "open" ? "Open seat" : mine ? (unnamed(seat.name) ? "You" : `${seat.name} (you)`) : plainName(seat.name)), h("small", {}, ` ${kind} · ${diceCount(seat.dice)}`)),
      seat.kind === "person" && !mine && me !== null && me === host && this.doing.removal(seat.seat),
    );
  }

  #invite() {
    const localOnly = SELF.test(location.hostname) && h("small", {}, "This link works only on this computer. To let others on your network join, start the server with ", h("code", {}, "liars-dice serve --host 0.0.0.0"), " and use this computer’s address.");
    return h("div", { class: "invite" }, h("div", { class: "row" }, this.link, this.copy, this.copied), localOnly);
  }

  async #copy() {
    this.link.select();
    try {
      await navigator.clipboard.writeText(this.link.value);
      this.copied.textContent = "Copied.";
    } catch {
      this.copied.textContent = "Press Ctrl+C to copy.";
    }
  }

  /** A player's words for the dice, which can be changed until the game starts. */
  #words() {
    const words = wordsInput();
    return h(
      "form",
      { class: "words", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), this.doing.add(words.value)) },
      h("div", { class: "row join" }, field(WORDS_LABEL, words), h("button", { type: "submit", class: "plain" }, "Add")),
      this.added,
      h("small", {}, WORDS_NOTE),
    );
  }

  #join() {
    const name = h("input", { type: "text", maxlength: 24, value: setting("name"), autocomplete: "nickname", required: true });
    const words = wordsInput();
    const sit = h("button", { type: "submit", class: "primary" }, "Take a seat");
    return h(
      "form",
      { class: "row join", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), busily(sit, () => this.doing.sit(name.value, words.value))) },
      field("Your name", name),
      field(WORDS_LABEL, words),
      sit,
    );
  }
}
