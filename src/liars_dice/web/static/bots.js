// What the bots are like, for people who have never met them.

/** @typedef {import("./api.js").Agent} Agent */

/** @type {Record<string, string>} */
const ABOUT = {
  optimal: "Hard to read and hard to beat: it won a published tournament.",
  truthful: "Never says or accepts the impossible.",
  nash: "Plays perfectly in rounds that are solved: two players, few dice.",
};

/** @param {Agent | undefined} bot */
export function aboutBot(bot) {
  const words = bot?.summary.replace(/^thresholds [\d., ]+: /, "") ?? "";
  return (bot && ABOUT[bot.name]) ?? (words && `${words.charAt(0).toUpperCase()}${words.slice(1)}.`);
}
