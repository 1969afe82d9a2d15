"""Agents in any form: wherever an agent is needed, you can give an object, its class, or a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..core import GameResult, Player, RulesLike, agent_id, free_name
from ..core import play_game as play_players
from .base import Agent
from .errors import AgentNameError
from .registry import LENT, Make, listed_name, make_agent, make_from

AgentLike = Player | type[Player] | str
"""What is accepted wherever an agent is needed: an object with `choose_action(view)`, its class, or a name."""


def as_agent(given: AgentLike) -> Agent:
    """The agent that `given` stands for: itself, a new object of a class, or the agent of that name.

    >>> as_agent("maniac").name
    'maniac'
    """
    if isinstance(given, str):
        return make_agent(given)
    return _maker(given)()


def play_game(
    agents: Sequence[AgentLike],
    config: RulesLike | None = None,
    verbose: bool = False,
    *,
    names: Sequence[str] | None = None,
    seed: int | None = None,
) -> GameResult:
    """Play a whole game between these agents; with `verbose`, print what happens, dice included.

    `config` is a `GameConfig`, the name of a preset, or a rules file; by default the rules of `duel`. The agents run in
    your process, without a limit: one that ends it, or never answers, takes your program with it. Commands, and
    `make_seat` with `isolate` or `apart`, run other people's bots in processes of their own.

    >>> play_game(["threshold-best", "random"], "heads-up", seed=1)
    <GameResult: threshold-best won after 5 rounds>
    """
    given: object = agents
    if isinstance(given, Sequence) and not isinstance(given, str):
        agents = [as_agent(agent) for agent in agents]
    return play_players(agents, config, verbose, names=names, seed=seed)  # type: ignore[arg-type]


@contextmanager
def names_for(agents: Sequence[AgentLike]) -> Iterator[tuple[str, ...]]:
    """One name per agent, which `make_agent` understands inside the `with` block, in this thread.

    Names become those of lists (`listed_name`). Objects and classes get the name they play under, numbered if it is
    taken.
    """
    agents = [listed_name(given) if isinstance(given, str) else given for given in agents]
    taken = {given for given in agents if isinstance(given, str)}
    names: list[str] = []
    lent: dict[str, Make] = {}
    for given in agents:
        if isinstance(given, str):
            names.append(given)
            continue
        make = _maker(given)
        name = free_name(agent_id(make()), taken)
        taken.add(name)
        names.append(name)
        lent[name] = make
    token = LENT.set({**LENT.get(), **lent})
    try:
        yield tuple(names)
    finally:
        LENT.reset(token)


def _maker(given: object) -> Make:
    """What makes the agent: a class makes a new one each time, an object is itself every time."""
    if isinstance(given, type):
        kind: type[Agent] = given
        return lambda: make_from(kind, kind.__name__)
    if not callable(getattr(given, "choose_action", None)):
        expected = "an object with a method choose_action(view), its class, or the name of an agent"
        raise AgentNameError(given, "no_choose_action", expected)
    return lambda: given  # type: ignore[return-value]
