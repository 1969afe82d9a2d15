// Short sounds, off until asked for. They are loaded when the first one is needed; tools/render_sounds.py renders them.

import { setting } from "./settings.js";

/** What is heard at each event, and at other moments. @type {Record<string, string>} */
const SOUNDS = { DiceRolled: "dice", BidPlaced: "bid", LiarCalled: "call", ExactCalled: "call", DiceRevealed: "lift", Counted: "count", RoundEnded: "round", YourTurn: "turn", Nudged: "turn", Won: "won", Lost: "lost" };

/** @type {AudioContext | null} */
let audio = null;
/** @type {Map<string, Promise<AudioBuffer>>} */
const loaded = new Map();

/**
 * @param {AudioContext} out
 * @param {string} name
 */
function load(out, name) {
  const known = loaded.get(name);
  if (known) return known;
  const loading = fetch(`/static/sounds/${name}.wav`).then(async (answer) => out.decodeAudioData(await answer.arrayBuffer()));
  loading.catch(() => loaded.delete(name)); // so that it is tried again
  loaded.set(name, loading);
  return loading;
}

/** @param {string} moment an event's type, or another key of SOUNDS */
export async function sound(moment) {
  const name = SOUNDS[moment];
  if (!name || setting("sound") !== "on") return;
  audio ??= new AudioContext();
  const out = audio;
  try {
    const player = out.createBufferSource();
    player.buffer = await load(out, name);
    player.connect(out.destination);
    player.start();
  } catch {
    // no network, or no sound card: the game goes on in silence
  }
}
