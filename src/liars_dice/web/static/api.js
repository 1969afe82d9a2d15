// The JSON API under /api, and the seats this browser has. What goes wrong comes as an Error whose message can be shown.

import { drop, load, save } from "./storage.js";

/** What the server did not want to do. */
class Failure extends Error {
  /**
   * @param {string} message
   * @param {number} status
   */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
async function call(path, options) {
  let response;
  try {
    response = await fetch(`/api${path}`, options);
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Failure(sentence(body?.error ?? `the server answered ${response.status}`), response.status);
  return body;
}

/** @param {string} line an error as the server writes it */
export const sentence = (line) => `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/\.$/, "")}.`;

/** @param {string} path */
export const get = (path) => call(path);

/**
 * @param {string} path
 * @param {unknown} body
 */
export const post = (path, body) =>
  call(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** @typedef {{ kind: "you" | "open" | "bot", agent?: string, name?: string }} NewSeat */
/** @typedef {{ name: string, summary: string, memoryless?: boolean, players?: [number, number] }} Agent */

/** @type {Promise<Agent[]> | null} */
let known = null;

/** The bots there are; asked for once. */
export function agents() {
  known ??= get("/agents").then((answer) => answer.agents);
  known.catch(() => (known = null));
  return known;
}

/**
 * A new room; the secret of the own seat stays in this browser.
 * @param {{ rules: string | object, changes?: object, seats: NewSeat[], seed?: number | null, practice?: boolean, delay_ms?: number }} wish
 * @returns {Promise<string>} the room's id
 */
export async function createRoom(wish) {
  const made = await post("/rooms", { changes: {}, seed: null, practice: false, delay_ms: 700, ...wish });
  keepToken(made.room, made.token, made.seat);
  return made.room;
}

/** @typedef {{ room: string, seat: number | null, when: number, over?: boolean }} MyRoom a room in which this browser has a seat */

/** So many seats are remembered. */
const MOST = 200;

/** Rooms in which this browser has a seat, the newest first. @returns {MyRoom[]} */
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
  }
  save("rooms", JSON.stringify(kept));
}

/**
 * @param {string} room
 * @param {boolean} over whether its game is; it may go on again when a move is taken back
 */
export function markOver(room, over) {
  if (myRooms().some((r) => r.room === room && Boolean(r.over) !== over)) save("rooms", JSON.stringify(myRooms().map((r) => (r.room === room ? { ...r, over } : r))));
}

/** @param {string} room that is gone, or in which this browser has no seat after all */
export function forgetRoom(room) {
  drop(`seat:${room}`);
  save("rooms", JSON.stringify(myRooms().filter((r) => r.room !== room)));
}
