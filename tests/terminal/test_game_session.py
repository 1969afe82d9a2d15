"""Games that are left and resumed, branched and taken back; who sits where; what players are told who ask."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import call
from liars_dice.core import BadValueError, Bid, BidAction, GameConfig, GameCreated, GameEngine, GameView, preset
from liars_dice.persistence import (
    InMemoryRecorder,
    RecordedEvent,
    check_dice,
    decisions,
    final_state,
    open_store,
    record_game,
    resume_point,
    verify_game,
)
from liars_dice.persistence.unfinished_games import is_person, unfinished_game, version_at_turn
from liars_dice.referee.named_seats import make_seat
from liars_dice.referee.referee import Referee
from liars_dice.terminal.move_help import help_lines, history_lines, odds_lines, odds_rows, possible_moves, turn_prompt
from liars_dice.terminal.seating import make_lineup, replace_bots, take_seat
from liars_dice.terminal.table_setup import TableSetup, read_opponents
from patience import AMPLE

BOTS = ("bluffer", "detective", "random")


def played() -> list[RecordedEvent]:
    """A game of bots that draw lots and one that remembers."""
    store = InMemoryRecorder()
    referee = Referee([make_seat(name, AMPLE) for name in BOTS], preset("perudo", players=3, dice=2), seed=9)
    game_id = record_game(referee.engine, store, game_id="game")
    referee.play()
    return store.events(game_id)


def resumed(past: list[RecordedEvent], *, isolate: bool = False) -> list[RecordedEvent]:
    """The whole game, if it is stored up to here and goes on from there."""
    store = InMemoryRecorder()
    for event in past:
        store.record(event)
    referee = Referee.resume([make_seat(name, isolate=isolate) for name in BOTS], past)
    record_game(referee.engine, store, game_id="game", history=past)
    referee.play()
    return store.events("game")


def test_a_game_that_stops_anywhere_goes_on_as_if_it_had_not() -> None:
    """Also if its record ends between a call and what follows from it."""
    whole = played()
    told = [event.payload for event in whole]
    assert any(resume_point(whole[:cut]) < cut for cut in range(1, len(whole)))
    for cut in range(1, len(whole)):
        again = resumed(whole[:cut])
        assert [event.payload for event in again] == told, cut
        assert [event.version for event in again] == list(range(len(whole)))
        verify_game(again)


def test_bots_behind_walls_catch_up_too() -> None:
    whole = played()
    again = resumed(whole[: len(whole) // 2], isolate=True)
    assert [event.payload for event in again] == [event.payload for event in whole]


def test_decisions_are_the_places_to_go_back_to() -> None:
    whole = played()
    places = decisions(whole)
    assert [version_at_turn(whole, turn) for turn in range(1, len(places) + 1)] == places
    assert sorted(place for seat in range(3) for place in decisions(whole, seat)) == places
    for place in places:
        assert resume_point(whole[:place]) == place
        assert final_state(whole[:place]).public.status == "BIDDING"
    for turn in (0, len(places) + 1, None):
        with pytest.raises(BadValueError, match=f"a turn from 1 to {len(places)}"):
            version_at_turn(whole, turn)
    with pytest.raises(BadValueError, match="nobody has made a move"):
        version_at_turn(whole[: places[0]], 1)
    assert version_at_turn(whole[: places[3]], None) == places[3]


def test_who_sits_where() -> None:
    assert make_lineup(("a", "b"), 1) == ("a", "human", "b")
    assert make_lineup(("a",), 0, "Ann") == ("human:Ann", "a")
    assert replace_bots(("human", "a", "b"), ("c", "d")) == ("human", "c", "d")
    assert take_seat(("human", "a"), 1) == ("optimal", "human")
    assert [is_person(word) for word in ("human", "human:Ann", "humanoid", "optimal")] == [True, True, False, False]
    with pytest.raises(BadValueError, match="a seat from 0 to 1"):
        make_lineup(("a",), 2)
    with pytest.raises(BadValueError, match="a seat from 0 to 1"):
        take_seat(("a", "b"), 2)
    with pytest.raises(BadValueError, match="1, one name for each bot"):
        replace_bots(("human", "a"), ())


def test_opponents_as_people_name_them() -> None:
    assert read_opponents("") == ("optimal",)
    assert read_opponents("maniac, human:Ann  random") == ("maniac", "human:Ann", "random")
    assert read_opponents("MANIAC RandomAgent CALLING_STATION") == ("maniac", "random", "calling-station")
    assert read_opponents("5") == ("optimal", "maniac", "calling-station", "bluffer", "optimal")
    for wrong in ("0", "15", "nobody", "threshold:x"):
        with pytest.raises(BadValueError):
            read_opponents(wrong)


def views() -> Iterator[GameView]:
    """The openings of some games, and what comes after a first bid."""
    for config in (preset("perudo", players=3), preset("duel"), GameConfig(dice=(60,) * 15, faces=20)):
        engine = GameEngine(config, seed=2)
        engine.start_new_round()
        yield engine.get_view(0)
        engine.apply_action(0, BidAction(Bid(2, 3)))
        yield engine.get_view(1)


def test_what_players_are_told() -> None:
    for view in views():
        rows = odds_rows(view)
        assert 0 < len(rows) <= 14
        assert all(0 <= chance <= 1 for _, chance in rows)
        assert all(len(line) <= 38 for line in odds_lines(view, 38, ascii_only=True))
        if view.current_bid is None:
            assert turn_prompt(view) == "You open: make a bid."
            assert "liar" not in possible_moves(view)
        else:
            assert rows[0][0] == "2x3 holds"
            assert rows[0][1] + rows[1][1] == pytest.approx(1)
            assert f"{possible_moves(view).split()[0]}" == str(view.legal_actions[0])
            assert ("exact is right" in dict(rows)) is view.config.exact_call
            assert "player-0 2x3" in history_lines(view.public)[-1]
        assert ("calza" in " ".join(help_lines(view, practice=False))) is view.config.exact_call
        assert any("undo" in line for line in help_lines(view, practice=True))


def test_when_nothing_is_higher() -> None:
    engine = GameEngine(preset("openspiel"))
    engine.start_new_round([[1], [2]])
    engine.apply_action(0, BidAction(engine.state.public.rules.bids[-1]))
    assert "Nothing is higher: liar." in turn_prompt(engine.get_view(1))
    assert possible_moves(engine.get_view(1)) == "liar"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["play", "--resume", "last"], "an unfinished game; there is none in this store"),
        (["play", "--resume", "last", "--rules", "duel"], "no --rules, which the recorded game determines"),
        (["play", "--resume", "last", "--seed", "1"], "no --seed, which"),
        (["play", "--resume", "last", "--from", "last"], "no --from, which"),
        (["play", "--from", "last", "--dice", "2"], "no --dice, which"),
        (["play", "--at", "3"], "--from GAME as well"),
        (["play", "--seat", "2"], "seat = 2: expected a seat from 0 to 1"),
        (["play", "--name", "   "], "a name that is not blank"),
        (["play", "nobody"], "agent = 'nobody'"),
        (["play", "human:Ann", "--name", "Ann\n"], "printable names"),
        (["watch", "--delay", "-1"], "-1"),
    ],
    ids=" ".join,
)
def test_mistakes_get_one_clear_line(words: list[str], message: str) -> None:
    result = call(*words)
    assert result.exit_code != 0
    assert message in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.output


def test_games_that_cannot_be_resumed() -> None:
    call("watch", "--dice", "1", "--seed", "1")
    assert "a game with a person in it; with --from" in call("play", "--resume", "20").stderr
    done = json.loads(call("play", "--dice", "1", "--seed", "5", "--json", stdin="1 1\nliar\n" * 9).stdout)
    assert done["winner"] is not None
    assert "a game that is not over" in call("play", "--resume", done["run"]["game_id"]).stderr
    assert "there is none" in call("play", "--resume", "last").stderr
    assert "a turn from 1 to" in call("play", "--from", "last", "--at", "99").stderr
    without = call("play", "--from", "last").stderr
    assert "--at with a turn from 1 to" in without
    assert "None" not in without
    assert "a turn from 1 to" in call("replay", "last", "--at", "0").stderr


def test_a_bot_of_your_own_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game remembers what sat there by a word that makes it again."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "from liars_dice import CallLiarAction\nfrom liars_dice.agents import Agent\n\n"
        "class Sceptic(Agent):\n    def choose_action(self, view):\n"
        "        return CallLiarAction() if view.current_bid else view.legal_actions[0]\n"
    )
    left = call("play", "mine.py", "--seed", "1", stdin="1 1\n")
    assert "Sceptic calls liar" in left.output
    assert "play --resume last" in left.output
    again = call("play", "--resume", "last", stdin="1 1\nliar\n" * 20)
    assert "the game" in again.output


def test_somebody_who_is_out_is_told() -> None:
    shown = call("play", "optimal", "passive", "--rules", "perudo", "--dice", "1", "--seed", "3", stdin="3 2\n").output
    assert "You are out; the others play on." in shown
    assert "wins the game" in shown


def test_somebody_who_is_out_may_skip_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("play", "optimal", "passive", "--rules", "perudo", "--dice", "1", "--seed", "3")
    monkeypatch.setattr("liars_dice.terminal.game_session.can_ask", lambda _: True)
    watched, skipped = (call(*words, stdin=f"3 2\n{answer}\n").output for answer in ("", "end"))
    assert "Press Enter to watch, or type end to skip to the end: " in watched
    after = skipped.partition("skip to the end: ")[2]
    assert "wins the game" in after
    assert "Round 2" not in after
    assert "Round 2" in watched.partition("skip to the end: ")[2]


def test_what_was_taken_back_is_not_resumed() -> None:
    """Neither while the game goes on, nor when it is over: the line that was undone is not listed."""
    call("play", "passive", "--dice", "1", "--seed", "5", "--practice", stdin="1 2\nundo\n1 1\n")
    with open_store() as store:
        first, second = (game.game_id for game in reversed(store.games()))
        latest = unfinished_game(store, "last")
        assert latest[0].game_id == second
        created = latest[0].payload
        assert isinstance(created, GameCreated)
        assert (created.branched_from or "").startswith(first)
        assert unfinished_game(store, first)[0].game_id == first
    over = call("play", "--resume", "last", stdin="1 6\nliar\n" * 9)
    assert "replay last" in over.output
    assert "there is none" in call("play", "--resume", "last").stderr


def test_an_undo_keeps_the_dice_of_its_round_and_goes_on_with_fresh_ones() -> None:
    """The seed of the game that was left stands in the store, where anyone who may read it can look it up."""
    call("play", "passive", "--dice", "3", "--seed", "5", "--practice", stdin="1 2\nundo\n6 6\n1 1\n")
    with open_store() as store:
        first, second = (store.events(game.game_id) for game in reversed(store.games()))
    verify_game(second)
    assert check_dice([event.payload for event in second]).seeds == 2
    assert [e.payload for e in first[1:4]] == [e.payload for e in second[1:4]], "the same round, the same dice"
    created = second[0].payload
    assert isinstance(created, GameCreated)
    assert created.config.seed != 5


def test_what_was_taken_back_is_not_listed() -> None:
    """Unless it is asked for, or was played to its end; and there are as many lines as were wanted."""

    def listed(*words: str) -> list[str]:
        return [game["game_id"] for game in json.loads(call("games", *words, "--json").stdout)["games"]]

    call("watch", "--dice", "1", "--seed", "1")
    call("play", "passive", "--dice", "1", "--seed", "5", "--practice", stdin="1 2\nundo\n1 1\nundo\n")
    watched, first, second, third = reversed(listed("--all"))
    assert listed() == [third, watched]
    assert listed("--limit", "1") == [third]
    assert listed("--limit", "2") == [third, watched]
    assert listed("--limit", "2", "--all") == [third, second]
    assert json.loads(call("games", "stats", "--json").stdout)["games"] == 2
    call("play", "--resume", "last", stdin="1 6\nliar\n" * 9)
    call("play", "--from", third, "--at", "1", stdin="1 2\n")
    assert listed()[1:] == [third, watched]
    assert {first, second}.isdisjoint(listed())


def test_a_hint_takes_a_person_for_a_person() -> None:
    """Whatever the person is called."""
    typed = "\n3 4\n\nhint\nquit\n"
    shown = call("play", "human:maniac", "--name", "bob", "--seat", "1", "--dice", "4", "--seed", "1", stdin=typed)
    assert "(short-memory strategy" in shown.output
    assert "habits" not in shown.output


def test_a_replay_does_not_help_to_cheat() -> None:
    call("play", "optimal", "--dice", "3", "--seed", "3", stdin="2 3\nliar\n")
    shown = call("replay", "last")
    assert "Round 2" in shown.output
    assert "the dice of this round are hidden" in shown.output
    assert "╭" in shown.output.partition("Round 2")[0]
    assert "╭" not in shown.output.partition("Round 2")[2]
    assert '"seed": 3' not in call("replay", "last", "--json").stdout


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_typed_the_record_is_sound(seed: int) -> None:
    rng = random.Random(seed)
    words = [
        "1 1",
        "2 3",
        "three fours",
        "4 6",
        "3 1",
        "liar",
        "liar",
        "exact",
        "undo",
        "odds",
        "history",
        "?",
        "hm",
        "",
    ]
    table = rng.choice(
        (["optimal"], ["bluffer", "detective"], ["human:Bob", "maniac"], ["human", "--rules", "classic"])
    )

    def typed() -> str:
        return "".join(f"{rng.choice(words)}\n" for _ in range(40))

    shown = call("play", *table, "--dice", "2", "--practice", "--seed", str(seed), stdin=typed())
    for _ in range(20):
        assert shown.exit_code == 0, shown.output
        if "--resume last" not in shown.output:
            break
        shown = call("play", "--resume", "last", stdin=typed())
    with open_store() as store:
        for game in store.games():
            verify_game(store.events(game.game_id))


def test_play_from_another_seat() -> None:
    call("play", "maniac", "--seed", "3", stdin="2 3\nliar\n")
    shown = call("play", "--from", "last", "--at", "1", "--seat", "1", "--json", stdin="liar\n" * 3)
    assert json.loads(shown.stdout)["agents"] == ["optimal", "You"]
    with open_store() as store:
        created = store.events(store.find("last"))[0].payload
    assert isinstance(created, GameCreated)
    assert created.agent_ids == ("optimal", "human")
    assert created.branched_from is not None


def test_the_rules_that_were_asked_for_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those that would have been played without a question."""
    wanted = TableSetup(("human", "optimal"), "duel", preset("duel"))
    monkeypatch.setattr("liars_dice.terminal.ask_table_setup", lambda *_, **__: wanted)
    monkeypatch.setattr("liars_dice.terminal.can_ask", lambda _: True)
    told = call("play", "--json", "--no-review", stdin="quit\n")
    assert json.loads(told.stdout)["rules"] == "duel"


def test_the_terminal_starts_without_the_numeric_packages() -> None:
    """`play`, `watch` and `replay` show a game at once; the coach and the pictures are loaded when they are needed."""
    heavy = ("numpy", "scipy", "numba", "matplotlib", "liars_dice.coach", "liars_dice.tournament")
    script = f"import sys, liars_dice.terminal; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
