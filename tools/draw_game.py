"""Draws a real game as a moving picture: an SVG file that needs no script.

The game is played from a seed, so the same arguments give the same file.

    python tools/draw_game.py [--out docs/images/game.svg]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from html import escape
from pathlib import Path

import msgspec

from liars_dice.agents import make_agent
from liars_dice.core import (
    BidPlaced,
    DiceRevealed,
    Event,
    ExactCalled,
    GameEnded,
    GameEngine,
    LiarCalled,
    Narrator,
    RoundEnded,
    RoundStarted,
    count_matches,
    preset,
)
from liars_dice.pictures import SEAT_COLOURS

PLAYERS = ("champion", "threshold-best", "detective")
SEED = 23
SECONDS = 1.4
"""How long one moment is shown; the reveals stand twice as long."""
WIDTH, HEIGHT, DIE = 720, 250, 30
PIPS = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "023568"}
"""Where the pips of each face are, on a grid of three by three."""

Moment = str
"""What is drawn at one moment of the game."""


class Table:
    """The table as a spectator sees it, event by event."""

    def __init__(self, engine: GameEngine) -> None:
        self.engine = engine
        self.names = engine.state.public.names
        self.tell = Narrator(self.names)
        self.moments: list[Moment] = []
        self._said = [""] * len(self.names)
        self._shown = False
        self._acting: int | None = None
        engine.subscribe(self.hear)

    def hear(self, event: Event) -> None:
        """Draw what the event changes."""
        if isinstance(event, RoundStarted):
            self._said, self._shown, self._acting = [""] * len(self.names), False, event.opener
        elif isinstance(event, BidPlaced | LiarCalled | ExactCalled):
            said = str(event.bid).replace("x", "×") if isinstance(event, BidPlaced) else "liar!"
            self._said[event.player_id] = "exact!" if isinstance(event, ExactCalled) else said
            self._acting = event.player_id
        elif isinstance(event, DiceRevealed):
            self._shown = True
            return
        elif not isinstance(event, RoundEnded | GameEnded):
            return
        moment = self._draw(self._caption(event))
        self.moments += [moment] * (2 if isinstance(event, RoundEnded | GameEnded) else 1)

    def _caption(self, event: Event) -> str:
        """What happened, in a sentence; players keep their reasons to themselves."""
        if isinstance(event, RoundStarted):
            return f"Round {event.round_index + 1}: the dice are rolled."
        if isinstance(event, BidPlaced | LiarCalled | ExactCalled):
            event = msgspec.structs.replace(event, reasoning="")
        return self.tell(event).strip().rstrip(".") + "."

    def _draw(self, caption: str) -> Moment:
        parts = [self._seat(seat) for seat in range(len(self.names))]
        parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 18}" class="c">{escape(caption)}</text>')
        return "".join(parts)

    def _seat(self, seat: int) -> str:
        state, middle = self.engine.state, WIDTH * (seat + 0.5) / len(self.names)
        hand = state.hands[seat] if state.hands else ()
        bid = state.public.last_bid
        frame = "a" if seat == self._acting else "s"
        left = middle - len(hand) * (DIE + 6) / 2 + 3
        drawn = [
            f'<rect x="{middle - 110}" y="14" width="220" height="190" rx="12" class="{frame}"/>',
            f'<text x="{middle}" y="42" class="n">{escape(self.names[seat])}</text>',
        ]
        for place, die in enumerate(hand):
            counts = bid is not None and count_matches(((die,),), bid.face, state.public.rules.wild_face) == 1
            what = "h" if not self._shown else f"d{die}"
            drawn.append(f'<use href="#{what}" x="{left + place * (DIE + 6)}" y="62" color="{SEAT_COLOURS[seat]}"/>')
            if self._shown and counts:
                x = left + place * (DIE + 6) - 2
                drawn.append(f'<rect x="{x}" y="60" width="34" height="34" rx="8" class="m"/>')
        if not hand:
            drawn.append(f'<text x="{middle}" y="82" class="o">out</text>')
        if self._said[seat]:
            drawn.append(f'<text x="{middle}" y="150" class="b">{escape(self._said[seat])}</text>')
        return "".join(drawn)


def symbols() -> str:
    """The six faces, and a die that nobody sees."""
    faces = []
    for face, cells in PIPS.items():
        at = ((int(cell) % 3, int(cell) // 3) for cell in cells)
        pips = "".join(f'<circle cx="{7 + 8 * x}" cy="{7 + 8 * y}" r="3"/>' for x, y in at)
        faces.append(f'<g id="d{face}"><rect width="30" height="30" rx="6" class="f"/>{pips}</g>')
    back = '<rect width="30" height="30" rx="6" fill="currentColor"/><text x="15" y="21" class="q">?</text>'
    hidden = f'<g id="h">{back}</g>'
    return "".join([*faces, hidden])


def animation(moments: Sequence[Moment]) -> str:
    """The moments one after another, for ever; who prefers no motion sees the last one."""
    number, seconds = len(moments), SECONDS * len(moments)
    drawn = []
    for place, moment in enumerate(moments):
        last = "" if place + 1 < number else " z"
        drawn.append(f'<g class="k{last}" style="animation-delay:{place * SECONDS:.1f}s">{moment}</g>')
    style = (
        "text{font:15px system-ui,sans-serif;text-anchor:middle;fill:#1f2430}.n{font-weight:600}.c{font-size:15px}"
        ".b{font-size:30px;font-weight:700}.o{fill:#6b7280}.q{fill:#fff;font-weight:700}.f{fill:#fff;stroke:#1f2430}"
        ".s{fill:#f4f4f1}.a{fill:#fff;stroke:#1f2430;stroke-width:2}.m{fill:none;stroke:#d55e00;stroke-width:3}"
        f".k{{opacity:0;animation:k {seconds:.1f}s step-end infinite}}"
        f"@keyframes k{{0%{{opacity:1}}{100 / number:.4f}%{{opacity:0}}}}"
        "@media(prefers-reduced-motion:reduce){.k{animation:none}.z{opacity:1}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="A game of Perudo between three bots, move by move">\n<style>{style}</style>\n'
        f'<defs>{symbols()}</defs>\n<rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="#e8ece6"/>\n'
        + "\n".join(drawn)
        + "\n</svg>\n"
    )


def game() -> str:
    """The picture of the game."""
    rules = preset("perudo", players=len(PLAYERS), dice=2)
    engine = GameEngine(rules, [make_agent(name) for name in PLAYERS], seed=SEED)
    table = Table(engine)
    engine.play()
    return animation(table.moments)


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "docs" / "images" / "game.svg")
    arguments = parser.parse_args()
    arguments.out.write_text(game(), encoding="utf-8")
    print(f"wrote {arguments.out.name}: {arguments.out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
