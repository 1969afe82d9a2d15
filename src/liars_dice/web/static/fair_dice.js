// Fair dice in plain words: a fingerprint before the first roll, the players' own words, and the secret at the end.

import { get, post, token } from "./api.js";
import { busily, h } from "./dom.js";
import { load, save } from "./storage.js";

/** @typedef {{ commitment: string, entropy: string[], secret: string | null, first_round: number }} Fairness as the API has it */

/** As many characters as the server accepts. */
const MOST = 100;

/** What a player adds to the dice. */
export const wordsInput = () => h("input", { type: "text", maxlength: MOST, placeholder: "any words or numbers", autocomplete: "off", spellcheck: "false" });

export const WORDS_LABEL = "Your words for the dice (optional)";
export const WORDS_NOTE = "The server’s secret and the players’ words together decide the dice, so no one chooses them alone.";

/**
 * Adds a player's words to the dice of a room. The fingerprint is remembered first: the server must not choose its secret
 * when it knows the words.
 * @param {string} room
 * @param {string} words
 */
export async function addWords(room, words) {
  const path = `/rooms/${encodeURIComponent(room)}`;
  remember(room, (await get(path, token(room))).fairness);
  return post(`${path}/entropy`, { token: token(room), entropy: words });
}

/**
 * Remembers the first fingerprint of a game that this browser sees.
 * @param {string} room
 * @param {Fairness | null} fairness
 */
function remember(room, fairness) {
  if (fairness && !fairness.secret && !load(`fair:${room}`)) save(`fair:${room}`, fairness.commitment);
}

/** The fingerprint, the words and, when the game is over, the secret and how to check them. */
export class FairDice {
  constructor() {
    this.body = h("div", { class: "panel fair-dice" });
    this.element = h("details", {}, h("summary", {}, "Fair dice"), this.body);
    this.key = "";
  }

  /**
   * @param {Fairness | null} fairness
   * @param {{ names: string[], game: string | null, room?: string }} about
   */
  show(fairness, { names, game, room }) {
    this.element.hidden = !fairness;
    if (!fairness) return;
    if (room) remember(room, fairness);
    const key = JSON.stringify([fairness, names, game]);
    if (key === this.key) return;
    this.key = key;
    const { commitment, entropy, secret, first_round: first } = fairness;
    const words = entropy.flatMap((text, seat) => (text ? [h("li", {}, h("strong", {}, `${names[seat]}: `), h("code", {}, text))] : []));
    this.body.replaceChildren(
      h("p", {}, secret ? "The game is over, so the server shows the secret that the dice came from." : "Before the first roll the server settled on a secret. This is its fingerprint. When the game is over the server shows the secret, and you can check that it is the same one."),
      first > 0 ? h("p", { class: "muted" }, `This game continues another. The fingerprint is for the dice from round ${first + 1} on.`) : "",
      h("h3", {}, "Fingerprint"),
      h("p", {}, h("code", {}, commitment)),
      ...(words.length ? [h("h3", {}, "Words of the players"), h("ul", {}, words)] : []),
      ...(secret ? [h("h3", {}, "Secret"), h("p", {}, h("code", {}, secret)), this.#check(fairness, game, room ? load(`fair:${room}`) : null)] : []),
    );
  }

  /**
   * How to check the dice, and what this browser can check by itself.
   * @param {Fairness} fairness
   * @param {string | null} game
   * @param {string | null} seen the fingerprint that this browser saw before the end
   */
  #check({ commitment, secret }, game, seen) {
    const verdict = h("p", { role: "status" });
    fingerprint(secret ?? "").then((found) => {
      if (seen && seen !== commitment) verdict.textContent = "This is not the fingerprint that this browser saw first. The dice are not proved to be fair.";
      else if (found && found !== commitment) verdict.textContent = "The secret does not belong to the fingerprint. The dice are not proved to be fair.";
      else if (found) verdict.textContent = `The secret belongs to the fingerprint${seen ? " that this browser saw before the end" : ""}.`;
    });
    const name = `${game}.json`;
    const check = h("button", { type: "button", class: "plain", onclick: () => busily(check, () => rollAgain(game ?? "", seen ?? commitment, verdict)) }, "Check all dice in this browser");
    const how = game && h("p", {}, "Or ", h("a", { href: `/api/games/${encodeURIComponent(game)}`, download: name }, "save the game"), " and check it with another program: ", h("code", {}, `liars-dice verify-fair ${name} --commitment ${seen ?? commitment}`));
    return h("div", {}, game && h("p", {}, check), verdict, how);
  }
}

/**
 * The room has another game, and the server has settled on a new secret.
 * @param {string} room
 * @param {string | null} commitment
 */
export function settleAnew(room, commitment) {
  if (commitment) save(`fair:${room}`, commitment);
}

/**
 * Rolls all dice of a game again, and says what that proves.
 * @param {string} game
 * @param {string} commitment
 * @param {HTMLElement} verdict
 */
async function rollAgain(game, commitment, verdict) {
  try {
    const { checkDice } = await import("./fair_check.js");
    const { rolls, problem } = checkDice(await get(`/games/${encodeURIComponent(game)}`), commitment);
    verdict.textContent = problem
      ? `The check failed: ${problem}. The dice are not proved to be fair.`
      : `All ${rolls} rolls follow from the secret and the players’ words. This proves that the server chose its part before the first roll, and that no one changed a die afterwards.`;
  } catch (error) {
    verdict.textContent = error instanceof Error ? error.message : String(error);
  }
}

/**
 * The SHA-256 of a secret; null where the browser has no such function, which is the case without HTTPS.
 * @param {string} secret
 */
async function fingerprint(secret) {
  if (!crypto.subtle) return null;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`liars-dice:${secret}`));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
