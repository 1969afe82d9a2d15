// Settings kept in this browser: name, theme, odds, sound, speed, taps, reactions, chat.

import { load, save } from "./storage.js";

/** @type {Record<string, string>} */
const DEFAULTS = { name: "", theme: "auto", odds: "off", sound: "off", quick: "off", onetap: "off", reactions: "on", chat: "on", coach: "off" };

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
 * The name other players see. If it is empty or "You", the server chooses one: "You" always means the reader.
 * @param {string} [name]
 * @returns {string | undefined}
 */
export function ownName(name = setting("name")) {
  const given = name.trim();
  return given && given.toLowerCase() !== "you" ? given : undefined;
}

/** Applies the light, dark or system theme. */
export function applyTheme() {
  const theme = setting("theme");
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
}
