// The form for choosing rules: presets as cards, players and dice, and all other fields folded away.

import { post } from "./api.js";
import { field, h, select, set, toggle } from "./dom.js";
import { capital } from "./events.js";
import { FIELDS, PRESETS, describe } from "./rules_text.js";

/** @typedef {import("./ladder.js").Config} Config */
/** @typedef {{ name: string, kind: "choice" | "number" | "flag" | "dice", default: unknown, choices?: string[] | null, minimum?: number | null, maximum?: number | null, about?: string }} RuleField */

/** The name of rules that are not a preset. */
const LIKE = "like";

/**
 * @param {{ presets: Record<string, Config>, fields: RuleField[] }} book
 * @param {() => void} onchange
 * @param {Config | null} [like] rules to start with
 */
export function rulesForm({ presets, fields }, onchange, like = null) {
  const names = Object.keys(PRESETS).filter((name) => presets[name]);
  const { seed, ...before } = /** @type {any} */ (like ?? {}); // a seed would give away the dice
  /** @type {Record<string, Config>} */
  const known = like ? { ...presets, [LIKE]: before } : presets;
  let preset = like ? LIKE : (names[0] ?? "heads-up");
  /** @type {Record<string, any>} */
  let config = { ...known[preset] };
  const error = h("p", { class: "error", role: "alert", hidden: true });
  /** @type {Map<string, { note: HTMLElement, input: Element, show: () => void }>} */
  const places = new Map();

  /**
   * @param {string} name
   * @param {unknown} value
   */
  const pick = (name, value) => {
    config[name] = value;
    if (name === "mode") {
      config.rounds = value === "best_of" ? 5 : null;
      if (value !== "elimination") config.palifico = false;
      if (value === "single_round") config.next_opener = "loser";
    }
    if (name === "wild") {
      if (value === "none") config.wild_bids = "natural";
      if (value !== "ones" && config.bid_ordering === "perudo") config.bid_ordering = "quantity_then_face";
    }
    if (name === "mode" || name === "exact_call") {
      const wins = config.mode === "elimination" && config.exact_call; // only then can a call win a die
      config.max_dice = wins ? (known[preset]?.max_dice ?? null) : null;
      config.exact_payer = wins ? config.exact_payer : "bidder";
    }
    if (config.max_dice !== null) config.max_dice = Math.max(config.max_dice, ...config.dice);
    show();
    changed();
  };
  /** @param {number} players */
  const seat = (players) => {
    const { dice } = config;
    pick("dice", Array.from({ length: Math.max(0, Math.min(15, players)) }, (_, i) => dice[i] ?? dice[dice.length - 1] ?? 5));
  };
  /**
   * A field's input, and a function that shows its value in it.
   * @param {RuleField} about
   * @returns {[Element, Element, () => void]} the element for the form, its input, show
   */
  const make = ({ name, kind, choices, minimum, maximum }) => {
    const words = FIELDS[name] ?? { label: name };
    if (kind === "flag") {
      const box = toggle(words.label, false, (on) => pick(name, on));
      const input = /** @type {HTMLInputElement} */ (box.querySelector("input"));
      return [box, input, () => (input.checked = Boolean(config[name]))];
    }
    if (kind === "choice") {
      const input = select((choices ?? []).map((choice) => [choice, words.choices?.[choice] ?? choice]), "", (to) => pick(name, to));
      return [field(words.label, input), input, () => (input.value = String(config[name]))];
    }
    if (kind === "dice") {
      const input = h("input", { type: "text", inputmode: "numeric", onchange: () => pick(name, (input.value.match(/\d+/g) ?? []).map(Number)) });
      return [field(words.label, input), input, () => (input.value = config.dice.join(", "))];
    }
    const empty = name === "max_quantity" ? "total" : null;
    const input = number(minimum, maximum, (to) => pick(name, to ?? empty ?? (words.empty ? null : minimum)), words.empty);
    return [field(words.label, input), input, () => (input.value = config[name] === empty ? "" : String(config[name]))];
  };
  const all = fields.map((about) => {
    const [element, input, show] = make(about);
    const note = h("small", { class: "error", role: "alert", hidden: true, id: `rule-${about.name}` });
    places.set(about.name, { note, input, show });
    return h("div", { class: "field" }, element, h("small", {}, `${FIELDS[about.name]?.note ?? capital(about.about ?? "")}.`), note);
  });
  const players = number(2, 15, (n) => seat(n ?? 2));
  const each = number(1, 60, (n) => n && pick("dice", config.dice.map(() => n)));
  /** Shows the current rules in all inputs. */
  const show = () => {
    const { dice } = config;
    const alike = dice.every((/** @type {number} */ n) => n === dice[0]);
    players.value = String(dice.length);
    each.value = alike ? (dice[0] ?? "") : "";
    each.placeholder = alike ? "" : dice.join(" and ");
    for (const place of places.values()) place.show();
  };
  const request = () => {
    if (preset === LIKE) return { rules: /** @type {object} */ (config), changes: {} };
    const base = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (presets[preset]));
    return { rules: preset, changes: Object.fromEntries(Object.entries(config).filter(([name, value]) => name === "dice" || JSON.stringify(value) !== JSON.stringify(base[name]))) };
  };
  let asked = 0;
  /** The bots that are not made for these rules, and what each plays as. @type {Record<string, string>} */
  let playsAs = {};
  const check = async () => {
    const mine = ++asked;
    const { rules, changes } = request();
    const [found, problem] = await post("/rules", typeof rules === "string" ? { preset: rules, changes } : { config: rules, changes }).then((answer) => [answer, null], (e) => [null, e]);
    if (mine !== asked) return;
    complain(problem);
    const before = JSON.stringify(playsAs);
    playsAs = found?.plays_as ?? {};
    if (JSON.stringify(playsAs) !== before) onchange();
  };
  const changed = () => {
    check();
    onchange();
  };
  /** @param {(Error & { field?: string, expected?: string }) | null} problem */
  const complain = (problem) => {
    const place = places.get(problem?.field ?? "");
    for (const { note, input } of places.values()) {
      note.hidden = true;
      set(input, { "aria-invalid": null, "aria-describedby": null });
    }
    error.hidden = !problem || Boolean(place);
    error.textContent = formWords(problem?.message ?? "");
    if (!place) return;
    place.note.hidden = false;
    place.note.textContent = formWords(`Expected ${problem?.expected}.`);
    set(place.input, { "aria-invalid": "true", "aria-describedby": place.note.id });
    details.open = true;
  };
  const card = (/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ about) => {
    const radio = h("input", {
      type: "radio",
      name: "rules",
      value: name,
      checked: name === preset,
      onchange: () => {
        preset = name;
        config = { ...known[name] };
        show();
        changed();
      },
    });
    return h("label", { class: "choice" }, radio, h("span", {}, h("strong", {}, title), h("small", {}, about)));
  };
  const cards = [like && card(LIKE, "As before", `${capital(describe(like).join(" · "))}.`), ...names.map((name) => card(name, ...PRESETS[name]))];
  const details = h("details", {}, h("summary", {}, "All rules"), h("div", { class: "grid all-rules" }, all));
  show();
  check();
  return {
    element: h("fieldset", {}, h("legend", {}, "Rules"), h("div", { class: "choices" }, cards), h("div", { class: "pair" }, field("Players", players, "2 to 15"), field("Dice each", each)), error, details),
    request,
    get players() {
      return config.dice.length;
    },
    get playsAs() {
      return playsAs;
    },
  };
}

/**
 * An input for a number; empty means null.
 * @param {number | null | undefined} least
 * @param {number | null | undefined} most
 * @param {(n: number | null) => void} onchange
 * @param {string} [empty] what an empty input means
 */
function number(least, most, onchange, empty = "") {
  const input = h("input", {
    type: "number",
    inputmode: "numeric",
    min: least ?? null,
    max: most ?? null,
    placeholder: empty || null,
    onchange: () => onchange(input.value === "" ? null : Math.round(Number(input.value))),
  });
  return input;
}

/** An error line of the server in the words of this form. @param {string} line */
function formWords(line) {
  const words = Object.values(FIELDS).reduce((all, { choices }) => ({ ...all, ...choices }), /** @type {Record<string, string>} */ ({}));
  return line.replace(/\bNone\b/g, "nothing").replace(/'(\w+)'/g, (whole, value) => (words[value] ? `“${words[value]}”` : whole)).replace(/\(([\d, ]+?),?\)/g, "$1");
}
