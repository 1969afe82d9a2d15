// What people at a table do besides playing: who is here, reactions, nudges, leaving, giving a seat to a bot, another game.

import { reactionPicture } from "../avatars.js";
import { busily, h, say, toggle } from "../dom.js";
import { plainName } from "../events.js";
import { keep, setting } from "../settings.js";
import { sound } from "../sound.js";
import { Chat } from "./chat.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("./room.js").SeatLine} SeatLine */

/** As many as the server allows. @type {[string, string][]} the picture, and its name */
const REACTIONS = [["👍", "Well played"], ["👏", "Applause"], ["😂", "Laughing"], ["😮", "Surprised"], ["🤔", "Thinking"], ["😬", "Nervous"], ["🎉", "Hooray"], ["🙏", "Thank you"]];

/** How long a reaction or a nudge is shown, in milliseconds. */
const SHOWN_MS = 4000;

export class Company {
  /** @param {Room} page */
  constructor(page) {
    this.page = page;
    this.chat = new Chat(page);
    this.nudged = h("p", { class: "notice nudged", role: "alert", hidden: true });
    this.given = h("div", { class: "notice given", role: "alert", hidden: true });
    this.list = h("ul", { class: "lines people", onfocusout: (/** @type {FocusEvent} */ e) => !this.list.contains(/** @type {Node | null} */ (e.relatedTarget)) && this.#listPeople() });
    /** Whether the list is older than the room. It waits while a button in it has the focus. */
    this.stale = false;
    this.watching = h("p", { class: "muted" });
    this.leaveButton = this.#sure("Leave the game", "A bot plays for you to the end. Really leave?", () => this.ask({ type: "resign" }));
    this.people = h("details", { class: "company" }, h("summary", {}, "Players"), this.list, this.watching, h("div", { class: "row" }, this.leaveButton));
    this.reactions = this.#reactions();
    this.nudge = h("button", { type: "button", class: "quiet", onclick: () => page.socket.tell({ type: "nudge" }) });
    this.key = "";
  }

  /** @param {Record<string, unknown>} message */
  async ask(message) {
    await this.page.attempt(() => this.page.socket.ask(message));
  }

  #reactions() {
    const buttons = REACTIONS.map(([what, name]) => h("button", { type: "button", class: "reaction", "aria-label": name, title: name, onclick: () => this.page.socket.tell({ type: "react", what }) }, reactionPicture(what)));
    const all = h("div", { class: "row", role: "group", "aria-label": "Reactions" }, buttons);
    all.hidden = setting("reactions") === "off";
    const shown = toggle("Reactions", setting("reactions") !== "off", (on) => {
      keep("reactions", on ? "on" : "off");
      all.hidden = !on;
    });
    return h("div", { class: "reactions" }, shown, all);
  }

  /**
   * A button that asks once more before it does something that cannot be undone.
   * @param {string} label
   * @param {string} question
   * @param {() => Promise<void>} what
   */
  #sure(label, question, what) {
    let asked = false;
    const button = h("button", {
      type: "button",
      class: "quiet",
      onclick: () => {
        if (asked) busily(button, () => what().finally(() => button.blur()));
        asked = !asked;
        button.textContent = asked ? question : label;
      },
      onblur: () => {
        asked = false;
        button.textContent = label;
      },
    }, label);
    return button;
  }

  /** @param {any} message a reaction or a nudge */
  hear(message) {
    const { page } = this;
    const name = (/** @type {number} */ seat) => (seat === page.me ? "You" : plainName(page.room.seats[seat].name));
    if (message.type === "reaction") {
      if (setting("reactions") === "off") return;
      page.stage.table.react(message.seat, message.what, SHOWN_MS);
      say(`${name(message.seat)}: ${REACTIONS.find(([what]) => what === message.what)?.[1] ?? message.what}`);
      return;
    }
    const mine = message.seat === page.me;
    this.nudged.textContent = mine ? `${name(message.by)} waits for you: it is your turn.` : `${name(message.by)} nudged ${name(message.seat)}.`;
    this.nudged.hidden = false;
    if (mine) sound("Nudged");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.nudged.hidden = true), SHOWN_MS);
  }

  update() {
    const { page } = this;
    const { me, room } = page;
    /** @type {SeatLine[]} */
    const seats = room.seats;
    const playing = room.status === "playing" && me !== null;
    const turn = page.turn?.seat ?? null;
    const slow = turn !== null && turn !== me && seats[turn]?.kind === "person" && !seats[turn].left ? seats[turn] : null;
    this.nudge.hidden = !playing || page.over || !slow;
    this.nudge.textContent = slow ? `Nudge ${plainName(slow.name)}` : "";
    this.reactions.hidden = me === null || !page.company;
    this.chat.update();
    this.people.hidden = me === null || room.status === "waiting";
    const key = JSON.stringify([seats, me, room.host, room.spectators, room.status, turn]);
    if (key === this.key) return;
    this.key = key;
    this.watching.textContent = room.spectators ? `${room.spectators} watching.` : "No one is watching.";
    this.leaveButton.hidden = !playing || Boolean(me !== null && seats[me].left);
    this.stale = true;
    if (!this.list.contains(document.activeElement)) this.#listPeople();
    const lost = me !== null && seats[me].left === "given" && room.status === "playing";
    this.given.hidden = !lost;
    const back = h("button", { type: "button", class: "primary", onclick: () => busily(back, () => this.ask({ type: "return" })) }, "Take your seat back");
    if (lost) this.given.replaceChildren(h("p", {}, "The others have given your seat to a bot."), back);
  }

  #listPeople() {
    if (!this.stale) return;
    this.stale = false;
    this.list.replaceChildren(...this.page.room.seats.filter((/** @type {SeatLine} */ seat) => seat.kind === "person").map((/** @type {SeatLine} */ seat) => this.#person(seat)));
  }

  /** @param {SeatLine} seat */
  #person(seat) {
    const { page } = this;
    const { me, room } = page;
    const mine = seat.seat === me;
    const left = { "": "", given: "a bot plays", resigned: "has left", removed: "was removed" }[seat.left ?? ""];
    const about = [seat.seat === room.host && "host", left || (seat.present ? "here" : "away")].filter(Boolean).join(", ");
    const may = !mine && me !== null && room.status === "playing" && !seat.left;
    const host = me === room.host;
    return h(
      "li",
      {},
      h("span", {}, mine ? `${seat.name} (you)` : plainName(seat.name), " ", h("small", {}, about)),
      may && h(
        "span",
        { class: "row" },
        (host || !seat.present || page.turn?.seat === seat.seat) && this.#sure(host ? "Give the seat to a bot" : "Vote for a bot", "Really?", () => this.ask({ type: "give", seat: seat.seat })),
        host && removal(this, seat.seat),
      ),
    );
  }

  /**
   * The button for another game, and who wants it.
   * @param {string} label
   */
  rematch(label) {
    const { page } = this;
    const { me, room } = page;
    /** @type {SeatLine[]} */
    const people = room.seats.filter((/** @type {SeatLine} */ seat) => seat.kind === "person" && seat.left !== "removed");
    const wants = people.filter((seat) => room.rematch?.includes(seat.seat));
    const agreed = me !== null && room.rematch?.includes(me);
    const ask = (/** @type {boolean} */ now) => this.ask({ type: "rematch", now, entropy: words() });
    const again = h("button", { type: "button", class: "primary", onclick: () => busily(again, () => ask(false)) }, agreed ? "Waiting for the others…" : label);
    again.disabled = Boolean(agreed);
    const now = agreed && me === room.host && h("button", { type: "button", class: "plain", onclick: (/** @type {Event} */ e) => busily(/** @type {HTMLElement} */ (e.currentTarget), () => ask(true)) }, "Start now, with bots for the others");
    const who = wants.length > 0 && h("p", { class: "wants", role: "status" }, `${wants.map((seat) => (seat.seat === me ? "You" : plainName(seat.name))).join(" and ")} ${wants.length === 1 && wants[0].seat !== me ? "wants" : "want"} another game (${wants.length} of ${people.length}).`);
    return { buttons: [again, now], who };
  }
}

/**
 * Buttons with which a host removes a player, and bans them.
 * @param {Company} company
 * @param {number} seat
 */
export function removal(company, seat) {
  const buttons = /** @type {[string, boolean][]} */ ([["Remove", false], ["Remove and ban", true]]).map(([label, ban]) => {
    const button = h("button", { type: "button", class: "quiet", onclick: () => busily(button, () => company.ask({ type: "remove", seat, ban })) }, label);
    return button;
  });
  return h("span", {}, buttons);
}

/** What this browser adds to the dice of the next game: chosen after the server has committed to its secret. */
function words() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The places of a finished game: the winner first, then those who were out last.
 * @param {import("../timeline.js").Timeline} timeline
 */
export function places({ states, state }) {
  const last = (/** @type {number} */ seat) => (seat === state.winner ? Infinity : states.filter((s) => s.round >= 0 && s.after[seat] > 0).length + (state.wins[seat] ?? 0));
  return state.names.map((_, seat) => seat).sort((a, b) => last(b) - last(a));
}
