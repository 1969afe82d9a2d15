"""The best that anybody can do in one round against an agent that uses the bidding: it is asked wherever it may decide.

The formulas are those of `response`, with the whole bidding h in the place of the rung. For every hand of the
adversary's at once, b being how likely each hand of the agent's is together with what it bid so far,

    V(h, b) = max(chance that the last bid of h is false, max over raises c of U(h c, b))
    U(h, b) = chance that the agent calls the last bid of h and it is true
            + sum over its raises a of V(h a, b restricted to a)

Only what can come about is walked: biddings in which the agent's own bids have a chance, with the hands that make them.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable

import numpy as np

from ...agents import Agent
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
from ..tables import (
    SECOND_LOOK,
    Guard,
    PolicyError,
    action_number,
    ask,
    count_rungs,
    hand_set,
    showdowns,
    states_policy,
    tell,
    unguarded,
)

MOST_QUESTIONS = 20_000_000
"""More questions than this, about both seats together, are not put. Each takes some ten microseconds, and what the
agent needs for it."""
MOST_RUNGS = 300
"""Nor are longer ladders walked: a bidding may take every rung, one inside the other."""
PROBES = 10
"""As many samples of the walk tell beforehand how long it would be."""


def best_response_by_probing(
    agent: Agent, config: GameConfig, guard: Guard = unguarded, progress: Progress | None = None
) -> tuple[float, float]:
    """What a perfect adversary earns against the agent, as the opener and as the other, found by asking the agent."""
    name, size = agent_id(agent), count_rungs(config, config.total_dice)
    if size > MOST_RUNGS:
        raise OutOfReachError(f"{name} would have to be asked about {size} rungs; at most {MOST_RUNGS} are walked")
    witnesses = [AgentProbe(agent, config, seat, guard) for seat in (1, 0)]
    walks = [_Walk(witness) for witness in witnesses]
    expected = math.ceil(sum(walk.expected_questions() for walk in walks))
    enough = int(math.log2(MOST_QUESTIONS / sum(len(walk.theirs) for walk in walks))) + 1
    too_many = OutOfReachError(
        f"{name} is not memoryless, so it would have to be asked about {_about(expected)} questions with {size} rungs; "
        f"at most {MOST_QUESTIONS:,} are put, enough for any agent up to {enough} rungs: take fewer dice or faces"
    )
    if expected > MOST_QUESTIONS:
        raise too_many
    put = told = 0

    def count(questions: int) -> None:
        nonlocal put, told
        put += questions
        if put > 2 * MOST_QUESTIONS:  # they are more than it seemed
            raise too_many
        if progress is not None and put >= told + 1000:
            told = put
            progress(put, max(put, expected))

    as_opener, as_other = (walk.value(count) for walk in walks)
    for witness in witnesses:
        witness.confirm()
    return as_opener, as_other


def round_value_by_probing(opener: Agent, other: Agent, config: GameConfig, guard: Guard = unguarded) -> float:
    """What the opener earns on average in one round against the other, +1 for a win and -1 for a loss: both are asked,
    wherever they may come to decide.

    >>> from liars_dice.agents import make_agent
    >>> from liars_dice.core import preset
    >>> asked_round(make_agent("truthful"), make_agent("detective"), preset("classic", dice=1, faces=2))
    0.0
    """
    witnesses = (AgentProbe(opener, config, 0, guard), AgentProbe(other, config, 1, guard))
    root = witnesses[0].root
    first, second = (hand_set(n, config.faces) for n in config.dice)
    true, right = showdowns(root.rules, first, second)  # [rung, the other's hand, the opener's hand]
    size = len(root.rules.bids)

    def worth(public: PublicState, beliefs: tuple[Floats, Floats]) -> float:
        """To the opener, from here on."""
        actor = public.current_player
        total = 0.0
        for reply, part in witnesses[actor].replies(public, beliefs[actor]).items():
            left = (part, beliefs[1]) if actor == 0 else (beliefs[0], part)
            if reply < size:
                total += worth(after(public, reply), left)
                continue
            wins = 1 - true[public.rung] if reply == size else right[public.rung]
            total += float(left[1] @ (2 * wins - 1) @ left[0]) * (1 if actor == 0 else -1)
        return total

    value = worth(root, (first.weights, second.weights))
    for witness in witnesses:
        witness.confirm()
    return value


def _about(number: int) -> str:
    """A large number in two digits: 3,400,000."""
    return f"{round(number, 2 - len(str(number))):,}"


class AgentProbe:
    """An agent in one seat of a fresh round, asked what it does with a hand after a bidding.

    What it does has to follow from the view. A copy of the agent is asked, which has been seeded and told that a game
    begins; an agent that listens to events is told before every question of a new game and all that happened in it. An
    agent that states no policy is asked everything twice in a row. `confirm` asks another copy.
    """

    def __init__(self, agent: Agent, config: GameConfig, seat: int, guard: Guard = unguarded) -> None:
        self.seat = seat
        self._agent, self._guard = agent, guard
        self.config = config.without_seed
        self.root: PublicState = deal(new_game(self.config), tuple((1,) * n for n in config.dice)).public
        """What everybody knows before the first bid."""
        self._listens = hook_of(agent, "on_event") is not None
        self._asks_twice = not states_policy(agent)
        self._asked = 0
        self._kept: list[tuple[GameView, dict[Action, float]]] = []
        """Some of the questions, each with the same chance to be among them, and their answers."""
        self._rng = random.Random(0)
        self._copy = self._fresh()

    def chances(self, hand: tuple[int, ...], public: PublicState) -> dict[Action, float]:
        """What the agent does here, with probabilities."""
        view = GameView(self.seat, hand, public)
        if self._listens:
            self._relive(self._copy, view, decide=False)
        found = ask(self._copy, view, self._guard)
        if self._asks_twice:
            self._check_same(self._copy, view, found)
        self._asked += 1
        if self._asked <= SECOND_LOOK:
            self._kept.append((view, found))
        elif (place := int(self._rng.random() * self._asked)) < SECOND_LOOK:
            self._kept[place] = view, found
        return found

    def replies(self, public: PublicState, belief: Floats) -> dict[int, Floats]:
        """The agent's answers, each with the belief that it leaves."""
        hands = hand_set(self.config.dice[self.seat], self.config.faces).hands
        found: dict[int, Floats] = {}
        for hand in belief.nonzero()[0].tolist():
            weight = belief[hand]
            for action, chance in self.chances(hands[hand], public).items():
                reply = action_number(action, public.rules)
                if reply not in found:
                    found[reply] = np.zeros(len(belief))
                found[reply][hand] = weight * chance
        return found

    def confirm(self) -> None:
        """Put some questions again, to another copy of the agent, in another order and as they come in games: with
        another seed for each, after the decisions that led there. Whoever answers otherwise uses more than the view.
        """
        other = self._fresh()
        self._rng.shuffle(self._kept)
        for seed, (view, found) in enumerate(self._kept):
            tell(other, "seed", seed, guard=self._guard)
            self._relive(other, view, decide=True)
            self._check_same(other, view, found)

    def _fresh(self) -> Agent:
        """A copy of the agent that has been told that a game begins."""
        try:
            fresh = copy.deepcopy(self._agent)
        except Exception as error:
            raise PolicyError(f"{agent_id(self._agent)} cannot be copied: {describe(error)}") from error
        tell(fresh, "seed", 0, guard=self._guard)
        tell(fresh, "on_game_start", self.config, self.seat, guard=self._guard)
        return fresh

    def _relive(self, agent: Agent, view: GameView, *, decide: bool) -> None:
        """Let an agent come to this view in a new game; if it shall `decide`, it is asked on the way, in vain."""
        public, bids = view.public, view.public.bid_history
        tell(agent, "on_game_start", self.config, self.seat, guard=self._guard)
        started: tuple[Event, ...] = (
            GameCreated(self.config, public.names, (None,) * len(public.names)),
            RoundStarted(0, public.opener, public.dice_counts, public.palifico),
            DiceRolled(self.seat, view.my_dice),
        )
        for event in started:
            tell(agent, "on_event", event, guard=self._guard)
        passed = self.root
        for bidder, bid in zip(public.bidders, bids, strict=True):
            if decide and bidder == self.seat:
                tell(agent, "choose_action", GameView(self.seat, view.my_dice, passed), guard=self._guard)
            tell(agent, "on_event", BidPlaced(bidder, bid), guard=self._guard)
            passed = after(passed, public.rules.rungs[bid])

    def _check_same(self, agent: Agent, view: GameView, found: dict[Action, float]) -> None:
        """Ask again, and mind another answer."""
        if ask(agent, view, self._guard) != found:
            bids = " ".join(map(str, view.public.bid_history)) or "no bid"
            raise PolicyError(
                f"{agent_id(agent)} gives two answers to one question, with {view.my_dice} after {bids}: it decides at "
                "random without stating a policy, or by more than its dice and the bids it sees"
            )


def after(public: PublicState, rung: int) -> PublicState:
    """What everybody knows when the player to move, one of two, has raised to this rung."""
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


class _Walk:
    """All that can come about when the agent sits in one seat and the adversary in the other."""

    def __init__(self, witness: AgentProbe) -> None:
        self.witness = witness
        self.rules = witness.root.rules
        self.size = len(self.rules.bids)
        config, seat = witness.config, witness.seat
        self.own, self.theirs = (hand_set(config.dice[at], config.faces) for at in (1 - seat, seat))
        self.true, self.right = showdowns(self.rules, self.own, self.theirs)
        self.false, self.wrong = 1 - self.true, 1 - self.right
        self.most_bids = self.size if config.max_turns is None else config.max_turns

    def value(self, count: Callable[[int], None]) -> float:
        """What the best response earns; `count` is told of questions as they are put."""
        self.count = count
        root, belief = self.witness.root, self.theirs.weights
        chances = self.raised(root, belief) if self.witness.seat == 0 else self.best_raise(root, belief)
        return float(np.clip(2 * (chances @ self.own.weights) - 1, -1, 1))

    def answered(self, public: PublicState, belief: Floats) -> Floats:
        """V: the chances to win when the agent's bid is to be answered."""
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
        """U: the chances to win when the agent is to answer, or to open."""
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
        """The rungs that the adversary may go to."""
        if public.rung < 0:
            return sorted(self.rules.opening_rungs)
        return list(range(public.rung + 1, self.size)) if len(public.bid_history) < self.most_bids else []

    def replies(self, public: PublicState, belief: Floats) -> dict[int, Floats]:
        """The agent's answers, each with the belief that it leaves."""
        return self.witness.replies(public, belief)

    def expected_questions(self) -> float:
        """About how many questions the walk will put: the mean of some samples."""
        rng = random.Random(0)
        return sum(self._sampled_questions(rng) for _ in range(PROBES)) / PROBES

    def _sampled_questions(self, rng: random.Random) -> float:
        """An unbiased guess (Chen, Heterogeneous sampling, 1992): of all biddings that lead the agent to the same rung
        with about as many hands still possible, one is followed for all.
        """
        root = self.witness.root
        waiting: dict[tuple[int, int], tuple[float, PublicState, Floats]] = {}

        def meet(weight: float, public: PublicState, belief: Floats) -> None:
            kind = public.rung, int(np.count_nonzero(belief)).bit_length()
            there = waiting[kind][0] if kind in waiting else 0.0
            chosen = (public, belief) if rng.random() * (there + weight) < weight else waiting[kind][1:]
            waiting[kind] = (there + weight, *chosen)

        def meet_all_raises(weight: float, public: PublicState, belief: Floats) -> None:
            for rung in self.raises(public):
                meet(weight, after(public, rung), belief)

        if self.witness.seat == 0:
            meet(1.0, root, self.theirs.weights)
        else:
            meet_all_raises(1.0, root, self.theirs.weights)
        total = 0.0
        while waiting:
            weight, public, belief = waiting.pop(min(waiting))
            total += weight * np.count_nonzero(belief)
            for reply, part in self.replies(public, belief).items():
                if reply < self.size:
                    meet_all_raises(weight, after(public, reply), part)
        return total
