// Set up a table: the rules and the seats.

import { agents, createRoom, get, myRooms, post, token } from "../api.js";
import { RATING_NOTE, chooseBot, seatLine, tableMate } from "../bot_text.js";
import { busily, field, h, redraw, select, toggle } from "../dom.js";
import { WORDS_LABEL, WORDS_NOTE, addWords, wordsInput } from "../fair_dice.js";
import { go } from "../router.js";
import { rulesForm } from "../rules_form.js";
import { keep, ownName, setting } from "../settings.js";

/** How long players may think: seconds per turn, or in a bank for the whole game. @type {[string, string][]} */
const LIMITS = [["", "No limit"], ["15", "15 seconds per turn"], ["30", "30 seconds per turn"], ["60", "60 seconds per turn"], ["bank 120", "2 minutes for the whole game"], ["bank 300", "5 minutes for the whole game"]];

/** @param {string} chosen of LIMITS */
const limitOf = (chosen) => (chosen ? { seconds: Number(chosen.replace("bank ", "")), bank: chosen.startsWith("bank") } : null);

/** @type {import("../router.js").MakePage} */
export async function page({ query }) {
  const before = query.get("like");
  const [bots, book, last] = await Promise.all([agents(), get("/rules"), before ? get(`/rooms/${encodeURIComponent(before)}`).catch(() => null) : null]);
  const mine = myRooms().find((r) => r.room === before)?.seat ?? 0;
  /** Who sits where; as in an earlier room, if `like` names one. @type {{ who: string }[]} */
  const seats = (last?.seats ?? []).map((/** @type {import("./room.js").SeatLine} */ s) => ({ who: s.seat === mine ? "you" : (s.kind === "bot" && s.agent) || "open" }));
  const list = h("ol", { class: "seat-list" });
  const name = h("input", { type: "text", maxlength: 24, value: setting("name"), placeholder: "Player 1", autocomplete: "nickname" });
  const words = wordsInput();
  const influence = h("details", {}, h("summary", {}, "Have a say in the dice"), field(WORDS_LABEL, words, WORDS_NOTE));
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  let practice = true;
  const start = h("button", { type: "submit", class: "primary big" });
  const fill = () => {
    const n = rules.players;
    const able = bots.filter((b) => !b.players || (b.players[0] <= n && n <= b.players[1]));
    const mate = () => tableMate(able, seats.map((seat) => seat.who));
    while (seats.length < n) seats.push({ who: seats.length === 0 ? "you" : query.get("open") && seats.length === 1 ? "open" : mate() });
    seats.length = n;
    for (const seat of seats) if (!["you", "open"].includes(seat.who) && !able.some((b) => b.name === seat.who)) seat.who = mate();
    redraw(
      list,
      seats.map((seat, i) => {
        const change = (/** @type {string} */ to) => {
          if (to === "you") for (const other of seats) if (other.who === "you") other.who = mate();
          seat.who = to;
          fill();
        };
        const input = chooseBot(able, [["you", "You"], ["open", "Open, for a friend"]], seat.who, change, `Seat ${i + 1}`);
        return seatLine(i, seat.who, bots, input, rules.playsAs, seat.who === "open" ? "Anyone with the link can sit here." : name.value);
      }),
    );
    const open = seats.some((s) => s.who === "open");
    alone.hidden = open;
    company.hidden = !open;
    influence.hidden = !seats.some((s) => s.who === "you");
    start.textContent = open ? "Set up and invite" : seats.some((s) => s.who === "you") ? "Start" : "Watch";
  };
  const night = { limit: "", help: true, closed: false, ready: false, chat: false };
  const company = h(
    "fieldset",
    {},
    h("legend", {}, "With friends"),
    field("Time to think", select(LIMITS, "", (to) => (night.limit = to)), "When it is up, a bot moves for that turn."),
    toggle("Private: only people with the link can join or watch", false, (on) => (night.closed = on)),
    toggle("Ask everyone whether they are ready", false, (on) => (night.ready = on)),
    toggle("Hints and odds are allowed", true, (on) => (night.help = on)),
    toggle("Players may write to each other", false, (on) => (night.chat = on)),
  );
  const alone = h("div", {}, toggle("Practice: moves can be taken back", practice, (on) => (practice = on)));
  const rules = rulesForm(book, () => fill(), last?.config ?? null);
  fill();
  const submit = async () => {
    problem.hidden = true;
    keep("name", name.value.trim());
    const open = seats.some((s) => s.who === "open");
    const you = seats.some((s) => s.who === "you");
    try {
      const room = await createRoom({
        ...rules.request(),
        seats: seats.map(({ who }) => (who === "you" ? { kind: "you", name: ownName(name.value) } : who === "open" ? { kind: "open" } : { kind: "bot", agent: who })),
        practice: practice && !open && you,
        hold: you && !open && words.value !== "",
        ...(open ? { turn_limit: limitOf(night.limit), help: night.help, closed: night.closed, ready_check: night.ready && you, chat: night.chat } : {}),
      });
      if (you && words.value) {
        await addWords(room, words.value);
        if (!open) await post(`/rooms/${encodeURIComponent(room)}/start`, { token: token(room) });
      }
      await go(`/room/${room}`);
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const element = h(
    "form",
    { class: "page setup", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), busily(start, submit)) },
    h("header", {}, h("h1", {}, "Set up a table"), h("p", { class: "lead" }, "Choose the rules and who sits where. Bots are always ready; friends join by link.")),
    h("div", { class: "setup-columns" }, rules.element, h("div", { class: "setup-right" }, field("Your name", name), h("fieldset", {}, h("legend", {}, "Seats"), list, h("small", {}, RATING_NOTE)), company, alone, influence, problem, h("div", { class: "row" }, start))),
  );
  return { title: "Set up a table", element };
}
