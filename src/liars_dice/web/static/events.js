// The events of a game, and the sentence that tells each of them.

import { parse } from "./ladder.js";

/** @typedef {import("./ladder.js").Bid} Bid */
/** @typedef {import("./ladder.js").Config} Config */
/**
 * @typedef {{ type: "GameCreated", config: Config, names: string[], agent_ids: (string | null)[], branched_from?: string, fairness?: import("./fair_dice.js").Fairness }
 *   | { type: "RoundStarted", round_index: number, opener: number, dice_counts: number[], palifico: boolean }
 *   | { type: "DiceRolled", player_id: number, dice: number[] }
 *   | { type: "SharedDiceRolled", table_dice: number[], hidden_dice?: number[] }
 *   | { type: "BidPlaced", player_id: number, bid: Bid, reasoning?: string }
 *   | { type: "LiarCalled", player_id: number, reasoning?: string }
 *   | { type: "ExactCalled", player_id: number, reasoning?: string }
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
export const sayBid = (bid) => `${NUMBERS[bid.quantity] ?? bid.quantity} ${faces(bid.face, bid.quantity)}`;

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
export const named = (names, seat, me) => (seat === me ? "You" : capital(names[seat] ?? "?"));

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
 * `There were four fours: the bid held.`
 * @param {Bid} bid
 * @param {number} count
 * @param {boolean} held
 */
export function verdict(bid, count, held) {
  const counted = `There ${count === 1 ? "was" : "were"} ${sayBid({ quantity: count, face: bid.face })}`;
  return `${counted}: the bid ${held ? "held" : "was false"}.`;
}

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
      return `${who(event.player_id, "bid")} ${sayBid(event.bid)}.`;
    case "LiarCalled":
      return `${who(event.player_id, "call")} liar.`;
    case "ExactCalled":
      return `${who(event.player_id, "call")} exact.`;
    case "SharedDiceRolled":
      return event.table_dice.length ? `On the table: ${event.table_dice.join(", ")}.` : "";
    case "RoundEnded":
      return `${verdict(event.last_bid, event.match_count, event.was_true)} ${consequence(state, me)}`;
    case "GameEnded":
      return event.winner === null ? UNDECIDED : `${who(event.winner, "win")} the game.`;
    case "AgentFaulted":
      return `${capital(names[event.player_id])} gave no valid answer in time: ${instead(event.fallback)}.`;
    default:
      return "";
  }
}
