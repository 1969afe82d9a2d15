// Short descriptions of the bots.

/** @typedef {import("./api.js").Agent} Agent */

/** @type {Record<string, string>} */
const ABOUT = {
  optimal: "The best of a published grid of simple bots: a solid opponent.",
  truthful: "Never makes an impossible bid, and never accepts one.",
  champion: "Learned Perudo from billions of decisions: the strongest opponent here.",
  nash: "Plays perfectly where the game is solved: two players with few dice.",
};

/** Bots of different styles for a table with several. */
const MATES = ["optimal", "maniac", "calling-station", "bluffer", "conservative", "sniper", "detective"];

/**
 * A bot for one more seat at a table, of another style than those there as long as there is one.
 * @param {Agent[]} bots that can play at this table
 * @param {string[]} there
 */
export function tableMate(bots, there) {
  const able = MATES.filter((name) => bots.some((bot) => bot.name === name));
  const seated = (/** @type {string} */ name) => there.filter((other) => other === name).length;
  return able.reduce((best, name) => (seated(name) < seated(best) ? name : best), able[0] ?? bots[0]?.name ?? "optimal");
}

/** @param {Agent | undefined} bot */
export function aboutBot(bot) {
  const words = bot?.summary.replace(/^thresholds [\d., ]+: /, "") ?? "";
  return (bot && ABOUT[bot.name]) ?? (words && `${words.charAt(0).toUpperCase()}${words.slice(1)}.`);
}
