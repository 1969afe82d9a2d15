// The rules in two minutes, with pictures.

import { Board } from "../board.js";
import { cup, die } from "../dice.js";
import { h } from "../dom.js";
import { sample } from "../sample.js";
import { EMPTY, marks, step, truth } from "../state.js";

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
  board.update({ ladder: state.ladder, faces: 6, legal: new Set(), chosen: null, trail: state.bids, marks: marks(state.names), names: state.names, shade: null, truth: { bid, counts, held: false } });
  const element = h(
    "div",
    { class: "page rules" },
    h("header", {}, h("h1", {}, "The rules in two minutes"), h("p", { class: "lead" }, "Liar’s Dice is a game of counting dice you cannot see, and of people who count them differently.")),
    part("1. Roll and hide", ["Everybody rolls their dice under a cup. You see yours; nobody else does. How many dice everyone has is no secret."], h("div", { class: "rule-cups" }, h("span", { class: "seat-1" }, cup()), hand([3, 3, 6]))),
    part("2. Bid", ["A bid is a claim about all dice on the table: “three fives” says that at least three dice show a five, yours and everybody’s. Each bid must be higher than the last: more dice, or as many dice of a higher face."], h("div", { class: "claim" }, h("span", { class: "big" }, "3"), h("span", { class: "times" }, "×"), die(5, { label: "fives" }))),
    part("3. Raise, or call", ["On your turn you raise the bid, or call the last bidder a liar. Then all cups come up and the dice are counted. If the bid holds, the caller loses the round; if not, the bidder does."], h("div", { class: "rule-cups" }, hand([3, 3, 6], (f) => f === 5), hand([1, 5, 5], (f) => f === 5))),
    h(
      "section",
      { class: "rule wide" },
      h("div", {}, h("h2", {}, "The bid board"), h("p", {}, "Here every bid is a cell: faces across, quantities up. Bids that may be made light up, and the bids of a round leave a trail in the players’ colours. After a call each column fills up to what was really there. Bob’s three fives reached higher than the two that lay on the table: it was a lie, and Ann was right to call."), h("p", { class: "muted" }, "With ", h("b", {}, "Odds"), " on, a cell is as dark as the bid is likely, given your own dice.")),
      board.element,
    ),
    part("Lose dice, or one round", ["In most games the loser of a round loses a die and opens the next; whoever has the last dice wins. In a single round, the round decides."], hand([2, 4, 6])),
    part("Wild ones (Perudo)", ["Where ones are wild, they count for every face. Bids on ones are worth double: from six fours one may go to three ones, and from three ones to seven of anything."], hand([1, 4, 1, 4])),
    part("Exact", ["Where exact calls are allowed, you may claim that the bid is exactly right, not one die more or less. If so you win the round, and a die back."], h("div", { class: "claim" }, h("span", { class: "big" }, "= 3"), h("span", { class: "times" }, "×"), die(4, { label: "fours" }))),
    part("Palifico", ["With palifico, a player’s first round with one die is special: nothing is wild, and the face of the first bid must be kept by all who have more than one die."], hand([5])),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Keys"),
      h("dl", { class: "keys" }, [["Arrow keys", "move on the board"], ["Enter", "bid, or go on after a reveal"], ["L", "call liar"], ["X", "call exact"]].map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)))),
    ),
    h("div", { class: "row" }, h("a", { class: "button primary", href: "/" }, "Play now")),
  );
  return { title: "Rules", element };
}
