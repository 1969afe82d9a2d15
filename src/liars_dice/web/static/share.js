// Sharing a page: copy its address, or download the game.

import { h } from "./dom.js";

/**
 * A button that copies an address; where the browser does not allow that, the address is shown to be copied by hand.
 * @param {() => string} address
 */
export function copyButton(address) {
  const said = h("span", { role: "status", class: "muted" });
  const field = h("input", { type: "text", readonly: true, "aria-label": "Address of this move", hidden: true });
  const button = h("button", {
    type: "button",
    class: "plain",
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(address());
        said.textContent = "Link copied.";
      } catch {
        field.value = address();
        field.hidden = false;
        field.select();
        said.textContent = "Copy this address:";
      }
    },
  }, "Copy link");
  return h("div", { class: "row share" }, button, said, field);
}

/**
 * Links that download a finished game.
 * @param {string} game
 */
export function downloads(game) {
  const file = (/** @type {string} */ name, /** @type {string} */ label) => h("a", { href: `/api/games/${encodeURIComponent(game)}/${name}`, download: "" }, label);
  return h("span", { class: "downloads" }, "Download: ", file("notation.txt", "notation"), " · ", file("events.jsonl", "JSON lines"));
}
