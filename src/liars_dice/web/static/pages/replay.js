// A recorded game, move by move, with the chances to win; on the review page also with the coach's verdicts.

import { agents, get, keepToken, post, seatInGame } from "../api.js";
import { Curve } from "../chart.js";
import { busily, field, h, say, select, toggle } from "../dom.js";
import { capital, inWords, isMove, narrate, plainName, read, sayBid } from "../events.js";
import { FairDice } from "../fair_dice.js";
import { parse } from "../ladder.js";
import { knownOfYou } from "../player_card.js";
import { go } from "../router.js";
import { ownName } from "../settings.js";
import { Stage } from "../stage.js";
import { marks } from "../state.js";
import { Timeline } from "../timeline.js";

/** @typedef {import("../events.js").GameEvent} GameEvent */
/** @typedef {{ turn: number, seat: number, player: string, action: string, best: string, loss: number, win_chance: number, best_chance: number, kind: string, words: string, source: string, forced: boolean, against: string, of: string, habits: { words: string } | null }} Verdict */
/** @typedef {{ moves: Verdict[], accuracy: Record<string, number>, counts: Record<string, Record<string, number>>, curve: { turn: number, chances: number[] }[] }} Review */

/** A sign for each kind of decision, so that colour is not the only cue. @type {Record<string, string>} */
const SIGNS = { best: "✓", good: "✓", inaccuracy: "?!", mistake: "?", blunder: "??" };

/** After this many milliseconds the page explains why the review takes long. */
const LONG = 3000;
/** The bot that plays in place of people, and of bots that are not on offer. */
const STAND_IN = "optimal";
const LOOKING = "The coach is reviewing the game…";

/**
 * The seat of the only person in a game, if one person played.
 * @param {any} game
 */
function onlyPerson({ events }) {
  const people = /** @type {(string | null)[]} */ (events[0]?.agent_ids ?? []).flatMap((id, seat) => (id?.startsWith("human") ? [seat] : []));
  return people.length === 1 ? people[0] : null;
}

/** @type {import("../router.js").MakePage} */
export const page = ({ id }) => open(id, false);

/**
 * @param {string} id
 * @param {boolean} coached whether the coach's verdicts are shown
 * @returns {Promise<import("../router.js").Page>}
 */
export async function open(id, coached) {
  const game = await get(`/games/${encodeURIComponent(id)}`);
  const replay = new Replay(id, game, coached);
  const query = Number(new URLSearchParams(location.search).get("at"));
  if (query) replay.timeline.goto(query);
  requestAnimationFrame(() => replay.attend());
  return { title: coached ? "Review" : "Replay", element: replay.element, leave: () => replay.leave() };
}

class Replay {
  /**
   * @param {string} id
   * @param {any} game
   * @param {boolean} coached
   */
  constructor(id, game, coached) {
    this.id = id;
    this.coached = coached;
    this.names = /** @type {string[]} */ (game.names);
    /** Your own seat: where this browser played or, in other games, the only person's. @type {number | null} */
    this.mine = seatInGame(id) ?? onlyPerson(game);
    this.finished = game.winner !== null;
    this.tooLong = game.ended === "too_long";
    const events = game.events.map(read);
    /** How many events come before each move. @type {number[]} */
    this.moves = events.flatMap((/** @type {GameEvent} */ e, /** @type {number} */ i) => (isMove(e) ? [i] : []));
    /** @type {Map<number, Verdict>} by event */
    this.verdicts = new Map();
    /** @type {Review | null} */
    this.review = null;
    this.peek = true;
    /** @type {number | undefined} the timer that asks for the coach's progress */
    this.asking = undefined;
    /** @type {import("../table.js").SeatInfo[]} */
    this.seats = [];
    this.stage = new Stage({ onpick: (at) => this.stand(at), note: (n) => this.note(n) });
    this.curve = new Curve((at) => this.stand(at));
    this.slider = h("input", { type: "range", min: 0, max: events.length, value: "0", "aria-label": "Position in the game", oninput: () => this.stand(Number(this.slider.value)) });
    this.playButton = h("button", { type: "button", class: "primary", onclick: () => this.toggle() }, "Play");
    this.position = h("output", { class: "muted" });
    this.panel = h("div", { class: "panel verdict", "aria-live": "polite", hidden: !coached });
    this.waitingWords = h("p", { class: "muted", role: "status" }, LOOKING);
    this.waitingBar = h("progress", { "aria-label": "Moves reviewed" });
    this.waitingCount = h("span", { class: "muted" });
    this.waiting = h("div", { class: "waiting" }, this.waitingWords, this.waitingBar, this.waitingCount);
    this.branch = h("details", { class: "branch" });
    this.timeline = new Timeline((_, fresh) => this.show(fresh));
    this.timeline.paused = true;
    const step = (/** @type {number} */ by, /** @type {string} */ label, /** @type {string} */ sign) => h("button", { type: "button", class: "plain square", "aria-label": label, title: label, onclick: () => this.stepTo(by) }, sign);
    this.transport = h(
      "div",
      { class: "transport" },
      h("div", { class: "row" }, step(-2, "Previous round", "«"), step(-1, "Previous move", "‹"), this.playButton, step(1, "Next move", "›"), step(2, "Next round", "»")),
      h("div", { class: "scrub" }, this.slider, this.position),
    );
    this.stage.dock.append(this.transport);
    this.stage.dock.before(this.panel);
    this.stage.controls.append(h("div", { class: "options" }, toggle("Show all dice", true, (on) => ((this.peek = on), this.show(false))), coached ? h("a", { href: `/replay/${id}` }, "Replay without the coach") : this.finished && h("a", { href: `/review/${id}` }, "Review with the coach")), this.finished ? this.branch : "");
    const fair = new FairDice();
    fair.show(game.fairness, { names: this.names, game: id });
    this.stage.below.append(this.curve.element, this.waiting, fair.element);
    this.summary = h("div", { class: "summary" });
    this.element = h(
      "div",
      { class: "page replay" },
      h("header", {}, h("h1", {}, coached ? "Review" : "Replay", h("span", { class: "muted" }, ` ${this.names.map(plainName).join(" – ")}`)), this.summary),
      this.stage.element,
    );
    if (coached && this.finished) this.element.append(knownOfYou(id, this.mine, this.names) ?? "");
    this.curve.element.hidden = true;
    this.keys = (/** @type {KeyboardEvent} */ event) => this.pressed(event);
    document.addEventListener("keydown", this.keys);
    this.#makeBranch();
    this.timeline.reset(events, this.finished ? (this.moves[0] ?? events.length) : events.length);
    this.#name();
    if (this.finished) this.#judge();
    else this.#endWaiting(this.tooLong ? "This game became too long and has no winner, so the coach does not review it." : "This game is not over. The coach can review it when it is.");
  }

  leave() {
    clearInterval(this.asking);
    document.removeEventListener("keydown", this.keys);
    this.timeline.stop();
    this.stage.leave();
  }

  /** @param {number} at */
  stand(at) {
    this.timeline.pause();
    this.timeline.goto(at);
    this.attend();
    this.#tell();
  }

  /** On a phone, scrolls so that the bid and the coach's verdict are visible above the step buttons. */
  attend() {
    this.stage.bring(this.stage.board.element);
  }

  toggle() {
    if (this.timeline.paused) {
      if (this.timeline.atEnd) this.timeline.goto(0);
      this.timeline.play();
    } else {
      this.timeline.pause();
    }
    this.show(false);
    this.attend();
  }

  /** @param {number} by 1: a move, 2: a round; below zero: back */
  stepTo(by) {
    const { at, events } = this.timeline;
    const stops = [0, ...events.flatMap((e, i) => ((Math.abs(by) === 1 ? isMove(e) || e.type === "RoundEnded" || e.type === "GameEnded" : e.type === "RoundStarted") ? [i + 1] : [])), events.length];
    const next = by > 0 ? stops.find((stop) => stop > at) : stops.filter((stop) => stop < at).pop();
    if (next !== undefined) this.stand(this.#settled(next));
  }

  /**
   * The start of a round includes its dice.
   * @param {number} at
   */
  #settled(at) {
    while (this.timeline.events[at - 1]?.type !== "RoundEnded" && /Rolled$/.test(this.timeline.events[at]?.type ?? "")) at++;
    return at;
  }

  #tell() {
    const { at, events, state } = this.timeline;
    const event = events[at - 1];
    if (event) say(narrate(event, state, null));
  }

  /** @param {boolean} fresh */
  show(fresh) {
    const { timeline } = this;
    this.stage.show(timeline, { me: null, peek: this.peek, fresh, seats: this.seats, givenUp: this.tooLong && timeline.atEnd });
    this.slider.value = String(timeline.at);
    this.slider.setAttribute("aria-valuetext", this.stage.status.textContent ?? "");
    this.playButton.textContent = timeline.paused || timeline.atEnd ? "Play" : "Pause";
    const turn = this.moves.filter((i) => i < timeline.at).length;
    this.position.textContent = `Move ${turn} of ${this.moves.length}`;
    this.curve.stand(timeline.at);
    if (this.coached) this.#showVerdict();
    if (this.branchText) this.branchText.textContent = this.#branchWords();
  }

  /** Finds out which players are bots. */
  async #name() {
    const bots = await agents().catch(() => []);
    const ids = this.timeline.states[1]?.agents ?? [];
    this.seats = ids.map((id, seat) => {
      const person = !id || /^human(:|$)/.test(id) || (id === this.names[seat] && !bots.some((bot) => bot.name === id));
      return { kind: person ? "person" : "bot", agent: person ? null : id?.replace(/^remote:.*/, "network bot") };
    });
    this.show(false);
  }

  // -- the coach

  async #judge() {
    const since = Date.now();
    this.asking = setInterval(() => {
      if (Date.now() - since > LONG && !this.waitingBar.value) this.waitingWords.textContent = "The coach is getting ready. The first time on a computer this takes up to half a minute.";
      this.#askProgress();
    }, 500);
    try {
      /** @type {Review} */
      const review = await get(`/games/${encodeURIComponent(this.id)}/review`);
      this.review = review;
      for (const move of review.moves) if (this.moves[move.turn - 1] !== undefined) this.verdicts.set(this.moves[move.turn - 1], move);
      const events = this.timeline.events.length;
      this.curve.draw({
        points: review.curve.map((p) => ({ at: p.turn === 0 ? 0 : (this.moves[p.turn - 1] ?? 0) + 1, chances: p.chances })),
        dots: this.coached
          ? review.moves
              .filter((m) => m.loss >= 0.005)
              .map((m) => ({ at: (this.moves[m.turn - 1] ?? 0) + 1, seat: m.seat, cost: m.loss, label: `${m.player}, ${actionWords(m.action)}: ${m.kind}, ${Math.round(m.loss * 100)} percent given away` }))
          : [],
        names: this.names.map(plainName),
        marks: marks(this.names),
        length: events,
      });
      this.curve.element.hidden = false;
      this.waiting.hidden = true;
      if (this.coached) {
        this.#summarise(review);
        this.stage.history.forget();
        const mine = review.moves.filter((m) => this.mine === null || m.seat === this.mine);
        const worst = mine.reduce((/** @type {Verdict | null} */ w, m) => (m.loss > (w?.loss ?? 0.005) ? m : w), null);
        if (worst && !new URLSearchParams(location.search).get("at")) this.timeline.goto((this.moves[worst.turn - 1] ?? 0) + 1);
      }
      this.show(false);
      this.attend();
    } catch (error) {
      this.#endWaiting(error instanceof Error ? error.message : String(error));
    } finally {
      clearInterval(this.asking);
    }
  }

  /** Shows how far the coach is with the review. */
  async #askProgress() {
    const { done, turns } = await get(`/games/${encodeURIComponent(this.id)}/review/progress`).catch(() => ({ done: 0, turns: 0 }));
    if (!turns || this.review) return;
    this.waitingWords.textContent = LOOKING;
    this.waitingCount.textContent = `${done} of ${turns} moves`;
    this.waitingBar.max = turns;
    this.waitingBar.value = done;
  }

  /** @param {string} words why there is no review */
  #endWaiting(words) {
    this.waitingWords.textContent = words;
    this.waitingBar.hidden = this.waitingCount.hidden = true;
    if (this.coached) this.#showVerdict();
  }

  /** @param {Review} review */
  #summarise(review) {
    this.summary.replaceChildren(
      h(
        "ul",
        { class: "scores" },
        this.names.map((name, seat) => {
          const counts = review.counts[name] ?? {};
          const slips = ["inaccuracy", "mistake", "blunder"].filter((kind) => counts[kind]).map((kind) => `${counts[kind]} ${counts[kind] === 1 ? kind : kind === "inaccuracy" ? "inaccuracies" : `${kind}s`}`);
          return h("li", {}, h("span", { class: `token seat-${seat % 8}`, "aria-hidden": "true" }, marks(this.names)[seat]), h("span", {}, h("strong", {}, `${plainName(name)} ${Math.round(review.accuracy[name] ?? 0)}%`), h("small", {}, ` ${slips.join(", ") || "no mistakes"}`)));
        }),
      ),
    );
  }

  /** @param {number} n */
  note(n) {
    const verdict = this.verdicts.get(n);
    if (!this.coached || !verdict) return null;
    return h("span", { class: `note kind-${verdict.kind}` }, h("span", { "aria-hidden": "true" }, SIGNS[verdict.kind] ?? ""), verdict.loss >= 0.005 ? ` −${Math.round(verdict.loss * 100)}` : "", h("span", { class: "unseen" }, ` ${verdict.kind}`));
  }

  #showVerdict() {
    const verdict = this.verdicts.get(this.timeline.at - 1);
    if (!verdict) {
      this.panel.replaceChildren(h("p", { class: "muted" }, this.review ? "Step to a move, or pick a dot in the chart, to see the coach’s verdict." : "The coach’s verdict on this move will appear here."));
      return;
    }
    const row = (/** @type {string} */ label, /** @type {string} */ action, /** @type {number} */ chance) =>
      h("div", { class: "pick" }, h("small", {}, label), h("strong", {}, capital(actionWords(action))), h("span", { class: "bar", "aria-hidden": "true" }, h("span", { vars: { share: chance } })), h("span", { class: "number" }, `${Math.round(chance * 100)}%`));
    this.panel.replaceChildren(
      h("h2", { class: `kind-${verdict.kind}` }, `${SIGNS[verdict.kind] ?? ""} ${capital(verdict.kind === "best" ? "best move" : verdict.kind)}`, verdict.loss >= 0.005 && h("small", {}, ` ${Math.round(verdict.loss * 100)}% of the ${verdict.of} given away`)),
      row(`${verdict.seat === this.mine ? "You" : capital(plainName(verdict.player))} chose`, verdict.action, verdict.win_chance),
      verdict.best !== verdict.action ? row("Best was", verdict.best, verdict.best_chance) : "",
      h("p", {}, `${capital(inWords(verdict.words).replace(/\.$/, ""))}.`),
      verdict.habits ? h("div", { class: "muted" }, `${inWords(verdict.habits.words)}.`) : "",
      h("small", {}, `Rated ${verdict.against}. Source: ${verdict.source}.`),
    );
  }

  // -- playing on

  #makeBranch() {
    let seat = this.mine ?? 0;
    const others = h("div", { class: "grid" });
    /** Who plays in each seat but yours: the bots of the game and, in place of people, a stand-in. @type {Map<number, string>} */
    const players = new Map();
    const problem = h("p", { class: "error", role: "alert", hidden: true });
    this.branchText = h("p", { class: "muted" });
    const fill = async () => {
      const n = this.names.length;
      const bots = (await agents()).filter((b) => !b.players || (b.players[0] <= n && n <= b.players[1]));
      const names = this.names.map(plainName);
      const before = this.timeline.states[1]?.agents ?? [];
      names.forEach((_, i) => players.has(i) || players.set(i, bots.find((b) => b.name === before[i]?.replace(/#\d+$/, ""))?.name ?? STAND_IN));
      others.replaceChildren(
        field("Play as", select(names.map((name, i) => [String(i), name]), String(seat), (to) => ((seat = Number(to)), fill()))),
        ...names.flatMap((name, i) => (i === seat ? [] : [field(`${name} is played by`, select(bots.map((b) => [b.name, b.name]), players.get(i) ?? STAND_IN, (to) => players.set(i, to)))])),
      );
    };
    const begin = h("button", {
      type: "button",
      class: "plain",
      onclick: () =>
        busily(begin, async () => {
          problem.hidden = true;
          try {
            const opponents = this.names.flatMap((_, i) => (i === seat ? [] : [players.get(i) ?? STAND_IN]));
            const made = await post(`/games/${encodeURIComponent(this.id)}/branch`, { turn: this.#turnHere(), seat, opponents, name: ownName() ?? "" });
            keepToken(made.room, made.token, made.seat);
            await go(`/room/${made.room}`);
          } catch (error) {
            problem.hidden = false;
            problem.textContent = error instanceof Error ? error.message : String(error);
          }
        }),
    }, "Play on");
    this.branch.append(h("summary", {}, "Play on from here"), h("div", { class: "panel" }, this.branchText, others, h("div", { class: "row" }, begin), problem));
    this.branch.addEventListener("toggle", () => this.branch.open && !others.childElementCount && fill());
  }

  #branchWords() {
    const turn = this.#turnHere();
    const event = this.timeline.events[this.moves[turn - 1]];
    const whose = event && "player_id" in event ? this.timeline.state.names[event.player_id] : "";
    return `The game continues before move ${turn} (${whose}’s), with the same opponents, the same dice in this round and new ones later. The recorded game does not change.`;
  }

  /** The move that is shown, to be made again; at the beginning of a round, its first. */
  #turnHere() {
    const { at, events } = this.timeline;
    const made = this.moves.filter((i) => i < at).length;
    const begun = events.slice(0, at).map((e) => e.type).lastIndexOf("RoundStarted");
    return Math.max(1, Math.min(begun > (this.moves[made - 1] ?? -1) ? made + 1 : made, this.moves.length));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, .history-box")) return;
    if (event.key === "ArrowLeft") this.stepTo(-1);
    else if (event.key === "ArrowRight") this.stepTo(1);
    else if (event.key === " " && !target.closest("button, a, summary")) this.toggle();
    else return;
    event.preventDefault();
  }
}

/** @param {string} action for example 3x4 or liar */
function actionWords(action) {
  const bid = parse(action);
  return bid ? sayBid(bid) : `call ${action}`;
}
