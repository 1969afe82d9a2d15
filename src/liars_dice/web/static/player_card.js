// What anyone could know of a player, from finished rounds: a card of sentences under headings.

import { get } from "./api.js";
import { h } from "./dom.js";
import { plainName } from "./events.js";

/** @typedef {{ player: string, rounds: number, basis: string, sections: { heading: string, told: string[] }[], calling: { odds_from: number, odds_to: number, called: number, of: number }[] }} PlayerCard */

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)}%`;

/**
 * How often bids are called, by how likely they are to hold.
 * @param {PlayerCard["calling"]} steps
 */
function callingCurve(steps) {
  const rows = steps.map(({ odds_from, odds_to, called, of }) => h("tr", {}, h("td", {}, `${percent(odds_from)} to ${percent(odds_to)}`), h("td", {}, h("meter", { min: 0, max: 1, value: String(called / of), "aria-hidden": "true" })), h("td", {}, `${percent(called / of)} of ${of}`)));
  return h("table", { class: "calling" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "The bid holds"), h("th", { scope: "col" }, "Share"), h("th", { scope: "col" }, "Called"))), h("tbody", {}, ...rows));
}

/** @param {PlayerCard} card */
export function playerCard(card) {
  const nothing = h("p", { class: "muted" }, "That is too little to say anything.");
  return h(
    "div",
    { class: "player-card" },
    h("p", { class: "muted" }, card.basis),
    ...(card.sections.length ? card.sections.map(({ heading, told }) => h("section", {}, h("h3", {}, heading), ...(heading === "Calling" ? [callingCurve(card.calling), ...told.slice(1).map((line) => h("p", {}, line))] : told.map((line) => h("p", {}, line))))) : [nothing]),
  );
}

/**
 * "What they could know of you": looked up when it is opened.
 * @param {string} game the id of a finished game
 * @param {number | null} seat your own
 * @param {string[]} names
 */
export function knownOfYou(game, seat, names) {
  if (seat === null) return null;
  const body = h("div", { "aria-live": "polite" }, h("p", { class: "muted" }, "Looking…"));
  const own = `/player?name=${encodeURIComponent(names[seat])}`;
  const box = h("details", { class: "panel known-of-you" }, h("summary", {}, "What they could know of you"), body);
  let asked = false;
  box.addEventListener("toggle", async () => {
    if (!box.open || asked) return;
    asked = true;
    try {
      const card = await get(`/games/${encodeURIComponent(game)}/known?seat=${seat}`);
      body.replaceChildren(h("p", {}, `All dice were shown after every round, so this is what the others could find out about ${plainName(names[seat])} in this game.`), playerCard(card), h("p", {}, h("a", { href: own }, "From all finished games")));
    } catch (error) {
      asked = false;
      body.replaceChildren(h("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  });
  return box;
}
