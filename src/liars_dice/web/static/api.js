// The JSON API under /api. What goes wrong comes as an Error whose message can be shown.

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
  if (!response.ok) throw new Error(sentence(body?.error ?? `the server answered ${response.status}`));
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
 * @param {{ rules: string | object, changes?: object, seats: NewSeat[], seed?: number | null, practice?: boolean, delay_ms?: number, public?: boolean }} wish
 * @returns {Promise<string>} the room's id
 */
export async function createRoom(wish) {
  const made = await post("/rooms", { changes: {}, seed: null, practice: false, delay_ms: 700, ...wish });
  keepToken(made.room, made.token, made.seat);
  return made.room;
}

/** @param {string} room */
export const token = (room) => localStorage.getItem(`seat:${room}`);

/**
 * @param {string} room
 * @param {string | null} secret
 * @param {number | null} [seat]
 */
export function keepToken(room, secret, seat = null) {
  if (!secret) return;
  localStorage.setItem(`seat:${room}`, secret);
  /** @type {{ room: string, seat: number | null, when: number }[]} */
  const rooms = JSON.parse(localStorage.getItem("rooms") ?? "[]");
  const kept = [{ room, seat, when: Date.now() }, ...rooms.filter((r) => r.room !== room)];
  for (const old of kept.slice(12)) localStorage.removeItem(`seat:${old.room}`);
  localStorage.setItem("rooms", JSON.stringify(kept.slice(0, 12)));
}

/** Rooms in which this browser has a seat, the newest first. @returns {{ room: string, seat: number | null, when: number }[]} */
export const myRooms = () => JSON.parse(localStorage.getItem("rooms") ?? "[]");
