// Short descriptions of the bots.

/** @typedef {import("./api.js").Agent} Agent */

/** @type {Record<string, string>} */
const ABOUT = {
  optimal: "The best of a published grid of simple bots: a solid opponent.",
  truthful: "Never makes an impossible bid, and never accepts one.",
  champion: "Learned Perudo from billions of decisions: the strongest opponent here.",
  nash: "Plays perfectly where the game is solved: two players with few dice.",
};

/** @param {Agent | undefined} bot */
export function aboutBot(bot) {
  const words = bot?.summary.replace(/^thresholds [\d., ]+: /, "") ?? "";
  return (bot && ABOUT[bot.name]) ?? (words && `${words.charAt(0).toUpperCase()}${words.slice(1)}.`);
}
