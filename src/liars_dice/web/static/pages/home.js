// The home page: play at once, or look around.

import { agents, createRoom, forgetRoom, get, markOver, myRooms } from "../api.js";
import { Board } from "../board.js";
import { tableMate } from "../bot_text.js";
import { busily, h, moves } from "../dom.js";
import { plainName, sayBid } from "../events.js";
import { go } from "../router.js";
import { sample } from "../sample_round.js";
import { ownName } from "../settings.js";
import { marks, standing, told, truth } from "../state.js";
import { status } from "../table.js";
import { Timeline } from "../timeline.js";
import { gameLine, quickGame } from "./replays.js";

/** A short game against one bot. */
const playNow = () =>
  createRoom({ rules: "heads-up", changes: { dice: [3, 3] }, seats: [{ kind: "you", name: ownName() }, { kind: "bot", agent: "optimal" }], practice: true });

/** Perudo as most people know it, with bots of different styles. */
async function sixAtATable() {
  const bots = await agents();
  /** @type {string[]} */
  const others = [];
  while (others.length < 5) others.push(tableMate(bots, others));
  return createRoom({ rules: "perudo-tournament", changes: {}, seats: [{ kind: "you", name: ownName() }, ...others.map((agent) => ({ kind: /** @type {const} */ ("bot"), agent }))], practice: true });
}

/** @type {import("../router.js").MakePage} */
export function page() {
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  const attempt = (/** @type {() => Promise<string>} */ make) => async () => {
    problem.hidden = true;
    try {
      await go(await make());
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const show = demonstration();
  const rooms = h("div", { class: "panel" }, h("h2", {}, "Rooms"));
  const replays = h("div", { class: "panel" }, h("h2", {}, "Replays"));
  fillRooms(rooms);
  fillReplays(replays, attempt(quickGame));
  const now = h("button", { type: "button", class: "primary big", onclick: () => busily(now, attempt(async () => `/room/${await playNow()}`)) }, "Play now");
  const perudo = h("button", { type: "button", class: "plain", onclick: () => busily(perudo, attempt(async () => `/room/${await sixAtATable()}`)) }, "Perudo with five bots");
  const element = h(
    "div",
    { class: "page home" },
    h(
      "section",
      { class: "hero" },
      h(
        "div",
        { class: "hero-text" },
        h("h1", {}, ["Everyone rolls.", "Everyone hides.", "Someone lies."].flatMap((part) => [h("span", {}, part), " "])),
        h("p", { class: "lead" }, "Bid how many dice show one face under all the cups, yours included. Raise, or call the bluff."),
        h("div", { class: "row" }, now, h("a", { class: "button", href: "/learn" }, "Learn by playing"), perudo, h("a", { class: "button", href: "/play" }, "Set up a table")),
        h("small", {}, "Play now: three dice each against a bot. New to the game? The first lessons take five minutes. No account, nothing to install. ", h("a", { href: "/rules" }, "All rules")),
        problem,
      ),
      show.element,
    ),
    h(
      "section",
      { class: "cards" },
      rooms,
      replays,
      h("div", { class: "panel" }, h("h2", {}, "Watch"), h("p", { class: "muted" }, "Bots against bots, at any speed. Pause, step, and see who bluffs."), h("div", {}, h("a", { class: "button", href: "/watch" }, "Watch bots play"))),
      h("div", { class: "panel" }, h("h2", {}, "Lab"), h("p", { class: "muted" }, "See what perfect play does with your hand, how likely each bid is, and exactly how often each bot beats each other."), h("div", {}, h("a", { class: "button", href: "/lab" }, "Open the lab"))),
    ),
  );
  return { title: "Play", element, leave: show.stop };
}

/** An example round that plays by itself on the board. */
function demonstration() {
  const board = new Board({ label: "A round on the bid board" });
  const caption = h("figcaption", { class: "demo-caption" });
  const timeline = new Timeline((t) => {
    const { state } = t;
    const counts = truth(state);
    const bid = standing(state)?.bid;
    caption.textContent = state.bids.length ? (state.result || state.call ? status(state, null) : `${state.names[state.bids[state.bids.length - 1].seat]} bids ${bid ? sayBid(bid) : ""}.`) : "Faces across, quantities up. Each cell is a bid.";
    board.update({ ladder: state.ladder, faces: 6, legal: new Set(), chosen: null, trail: state.bids, marks: marks(state.names), names: state.names, shade: null, truth: counts && bid ? told(bid, counts, state.call) : null });
  });
  timeline.paused = true;
  const moving = moves();
  timeline.reset(sample, moving ? 4 : sample.length);
  const timer = moving
    ? setInterval(() => {
        if (timeline.atEnd) timeline.goto(2);
        else timeline.step();
        while (timeline.state.last === "DiceRolled") timeline.step();
      }, 1700)
    : 0;
  return {
    element: h("figure", { class: "demo" }, board.element, caption),
    stop: () => {
      clearInterval(timer);
      timeline.stop();
    },
  };
}

/** @param {string[]} names */
function nameList(names) {
  const known = names.filter(Boolean).map(plainName);
  return known.length > 3 ? `${known.slice(0, 2).join(", ")} and ${known.length - 2} more` : known.join(", ");
}

/** How many rooms are shown. */
const MOST = 5;

/**
 * Rooms in which this browser has a seat and whose games are not over. Rooms that no longer exist are forgotten.
 * @returns {Promise<any[]>}
 */
async function ownRooms() {
  const asked = myRooms().filter((r) => !r.over).slice(0, MOST);
  const found = await Promise.all(
    asked.map(({ room }) =>
      get(`/rooms/${room}`).catch((error) => {
        if (error.status === 404) forgetRoom(room);
        return null;
      }),
    ),
  );
  for (const room of found) if (room?.status === "over") markOver(room.room, true);
  return found.filter((room) => room && room.status !== "over");
}

/** @param {HTMLElement} panel */
async function fillRooms(panel) {
  const [own, { rooms }] = await Promise.all([ownRooms(), get("/rooms").catch(() => ({ rooms: [] }))]);
  const mine = own.map((room) => {
    const others = room.seats.filter((/** @type {any} */ s) => s.kind !== "open" && !(s.kind === "person" && s.seat === seatIn(room.room)));
    const title = others.length ? `You and ${nameList(others.map((/** @type {any} */ s) => s.name))}` : "Your table";
    return line(room.room, title, room.status === "playing" ? "your game in progress" : "your table, waiting");
  });
  const taken = new Set(own.map((room) => room.room));
  const others = rooms
    .filter((/** @type {any} */ r) => !taken.has(r.room) && seatIn(r.room) === undefined)
    .slice(0, Math.max(0, MOST - mine.length))
    .map((/** @type {any} */ r) => line(r.room, nameList(r.names) || r.room, `${r.open_seats ? `${r.open_seats} open ${r.open_seats === 1 ? "seat" : "seats"}` : "watch"} · ${r.rules}`));
  if (!mine.length && !others.length) {
    panel.append(h("p", { class: "muted" }, "No one is playing. Set up a table with an open seat and send the link to a friend. The game starts when they take it."), h("div", {}, h("a", { class: "button", href: "/play?open=1" }, "Invite a friend")));
    return;
  }
  panel.append(h("ul", { class: "lines" }, mine, others), h("div", {}, h("a", { class: "button", href: "/play?open=1" }, "New room")));
}

/** @param {string} room */
const seatIn = (room) => myRooms().find((r) => r.room === room)?.seat;

/**
 * @param {string} room
 * @param {string} title
 * @param {string} about
 */
const line = (room, title, about) => h("li", {}, h("a", { href: `/room/${room}` }, title), h("small", {}, about));

/**
 * @param {HTMLElement} panel
 * @param {() => Promise<void>} quick
 */
async function fillReplays(panel, quick) {
  const { games } = await get("/games?limit=4&state=finished").catch(() => ({ games: [] }));
  if (!games.length) {
    const button = h("button", { type: "button", class: "plain", onclick: () => busily(button, quick) }, "Play a bot game and replay it");
    panel.append(h("p", { class: "muted" }, "No games yet. Let two bots play one, then step through it move by move."), h("div", {}, button));
    return;
  }
  panel.append(h("ul", { class: "lines" }, games.map(gameLine)), h("div", {}, h("a", { class: "button", href: "/replays" }, "All replays")));
}
