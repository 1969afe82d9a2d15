// The history of a game as text: a heading per round, a line per move.

import { h } from "./dom.js";
import { narrate } from "./events.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

export class History {
  /** @param {{ onpick?: (at: number) => void, note?: (event: number) => (Node | null) }} [options] onpick: a line leads to its moment */
  constructor({ onpick, note } = {}) {
    this.onpick = onpick;
    this.note = note;
    this.list = h("ol", { class: "history-list" });
    this.box = h("div", { class: "history-box", tabindex: "0", role: "region", "aria-label": "Moves so far" }, this.list);
    this.element = h("section", { class: "history" }, h("h2", {}, "History"), this.box);
    this.drawn = 0;
    /** @type {import("./events.js").GameEvent | null} */
    this.first = null;
    /** @type {HTMLElement | null} */
    this.now = null;
  }

  /** Redraw all lines at the next update, because notes have changed. */
  forget() {
    this.first = null;
  }

  /**
   * @param {Timeline} timeline
   * @param {number | null} me
   */
  update(timeline, me) {
    const whole = Boolean(this.onpick);
    const upTo = whole ? timeline.events.length : timeline.at;
    if (timeline.events[0] !== this.first || upTo < this.drawn) {
      this.list.replaceChildren();
      this.drawn = 0;
      this.first = timeline.events[0] ?? null;
    }
    for (; this.drawn < upTo; this.drawn++) {
      const event = timeline.events[this.drawn];
      const sentence = narrate(event, timeline.states[this.drawn + 1], me);
      if (!sentence || (whole && event.type === "DiceRolled")) continue;
      const at = this.drawn + 1;
      const seat = "player_id" in event ? event.player_id : null;
      const inside = [seat !== null && h("span", { class: `dot seat-${seat % 8}`, "aria-hidden": "true" }), h("span", {}, sentence)];
      const pick = this.onpick;
      const note = this.note?.(this.drawn) ?? null;
      this.list.append(
        h(
          "li",
          { class: event.type === "RoundStarted" ? "round" : event.type === "RoundEnded" || event.type === "GameEnded" ? "end" : "move", "data-at": at },
          pick ? h("button", { type: "button", class: "line", onclick: () => pick(at) }, inside, note) : h("span", { class: "line" }, inside),
        ),
      );
    }
    this.now?.classList.remove("now");
    this.now?.querySelector("button")?.removeAttribute("aria-current");
    this.now = null;
    if (whole) {
      for (const line of this.list.children) if (Number(line.getAttribute("data-at")) <= timeline.at) this.now = /** @type {HTMLElement} */ (line);
      this.now?.classList.add("now");
      this.now?.querySelector("button")?.setAttribute("aria-current", "step");
    }
    const line = this.now ?? /** @type {HTMLElement | null} */ (this.list.lastElementChild);
    if (line) this.box.scrollTop = line.offsetTop - this.box.clientHeight / 2;
  }
}
