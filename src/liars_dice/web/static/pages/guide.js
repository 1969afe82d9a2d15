// A guide through a first game: a tip at each new kind of decision, and the coach's word on every move.

import { h, say } from "../dom.js";
import { capital, inWords } from "../events.js";

/** @typedef {import("./room.js").Room} Room */

export class Guide {
  /** @param {Room} page */
  constructor(page) {
    this.page = page;
    /** Kinds of tips that were given. @type {Set<string>} */
    this.given = new Set();
    /** The turn that was asked about, and what the coach thinks of each move in it. */
    this.asked = 0;
    /** @type {Record<string, string>} */
    this.comments = {};
    this.word = h("p", { hidden: true });
    this.tip = h("p", {});
    this.tip.textContent = "You have one die more than the bot. After each of your moves the coach says what it thinks of it.";
    this.element = h("div", { class: "hint guide", "aria-live": "polite" }, this.word, this.tip, h("button", { type: "button", class: "quiet", onclick: () => this.leave() }, "No more tips"));
    page.stage.controls.prepend(this.element);
  }

  leave() {
    this.element.remove();
    this.page.guide = null;
  }

  /** Asks once per turn. */
  async update() {
    const { page } = this;
    if (page.over) this.#tell("That is the game. In Perudo ones are wild, and you may call a bid exactly right. Each rule is one click away, under Rules.");
    if (!page.mayAct || !page.turn || page.turn.turn === this.asked) return;
    const { turn } = page.turn;
    this.asked = turn;
    const answer = await page.socket.ask({ type: "ask", what: "guide" }).catch(() => null);
    if (!answer || this.asked !== turn) return;
    this.comments = answer.guide.comments;
    const fresh = Object.entries(answer.guide.tips).filter(([kind]) => !this.given.has(kind));
    for (const [kind] of fresh) this.given.add(kind);
    this.#tell(fresh.map(([, tip]) => capital(String(tip))).join(" "));
    page.stage.bring(this.element);
  }

  /** @param {string} tip */
  #tell(tip) {
    if (this.tip.textContent === tip) return;
    this.tip.textContent = tip;
    this.tip.hidden = !tip;
    if (tip) say(tip);
  }

  /**
   * A move was made.
   * @param {number} turn
   * @param {Record<string, unknown>} action
   */
  moved(turn, action) {
    const comment = turn === this.asked ? this.comments[action.kind === "bid" ? `${action.quantity}x${action.face}` : String(action.kind)] : "";
    this.word.hidden = !comment;
    if (comment) this.word.replaceChildren(h("b", {}, "Coach: "), inWords(comment));
    this.#tell("");
  }
}
