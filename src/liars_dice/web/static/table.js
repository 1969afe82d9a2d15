// The table: the seats, cups over dice, the current bid in the middle, and the reveal.

import { face, reactionPicture } from "./avatars.js";
import { blank, cup, die } from "./dice.js";
import { h, moves, set } from "./dom.js";
import { UNDECIDED, capital, consequence, diceCount, does, faces, isRight, ruling, sayBid, tell, unnamed, verdict } from "./events.js";
import { wildFace } from "./ladder.js";
import { marks, standing, total } from "./state.js";

/** @typedef {import("./state.js").State} State */
/**
 * Who has a seat; `until`: when a bot moves for a player who is away or whose time is limited, in milliseconds since 1970.
 * @typedef {{ kind: "person" | "bot" | "open", agent?: string | null, present?: boolean, until?: number | null }} SeatInfo
 */

/** The bot that plays for people who are away. */
const STAND_IN = "optimal";

/**
 * The status line: what is happening now.
 * @param {State} state
 * @param {number | null} me
 */
export function status(state, me) {
  if (!state.config) return "Setting up the table.";
  if (state.winner !== null) {
    return `${does(state.names, state.winner, me, "win")} the game.${me === null ? "" : state.winner === me ? " Well played." : " Better luck next time."}`;
  }
  if (state.ended) return UNDECIDED;
  if (state.result) {
    const called = state.call ? `${tell(state.names, state.call, me, "called", state.call.kind === "exact" ? "exact" : "", true)}.` : "";
    return `${called} ${verdict(state)} ${consequence(state, me)}`;
  }
  if (state.call) return `${tell(state.names, state.call, me, "call", state.call.kind)}. Cups up.`;
  if (state.turn === null) return "Rolling the dice.";
  if (state.turn === me) return state.bids.length ? "Your turn. Raise, or call the bluff." : "You open. Make a bid.";
  if (me !== null && !state.counts[me]) return `You are out. ${capital(state.names[state.turn])} is to move.`;
  return me === null ? `${capital(state.names[state.turn])} is to move.` : `Waiting for ${state.names[state.turn]}.`;
}

export class Table {
  constructor() {
    this.others = h("ol", { class: "others", "aria-label": "Players" });
    this.claim = h("div", { class: "claiming" });
    this.odds = h("p", { class: "odds", hidden: true });
    this.middle = h("div", { class: "middle" }, this.claim, this.odds);
    this.shared = h("div", { class: "shared", hidden: true });
    this.mine = h("div", { class: "mine" });
    this.element = h("section", { class: "table", "aria-label": "Table" }, this.others, this.middle, this.shared, this.mine);
    /** The number and the verdict of a reveal. @type {HTMLElement | null} */
    this.number = this.verdict = null;
    this.clock = 0;
    this.key = "";
    /** What players show each other now, by seat. @type {Map<number, string>} */
    this.bubbles = new Map();
  }

  /**
   * @param {State} state
   * @param {number | null} me whose seat is at the bottom
   * @param {{ peek?: boolean, seats?: SeatInfo[], fresh?: boolean, counted?: number | null, odds?: string }} [options] peek: show all dice that are known; fresh: the last
   *   event just happened; odds: of the standing bid; counted: how many dice of the reveal have been counted, if that is going on
   */
  update(state, me, { peek = false, seats = [], fresh = false, counted = null, odds = "" } = {}) {
    this.#draw(state, me, peek, seats, fresh);
    this.#count(state, counted);
    this.odds.textContent = odds;
    this.odds.hidden = !odds;
  }

  /**
   * Shows a small picture beside a seat for a while.
   * @param {number} seat
   * @param {string} what
   * @param {number} ms
   */
  react(seat, what, ms) {
    this.bubbles.set(seat, what);
    this.#bubble(seat);
    setTimeout(() => {
      this.bubbles.delete(seat);
      this.#bubble(seat);
    }, ms);
  }

  /** @param {number} seat */
  #bubble(seat) {
    const place = this.element.querySelector(`[data-seat="${seat}"] .who`);
    place?.querySelector(".bubble")?.remove();
    const what = this.bubbles.get(seat);
    if (what) place?.append(h("span", { class: "bubble", "aria-hidden": "true", "data-reaction": what }, reactionPicture(what)));
  }

  /**
   * @param {State} state
   * @param {number | null} me
   * @param {boolean} peek
   * @param {SeatInfo[]} seats
   * @param {boolean} fresh
   */
  #draw(state, me, peek, seats, fresh) {
    const key = JSON.stringify([state.round, state.bids.length, state.turn, state.hands, state.open, state.covered, state.revealed, state.call, state.result, state.ended, me, peek, seats]);
    if (key === this.key) return;
    this.key = key;
    const n = state.names.length;
    const bottom = me ?? 0;
    const order = Array.from({ length: Math.max(0, n - 1) }, (_, i) => (bottom + 1 + i) % n);
    const lit = marks(state.names);
    const rolling = fresh && state.last === "DiceRolled" && moves();
    const lifting = fresh && state.last === "DiceRevealed" && moves();
    this.order = countOrder(state, me);
    set(this.element, {
      "data-players": n,
      "data-many": order.length > 3 ? "yes" : null,
      "data-crowd": order.length > 7 ? "yes" : null,
      "data-lifting": lifting ? "yes" : null,
      "data-rolling": rolling || (fresh && state.last === "RoundStarted") ? "yes" : null,
      "data-sides": Math.floor(order.length / 3),
      vars: { sides: Math.max(1, Math.floor(order.length / 3)) },
    });
    const placed = places(order.length);
    this.others.replaceChildren(
      ...order.map((seat, i) => {
        const item = this.#seat(state, seat, { peek, info: seats[seat], mark: lit[seat], rolling, lifting, mine: false, bottom });
        set(item, { "data-side": placed[i].side, "data-corner": placed[i].lift === 1 ? "yes" : null, vars: { row: placed[i].row, from: placed[i].from, span: placed[i].span, lift: placed[i].lift, order: i + 1 } });
        return item;
      }),
    );
    this.#center(state, me, lit);
    this.#onTable(state, peek);
    clearInterval(this.clock);
    if (seats.some((seat) => seat?.until)) this.clock = setInterval(() => (this.element.isConnected ? this.#tick() : clearInterval(this.clock)), 1000);
    if (n) this.mine.replaceChildren(this.#seat(state, bottom, { peek: peek || me !== null, info: seats[bottom], mark: lit[bottom], rolling, lifting: lifting && me === null, mine: me !== null, bottom }));
    this.#tick();
    for (const seat of this.bubbles.keys()) this.#bubble(seat);
  }

  /**
   * Lights the dice of a reveal that are counted so far; once all are, the others dim and the verdict is told.
   * @param {State} state
   * @param {number | null} counted null: all of them
   */
  #count(state, counted) {
    const bid = standing(state)?.bid;
    if (!state.revealed || !bid || !this.number || !this.verdict) return;
    if (counted === null) set(this.element, { "data-lifting": null }); // skipped, or done
    const found = this.order?.size ?? 0;
    for (const one of this.element.querySelectorAll(".hand .die")) {
      const place = one.getAttribute("data-counts");
      one.classList.toggle("counts", place !== null && Number(place) < (counted ?? found));
      one.classList.toggle("dim", place === null && counted === null);
    }
    const right = isRight(bid, found, state.call);
    this.number.textContent = String(counted ?? found);
    set(this.verdict, { class: right ? "held" : "false" });
    this.verdict.textContent = counted === null ? `${capital(ruling(right, state.call?.kind))}.` : "";
  }

  /** Counts down to a bot's move for a player who is away, or whose time is limited. Hidden from screen readers, which would read every second. */
  #tick() {
    for (const line of this.element.querySelectorAll(".until")) {
      const left = Math.ceil((Number(line.getAttribute("data-until")) - Date.now()) / 1000);
      line.textContent = line.hasAttribute("data-away") ? `${STAND_IN} moves ${left > 0 ? `in ${left}\u00a0s` : "now"}` : `${Math.max(left, 0)}\u00a0s left`;
    }
  }

  /**
   * @param {State} state
   * @param {number} seat
   * @param {{ peek: boolean, info: SeatInfo | undefined, mark: string, rolling: boolean, lifting: boolean, mine: boolean, bottom: number }} options
   */
  #seat(state, seat, { peek, info, mark, rolling, lifting, mine, bottom }) {
    const hand = state.hands[seat];
    const count = state.counts[seat] ?? 0;
    const shown = hand && (state.revealed || peek);
    const name = mine ? `You` : state.names[seat];
    const own = mine && !unnamed(state.names[seat]);
    const away = info?.kind === "person" && info.present === false;
    const plays = info?.agent && info.agent !== state.names[seat].replace(/ \d+$/, "") ? ` (${info.agent})` : "";
    const kind = info ? (info.kind === "bot" ? `bot${plays}` : info.kind === "person" ? "person" : "open seat") : "";
    const isTurn = state.turn === seat;
    const out = state.config !== null && state.round >= 0 && count === 0;
    const after = state.result ? state.after[seat] - count : 0;
    const classes = ["seat", `seat-${seat % 8}`];
    if (isTurn) classes.push("turn");
    if (out) classes.push("out");
    if (mine) classes.push("me");
    if (away) classes.push("gone");
    const wins = state.config?.mode === "best_of" ? ` · ${state.wins[seat]} won` : "";
    return h(
      seat === bottom ? "div" : "li",
      { class: classes.join(" "), "data-seat": seat },
      h(
        "div",
        { class: "who" },
        face(seat, mark, state.agents[seat] ?? (info?.kind === "bot" ? (info.agent ?? "") : null), state.names[seat]),
        h(
          "div",
          { class: "who-text" },
          h("strong", { title: name }, name, own && h("span", { class: "muted" }, ` (${state.names[seat]})`)),
          h("small", {}, !out && !mine && kind && h("span", { class: "kind" }, `${kind} · `), out ? "out" : diceCount(count), wins, after ? h("b", { class: after < 0 ? "minus" : "plus" }, after < 0 ? " −1" : " +1") : null),
          (isTurn || away) && h("small", { class: "turn-text" }, [isTurn && (mine ? "your turn" : "to move"), away && (info.agent ? `away, ${info.agent} plays` : "away")].filter(Boolean).join(", ")),
          isTurn && !mine && info?.until && !(away && info.agent) && h("small", { class: "until", "aria-hidden": "true", "data-until": info.until, "data-away": away ? "yes" : null }),
        ),
      ),
      out ? h("div", { class: "hand" }) : shown ? this.#hand(state, seat, rolling && mine, lifting) : h("div", { class: "hand covered" }, cup(), h("div", { class: "under", "aria-label": `${diceCount(count)}, hidden`, role: "img" }, Array.from({ length: Math.min(count, 12) }, blank))),
    );
  }

  /**
   * @param {State} state
   * @param {number} seat
   * @param {boolean} rolling
   * @param {boolean} lifting whether a cup lifts from the dice
   */
  #hand(state, seat, rolling, lifting) {
    const hand = state.hands[seat] ?? [];
    return h("div", { class: `hand open${state.revealed ? " revealed" : ""}`, role: "img", "aria-label": hand.length ? `Dice: ${hand.join(", ")}` : "No dice" }, this.#dice(state, hand, String(seat), rolling), lifting && h("span", { class: "lifted", "aria-hidden": "true" }, cup()));
  }

  /**
   * Dice as they are drawn. At the reveal, those that match the bid know when they are counted.
   * @param {State} state
   * @param {number[]} dice
   * @param {string} where a seat's number, "open" or "covered"
   * @param {boolean} rolling
   */
  #dice(state, dice, where, rolling = false) {
    const wild = state.config ? wildFace(state.config, state.palifico) : null;
    return dice.map((face, i) => {
      const drawn = die(face, { class: `${rolling ? "rolling" : ""} ${wild !== null && face === wild ? "wild" : ""}`.trim(), vars: { i } });
      set(drawn, { "data-counts": this.order?.get(`${where}.${i}`) ?? null });
      return drawn;
    });
  }

  /**
   * The dice that belong to no player: open ones, and covered ones until the reveal.
   * @param {State} state
   * @param {boolean} peek
   */
  #onTable(state, peek) {
    const covered = state.config?.hidden_dice ?? 0;
    this.shared.hidden = !state.config || state.round < 0 || !(state.config.table_dice + covered);
    if (this.shared.hidden) return;
    const shown = state.covered && (state.revealed || peek);
    this.shared.replaceChildren(
      ...(state.open.length ? [h("div", { class: `hand open${state.revealed ? " revealed" : ""}`, role: "img", "aria-label": `On the table: ${state.open.join(", ")}` }, this.#dice(state, state.open, "open"))] : []),
      ...(shown ? [h("div", { class: "hand open revealed", role: "img", "aria-label": `Covered dice: ${state.covered?.join(", ")}` }, this.#dice(state, state.covered ?? [], "covered"))] : covered ? [h("div", { class: "hand under", role: "img", "aria-label": `${diceCount(covered)}, covered` }, Array.from({ length: Math.min(covered, 12) }, blank))] : []),
      h("small", {}, [state.open.length && `${diceCount(state.open.length)} for all to see`, covered && `${diceCount(covered)} covered`].filter(Boolean).join(" · ")),
    );
  }

  /**
   * @param {State} state
   * @param {number | null} me
   * @param {string[]} lit
   */
  #center(state, me, lit) {
    const made = standing(state);
    if (state.revealed && made) {
      this.number = h("span", { class: "big" });
      this.verdict = h("b", {});
      this.claim.replaceChildren(
        h("div", { class: "claim" }, this.number, h("span", { class: "times", "aria-hidden": "true" }, "×"), die(made.bid.face, { label: faces(made.bid.face) })),
        h("p", { class: "caption" }, `Bid: ${sayBid(made.bid)}. `, this.verdict),
      );
      return;
    }
    if (made) {
      this.claim.replaceChildren(
        h("div", { class: "claim" }, h("span", { class: "big" }, made.bid.quantity), h("span", { class: "times", "aria-hidden": "true" }, "×"), die(made.bid.face, { label: faces(made.bid.face, made.bid.quantity) })),
        h("p", { class: "caption" }, h("span", { class: `token small seat-${made.seat % 8}`, "aria-hidden": "true" }, lit[made.seat]), ` ${tell(state.names, made, me, state.call ? "claimed" : "claim", sayBid(made.bid), Boolean(state.call))}${state.call ? `; ${tell(state.names, state.call, me, "call", state.call.kind).replace(/^You/, "you")}` : ""}`),
      );
      return;
    }
    this.claim.replaceChildren(h("p", { class: "caption" }, state.round < 0 ? "Waiting for the first round." : `No bid yet. ${diceCount(total(state))} on the table${state.palifico ? ", palifico" : ""}.`));
  }
}

/**
 * Where the other players sit, from the left of the bottom seat round to its right: a third on each side, the rest along the top.
 * @param {number} others
 */
function places(others) {
  const sides = Math.floor(others / 3);
  const top = others - 2 * sides;
  return Array.from({ length: others }, (_, i) => {
    if (i < sides) return { side: "left", row: sides - i + 1, from: 1, span: 1, lift: 0 };
    if (i >= sides + top) return { side: "right", row: i - sides - top + 2, from: 1, span: 1, lift: 0 };
    const across = i - sides;
    const wide = sides && top < 5 ? 54 : 60; // columns of 60: fewer, so that the outer ones are not beyond the table's corners
    return { side: "top", row: 1, from: Math.round((wide * across) / top) + 1 + (60 - wide) / 2, span: Math.floor(wide / top), lift: top > 2 && sides ? Math.abs(across - (top - 1) / 2) / ((top - 1) / 2) : 0 };
  });
}

/**
 * The order in which matching dice are counted: from the bottom seat round, then those on the table.
 * @param {State} state
 * @param {number | null} me
 * @returns {Map<string, number>}
 */
function countOrder(state, me) {
  const order = new Map();
  const bid = standing(state)?.bid;
  if (!state.revealed || !bid || !state.config) return order;
  const wild = wildFace(state.config, state.palifico);
  const n = state.names.length;
  const count = (/** @type {number[]} */ dice, /** @type {string | number} */ where) =>
    dice.forEach((face, k) => {
      if (face === bid.face || (wild !== null && face === wild)) order.set(`${where}.${k}`, order.size);
    });
  for (let i = 0; i < n; i++) {
    const seat = ((me ?? 0) + i) % n;
    count(state.hands[seat] ?? [], seat);
  }
  count(state.open, "open");
  count(state.covered ?? [], "covered");
  return order;
}
