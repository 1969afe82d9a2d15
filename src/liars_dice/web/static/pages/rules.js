// The rules in two minutes, with pictures.

import { Board } from "../board.js";
import { cup, die } from "../dice.js";
import { h } from "../dom.js";
import { sample } from "../sample_round.js";
import { EMPTY, marks, step, told, truth } from "../state.js";

/**
 * @param {number[]} faces
 * @param {(face: number) => boolean} [bright]
 */
const hand = (faces, bright = () => true) => h("span", { class: "rule-hand", role: "img", "aria-label": `Dice ${faces.join(", ")}` }, faces.map((f) => die(f, { class: bright(f) ? "" : "dim" })));

/**
 * @param {string} title
 * @param {(Node | string)[]} words
 * @param {Node} picture
 */
const part = (title, words, picture) => h("section", { class: "rule" }, h("div", {}, h("h2", {}, title), h("p", {}, words)), h("div", { class: "rule-picture" }, picture));

/** @type {import("../router.js").MakePage} */
export function page() {
  const state = sample.reduce(step, EMPTY);
  const board = new Board({ label: "The bids of the example" });
  const counts = truth(state) ?? [];
  const bid = { quantity: 3, face: 5 };
  board.update({ ladder: state.ladder, faces: 6, legal: new Set(), chosen: null, trail: state.bids, marks: marks(state.names), names: state.names, shade: null, truth: told(bid, counts, state.call) });
  const element = h(
    "div",
    { class: "page rules" },
    h("header", {}, h("h1", {}, "The rules in two minutes"), h("p", { class: "lead" }, "Liar’s Dice is a game of bids and bluffs about dice you cannot see.")),
    part("1. Roll and hide", ["Everyone rolls their dice under a cup. You see only your own. How many dice each player has is public."], h("div", { class: "rule-cups" }, h("span", { class: "seat-1" }, cup()), hand([3, 3, 6]))),
    part("2. Bid", ["A bid is a claim about all dice on the table: “three fives” says that at least three dice show a five, yours included. Each bid must be higher than the last: more dice, or the same number of a higher face."], h("div", { class: "claim" }, h("span", { class: "big" }, "3"), h("span", { class: "times" }, "×"), die(5, { label: "fives" }))),
    part("3. Raise, or call", ["On your turn you raise the bid, or call the last bidder a liar. Then all cups come up and the dice are counted. If the bid holds, the caller loses the round; if not, the bidder does."], h("div", { class: "rule-cups" }, hand([3, 3, 6], (f) => f === 5), hand([1, 5, 5], (f) => f === 5))),
    h(
      "section",
      { class: "rule wide" },
      h("div", {}, h("h2", {}, "The bid board"), h("p", {}, "Every bid is a cell: faces across, quantities up. Legal bids light up, and the bids of a round leave a trail in the players’ colours. After a call, each column fills up to the number of dice that were really there. Bob bid three fives, but there were only two on the table, so Ann was right to call."), h("p", { class: "muted" }, "With ", h("b", {}, "Odds"), " on, a cell is darker the more likely its bid is to hold, given your own dice.")),
      board.element,
    ),
    part("How a game ends", ["In most games the loser of a round loses a die and opens the next round. The last player with dice wins. In a single-round game, that round decides."], hand([2, 4, 6])),
    part("Wild ones (Perudo)", ["If ones are wild, they count as every face. Bids on ones count double: after six fours you may bid three ones, and after three ones, seven of any other face."], hand([1, 4, 1, 4])),
    part("Exact", ["If exact calls are allowed, you may call the bid exactly right: not one die more or less. If it is, you win the round and get a die back; the bidder loses one, unless the rules say that nobody does. Only the player whose turn it is may call."], h("div", { class: "claim" }, h("span", { class: "big" }, "= 3"), h("span", { class: "times" }, "×"), die(4, { label: "fours" }))),
    part("Palifico", ["With palifico, a player’s first round with one die is special: nothing is wild, and players with more than one die must keep the face of the first bid."], hand([5])),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Keys"),
      h("dl", { class: "keys" }, [["Arrow keys", "move on the board"], ["Enter", "bid, or continue after a reveal"], ["L", "call liar"], ["X", "call exact"]].map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)))),
    ),
    h("div", { class: "row" }, h("a", { class: "button primary", href: "/" }, "Play now")),
  );
  return { title: "Rules", element };
}
