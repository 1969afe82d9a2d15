// The list of recorded games: yours or everybody's, with filters and a search.

import { createRoom, get, myGames } from "../api.js";
import { busily, field, h, say, select } from "../dom.js";
import { plainName } from "../events.js";
import { go } from "../router.js";
import { ownName } from "../settings.js";

/** How many games are listed at a time. */
const MANY = 30;
/** After this many milliseconds without another key, a search begins. */
const PAUSE = 300;

/** @typedef {{ id: string, when: string, rules: string, names: string[], winner: number | null, rounds: number, finished: boolean, seat: number | null }} ListedGame */

/** @param {ListedGame} game */
function facts(game) {
  const when = new Date(game.when);
  const day = when.toLocaleDateString(undefined, { day: "numeric", month: "short" });
  const time = when.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  const result = game.winner !== null ? `${plainName(game.names[game.winner])} won` : game.finished ? "over" : "not finished";
  return [result, game.rules, `${game.rounds} ${game.rounds === 1 ? "round" : "rounds"}`, `${day}, ${time}`].map((part) => part.replaceAll(" ", "\u00a0")).join(" · ");
}

/** @param {ListedGame} game */
export const gameLine = (game) => h("li", {}, h("a", { href: `/replay/${game.id}` }, game.names.map(plainName).join(" – ")), h("small", {}, facts(game)));

/** @param {ListedGame} game */
function row(game) {
  const won = game.seat === game.winner;
  const outcome = game.seat === null || game.winner === null ? "" : won ? "Won" : "Lost";
  return h(
    "li",
    {},
    h("span", { class: `outcome ${outcome.toLowerCase()}` }, outcome),
    h("a", { href: `/replay/${game.id}` }, game.names.map(plainName).join(" – ")),
    game.finished && h("a", { class: "to-review", href: `/review/${game.id}`, "aria-label": `Review of ${game.names.map(plainName).join(" – ")}` }, "Review"),
    h("small", {}, facts(game)),
  );
}

/**
 * What the server is asked for to list your own games: those this browser played in, and those of your name.
 * @returns {Record<string, string>}
 */
export function mineOnly() {
  const name = ownName();
  const games = myGames().map(({ game, seat }) => `${game}@${seat}`);
  return { ...(name ? { player: name } : {}), ...(games.length ? { mine: games.join(",") } : {}) };
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

class GameList {
  /** @param {() => Record<string, string>} wanted what the list is to have */
  constructor(wanted) {
    this.wanted = wanted;
    this.list = h("ul", { class: "games panel" });
    this.none = h("p", { class: "muted", role: "status" });
    this.more = h("button", { type: "button", class: "plain", onclick: () => busily(this.more, () => this.load(false)) }, "Older games");
    this.element = h("div", { class: "lab-stack" }, this.list, this.none, h("div", { class: "row" }, this.more));
    /** @type {string | null} */
    this.after = null;
    this.asked = 0;
  }

  /**
   * @param {boolean} anew from the newest on
   * @returns {Promise<number>} how many games are shown
   */
  async load(anew) {
    const mine = ++this.asked;
    const query = new URLSearchParams({ limit: String(MANY), ...this.wanted() });
    if (!anew && this.after) query.set("after", this.after);
    try {
      const { games, more } = await get(`/games?${query}`);
      if (mine !== this.asked) return 0; // another search has begun
      if (anew) this.list.replaceChildren();
      this.list.append(...games.map(row));
      this.after = more;
    } catch (error) {
      if (mine === this.asked) this.none.textContent = error instanceof Error ? error.message : String(error);
      return 0;
    }
    const shown = this.list.childElementCount;
    this.list.hidden = !shown;
    this.more.hidden = this.after === null;
    this.more.textContent = shown ? "Older games" : "Search older games";
    this.none.textContent = shown ? "" : this.after === null ? "No games like this." : "No games like this among the newest two thousand.";
    return shown;
  }
}

/** @type {import("../router.js").MakePage} */
export async function page({ query }) {
  const known = Object.keys(mineOnly()).length > 0;
  const at = { whose: query.get("whose") ?? (known ? "mine" : "all"), rules: query.get("rules") ?? "", result: query.get("result") ?? "", search: query.get("search") ?? "" };
  const filter = () => ({
    ...(at.whose === "mine" ? mineOnly() : {}),
    ...(at.rules ? { rules: at.rules } : {}),
    ...(at.result && at.whose === "mine" && known ? { result: at.result } : {}),
    ...(at.search.trim() ? { search: at.search.trim() } : {}),
  });
  const finished = new GameList(() => ({ state: "finished", ...filter() }));
  const open = new GameList(() => {
    const { result: _, ...rest } = /** @type {Record<string, string>} */ (filter());
    return { state: "unfinished", ...rest };
  });
  const unfinished = h("details", { class: "unfinished" }, h("summary", {}, "Unfinished games"), open.element);
  unfinished.addEventListener("toggle", () => unfinished.open && open.load(true));
  const changed = async () => {
    const address = new URLSearchParams(Object.entries(at).filter(([key, value]) => value && !(key === "whose" && value === (known ? "mine" : "all"))));
    history.replaceState(null, "", `/replays${address.size ? `?${address}` : ""}`);
    result.disabled = at.whose !== "mine" || !known;
    const shown = await finished.load(true);
    if (unfinished.open) await open.load(true);
    say(shown ? `${shown} games` : "No games like this.");
  };
  const rules = await get("/rules").catch(() => ({ presets: {} }));
  const result = select([["", "any result"], ["won", "I won"], ["lost", "I lost"]], at.result, (to) => ((at.result = to), changed()));
  const whose = select([["mine", "my games"], ["all", "everybody’s"]], at.whose, (to) => ((at.whose = to), changed()));
  let timer = 0;
  const search = h("input", { type: "search", value: at.search, maxlength: "60", placeholder: "a player’s name", oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(() => ((at.search = search.value), changed()), PAUSE);
  } });
  const filters = h(
    "form",
    { class: "filters", role: "search", onsubmit: (/** @type {Event} */ e) => e.preventDefault() },
    field("Whose games", whose),
    field("Rules", select([["", "any rules"], ...Object.keys(rules.presets).map((name) => /** @type {[string, string]} */ ([name, name])), ["custom", "other rules"]], at.rules, (to) => ((at.rules = to), changed()))),
    field("Result", result),
    field("Search", search),
  );
  result.disabled = at.whose !== "mine" || !known;
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  let found = at.whose === "mine" && !known ? 0 : await finished.load(true);
  if (!found && !query.size) {
    at.whose = "all";
    found = await finished.load(true);
  }
  whose.value = at.whose;
  const any = found || query.size || (await get("/games?limit=1")).games.length;
  const quick = h("button", {
    type: "button",
    class: any ? "plain" : "primary big",
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
  const element = any
    ? h("div", { class: "page" }, h("header", {}, h("h1", {}, "Replays"), h("p", { class: "lead" }, "Every game is recorded, move by move. Open one to step through it, see all dice, or play on from any moment.")), filters, finished.element, unfinished, h("div", { class: "row" }, quick, h("a", { class: "button", href: "/player" }, "Player card")), problem)
    : h("div", { class: "page narrow empty" }, h("h1", {}, "No games yet"), h("p", { class: "lead" }, "Every game you play or watch is recorded here, move by move. Let two bots play a quick one to see what a replay looks like."), quick, problem);
  return { title: "Replays", element };
}
