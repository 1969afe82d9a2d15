"""What a player sees, and that a player can find out nothing else (rules 9.1, 9.3)."""

from __future__ import annotations

import pickle
import pickletools
import random
from itertools import product

import msgspec
import pytest

from liars_dice.core import (
    SPECTATOR,
    Bid,
    BidAction,
    GameConfig,
    GameEngine,
    GameState,
    GameView,
    apply,
    deal,
    legal_actions,
    new_game,
    preset,
    view_of,
)
from support import SMALL_PRESETS, dealt, play, random_states


def test_a_view_carries_what_an_agent_needs() -> None:
    """Rule 9.1."""
    config = preset("perudo", dice=(2, 2, 1))
    state = deal(new_game(config, ["ann", "bob", "cat"]), ((1, 4), (2, 2), (6,)))
    state = deal(play(state, "1x2 2x2 liar"), ((1, 4), (3, 2), ()))
    state = play(state, "1x4")
    view = view_of(state, 1)
    assert (view.name, view.my_dice, view.player_id, view.round_number) == ("bob", (2, 3), 1, 2)
    assert [(p.player_id, p.name, p.num_dice, p.is_me) for p in view.players] == [
        (0, "ann", 2, False),
        (1, "bob", 2, True),
        (2, "cat", 0, False),
    ]
    assert view.current_bid == Bid(1, 4)
    assert [(b.player_id, b.name, b.bid) for b in view.round_bids] == [(0, "ann", Bid(1, 4))]
    (resolution,) = view.resolutions
    assert resolution.dice == ((1, 4), (2, 2), (6,))
    assert (resolution.caller, resolution.bidder, resolution.winner, resolution.loser) == (2, 1, 1, 2)
    assert (resolution.call, resolution.match_count, resolution.last_bid) == ("liar", 3, Bid(2, 2))
    assert resolution.bidders == (0, 1)
    assert (view.faces, view.wild, view.wild_face, view.palifico) == (6, "ones", 1, False)
    assert (view.total_dice, view.other_dice, view.config) == (4, 2, config)
    assert view.is_my_turn
    assert view.legal_actions == legal_actions(state.public)
    assert view_of(state, 0).legal_actions == ()
    assert not view_of(state, 0).is_my_turn
    over = play(state, "liar")
    assert not view_of(over, over.public.current_player).is_my_turn


def test_opening_view() -> None:
    view = view_of(dealt(GameConfig(), (1, 4), (2, 2, 6)), 0)
    assert view.current_bid is None
    assert view.round_bids == ()
    assert view.resolutions == ()
    assert view_of(new_game(GameConfig()), 0).my_dice == ()
    with pytest.raises(ValueError, match="player_id = 2: expected a seat from 0 to 1"):
        view_of(new_game(GameConfig()), 2)
    with pytest.raises(ValueError, match="player_id = -1"):
        view_of(new_game(GameConfig()), SPECTATOR)


def everything_in(view: GameView) -> tuple[object, ...]:
    """A view by every door: its value, its text, its pickle, its JSON, and what it computes."""
    names = [name for name in dir(view) if not name.startswith("_")]
    computed = [getattr(view, name) for name in names]
    return view, repr(view), pickle.dumps(view), msgspec.json.encode(view), repr(computed)


@pytest.mark.parametrize("name", SMALL_PRESETS)
def test_no_leak_exhaustively(name: str) -> None:
    """Rule 9.1: along every history, states that differ only in other players' dice look the same to a player."""
    config = SMALL_PRESETS[name].replace(faces=3)
    rolls = list(product(*(product(range(1, 4), repeat=n) for n in config.dice)))
    seen: dict[object, tuple[object, ...]] = {}
    compared = 0

    def visit(state: GameState) -> None:
        nonlocal compared
        if state.public.status == "REVEAL" and state.public.round_index == 0:  # and on into a second round
            for roll in ((1,) * config.total_dice, (2,) * config.total_dice, (3,) * config.total_dice):
                dice = iter(roll)
                hands = tuple(tuple(next(dice) for _ in range(n)) for n in state.public.dice_counts)
                visit_second(deal(state, hands))
        if state.public.status != "BIDDING":
            return
        for seat in range(config.num_players):
            key = (seat, state.hands[seat], state.public.bid_history)
            contents = everything_in(view_of(state, seat))
            assert seen.setdefault(key, contents) == contents
            compared += 1
        for action in legal_actions(state.public):
            visit(apply(state, action))

    def visit_second(state: GameState) -> None:
        nonlocal compared
        for seat, hand in enumerate(state.hands):
            key = (seat, hand, state.public.resolutions)
            contents = everything_in(view_of(state, seat))
            assert seen.setdefault(key, contents) == contents
            compared += 1

    for roll in rolls:
        visit(deal(new_game(config), roll))
    assert compared > len(seen) > 0


def test_no_other_dice_in_any_form() -> None:
    """Rule 9.1: dice that nothing else in a view could look like are not in it."""
    state = dealt(GameConfig(dice=(2, 3), faces=20, max_quantity=7), (8, 9), (17, 18, 19))
    for moves in ("", "1x2", "1x2 2x3"):
        view = view_of(play(state, moves), 0)
        shown = repr(view) + msgspec.json.encode(view).decode()
        assert not any(str(die) in shown for die in (17, 18, 19))
        assert all(str(die) in shown for die in (8, 9))
        pickled = pickletools.genops(pickle.dumps(view))
        numbers = {argument for code, argument, _ in pickled if code.name.startswith(("BININT", "INT", "LONG"))}
        assert not numbers & {17, 18, 19}
        assert numbers >= {8, 9}


def test_no_way_from_a_view_to_the_seed_or_the_state() -> None:
    """Rule 9.3: whoever knew the seed would know all dice."""
    engine = GameEngine(GameConfig(seed=424242424242))
    engine.start_new_round()
    view = engine.get_view(0)
    reachable: dict[int, object] = {}
    queue: list[object] = [view]
    while queue:
        thing = queue.pop()
        if id(thing) in reachable:
            continue
        reachable[id(thing)] = thing
        if isinstance(thing, msgspec.Struct):
            queue += [getattr(thing, field) for field in thing.__struct_fields__]
            queue += list(getattr(thing, "__dict__", {}).values())
        elif isinstance(thing, tuple | list | frozenset):
            queue += list(thing)
        elif isinstance(thing, dict):
            queue += [*thing, *thing.values()]
    assert view.config.seed is None
    assert 424242424242 not in [thing for thing in reachable.values() if isinstance(thing, int)]
    assert not any(isinstance(thing, GameState | GameEngine) for thing in reachable.values())
    assert b"424242424242" not in pickle.dumps(view)


def test_views_are_values() -> None:
    rng = random.Random(5)
    for state in random_states(preset("perudo", players=3, palifico=True), rng):
        for seat in range(3):
            view = view_of(state, seat)
            assert pickle.loads(pickle.dumps(view)) == view
            back = msgspec.json.decode(msgspec.json.encode(view), type=GameView)
            assert back == view
            assert back.legal_actions == view.legal_actions
        assert msgspec.json.decode(msgspec.json.encode(state), type=GameState) == state
        assert pickle.loads(pickle.dumps(state)) == state
    with pytest.raises(AttributeError):
        view.my_dice = (6, 6)  # type: ignore[misc]


def test_actions_round_trip_as_json() -> None:
    action = BidAction(Bid(1, 2), "why not")
    assert msgspec.json.encode(action) == b'{"kind":"bid","bid":{"quantity":1,"face":2},"reasoning":"why not"}'


def test_what_a_view_reaches_cannot_be_changed() -> None:
    """The tables of a rule set are shared by all games: nobody changes them through a view."""
    view = view_of(dealt(GameConfig(), (1, 4), (2, 2, 6)), 0)
    with pytest.raises(TypeError):
        view.public.rules.rungs[Bid(99, 6)] = 4  # type: ignore[index]
    with pytest.raises(TypeError):
        view.public.rules.ladder.rungs[Bid(99, 6)] = 4  # type: ignore[index]
    for thing in (view, view.public, view.config, view.public.rules, view.public.rules.ladder, Bid(1, 1)):
        with pytest.raises(AttributeError):
            setattr(thing, thing.__struct_fields__[0], None)
