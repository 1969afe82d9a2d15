// What this browser remembers: name, theme, odds, sound, pace.

import { load, save } from "./storage.js";

/** @type {Record<string, string>} */
const DEFAULTS = { name: "", theme: "auto", odds: "off", sound: "off", quick: "off" };

/** @param {string} key */
export const setting = (key) => load(`set:${key}`) ?? DEFAULTS[key] ?? "";

/**
 * @param {string} key
 * @param {string} value
 */
export function keep(key, value) {
  save(`set:${key}`, value);
}

/**
 * The name others are shown. Who has none, or is called "You", is given one by the server: "You" is only said to whom it means.
 * @param {string} [name]
 * @returns {string | undefined}
 */
export function ownName(name = setting("name")) {
  const given = name.trim();
  return given && given.toLowerCase() !== "you" ? given : undefined;
}

/** Light, dark, or as the system has it. */
export function applyTheme() {
  const theme = setting("theme");
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
}
