// A room's socket, which reconnects by itself and then asks only for the events it does not have yet.

import { ServerError, invitation, token } from "./api.js";

/**
 * @typedef {object} Listener
 * @property {(message: any) => void} onmessage every message but answers
 * @property {(online: boolean) => void} online
 * @property {(error: ServerError) => void} refused the server refuses the connection, and trying again would not help
 */
/** @typedef {{ events: number, game: string | null }} Known how many events of which game this page has */

const RETRY_MS = [300, 700, 1500, 3000, 5000];
const HEARTBEAT_MS = 20_000;
/** Close codes: the server refuses the connection; or it failed, or is too busy, and trying again later may help. */
const REFUSED = 1008;
const TRY_LATER = [1011, 1013];

export class RoomSocket {
  /**
   * @param {string} room
   * @param {Listener} listener
   * @param {() => Known} known
   */
  constructor(room, listener, known) {
    this.room = room;
    this.listener = listener;
    this.known = known;
    /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void }>} */
    this.waiting = new Map();
    this.id = 0;
    this.tries = 0;
    this.closed = false;
    this.welcomed = false;
    /** The last error that answered no message: why the server is about to close. @type {import("./api.js").ErrorBody | null} */
    this.error = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.retry = () => {
      if (!this.closed && this.socket?.readyState !== WebSocket.OPEN) this.#open();
    };
    addEventListener("online", this.retry);
    this.beat = setInterval(() => this.#send({ type: "ping" }), HEARTBEAT_MS);
    this.#open();
  }

  /**
   * Sends a message and waits for its answer.
   * @param {Record<string, unknown>} message
   * @returns {Promise<any>}
   */
  ask(message) {
    const id = ++this.id;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      if (!this.#send({ ...message, id })) this.#settle(id, new Error("Not connected. Your request was not sent."));
    });
  }

  close() {
    this.closed = true;
    clearInterval(this.beat);
    clearTimeout(this.timer);
    removeEventListener("online", this.retry);
    this.socket?.close();
  }

  #open() {
    clearTimeout(this.timer);
    this.socket?.close();
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/rooms/${encodeURIComponent(this.room)}/socket`);
    this.socket = socket;
    this.welcomed = false;
    this.error = null;
    socket.onopen = () => {
      const { events, game } = this.known();
      this.#send({ type: "hello", token: token(this.room), from: events, invite: invitation(), ...(game ? { game_id: game } : {}) });
    };
    socket.onmessage = (event) => {
      if (this.socket === socket) this.#hear(JSON.parse(event.data));
    };
    socket.onclose = ({ code, reason }) => {
      if (this.socket !== socket || this.closed) return;
      for (const id of [...this.waiting.keys()]) this.#settle(id, new Error("The connection was lost before the server answered."));
      if (code === REFUSED || (!this.welcomed && this.error && !TRY_LATER.includes(code))) {
        this.close();
        this.listener.refused(new ServerError(this.error ?? { error: reason || "the server refused the connection", code: "refused" }));
        return;
      }
      this.listener.online(false);
      this.timer = setTimeout(() => this.#open(), RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]);
    };
  }

  /** @param {any} message */
  #hear(message) {
    if (message.type === "welcome") {
      this.tries = 0;
      this.welcomed = true;
      this.listener.online(true);
    }
    if (message.type === "error" && message.to === undefined) this.error = message;
    if (message.type === "pong") return;
    if (message.type === "answer" && this.waiting.has(message.to)) this.#settle(message.to, null, message);
    else if (message.type === "error" && this.waiting.has(message.to)) this.#settle(message.to, new ServerError(message));
    else this.listener.onmessage(message);
  }

  /**
   * @param {number} id
   * @param {Error | null} error
   * @param {any} [answer]
   */
  #settle(id, error, answer) {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waiting?.reject(error);
    else waiting?.resolve(answer);
  }

  /** @param {Record<string, unknown>} message */
  #send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
