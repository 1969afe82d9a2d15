// The coach looks on in a practice room, and says after each of your moves how it compares.

import { h, toggle } from "./dom.js";
import { keep, setting } from "./settings.js";
import { answerWords } from "./verdict.js";

export class CoachWatch {
  /** @param {() => Promise<any>} ask asks the coach about the move that is yours to make */
  constructor(ask) {
    this.ask = ask;
    /** What the coach thinks of the moves you can make now. @type {Promise<any> | null} */
    this.advice = null;
    this.words = h("div", { class: "watch", "aria-live": "polite", hidden: true });
    this.switch = toggle("Coach watches", setting("coach") === "on", (on) => {
      keep("coach", on ? "on" : "off");
      this.words.hidden = true;
    });
    this.element = h("div", {}, this.switch, this.words);
    this.element.hidden = true;
  }

  /**
   * A turn has begun. The coach looks at it before you move, because afterwards the room is further.
   * @param {boolean} practice whether this is a practice room
   * @param {boolean} mine whether it is your turn
   */
  began(practice, mine) {
    this.element.hidden = !practice;
    this.advice = practice && mine && setting("coach") === "on" ? this.ask().catch(() => null) : null;
  }

  /**
   * You are about to move.
   * @param {string} action for example 3x4 or liar
   * @returns {() => Promise<void>} tells how it compares, once the move is made; by then the next turn has begun
   */
  looksAt(action) {
    const { advice } = this;
    return async () => {
      const found = await advice;
      const hint = found?.hint ?? found;
      const chosen = hint?.choices.find((/** @type {{ action: string }} */ c) => c.action === action);
      if (!chosen) return;
      this.words.replaceChildren(...answerWords({ ...hint, played: null }, chosen));
      this.words.hidden = false;
    };
  }
}
