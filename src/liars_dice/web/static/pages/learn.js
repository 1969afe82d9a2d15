// The first lessons: the rules one by one, each tried out on a real board, then a guided game. It can be left at any point.

import { createRoom, get } from "../api.js";
import { busily, h, say } from "../dom.js";
import { capital, sayBid } from "../events.js";
import { legalRungs, matching, parse, text } from "../ladder.js";
import { go } from "../router.js";
import { ownName } from "../settings.js";
import { Stage } from "../stage.js";
import { standing } from "../state.js";
import { Timeline } from "../timeline.js";

/** @typedef {{ title: string, text: string[], bot: string, move: string, choices: string, after: string }} Lesson */
/** @typedef {{ lessons: Lesson[], dice: number[][], config: import("../ladder.js").Config, teacher: string }} Course */

/** @type {import("../router.js").MakePage} */
export async function page() {
  const course = new LessonsPage(await get("/lessons"));
  return { title: "Learn by playing", element: course.element, leave: () => course.leave() };
}

class LessonsPage {
  /** @param {Course} course */
  constructor({ lessons, dice, config, teacher }) {
    this.lessons = lessons;
    this.dice = dice;
    this.teacher = teacher;
    this.at = 0;
    /** Whether the move of this lesson was made. */
    this.done = false;
    /** @type {number | "liar" | null} */
    this.chosen = null;
    this.title = h("h1", {});
    this.words = h("div", { class: "lesson-words", "aria-live": "polite" });
    this.problem = h("p", { class: "error", role: "alert", hidden: true });
    this.confirm = h("button", { type: "button", class: "primary", onclick: () => this.move() });
    this.liar = h("button", { type: "button", class: "plain", onclick: () => (this.chosen === "liar" ? this.move() : this.choose("liar")) }, "Liar!");
    this.acts = h("div", { class: "acts" }, this.confirm, h("div", { class: "calls" }, this.liar));
    this.next = h("button", { type: "button", class: "primary", onclick: () => this.onward() });
    this.nexts = h("div", { class: "acts" }, this.next);
    this.stage = new Stage({ onchoose: (rung) => this.choose(rung), onbid: () => this.move() });
    this.stage.dock.append(this.problem, this.acts, this.nexts);
    this.stage.board.rows.addEventListener("click", (event) => this.refuse(/** @type {Element} */ (event.target)));
    this.stage.history.element.hidden = true;
    this.timeline = new Timeline((_, fresh) => this.show(fresh));
    this.stage.controls.prepend(
      h("section", { class: "panel lesson" }, this.title, this.words, h("div", { class: "row" }, h("button", { type: "button", class: "quiet", onclick: (/** @type {Event} */ e) => busily(/** @type {HTMLElement} */ (e.currentTarget), () => this.play()) }, "Skip to the game"), h("a", { href: "/" }, "Leave the lessons"))),
    );
    this.element = h("div", { class: "page room learn" }, this.stage.element);
    this.timeline.reset([
      { type: "GameCreated", config, names: ["You", teacher], agent_ids: ["human:You", teacher] },
      { type: "RoundStarted", round_index: 0, opener: 0, dice_counts: config.dice, palifico: false },
      { type: "DiceRolled", player_id: 0, dice: dice[0] },
    ]);
    this.begin();
  }

  leave() {
    this.timeline.stop();
    this.stage.leave();
  }

  get lesson() {
    return this.lessons[this.at];
  }

  /** Tells a lesson, after the bot's bid that belongs to it. */
  begin() {
    const { title, text: paragraphs, bot, move } = this.lesson;
    this.done = !move;
    this.chosen = null;
    const bid = parse(bot);
    if (bid) this.timeline.add({ type: "BidPlaced", player_id: 1, bid });
    const how = move === "liar" ? "Tap Liar!, then confirm." : move ? "On the board, faces are columns and quantities are rows. Tap the cell, then confirm." : "";
    this.title.textContent = `${this.at + 1} of ${this.lessons.length}: ${title}`;
    this.words.replaceChildren(...paragraphs.map((words) => h("p", {}, words)), ...(how ? [h("p", { class: "muted" }, how)] : []));
    this.show(false);
  }

  /** @param {boolean} fresh */
  show(fresh) {
    const { state, atEnd } = this.timeline;
    const mine = atEnd && !this.done && state.turn === 0;
    const { ladder } = state;
    this.stage.show(this.timeline, { me: 0, fresh, legal: mine ? legalRungs(state) : new Set(), chosen: typeof this.chosen === "number" ? this.chosen : null, seats: [{ kind: "person", present: true }, { kind: "bot", agent: this.teacher }] });
    this.acts.hidden = this.done;
    this.confirm.disabled = !mine || this.chosen === null;
    this.confirm.textContent = this.chosen === null ? "Choose" : this.chosen === "liar" ? "Call liar" : `Bid ${sayBid(ladder[this.chosen])}`;
    this.liar.disabled = !mine || !standing(state);
    this.liar.setAttribute("aria-pressed", String(this.chosen === "liar"));
    this.nexts.hidden = !this.done;
    this.next.textContent = this.at + 1 < this.lessons.length ? "Go on" : "Play your first game";
    this.next.disabled = !atEnd || this.timeline.counted !== null;
  }

  /** @param {number | "liar"} what */
  choose(what) {
    this.chosen = what;
    this.complain("");
    this.show(false);
  }

  /** Says why a cell cannot be chosen. @param {Element} where */
  refuse(where) {
    const cell = where.closest("[data-bid]");
    const [bid, last] = [parse(cell?.getAttribute("data-bid") ?? ""), standing(this.timeline.state)?.bid];
    if (this.done || !cell || cell.classList.contains("legal") || !bid || !last) return;
    this.complain(text(bid) === text(last) ? `${capital(sayBid(bid))} is the last bid.` : `${capital(sayBid(bid))} is not higher than ${sayBid(last)}.`);
  }

  /** @param {string} problem */
  complain(problem) {
    this.problem.hidden = !problem;
    this.problem.textContent = problem;
  }

  /** Makes the chosen move, if it is the one to try out. */
  move() {
    if (this.chosen === null || this.done) return;
    const { state } = this.timeline;
    const made = this.chosen === "liar" ? "liar" : text(state.ladder[this.chosen]);
    if (made !== this.lesson.move) {
      this.complain(`That is possible, too. For now, try ${this.lesson.choices}.`);
      return;
    }
    this.done = true;
    this.complain("");
    const bid = this.chosen === "liar" ? null : state.ladder[this.chosen];
    this.chosen = null;
    if (bid) this.timeline.add({ type: "BidPlaced", player_id: 0, bid });
    else this.#call();
    if (this.lesson.after) {
      this.words.replaceChildren(h("p", {}, this.lesson.after));
      say(this.lesson.after);
    } else this.onward();
    this.show(false);
    this.next.focus({ preventScroll: true });
  }

  #call() {
    const bid = standing(this.timeline.state)?.bid;
    if (!bid) return;
    const count = matching(this.dice.flat(), bid.face, null);
    const held = count >= bid.quantity;
    const [winner, loser] = held ? [1, 0] : [0, 1];
    const left = this.dice.map((hand, seat) => hand.length - Number(seat === loser));
    this.timeline.add({ type: "LiarCalled", player_id: 0 }, { type: "DiceRevealed", dice: this.dice }, { type: "RoundEnded", winner, loser, last_bid: bid, match_count: count, was_true: held, dice_counts: left });
  }

  async onward() {
    if (this.at + 1 === this.lessons.length) return busily(this.next, () => this.play());
    this.at++;
    this.begin();
    this.title.scrollIntoView({ block: "nearest" });
  }

  /** The guided game, in a room in which moves can be taken back. */
  async play() {
    try {
      const dice = this.timeline.states[1].config?.dice;
      const room = await createRoom({ rules: "heads-up", changes: { dice }, seats: [{ kind: "you", name: ownName() }, { kind: "bot", agent: this.teacher }], practice: true });
      await go(`/room/${room}?guide=1`);
    } catch (error) {
      this.complain(error instanceof Error ? error.message : String(error));
    }
  }
}
