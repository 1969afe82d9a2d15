// A room's socket. It notices when the connection is dead, reconnects, asks only for the events it does not have yet, and sends what was not
// answered again.

import { ServerError, invitation, token } from "./api.js";

/**
 * @typedef {object} Listener
 * @property {(message: any) => void} onmessage every message but answers
 * @property {(online: boolean) => void} online
 * @property {(error: ServerError) => void} refused the server refuses the connection, and trying again would not help
 */
/** @typedef {{ events: number, game: string | null }} Known how many events of which game this page has */
/**
 * A message without an answer. `again`: called after a reconnection; whether to send it once more. If not, it was done. Without this function,
 * a message whose answer is lost has failed.
 * @typedef {{ message: Record<string, unknown>, resolve: (answer: any) => void, reject: (error: Error) => void, again?: () => boolean }} Asked
 */

const RETRY_MS = [300, 700, 1500, 3000, 5000];
/** A ping is sent this often, and a connection on which nothing is heard for SILENCE_MS after a message is dead: noticed within ten seconds. */
const HEARTBEAT_MS = 4000;
const SILENCE_MS = 5000;
/** How long a new connection may take to be welcomed; the longer, the more were tried, as the server may be busy. */
const WELCOME_MS = [8000, 12_000, 20_000, 30_000];
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
    /** Messages without an answer. @type {Map<number, Asked>} */
    this.waiting = new Map();
    this.id = 0;
    this.tries = 0;
    this.closed = false;
    this.welcomed = false;
    /** The last error that answered no message: why the server is about to close. @type {import("./api.js").ErrorBody | null} */
    this.error = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** The network has changed, or the page is looked at again. */
    this.check = () => {
      if (document.hidden || this.closed) return;
      if (this.socket?.readyState === WebSocket.OPEN) this.#send({ type: "ping" });
      else this.#open();
    };
    for (const [target, event] of this.#events()) target.addEventListener(event, this.check);
    this.beat = setInterval(() => this.#send({ type: "ping" }), HEARTBEAT_MS);
    this.#open();
  }

  /**
   * Sends a message and waits for its answer.
   * @param {Record<string, unknown>} message
   * @param {() => boolean} [again] see `Asked`
   * @returns {Promise<any>}
   */
  ask(message, again) {
    const id = ++this.id;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { message: { ...message, id }, resolve, reject, again });
      if (!this.#send({ ...message, id }) && !again) this.#settle(id, new Error("Not connected. Your request was not sent."));
    });
  }

  /** @returns {[EventTarget, string][]} */
  #events() {
    return [[window, "online"], [window, "offline"], [document, "visibilitychange"]];
  }

  /**
   * Sends a message that needs no answer.
   * @param {Record<string, unknown>} message
   */
  tell(message) {
    this.#send(message);
  }

  close() {
    this.closed = true;
    clearInterval(this.beat);
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    for (const [target, event] of this.#events()) target.removeEventListener(event, this.check);
    this.socket?.close();
  }

  #open() {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.silence = 0;
    this.socket?.close();
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/rooms/${encodeURIComponent(this.room)}/socket`);
    this.socket = socket;
    this.welcomed = false;
    this.error = null;
    this.#expect(WELCOME_MS[Math.min(this.tries, WELCOME_MS.length - 1)]);
    socket.onopen = () => {
      const { events, game } = this.known();
      this.#send({ type: "hello", token: token(this.room), from: events, invite: invitation(), ...(game ? { game_id: game } : {}) });
    };
    socket.onmessage = (event) => {
      if (this.socket === socket) this.#hear(JSON.parse(event.data));
    };
    socket.onclose = ({ code, reason }) => {
      if (this.socket !== socket || this.closed) return;
      if (code === REFUSED || (!this.welcomed && this.error && !TRY_LATER.includes(code))) {
        this.close();
        for (const id of [...this.waiting.keys()]) this.#settle(id, new Error("The server closed the connection before it answered."));
        this.listener.refused(new ServerError(this.error ?? { error: reason || "the server refused the connection", code: "refused" }));
        return;
      }
      this.#lost();
    };
  }

  /** The connection is gone: moves are sent again later, other questions have failed. */
  #lost() {
    const socket = this.socket;
    this.socket = null;
    clearTimeout(this.silence);
    this.silence = 0;
    socket?.close(); // on a dead network this takes long, and no one waits for it
    for (const [id, { again }] of [...this.waiting]) if (!again) this.#settle(id, new Error("The connection was lost before the server answered."));
    this.listener.online(false);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#open(), RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]);
  }

  /**
   * The server should be heard of soon.
   * @param {number} [within] milliseconds
   */
  #expect(within = SILENCE_MS) {
    this.silence ||= setTimeout(() => this.#lost(), within);
  }

  /** @param {any} message */
  #hear(message) {
    clearTimeout(this.silence);
    this.silence = 0;
    if (message.type === "welcome") {
      this.tries = 0;
      this.welcomed = true;
      this.listener.onmessage(message);
      this.listener.online(true);
      for (const [id, asked] of [...this.waiting]) {
        if (asked.again?.()) this.#send(asked.message);
        else if (asked.again) this.#settle(id, null, {});
      }
      return;
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
    this.#expect();
    return true;
  }
}
