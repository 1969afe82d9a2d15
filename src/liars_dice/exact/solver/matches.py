"""Whole elimination matches between two players, solved with a proved bracket on the chance to win.

A state is the opener's number of dice and the other player's. Each round is solved with payoffs: what the match is
worth in the state that a call leads to. A right exact call moves a die from one player to the other, so states with
equally many dice in total can repeat: they are one *layer*, solved together, after the layers that they lead to.

The bracket needs nothing but the strategies. Let w say, for each state and seat, what an adversary is worth there, and
let T(w) be what its best response to the strategies earns in one round, if what follows is worth w. T is monotone, and
what the adversary can earn within n rounds is at most T applied n times to the worst there is. So wherever T(w) <= w,
it never earns more than w.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from math import inf

import numpy as np

from ...core import GameConfig, RoundOutcome, RulesLike, after_round, as_config
from ..errors import OutOfReachError
from .cfr_traversal import Pool
from .cpu_solver import best_responses, warm_up
from .equilibrium import (
    FIRST_CUT,
    SINGLE_TARGET,
    Device,
    Solver,
    SolverProgress,
    check_request,
    gigabytes,
    memory_for,
    memory_needed,
    new_solver,
    stays_wide,
)
from .public_tree import Bracket, Payoffs, PublicTree

State = tuple[int, int]
"""The dice of the player who opens, and of the other."""
Strategies = tuple[PublicTree, Pool]
"""Both players' strategies in a state."""
Worth = Callable[[State, int], float]
"""What a state is worth to the player in a seat (0 opens): from -1, the match is lost, to 1, it is won."""
Response = Callable[[Payoffs, int], float]
"""T(w) of one state: what the best response of a seat to the strategies earns in one round with these payoffs."""
SWEEP = 25
"""How many iterations are made with the same payoffs."""
NEAR = 1e-3
"""The adversary's worth is brought down until it changes by less than this share of the target."""


class MatchState(Bracket, frozen=True):
    """A state whose best play is known: proved bounds on the chance that the opener wins the match."""

    tree: PublicTree
    pool: Pool
    iterations: int


def layers(config: GameConfig) -> list[list[State]]:
    """The states that a match can come to, those that lead to each other together, and behind those they lead to.

    >>> layers(GameConfig(dice=(2, 1), mode="elimination", exact_call=True, max_dice=2))
    [[(1, 1)], [(1, 2)], [(2, 1)]]
    """
    leads_to: dict[State, set[State]] = {}
    new: list[State] = [(config.dice[0], config.dice[1])]
    while new:
        dice = new.pop()
        if dice not in leads_to:
            leads_to[dice] = set(_after(config, dice))
            new += leads_to[dice]
    for between in leads_to:
        for reached in leads_to.values():
            if between in reached:
                reached |= leads_to[between]
    together = {tuple(sorted({a} | {b for b in found if a in leads_to[b]})) for a, found in leads_to.items()}
    return sorted(map(list, together), key=lambda layer: (len(leads_to[layer[0]] - set(layer)), layer))


def _after(config: GameConfig, dice: State) -> Iterable[State]:
    for outcome in _outcomes(config):
        left, opens = after_round(config, dice, 0, outcome)
        if min(left) > 0:
            yield left[opens], left[1 - opens]


def _outcomes(config: GameConfig) -> Iterable[RoundOutcome]:
    for by_exact in (False, True) if config.exact_call else (False,):
        yield RoundOutcome(0, 1, by_exact)
        yield RoundOutcome(1, 0, by_exact)


def payoffs_in(config: GameConfig, state: State, seat: int, worth: Worth) -> Payoffs:
    """The payoffs of a round in a state, by what the states after it are worth to the player in a seat."""

    def after(winner: int, by_exact: bool = False) -> float:
        left, opens = after_round(config, state, 0, RoundOutcome(winner, 1 - winner, by_exact))
        if not left[1 - seat]:
            return 1.0
        return worth((left[opens], left[1 - opens]), int(opens != seat)) if left[seat] else -1.0

    def to_caller(right: bool, by_exact: bool) -> tuple[float, float]:
        """For the calls of each seat; the payoffs of the other seat's calls have the opposite sign."""
        each = (after(caller if right else 1 - caller, by_exact and right and config.exact_call) for caller in (0, 1))
        first, second = (value if caller == seat else -value for caller, value in enumerate(each))
        return first, second

    return Payoffs(to_caller(True, False), to_caller(False, False), to_caller(True, True), to_caller(False, True))


class MatchSolution(Bracket, frozen=True):
    """Proved bounds on the chance that the opener wins the match, and those of every state it can come to."""

    config: GameConfig
    states: dict[State, MatchState]
    iterations: int
    """As in the state in which the match begins."""
    elapsed_s: float
    compile_s: float
    stopped: str
    """Why it ended: "target" or "interrupted"; then the last states are not as good as asked for."""

    def __repr__(self) -> str:
        return f"<MatchSolution: the opener wins {self.lower:.4%} to {self.upper:.4%}, {len(self.states)} states>"


def solve_match(
    config: RulesLike,
    *,
    target: float = 1e-3,
    cut: float = FIRST_CUT,
    memory: float | None = None,
    device: Device = "cpu",
    workers: int | None = None,
    certify: bool = True,
    known: Mapping[State, Strategies] | None = None,
    progress: Callable[[SolverProgress], None] = lambda _: None,
) -> MatchSolution:
    """Solve an elimination match: the player who opens first has `config.dice[0]` dice, the other `config.dice[1]`.

    It ends when the bracket of every state is at most twice `target` wide, in chances to win, or on Ctrl-C, if every
    state has a bracket by then. The smallest target is 2e-5. Bids that are true in fewer than `cut` of all rolls are
    only called; if that keeps the brackets wide, the cut is lowered. `memory` is in gigabytes. What a GPU finds is
    certified on the processor at the end, unless `certify` is false: then the bounds are those that the GPU computed.
    Layers whose strategies are all `known` are not solved again.

    >>> from liars_dice.core import preset
    >>> match = solve_match(preset("perudo", players=2, dice=1, faces=3), target=0.01)
    >>> match.lower <= 0.5 <= match.upper
    True
    """
    check_request(target, workers=workers, memory=memory, least=SINGLE_TARGET)
    match = _Match(as_config(config, players=2), cut, device, memory, workers)
    match.check_memory()
    began = time.perf_counter()
    warm_up(np.float32)
    compile_s = time.perf_counter() - began
    finished = True
    for layer in match.layers:
        if known and set(layer) <= set(known):
            match.keep_layer({state: known[state] for state in layer}, NEAR * target)
            continue
        last = layer is match.layers[-1]
        finished = match.solve_layer(layer, target if last else target / 2, progress)
        if not finished and not last:
            raise KeyboardInterrupt
    for layer in match.layers if device == "gpu" and certify else ():
        match.certify({state: _response_to_pool(*match.solved[state]) for state in layer}, NEAR * target)
    states = {
        state: MatchState(*match.bounds(state), *match.solved[state], match.iterations.get(state, 0))
        for layer in match.layers
        for state in layer
    }
    start = states[match.config.dice[0], match.config.dice[1]]
    elapsed = time.perf_counter() - began - compile_s
    stopped = "target" if finished else "interrupted"
    return MatchSolution(
        start.lower, start.upper, match.config, states, start.iterations, elapsed, compile_s, stopped
    )  # fmt: skip


def certify_match(
    config: GameConfig, strategies: Mapping[State, Strategies], near: float = 1e-6
) -> dict[State, tuple[float, float]]:
    """Proved bounds on the chance that the opener wins, for every state of a match in which both play like this."""
    match = _Match(config, 0.0)
    for layer in match.layers:
        match.keep_layer({state: strategies[state] for state in layer}, near)
    return {state: match.bounds(state) for layer in match.layers for state in layer}


class _Match:
    """All states of a match, and what is known of them."""

    def __init__(
        self,
        config: GameConfig,
        cut: float,
        device: Device = "cpu",
        memory: float | None = None,
        workers: int | None = None,
    ) -> None:
        if config.num_players != 2 or config.mode != "elimination":
            raise OutOfReachError("matches are solved for two players who lose dice (mode elimination)")
        self.config, self.device, self.workers, self.began = config, device, workers, time.perf_counter()
        self.memory = memory_for(device) if memory is None else memory
        self.layers = layers(config)
        self.cuts = {state: cut for layer in self.layers for state in layer}
        self.value: dict[State, float] = {}
        """The middle of what each state is worth to its opener."""
        self.adversary: dict[tuple[State, int], float] = {}
        """The most that an adversary is worth in each state and seat, if the strategies found play against it."""
        self.solved: dict[State, Strategies] = {}
        self.iterations: dict[State, int] = {}

    def check_memory(self) -> None:
        """Raise `OutOfReachError` if a layer does not fit into memory."""
        most = 0
        for layer in self.layers:
            needed, dice = sum(map(self._memory_needed, layer)), sum(layer[0])
            if needed > self.memory:
                raise OutOfReachError(
                    f"a match with {dice} dice in total would need about {gigabytes(needed)} of memory; at most "
                    f"{gigabytes(self.memory)} are used; "
                    + (f"a match with {most} dice in total would fit" if most else "fewer faces would fit")
                )
            most = dice

    def _memory_needed(self, state: State) -> float:
        return memory_needed(PublicTree(self.config.replace(dice=state), cut=self.cuts[state]), self.device)

    def keep_layer(self, strategies: Mapping[State, Strategies], near: float) -> None:
        """Take these strategies for the states of a layer, with the bounds that they prove."""
        self.solved.update(strategies)
        self.certify({state: _response_to_pool(*found) for state, found in strategies.items()}, near)
        self.value.update({state: sum(self.bounds(state)) - 1 for state in strategies})

    def solve_layer(self, states: list[State], target: float, progress: Callable[[SolverProgress], None]) -> bool:
        """Improve all states of a layer together until the bracket of each is narrow enough, or until Ctrl-C, if each
        has one: then it returns false.
        """
        self.value.update(dict.fromkeys(states, 0.0))
        share = self.memory / sum(map(self._memory_needed, states))
        solvers = {
            state: new_solver(
                self._tree(state),
                self.device,
                least=target * 1e-3,
                memory=share * self._memory_needed(state),
                workers=self.workers,
            )
            for state in states
        }
        finished = self._improve_together(solvers, target, progress)
        self.iterations.update({state: solver.iterations for state, solver in solvers.items()})
        self.solved.update({state: (solver.tree, solver.compact()) for state, solver in solvers.items()})
        return finished

    def _improve_together(
        self, solvers: dict[State, Solver], target: float, progress: Callable[[SolverProgress], None]
    ) -> bool:
        responses = {state: _response_to_solver(solver) for state, solver in solvers.items()}
        widths: list[float] = []
        try:
            for sweep in count(1):
                for state, solver in solvers.items():
                    solver.tree = self._tree(state)
                    for _ in range(SWEEP):
                        solver.iterate()
                    low, high = solver.bracket()
                    self.value[state] = (low + high) / 2
                if sweep & (sweep - 1) and sweep % 8:
                    continue  # a certificate takes longer than a sweep
                self.certify(responses, NEAR * target)
                low, high = max(map(self.bounds, solvers), key=lambda found: found[1] - found[0])
                nodes = sum(solver.nodes for solver in solvers.values())
                progress(SolverProgress(low, high, sweep * SWEEP, time.perf_counter() - self.began, nodes))
                widths.append(high - low)
                if widths[-1] <= 2 * target:
                    return True
                self._check_room(solvers, target)
                if stays_wide(widths):
                    widths.clear()
                    self._lower_cuts(solvers)
        except KeyboardInterrupt:
            if sweep == 1:
                raise
            self.certify(responses, NEAR * target)
        return False

    def _check_room(self, solvers: dict[State, Solver], target: float) -> None:
        """Raise `OutOfReachError` if the memory has run out before the target was reached."""
        if any(solver.full for solver in solvers.values()):
            state = max(solvers, key=lambda state: self.bounds(state)[1] - self.bounds(state)[0])
            low, high = self.bounds(state)
            raise OutOfReachError(
                f"with {gigabytes(self.memory)} of memory, {state[0]} v {state[1]} dice are known to "
                f"{(high - low) / 2:.1e} in chances to win, not to {target:g}; a larger target would do"
            )

    def _lower_cuts(self, states: Iterable[State]) -> None:
        for state in states:
            lowered = self._tree(state).with_lower_cut()
            self.cuts[state] = 0.0 if lowered is None else lowered.cut

    def bounds(self, state: State) -> tuple[float, float]:
        """Proved bounds on the chance that the opener wins the match."""
        return (1 - self.adversary[state, 1]) / 2, (1 + self.adversary[state, 0]) / 2

    def _tree(self, state: State) -> PublicTree:
        def worth(after: State, seat: int) -> float:
            return self.value[after] if seat == 0 else -self.value[after]

        return PublicTree(
            self.config.replace(dice=state), payoffs=payoffs_in(self.config, state, 0, worth), cut=self.cuts[state]
        )

    def certify(self, responses: Mapping[State, Response], near: float) -> None:
        """Bring w down for the states of a layer, from all there is, until it changes by less than `near`. T(w) <= w
        holds at every step.
        """
        places = [(state, seat) for state in responses for seat in (0, 1)]
        self.adversary.update(dict.fromkeys(places, 1.0))
        change = inf
        while change > near:
            lower = {
                (state, seat): min(
                    self.adversary[state, seat], responses[state](self._payoffs_to_adversary(state, seat), seat)
                )
                for state, seat in places
            }
            change = max(self.adversary[place] - lower[place] for place in places)
            self.adversary.update(lower)

    def _payoffs_to_adversary(self, state: State, seat: int) -> Payoffs:
        return payoffs_in(self.config, state, seat, lambda after, place: self.adversary[after, place])


def _response_to_pool(tree: PublicTree, pool: Pool) -> Response:
    return lambda payoffs, seat: best_responses(tree.with_payoffs(payoffs), pool, (seat,))[0]


def _response_to_solver(solver: Solver) -> Response:
    def response(payoffs: Payoffs, seat: int) -> float:
        tree = solver.tree
        solver.tree = tree.with_payoffs(payoffs)
        try:
            return solver.best_response(seat)
        finally:
            solver.tree = tree

    return response
