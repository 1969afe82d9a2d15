// What anyone could know of a player, from finished rounds: a card of sentences under headings.

import { get } from "./api.js";
import { h } from "./dom.js";
import { plainName } from "./events.js";

/** @typedef {{ player: string, rounds: number, basis: string, sections: { heading: string, told: string[] }[] }} PlayerCard */

/** @param {PlayerCard} card */
export function playerCard(card) {
  const nothing = h("p", { class: "muted" }, "That is too little to say anything.");
  return h(
    "div",
    { class: "player-card" },
    h("p", { class: "muted" }, card.basis),
    ...(card.sections.length ? card.sections.map(({ heading, told }) => h("section", {}, h("h3", {}, heading), ...told.map((line) => h("p", {}, line)))) : [nothing]),
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
