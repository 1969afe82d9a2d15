"""The agent that plays solved rounds, and says what each decision is based on."""

from __future__ import annotations

from ...agents import Policy, PolicyAgent, ProbabilisticAgent
from ...core import Action, BidAction, CallExactAction, CallLiarAction, GameView
from . import short_memory
from .tablebase import TABLEBASE_DICE, Tablebase, has_tablebase_rules

_LIAR: Action = CallLiarAction()


class NashAgent(PolicyAgent):
    """In two-player rounds without wilds: an equilibrium with at most six dice in total, a short-memory strategy with
    up to five dice each. In all other rounds it plays as `probabilistic` does.

    The reasoning of every action says which of the three it comes from.
    """

    name = "nash"

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._otherwise = ProbabilisticAgent()
        Tablebase.shipped(), short_memory.load()  # read now, since a sandboxed bot cannot read files later

    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""
        return self._advice(view)[1]

    def choose_action(self, view: GameView) -> Action:
        """Draw from the policy."""
        source, policy = self._advice(view)
        drawn = self.rng.choices(list(policy), list(policy.values()))[0]
        return _because(drawn, source if len(policy) == 1 else f"{source}: {policy[drawn]:.0%} of the time")

    def _advice(self, view: GameView) -> tuple[str, Policy]:
        """What the decision is based on, and the probability of each action."""
        public, own = view.public, len(view.my_dice)
        in_play = [n for n in public.dice_counts if n]
        other = sum(in_play) - own
        if len(in_play) == 2 and has_tablebase_rules(public.rules):
            opens = len(public.bid_history) % 2 == 0
            if own + other <= TABLEBASE_DICE:
                solved = Tablebase.shipped().round(*((own, other) if opens else (other, own)))
                mix = solved.strategies[not opens].mix(public.bid_history, view.my_dice)
                return f"equilibrium, {own} against {other} dice", mix
            if (own, other, opens) in short_memory.load():
                strategy = short_memory.load()[own, other, opens]
                rungs = [public.rules.rungs[bid] for bid in public.bid_history]
                chances = strategy.chances(view.my_dice, rungs)
                moves = public.rules.moves
                return f"short-memory strategy, {own} against {other} dice", {
                    _LIAR if rung == strategy.liar else moves[rung]: chance for rung, chance in chances.items()
                }
        chosen = self._otherwise.choose_action(view)
        why = "more than two players" if len(in_play) > 2 else "these rounds are not solved"
        return f"{why}, so by the odds: {chosen.reasoning}", {_because(chosen, ""): 1.0}


def _because(action: Action, reasoning: str) -> Action:
    if isinstance(action, BidAction):
        return BidAction(action.bid, reasoning)
    return CallExactAction(reasoning) if isinstance(action, CallExactAction) else CallLiarAction(reasoning)
