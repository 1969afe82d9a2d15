"""Random rule sets and random play: properties that always hold (rules 1 to 7)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from liars_dice.core import (
    Action,
    CallLiarAction,
    DealError,
    Event,
    GameConfig,
    GameEngine,
    GameState,
    IllegalMoveError,
    apply,
    deal,
    new_game,
)
from liars_dice.core.conformance import check_rules
from liars_dice.core.events import DiceRevealed, DiceRolled, RoundEnded
from liars_dice.core.state import Hands
from support import configs

Deal = tuple[Hands, tuple[int, ...], tuple[int, ...]]
"""The dice of every seat, on the table, and covered."""


class Table(RuleBasedStateMachine):
    """A game driven by whatever hypothesis likes to do."""

    @initialize(config=configs())
    def open_table(self, config: GameConfig) -> None:
        self.engine = GameEngine(config, seed=config.seed or 0)
        self.events: list[Event] = []
        self.engine.subscribe(self.events.append)
        self.log: list[Deal | Action] = []
        self.states: list[GameState] = [self.engine.state]

    def bidding(self) -> bool:
        return self.engine.state.public.status == "BIDDING"

    @precondition(lambda self: self.engine.state.public.status == "REVEAL")
    @rule()
    def start_round(self) -> None:
        self.engine.start_new_round()
        state = self.engine.state
        self.log.append((state.hands, state.public.table_dice, state.hidden_dice))
        self.states.append(self.engine.state)

    @precondition(bidding)
    @rule(where=st.floats(0, 1, exclude_max=True))
    def move(self, where: float) -> None:
        player = self.engine.state.public.current_player
        actions = self.engine.get_view(player).legal_actions
        action = actions[int(where * len(actions))]
        self.engine.apply_action(player, action)
        self.log.append(action)
        self.states.append(self.engine.state)

    @precondition(bidding)
    @rule()
    def go_high_or_call(self) -> None:
        """Ends rounds often enough to see whole games."""
        self.move(1 - 1e-9)

    @precondition(lambda self: self.engine.is_terminal())
    @rule()
    def nothing_follows_the_end(self) -> None:
        public = self.engine.state.public
        assert public.winner is not None
        assert public.dice_counts[public.winner] > 0
        for seat in range(len(public.names)):
            with pytest.raises(IllegalMoveError, match="the game is over"):
                self.engine.apply_action(seat, CallLiarAction())
        with pytest.raises(DealError, match="the game is over"):
            self.engine.start_new_round()

    @invariant()
    def exactly_one_player_to_move(self) -> None:
        public = self.engine.state.public
        movers = [seat for seat in range(len(public.names)) if self.engine.get_view(seat).legal_actions]
        assert movers == ([public.current_player] if public.status == "BIDDING" else [])

    @invariant()
    def dice_are_conserved(self) -> None:
        """What was rolled is what is held and what is revealed, and counts change only at the end of a round."""
        public = self.engine.state.public
        if public.status == "BIDDING":
            assert tuple(map(len, self.engine.state.hands)) == public.dice_counts
            shared = public.table_dice + self.engine.state.hidden_dice
            assert public.rules.total_dice == public.total_dice == sum(public.dice_counts) + len(shared)
        rolled: dict[int, tuple[int, ...]] = {}
        counts = public.config.dice
        for event in self.events:
            if isinstance(event, DiceRolled):
                rolled[event.player_id] = event.dice
                assert len(event.dice) == counts[event.player_id]
            elif isinstance(event, DiceRevealed):
                assert event.dice == tuple(rolled.get(seat, ()) for seat in range(len(counts)))
                rolled = {}
            elif isinstance(event, RoundEnded):
                counts = event.dice_counts
        assert counts == public.dice_counts

    @invariant()
    def rungs_rise(self) -> None:
        public = self.engine.state.public
        rungs = [public.rules.ladder.rung(bid) for bid in public.bid_history]
        assert rungs == sorted(set(rungs))
        assert public.rung == (rungs[-1] if rungs else -1)

    def teardown(self) -> None:
        """Replaying the same dice and actions gives the same states."""
        if not hasattr(self, "engine"):
            return
        state = new_game(self.engine.state.config)
        replayed = [state]
        for entry in self.log:
            state = deal(state, *entry) if isinstance(entry, tuple) else apply(state, entry)
            replayed.append(state)
        assert replayed == self.states


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)


@settings(deadline=None, max_examples=100)
@given(configs(), st.integers(0, 2**32))
def test_rule_sets_conform_and_games_end(config: GameConfig, seed: int) -> None:
    check_rules(config, games=2, seed=seed)
