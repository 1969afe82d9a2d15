// The lab: perfect play and the best strategies known, the odds of bids, match-ups between bots, and tournaments in the store.

import { createRoom, get } from "../api.js";
import { Board } from "../board.js";
import { bar, heatmap } from "../chart.js";
import { die } from "../dice.js";
import { field, h, say, select, toggle } from "../dom.js";
import { capital, sayBid } from "../events.js";
import { DUEL, chance, ladder, parse, percent, text, wildFace } from "../ladder.js";
import { go } from "../router.js";

/** @typedef {import("../board.js").Shade} Shade */
/** @typedef {{ dice: [number, number], lower: number | null, upper: number | null }} LabRound */
/** @typedef {{ source: string, value: number, lower: number | null, upper: number | null, best: string, comes_here: boolean, expected: boolean, actions: { action: string, probability: number, value: number }[], belief: { hand: number[], probability: number }[] }} Explanation */

/** @type {[string, string, (query: URLSearchParams) => HTMLElement][]} */
const TABS = [
  ["explore", "Perfect play", explorer],
  ["odds", "Odds", odds],
  ["matchups", "Match-ups", matchups],
  ["tournaments", "Tournaments", tournaments],
];

/** @type {import("../router.js").MakePage} */
export function page({ query }) {
  const shown = TABS.find(([name]) => name === query.get("tab")) ?? TABS[0];
  const element = h(
    "div",
    { class: "page lab" },
    h("header", {}, h("h1", {}, "Lab"), h("p", { class: "lead" }, "Small rounds are solved: perfect play, and what it wins, is known for every hand and every sequence of bids. For larger ones there is the best strategy known.")),
    h("nav", { class: "tabs", "aria-label": "Lab" }, TABS.map(([name, label]) => h("a", { href: name === "explore" ? "/lab" : `/lab?tab=${name}`, "aria-current": name === shown[0] ? "page" : null }, label))),
    shown[2](query),
  );
  return { title: `Lab: ${shown[1]}`, element };
}

/**
 * Dice that can be changed: each is a button that turns to the next face.
 * @param {string} label
 * @param {number[]} dice
 * @param {(dice: number[]) => void} onchange
 * @param {number} [faces]
 */
function turnable(label, dice, onchange, faces = 6) {
  return h(
    "div",
    { class: "turnable", role: "group", "aria-label": label },
    dice.map((face, i) =>
      h("button", { type: "button", class: "die-button", "aria-label": `Die ${i + 1} shows ${face}. Change it`, onclick: () => onchange(dice.map((f, k) => (k === i ? (f % faces) + 1 : f))) }, die(face)),
    ),
  );
}

// -- perfect play

const wins = (/** @type {number} */ value) => (50 * (1 + value)).toFixed(2);

/**
 * The games, and a first hand for each. In heads-up it opens with a bluff: with 3 and 4, perfect play bids sixes or twos.
 * @type {Record<string, { label: string, config: import("../ladder.js").Config, dice: [number, number], hands: number[][] }>}
 */
const GAMES = {
  "heads-up": { label: "heads-up: no wilds", config: DUEL, dice: [2, 3], hands: [[3, 4], [1, 4, 4]] },
  perudo: { label: "perudo: wild ones", config: { ...DUEL, wild: "ones", bid_ordering: "perudo", exact_call: true }, dice: [2, 2], hands: [[3, 4], [1, 4]] },
};

/** @param {URLSearchParams} query */
function explorer(query) {
  const asksFor = query.get("rules") ?? "heads-up";
  /** @type {{ rules: string, dice: number[], hands: number[][], bids: string[] }} */
  const at = { rules: asksFor in GAMES ? asksFor : "heads-up", dice: [], hands: [], bids: [] };
  const game = () => GAMES[at.rules];
  /** @type {Record<string, LabRound[]>} */
  let rounds = {};
  /** @type {Explanation | null} */
  let found = null;
  let byValue = false;
  let asked = 0;
  /** @type {number | null} */
  let chosen = null;
  const setup = h("div", { class: "panel" });
  const words = h("p", { class: "status", role: "status" });
  const list = h("div", { class: "panel answers" });
  const bids = () => ladder({ ...game().config, dice: at.dice }, at.dice[0] + at.dice[1]);
  const start = (/** @type {string} */ rules) => {
    Object.assign(at, { rules, dice: [...GAMES[rules].dice], hands: GAMES[rules].hands.map((hand) => [...hand]), bids: [] });
    found = chosen = null;
  };
  start(at.rules);
  const board = new Board({
    label: "Bids: what the best strategy known does",
    onchoose: (rung) => {
      chosen = rung;
      paint();
      say(sayBid(bids()[rung]));
    },
    onbid: (rung) => {
      at.bids.push(text(bids()[rung]));
      chosen = null;
      found = null;
      ask();
    },
  });
  const turn = () => at.bids.length % 2;
  const rungOf = (/** @type {string} */ bid) => bids().findIndex((b) => text(b) === bid);
  const legal = () => new Set(bids().flatMap((_, rung) => (at.bids.length === 0 || rung > rungOf(at.bids[at.bids.length - 1]) ? [rung] : [])));

  const fill = () => {
    /** @type {[string, string][]} */
    const pairs = (rounds[at.rules] ?? [{ dice: at.dice, lower: 0 }]).map(({ dice: [a, b], lower }) => [`${a},${b}`, `${a} v ${b} dice${lower === null ? ", not solved" : ""}`]);
    setup.replaceChildren(
      field("Rules", select(Object.entries(GAMES).map(([rules, { label }]) => [rules, label]), at.rules, (rules) => {
        start(rules);
        history.replaceState(history.state, "", rules === "heads-up" ? "/lab" : `/lab?rules=${rules}`);
        ask();
      })),
      field("Dice of opener and responder", select(pairs, at.dice.join(","), (to) => {
        at.dice = to.split(",").map(Number);
        at.hands = at.dice.map((n) => Array.from({ length: n }, (_, i) => [3, 4, 4, 1, 6][i]));
        at.bids = [];
        ask();
      })),
      h("div", { class: "field" }, h("span", {}, `${turn() === 0 ? "The opener" : "The responder"} holds (tap a die to change it)`), turnable("Hand", at.hands[turn()], (hand) => {
        at.hands[turn()] = hand;
        ask();
      })),
      h("div", { class: "field" }, h("span", {}, "Bids so far"), h("div", { class: "row" }, at.bids.length ? at.bids.map((bid, i) => h("span", { class: "chip" }, h("span", { class: `token small seat-${i % 2}`, "aria-hidden": "true" }, "OR"[i % 2]), ` ${bid.replace("x", "×")}`)) : h("span", { class: "muted" }, "none yet"), at.bids.length > 0 && h("button", { type: "button", class: "quiet", onclick: () => (at.bids.pop(), ask()) }, "Take back"))),
      toggle("Shade by value instead of frequency", byValue, (on) => ((byValue = on), paint())),
      h("small", {}, "Choose a cell, then choose it again (or press Enter) to make that bid and see the response."),
    );
  };

  const paint = () => {
    /** @type {Map<string, Shade>} */
    const shade = new Map();
    for (const { action, probability, value } of found?.actions ?? []) {
      if (!parse(action)) continue;
      const win = (1 + value) / 2;
      shade.set(action, byValue ? { share: win, label: percent(win), says: `wins ${percent(win)} percent` } : { share: probability ** 0.6, label: probability >= 0.005 ? percent(probability) : "", says: `${percent(probability)} percent of the time, wins ${percent(win)} percent` });
    }
    board.update({ ladder: bids(), faces: 6, legal: legal(), chosen, trail: at.bids.map((bid, i) => ({ seat: i % 2, bid: parse(bid) ?? { quantity: 1, face: 1 } })), marks: ["O", "R"], names: ["the opener", "the responder"], shade, truth: null });
  };

  const ask = async () => {
    const mine = ++asked;
    fill();
    paint();
    const patience = setTimeout(() => (words.textContent = "Computing…"), found ? 300 : 0);
    if (!found) list.replaceChildren(h("p", { class: "muted" }, "The first answer takes a moment, because the strategies of this round are read."));
    try {
      const answer = await get(`/lab/explain?rules=${at.rules}&dice=${at.dice.join(",")}&hand=${at.hands[turn()].join(",")}&bids=${at.bids.join(",")}`).finally(() => clearTimeout(patience));
      if (mine !== asked) return;
      found = answer;
      tell(answer);
    } catch (error) {
      if (mine !== asked) return;
      found = null;
      words.textContent = error instanceof Error ? error.message : String(error);
      list.replaceChildren();
    }
    paint();
  };

  const tell = (/** @type {Explanation} */ answer) => {
    const taken = answer.actions.filter((a) => a.probability >= 0.005).sort((a, b) => b.probability - a.probability);
    const name = (/** @type {string} */ action) => {
      const bid = parse(action);
      return bid ? sayBid(bid) : `call ${action}`;
    };
    const hand = at.hands[turn()];
    const top = taken[0] && parse(taken[0].action);
    const holds = top ? chance(top, hand, at.dice[0] + at.dice[1], 6, wildFace(game().config)) : 1;
    const bluff = top && holds < 0.5 ? ` ${capital(sayBid(top))} is a bluff.` : "";
    const solved = answer.lower !== null && answer.upper !== null;
    const who = solved ? "Perfect play" : "The best strategy known";
    words.textContent = answer.comes_here ? `${who}: ${taken.slice(0, 3).map((a) => `${name(a.action)} ${percent(a.probability)}%`).join(", ")}.${bluff}` : `${who} would not reach this point with this hand. Best now: ${name(answer.best)}.`;
    const shown = [...answer.actions].sort((a, b) => b.probability - a.probability || b.value - a.value).slice(0, 8);
    const [least, most] = [wins(answer.lower ?? 0), wins(answer.upper ?? 0)];
    const proved = least === most ? `${least}%` : `${least}% to ${most}%`;
    const [own, other] = at.dice;
    const basis = solved
      ? `Between perfect players the opener wins ${proved} of rounds with ${own} v ${other} dice: this is proved.`
      : `Rounds with ${own} v ${other} dice are not solved: this is a strategy with a short memory, measured against a perfect adversary. The chances are those of two players who both go on by it.`;
    list.replaceChildren(
      h("h2", {}, `Wins ${percent((1 + answer.value) / 2)}% of rounds`),
      h("p", { class: "muted" }, `By the rules of ${at.rules}, each round by itself. ${basis}`),
      h(
        "table",
        { class: "numbers" },
        h("caption", { class: "unseen" }, `Each action, how often ${solved ? "perfect play" : "the best strategy known"} takes it and how often it wins`),
        h("thead", {}, h("tr", {}, ["Action", "How often", "Wins"].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, shown.map((a) => h("tr", {}, h("th", { scope: "row" }, capital(name(a.action))), h("td", {}, bar(a.probability), ` ${percent(a.probability)}%`), h("td", {}, `${percent((1 + a.value) / 2)}%`)))),
      ),
      h("h3", {}, `${turn() === 0 ? "The responder" : "The opener"} may hold, likeliest first`),
      h("ul", { class: "beliefs" }, answer.belief.slice(0, 5).map((b) => h("li", {}, h("span", { class: "mini-hand", role: "img", "aria-label": `Dice ${b.hand.join(", ")}` }, b.hand.map((f) => die(f))), h("small", {}, `${percent(b.probability)}%`)))),
      answer.expected ? "" : h("small", {}, `${who} would never make one of the other player’s bids, so that bid says ${solved ? "nothing" : "little"} about these dice.`),
    );
  };
  const load = async () => {
    rounds = (await get("/lab/solved")).rules;
    fill();
  };
  load().catch((error) => (words.textContent = error.message));
  ask();
  return h("section", { class: "lab-grid" }, h("div", { class: "lab-words" }, words), setup, board.element, list);
}

// -- odds

function odds() {
  const at = { total: 10, hand: [2, 4, 4, 6, 1], wild: /** @type {"none" | "ones"} */ ("none") };
  const setup = h("div", { class: "panel" });
  const words = h("p", { class: "status", role: "status" });
  /** @type {number | null} */
  let chosen = null;
  const board = new Board({ label: "Chance that each bid holds", onchoose: (rung) => ((chosen = rung), paint()), onbid: (rung) => ((chosen = rung), paint()) });
  const paint = () => {
    const config = { ...DUEL, wild: at.wild };
    const bids = ladder(config, at.total);
    const wild = wildFace(config);
    /** @type {Map<string, Shade>} */
    const shade = new Map();
    for (const bid of bids) {
      const p = chance(bid, at.hand, at.total, 6, wild);
      shade.set(text(bid), { share: p, label: percent(p), says: `holds ${percent(p)} percent of the time` });
    }
    if (chosen !== null && chosen >= bids.length) chosen = null;
    const bid = chosen === null ? null : bids[chosen];
    words.textContent = bid ? `${capital(sayBid(bid))}: holds ${(chance(bid, at.hand, at.total, 6, wild) * 100).toFixed(1)}% of the time.` : `You hold ${at.hand.length} of ${at.total} dice. Pick a bid to see its chance.`;
    board.update({ ladder: bids, faces: 6, legal: new Set(bids.keys()), chosen, trail: [], marks: [], names: [], shade, truth: null });
  };
  const fill = () => {
    setup.replaceChildren(
      field("Dice on the table", select(Array.from({ length: 30 }, (_, i) => [String(i + 1), String(i + 1)]), String(at.total), (n) => {
        at.total = Number(n);
        at.hand = at.hand.slice(0, at.total);
        fill();
      })),
      field("Your dice", select(Array.from({ length: Math.min(8, at.total) + 1 }, (_, i) => [String(i), String(i)]), String(at.hand.length), (n) => {
        at.hand = Array.from({ length: Number(n) }, (_, i) => at.hand[i] ?? (i % 6) + 1);
        fill();
      })),
      h("div", { class: "field" }, h("span", {}, "Your hand (tap a die to change it)"), at.hand.length ? turnable("Your dice", at.hand, (hand) => ((at.hand = hand), fill())) : h("span", { class: "muted" }, "none: you only watch")),
      toggle("Ones are wild", at.wild === "ones", (on) => ((at.wild = on ? "ones" : "none"), fill())),
    );
    paint();
  };
  fill();
  return h("section", { class: "lab-grid two" }, h("div", { class: "lab-words" }, words), setup, board.element);
}

// -- match-ups

/** @param {URLSearchParams} query */
function matchups(query) {
  const asked = query.get("rules") ?? "heads-up";
  const words = h("p", { class: "status", role: "status" }, "Computing every match-up exactly…");
  const place = h("div", {});
  const detail = h("div", { class: "panel", hidden: true });
  const load = async (/** @type {string} */ rules) => {
    detail.hidden = true;
    words.textContent = "Computing every match-up exactly…";
    place.replaceChildren();
    try {
      const { agents, matrix } = await get(`/lab/matchups?rules=${encodeURIComponent(rules)}`);
      words.textContent = "How often the row beats the column. Pick a cell.";
      place.replaceChildren(
        heatmap(agents, matrix, (i, j) => {
          detail.hidden = false;
          const value = matrix[i][j];
          detail.replaceChildren(
            h("h2", {}, `${agents[i]} against ${agents[j]}`),
            h("p", {}, `${agents[i]} wins ${(value * 100).toFixed(2)}% of ${rules} games, ${agents[j]} ${(100 - value * 100).toFixed(2)}%. Both seats count equally. This is computed, not sampled.`),
            bar(value),
            h("div", { class: "row" }, h("button", { type: "button", class: "plain", onclick: () => watch(rules, agents[i], agents[j]) }, "Watch them play")),
          );
          say(`${agents[i]} wins ${(value * 100).toFixed(1)} percent against ${agents[j]}`);
        }),
      );
    } catch (error) {
      words.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  load(asked);
  return h("section", { class: "lab-stack" }, h("div", { class: "grid" }, field("Rules", select([["heads-up", "heads-up: full game, five dice"], ["classic", "classic: one round, five dice each"], ["duel", "duel: one round, two against three"]], asked, load))), words, place, detail);
}

/**
 * @param {string} rules
 * @param {string} a
 * @param {string} b
 */
async function watch(rules, a, b) {
  go(`/room/${await createRoom({ rules, seats: [{ kind: "bot", agent: a }, { kind: "bot", agent: b }], delay_ms: 900 })}`);
}

// -- tournaments

function tournaments() {
  const place = h("div", { class: "lab-stack" }, h("p", { class: "muted", role: "status" }, "Loading tournaments…"));
  const load = async () => {
    const { tournaments: found } = await get("/lab/tournaments");
    if (!found.length) {
      place.replaceChildren(h("div", { class: "panel empty" }, h("h2", {}, "No tournaments yet"), h("p", { class: "muted" }, "Run one on the command line, and it appears here:"), h("p", {}, h("code", {}, "liars-dice tournament optimal bluffer conservative --rules heads-up")), h("p", { class: "muted" }, "If you started the server with --db, add the same --db to this command.")));
      return;
    }
    place.replaceChildren(...found.map(summary));
  };
  load().catch((error) => place.replaceChildren(h("p", { class: "error", role: "alert" }, error.message)));
  return place;
}

/** @param {{ name: string, when: string, agents: string[], finished: boolean, ranking: string[] }} line */
function summary(line) {
  const inside = h("div", { class: "ranks" });
  const box = h(
    "details",
    { class: "panel" },
    h("summary", {}, h("strong", {}, line.ranking.length ? `${line.ranking[0]} won` : "Not finished"), h("small", {}, ` ${line.agents.length} bots · ${new Date(line.when).toLocaleDateString()} · ${line.name}`)),
    inside,
  );
  box.addEventListener("toggle", async () => {
    if (!box.open || inside.childElementCount) return;
    const entry = await get(`/lab/tournaments/${encodeURIComponent(line.name)}`).catch(() => null);
    const result = entry?.result;
    if (!result) {
      inside.replaceChildren(h("p", { class: "muted" }, "This tournament is not finished, so there is no ranking yet."));
      return;
    }
    const names = result.settings.agents;
    const detail = h("p", { class: "muted", role: "status" }, "How often the row beats the column. Pick a cell.");
    inside.replaceChildren(
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ranking, scrollable table" }, h(
        "table",
        { class: "numbers" },
        h("caption", { class: "unseen" }, "Ranking"),
        h("thead", {}, h("tr", {}, ["", "Bot", "Wins", "Elo"].map((t) => h("th", { scope: "col" }, t || h("span", { class: "unseen" }, "Rank"))))),
        h("tbody", {}, result.ranking.map((/** @type {any} */ row) => h("tr", {}, h("td", {}, row.rank), h("th", { scope: "row" }, row.agent), h("td", {}, bar(row.win_rate), ` ${(row.win_rate * 100).toFixed(1)}%`), h("td", {}, Math.round(row.rating))))),
      )),
      heatmap(names, result.cells.map((/** @type {any[]} */ row) => row.map((cell) => cell?.win_rate ?? null)), (i, j) => {
        const cell = result.cells[i][j];
        detail.textContent = `${capital(names[i])} won ${(cell.win_rate * 100).toFixed(2)}% against ${names[j]}${cell.games ? ` in ${cell.games} games` : ", computed exactly"}.`;
      }),
      detail,
    );
  });
  return box;
}
