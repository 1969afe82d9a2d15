"""Renders the sounds of the studio: python tools/render_sounds.py [FOLDER].

Every sound is computed here from sines and noise with a fixed seed, so it belongs to no one else, and the same files
come out each time. They are mono, 16 bits, 22,050 samples per second.
"""

from __future__ import annotations

import argparse
import wave
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Sound = NDArray[np.float64]

RATE = 22_050
FOLDER = Path(__file__).parents[1] / "src" / "liars_dice" / "web" / "static" / "sounds"
C4, E4, G4, A4, C5, E5, G5 = 261.63, 329.63, 392.0, 440.0, 523.25, 659.26, 783.99


def bar(pitch: float, seconds: float = 0.45, loud: float = 1.0) -> Sound:
    """A wooden bar that is struck, as of a marimba: a tone, and two overtones that fade sooner."""
    t = np.arange(int(RATE * seconds)) / RATE
    parts = ((1.0, 1.0, 7.0), (3.93, 0.28, 22.0), (9.2, 0.06, 45.0))
    tone: Sound = np.zeros_like(t)
    for ratio, share, fading in parts:
        tone += share * np.sin(2 * np.pi * pitch * ratio * t) * np.exp(-fading * t)
    return loud * tone * np.minimum(1.0, t / 0.003)


def knock(pitch: float, loud: float, rng: np.random.Generator, seconds: float = 0.09) -> Sound:
    """Wood on wood: a very short tone with a little noise in it."""
    t = np.arange(int(RATE * seconds)) / RATE
    noise = np.convolve(rng.standard_normal(len(t)), np.ones(6) / 6, mode="same")
    return loud * (np.sin(2 * np.pi * pitch * t) * np.exp(-70 * t) + 0.5 * noise * np.exp(-110 * t))


def together(parts: Iterable[tuple[float, Sound]]) -> Sound:
    """Sounds that begin at these seconds."""
    placed = [(int(RATE * start), part) for start, part in parts]
    whole: Sound = np.zeros(max(start + len(part) for start, part in placed))
    for start, part in placed:
        whole[start : start + len(part)] += part
    return whole


def dice() -> Sound:
    """Dice in a cup: many knocks, first fast and then slower."""
    rng = np.random.default_rng(1)
    times = np.cumsum(rng.uniform(0.018, 0.05, 11) * np.linspace(0.8, 1.5, 11))
    return together((at, knock(rng.uniform(900, 1900), rng.uniform(0.35, 0.9), rng)) for at in times)


def lift() -> Sound:
    """Cups up: a soft breath of air that rises."""
    rng = np.random.default_rng(2)
    t = np.arange(int(RATE * 0.35)) / RATE
    air = np.convolve(rng.standard_normal(len(t)), np.hanning(24) / 12, mode="same")
    whole: Sound = 0.6 * air * np.sin(np.pi * t / 0.35) ** 2 + 0.12 * np.sin(2 * np.pi * (300 + 500 * t) * t) * np.exp(
        -9 * t
    )
    return whole


SOUNDS: dict[str, Callable[[], Sound]] = {
    "dice": dice,
    "bid": lambda: bar(C5, 0.3),
    "call": lambda: together([(0, bar(G4, 0.3)), (0.11, bar(C4, 0.45))]),
    "lift": lift,
    "count": lambda: bar(A4 * 2, 0.18, 0.7),
    "turn": lambda: together([(0, bar(E5, 0.25, 0.8)), (0.09, bar(G5, 0.4, 0.8))]),
    "round": lambda: together([(0, bar(E4, 0.3)), (0.1, bar(G4, 0.45))]),
    "won": lambda: together((0.11 * n, bar(pitch, 0.5)) for n, pitch in enumerate((C4, E4, G4, C5, E5))),
    "lost": lambda: together((0.14 * n, bar(pitch, 0.5)) for n, pitch in enumerate((G4, E4, C4))),
}


def render(folder: Path) -> None:
    """Write every sound into this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in SOUNDS.items():
        sound = make()
        sound *= 0.5 / np.abs(sound).max()
        sound[-200:] *= np.linspace(1, 0, 200)
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes((sound * 32_767).astype("<i2").tobytes())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Render the sounds of the studio.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where to put them (default: the studio)")
    render(parser.parse_args().folder)
