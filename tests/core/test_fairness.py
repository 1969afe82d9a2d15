"""A commitment binds the one who made it, hides the secret, and lets every player change the dice."""

from __future__ import annotations

import json
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liars_dice.core import (
    ENTROPY_LENGTH,
    SPECTATOR,
    BadValueError,
    Event,
    Fairness,
    GameEngine,
    checked_entropy,
    new_commitment,
    visible_to,
)


def test_anyone_can_recompute_commitment_and_seed_with_sha256() -> None:
    fairness = new_commitment(("ann's dog", "", "été"))
    assert fairness.secret is not None
    assert fairness.commitment == sha256(b"liars-dice:" + fairness.secret.encode()).hexdigest()
    text = f'["{fairness.secret}","ann\'s dog","","\\u00e9t\\u00e9"]'
    assert json.loads(text)[1:] == list(fairness.entropy)
    assert fairness.seed == int(sha256(text.encode()).hexdigest()[:16], 16) >> 1


def test_a_secret_has_256_bits_and_is_never_drawn_twice() -> None:
    drawn = {new_commitment().secret for _ in range(100)}
    assert len(drawn) == 100
    assert all(secret is not None and len(bytes.fromhex(secret)) == 32 for secret in drawn)


@given(a=st.tuples(st.text(), st.text()), b=st.tuples(st.text(), st.text()))
def test_each_players_text_changes_the_seed(a: tuple[str, str], b: tuple[str, str]) -> None:
    commitment = new_commitment()
    seeds = {msgspec.structs.replace(commitment, entropy=texts).seed for texts in (a, b)}
    assert len(seeds) == len({a, b}), "no two lists of texts are read alike, wherever one ends and the next begins"


def test_another_secret_does_not_keep_the_word() -> None:
    fairness = new_commitment()
    assert fairness.keeps_its_word
    assert not msgspec.structs.replace(fairness, secret=new_commitment().secret).keeps_its_word
    assert not fairness.sealed.keeps_its_word, "no secret proves nothing"
    with pytest.raises(BadValueError, match="revealed when the game is over"):
        _ = fairness.sealed.seed


def test_a_game_rolls_from_the_seed_and_records_what_it_was_made_of() -> None:
    fairness = new_commitment(("a", "b"))
    heard: list[Event] = []
    engine = GameEngine("duel", names="ab", seed=1, fairness=fairness)
    engine.subscribe(heard.append)
    engine.start_new_round()
    assert engine.seed == fairness.seed
    assert getattr(heard[0], "fairness", None) == fairness
    assert GameEngine("duel", names="ab", seed=fairness.seed).seed == engine.seed


@given(seat=st.integers(SPECTATOR, 1), entropy=st.tuples(st.text(max_size=9), st.text(max_size=9)))
def test_no_view_and_no_event_that_a_player_hears_contains_the_secret_or_the_seed(
    seat: int, entropy: tuple[str, str]
) -> None:
    fairness = new_commitment(entropy)
    heard: list[Event] = []
    engine = GameEngine("heads-up", names="ab", fairness=fairness)
    engine.subscribe(heard.append, seat)
    for _ in range(2):
        engine.start_new_round()
        engine.move("1x2")
        engine.move("liar")
    told = [msgspec.json.encode(event).decode() for event in heard]
    told += [repr(engine.get_view(player)) for player in (0, 1)] + [repr(heard)]
    assert fairness.secret is not None
    for text in told:
        assert fairness.secret not in text
        assert str(fairness.seed) not in text
    assert fairness.commitment in told[0]


@pytest.mark.parametrize("text", ["x" * (ENTROPY_LENGTH + 1), "two\nlines", "\x1b[2J"])
def test_texts_that_cannot_be_shown_are_refused(text: str) -> None:
    with pytest.raises(BadValueError, match="printable characters on one line"):
        checked_entropy(text)


def test_the_secret_is_removed_by_the_one_filter_between_events_and_players() -> None:
    created: list[Event] = []
    engine = GameEngine("duel", names="ab", fairness=new_commitment())
    engine.subscribe(created.append)
    engine.start_new_round()
    seen = visible_to(created[0], 0, revealed=True)
    fairness = getattr(seen, "fairness", None)
    assert isinstance(fairness, Fairness)
    assert fairness.secret is None
