// Before the game: who sits where, the link for friends, a seat for whoever came by it.

import { h } from "./dom.js";
import { capital } from "./events.js";
import { setting } from "./settings.js";

/** @typedef {{ seat: number, name: string, kind: "person" | "bot" | "open", agent: string | null, present: boolean, dice: number, played_by?: string | null }} SeatLine */

/**
 * @param {SeatLine[]} seats
 * @param {number | null} me
 * @param {{ onsit: (name: string) => void, onbegin: () => void }} options
 */
export function lobby(seats, me, { onsit, onbegin }) {
  const open = seats.filter((seat) => seat.kind === "open").length;
  const link = h("input", { type: "text", readonly: true, value: location.href, "aria-label": "Invite link", onfocus: (/** @type {Event} */ e) => /** @type {HTMLInputElement} */ (e.target).select() });
  const copied = h("span", { role: "status" });
  const copy = h("button", {
    type: "button",
    class: "plain",
    onclick: async () => {
      link.select();
      try {
        await navigator.clipboard.writeText(location.href);
        copied.textContent = "Copied.";
      } catch {
        copied.textContent = "Press Ctrl+C to copy.";
      }
    },
  }, "Copy link");
  const name = h("input", { type: "text", maxlength: 40, value: setting("name"), autocomplete: "nickname", required: true });
  const join = h(
    "form",
    { class: "row join", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), onsit(name.value)) },
    h("label", { class: "field" }, h("span", {}, "Your name"), name),
    h("button", { type: "submit", class: "primary" }, "Take a seat"),
  );
  const lines = seats.map((seat) =>
    h(
      "li",
      { class: `lobby-seat seat-${seat.seat % 8} ${seat.kind}` },
      h("span", { class: `token seat-${seat.seat % 8}`, "aria-hidden": "true" }, seat.kind === "open" ? "?" : capital(seat.name).slice(0, 1)),
      h("span", {}, h("strong", {}, seat.kind === "open" ? "Open seat" : seat.seat === me ? `${seat.name} (you)` : seat.name), h("small", {}, ` ${seat.kind === "bot" ? (seat.agent ? "bot" : "bot from elsewhere") : seat.kind === "open" ? "waiting for somebody" : seat.present ? "here" : "away"} · ${seat.dice} dice`)),
    ),
  );
  const hosts = seats.filter((seat) => seat.kind === "person").map((seat) => seat.name);
  const invited = me === null && open > 0;
  const words = invited
    ? `${hosts.length ? `${hosts.join(" and ")} ${hosts.length === 1 ? "waits" : "wait"} for you. ` : ""}Say who you are and take a seat; the game begins when every seat is taken.`
    : open
      ? `${open === 1 ? "One seat is" : `${open} seats are`} open. Send the link to a friend; the game begins when every seat is taken.`
      : "Everybody is here.";
  return [
    h("header", {}, h("h2", { class: "h1" }, invited ? "A seat is free" : "The table is set"), h("p", { class: "lead" }, words)),
    h(
      "div",
      { class: "lobby-columns" },
      h("ol", { class: "panel lobby-seats", "aria-label": "Seats" }, lines),
      h(
        "div",
        { class: "panel" },
        invited && join,
        h("h3", {}, invited ? "Invite others" : "Invite"),
        h("div", { class: "row invite" }, link, copy, copied),
        me !== null && h("div", { class: "row" }, h("button", { type: "button", class: "plain", onclick: onbegin }, open ? "Start now, bots fill the seats" : "Start")),
      ),
    ),
  ];
}
