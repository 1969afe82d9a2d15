// A replay with the coach: your own mistakes first, why each was one, and another try at it.

import { get } from "../api.js";
import { bringIntoSight, busily, h, say, select } from "../dom.js";
import { capital, inWords, plainName } from "../events.js";
import { playOn } from "../play_on.js";
import { knownOfYou } from "../player_card.js";
import { keep } from "../settings.js";
import { Stage } from "../stage.js";
import { marks } from "../state.js";
import { Trial } from "../trial.js";
import { SIGNS, SLIPS, actionWords, answerWords, cost, heading, measured, measuredShort, pick, share } from "../verdict.js";
import { Replay } from "./replay.js";

/** @typedef {import("./replay.js").Verdict} Verdict */
/** @typedef {import("./replay.js").Review} Review */

/** @type {import("../router.js").MakePage} */
export async function page({ id }) {
  const coached = new Coached(id, await get(`/games/${encodeURIComponent(id)}`));
  return coached.opened("Review");
}

class Coached extends Replay {
  /**
   * @param {string} id
   * @param {any} game
   */
  constructor(id, game) {
    super(id, game);
    /** The coach's verdicts by the number of their event. @type {Map<number, Verdict>} */
    this.verdicts = new Map();
    /** Whose decisions are looked at; null for everybody's. */
    this.whose = this.mine;
    /** @type {Trial | null} a decision that is being made again */
    this.trial = null;
    this.panel = h("section", { class: "panel verdict", "aria-live": "polite", "aria-label": "The coach’s verdict" });
    this.mistakes = h("section", { class: "mistakes", hidden: true });
    this.stage.table.element.after(this.panel);
    this.stage.history.element.before(this.mistakes);
    if (this.finished) this.element.append(knownOfYou(id, this.mine, this.names) ?? "");
    this.#showVerdict();
  }

  /** @override */
  makeStage() {
    return new Stage({ onpick: (at) => this.stand(at), note: (n) => this.note(n), onchoose: (rung) => this.trial?.choose(rung), onbid: () => this.trial?.confirm() });
  }

  /** @override */
  links() {
    return [h("a", { href: `/replay/${this.id}` }, "Without the coach"), h("a", { href: "/puzzles?of=mine" }, "Puzzles from your mistakes")];
  }

  /**
   * @override
   * @param {number} at
   */
  stand(at) {
    this.#endTrial();
    super.stand(at);
  }

  /**
   * @override
   * @param {boolean} fresh
   */
  show(fresh) {
    if (this.trial) {
      this.trial.show();
      return;
    }
    super.show(fresh);
    if (this.panel) this.#showVerdict();
  }

  /**
   * @override
   * @param {string} words
   */
  endWaiting(words) {
    super.endWaiting(words);
    this.panel.replaceChildren(h("p", { class: "muted" }, words));
  }

  /**
   * @override
   * @param {Review} review
   */
  judged(review) {
    for (const move of review.moves) if (this.moves[move.turn - 1] !== undefined) this.verdicts.set(this.moves[move.turn - 1], move);
    this.#look();
    const slips = this.#slips();
    const worst = slips.reduce((/** @type {Verdict | null} */ w, m) => (m.loss / m.stake > (w ? w.loss / w.stake : 0) ? m : w), null);
    if (worst && this.hashTurn === null) this.timeline.goto((this.moves[worst.turn - 1] ?? 0) + 1);
  }

  // -- mistakes

  /** The inaccuracies, mistakes and blunders of the player who is looked at, in order. */
  #slips() {
    return (this.review?.moves ?? []).filter((m) => (this.whose === null || m.seat === this.whose) && SLIPS.includes(m.kind) && m.loss > 0);
  }

  /** Shows scores, mistakes and dots of whoever is looked at. */
  #look() {
    const { review } = this;
    if (!review) return;
    this.#summarise(review);
    this.#listMistakes();
    this.stage.history.forget();
    this.drawCurve(
      this.#slips().map((m) => ({ at: (this.moves[m.turn - 1] ?? 0) + 1, seat: m.seat, kind: m.kind, sign: SIGNS[m.kind], label: `${this.#name(m.seat)}, move ${m.turn}, ${actionWords(m.action)}: ${m.kind}, ${share(m.loss)} given away` })),
      this.whose,
    );
  }

  /** @param {number} seat */
  #name(seat) {
    return seat === this.you ? "You" : capital(plainName(this.names[seat]));
  }

  /** @param {Review} review */
  #summarise(review) {
    const order = this.names.map((_, seat) => seat).sort((a, b) => Number(b === this.mine) - Number(a === this.mine));
    const score = (/** @type {number} */ seat) => {
      const name = this.names[seat];
      const counts = review.counts[name] ?? {};
      const slips = SLIPS.filter((kind) => counts[kind]).map((kind) => `${counts[kind]} ${counts[kind] === 1 ? kind : kind === "inaccuracy" ? "inaccuracies" : `${kind}s`}`);
      const models = Object.keys(review.measured_against[name] ?? {});
      const score = review.accuracy[name];
      const byHabits = review.habits_accuracy[name];
      return h("li", { class: seat === this.whose ? "chosen" : "" }, h("span", { class: `token seat-${seat % 8}`, "aria-hidden": "true" }, marks(this.names)[seat]), h("span", {}, h("strong", {}, score === undefined ? this.#name(seat) : `${this.#name(seat)} ${Math.round(score)}%`), h("small", { title: models.length ? `Measured against ${models.map(measured).join("; ")}` : null }, ` ${score === undefined ? "no decisions" : slips.join(", ") || "no mistakes"}${byHabits === undefined ? "" : `; ${Math.round(byHabits)}% by what the others’ habits allowed`}`)));
    };
    const models = [...new Set(Object.values(review.measured_against).flatMap((m) => Object.keys(m).map(measuredShort)))];
    const note = h("small", {}, `Accuracy: the share of the chances to win that was kept, measured against ${new Intl.ListFormat("en-GB").format(models)}. Moves are graded by how much of what their round decided they gave away.`);
    const [first, ...others] = order;
    const many = this.names.length > 3;
    this.summary.replaceChildren(
      h("ul", { class: "scores" }, score(first), many ? "" : others.map(score)),
      many ? h("details", { class: "all-scores" }, h("summary", {}, "Everybody’s accuracy"), h("ul", { class: "scores" }, others.map(score))) : "",
      note,
    );
  }

  #listMistakes() {
    const slips = this.#slips();
    const who = this.whose === null ? "Everybody’s" : this.whose === this.you ? "Your" : `${this.#name(this.whose)}’s`;
    const chooser = select([...this.names.map((name, seat) => /** @type {[string, string]} */ ([String(seat), seat === this.you ? "You" : plainName(name)])), ["all", "everybody"]], this.whose === null ? "all" : String(this.whose), (to) => {
      this.whose = to === "all" ? null : Number(to);
      this.#look();
      this.show(false);
    });
    const line = (/** @type {Verdict} */ m) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "line", "data-turn": m.turn, onclick: () => this.standAtTurn(m.turn) },
          h("span", { class: `sign kind-${m.kind}`, "aria-hidden": "true" }, SIGNS[m.kind]),
          h("span", {}, `${this.whose === null ? `${this.#name(m.seat)}: ` : ""}${capital(actionWords(m.action))}`, h("span", { class: "unseen" }, `, ${m.kind}`)),
          h("span", { class: "note" }, `move ${m.turn} · −${share(m.loss)}`),
        ),
      );
    const list = slips.length ? h("ol", { class: "mistake-list", tabindex: "0", "aria-label": `${who} mistakes` }, slips.map(line)) : h("p", { class: "muted" }, "No mistakes: nothing that cost much of the chance to win.");
    chooser.setAttribute("aria-label", "Whose moves");
    this.mistakes.replaceChildren(h("div", { class: "mistakes-head" }, h("h2", {}, `${who} mistakes`), chooser), list);
    this.mistakes.hidden = false;
  }

  /** @param {number} [by] 1: the next mistake, -1: the one before; from the last the first follows */
  nextMistake(by = 1) {
    const slips = this.#slips();
    const here = this.turn;
    const found = by > 0 ? (slips.find((m) => m.turn > here) ?? slips[0]) : ([...slips].reverse().find((m) => m.turn < here) ?? slips[slips.length - 1]);
    if (found) this.standAtTurn(found.turn);
    else say("There are no mistakes.");
  }

  /** @param {number} n */
  note(n) {
    const verdict = this.verdicts?.get(n);
    if (!verdict) return null;
    return h("span", { class: `note kind-${verdict.kind}` }, h("span", { "aria-hidden": "true" }, SIGNS[verdict.kind] ?? ""), verdict.loss >= 0.0005 ? ` −${share(verdict.loss)}` : "", h("span", { class: "unseen" }, ` ${verdict.kind}`));
  }

  // -- the verdict on the move that is shown

  #showVerdict() {
    const { turn } = this;
    for (const line of this.mistakes.querySelectorAll("[data-turn]")) {
      const here = Number(line.getAttribute("data-turn")) === turn && this.verdicts.has(this.timeline.at - 1);
      if (here) {
        line.setAttribute("aria-current", "step");
        const list = /** @type {HTMLElement} */ (this.mistakes.querySelector(".mistake-list"));
        list.scrollTop = /** @type {HTMLElement} */ (line).offsetTop - list.offsetTop - list.clientHeight / 2;
      } else line.removeAttribute("aria-current");
    }
    const verdict = this.verdicts.get(this.timeline.at - 1);
    if (!verdict) {
      if (this.finished) this.panel.replaceChildren(h("p", { class: "muted" }, this.review ? "Step to a move, or pick a mistake, to see the coach’s verdict." : "The coach’s verdict on this move will appear here."), h("div", { class: "row" }, this.#nextButton()));
      return;
    }
    const mine = verdict.seat === this.you;
    const event = this.timeline.events[this.timeline.at - 1];
    const standIn = "stand_in" in event ? event.stand_in : undefined;
    const name = this.names[verdict.seat];
    const told = inWords(verdict.words).replace(/\.$/, "");
    const sentence = mine && told.startsWith(`${name} `) ? `You${told.slice(name.length)}` : told;
    const rows = verdict.kind === "fallback"
      ? [h("h2", {}, `${SIGNS.fallback} ${standIn ? `${capital(standIn)} moved for ${mine ? "you" : plainName(name)}` : "No answer of the bot"}`)]
      : [
          heading(verdict.kind, cost(verdict)),
          pick(`${this.#name(verdict.seat)} chose`, verdict.action, verdict.win_chance),
          verdict.best !== verdict.action ? pick("Best was", verdict.best, verdict.best_chance) : "",
        ];
    const again = h("button", { type: "button", class: "plain", onclick: () => this.tryAgain(again) }, "Try again ", h("kbd", { "aria-hidden": "true" }, "T"));
    this.panel.replaceChildren(
      ...rows,
      h("p", {}, `${capital(sentence)}.`),
      verdict.habits ? h("div", { class: "muted" }, `${inWords(verdict.habits.words)}.`) : "",
      h("small", { title: measured(verdict.source) }, `Measured against ${measuredShort(verdict.source)}.`),
      h("div", { class: "row" }, this.#nextButton(), verdict.forced ? "" : again),
    );
  }

  #nextButton() {
    return h("button", { type: "button", class: "primary", hidden: !this.#slips().length, onclick: () => this.nextMistake() }, "Next mistake ", h("kbd", { "aria-hidden": "true" }, "N"));
  }

  // -- another try

  /** @param {HTMLElement} button that shows that we wait */
  async tryAgain(button) {
    const verdict = this.verdicts.get(this.timeline.at - 1);
    if (!verdict || verdict.forced) return;
    await busily(button, async () => {
      try {
        const puzzle = await get(`/games/${encodeURIComponent(this.id)}/turns/${verdict.turn}`);
        this.timeline.pause();
        this.#endTrial();
        this.trial = new Trial(puzzle, this.stage, (answer) => this.#answered(answer), this.seats);
        this.transport.hidden = this.options.hidden = this.playOn.element.hidden = true;
        this.stage.dock.append(this.trial.element);
        const back = h("button", { type: "button", class: "quiet", onclick: () => this.standAtTurn(verdict.turn) }, "Back to the game");
        this.panel.replaceChildren(h("h2", {}, "Try again"), h("p", {}, "The same dice and bids. Choose a move on the board, or call; the coach tells you how it compares."), h("div", { class: "row" }, back));
        say("Try again. Your dice and the bids are as they were.");
        bringIntoSight(this.stage.board.element);
        this.stage.board.focus();
      } catch (error) {
        this.panel.append(h("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : String(error)));
      }
    });
  }

  /** @param {import("../verdict.js").Choice} answer */
  #answered(answer) {
    const { trial } = this;
    if (!trial) return;
    const { puzzle } = trial;
    const turn = Number(puzzle.id.split("/").pop());
    const onward = h("button", { type: "button", class: "plain", onclick: () => busily(onward, () => (keep("coach", "on"), playOn(this.id, { turn, seat: puzzle.seat })).catch((e) => this.panel.append(h("p", { class: "error", role: "alert" }, e.message)))) }, "Play it out");
    onward.title = "Play on from this position in a practice room, against the same table; the coach says how each of your moves compares";
    const once = h("button", { type: "button", class: "plain", onclick: () => this.#restart(turn) }, "Try again ", h("kbd", { "aria-hidden": "true" }, "T"));
    const back = h("button", { type: "button", class: "plain", onclick: () => this.standAtTurn(turn) }, "Back to the game");
    const next = this.#nextButton();
    this.panel.replaceChildren(...answerWords(puzzle, answer), h("div", { class: "row" }, next, once, onward, back));
    next.focus({ preventScroll: true });
    bringIntoSight(this.panel);
  }

  /** @param {number} turn */
  #restart(turn) {
    this.standAtTurn(turn);
    this.tryAgain(h("button", {}));
  }

  #endTrial() {
    if (!this.trial) return;
    this.trial.element.remove();
    this.trial = null;
    this.transport.hidden = this.options.hidden = this.playOn.element.hidden = false;
  }

  /**
   * @override
   * @param {KeyboardEvent} event
   */
  pressed(event) {
    const key = event.key.toLowerCase();
    if (this.trial && !this.trial.answer) return this.trial.pressed(event);
    if (key === "n") this.nextMistake();
    else if (key === "p") this.nextMistake(-1);
    else if (key === "t" && this.trial) this.#restart(Number(this.trial.puzzle.id.split("/").pop()));
    else if (key === "t") this.tryAgain(/** @type {HTMLElement} */ (this.panel.querySelector(".row .plain")) ?? h("button", {}));
    else return super.pressed(event);
    return true;
  }
}
