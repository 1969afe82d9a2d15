// A room before its game: who is here, the link for friends, the rules.

import { h } from "../dom.js";
import { capital, unnamed } from "../events.js";
import { describe } from "../ruleswords.js";
import { setting } from "../settings.js";

/** @typedef {import("./room.js").SeatLine} SeatLine */

/** Names under which a computer knows only itself. */
const SELF = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export class Lobby {
  /**
   * @param {{ sit: (name: string) => void, begin: () => void }} doing
   * @param {HTMLElement} problem where errors are told
   */
  constructor(doing, problem) {
    this.doing = doing;
    this.problem = problem;
    this.title = h("h2", { class: "h1" });
    this.lead = h("p", { class: "lead" });
    this.seats = h("ol", { class: "lobby-seats", "aria-label": "Seats" });
    this.rules = h("p", { class: "muted" });
    this.join = this.#join();
    this.inviting = h("h3", {});
    this.start = h("button", { type: "button", class: "plain", onclick: () => this.doing.begin() });
    this.starting = h("div", { class: "row" }, this.start);
    this.element = h(
      "div",
      { class: "lobby" },
      h("header", {}, this.title, this.lead),
      h(
        "div",
        { class: "lobby-columns" },
        h("div", { class: "panel" }, h("h3", {}, "Seats"), this.seats, h("h3", {}, "Rules"), this.rules, h("p", {}, h("a", { href: "/rules" }, "How the game goes"))),
        h("div", { class: "panel" }, this.join, this.inviting, this.#invite(), this.starting, this.problem),
      ),
    );
    this.key = "";
  }

  /**
   * Who comes or goes changes only what is said of it: what somebody types meanwhile stays.
   * @param {any} room
   * @param {number | null} me
   */
  show(room, me) {
    const key = JSON.stringify([room.seats, me]);
    if (key === this.key) return;
    this.key = key;
    /** @type {SeatLine[]} */
    const seats = room.seats;
    const open = seats.filter((seat) => seat.kind === "open").length;
    const invited = me === null && open > 0;
    const hosts = seats.filter((seat) => seat.kind === "person").map((seat) => seat.name);
    const lead = invited
      ? `${hosts.length ? `${hosts.join(" and ")} ${hosts.length === 1 ? "waits" : "wait"} for you. ` : ""}Say who you are and take a seat; the game begins when every seat is taken.`
      : open
        ? `${open === 1 ? "One seat is" : `${open} seats are`} open. Send the link to a friend; the game begins when every seat is taken.`
        : "Everybody is here.";
    this.title.textContent = invited ? "A seat is free" : "The table is set";
    this.lead.textContent = lead;
    this.seats.replaceChildren(...seats.map((seat) => this.#seat(seat, me)));
    this.rules.textContent = `${capital(describe(room.config).join(" · "))}.`;
    this.join.hidden = !invited;
    this.inviting.textContent = invited ? "Invite others" : "Invite";
    this.start.textContent = open ? "Start now, bots fill the seats" : "Start";
    this.starting.hidden = me === null;
  }

  /**
   * @param {SeatLine} seat
   * @param {number | null} me
   */
  #seat(seat, me) {
    const mine = seat.seat === me;
    const kind = seat.kind === "bot" ? (seat.agent ? "bot" : "bot from elsewhere") : seat.kind === "open" ? "waiting for somebody" : seat.present ? "here" : "away";
    return h(
      "li",
      { class: `lobby-seat seat-${seat.seat % 8} ${seat.kind}` },
      h("span", { class: `token seat-${seat.seat % 8}`, "aria-hidden": "true" }, seat.kind === "open" ? "?" : capital(seat.name).slice(0, 1)),
      h("span", {}, h("strong", {}, seat.kind === "open" ? "Open seat" : mine ? (unnamed(seat.name) ? "You" : `${seat.name} (you)`) : seat.name), h("small", {}, ` ${kind} · ${seat.dice} ${seat.dice === 1 ? "die" : "dice"}`)),
    );
  }

  #invite() {
    const address = `${location.origin}${location.pathname}`;
    const link = h("input", { type: "text", readonly: true, value: address, "aria-label": "Invite link", onfocus: () => link.select() });
    const copied = h("span", { role: "status" });
    const copy = h("button", {
      type: "button",
      class: "plain",
      onclick: async () => {
        link.select();
        try {
          await navigator.clipboard.writeText(address);
          copied.textContent = "Copied.";
        } catch {
          copied.textContent = "Press Ctrl+C to copy.";
        }
      },
    }, "Copy link");
    const alone = SELF.test(location.hostname) && h("small", {}, "Only this computer can open this link. To let in others on your network, start the server with ", h("code", {}, "liars-dice serve --host 0.0.0.0"), " and use this computer’s address.");
    return h("div", { class: "invite" }, h("div", { class: "row" }, link, copy, copied), alone);
  }

  #join() {
    const name = h("input", { type: "text", maxlength: 24, value: setting("name"), autocomplete: "nickname", required: true });
    return h(
      "form",
      { class: "row join", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), this.doing.sit(name.value)) },
      h("label", { class: "field" }, h("span", {}, "Your name"), name),
      h("button", { type: "submit", class: "primary" }, "Take a seat"),
    );
  }
}
