// Set up a table: which rules, who sits where.

import { agents, createRoom, get, post } from "../api.js";
import { field, h, select, toggle } from "../dom.js";
import { go } from "../router.js";
import { keep, setting } from "../settings.js";

/** What the named rules are, in few words. @type {Record<string, [string, string]>} */
const PRESETS = {
  "heads-up": ["Heads-up", "Two players, five dice each. Lose a round, lose a die."],
  perudo: ["Perudo", "Up to six players. Ones are wild, exact calls win a die back."],
  duel: ["Duel", "One round, two dice against three. Over in a minute."],
  classic: ["Classic", "One round, five dice each."],
  openspiel: ["One die", "One die each, sixes are wild. The smallest bluff there is."],
};

/** The rules one can change: field, what it is called, choices. @type {[string, string, [string, string][]][]} */
const CHOICES = [
  ["wild", "Wild face", [["none", "none"], ["ones", "ones"], ["top", "the highest"]]],
  ["bid_ordering", "Order of bids", [["quantity_then_face", "quantity, then face"], ["liars_dice_standard", "face, then quantity"], ["perudo", "perudo (ones count double)"]]],
  ["mode", "The game is", [["single_round", "one round"], ["elimination", "until one has dice left"], ["best_of", "best of five rounds"]]],
  ["next_opener", "Next round is opened by", [["loser", "the loser"], ["winner", "the winner"], ["alternate", "each in turn"]]],
]; // prettier-ignore
/** @type {[string, string][]} */
const FLAGS = [["exact_call", "Exact calls"], ["palifico", "Palifico rounds"], ["open_on_ones", "May open on ones"]];

/**
 * The choice of rules: presets as cards, everything else under "Change the rules".
 * @param {Record<string, any>} presets
 * @param {() => void} onchange
 */
export function rulesForm(presets, onchange) {
  const names = Object.keys(PRESETS).filter((name) => presets[name]);
  /** @type {{ preset: string, players: number, dice: number, changes: Record<string, unknown> }} */
  const form = { preset: names[0] ?? "heads-up", players: 2, dice: 5, changes: {} };
  const numbers = h("div", { class: "pair" });
  const more = h("div", { class: "grid" });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const fill = () => {
    const config = presets[form.preset];
    const value = (/** @type {string} */ name) => form.changes[name] ?? config[name];
    const pick = (/** @type {string} */ name, /** @type {unknown} */ to) => {
      form.changes[name] = to;
      if (name === "mode") {
        form.changes.rounds = to === "best_of" ? 5 : null;
        if (to !== "elimination") form.changes.palifico = false;
        if (to === "single_round") form.changes.next_opener = "loser";
      }
      fill();
      changed();
    };
    numbers.replaceChildren(
      field("Players", select([2, 3, 4, 5, 6].map((n) => [String(n), String(n)]), String(form.players), (n) => ((form.players = Number(n)), changed()))),
      field("Dice each", select([1, 2, 3, 4, 5, 6].map((n) => [String(n), n === 2 && form.preset === "duel" ? "2 (and 3)" : String(n)]), String(form.dice), (n) => ((form.dice = Number(n)), changed()))),
    );
    more.replaceChildren(
      ...CHOICES.map(([name, label, options]) => field(label, select(options, String(value(name)), (to) => pick(name, to)))),
      field("Faces of a die", select([2, 3, 4, 5, 6, 8, 10, 12, 20].map((n) => [String(n), String(n)]), String(value("faces")), (n) => pick("faces", Number(n)))),
      h("div", { class: "flags" }, FLAGS.map(([name, label]) => toggle(label, Boolean(value(name)), (on) => pick(name, on)))),
    );
  };
  const choose = (/** @type {string} */ name) => {
    form.preset = name;
    form.changes = {};
    form.players = presets[name].dice.length;
    form.dice = presets[name].dice[0];
    fill();
    changed();
  };
  const dice = () => (form.preset === "duel" && form.dice === 2 && form.players === 2 ? [2, 3] : Array(form.players).fill(form.dice));
  let asked = 0;
  const changed = async () => {
    onchange();
    const mine = ++asked;
    const problem = await post("/rules", { preset: form.preset, changes: { ...form.changes, dice: dice() } }).then(() => null, (e) => e.message);
    if (mine !== asked) return;
    error.hidden = !problem;
    error.textContent = problem ?? "";
  };
  const cards = names.map((name, i) => {
    const radio = h("input", { type: "radio", name: "rules", value: name, checked: i === 0, onchange: () => choose(name) });
    return h("label", { class: "choice" }, radio, h("span", {}, h("strong", {}, PRESETS[name][0]), h("small", {}, PRESETS[name][1])));
  });
  form.players = presets[form.preset].dice.length;
  form.dice = presets[form.preset].dice[0];
  fill();
  const element = h("fieldset", {}, h("legend", {}, "Rules"), h("div", { class: "choices" }, cards), numbers, h("details", {}, h("summary", {}, "Change the rules"), more), error);
  return { element, form, wish: () => ({ rules: form.preset, changes: { ...form.changes, dice: dice() } }) };
}

/** @type {import("../router.js").MakePage} */
export async function page({ query }) {
  const [bots, { presets }] = await Promise.all([agents(), get("/rules")]);
  /** @type {{ who: string }[]} */
  const seats = [];
  const list = h("ol", { class: "seat-list" });
  const name = h("input", { type: "text", maxlength: 40, value: setting("name"), placeholder: "You", autocomplete: "nickname" });
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  let practice = true;
  const start = h("button", { type: "submit", class: "primary big" });
  const fill = () => {
    while (seats.length < rules.form.players) seats.push({ who: seats.length === 0 ? "you" : query.get("open") && seats.length === 1 ? "open" : "optimal" });
    seats.length = rules.form.players;
    /** @type {[string, string][]} */
    const options = [["you", "You"], ["open", "Open, for a friend"], ...bots.map((b) => /** @type {[string, string]} */ ([b.name, `Bot: ${b.name}`]))];
    list.replaceChildren(
      ...seats.map((seat, i) => {
        const about = h("small", {}, bots.find((b) => b.name === seat.who)?.summary ?? (seat.who === "open" ? "Whoever has the link can sit here." : ""));
        const input = select(options, seat.who, (to) => {
          if (to === "you") for (const other of seats) if (other.who === "you") other.who = "optimal";
          seat.who = to;
          fill();
        }, { "aria-label": `Seat ${i + 1}` });
        return h("li", {}, h("span", { class: `token seat-${i % 8}`, "aria-hidden": "true" }, i + 1), input, about);
      }),
    );
    const open = seats.some((s) => s.who === "open");
    alone.hidden = open;
    start.textContent = open ? "Set up and invite" : seats.some((s) => s.who === "you") ? "Start" : "Watch";
  };
  const alone = h("div", {}, toggle("Practice: moves can be taken back", practice, (on) => (practice = on)));
  const rules = rulesForm(presets, () => fill());
  fill();
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    problem.hidden = true;
    keep("name", name.value.trim());
    const open = seats.some((s) => s.who === "open");
    const you = seats.some((s) => s.who === "you");
    try {
      const room = await createRoom({
        ...rules.wish(),
        seats: seats.map(({ who }) => (who === "you" ? { kind: "you", name: name.value.trim() || "You" } : who === "open" ? { kind: "open" } : { kind: "bot", agent: who })),
        practice: practice && !open && you,
      });
      go(`/room/${room}`);
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const element = h(
    "form",
    { class: "page setup", onsubmit: submit },
    h("header", {}, h("h1", {}, "Set up a table"), h("p", { class: "lead" }, "Choose the rules and who sits where. Bots are always ready; friends come by link.")),
    h("div", { class: "setup-columns" }, rules.element, h("div", { class: "setup-right" }, field("Your name", name), h("fieldset", {}, h("legend", {}, "Seats"), list), alone, problem, h("div", { class: "row" }, start))),
  );
  return { title: "Set up a table", element };
}
