// "Play on from here": a recorded game continues in a practice room, with the bots of the game in the other seats.

import { agents, keepToken, post } from "./api.js";
import { busily, field, h, select } from "./dom.js";
import { plainName } from "./events.js";
import { go } from "./router.js";
import { ownName } from "./settings.js";

/** The bot that plays in place of people, and of bots that are not on offer. */
const STAND_IN = "optimal";

/**
 * Makes a room that continues a game from before a turn, and goes there.
 * @param {string} game
 * @param {{ turn: number, seat: number, opponents?: string[] }} wish opponents: those of the game by default
 */
export async function playOn(game, { turn, seat, opponents = [] }) {
  const made = await post(`/games/${encodeURIComponent(game)}/branch`, { turn, seat, opponents, name: ownName() ?? "" });
  keepToken(made.room, made.token, made.seat);
  await go(`/room/${made.room}`);
}

export class PlayOn {
  /**
   * @param {string} game
   * @param {string[]} names
   * @param {(string | null)[]} recorded who played, as recorded
   * @param {number} seat that you take, unless you choose another
   */
  constructor(game, names, recorded, seat) {
    this.turn = 1;
    this.names = names.map(plainName);
    this.words = h("p", { class: "muted" });
    const others = h("div", { class: "grid" });
    /** Who plays in each seat but yours. @type {Map<number, string>} */
    const players = new Map();
    const problem = h("p", { class: "error", role: "alert", hidden: true });
    const fill = async () => {
      const n = names.length;
      const bots = (await agents()).filter((b) => !b.players || (b.players[0] <= n && n <= b.players[1]));
      names.forEach((_, i) => players.has(i) || players.set(i, bots.find((b) => b.name === recorded[i]?.replace(/#\d+$/, ""))?.name ?? STAND_IN));
      others.replaceChildren(
        field("Play as", select(this.names.map((name, i) => [String(i), name]), String(seat), (to) => ((seat = Number(to)), fill()))),
        ...this.names.flatMap((name, i) => (i === seat ? [] : [field(`${name} is played by`, select(bots.map((b) => [b.name, b.name]), players.get(i) ?? STAND_IN, (to) => players.set(i, to)))])),
      );
    };
    const begin = h("button", {
      type: "button",
      class: "plain",
      onclick: () =>
        busily(begin, async () => {
          problem.hidden = true;
          try {
            await playOn(game, { turn: this.turn, seat, opponents: names.flatMap((_, i) => (i === seat ? [] : [players.get(i) ?? STAND_IN])) });
          } catch (error) {
            problem.hidden = false;
            problem.textContent = error instanceof Error ? error.message : String(error);
          }
        }),
    }, "Play on");
    this.element = h("details", { class: "branch" }, h("summary", {}, "Play on from here"), h("div", { class: "panel" }, this.words, others, h("div", { class: "row" }, begin), problem));
    this.element.addEventListener("toggle", () => this.element.open && !others.childElementCount && fill());
  }

  /**
   * Says where the game would continue.
   * @param {number} turn
   * @param {string} whose
   */
  show(turn, whose) {
    this.turn = turn;
    this.words.textContent = `The game continues before move ${turn} (${whose}’s), with the same opponents, the same dice in this round and new ones later. The recorded game does not change.`;
  }
}
