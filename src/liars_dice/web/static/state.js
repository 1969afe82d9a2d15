// The state is a fold over events: state = events.reduce(step, EMPTY).

import { isRight, plainName, ruling } from "./events.js";
import { inPlay, ladder, matching, text, wildFace } from "./ladder.js";

/** @typedef {import("./events.js").GameEvent} GameEvent */
/** @typedef {import("./ladder.js").Bid} Bid */
/** @typedef {import("./ladder.js").Config} Config */
/** @typedef {{ seat: number, bid: Bid, rung: number, standIn?: string }} Made standIn: the bot that bid for a player */
/** @typedef {{ bid: Bid, count: number, held: boolean, winner: number, loser: number }} Result */
/**
 * @typedef {object} State
 * @property {Config | null} config
 * @property {string[]} names
 * @property {(string | null)[]} agents
 * @property {number} round counts from 0; -1 before the first
 * @property {boolean} palifico
 * @property {number[]} counts dice each seat has in this round
 * @property {number[]} after dice each seat has once the round is over
 * @property {Bid[]} ladder
 * @property {Made[]} bids this round's
 * @property {number | null} turn whose it is
 * @property {(number[] | null)[]} hands those that are known
 * @property {number[]} open dice on the table that everyone sees
 * @property {number[] | null} covered dice on the table that no one sees before the reveal
 * @property {{ kind: "liar" | "exact", seat: number, standIn?: string } | null} call
 * @property {boolean} revealed
 * @property {Result | null} result of the round
 * @property {number | null} winner of the game
 * @property {boolean} ended whether the game is over, with a winner or without
 * @property {number[]} wins rounds won by each seat
 * @property {GameEvent["type"] | null} last the type of the last event
 */

/** @type {State} */
export const EMPTY = {
  config: null, names: [], agents: [], round: -1, palifico: false, counts: [], after: [], ladder: [], bids: [], turn: null,
  hands: [], open: [], covered: null, call: null, revealed: false, result: null, winner: null, ended: false, wins: [], last: null,
}; // prettier-ignore

/**
 * The next seat that has dice.
 * @param {number[]} counts
 * @param {number} seat
 */
function next(counts, seat) {
  for (let i = 1; i <= counts.length; i++) {
    const other = (seat + i) % counts.length;
    if (counts[other]) return other;
  }
  return seat;
}

/**
 * The state after one more event.
 * @param {State} state
 * @param {GameEvent} event
 * @returns {State}
 */
export function step(state, event) {
  const last = event.type;
  switch (event.type) {
    case "GameCreated":
      return {
        ...EMPTY, last, config: event.config, names: event.names.map(plainName), agents: event.agent_ids ?? [], counts: event.config.dice,
        after: event.config.dice, hands: event.names.map(() => null), wins: event.names.map(() => 0),
        ladder: ladder(event.config, inPlay(event.config, event.config.dice)),
      }; // prettier-ignore
    case "RoundStarted":
      return {
        ...state, last, round: event.round_index, palifico: event.palifico, counts: event.dice_counts, after: event.dice_counts,
        ladder: state.config ? ladder(state.config, inPlay(state.config, event.dice_counts), event.palifico) : [], bids: [], turn: event.opener,
        hands: event.dice_counts.map(() => null), open: [], covered: null, call: null, revealed: false, result: null,
      }; // prettier-ignore
    case "DiceRolled":
      return { ...state, last, hands: state.hands.map((hand, seat) => (seat === event.player_id ? event.dice : hand)) };
    case "SharedDiceRolled":
      return { ...state, last, open: event.table_dice, covered: event.hidden_dice?.length ? event.hidden_dice : null };
    case "BidPlaced": {
      const rung = state.ladder.findIndex((bid) => text(bid) === text(event.bid));
      const bids = [...state.bids, { seat: event.player_id, bid: event.bid, rung, standIn: event.stand_in }];
      return { ...state, last, bids, turn: next(state.counts, event.player_id) };
    }
    case "LiarCalled":
    case "ExactCalled":
      return { ...state, last, turn: null, call: { kind: last === "LiarCalled" ? "liar" : "exact", seat: event.player_id, standIn: event.stand_in } };
    case "DiceRevealed":
      return { ...state, last, turn: null, hands: event.dice, open: event.table_dice ?? [], covered: event.hidden_dice ?? null, revealed: true };
    case "RoundEnded": {
      const { last_bid: bid, match_count: count, was_true: held, winner, loser } = event;
      const wins = state.wins.map((n, seat) => n + Number(seat === winner));
      return { ...state, last, turn: null, after: event.dice_counts, result: { bid, count, held, winner, loser }, wins };
    }
    case "GameEnded":
      return { ...state, last, turn: null, winner: event.winner, ended: true };
    default:
      return state;
  }
}

/** How many dice are in play in this round. @param {State} state */
export const total = (state) => (state.config ? inPlay(state.config, state.counts) : 0);

/**
 * The bid to beat.
 * @param {State} state
 * @returns {Made | null}
 */
export const standing = (state) => state.bids[state.bids.length - 1] ?? null;

/**
 * How many dice count for each face; the first entry is face 1.
 * @param {State} state
 */
export function truth(state) {
  if (!state.revealed || !state.config) return null;
  const all = [...state.hands.flatMap((hand) => hand ?? []), ...state.open, ...(state.covered ?? [])];
  const wild = wildFace(state.config, state.palifico);
  return Array.from({ length: state.config.faces }, (_, i) => matching(all, i + 1, wild));
}

/**
 * The dice of a reveal, and what they say of the bid.
 * @param {Bid} bid
 * @param {number[]} counts
 * @param {State["call"]} call
 */
export function told(bid, counts, call) {
  const right = isRight(bid, counts[bid.face - 1], call);
  return { bid, counts, right, says: ruling(right, call?.kind) };
}

/**
 * A short mark for each seat: its first letter (two where letters repeat), and the number at the end of its name: O and O2 for optimal and optimal 2.
 * Where that is not enough, the number of the seat.
 * @param {string[]} names
 */
export function marks(names) {
  const parts = names.map((name) => {
    const [, word, number] = /^(.*?)[ #]?(\d{0,2})$/.exec(name.trim()) ?? ["", name, ""];
    return { letters: Array.from(word || number || "?"), number: word ? number : "" };
  });
  const mark = (/** @type {number} */ most) => parts.map(({ letters, number }) => (letters[0] ?? "?").toUpperCase() + letters.slice(1, most).join("") + number);
  const [one, two] = [mark(1), mark(2)];
  const once = (/** @type {string[]} */ all, /** @type {string} */ it) => all.indexOf(it) === all.lastIndexOf(it);
  return names.map((_, seat) => (once(one, one[seat]) ? one[seat] : once(two, two[seat]) ? two[seat] : `${parts[seat].letters[0]?.toUpperCase() ?? "?"}${seat + 1}`));
}
