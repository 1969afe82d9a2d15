// Rolls the dice of a finished game again, from the secret and the players' words: what `liars-dice verify-fair` does, in the browser.
// The hashes are written out here because browsers have no BLAKE2b, and SHA-256 only over HTTPS.

import { read } from "./events.js";

/** @typedef {import("./fair_dice.js").Fairness} Fairness */

const utf8 = new TextEncoder();
/** @param {Uint8Array} bytes */
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// -- SHA-256 (FIPS 180-4)

/** The first 32 bits of the fractional parts of the square or cube roots of the first primes. @param {number} n @param {number} power */
function primeRoots(n, power) {
  const found = [];
  for (let p = 2; found.length < n; p++) {
    let prime = true;
    for (let d = 2; d * d <= p; d++) if (p % d === 0) prime = false;
    if (prime) found.push(p ** power);
  }
  return found.map((root) => Math.floor((root - Math.floor(root)) * 2 ** 32));
}

const K = primeRoots(64, 1 / 3);

/** @param {string} text @returns {Uint8Array} */
export function sha256(text) {
  const bytes = utf8.encode(text);
  const length = bytes.length;
  const padded = new Uint8Array((((length + 8) >> 6) + 1) * 64);
  padded.set(bytes);
  padded[length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setUint32(padded.length - 4, length * 8);
  const state = primeRoots(8, 1 / 2);
  const turn = (/** @type {number} */ x, /** @type {number} */ n) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < padded.length; block += 64) {
    const w = Array.from({ length: 16 }, (_, i) => words.getUint32(block + 4 * i));
    for (let i = 16; i < 64; i++) {
      const s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) >>> 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) >>> 0;
      const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) >>> 0, c, b, a, (t1 + t2) >>> 0];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i] = (state[i] + x) >>> 0));
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((x, i) => out.setUint32(4 * i, x));
  return new Uint8Array(out.buffer);
}

// -- BLAKE2b (RFC 7693) with a key, for messages of at most one block

const WORD = (1n << 64n) - 1n;
/** The start values of SHA-512, as the RFC has them. */
const IV = [0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n, 0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n];
/** The permutations of the message words, a row of hexadecimal digits each. */
const SIGMA = ["0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d", "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0"].map((row) => [...row].map((digit) => parseInt(digit, 16)));

/**
 * @param {bigint[]} state
 * @param {Uint8Array} block of 128 bytes
 * @param {number} count bytes so far
 * @param {boolean} last
 */
function compress(state, block, count, last) {
  const view = new DataView(block.buffer);
  const m = Array.from({ length: 16 }, (_, i) => view.getBigUint64(8 * i, true));
  const v = [...state, ...IV];
  v[12] ^= BigInt(count);
  if (last) v[14] ^= WORD;
  const turn = (/** @type {bigint} */ x, /** @type {bigint} */ n) => ((x >> n) | (x << (64n - n))) & WORD;
  const mix = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ c, /** @type {number} */ d, /** @type {bigint} */ x, /** @type {bigint} */ y) => {
    v[a] = (v[a] + v[b] + x) & WORD;
    v[d] = turn(v[d] ^ v[a], 32n);
    v[c] = (v[c] + v[d]) & WORD;
    v[b] = turn(v[b] ^ v[c], 24n);
    v[a] = (v[a] + v[b] + y) & WORD;
    v[d] = turn(v[d] ^ v[a], 16n);
    v[c] = (v[c] + v[d]) & WORD;
    v[b] = turn(v[b] ^ v[c], 63n);
  };
  for (let round = 0; round < 12; round++) {
    const s = SIGMA[round % 10];
    for (let i = 0; i < 4; i++) mix(i, 4 + i, 8 + i, 12 + i, m[s[2 * i]], m[s[2 * i + 1]]);
    for (let i = 0; i < 4; i++) mix(i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4), m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
  }
  state.forEach((x, i) => (state[i] = x ^ v[i] ^ v[i + 8]));
}

/**
 * The 64 bytes of a keyed BLAKE2b.
 * @param {Uint8Array} message at most 128 bytes
 * @param {Uint8Array} key at most 64 bytes
 */
export function blake2b(message, key) {
  const state = [...IV];
  state[0] ^= 0x01010000n ^ (BigInt(key.length) << 8n) ^ 64n;
  const block = (/** @type {Uint8Array} */ bytes) => {
    const padded = new Uint8Array(128);
    padded.set(bytes);
    return padded;
  };
  compress(state, block(key), 128, false);
  compress(state, block(message), 128 + message.length, true);
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((x, i) => out.setBigUint64(8 * i, x, true));
  return new Uint8Array(out.buffer);
}

// -- dice

/** The seed that the secret and the players' words give. @param {string} secret @param {string[]} words */
function seedOf(secret, words) {
  const text = JSON.stringify([secret, ...words]).replace(/[\u007f-\uffff]/g, (c) => (c === "\u007f" ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`));
  return new DataView(sha256(text).buffer).getBigUint64(0) >> 1n;
}

/**
 * Rolls a seat's dice of a round again.
 * @param {bigint} seed
 * @param {number} round
 * @param {number} seat
 * @param {number} n
 * @param {number} faces
 */
function roll(seed, round, seat, n, faces) {
  const key = new DataView(new ArrayBuffer(8));
  key.setBigUint64(0, seed);
  const fair = 256 - (256 % faces); // higher bytes would favour low faces
  /** @type {number[]} */
  const dice = [];
  for (let block = 0; dice.length < n; ) {
    const wanted = n - dice.length;
    /** @type {number[]} */
    const bytes = [];
    while (bytes.length < wanted) {
      const place = new DataView(new ArrayBuffer(16));
      place.setBigUint64(8, (BigInt(round) << 40n) | (BigInt(seat) << 32n) | BigInt(block++));
      bytes.push(...blake2b(new Uint8Array(place.buffer), new Uint8Array(key.buffer)));
    }
    for (const byte of bytes.slice(0, wanted)) if (byte < fair) dice.push((byte % faces) + 1);
  }
  return dice.sort((a, b) => a - b);
}

/**
 * Checks every roll of a finished game.
 * @param {any} game as the API has it
 * @param {string} commitment that was seen before the first roll
 * @returns {{ rolls: number, problem: string | null }} how many rolls were made again, and what is wrong
 */
export function checkDice({ events, config, fairness }, commitment) {
  const { secret, entropy, first_round: first } = /** @type {Fairness} */ (fairness);
  if (!secret) return { rolls: 0, problem: "the secret is not shown yet" };
  if (hex(sha256(`liars-dice:${secret}`)) !== commitment) return { rolls: 0, problem: "the secret does not belong to the fingerprint" };
  const seed = seedOf(secret, entropy);
  const seats = config.dice.length;
  let [round, rolls] = [-1, 0];
  for (const event of events.map(read)) {
    if (event.type === "RoundStarted") round = event.round_index;
    if (round < first) continue;
    const made = event.type === "DiceRolled" ? [[event.player_id, event.dice]] : event.type === "SharedDiceRolled" ? [[seats, event.table_dice], [seats + 1, event.hidden_dice ?? []]] : [];
    for (const [seat, dice] of made) {
      if (!dice.length) continue;
      if (roll(seed, round, seat, dice.length, config.faces).join() !== [...dice].sort((a, b) => a - b).join()) return { rolls, problem: `the dice of round ${round + 1} are not those that the secret gives` };
      rolls++;
    }
  }
  return { rolls, problem: null };
}
