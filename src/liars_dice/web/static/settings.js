// What this browser remembers: name, theme, odds, sound, pace.

/** @type {Record<string, string>} */
const DEFAULTS = { name: "", theme: "auto", odds: "off", sound: "off", quick: "off" };

/** @param {string} key */
export const setting = (key) => localStorage.getItem(`set:${key}`) ?? DEFAULTS[key] ?? "";

/**
 * @param {string} key
 * @param {string} value
 */
export function keep(key, value) {
  localStorage.setItem(`set:${key}`, value);
}

/** Light, dark, or as the system has it. */
export function applyTheme() {
  const theme = setting("theme");
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
}
