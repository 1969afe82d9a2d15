"""The best response in one round to an agent that uses the bidding: the agent is asked wherever it may decide.

The formulas are those of `adversary`, with the whole bidding h in place of the rung. For every hand of the adversary
at once, where b is how likely each hand of the agent is together with what it has bid so far,

    V(h, b) = max(chance that the last bid of h is false, max over raises c of U(h c, b))
    U(h, b) = chance that the agent calls the last bid of h and it is true
            + sum over its raises a of V(h a, b restricted to a)

Only what can happen is searched: biddings in which the agent's own bids have a chance, with the hands that make them.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...agents import Agent, GameStart, Guard, Hearing, PolicyError, Question, ask_all, states_policy, tell, unguarded
from ...core import (
    Action,
    BidPlaced,
    DiceRolled,
    Event,
    GameConfig,
    GameCreated,
    GameView,
    Progress,
    PublicState,
    RoundStarted,
    agent_id,
    deal,
    describe,
    hook_of,
    new_game,
)
from ...numeric import Floats
from ..errors import OutOfReachError
from ..tables import SECOND_LOOK, action_number, count_rungs, hand_set, showdowns

MOST_QUESTIONS = 20_000_000
"""The most questions that an agent is asked, in both seats together. Each takes about ten microseconds, plus the
agent's own time."""
MOST_RUNGS = 300
"""The longest ladder that is searched: the search is as deep as a bidding is long, which may be every rung."""
SAMPLES = 10
"""How many samples of the search estimate its length beforehand."""


def best_response_by_probing(
    agent: Agent, config: GameConfig, guard: Guard = unguarded, progress: Progress | None = None
) -> tuple[float, float]:
    """What a perfect adversary earns against the agent, as the opener and as the other, found by asking the agent."""
    name, size = agent_id(agent), count_rungs(config, config.total_dice)
    if size > MOST_RUNGS:
        raise OutOfReachError(f"{name} would have to be asked about {size} rungs; at most {MOST_RUNGS} are searched")
    probes = [AgentProbe(agent, config, seat, guard) for seat in (1, 0)]
    searches = [_Search(probe) for probe in probes]
    estimate = 0.0
    for search in searches:
        estimate += search.expected_questions(MOST_QUESTIONS - estimate)
    expected = math.ceil(estimate)
    enough = int(math.log2(MOST_QUESTIONS / sum(len(search.theirs) for search in searches))) + 1
    too_many = OutOfReachError(
        f"{name} does not declare `memoryless`, so it would have to be asked more than {MOST_QUESTIONS:,} questions "
        f"with {size} rungs, which is too many; any agent can be measured with up to {enough} rungs: take fewer dice "
        "or faces"
    )
    if expected > MOST_QUESTIONS:
        raise too_many
    asked = shown = 0

    def count(questions: int) -> None:
        nonlocal asked, shown
        asked += questions
        if asked > 2 * MOST_QUESTIONS:  # there are more than the estimate said
            raise too_many
        if progress is not None and asked >= shown + 1000:
            shown = asked
            progress(asked, max(asked, expected))

    as_opener, as_other = (search.value(count) for search in searches)
    for probe in probes:
        probe.confirm()
    return as_opener, as_other


def round_value_by_probing(opener: Agent, other: Agent, config: GameConfig, guard: Guard = unguarded) -> float:
    """What the opener earns on average in one round against the other, +1 for a win and -1 for a loss. Both are asked
    wherever they may have to decide.

    >>> from liars_dice.agents import make_agent
    >>> from liars_dice.core import preset
    >>> round_value_by_probing(make_agent("truthful"), make_agent("detective"), preset("classic", dice=1, faces=2))
    0.0
    """
    probes = (AgentProbe(opener, config, 0, guard), AgentProbe(other, config, 1, guard))
    root = probes[0].root
    first, second = (hand_set(n, config.faces) for n in config.dice)
    true, right = showdowns(root.rules, first, second)  # [rung, the other's hand, the opener's hand]
    size = len(root.rules.bids)

    def worth(public: PublicState, beliefs: tuple[Floats, Floats]) -> float:
        """What the rest of the round is worth to the opener."""
        actor = public.current_player
        total = 0.0
        for reply, part in probes[actor].replies(public, beliefs[actor]).items():
            left = (part, beliefs[1]) if actor == 0 else (beliefs[0], part)
            if reply < size:
                total += worth(after(public, reply), left)
                continue
            wins = 1 - true[public.rung] if reply == size else right[public.rung]
            total += float(left[1] @ (2 * wins - 1) @ left[0]) * (1 if actor == 0 else -1)
        return total

    value = worth(root, (first.weights, second.weights))
    for probe in probes:
        probe.confirm()
    return value


class AgentProbe:
    """An agent in one seat of a fresh round, asked what it does with a hand after a bidding.

    Its answers must follow from the view. The probe asks a copy of the agent that was seeded and told that a game
    begins. An agent that listens to events hears a new game, with everything that happened in it, before every
    question. An agent that states no policy is asked every question twice. `confirm` asks another copy.
    """

    def __init__(self, agent: Agent, config: GameConfig, seat: int, guard: Guard = unguarded) -> None:
        self.seat = seat
        self._agent, self._guard = agent, guard
        self.config = config.without_seed
        self.root: PublicState = deal(new_game(self.config), tuple((1,) * n for n in config.dice)).public
        """What everyone knows before the first bid."""
        self._listens = hook_of(agent, "on_event") is not None
        self._asks_twice = not states_policy(agent)
        self._asked = 0
        self._kept: list[tuple[GameView, dict[Action, float]]] = []
        """A uniform sample of the questions, with their answers."""
        self._rng = random.Random(0)
        self._copy = self._fresh()

    def chances(self, hands: Sequence[tuple[int, ...]], public: PublicState) -> list[dict[Action, float]]:
        """What the agent does here with each of these hands, with probabilities."""
        views = [GameView(self.seat, hand, public) for hand in hands]
        if self._listens:
            return [self._answers([view])[0] for view in views]
        return self._answers(views)

    def _answers(self, views: Sequence[GameView]) -> list[dict[Action, float]]:
        """The agent's answers to these questions. An agent that listens hears the whole story before the first."""
        if self._listens:
            self._relive(self._copy, views[0])
        answered = list(zip(views, ask_all(self._copy, views, self._guard, twice=False), strict=True))
        if self._asks_twice:
            self._check_same(self._copy, answered)
        for one in answered:
            self._asked += 1
            if self._asked <= SECOND_LOOK:
                self._kept.append(one)
            elif (place := int(self._rng.random() * self._asked)) < SECOND_LOOK:
                self._kept[place] = one
        return [chances for _, chances in answered]

    def replies(self, public: PublicState, belief: Floats) -> dict[int, Floats]:
        """The agent's answers, each with the belief that remains after it."""
        hands = hand_set(self.config.dice[self.seat], self.config.faces).hands
        possible = belief.nonzero()[0].tolist()
        found: dict[int, Floats] = {}
        for hand, chances in zip(possible, self.chances([hands[hand] for hand in possible], public), strict=True):
            for action, chance in chances.items():
                reply = action_number(action, public.rules)
                if reply not in found:
                    found[reply] = np.zeros(len(belief))
                found[reply][hand] = belief[hand] * chance
        return found

    def confirm(self) -> None:
        """Ask some questions again: another copy of the agent, in another order, each as in a game of its own, with
        another seed and after the decisions that led there. An agent that answers differently uses more than the view.
        """
        other = self._fresh()
        self._rng.shuffle(self._kept)
        for seed, (view, found) in enumerate(self._kept):
            self._relive(other, view, seed=seed, decide=True)
            self._check_same(other, [(view, found)])

    def _fresh(self) -> Agent:
        """A copy of the agent that has been told that a game begins."""
        try:
            fresh = copy.deepcopy(self._agent)
        except Exception as error:
            raise PolicyError(f"{agent_id(self._agent)} cannot be copied: {describe(error)}") from error
        tell(fresh, GameStart(self.config, self.seat, seed=0), self._guard)
        return fresh

    def _relive(self, agent: Agent, view: GameView, *, seed: int | None = None, decide: bool = False) -> None:
        """Let an agent come to this view in a new game; with `decide`, it is also asked for its bids on the way."""
        hearing = Hearing(self.seat, seed)
        for events, seen in self._steps_to(view):
            for heard in hearing.step(events, seen):
                if decide or not isinstance(heard, Question):
                    tell(agent, heard, self._guard)

    def _steps_to(self, view: GameView) -> Iterator[tuple[tuple[Event, ...], GameView]]:
        """The steps of a game that leads to this view, each with what the agent sees after it."""
        public, hand = view.public, view.my_dice
        passed = self.root
        dealt: tuple[Event, ...] = (
            GameCreated(self.config, public.names, (None,) * len(public.names)),
            RoundStarted(0, public.opener, public.dice_counts, public.palifico),
            DiceRolled(self.seat, hand),
        )
        yield dealt, GameView(self.seat, hand, passed)
        for bidder, bid in zip(public.bidders, public.bid_history, strict=True):
            passed = after(passed, public.rules.rungs[bid])
            yield (BidPlaced(bidder, bid),), GameView(self.seat, hand, passed)

    def _check_same(self, agent: Agent, answered: Sequence[tuple[GameView, dict[Action, float]]]) -> None:
        """Ask again; `PolicyError` if an answer differs."""
        again = ask_all(agent, [view for view, _ in answered], self._guard, twice=False)
        for (view, before), now in zip(answered, again, strict=True):
            if now != before:
                bids = " ".join(map(str, view.public.bid_history)) or "no bid"
                raise PolicyError(
                    f"{agent_id(agent)} gives two answers to one question, with {view.my_dice} after {bids}: it "
                    "decides at random without stating a policy, or by more than its dice and the bids it sees"
                )


def after(public: PublicState, rung: int) -> PublicState:
    """What everyone knows after the player to move, one of two, has raised to this rung."""
    rules = public.rules
    return PublicState(
        rules,
        public.names,
        public.dice_counts,
        public.opener,
        1 - public.current_player,
        public.bid_history + (rules.bids[rung],),
        rung,
        "BIDDING",
        (),
    )


class _Search:
    """Everything that can happen when the agent sits in one seat and the adversary in the other."""

    def __init__(self, probe: AgentProbe) -> None:
        self.probe = probe
        self.rules = probe.root.rules
        self.size = len(self.rules.bids)
        config, seat = probe.config, probe.seat
        self.own, self.theirs = (hand_set(config.dice[at], config.faces) for at in (1 - seat, seat))
        self.true, self.right = showdowns(self.rules, self.own, self.theirs)
        self.false, self.wrong = 1 - self.true, 1 - self.right
        self.most_bids = self.size if config.max_turns is None else config.max_turns

    def value(self, count: Callable[[int], None]) -> float:
        """What the best response earns; `count` is called with the number of questions as they are asked."""
        self.count = count
        root, belief = self.probe.root, self.theirs.weights
        chances = self.raised(root, belief) if self.probe.seat == 0 else self.best_raise(root, belief)
        return float(np.clip(2 * (chances @ self.own.weights) - 1, -1, 1))

    def answered(self, public: PublicState, belief: Floats) -> Floats:
        """V: the chance to win with each hand when the adversary answers the agent's bid."""
        best: Floats = belief @ self.false[public.rung]
        if self.rules.config.exact_call:
            best = np.maximum(best, belief @ self.right[public.rung])
        return np.maximum(best, self.best_raise(public, belief))

    def best_raise(self, public: PublicState, belief: Floats) -> Floats:
        """The best U over all raises."""
        best = np.zeros(len(self.own))
        for rung in self.raises(public):
            np.maximum(best, self.raised(after(public, rung), belief), out=best)
        return best

    def raised(self, public: PublicState, belief: Floats) -> Floats:
        """U: the chance to win with each hand when the agent answers, or opens."""
        self.count(int(np.count_nonzero(belief)))
        total: Floats = np.zeros(len(self.own))
        for reply, part in self.replies(public, belief).items():
            if reply < self.size:
                total += self.answered(after(public, reply), part)
            elif reply == self.size:
                total += part @ self.true[public.rung]
            else:
                total += part @ self.wrong[public.rung]
        return total

    def raises(self, public: PublicState) -> list[int]:
        """The rungs that the adversary may raise to."""
        if public.rung < 0:
            return sorted(self.rules.opening_rungs)
        return list(range(public.rung + 1, self.size)) if len(public.bid_history) < self.most_bids else []

    def replies(self, public: PublicState, belief: Floats) -> dict[int, Floats]:
        """The agent's answers, each with the belief that remains after it."""
        return self.probe.replies(public, belief)

    def expected_questions(self, most: float = math.inf) -> float:
        """About how many questions the search will ask: the mean of some samples. Sampling ends as soon as it is sure
        that the mean is above `most`.
        """
        rng, total = random.Random(0), 0.0
        for _ in range(SAMPLES):
            total += self._sampled_questions(rng, SAMPLES * most - total)
        return total / SAMPLES

    def _sampled_questions(self, rng: random.Random, most: float) -> float:
        """An unbiased estimate (Chen, Heterogeneous sampling, 1992): one bidding is followed for all that lead to
        the same rung with about equally many hands still possible. It ends once it is above `most`.
        """
        root = self.probe.root
        waiting: dict[tuple[int, int], tuple[float, PublicState, Floats]] = {}

        def visit(weight: float, public: PublicState, belief: Floats) -> None:
            kind = public.rung, int(np.count_nonzero(belief)).bit_length()
            there = waiting[kind][0] if kind in waiting else 0.0
            chosen = (public, belief) if rng.random() * (there + weight) < weight else waiting[kind][1:]
            waiting[kind] = (there + weight, *chosen)

        def visit_all_raises(weight: float, public: PublicState, belief: Floats) -> None:
            for rung in self.raises(public):
                visit(weight, after(public, rung), belief)

        if self.probe.seat == 0:
            visit(1.0, root, self.theirs.weights)
        else:
            visit_all_raises(1.0, root, self.theirs.weights)
        total = 0.0
        while waiting and total <= most:
            weight, public, belief = waiting.pop(min(waiting))
            total += weight * np.count_nonzero(belief)
            for reply, part in self.replies(public, belief).items():
                if reply < self.size:
                    visit_all_raises(weight, after(public, reply), part)
        return total
