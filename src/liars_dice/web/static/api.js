// The JSON API under /api, and the seats this browser has. Errors have a message for people and a code to decide by.

import { drop, load, save } from "./storage.js";

/** @typedef {{ error: string, code: string, field?: string, expected?: string }} ErrorBody an error as the server sends it */

/** An error answer of the server. */
export class ServerError extends Error {
  /**
   * @param {ErrorBody} body
   * @param {number} [status]
   */
  constructor({ error, code, field = "", expected = "" }, status = 0) {
    super(sentence(error));
    this.code = code;
    this.status = status;
    /** The field of the request that cannot be used, if it is one field. */
    this.field = field;
    /** What this field may be. */
    this.expected = expected;
  }
}

/** The server does not answer. */
export class OfflineError extends Error {
  constructor() {
    super("The server does not answer. Check your connection, and try again.");
  }
}

/** What the server answers when it has no time now; it has done nothing of what was asked. */
const NO_TIME = new Set(["busy", "share_used", "too_many_requests"]);
/** How long to wait then, in milliseconds, and how often. */
const [LATER, TRIES] = [1000, 20];

/**
 * Asks the server, and again while it is busy or this address has used its share of the server's time.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
async function call(path, options) {
  for (let tries = 1; ; tries++) {
    try {
      return await callOnce(path, options);
    } catch (error) {
      if (!(error instanceof ServerError && NO_TIME.has(error.code)) || tries >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, LATER));
    }
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
async function callOnce(path, options) {
  let response;
  try {
    response = await fetch(`/api${path}`, options);
  } catch {
    throw new OfflineError();
  }
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new ServerError(body ?? { error: `the server answered ${response.status}`, code: "no_json" }, response.status);
  return body;
}

/** @param {string} line an error line of the server */
export const sentence = (line) => `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/\.$/, "")}.`;

/**
 * @param {string} path
 * @param {string | null} [secret] that lets you in
 */
export const get = (path, secret = null) => call(path, secret ? { headers: { Authorization: `Bearer ${secret}` } } : {});

/** What lets you into a room, even if it is closed: your seat's token, or the invitation at the end of its link. @param {string} room */
export const pass = (room) => token(room) ?? invitation();

/** The invitation at the end of the link by which you came, if it has one. */
export const invitation = () => (location.pathname.startsWith("/room/") && location.hash.slice(1)) || null;

/**
 * @param {string} path
 * @param {unknown} body
 */
export const post = (path, body) =>
  call(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** @typedef {{ kind: "you" | "open" | "bot", agent?: string, name?: string }} NewSeat */
/** @typedef {{ name: string, summary: string, memoryless?: boolean, players?: [number, number], rating?: number | null }} Agent */

/** @type {Promise<Agent[]> | null} */
let known = null;

/** The bots the server offers; fetched once. */
export function agents() {
  known ??= get("/agents").then((answer) => answer.agents);
  known.catch(() => (known = null));
  return known;
}

/**
 * Creates a room. The token of your own seat is kept in this browser.
 * @param {{ rules: string | object, changes?: object, seats: NewSeat[], seed?: number | null, practice?: boolean, delay_ms?: number, hold?: boolean, closed?: boolean, turn_limit?: { seconds: number, bank: boolean } | null, help?: boolean, ready_check?: boolean }} wish
 * @returns {Promise<string>} the room's id
 */
export async function createRoom(wish) {
  const made = await post("/rooms", { changes: {}, seed: null, practice: false, delay_ms: 700, ...wish });
  keepToken(made.room, made.token, made.seat);
  return made.room;
}

/** @typedef {{ room: string, seat: number | null, when: number, over?: boolean, games?: string[] }} MyRoom a room in which this browser has a seat, and the games played there */

/** How many seats are remembered, and how many games in each room. */
const MOST = 200;
const MOST_GAMES = 20;

/** Rooms in which this browser has a seat, newest first. @returns {MyRoom[]} */
export function myRooms() {
  try {
    return JSON.parse(load("rooms") ?? "[]");
  } catch {
    return [];
  }
}

/** @param {string} room */
export const token = (room) => load(`seat:${room}`);

/**
 * @param {string} room
 * @param {string | null} secret
 * @param {number | null} [seat]
 */
export function keepToken(room, secret, seat = null) {
  if (!secret) return;
  save(`seat:${room}`, secret);
  /** @type {MyRoom[]} */
  const kept = [{ room, seat, when: Date.now() }, ...myRooms().filter((r) => r.room !== room)];
  while (kept.length > MOST) {
    const over = kept.map((r) => r.over).lastIndexOf(true);
    const [old] = kept.splice(over < 0 ? kept.length - 1 : over, 1);
    drop(`seat:${old.room}`);
    drop(`fair:${old.room}`);
  }
  save("rooms", JSON.stringify(kept));
}

/**
 * @param {string} room
 * @param {boolean} over whether its game is over; taking back a move can reopen it
 */
export function markOver(room, over) {
  if (myRooms().some((r) => r.room === room && Boolean(r.over) !== over)) save("rooms", JSON.stringify(myRooms().map((r) => (r.room === room ? { ...r, over } : r))));
}

/**
 * Remembers that a game was played in a room, to find your own seat in its review.
 * @param {string} room
 * @param {string | null} game
 * @param {number} seat
 */
export function keepGame(room, game, seat) {
  const rooms = myRooms();
  const mine = rooms.find((r) => r.room === room);
  if (!mine || !game || (mine.games?.includes(game) && mine.seat === seat)) return;
  Object.assign(mine, { seat, games: [...new Set([...(mine.games ?? []), game])].slice(-MOST_GAMES) });
  save("rooms", JSON.stringify(rooms));
}

/** How many of this browser's games the server is asked about at once. */
const MOST_ASKED = 100;

/** The games this browser played in, with its seat, newest first. @returns {{ game: string, seat: number }[]} */
export const myGames = () => myRooms().flatMap(({ games, seat }) => (seat === null ? [] : [...(games ?? [])].reverse().map((game) => ({ game, seat })))).slice(0, MOST_ASKED);

/** Your seat in a game, if this browser played in it. @param {string} game */
export const seatInGame = (game) => myRooms().find((r) => r.games?.includes(game))?.seat ?? null;

/** @param {string} room that no longer exists, or in which this browser has no seat */
export function forgetRoom(room) {
  drop(`seat:${room}`);
  drop(`fair:${room}`);
  save("rooms", JSON.stringify(myRooms().filter((r) => r.room !== room)));
}
