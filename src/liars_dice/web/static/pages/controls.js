// The buttons at a table: bid and call, continue, watch at any speed, ask the coach, and what to do when the game is over.

import { busily, h, set, toggle } from "../dom.js";
import { UNDECIDED, sayBid } from "../events.js";
import { keep, setting } from "../settings.js";
import { sound } from "../sound.js";
import { standing } from "../state.js";
import { places } from "./company.js";

/** @typedef {import("./room.js").Room} Room */

/** Speeds for spectators: the label, the delay the server is asked for, how much faster events are shown. @type {[string, number, number][]} */
const SPEEDS = [["Slow", 1800, 0.6], ["Normal", 900, 1], ["Fast", 250, 3], ["Instant", 0, 1000]];

/** How much faster events are shown with "Quick" on. */
const QUICK = 5;

/**
 * @param {string} label
 * @param {string} kind
 * @param {(pressed: HTMLElement) => void} onclick
 * @param {string} [key] the keyboard shortcut
 */
const button = (label, kind, onclick, key) => h("button", { type: "button", class: kind, onclick: (/** @type {Event} */ e) => onclick(/** @type {HTMLElement} */ (e.currentTarget)) }, label, key ? h("kbd", { "aria-hidden": "true" }, key) : null);

export class Controls {
  /** @param {Room} page */
  constructor(page) {
    this.page = page;
    const { timeline, stage } = page;
    this.confirm = button("", "primary", () => page.confirm());
    this.liar = button("Liar!", "plain", () => page.choose("liar", true), "L");
    this.exact = button("Exact", "plain", () => page.choose("exact", true), "X");
    this.acts = h("div", { class: "acts" }, this.confirm, h("div", { class: "calls" }, this.liar, this.exact));
    this.go = button("", "primary", () => (timeline.counted === null ? page.onward() : timeline.skip()));
    this.goes = h("div", { class: "acts" }, this.go);
    this.done = h("div", { class: "done" });
    this.pause = button("Pause", "plain", () => {
      if (timeline.paused) timeline.play();
      else timeline.pause();
      page.show(false);
    });
    this.step = button("Step", "plain", () => timeline.step());
    this.speeds = this.#speeds();
    this.watching = h("div", { class: "watching" }, h("div", { class: "row" }, this.pause, this.step), this.speeds);
    this.advice = h("p", { class: "hint", hidden: true, "aria-live": "polite" });
    this.hint = button("Hint", "quiet", (pressed) => busily(pressed, () => page.advise()));
    this.undo = button("Take back", "quiet", (pressed) => busily(pressed, () => page.undo()));
    const odds = toggle("Odds", setting("odds") === "on", (on) => {
      keep("odds", on ? "on" : "off");
      page.show(false);
    });
    this.quick = toggle("Quick", setting("quick") === "on", (on) => {
      keep("quick", on ? "on" : "off");
      timeline.speed = on ? QUICK : 1;
    });
    timeline.speed = setting("quick") === "on" ? QUICK : 1;
    const sounds = toggle("Sound", setting("sound") === "on", (on) => {
      keep("sound", on ? "on" : "off");
      sound("BidPlaced"); // how it sounds
    });
    stage.dock.append(this.acts, this.goes, this.done, this.watching);
    this.odds = odds;
    const { others } = page;
    this.fast = toggle("Watch fast", false, (on) => {
      timeline.speed = on ? QUICK : 1;
      if (!page.company) page.pace(on ? 0 : 700);
    });
    this.skip = button("Skip to the end", "plain", (pressed) => busily(pressed, () => page.pace(0)).then(() => ((timeline.speed = 1000), timeline.play())));
    this.out = h("div", { class: "row out" }, this.fast, this.skip);
    stage.dock.append(this.out);
    stage.dock.before(others.given, others.nudged, h("div", { class: "options" }, odds, this.hint, this.undo, others.nudge), this.advice, page.problem);
    this.onetap = toggle("One tap", setting("onetap") === "on", (on) => keep("onetap", on ? "on" : "off"));
    set(this.onetap, { title: "Bid and call with one tap, without confirming" });
    stage.controls.append(h("div", { class: "options habits" }, this.quick, this.onetap, sounds));
    stage.history.element.append(others.reactions, others.chat.element, others.people);
  }

  /** Another game begins: at the usual speed. */
  calm() {
    this.page.timeline.speed = setting("quick") === "on" ? QUICK : 1;
    /** @type {HTMLInputElement} */ (this.fast.firstChild).checked = false;
  }

  #speeds() {
    this.radios = SPEEDS.map(([, delay]) => h("input", { type: "radio", name: "speed", onchange: () => this.page.pace(delay) }));
    return h("fieldset", { class: "speeds" }, h("legend", { class: "unseen" }, "Speed"), this.radios.map((radio, i) => h("label", { class: "toggle" }, radio, SPEEDS[i][0])));
  }

  /** Selects the speed nearest to the room's. */
  showSpeed() {
    const { me, company, room, timeline } = this.page;
    const gaps = SPEEDS.map(([, delay]) => Math.abs(delay - room.delay_ms));
    const now = gaps.indexOf(Math.min(...gaps));
    this.radios?.forEach((radio, i) => (radio.checked = i === now));
    if (me === null && !company) timeline.speed = SPEEDS[now][2] * (setting("quick") === "on" ? QUICK : 1);
  }

  update() {
    const { page } = this;
    const { me, mayAct: mine, over } = page;
    const { timeline } = page;
    const { state, held, atEnd, paused, counted } = timeline;
    const playing = me !== null && !over;
    const counting = counted !== null;
    const gone = playing && (state.counts[me] === 0 || Boolean(page.room.seats[me].left));
    this.out.hidden = !gone;
    this.skip.hidden = page.company > 0;
    timeline.holds = me !== null && !gone;
    this.acts.hidden = !playing || held || counting || gone;
    this.goes.hidden = !(playing && held) && !counting;
    this.go.replaceChildren(counting ? "Skip the count " : "Next round ", h("kbd", { "aria-hidden": "true" }, "Enter"));
    this.done.hidden = !over;
    this.watching.hidden = me !== null || over || counting;
    this.speeds.hidden = page.company > 0;

    this.confirm.disabled = !mine || page.chosen === null;
    this.confirm.replaceChildren(this.#next());
    if (mine && page.chosen !== null) this.confirm.append(" ", h("kbd", { "aria-hidden": "true" }, "Enter"));
    this.liar.disabled = this.exact.disabled = !mine || !standing(state);
    this.exact.hidden = !state.config?.exact_call;
    for (const [call, kind] of /** @type {[HTMLElement, string][]} */ ([[this.liar, "liar"], [this.exact, "exact"]])) set(call, { "aria-pressed": String(mine && page.chosen === kind) });

    this.odds.hidden = page.room.help === false;
    this.hint.hidden = !playing || page.room.help === false;
    this.hint.disabled = !mine;
    this.undo.hidden = !page.room.practice || me === null;
    this.quick.hidden = this.onetap.hidden = me === null;
    if (!mine) this.advice.hidden = true;
    this.pause.textContent = paused ? "Resume" : "Pause";
    this.step.disabled = atEnd;
    if (over) this.#end();
  }

  /** What the main button does, or why it does nothing. */
  #next() {
    const { page } = this;
    const { chosen, turn } = page;
    const { state } = page.timeline;
    if (!page.online) return "Reconnecting…";
    if (page.busy) return "Sending…";
    if (!page.mayAct) return state.turn === page.me ? "One moment…" : "Not your turn";
    if (typeof chosen === "number") return `Bid ${sayBid(state.ladder[chosen])}`;
    if (chosen !== null) return `Call ${chosen}`;
    return (turn?.legal?.length ?? 1) > 0 ? "Choose a bid" : "No higher bid left";
  }

  /** The panel at the end of a game. */
  #end() {
    const { page } = this;
    const { me, gameId: game } = page;
    const { winner, names } = page.timeline.state;
    const key = JSON.stringify([game, me, winner, page.company, page.room.rematch, page.room.seats, page.room.host]);
    if (this.done.dataset.key === key) return;
    this.done.dataset.key = key;
    const title = winner === null || me === null ? "Over" : winner === me ? "Won" : "Lost";
    const words = winner === null ? `${UNDECIDED}${page.room.ended === "too_long" ? " It became too long." : ""}` : me === null ? `${names[winner]} won.` : winner === me ? "You won. The coach can show which moves decided it." : "You lost this one. The coach can show where it turned.";
    const rematch = page.company && me !== null ? page.others.rematch("Rematch") : null;
    const again = page.company
      ? rematch && [...rematch.buttons, h("a", { class: "button", href: `/play?like=${encodeURIComponent(page.id)}` }, "Set up another room")]
      : button(me === null ? "Watch another" : "Play again", "primary", (pressed) => busily(pressed, () => page.again()));
    const looks = game && [winner !== null && h("a", { class: "button", href: `/review/${game}` }, "Review with the coach"), h("a", { class: "button", href: `/replay/${game}` }, "Replay")];
    const order = winner !== null && names.length > 2 && h("ol", { class: "places" }, places(page.timeline).map((seat, i) => h("li", {}, h("b", {}, `${i + 1}. `), seat === me ? "You" : names[seat])));
    this.done.replaceChildren(h("h2", {}, title), h("p", {}, words), order || "", rematch?.who || "", h("div", { class: "row" }, [again].flat(), looks || null));
  }
}
