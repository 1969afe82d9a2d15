// The list of recorded games.

import { createRoom, get } from "../api.js";
import { h, say } from "../dom.js";
import { plainName } from "../events.js";
import { go } from "../router.js";

/** @param {any} game */
export function gameLine(game) {
  const winner = typeof game.winner === "number" ? plainName(game.names[game.winner]) : game.winner;
  const when = new Date(game.when);
  const day = when.toLocaleDateString(undefined, { day: "numeric", month: "short" });
  const time = when.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return h(
    "li",
    {},
    h("a", { href: `/replay/${game.id}` }, game.names.map(plainName).join(" – ")),
    h("small", {}, [winner ? `${winner} won` : game.finished ? "over" : "not finished", game.rules, `${game.rounds} ${game.rounds === 1 ? "round" : "rounds"}`, `${day}, ${time}`].map((part) => part.replaceAll(" ", "\u00a0")).join(" · ")),
  );
}

/**
 * Lets two bots play a short game without pauses.
 * @returns {Promise<string>} the address of its replay
 */
export async function quickGame() {
  const room = await createRoom({ rules: "heads-up", changes: { dice: [3, 3] }, seats: [{ kind: "bot", agent: "optimal" }, { kind: "bot", agent: "bluffer" }], delay_ms: 0 });
  for (let tries = 0; tries < 100; tries++) {
    const now = await get(`/rooms/${room}`);
    if (now.status === "over" && now.game_id) return `/replay/${now.game_id}`;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return `/room/${room}`;
}

/** @type {import("../router.js").MakePage} */
export async function page() {
  const list = h("ul", { class: "lines panel" });
  const more = h("button", { type: "button", class: "plain" }, "Older games");
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  /** @type {string | null} */
  let last = null;
  const load = async () => {
    const { games } = await get(`/games?limit=30${last ? `&after=${encodeURIComponent(last)}` : ""}`);
    list.append(...games.map(gameLine));
    last = games.length ? games[games.length - 1].id : last;
    more.hidden = games.length < 30;
    return games.length;
  };
  more.addEventListener("click", () => load().catch((e) => ((problem.hidden = false), (problem.textContent = e.message))));
  const found = await load();
  const quick = h("button", {
    type: "button",
    class: found ? "plain" : "primary big",
    onclick: async () => {
      quick.disabled = true;
      quick.textContent = "Two bots are playing…";
      say("Two bots are playing.");
      try {
        go(await quickGame());
      } catch (error) {
        quick.disabled = false;
        problem.hidden = false;
        problem.textContent = error instanceof Error ? error.message : String(error);
      }
    },
  }, "Play a bot game and replay it");
  const element = found
    ? h("div", { class: "page" }, h("header", {}, h("h1", {}, "Replays"), h("p", { class: "lead" }, "Every game is recorded, move by move. Open one to step through it, see all dice, or play on from any moment.")), list, h("div", { class: "row" }, more, quick, h("a", { class: "button", href: "/player" }, "Player card")), problem)
    : h("div", { class: "page narrow empty" }, h("h1", {}, "No games yet"), h("p", { class: "lead" }, "Every game you play or watch is recorded here, move by move. Let two bots play a quick one to see what a replay looks like."), quick, problem);
  return { title: "Replays", element };
}
