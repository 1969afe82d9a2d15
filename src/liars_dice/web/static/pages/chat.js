// Lines of text between players, where the host allows it. They are shown as text, can be muted, and are kept nowhere.

import { h, say, toggle } from "../dom.js";
import { plainName } from "../events.js";
import { keep, setting } from "../settings.js";

/** @typedef {import("./room.js").Room} Room */

/** How many lines are shown, and how long one may be: as much as the server accepts. */
const SHOWN = 50;
const LONGEST = 200;

export class Chat {
  /** @param {Room} page */
  constructor(page) {
    this.page = page;
    /** The seats that this player does not want to hear. @type {Set<number>} */
    this.muted = new Set();
    this.lines = h("ol", { class: "chat-lines", "aria-label": "Chat", tabindex: "0" });
    this.input = h("input", { type: "text", maxlength: LONGEST, "aria-label": "Write to everyone", placeholder: "Write to everyone", autocomplete: "off" });
    this.form = h("form", { onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), this.#send()) }, this.input, h("button", { type: "submit", class: "plain" }, "Send"));
    this.body = h("div", { class: "chat" }, this.lines, this.form);
    const shown = toggle("Chat", setting("chat") === "on", (on) => {
      keep("chat", on ? "on" : "off");
      this.update();
    });
    this.element = h("div", { hidden: true }, shown, this.body);
  }

  update() {
    const { me, room } = this.page;
    this.element.hidden = !room.chat;
    this.body.hidden = setting("chat") !== "on";
    this.form.hidden = me === null;
  }

  async #send() {
    const text = this.input.value.trim();
    if (!text) return;
    this.input.value = "";
    this.page.socket.tell({ type: "say", text });
  }

  /** @param {{ seat: number, text: string }} message */
  hear({ seat, text }) {
    if (setting("chat") !== "on" || this.muted.has(seat)) return;
    const mine = seat === this.page.me;
    const name = mine ? "You" : plainName(this.page.room.seats[seat].name);
    const mute = h("button", { type: "button", class: "quiet", onclick: () => this.#mute(seat) }, "Mute", h("span", { class: "unseen" }, ` ${name}`));
    this.lines.append(h("li", { "data-from": seat }, h("b", {}, `${name}: `), text, !mine && [" ", mute]));
    while (this.lines.children.length > SHOWN) this.lines.firstElementChild?.remove();
    this.lines.scrollTop = this.lines.scrollHeight;
    if (!mine) say(`${name}: ${text}`);
  }

  /** @param {number} seat */
  #mute(seat) {
    this.muted.add(seat);
    for (const line of this.lines.querySelectorAll(`[data-from="${seat}"]`)) line.remove();
  }
}
