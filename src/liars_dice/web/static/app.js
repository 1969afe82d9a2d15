// Entry point: the colour button, then the router.

import { start } from "./router.js";
import { applyTheme, keep, setting } from "./settings.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const NAMES = { auto: "same as the system", light: "light", dark: "dark" };

applyTheme();
const button = /** @type {HTMLButtonElement} */ (document.getElementById("theme"));
const label = () => {
  const theme = /** @type {keyof typeof NEXT} */ (setting("theme"));
  button.setAttribute("aria-label", `Colours: ${NAMES[theme]}`);
  button.title = `Colours: ${NAMES[theme]}`;
};
button.addEventListener("click", () => {
  keep("theme", NEXT[/** @type {keyof typeof NEXT} */ (setting("theme"))] ?? "auto");
  applyTheme();
  label();
});
label();
start();
