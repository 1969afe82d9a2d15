"""A player who decides now like one bot, now like another: how often like each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

import numpy as np

from ..core import Action, GameView, PublicState
from ..numeric import Floats
from .known_bots import LIBRARY, KnownBots
from .recorded_round import Decision, RecordedRound

CONCENTRATION = 2.0
"""How many decisions the prior is worth: few bots have most of the share, and which they are is open."""


class BlendedBots:
    """A share for each bot, of which one is drawn for every decision. `KnownBots` draws one for the whole match.

    The shares have a Dirichlet prior; a decision counts for the bots in proportion to how likely each was to make it.
    """

    def __init__(self, names: Sequence[str] = LIBRARY, shares: Mapping[str, float] | None = None) -> None:
        """`shares` are how often the player decides like each bot, if that is known already."""
        self._bots = KnownBots(names, change=0.0)
        prior = np.full(len(names), 1 / len(names)) if shares is None else np.array([shares[name] for name in names])
        self._counts: Floats = CONCENTRATION * prior

    @property
    def shares(self) -> dict[str, float]:
        """How often the player decides like each bot, the most frequent first."""
        shares = dict(zip(self._bots.bots, (self._counts / self._counts.sum()).tolist(), strict=True))
        return dict(sorted(shares.items(), key=lambda one: -one[1]))

    def observe(self, played: RecordedRound, seat: int) -> float:
        """Learn from what the player in this seat did; the log-probability that the model gave to it before."""
        return self.learn(list(played.decisions(seat)))

    def learn(self, decisions: Sequence[Decision]) -> float:
        """The same for the decisions of one round."""
        given = 0.0
        for likelihoods in self._bots.likelihoods(decisions).T:
            fits = likelihoods * self._counts / self._counts.sum()
            given += log(fits.sum())
            self._counts += fits / fits.sum()
        return given

    def distribution(self, view: GameView) -> dict[Action, float]:
        """How likely each legal action is, if the player sees `view`."""
        return self._bots.blend(view, self._counts / self._counts.sum())

    def chances(self, public: PublicState) -> Floats:
        """[hand, action]: the same for every hand that the player to move may hold."""
        return self._bots.blend_of_hands(public, self._counts / self._counts.sum())
