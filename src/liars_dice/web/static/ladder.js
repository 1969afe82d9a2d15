// The bids of a round in order, which of them are legal, and how likely each is: rules 3, 4 and 7.

/** @typedef {{ quantity: number, face: number }} Bid */
/**
 * @typedef {object} Config
 * @property {number[]} dice
 * @property {number} table_dice open dice that belong to no player
 * @property {number} hidden_dice covered dice that belong to no player
 * @property {number} faces
 * @property {"none" | "ones" | "top"} wild
 * @property {"quantity_then_face" | "liars_dice_standard" | "perudo"} bid_ordering
 * @property {"natural" | "forbidden"} wild_bids
 * @property {"total" | number} max_quantity
 * @property {boolean} exact_call
 * @property {"single_round" | "elimination" | "best_of"} mode
 * @property {number | null} rounds
 * @property {number | null} max_dice
 * @property {"bidder" | "nobody"} exact_payer
 * @property {"loser" | "winner" | "alternate"} next_opener
 * @property {number} opening_min_quantity
 * @property {boolean} open_on_ones
 * @property {boolean} palifico
 * @property {number | null} max_turns
 */

/** @type {Config} */
export const DUEL = {
  dice: [2, 3], table_dice: 0, hidden_dice: 0, faces: 6, wild: "none", bid_ordering: "quantity_then_face", wild_bids: "natural", max_quantity: "total",
  exact_call: false, mode: "single_round", rounds: null, max_dice: null, exact_payer: "bidder", next_opener: "loser", opening_min_quantity: 1,
  open_on_ones: true, palifico: false, max_turns: null,
}; // prettier-ignore

/**
 * How many dice are in play when the seats have these.
 * @param {Config} config
 * @param {number[]} counts
 */
export const inPlay = (config, counts) => counts.reduce((a, b) => a + b, config.table_dice + config.hidden_dice);

/** @param {Bid} bid */
export const text = (bid) => `${bid.quantity}x${bid.face}`;

/**
 * @param {string} written for example 3x4
 * @returns {Bid | null}
 */
export function parse(written) {
  const found = /^(\d+)x(\d+)$/.exec(written);
  return found && { quantity: Number(found[1]), face: Number(found[2]) };
}

/** @type {Record<string, (bid: Bid) => number[]>} */
const KEYS = {
  quantity_then_face: (b) => [b.quantity, b.face],
  liars_dice_standard: (b) => [b.face, b.quantity],
  perudo: (b) => (b.face === 1 ? [2 * b.quantity, 1, 0] : [b.quantity, 0, b.face]),
};

/**
 * @param {Config} config
 * @param {boolean} [palifico]
 */
export function wildFace(config, palifico = false) {
  if (palifico || config.wild === "none") return null;
  return config.wild === "ones" ? 1 : config.faces;
}

/**
 * All bids of a round with this many dice, lowest first.
 * @param {Config} config
 * @param {number} total
 * @param {boolean} [palifico]
 * @returns {Bid[]}
 */
export function ladder(config, total, palifico = false) {
  const most = config.max_quantity === "total" ? total : config.max_quantity;
  const barred = config.wild_bids === "forbidden" ? wildFace(config, palifico) : null;
  const key = KEYS[palifico ? "quantity_then_face" : config.bid_ordering] ?? KEYS.quantity_then_face;
  /** @type {[number[], Bid][]} */
  const keyed = [];
  for (let quantity = 1; quantity <= most; quantity++) {
    for (let face = 1; face <= config.faces; face++) {
      if (face !== barred) keyed.push([key({ quantity, face }), { quantity, face }]);
    }
  }
  keyed.sort(([a], [b]) => a[0] - b[0] || a[1] - b[1] || (a[2] ?? 0) - (b[2] ?? 0));
  return keyed.map(([, bid]) => bid);
}

/**
 * The rungs that may be bid now, from the public state.
 * @param {import("./state.js").State} state
 * @returns {Set<number>}
 */
export function legalRungs(state) {
  const { config, ladder: bids, bids: made, palifico, turn } = state;
  const legal = new Set();
  if (turn === null || !config) return legal;
  const least = Math.min(config.opening_min_quantity, Math.max(...bids.map((b) => b.quantity)));
  const rung = made.length ? made[made.length - 1].rung : -1;
  if (made.length && config.max_turns !== null && made.length >= config.max_turns) return legal;
  const kept = palifico && made.length && state.counts[turn] > 1 ? made[0].bid.face : null;
  bids.forEach((bid, i) => {
    if (i <= rung || (kept !== null && bid.face !== kept)) return;
    if (rung < 0 && (bid.quantity < least || (bid.face === 1 && !config.open_on_ones && !palifico))) return;
    legal.add(i);
  });
  return legal;
}

/**
 * How many of these dice count for a face.
 * @param {number[]} dice
 * @param {number} face
 * @param {number | null} wild
 */
export const matching = (dice, face, wild) => dice.filter((d) => d === face || (wild !== null && d === wild)).length;

/**
 * The chance that at least `k` of `n` dice match, each with chance `p`.
 * @param {number} n
 * @param {number} k
 * @param {number} p
 */
function atLeast(n, k, p) {
  if (k <= 0) return 1;
  if (k > n) return 0;
  if (p >= 1) return 1;
  let term = (1 - p) ** n; // none match
  let below = 0;
  for (let i = 0; i < k; i++) {
    below += term;
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
  }
  return Math.min(1, Math.max(0, 1 - below));
}

/**
 * The chance that a bid holds, given the dice you see.
 * @param {Bid} bid
 * @param {number[]} known
 * @param {number} total
 * @param {number} faces
 * @param {number | null} wild
 */
export function chance(bid, known, total, faces, wild) {
  const p = (wild === null || wild === bid.face ? 1 : 2) / faces;
  return atLeast(total - known.length, bid.quantity - matching(known, bid.face, wild), p);
}

/**
 * The chance that exactly as many dice match as a bid says, given the dice you see.
 * @param {Bid} bid
 * @param {number[]} known
 * @param {number} total
 * @param {number} faces
 * @param {number | null} wild
 */
export const chanceExact = (bid, known, total, faces, wild) => chance(bid, known, total, faces, wild) - chance({ ...bid, quantity: bid.quantity + 1 }, known, total, faces, wild);

/** A chance as it is shown. @param {number} p */
export const percent = (p) => (p > 0 && p < 0.005 ? "<1" : p < 1 && p > 0.995 ? ">99" : String(Math.round(p * 100)));
