// Positions to solve: one per day and game with exact answers, the same for everybody, and your own mistakes once more.

import { get } from "../api.js";
import { bringIntoSight, h, say } from "../dom.js";
import { plainName } from "../events.js";
import { ownName } from "../settings.js";
import { Stage } from "../stage.js";
import { load, save } from "../storage.js";
import { Trial } from "../trial.js";
import { answerWords } from "../verdict.js";
import { mineOnly } from "./replays.js";

/** @typedef {import("../verdict.js").Puzzle} Puzzle */

/** How many answers this browser remembers. */
const MOST = 600;
const DAY = 86_400_000;

/** The first answer to each puzzle: its rating by the puzzle's id. @returns {Record<string, string>} */
function answers() {
  try {
    return JSON.parse(load("puzzles") ?? "{}");
  } catch {
    return {};
  }
}

/**
 * @param {string} id
 * @param {string} kind
 */
function keepAnswer(id, kind) {
  const kept = Object.entries({ ...answers(), [id]: kind });
  save("puzzles", JSON.stringify(Object.fromEntries(kept.slice(-MOST))));
}

/**
 * On how many days in a row, up to this one or the one before, a position of the day was solved at the first try.
 * @param {string} today
 */
function streak(today) {
  const solved = new Set(Object.entries(answers()).flatMap(([id, kind]) => (kind === "best" ? [id.split("/")[0]] : [])));
  const before = (/** @type {string} */ day) => new Date(Date.parse(day) - DAY).toISOString().slice(0, 10);
  let days = 0;
  for (let day = solved.has(today) ? today : before(today); solved.has(day); day = before(day)) days++;
  return days;
}

/** @type {[string, string][]} */
const KINDS = [["heads-up", "Today: heads-up"], ["perudo", "Today: perudo"], ["mine", "My mistakes"]];

/** @type {import("../router.js").MakePage} */
export async function page({ query }) {
  const of = KINDS.some(([kind]) => kind === query.get("of")) ? String(query.get("of")) : "heads-up";
  const daily = await get(`/puzzles/daily${query.get("day") ? `?day=${encodeURIComponent(query.get("day") ?? "")}` : ""}`);
  const puzzles = new Puzzles(of, daily);
  puzzles.begin();
  return { title: "Puzzles", element: puzzles.element, leave: () => puzzles.leave() };
}

class Puzzles {
  /**
   * @param {string} of
   * @param {{ day: string, puzzles: Record<string, Puzzle> }} daily
   */
  constructor(of, daily) {
    this.of = of;
    this.daily = daily;
    /** @type {Trial | null} */
    this.trial = null;
    /** Puzzles from your games that wait. @type {Puzzle[]} */
    this.queue = [];
    /** Your newest games, and how many of them were looked through. @type {{ id: string, seat: number, names: string[] }[] | null} */
    this.games = null;
    this.looked = 0;
    this.stage = new Stage({ onchoose: (rung) => this.trial?.choose(rung), onbid: () => this.trial?.confirm() });
    this.panel = h("section", { class: "panel verdict", "aria-live": "polite", "aria-label": "The coach’s verdict" });
    this.stage.table.element.after(this.panel);
    this.streak = h("p", { class: "streak" });
    this.problem = h("p", { class: "muted", role: "status" });
    this.element = h(
      "div",
      { class: "page puzzle" },
      h("header", {}, h("div", { class: "title-row" }, h("h1", {}, "Puzzles"), this.streak), h("p", { class: "lead" }, of === "mine" ? "Decisions of your own that cost much, from your newest games. The coach says what each answer is worth." : "One position per day, the same for everybody. The round is solved, so every answer has an exact value.")),
      h("nav", { class: "tabs", "aria-label": "Puzzles" }, KINDS.map(([kind, label]) => h("a", { href: kind === "heads-up" ? "/puzzles" : `/puzzles?of=${kind}`, "aria-current": kind === of ? "page" : null }, label))),
      this.problem,
      this.stage.element,
    );
    this.stage.element.hidden = true;
    this.keys = (/** @type {KeyboardEvent} */ event) => {
      const at = /** @type {HTMLElement} */ (event.target);
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || at.closest("input, select")) return;
      if (this.trial?.pressed(event)) event.preventDefault();
      else if (event.key.toLowerCase() === "n" && this.trial?.answer) this.onward?.();
    };
    document.addEventListener("keydown", this.keys);
  }

  leave() {
    this.gone = true;
    document.removeEventListener("keydown", this.keys);
    this.stage.leave();
  }

  begin() {
    this.#count();
    if (this.of === "mine") this.#nextOfMine();
    else this.#pose(this.daily.puzzles[this.of]);
  }

  #count() {
    const days = streak(this.daily.day);
    const first = answers()[`${this.daily.day}/${this.of}`];
    this.streak.replaceChildren(days ? h("span", {}, h("strong", {}, days), days === 1 ? " day in a row" : " days in a row") : h("span", { class: "muted" }, "No days in a row yet"), first ? h("span", { class: "muted" }, `Today’s first answer here: ${first === "best" ? "solved" : first}.`) : "");
  }

  /** @param {Puzzle} puzzle */
  #pose(puzzle) {
    const mine = this.of === "mine";
    const names = mine ? puzzle.names : puzzle.names.map((_, seat) => (seat === puzzle.seat ? (ownName() ?? "You") : "Opponent"));
    this.trial?.element.remove();
    this.trial = new Trial({ ...puzzle, names }, this.stage, () => this.#answered(puzzle));
    this.stage.dock.append(this.trial.element);
    this.stage.element.hidden = this.panel.hidden = false;
    const [game, turn] = puzzle.id.split("/");
    const from = mine
      ? [h("p", {}, `From your game, move ${turn}: what would you play now?`), h("p", {}, h("a", { href: `/review/${game}#${turn}` }, "See it in the review"))]
      : [h("p", {}, `You see your ${puzzle.hand.length === 1 ? "die" : "dice"} and the bids. What wins most often against perfect play?`)];
    this.panel.replaceChildren(h("h2", {}, mine ? "Your own position" : new Date(puzzle.id.split("/")[0]).toLocaleDateString(undefined, { day: "numeric", month: "long", timeZone: "UTC" })), ...from);
    this.problem.textContent = "";
    this.trial.show(); // again, now that the board has its size
    requestAnimationFrame(() => bringIntoSight(this.stage.board.element));
  }

  /** @param {Puzzle} puzzle */
  #answered(puzzle) {
    const answer = this.trial?.answer;
    if (!answer) return;
    const mine = this.of === "mine";
    if (!(puzzle.id in answers()) || (mine && answer.kind === "best")) keepAnswer(puzzle.id, answer.kind);
    this.#count();
    const again = h("button", { type: "button", class: "plain", onclick: () => this.#pose(puzzle) }, "Try again");
    const other = this.of === "heads-up" ? "perudo" : "heads-up";
    /** @type {(() => void) | null} */
    this.onward = mine ? () => this.#nextOfMine() : null;
    const next = mine ? h("button", { type: "button", class: "primary", onclick: () => this.#nextOfMine() }, "Next ", h("kbd", { "aria-hidden": "true" }, "N")) : h("a", { class: "button primary", href: other === "heads-up" ? "/puzzles" : `/puzzles?of=${other}` }, `Today’s ${other} position`);
    const [game, turn] = puzzle.id.split("/");
    this.panel.replaceChildren(...answerWords(puzzle, answer), h("div", { class: "row" }, next, answer.kind === "best" ? "" : again, mine ? h("a", { class: "button", href: `/review/${game}#${turn}` }, "Review") : h("a", { class: "button", href: "/puzzles?of=mine" }, "My mistakes")));
    say(answer.kind === "best" ? "Right." : `Not the best: ${answer.kind}.`);
    next.focus({ preventScroll: true });
    bringIntoSight(this.panel);
  }

  // -- your own mistakes

  async #nextOfMine() {
    const solved = answers();
    const waiting = this.queue.filter((p) => solved[p.id] !== "best" && p.id !== this.trial?.puzzle.id);
    if (waiting.length) {
      this.queue = waiting;
      this.#pose(waiting[0]);
      return;
    }
    this.stage.element.hidden = true;
    try {
      await this.#search();
    } catch (error) {
      if (!this.gone) this.problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** Looks through your newest games until one has a mistake that is not solved yet. */
  async #search() {
    const wanted = mineOnly();
    if (!Object.keys(wanted).length) {
      this.#empty("Play a game first. Its mistakes wait for you here afterwards.");
      return;
    }
    const all = (this.games ??= /** @type {{ id: string, seat: number, names: string[] }[]} */ ((await get(`/games?${new URLSearchParams({ limit: "30", state: "finished", ...wanted })}`)).games));
    while (this.looked < all.length) {
      const { id, seat, names } = all[this.looked];
      this.problem.textContent = `Looking through your games: ${this.looked + 1} of ${all.length} (${names.map(plainName).join(" – ")})…`;
      const { puzzles } = await get(`/games/${encodeURIComponent(id)}/puzzles?seat=${seat}`);
      if (this.gone) return;
      this.looked++;
      const solved = answers();
      this.queue = puzzles.filter((/** @type {Puzzle} */ p) => solved[p.id] !== "best");
      if (this.queue.length) {
        this.#pose(this.queue[0]);
        return;
      }
    }
    this.#empty(all.length ? "No mistakes wait for you: all in your newest games are solved." : "Play a game to its end first. Its mistakes wait for you here afterwards.");
  }

  /** @param {string} words */
  #empty(words) {
    this.problem.replaceChildren(words, " ", h("a", { href: "/play" }, "Play a game"), " or solve ", h("a", { href: "/puzzles" }, "today’s position"), ".");
  }
}
