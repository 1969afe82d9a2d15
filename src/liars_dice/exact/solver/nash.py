"""The agent that plays solved rounds, and says what each decision is based on."""

from __future__ import annotations

from msgspec.structs import replace

from ...agents import Policy, PolicyAgent, ProbabilisticAgent
from ...core import Action, BidAction, GameConfig, GameView, round_rules
from . import short_memory
from .short_memory_packing import warm_up_unpacking
from .short_memory_values import short_strategy
from .tablebase import FILES, Tablebase, solved_round

NEARLY = 2e-3
"""Solutions that a perfect adversary can gain more than this against are said to be approximate."""


class NashAgent(PolicyAgent):
    """In two-player rounds without wilds: an equilibrium with at most six dice in total, a short-memory strategy with
    up to five dice each. In two-player rounds of `perudo`: an equilibrium with at most five dice in total, and a
    short-memory strategy with up to five dice each; the same, but for the bids that open a round, where rounds may not
    be opened on ones. In all other rounds it plays as `probabilistic` does.

    The reasoning of every action says what it comes from.
    """

    name = "nash"

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._otherwise = ProbabilisticAgent()

    def prepare(self) -> None:
        """Load the solved rounds."""
        load_solved_rounds()

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        """Unpack the strategies of the first two rounds, if they have a short memory: decisions have less time."""
        if config.num_players != 2:
            return
        game = config.without_seed.replace(open_on_ones=True)
        own, other = config.dice[player_id], config.dice[1 - player_id]
        for dice, opens in (((own, other), player_id == 0), ((own - 1, other), True), ((own, other - 1), False)):
            if min(dice) > 0:
                short_strategy(round_rules(game, sum(dice), False), dice, opens)

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
        if (solved := solved_policy(view) or policy_without_opening_on_ones(view)) is not None:
            return solved
        chosen = self._otherwise.choose_action(view)
        more = sum(n > 0 for n in view.public.dice_counts) > 2
        why = "more than two players" if more else "these rounds are not solved"
        return f"{why}, so by the odds: {chosen.reasoning}", {replace(chosen, reasoning=""): 1.0}


def policy_without_opening_on_ones(view: GameView) -> tuple[str, Policy] | None:
    """In a round that is solved but for the rule that it may not be opened on ones: the same solution, with what it
    opens on ones shared out among its other openings. None in other rounds, and where it opens on nothing else.
    """
    public = view.public
    if public.config.open_on_ones:
        return None
    rules = round_rules(public.config.replace(open_on_ones=True), public.rules.total_dice, public.palifico)
    found = solved_policy(replace(view, public=replace(public, rules=rules)))
    if found is None:
        return None
    source, policy = found
    legal = {
        action: chance
        for action, chance in policy.items()
        if public.bid_history or (isinstance(action, BidAction) and action.bid.face != 1)
    }
    total = sum(legal.values())
    if not total:
        return None
    return f"{source}, of the game in which ones may open", {action: p / total for action, p in legal.items()}


def load_solved_rounds() -> None:
    """Read everything that `solved_policy` needs, and compile what unpacks it: in a sandbox it is too late for both."""
    for game in FILES:
        Tablebase.shipped(game)
    short_memory.load()
    warm_up_unpacking()


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
        about = "equilibrium" if solved.exploitability <= NEARLY else "approximate equilibrium"
        of = " of the match" if game == "perudo match" else ""
        if game == "perudo" and public.config.mode == "elimination":
            of = " of the round alone"
        return f"{about}{of}, {own} against {other} dice", mix
    strategy = short_strategy(public.rules, (own, other), opens) if measured and len(in_play) == 2 else None
    if strategy is None:
        return None
    rungs = [public.rules.rungs[bid] for bid in public.bid_history]
    chances = strategy.chances(view.my_dice, rungs)
    mix = {public.rules.moves[action]: chance for action, chance in chances.items()}
    return f"short-memory strategy, {own} against {other} dice", mix
