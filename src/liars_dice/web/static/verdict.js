// What the coach says of a decision: its rating, the numbers, and what they are measured against. Used by reviews and puzzles.

import { h } from "./dom.js";
import { capital, sayBid } from "./events.js";
import { parse } from "./ladder.js";

/** @typedef {{ action: string, win_chance: number, loss: number, kind: string, chance: number | null }} Choice one legal action, and what it is worth */
/**
 * One decision to make again: what its player saw, and what every action is worth.
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {import("./ladder.js").Config} config
 * @property {string[]} names
 * @property {number[]} dice_counts
 * @property {number[]} table_dice
 * @property {number} opener
 * @property {boolean} palifico
 * @property {number} round
 * @property {number} seat
 * @property {number[]} hand
 * @property {{ seat: number, quantity: number, face: number }[]} bids
 * @property {Choice[]} choices
 * @property {string} best
 * @property {string} aim what the chances measure, as a verb
 * @property {"round" | "game"} of
 * @property {number} stake
 * @property {string} given
 * @property {string} source
 * @property {string | null} played
 */

/** A sign for each kind of decision, so that colour is not the only cue. @type {Record<string, string>} */
export const SIGNS = { best: "✓", good: "✓", inaccuracy: "?!", mistake: "?", blunder: "??", fallback: "–" };

/** The kinds of decisions that are worth another look. */
export const SLIPS = ["inaccuracy", "mistake", "blunder"];

/** What verdicts are measured against, by the coach's name for it. @type {Record<string, string>} */
const MODELS = {
  equilibrium: "perfect play: this round is solved",
  "equilibrium of the match": "perfect play: this match is solved",
  "equilibrium, solved on the spot": "perfect play: this round was solved on the spot",
  "short-memory strategy": "the best strategy known for two players (short-memory strategy)",
  champion: "the champion, a network that learned Perudo: what each action is worth if everybody plays on as it would",
  "plain odds": "the plain odds of the dice",
};

/** The same in a few words. @param {string} source */
export const measuredShort = (source) => (/^equilibrium/.test(source) ? "perfect play" : /^opponent model/.test(source) ? "models of unknown players" : source === "champion" ? "the champion" : source.startsWith("short-memory") ? "the best strategy known" : source);

/** @param {string} source */
export const measured = (source) => MODELS[source] ?? source;

/** A chance as it is read: small ones with a decimal. @param {number} p */
export const share = (p) => `${p < 0.0995 && p >= 0.0005 ? (p * 100).toFixed(1) : Math.round(p * 100)}%`;

/** @param {string} action for example 3x4 or liar */
export function actionWords(action) {
  const bid = parse(action);
  return bid ? sayBid(bid) : `call ${action}`;
}

/** @param {string} action */
const doing = (action) => (parse(action) ? `bidding ${actionWords(action)}` : `calling ${action}`);

/** @param {string} kind */
const kindWords = (kind) => (kind === "best" ? "best move" : kind === "good" ? "good move" : kind === "fallback" ? "not your move" : kind);

/**
 * What a decision gave away.
 * @param {{ loss: number, of: string, stake: number }} verdict
 */
export function cost({ loss, of, stake }) {
  if (loss < 0.0005) return "";
  return of === "game" && stake > 0 && stake < 1 ? `${share(loss)} of the game, ${share(loss / stake)} of what the round decided` : `${share(loss)} of the ${of}`;
}

/**
 * @param {string} kind
 * @param {string} lost
 */
export const heading = (kind, lost) => h("h2", { class: `kind-${kind}` }, `${SIGNS[kind] ?? ""} ${capital(kindWords(kind))}`, lost && h("small", {}, ` ${lost} given away`));

/**
 * One action and what it is worth, with a bar.
 * @param {string} label
 * @param {string} action
 * @param {number} chance
 */
export const pick = (label, action, chance) =>
  h("div", { class: "pick" }, h("small", {}, label), h("strong", {}, capital(actionWords(action))), h("span", { class: "bar", "aria-hidden": "true" }, h("span", { vars: { share: chance } })), h("span", { class: "number" }, share(chance)));

/**
 * The coach's word on an answer: rating, numbers, one sentence, and all answers in a table.
 * @param {Puzzle} puzzle
 * @param {Choice} chosen
 * @returns {HTMLElement[]}
 */
export function answerWords(puzzle, chosen) {
  const { aim, given, choices, played } = puzzle;
  const best = choices.find((c) => c.action === puzzle.best) ?? choices[0];
  const before = choices.find((c) => c.action === played);
  const right = chosen.kind === "best";
  const said = `${capital(doing(chosen.action))} ${aim} ${share(chosen.win_chance)} of the time ${given}`;
  const sentence = right ? `${said}; nothing is better.` : `${said}; ${doing(best.action)} ${aim} ${share(best.win_chance)}.`;
  const better = before && before.action !== chosen.action ? (chosen.loss < before.loss ? " Better than in the game." : chosen.loss > before.loss ? " The move in the game was better." : "") : "";
  return [
    heading(chosen.kind, cost({ ...puzzle, loss: chosen.loss })),
    pick("You choose", chosen.action, chosen.win_chance),
    ...(right ? [] : [pick("Best is", best.action, best.win_chance)]),
    ...(before && before.action !== chosen.action && before.action !== best.action ? [pick("In the game", before.action, before.win_chance)] : []),
    h("p", {}, sentence, better),
    h("small", {}, `Measured against ${measured(puzzle.source)}.`),
    everyAnswer(puzzle, chosen),
  ];
}

/**
 * @param {Puzzle} puzzle
 * @param {Choice} chosen
 */
function everyAnswer({ choices, of }, chosen) {
  const mixes = choices.some((c) => c.chance !== null);
  const row = (/** @type {Choice} */ c) =>
    h("tr", { class: c === chosen ? "chosen" : "" }, h("th", { scope: "row" }, `${capital(actionWords(c.action))}${c === chosen ? " (yours)" : ""}`), h("td", {}, share(c.win_chance)), h("td", {}, c.loss < 0.0005 ? "–" : share(c.loss)), mixes && h("td", {}, c.chance ? share(c.chance) : "–"));
  const head = ["Answer", of === "game" ? "Wins the game" : "Wins", "Gives away", mixes && "Taken"].filter((t) => t !== false);
  return h("details", {}, h("summary", {}, `All ${choices.length} answers`), h("div", { class: "scroll answers-table", tabindex: "0", role: "region", "aria-label": "All answers, scrollable table" }, h("table", { class: "numbers" }, h("thead", {}, h("tr", {}, head.map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, choices.map(row)))));
}
