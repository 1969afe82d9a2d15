"""Reviews are computed once and kept in the store, and mistakes add up over many games."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from liars_dice.agents import make_agent
from liars_dice.coach import KeptReviews, MoveVerdict, Review, leak_report, review_game, worst_games
from liars_dice.coach.review import COACH_VERSION
from liars_dice.core import GameEngine, parse_action, preset
from liars_dice.persistence import GameRecorder, GameSummary, InMemoryRecorder, StoreError, record_game


def recorded(store: GameRecorder, *names: str, seed: int = 1, **rules: int) -> str:
    """The id of a new game."""
    engine = GameEngine(preset("perudo", players=len(names), **rules), [make_agent(name) for name in names], seed=seed)
    game_id = record_game(engine, store)
    engine.play()
    return game_id


@pytest.fixture
def no_more_reviews(monkeypatch: pytest.MonkeyPatch) -> object:
    """Call it, and from then on no game can be reviewed."""

    def forbid() -> None:
        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("a game is reviewed again")

        monkeypatch.setattr("liars_dice.coach.kept_reviews.review_game", refuse)

    return forbid


def test_a_review_is_computed_once(no_more_reviews: object) -> None:
    store = InMemoryRecorder()
    events = store.events(recorded(store, "random", "optimal", "random", dice=2))
    whole, own = review_game(events), review_game(events, 1)
    assert KeptReviews(store).review(events, 1) == own  # two seats are still missing
    assert KeptReviews(store, events[0].game_id).review(events) == whole
    assert callable(no_more_reviews)
    no_more_reviews()
    for seat, review in ((None, whole), (0, whole.of_seat(0)), (1, own)):
        assert KeptReviews(store).review(events, seat) == review
    game = store.games()[0]
    assert worst_games(store, [game], lambda _: (0, 1, 2))[0].accuracy == min(whole.accuracy.values())


@pytest.mark.parametrize("text", ["{", '{"review": {}}', '{"schema": 99}', None])
def test_what_cannot_be_used_is_computed_again(text: str | None) -> None:
    store = InMemoryRecorder()
    events = store.events(recorded(store, "random", "optimal", dice=2))
    right = KeptReviews(store).review(events, 0)
    name, kept = next(iter(store.documents("review").items()))
    store.save_documents("review", {name: text or kept.replace(f'"coach":{COACH_VERSION}', '"coach":0')})
    assert KeptReviews(store).known(events[0].game_id, 0) is None
    assert KeptReviews(store).review(events, 0) == right
    assert store.documents("review") == {name: kept}


def test_a_store_that_keeps_only_games() -> None:
    class OnlyGames(InMemoryRecorder):
        def save_documents(self, kind: str, documents: Mapping[str, str]) -> None:
            raise StoreError("read-only")

        def documents(self, kind: str, beginning: str = "") -> dict[str, str]:
            raise StoreError("this store keeps only games")

    store = OnlyGames()
    events = store.events(recorded(store, "random", "optimal", dice=2))
    assert KeptReviews(store).review(events) == review_game(events)


def test_an_unfinished_game_is_not_kept() -> None:
    store = InMemoryRecorder()
    engine = GameEngine(preset("heads-up"), seed=1)
    game_id = record_game(engine, store, live=True)
    engine.start_new_round()
    engine.apply_action(0, "1x4")
    assert len(KeptReviews(store).review(store.events(game_id), 0).moves) == 1
    assert store.documents("review") == {}


def test_a_loss_counts_by_what_the_round_decides() -> None:
    store = InMemoryRecorder()
    match = review_game(store.events(recorded(store, "random", "optimal", dice=3)))
    assert any(move.loss > 0 for move in match.moves)
    assert all(0 <= move.game_loss <= move.loss for move in match.moves)
    game = GameEngine(preset("duel"), [make_agent("random"), make_agent("random")], seed=4)
    game.play()  # one round decides the game
    assert all(move.game_loss == pytest.approx(move.loss) for move in review_game(game.state).moves)


def verdict(turn: int, action: str, best: str, loss: float, own_dice: int = 1, *, opening: bool = False) -> MoveVerdict:
    made = MoveVerdict(turn, 1, 0, parse_action(action), parse_action(best), loss, 0.5 - loss, 0.5, "mistake", "", "")
    return replace(made, game_loss=loss / 2, own_dice=own_dice, opening=opening)


def test_mistakes_of_one_kind_add_up() -> None:
    games = [
        [verdict(1, "liar", "2x4", 0.2), verdict(3, "liar", "3x4", 0.1), verdict(5, "2x3", "liar", 0.1, 2)],
        [
            verdict(2, "2x2", "1x6", 0.04, 2, opening=True),
            verdict(4, "2x2", "2x5", 0.02, 2),
            verdict(6, "1x2", "2x2", 0),
        ],
        [verdict(1, "exact", "liar", 0.3, 3), verdict(2, "2x2", "exact", 0.2, 3), verdict(3, "1x1", "2x1", 0.3, 3)],
        [replace(verdict(1, "liar", "2x2", 0.4), forced=True)],
    ]
    summary = GameSummary("game", datetime.now(UTC), "heads-up", ("A", "B"), (None, None), 0, 1, 1)
    report = leak_report((summary, Review(("A", "B"), tuple(moves), (), 0)) for moves in games)
    costs = {habit.words: (habit.times, round(habit.per_game, 9)) for habit in report.habits}
    assert costs == {
        "calls too early with one die": (2, 0.0375),
        "calls exact too often with 3 dice": (1, 0.0375),
        "raises too low with 3 dice": (1, 0.0375),
        "raises instead of calling exact with 3 dice": (1, 0.025),
        "raises instead of calling with 2 dice": (1, 0.0125),
        "opens too high with 2 dice": (1, 0.005),
        "raises with the wrong face with 2 dice": (1, 0.0025),
    }
    assert (report.games, report.decisions) == (4, 9)
    assert report.per_game == pytest.approx(sum(cost for _, cost in costs.values()))
    assert report.accuracy == pytest.approx(100 * (1 - 1.26 / 4.5))
    assert all(habit.ci95[0] <= habit.per_game <= habit.ci95[1] for habit in report.habits)
    assert next(habit.worst.turn for habit in report.habits if habit.mistake == "calls too early") == 1


def test_nothing_played() -> None:
    assert leak_report([]).habits == ()
