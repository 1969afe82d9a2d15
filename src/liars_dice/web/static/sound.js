// A few short synthesised sounds, off by default.

import { setting } from "./settings.js";

/** @type {AudioContext | null} */
let audio = null;

/** What each event sounds like: pitches in hertz, one after the other. @type {Record<string, number[]>} */
const SOUNDS = { DiceRolled: [180, 240, 200, 260], BidPlaced: [420], LiarCalled: [330, 247], ExactCalled: [330, 392], RoundEnded: [392, 523], GameEnded: [392, 494, 587, 784], Nudged: [659, 659] };

/** @param {string} type of event */
export function sound(type) {
  const notes = SOUNDS[type];
  if (!notes || setting("sound") !== "on") return;
  audio ??= new AudioContext();
  const out = audio;
  notes.forEach((pitch, i) => {
    const at = out.currentTime + i * 0.09;
    const tone = out.createOscillator();
    const loud = out.createGain();
    tone.type = "triangle";
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.12, at);
    loud.gain.exponentialRampToValueAtTime(0.001, at + 0.12);
    tone.connect(loud).connect(out.destination);
    tone.start(at);
    tone.stop(at + 0.13);
  });
}
