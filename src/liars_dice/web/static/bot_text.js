// The bots for people: their characters, how strong they are, and which to choose from.

import { avatar } from "./avatars.js";
import { h } from "./dom.js";

/** @typedef {import("./api.js").Agent} Agent */

/** What kind of player each bot is. @type {Record<string, string>} */
const CHARACTERS = {
  random: "Rolls dice to decide. Loses to everyone, and does not mind.",
  truthful: "Calls impossible bids, and otherwise makes the lowest bid that can be true, if there is one.",
  conservative: "Cautious: bids little more than it holds, and calls early.",
  maniac: "Loud: bluffs often, and hardly ever calls.",
  passive: "Gentle: honest bids, and rarely a call.",
  "calling-station": "Honest and suspicious: bids what it holds, calls what it doubts.",
  sniper: "Waits, then jumps to the highest bid that is likely. Loves exact calls.",
  aggressive: "Pushes: bluffs often and calls readily.",
  optimal: "Solid: the best of a published grid of simple bots.",
  probabilistic: "A bookkeeper: takes the best odds, given its own dice.",
  crawler: "Creeps up: always the lowest raise, so the trouble is yours.",
  bluffer: "One raise in four is a bluff. Guess which.",
  detective: "Listens to every bid and draws its conclusions.",
  "champion:easy": "The champion for beginners: nine moves in ten are those of aggressive.",
  "champion:medium": "The champion for practice: three moves in five are those of aggressive.",
  "champion:hard": "Nearly the champion: three moves in ten are those of aggressive.",
  champion: "Learned Perudo from billions of decisions, and gives little away to anyone.",
  reader: "Starts as the champion does, finds out how you play, and answers that. First in our league.",
  nash: "Plays perfectly where the game is solved: two players with few dice.",
};

/** What the numbers mean. */
export const RATING_NOTE = "Ratings were measured in our own leagues of 3,600 games of Perudo at tables of six. 25 is the middle; two bots that are less than three apart may be equals.";

/** Bots of different styles for a table with several. */
const MATES = ["optimal", "maniac", "calling-station", "bluffer", "conservative", "sniper", "detective"];

/** The strongest players, and the levels of one of them; they come last in lists. */
const MASTERS = /^(champion\b|reader$|nash$)/;

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

/**
 * Bots in groups, from easy to hard.
 * @param {Agent[]} bots
 * @returns {[string, Agent[]][]}
 */
function byStrength(bots) {
  const sorted = [...bots].sort((a, b) => (a.rating ?? 99) - (b.rating ?? 99));
  const rated = sorted.filter((bot) => bot.rating && !MASTERS.test(bot.name));
  const third = Math.ceil(rated.length / 3);
  const masters = sorted.filter((bot) => MASTERS.test(bot.name)).sort((a, b) => Number(a.name === "nash") - Number(b.name === "nash"));
  /** @type {[string, Agent[]][]} */
  const groups = [["Easy", rated.slice(0, third)], ["Medium", rated.slice(third, 2 * third)], ["Hard", rated.slice(2 * third)], ["Champion and perfect play", masters], ["Added by this server", sorted.filter((bot) => !bot.rating && !MASTERS.test(bot.name))]];
  return groups.filter(([, those]) => those.length);
}

/**
 * A list to choose a bot from, easy ones first.
 * @param {Agent[]} bots
 * @param {[string, string][]} people choices before the bots: value and text
 * @param {string} value
 * @param {(value: string) => void} onchange
 * @param {string} label
 */
export function chooseBot(bots, people, value, onchange, label) {
  const option = (/** @type {string} */ key, /** @type {string} */ text) => h("option", { value: key }, text);
  const named = (/** @type {Agent} */ bot) => option(bot.name, `${people.length ? "Bot: " : ""}${bot.name}${bot.rating ? ` (${bot.rating})` : ""}`);
  return h(
    "select",
    { value, "aria-label": label, onchange: (/** @type {Event} */ e) => onchange(/** @type {HTMLSelectElement} */ (e.target).value) },
    people.map(([key, text]) => option(key, text)),
    byStrength(bots).map(([group, those]) => h("optgroup", { label: group }, those.map(named))),
  );
}

/** @param {Agent | undefined} bot */
function character(bot) {
  const words = bot?.summary ?? "";
  return (bot && CHARACTERS[bot.name]) ?? (words && `${words.charAt(0).toUpperCase()}${words.slice(1)}.`);
}

/**
 * A line of a list of seats: a face, what to choose from, and what kind of player it is.
 * @param {number} seat
 * @param {string} who a bot's name, or who else sits there
 * @param {Agent[]} bots
 * @param {HTMLElement} input
 * @param {Record<string, string>} playsAs the bots that are not made for the rules, and what each plays as
 * @param {string} [words] for people
 */
export function seatLine(seat, who, bots, input, playsAs, words = "") {
  const bot = bots.find((b) => b.name === who);
  const rating = bot?.rating ? ` Rating ${bot.rating}.` : "";
  const about = playsAs[who] ? ` It is not made for these rules: it plays as ${playsAs[who]}.` : rating;
  const looks = who === "open" ? h("span", { class: `token seat-${seat % 8}`, "aria-hidden": "true" }, "?") : h("span", { class: `face seat-${seat % 8}`, "aria-hidden": "true" }, avatar(bot ? who : null, bot ? who : words));
  return h("li", {}, looks, input, h("small", {}, bot ? `${character(bot)}${about}` : who === "open" ? words : ""));
}
