// The faces of the players, drawn in one style: bots have square heads, people round ones. A bot's face fits its character.

import { h, s } from "./dom.js";

/** @typedef {[string, Record<string, string | number>][]} Shapes elements with their attributes */

const path = (/** @type {string} */ d, kind = "line") => /** @type {Shapes} */ ([["path", { d, class: kind }]]);
const dot = (/** @type {number} */ cx, r = 2.2, cy = 26) => /** @type {Shapes} */ ([["circle", { cx, cy, r, class: "solid" }]]);
const ring = (/** @type {number} */ cx, r = 4.5, cy = 26) => /** @type {Shapes} */ ([["circle", { cx, cy, r, class: "line" }]]);

/** @type {Record<string, Shapes>} */
const TOPS = {
  antenna: [...path("M24 14 V8"), ...dot(24, 2.5, 6)],
  crown: path("M13 15 V5 L18.5 9.5 L24 3.5 L29.5 9.5 L35 5 V15 Z", "gold"),
  circlet: path("M15 15 V8 L24 11.5 L33 8 V15 Z", "gold"),
  ribbon: path("M15 15 V10.5 H33 V15 Z", "gold"),
  hat: path("M6 15 H42 M13 15 Q13 5 19 6 Q24 8 29 6 Q35 5 35 15 Z", "fill"),
  halo: [["ellipse", { cx: 24, cy: 7, rx: 9, ry: 3, class: "line" }]],
  headset: [...path("M9 27 V21 Q9 7 24 7 Q39 7 39 21 V27"), ...path("M6 24 H10 V32 H6 Z M38 24 H42 V32 H38 Z", "fill")],
  spikes: path("M11 15 L14 6 L18 13 L24 4 L30 13 L34 6 L37 15 Z", "fill"),
  beret: path("M10 15 Q12 6 26 7 Q38 8 36 15 Z M25 7 L27 3", "fill"),
  short: path("M13 21 Q13 8 24 8 Q35 8 35 21 Q30 14 24 14 Q18 14 13 21 Z", "fill"),
  bob: path("M12 33 Q9 8 24 8 Q39 8 36 33 L33 33 L33 20 Q26 19 22 14 Q19 20 15 20 L15 33 Z", "fill"),
  curls: path("M12 22 a4 4 0 0 1 1 -7 a5 5 0 0 1 6 -6 a5.5 5.5 0 0 1 10 0 a5 5 0 0 1 6 6 a4 4 0 0 1 1 7 Q30 14 24 15 Q18 14 12 22 Z", "fill"),
  bun: [...dot(24, 4.5, 6), ...path("M13 21 Q13 9 24 9 Q35 9 35 21 Q24 12 13 21 Z", "fill")],
  cap: path("M13 19 Q13 8 24 8 Q35 8 35 19 H42 V16 H35 Z", "fill"),
  none: [],
};

/** @type {Record<string, Shapes>} */
const EYES = {
  dots: [...dot(18), ...dot(30)],
  stern: [...dot(18, 2, 27), ...dot(30, 2, 27), ...path("M14 20.5 L21 23.5 M34 20.5 L27 23.5")],
  raised: [...dot(18, 2, 27), ...dot(30, 2, 27), ...path("M14.5 22 H21 M27 18.5 Q31 17 34 19.5")],
  wink: [...dot(18), ...path("M27 26.5 Q30 23.5 33 26.5")],
  glasses: [...ring(18), ...ring(30), ...dot(18, 1.4), ...dot(30, 1.4), ...path("M22.5 26 H25.5")],
  goggles: [...path("M13 21.5 H22.5 V30 H13 Z M25.5 21.5 H35 V30 H25.5 Z M22.5 25.5 H25.5"), ...dot(18, 1.6), ...dot(30, 1.6)],
  sleepy: [...path("M14.5 24.5 H21.5 M26.5 24.5 H33.5"), ...dot(18, 1.8, 26.5), ...dot(30, 1.8, 26.5)],
  closed: path("M14.5 25.5 Q18 29 21.5 25.5 M26.5 25.5 Q30 29 33.5 25.5"),
  wild: [...ring(17, 5.5), ...ring(31, 4), ...dot(18.5, 1.8), ...dot(30, 1.4)],
  scope: [...dot(18), ...ring(30, 5), ...path("M30 18.5 V33.5 M22.5 26 H37.5")],
  monocle: [...dot(18), ...ring(30, 5), ...dot(30, 1.8), ...path("M34 30 L35 36")],
  odd: [...path("M15 23 L21 29 M21 23 L15 29"), ...ring(30, 3.5)],
};

/** @type {Record<string, Shapes>} */
const MOUTHS = {
  smile: path("M18 33.5 Q24 38 30 33.5"),
  line: path("M19 34.5 H29"),
  grin: path("M15 32.5 H33 Q32 39 24 39 Q16 39 15 32.5 Z M20 32.5 V37.5 M24 32.5 V38.5 M28 32.5 V37.5"),
  teeth: path("M17 33 H31 V37.5 H17 Z M21.5 33 V37.5 M26.5 33 V37.5"),
  open: [["circle", { cx: 24, cy: 35, r: 3, class: "solid" }]],
  smirk: path("M18 35.5 Q26 37 31 32.5"),
  moustache: path("M24 33 Q19 31 14 35.5 Q20 37 24 34.5 Q28 37 34 35.5 Q29 31 24 33 Z", "fill"),
  worried: path("M18 36 Q21 33 24 35.5 Q27 38 30 34.5"),
};

/** What each bot looks like: on its head, its eyes, its mouth. @type {Record<string, [string, string, string]>} */
const BOTS = {
  champion: ["crown", "dots", "smirk"],
  "champion:hard": ["circlet", "stern", "smirk"],
  "champion:medium": ["circlet", "dots", "smile"],
  "champion:easy": ["ribbon", "dots", "smile"],
  reader: ["cap", "glasses", "smirk"],
  nash: ["antenna", "glasses", "line"],
  detective: ["hat", "monocle", "line"],
  bluffer: ["beret", "wink", "smirk"],
  crawler: ["none", "sleepy", "line"],
  probabilistic: ["antenna", "goggles", "smile"],
  optimal: ["antenna", "raised", "smile"],
  aggressive: ["spikes", "stern", "teeth"],
  sniper: ["cap", "scope", "line"],
  "calling-station": ["headset", "dots", "open"],
  passive: ["none", "closed", "smile"],
  maniac: ["spikes", "wild", "grin"],
  conservative: ["none", "raised", "moustache"],
  truthful: ["halo", "dots", "smile"],
  random: ["antenna", "odd", "worried"],
};

const BOT_TOPS = ["antenna", "beret", "cap", "none", "headset"];
const HAIR = ["short", "bob", "curls", "bun", "cap", "beret", "spikes"];
const LOOKS = ["dots", "raised", "glasses", "wink", "dots"];
const LIPS = ["smile", "smirk", "line", "smile"];

/** Reactions that are faces: eyes and mouth. @type {Record<string, [string, string]>} */
const FACES = { "😂": ["closed", "grin"], "😮": ["dots", "open"], "🤔": ["raised", "line"], "😬": ["stern", "teeth"] };

/** Other reactions. @type {Record<string, Shapes>} */
const SIGNS = {
  "👍": path("M19 22 L26 7 Q33 7 31 16 L30 20 H40 Q44 24 41 28 Q42 32 39 34 Q38 41 33 41 H19 Z M7 22 H15 V41 H7 Z", "head"),
  "👏": [...path("M14 41 Q5 31 11 21 L17 10 Q22 8 22 13 L20 20 L30 11 Q35 12 32 17 L36 18 Q41 20 36 26 L30 38 Q24 45 14 41 Z", "head"), ...path("M35 5 L33 9 M42 9 L38 12 M45 17 H41")],
  "🎉": [...path("M7 43 L17 17 L33 33 Z", "gold"), ...path("M23 13 Q26 8 22 4 M33 25 Q38 22 43 25"), ...dot(32, 2, 11), ...dot(40, 2, 15), ...dot(37, 2, 5)],
  "🙏": path("M24 5 Q18 14 16 26 L11 42 H24 Z M24 5 Q30 14 32 26 L37 42 H24 Z", "head"),
};

/** A reaction, drawn in the style of the faces: not every system has pictures for its letters. @param {string} what */
export function reactionPicture(what) {
  const [eyes, mouth] = FACES[what] ?? [];
  const inside = eyes ? [s("circle", { class: "gold", cx: 24, cy: 27, r: 19 }), drawn([...EYES[eyes], ...MOUTHS[mouth]])] : [drawn(SIGNS[what] ?? [])];
  return s("svg", { viewBox: "0 0 48 48", class: `avatar reaction-picture${eyes ? "" : " sign"}`, "aria-hidden": "true" }, ...inside);
}

/** @param {Shapes} shapes */
const drawn = (shapes) => shapes.map(([tag, props]) => s(/** @type {"path"} */ (tag), props));

/** A number that is always the same for a name. @param {string} name */
const hash = (name) => [...name].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7);

/**
 * A player's face. It is decoration: the name is beside it.
 * @param {string | null | undefined} agent as recorded: a bot's name, `human:Ann` or `remote:careful`
 * @param {string} [name] of a person
 */
export function avatar(agent, name = agent ?? "") {
  const person = agent === null || agent === undefined || /^human\b/.test(agent);
  const n = hash(name);
  const [top, eyes, mouth] = (person ? null : BOTS[agent]) ?? [(person ? HAIR : BOT_TOPS)[n % (person ? HAIR : BOT_TOPS).length], LOOKS[(n >>> 4) % LOOKS.length], LIPS[(n >>> 8) % LIPS.length]];
  const head = person ? [s("path", { class: "head", d: "M4 50 Q6 40 24 40 Q42 40 44 50 Z" }), s("ellipse", { class: "head", cx: 24, cy: 27, rx: 12, ry: 14 })] : [s("rect", { class: "head", x: 9, y: 15, width: 30, height: 26, rx: 7 })];
  return s("svg", { viewBox: "0 0 48 48", class: `avatar ${person ? "person" : "robot"}`, "aria-hidden": "true" }, s("rect", { class: "ground", width: 48, height: 48 }), head, drawn([...TOPS[top], ...EYES[eyes], ...MOUTHS[mouth]]));
}

/**
 * A face with the mark that its player has on the board.
 * @param {number} seat
 * @param {string} mark
 * @param {string | null | undefined} agent
 * @param {string} [name]
 */
export const face = (seat, mark, agent, name) => h("span", { class: `face seat-${seat % 8}`, "aria-hidden": "true" }, avatar(agent, name), h("span", { class: `token small seat-${seat % 8}` }, mark));
