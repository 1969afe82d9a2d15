"""The agent that plays solved rounds, and says what each decision is based on."""

from __future__ import annotations

from msgspec.structs import replace

from ...agents import Policy, PolicyAgent, ProbabilisticAgent
from ...core import Action, GameView
from . import short_memory
from .short_memory_values import short_strategy
from .tablebase import FILES, Tablebase, solved_round

NEARLY = 0.01
"""Solutions that a perfect adversary can gain more than this against are said to be approximate."""


class NashAgent(PolicyAgent):
    """In two-player rounds without wilds: an equilibrium with at most six dice in total, a short-memory strategy with
    up to five dice each. In two-player rounds of `perudo`: an equilibrium of the match with at most four dice in total,
    of the round with at most five, and a short-memory strategy with up to five dice each. In all other rounds it plays
    as `probabilistic` does.

    The reasoning of every action says what it comes from.
    """

    name = "nash"

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._otherwise = ProbabilisticAgent()
        load_solved_rounds()

    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""
        return self._advice(view)[1]

    def choose_action(self, view: GameView) -> Action:
        """Draw from the policy."""
        source, policy = self._advice(view)
        drawn = self.rng.choices(list(policy), list(policy.values()))[0]
        return replace(drawn, reasoning=source if len(policy) == 1 else f"{source}: {policy[drawn]:.0%} of the time")

    def _advice(self, view: GameView) -> tuple[str, Policy]:
        """What the decision is based on, and the probability of each action."""
        if (solved := solved_policy(view)) is not None:
            return solved
        chosen = self._otherwise.choose_action(view)
        more = sum(n > 0 for n in view.public.dice_counts) > 2
        why = "more than two players" if more else "these rounds are not solved"
        return f"{why}, so by the odds: {chosen.reasoning}", {replace(chosen, reasoning=""): 1.0}


def load_solved_rounds() -> None:
    """Read everything that `solved_policy` needs, since a sandboxed bot cannot read files later."""
    for game in FILES:
        Tablebase.shipped(game)
    short_memory.load()


def solved_policy(view: GameView, *, measured: bool = True) -> tuple[str, Policy] | None:
    """In a round that is solved: what the solution is, and the probability of each action. None in other rounds.

    With `measured`, the next best thing counts, too: in a match that is not solved, the solution of the round by
    itself; and short-memory strategies.
    """
    public, own = view.public, len(view.my_dice)
    in_play = [n for n in public.dice_counts if n]
    other = sum(in_play) - own
    opens = len(public.bid_history) % 2 == 0
    if (found := solved_round(public, or_round=measured)) is not None:
        game, solved = found
        mix = solved.strategies[not opens].mix(public.bid_history, view.my_dice)
        of = " of the match" if game == "perudo match" else ""
        about = "equilibrium" if solved.exploitability <= NEARLY else "approximate equilibrium"
        return f"{about}{of}, {own} against {other} dice", mix
    strategy = short_strategy(public.rules, (own, other), opens) if measured and len(in_play) == 2 else None
    if strategy is None:
        return None
    rungs = [public.rules.rungs[bid] for bid in public.bid_history]
    chances = strategy.chances(view.my_dice, rungs)
    mix = {public.rules.moves[action]: chance for action, chance in chances.items()}
    return f"short-memory strategy, {own} against {other} dice", mix
