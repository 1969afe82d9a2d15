// The events of a game, and the sentence that tells each of them.

import { parse } from "./ladder.js";

/** @typedef {import("./ladder.js").Bid} Bid */
/** @typedef {import("./ladder.js").Config} Config */
/**
 * @typedef {{ type: "GameCreated", config: Config, names: string[], agent_ids: (string | null)[], branched_from?: string, fairness?: import("./fair_dice.js").Fairness }
 *   | { type: "RoundStarted", round_index: number, opener: number, dice_counts: number[], palifico: boolean }
 *   | { type: "DiceRolled", player_id: number, dice: number[] }
 *   | { type: "SharedDiceRolled", table_dice: number[], hidden_dice?: number[] }
 *   | { type: "BidPlaced", player_id: number, bid: Bid, reasoning?: string, stand_in?: string }
 *   | { type: "LiarCalled", player_id: number, reasoning?: string, stand_in?: string }
 *   | { type: "ExactCalled", player_id: number, reasoning?: string, stand_in?: string }
 *   | { type: "DiceRevealed", dice: number[][], table_dice?: number[], hidden_dice?: number[] }
 *   | { type: "RoundEnded", winner: number, loser: number, last_bid: Bid, match_count: number, was_true: boolean,
 *       dice_counts: number[] }
 *   | { type: "GameEnded", winner: number | null }
 *   | { type: "AgentFaulted", player_id: number, verdict: string, detail: string, fallback: string }} GameEvent
 */

/**
 * An event as it came over the wire. Its tag is `event_type` in stores, `type` in messages.
 * @param {any} raw
 * @returns {GameEvent}
 */
export function read(raw) {
  const payload = raw.payload ?? raw.event ?? raw;
  return { ...payload, type: payload.event_type ?? payload.type ?? raw.event_type ?? raw.type };
}

/** Whether a player made a move. @param {GameEvent} event */
export const isMove = (event) => event.type === "BidPlaced" || event.type === "LiarCalled" || event.type === "ExactCalled";

const NUMBERS = "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(" ");

/**
 * `fours`, or `four` for a quantity of one.
 * @param {number} face
 * @param {number} [quantity]
 */
export function faces(face, quantity = 2) {
  const name = NUMBERS[face] ?? String(face);
  return quantity === 1 ? name : face === 6 ? "sixes" : face === 20 ? "twenties" : `${name}s`;
}

/** `three fours`. @param {Bid} bid */
export const sayBid = (bid) => `${bid.quantity <= 12 ? NUMBERS[bid.quantity] : bid.quantity} ${faces(bid.face, bid.quantity)}`;

/** How a game that became too long ends. */
export const UNDECIDED = "The game ended without a winner.";

/** @param {string} sentence */
export const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** @param {string} text that contains bids as 2x5 */
export const inWords = (text) => text.replace(/\b(\d+)x(\d+)\b/g, (_, quantity, face) => sayBid({ quantity: Number(quantity), face: Number(face) }));

/**
 * A player's name at the start of a sentence; "You" for the reader.
 * @param {string[]} names
 * @param {number} seat
 * @param {number | null} me
 */
const named = (names, seat, me) => (seat === me ? "You" : capital(names[seat] ?? "?"));

/** Whether the server chose this name. @param {string} name */
export const unnamed = (name) => /^(You|Player \d+)$/.test(name);

/**
 * `Ann bids`, but `You bid`.
 * @param {string[]} names
 * @param {number} seat
 * @param {number | null} me
 * @param {string} verb
 */
export const does = (names, seat, me, verb) => `${named(names, seat, me)} ${verb}${seat === me ? "" : "s"}`;

/**
 * A player's move: `Ann bids three fours`, `You bid three fours` or, by a bot in their place, `Optimal bids three fours for you`.
 * @param {string[]} names
 * @param {{ seat: number, standIn?: string }} move
 * @param {number | null} me
 * @param {string} verb with its ending, if it has one for everybody
 * @param {string} [what]
 * @param {boolean} [past] whether the verb is in the past tense
 */
export function tell(names, { seat, standIn }, me, verb, what = "", past = false) {
  const subject = standIn ? capital(standIn) : named(names, seat, me);
  const ending = past || (seat === me && !standIn) ? "" : "s";
  const place = standIn ? ` for ${seat === me ? "you" : names[seat]}` : "";
  return `${subject} ${verb}${ending}${what && ` ${what}`}${place}`;
}

/** A name for people: the second bot of a kind is `optimal 2`, not `optimal#2`. @param {string} name */
export const plainName = (name) => name.replace(/#(\d+)$/, " $1");

/**
 * What the dice said of a bid: `the bid held`; after an exact call, `not exact`.
 * @param {boolean} right
 * @param {"liar" | "exact" | undefined} call
 */
export const ruling = (right, call) => (call === "exact" ? (right ? "exactly right" : "not exact") : right ? "the bid held" : "the bid was false");

/**
 * `There were four fours: the bid held.`
 * @param {import("./state.js").State} state after the end of a round
 */
export function verdict({ result, call }) {
  if (!result) return "";
  const { bid, count } = result;
  const counted = `There ${count === 1 ? "was" : "were"} ${sayBid({ quantity: count, face: bid.face })}`;
  return `${counted}: ${ruling(isRight(bid, count, call), call?.kind)}.`;
}

/**
 * Whether the dice are as the caller of exact, or the bidder of a bid that was called a lie, said.
 * @param {Bid} bid
 * @param {number} count
 * @param {{ kind: "liar" | "exact" } | null} call
 */
export const isRight = (bid, count, call) => (call?.kind === "exact" ? count === bid.quantity : count >= bid.quantity);

/** What was done instead of a bot's answer. @param {string} fallback */
function instead(fallback) {
  const bid = parse(fallback);
  if (bid) return `${sayBid(bid)} was bid instead`;
  return fallback === "liar" || fallback === "exact" ? `${fallback} was called instead` : fallback;
}

/** `1 die`, `2 dice`. @param {number} n */
export const diceCount = (n) => `${n} ${n === 1 ? "die" : "dice"}`;

/**
 * What the end of a round does: `Bob loses a die.`, or who won where no die is lost.
 * @param {import("./state.js").State} state after the end of the round
 * @param {number | null} me
 */
export function consequence(state, me) {
  if (!state.result) return "";
  const { winner, loser } = state.result;
  const change = (/** @type {number} */ seat) => state.after[seat] - state.counts[seat];
  if (change(loser) < 0) return `${does(state.names, loser, me, "lose")} a die.`;
  return `${does(state.names, winner, me, "win")} ${change(winner) > 0 ? "a die" : "the round"}.`;
}

/**
 * An event as a sentence; empty for events that need none.
 * @param {GameEvent} event
 * @param {import("./state.js").State} state after the event
 * @param {number | null} me
 */
export function narrate(event, state, me) {
  const { names } = state;
  const who = (/** @type {number} */ seat, /** @type {string} */ verb) => does(names, seat, me, verb);
  switch (event.type) {
    case "RoundStarted":
      return `Round ${event.round_index + 1}${event.palifico ? ", palifico" : ""}. ${who(event.opener, "open")}.`;
    case "DiceRolled":
      return event.player_id === me ? `You rolled ${event.dice.join(", ")}.` : "";
    case "BidPlaced":
      return `${tell(names, { seat: event.player_id, standIn: event.stand_in }, me, "bid", sayBid(event.bid))}.`;
    case "LiarCalled":
    case "ExactCalled":
      return `${tell(names, { seat: event.player_id, standIn: event.stand_in }, me, "call", event.type === "LiarCalled" ? "liar" : "exact")}.`;
    case "SharedDiceRolled":
      return event.table_dice.length ? `On the table: ${event.table_dice.join(", ")}.` : "";
    case "RoundEnded":
      return `${verdict(state)} ${consequence(state, me)}`;
    case "GameEnded":
      return event.winner === null ? UNDECIDED : `${who(event.winner, "win")} the game.`;
    case "AgentFaulted":
      return `${capital(names[event.player_id])} gave no valid answer in time: ${instead(event.fallback)}.`;
    default:
      return "";
  }
}
