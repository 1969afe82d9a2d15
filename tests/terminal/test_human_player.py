"""Dice drawn, games shown, and a person at the keyboard."""

from __future__ import annotations

import io
import os
import select
from threading import Event, Thread

import pytest
from rich.console import Console

from liars_dice.coach.advice import AdvisedChoice
from liars_dice.coach.advice import make_advice as advice_from
from liars_dice.core import (
    PALIFICO,
    WHEN_PALIFICO,
    Bid,
    BidAction,
    CallLiarAction,
    DiceRolled,
    GameConfig,
    GameEngine,
    RoundStarted,
    preset,
)
from liars_dice.terminal.dice_art import draw_die, draw_hand
from liars_dice.terminal.human_player import TerminalPlayer
from liars_dice.terminal.move_help import hint_lines, odds_lines, odds_rows
from liars_dice.terminal.table_setup import ask_table_setup
from liars_dice.terminal.table_view import Quit, TableView
from patience import PATIENCE


def test_dice() -> None:
    assert draw_die(5) == ("╭─────╮", "│●   ●│", "│  ●  │", "│●   ●│", "╰─────╯")
    assert draw_die(12, ascii_only=True)[2] == "| 12  |"
    for face in range(1, 7):
        assert "".join(draw_die(face)).count("●") == face
    assert len(draw_hand((1, 2, 3), per_row=2)) == 10
    assert draw_hand(()) == []


def console(width: int = 80) -> Console:
    return Console(file=io.StringIO(), width=width, highlight=False, color_system=None)


def printed(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def test_what_is_typed_during_a_wait_answers_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard, terminal = os.openpty()
    told = Event()

    class Screen(io.StringIO):
        def write(self, text: str) -> int:
            if "getting ready" in text:
                told.set()
            return super().write(text)

    def get_ready() -> None:
        assert told.wait(PATIENCE)
        os.write(keyboard, b"liar\n")

    with os.fdopen(terminal) as stdin, os.fdopen(keyboard, "wb", buffering=0):
        monkeypatch.setattr("sys.stdin", stdin)
        monkeypatch.setattr("liars_dice.terminal.human_player.UNNOTICED", 0.0)
        player = TerminalPlayer(Console(file=Screen()))
        player._preparing = Thread(target=get_ready)
        player._preparing.start()
        player.wait_for_coach()
        assert select.select([stdin], [], [], 0)[0] == []


def test_a_spectator_sees_dice_moves_and_verdict() -> None:
    screen = console(40)
    engine = GameEngine(GameConfig(dice=(5, 5)), names=["[ann]", "bob"])
    engine.subscribe(TableView(screen, engine.state.public.names).show)
    engine.start_new_round(((1, 2, 3, 4, 5), (6, 6, 6, 6, 6)))
    engine.apply_action(0, engine.get_view(0).legal_actions[0])
    engine.reveal_and_resolve(1)
    text = printed(screen)
    for words in ("Round 1: [ann] opens", "[ann] bids one one", "bob calls liar", "There was one one: the bid held"):
        assert words in text
    assert text.count("●") == 15 + 30
    assert max(len(line) for line in text.splitlines() if "│" in line) <= 40


def test_plain_letters_where_a_terminal_knows_no_others() -> None:
    raw = io.BytesIO()
    screen = Console(file=io.TextIOWrapper(raw, encoding="ascii"), width=80, highlight=False)
    TableView(screen, ["ann", "bob"]).hand(0, (5, 6))
    screen.file.flush()
    assert b"+-----+ +-----+" in raw.getvalue()
    assert raw.getvalue().count(b"*") == 11


class Scripted(TerminalPlayer):
    """A person whose answers are known."""

    def __init__(self, screen: Console, answers: list[str]) -> None:
        super().__init__(screen)
        self.answers = iter(answers)

    def ask(self, prompt: str = "") -> str:
        answer = next(self.answers)
        if answer == "quit":
            raise Quit
        return answer


def test_a_person_is_answered_kindly() -> None:
    screen = console()
    answers = ["?", "help", "hello", "9x9", "liar", "2x5", "liar"]
    engine = GameEngine(GameConfig(), [Scripted(screen, answers), Scripted(screen, ["?", "1x1", "2x6"])])
    engine.subscribe(TableView(screen, engine.state.public.names).reveal, seat=0)
    engine.play()
    text = printed(screen)
    assert "Possible now: 1x1 1x2" in text
    assert "I do not understand 'hello': type a bid such as 3 4, 3x4 or three fours, or liar" in text
    assert "9x9 is not a bid of this round" in text
    assert "There is no bid to call yet" in text
    assert "1x1 is not higher than 2x5" in text
    assert " the game" in text


def test_other_dice_stay_hidden_until_the_reveal() -> None:
    screen = console()
    engine = GameEngine(preset("perudo", players=2, dice=2), names=["you", "bot"])
    engine.subscribe(TableView(screen, engine.state.public.names).reveal, seat=0)
    engine.start_new_round(((1, 1), (6, 6)))
    engine.apply_action(0, engine.get_view(0).legal_actions[0])
    assert "●" not in printed(screen)
    engine.reveal_and_resolve(1)
    assert printed(screen).count("●") == 2 + 12


def test_dice_on_the_table_are_shown_and_covered_ones_counted() -> None:
    screen = console()
    people = [Scripted(screen, ["odds", "1x1"]), Scripted(screen, ["quit"])]
    engine = GameEngine(GameConfig(dice=(2, 2), table_dice=1, hidden_dice=2), people)
    engine.start_new_round(((1, 1), (6, 6)), table_dice=[5], hidden_dice=[3, 3])
    with pytest.raises(Quit):
        engine.play()
    text = printed(screen)
    assert "On the table 5" in text
    assert "Covered on the table: 2 dice" in text
    assert "Given your dice and those on the table alone" in text


def test_closed_input_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object, **__: object) -> str:
        raise EOFError

    screen = console()
    monkeypatch.setattr(screen, "input", closed)
    with pytest.raises(Quit):
        TerminalPlayer(screen).ask()
    monkeypatch.setattr(screen, "input", lambda *_, **__: " QUIT ")
    with pytest.raises(Quit):
        TerminalPlayer(screen).ask()


def test_printing_to_nowhere_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object, **__: object) -> str:
        raise RuntimeError("input(): lost sys.stdout")

    monkeypatch.setattr("builtins.input", lost)
    with pytest.raises(Quit):
        TerminalPlayer(console()).ask()


class Patient(Scripted):
    """A person who types only when the coach is ready."""

    def ask(self, prompt: str = "") -> str:
        self.wait_for_coach()
        return super().ask(prompt)


def test_the_coach_gets_ready_while_a_player_looks_at_the_dice() -> None:
    screen = Console(file=io.StringIO(), width=80, highlight=False, color_system=None, force_terminal=True)
    engine = GameEngine(preset("duel"), seed=1)
    engine.start_new_round()
    with pytest.raises(Quit):
        Patient(screen, ["hint", "quit"]).choose_action(engine.get_view(0))
    assert "A strong player would" in printed(screen)
    assert "Let me think" not in printed(screen)


def test_keys_that_say_nothing() -> None:
    screen = console()
    engine = GameEngine(preset("duel"), seed=1)
    engine.start_new_round()
    with pytest.raises(Quit):
        Scripted(screen, ["\x1b[A", "quit"]).choose_action(engine.get_view(0))
    assert "I do not understand that key: type a bid" in printed(screen)


def test_going_back_a_round_wipes_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dice of the round that was left will be rolled again."""
    wiped: list[Console] = []
    monkeypatch.setattr("liars_dice.terminal.human_player.clear_screen", wiped.append)
    engine = GameEngine(preset("heads-up", dice=2), seed=1)
    engine.start_new_round()
    before = engine.get_view(0)
    engine.apply_action(0, before.legal_actions[0])
    engine.reveal_and_resolve(1)
    engine.start_new_round()
    later = engine.get_view(engine.state.public.current_player)
    player = Scripted(console(), ["", "1 1", "", "1 1"])
    player.people = 2
    player.choose_action(later)
    assert not wiped
    player.choose_action(before)
    assert len(wiped) == 1


def test_chances_are_said_in_one_way() -> None:
    sure = AdvisedChoice(CallLiarAction(), 0.9999)
    engine = GameEngine(preset("duel"), seed=1)
    engine.start_new_round()
    other = AdvisedChoice(engine.get_view(0).legal_actions[0], 0.001)
    advice = advice_from(engine.get_view(0), [other, sure], "somebody", "by the odds", None)
    assert hint_lines(advice)[:2] == [
        "A strong player would call liar. Calling liar wins >99% of the time by the odds.",
        "liar wins >99%; next best: 1x1 <1%",
    ]


def test_a_lost_round_is_called_lost() -> None:
    engine = GameEngine(preset("duel"), seed=1)
    engine.start_new_round()
    view = engine.get_view(0)
    choices = [AdvisedChoice(action, 0.0) for action in view.legal_actions]
    advice = advice_from(view, choices, "somebody", "given how optimal plays", None)
    assert hint_lines(advice) == [
        "Every move loses this round given how optimal plays.",
        "(somebody)",
    ]


def test_odds_leave_out_what_is_certain_or_hopeless() -> None:
    engine = GameEngine(preset("heads-up", dice=(3, 1)), seed=3)
    engine.start_new_round()
    view = engine.get_view(0)
    held = {face: view.my_dice.count(face) for face in view.my_dice}
    rows = dict(odds_rows(view))
    assert rows
    assert all(0.01 <= chance < 1 for chance in rows.values())
    lines = list(odds_lines(view, 60, ascii_only=True))
    assert f"certain to hold, up to: {' '.join(f'{n}x{face}' for face, n in sorted(held.items()))}" in lines
    engine.apply_action(0, BidAction(Bid(4, max(held))))
    assert "below 1%: " in "\n".join(odds_lines(engine.get_view(1), 60, ascii_only=True))


def test_a_big_table_has_one_line_of_dice_per_player() -> None:
    names = ("ann", "calling-station", "bob", "carla")
    hands = ((1, 1, 6), (2, 3, 3), (), (4, 5, 6))
    screen = console()
    table = TableView(screen, names)
    table.show(DiceRolled(0, hands[0]))
    table.hands(hands)
    assert printed(screen).splitlines() == [
        "  ann:             1 1 6",
        "  ann:             1 1 6",
        "  calling-station: 2 3 3",
        "  carla:           4 5 6",
    ]
    for small_or_full in (TableView(screen, names[:3]), TableView(screen, names, full=True)):
        small_or_full.show(DiceRolled(0, hands[0]))
        assert "╭─────╮ ╭─────╮ ╭─────╮" in printed(screen)


# -- words explained where they come up --------------------------------------------------------------------------------


def test_rules_and_palifico_are_explained_on_demand() -> None:
    screen = console(1000)
    engine = GameEngine(preset("perudo-tournament", players=3), seed=1)
    engine.start_new_round()
    player = Scripted(screen, ["rules", "palifico", "?", "quit"])
    with pytest.raises(Quit):
        player.choose_action(engine.get_view(0))
    text = printed(screen)
    assert text.count("(Type ? to see everything you can type, and rules for the rules of this game.)") == 1
    assert "  Ones are wild: they count as every face; for a bid on ones, only ones count.\n" in text
    assert f"  {WHEN_PALIFICO} This round is not. {PALIFICO}\n" in text
    assert "  rules: the rules of this game in words; palifico: that rule\n" in text
    player.answers = iter(["palifico", "quit"])
    engine = GameEngine(preset("duel"), seed=1)
    engine.start_new_round()
    with pytest.raises(Quit):
        player.choose_action(engine.get_view(0))
    assert f"  This game is played without palifico rounds. {PALIFICO}\n" in printed(screen)
    assert printed(screen).count("(Type ? to see") == 1, "said once, not in every round"


def test_the_first_palifico_round_is_explained() -> None:
    screen = console(1000)
    table = TableView(screen, ("ann", "bob", "eve"))
    for index, palifico in enumerate((False, True, True)):
        table.reveal(RoundStarted(index, 0, (3, 1, 1), palifico))
    assert f"Round 2 (palifico): ann opens\n  {PALIFICO}\n" in printed(screen)
    assert printed(screen).count(PALIFICO) == 1


def test_choices_are_explained_before_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = console(1000)
    answers = iter(["?", "? maniac", "optimal maniac", "?", "? perudo-tournament", "? nothing", "perudo", ""])
    monkeypatch.setattr(screen, "input", lambda *_, **__: next(answers))
    setup = ask_table_setup(screen)
    assert (setup.lineup, setup.rules) == (("human", "optimal", "maniac"), "perudo")
    text = printed(screen)
    assert "Strongest first:\n  reader: " in text
    assert "  threshold-best or optimal: " in text  # the default is in the list
    assert "? NAME explains one of them, for example: ? perudo\n" in text
    assert f"  {WHEN_PALIFICO} {PALIFICO}\n" in text
    assert "rules = 'nothing': expected one of duel, " in text
