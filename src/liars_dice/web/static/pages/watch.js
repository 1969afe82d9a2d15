// Watch bots play: choose the bots and the rules.

import { agents, createRoom, get } from "../api.js";
import { RATING_NOTE, chooseBot, seatLine, tableMate } from "../bot_text.js";
import { busily, h, redraw } from "../dom.js";
import { plainName } from "../events.js";
import { go } from "../router.js";
import { rulesForm } from "../rules_form.js";

/** @type {import("../router.js").MakePage} */
export async function page() {
  const [bots, book, { rooms }] = await Promise.all([agents(), get("/rules"), get("/rooms")]);
  /** @type {string[]} */
  const seats = [];
  const list = h("ol", { class: "seat-list" });
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  const fill = () => {
    const n = rules.players;
    const able = bots.filter((b) => !b.players || (b.players[0] <= n && n <= b.players[1]));
    while (seats.length < n) seats.push(tableMate(able, seats));
    seats.length = n;
    seats.forEach((name, i) => !able.some((b) => b.name === name) && (seats[i] = tableMate(able, seats)));
    redraw(list, seats.map((name, i) => seatLine(i, name, bots, chooseBot(able, [], name, (to) => ((seats[i] = to), fill()), `Seat ${i + 1}`), rules.playsAs)));
  };
  const rules = rulesForm(book, () => fill());
  fill();
  const start = h("button", { type: "submit", class: "primary big" }, "Start the game");
  const submit = async () => {
    try {
      await go(`/room/${await createRoom({ ...rules.request(), seats: seats.map((agent) => ({ kind: "bot", agent })), delay_ms: 900 })}`);
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const running = rooms.filter((/** @type {any} */ r) => r.status === "playing").slice(0, 8);
  const element = h(
    "form",
    { class: "page setup", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), busily(start, submit)) },
    h("header", {}, h("h1", {}, "Watch"), h("p", { class: "lead" }, "Choose bots and rules. You can pause, step and change the speed while they play. The dice are shown at each reveal.")),
    h(
      "div",
      { class: "setup-columns" },
      rules.element,
      h(
        "div",
        { class: "setup-right" },
        h("fieldset", {}, h("legend", {}, "Bots"), list, h("small", {}, RATING_NOTE)),
        problem,
        h("div", { class: "row" }, start),
        running.length > 0 && h("div", { class: "panel" }, h("h2", {}, "Playing now"), h("ul", { class: "lines" }, running.map((/** @type {any} */ r) => h("li", {}, h("a", { href: `/room/${r.room}` }, r.names.map(plainName).join(", ")), h("small", {}, r.rules))))),
      ),
    ),
  );
  return { title: "Watch", element };
}
