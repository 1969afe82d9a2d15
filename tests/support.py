"""What several tests share: small rule sets, random configurations, and ways to play a game."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hypothesis import strategies as st

from liars_dice.core import (
    Action,
    ConfigError,
    DiceCup,
    GameConfig,
    GameState,
    GameView,
    Hands,
    apply,
    deal,
    legal_actions,
    new_game,
    parse_action,
    preset,
)

SMALL_PRESETS = {
    "duel": preset("duel", dice=(1, 2), faces=3),
    "classic": preset("classic", dice=1),
    "heads-up": preset("heads-up", dice=1, faces=4),
    "perudo": preset("perudo", players=2, dice=1, faces=3),
    "openspiel": preset("openspiel", dice=1),
}
"""Each preset with so few dice that every history can be walked."""


_USUAL = GameConfig(dice=(3, 3, 3), wild="ones", exact_call=True, mode="elimination")
_BEST_OF = _USUAL.replace(mode="best_of", rounds=3)
CHANGED_RULES = {
    "dice": (_USUAL, _USUAL.replace(dice=(2, 3, 4))),
    "table_dice": (_USUAL, _USUAL.replace(table_dice=1)),
    "hidden_dice": (_USUAL, _USUAL.replace(hidden_dice=2)),
    "faces": (_USUAL, _USUAL.replace(faces=8)),
    "wild": (_USUAL, _USUAL.replace(wild="top")),
    "bid_ordering": (_USUAL, _USUAL.replace(bid_ordering="perudo")),
    "wild_bids": (_USUAL, _USUAL.replace(wild_bids="forbidden")),
    "max_quantity": (_USUAL, _USUAL.replace(max_quantity=5)),
    "exact_call": (_USUAL, _USUAL.replace(exact_call=False)),
    "mode": (_USUAL, _USUAL.replace(mode="single_round")),
    "rounds": (_BEST_OF, _BEST_OF.replace(rounds=5)),
    "max_dice": (_USUAL, _USUAL.replace(max_dice=4)),
    "exact_payer": (_USUAL, _USUAL.replace(exact_payer="nobody")),
    "next_opener": (_USUAL, _USUAL.replace(next_opener="winner")),
    "opening_min_quantity": (_USUAL, _USUAL.replace(opening_min_quantity=3)),
    "open_on_ones": (_USUAL, _USUAL.replace(open_on_ones=False)),
    "palifico": (_USUAL, _USUAL.replace(palifico=True)),
    "max_turns": (_USUAL, _USUAL.replace(max_turns=3)),
}
"""For each field of the rules, two rule sets that differ in it alone. A new field belongs here, too."""


SMALL_ROUNDS = {
    "one die each": GameConfig(dice=(1, 1), faces=3),
    "two against one": GameConfig(dice=(2, 1), faces=2),
    "ones wild, exact calls": GameConfig(dice=(1, 1), faces=3, wild="ones", bid_ordering="perudo", exact_call=True),
    "standard order": GameConfig(dice=(1, 2), faces=2, wild="top", bid_ordering="liars_dice_standard"),
    "opening limits": GameConfig(dice=(1, 1), faces=4, opening_min_quantity=2, open_on_ones=False),
    "at most two bids": GameConfig(dice=(1, 1), faces=3, max_turns=2, exact_call=True),
}
"""Rounds between two players, each by a rule of its own, in which everything can be tried."""


class Chooser:
    """A player that picks uniformly among what is legal."""

    name = "chooser"

    def __init__(self, seed: int = 0) -> None:
        self.rng = random.Random(seed)

    def choose_action(self, view: GameView) -> Action:
        return self.rng.choice(view.legal_actions)


def dealt(config: GameConfig, *hands: tuple[int, ...]) -> GameState:
    """A first round with these dice."""
    return deal(new_game(config), hands)


def play(state: GameState, moves: str) -> GameState:
    """The state after these moves, written `1x4 2x4 liar`."""
    for move in moves.split():
        state = apply(state, parse_action(move))
    return state


def legal(state: GameState) -> list[str]:
    """What may be done now, in notation."""
    return [str(action) for action in legal_actions(state.public)]


def random_states(config: GameConfig, rng: random.Random) -> Iterator[GameState]:
    """Every state of one random game, the first and the last included."""
    cup = DiceCup(config.faces)
    state = new_game(config)
    yield state
    while state.public.status != "ENDED":
        if state.public.status == "REVEAL":
            state = deal(state, roll_all(state, cup, rng), *roll_shared(config, cup, rng))
        else:
            state = apply(state, rng.choice(legal_actions(state.public)))
        yield state


def roll_all(state: GameState, cup: DiceCup, rng: random.Random) -> Hands:
    return tuple(cup.roll(n, rng) for n in state.public.dice_counts)


def roll_shared(config: GameConfig, cup: DiceCup, rng: random.Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return cup.roll(config.table_dice, rng), cup.roll(config.hidden_dice, rng)


def _config_or_none(fields: dict[str, object]) -> GameConfig | None:
    try:
        return GameConfig.from_dict(fields)
    except ConfigError:
        return None


def configs(max_players: int = 5, max_dice: int = 4, shared: bool = True) -> st.SearchStrategy[GameConfig]:
    """Any rule set that makes sense, quick to play; `shared`: with dice that belong to no player, too."""
    some = st.sampled_from([0, 0, 1, 2]) if shared else st.just(0)
    fields = st.fixed_dictionaries(
        {
            "dice": st.lists(st.integers(1, max_dice), min_size=2, max_size=max_players).map(tuple),
            "table_dice": some,
            "hidden_dice": some,
            "faces": st.integers(2, 8),
            "wild": st.sampled_from(["none", "ones", "top"]),
            "bid_ordering": st.sampled_from(["quantity_then_face", "liars_dice_standard", "perudo"]),
            "wild_bids": st.sampled_from(["natural", "natural", "forbidden"]),
            "max_quantity": st.one_of(st.just("total"), st.just("total"), st.integers(1, 25)),
            "exact_call": st.booleans(),
            "mode": st.sampled_from(["elimination", "elimination", "single_round", "best_of"]),
            "next_opener": st.sampled_from(["loser", "winner", "alternate"]),
            "opening_min_quantity": st.sampled_from([1, 1, 2, 3]),
            "open_on_ones": st.booleans(),
            "palifico": st.booleans(),
            "max_dice": st.one_of(st.none(), st.integers(max_dice, 6)),
            "exact_payer": st.sampled_from(["bidder", "nobody"]),
            "rounds": st.sampled_from([1, 3, 5]),
            "max_turns": st.one_of(st.none(), st.none(), st.integers(1, 6)),
            "seed": st.one_of(st.none(), st.integers(0, 2**63 - 1)),
        }
    ).map(_settle_mode)
    return fields.map(_config_or_none).filter(lambda config: config is not None)  # type: ignore[return-value]


def _settle_mode(fields: dict[str, object]) -> dict[str, object]:
    """Make most draws sensible, so that few are thrown away."""
    if fields["mode"] != "elimination":
        fields["palifico"] = False
    if fields["mode"] == "single_round":
        fields["next_opener"] = "loser"
    if fields["mode"] != "best_of":
        fields["rounds"] = None
    if fields["mode"] != "elimination" or not fields["exact_call"]:
        fields["max_dice"], fields["exact_payer"] = None, "bidder"
    if fields["wild"] == "none":
        fields["wild_bids"] = "natural"
    return fields
