// The rules in words: labels of fields and values, and a rule set in one line.

import { diceCount, faces } from "./events.js";

/** @typedef {import("./ladder.js").Config} Config */

/** The presets: a title and a short description. @type {Record<string, [string, string]>} */
export const PRESETS = {
  "heads-up": ["Heads-up", "Two players, five dice each. Lose a round, lose a die."],
  "perudo-tournament": ["Perudo as most people know it", "Two to six players. Ones are wild, palifico rounds, no opening on ones."],
  perudo: ["Perudo, simple", "The same without palifico, and opening on ones is allowed."],
  duel: ["Duel", "One round, two dice against three. Over in a minute."],
  classic: ["Classic", "One round, five dice each."],
  openspiel: ["One die", "One die each, sixes are wild. The smallest game with a bluff."],
};

/** Each field's label, the meaning of an empty input, the labels of its choices, and a note in place of the server's. @type {Record<string, { label: string, empty?: string, choices?: Record<string, string>, note?: string }>} */
export const FIELDS = {
  dice: { label: "Dice per seat", note: "One number per seat, for example 2, 3. The first seat opens" },
  table_dice: { label: "Open dice on the table" },
  hidden_dice: { label: "Covered dice on the table" },
  faces: { label: "Faces per die" },
  wild: { label: "Wild face", choices: { none: "none", ones: "ones", top: "the highest" } },
  bid_ordering: { label: "Order of bids", choices: { quantity_then_face: "quantity, then face", liars_dice_standard: "face, then quantity", perudo: "perudo (ones count double)" } },
  wild_bids: { label: "Bids on the wild face", choices: { natural: "allowed", forbidden: "not allowed" } },
  max_quantity: { label: "Highest quantity", empty: "all dice", note: "The highest quantity that may be bid" },
  exact_call: { label: "Exact calls" },
  mode: { label: "Length of the game", choices: { single_round: "one round", elimination: "until one player has dice left", best_of: "best of several rounds" }, note: "How the game ends" },
  rounds: { label: "Best of how many rounds", empty: "–", note: "Only for the best of several rounds" },
  max_dice: { label: "Most dice per player", empty: "as at the start" },
  exact_payer: { label: "A right exact call costs a die", choices: { bidder: "the bidder", nobody: "nobody" } },
  next_opener: { label: "Next round is opened by", choices: { loser: "the loser", winner: "the winner", alternate: "each in turn" } },
  opening_min_quantity: { label: "Lowest first quantity" },
  open_on_ones: { label: "May open on ones" },
  palifico: { label: "Palifico rounds" },
  max_turns: { label: "Most bids per round", empty: "no limit" },
};

/**
 * A rule set in short phrases, without what is usual.
 * @param {Config} config
 */
export function describe(config) {
  const { dice } = config;
  const alike = dice.every((n) => n === dice[0]);
  const phrases = [alike ? `${diceCount(dice[0])} each` : `${dice.join(", ")} dice`];
  if (config.table_dice) phrases.push(`${diceCount(config.table_dice)} open on the table`);
  if (config.hidden_dice) phrases.push(`${diceCount(config.hidden_dice)} covered on the table`);
  if (config.faces !== 6) phrases.push(`dice with ${config.faces} faces`);
  phrases.push(config.mode === "single_round" ? "one round" : config.mode === "best_of" ? `best of ${config.rounds} rounds` : "lose a round, lose a die");
  if (config.wild !== "none") phrases.push(`${faces(config.wild === "ones" ? 1 : config.faces)} are wild${config.wild_bids === "forbidden" ? " and cannot be bid" : ""}`);
  if (config.bid_ordering === "liars_dice_standard") phrases.push("a higher face beats any quantity");
  if (config.bid_ordering === "perudo") phrases.push("bids on ones count double");
  if (config.exact_call) phrases.push(config.exact_payer === "nobody" ? "exact calls, which cost the bidder nothing" : "exact calls");
  if (config.max_dice !== null) phrases.push(`up to ${diceCount(config.max_dice)} per player`);
  if (config.next_opener !== "loser") phrases.push(config.next_opener === "winner" ? "the winner opens the next round" : "each in turn opens a round");
  if (config.palifico) phrases.push("palifico rounds");
  if (config.max_quantity !== "total") phrases.push(`at most ${config.max_quantity} of a face`);
  if (config.opening_min_quantity > 1) phrases.push(`the first bid is at least ${config.opening_min_quantity}`);
  if (!config.open_on_ones) phrases.push("no opening on ones");
  if (config.max_turns !== null) phrases.push(`at most ${config.max_turns} bids per round`);
  return phrases;
}
