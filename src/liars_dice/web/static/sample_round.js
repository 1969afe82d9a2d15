// A short example round for the home page and the rules.

import { DUEL } from "./ladder.js";

/** @type {import("./events.js").GameEvent[]} */
export const sample = [
  { type: "GameCreated", config: { ...DUEL, dice: [3, 3] }, names: ["Ann", "Bob"], agent_ids: [null, null] },
  { type: "RoundStarted", round_index: 0, opener: 0, dice_counts: [3, 3], palifico: false },
  { type: "BidPlaced", player_id: 0, bid: { quantity: 1, face: 3 } },
  { type: "BidPlaced", player_id: 1, bid: { quantity: 1, face: 5 } },
  { type: "BidPlaced", player_id: 0, bid: { quantity: 2, face: 3 } },
  { type: "BidPlaced", player_id: 1, bid: { quantity: 3, face: 5 } },
  { type: "LiarCalled", player_id: 0 },
  { type: "DiceRevealed", dice: [[3, 3, 6], [1, 5, 5]] },
  { type: "RoundEnded", winner: 0, loser: 1, last_bid: { quantity: 3, face: 5 }, match_count: 2, was_true: false, dice_counts: [3, 3] },
]; // prettier-ignore
