// The card of a player: what finished games say about everyone who played here under that name.

import { get } from "../api.js";
import { field, h } from "../dom.js";
import { plainName } from "../events.js";
import { playerCard } from "../player_card.js";
import { go } from "../router.js";
import { ownName } from "../settings.js";

/** @type {import("../router.js").MakePage} */
export async function page({ query }) {
  const name = (query.get("name") ?? ownName() ?? "").trim();
  const input = h("input", { type: "text", maxlength: 200, value: name, placeholder: "A player or a bot", required: true });
  const form = h("form", { class: "row asks", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), go(`/player?name=${encodeURIComponent(input.value.trim())}`)) }, field("Name", input), h("button", { type: "submit", class: "primary" }, "Show the card"));
  const lead = h("p", { class: "lead" }, "Every round ends with all dice on the table. This is what anyone who sat there could know. Names are not checked: everyone who played under a name counts.");
  const card = h("div", { class: "panel" });
  if (name) {
    try {
      card.append(h("h2", {}, plainName(name)), playerCard(await get(`/players/card?name=${encodeURIComponent(name)}`)));
    } catch (error) {
      card.append(h("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  }
  card.hidden = !name;
  return { title: "Player card", element: h("div", { class: "page narrow" }, h("header", {}, h("h1", {}, "Player card"), lead), form, card) };
}
