"""From names on a command line to bots at a table."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable, Sequence

from ..agents import AGENTS, Agent, make_agent, place_of
from ..core import ConfigError, GameConfig, LiarsDiceError
from .limits import BotFault, BotLimits
from .seats import InProcessSeat, Seat
from .time_guard import guarded


def make_seat(name: str, limits: BotLimits | None = None, *, isolate: bool = False) -> Seat:
    """A seat for the agent called `name`; `cmd:PROGRAM ARGUMENTS` is a program in any language, always in a box."""
    limits = BotLimits() if limits is None else limits
    if not isolate and not name.startswith("cmd:"):
        return InProcessSeat(make_agent(name), limits)
    from .isolated_seat import IsolatedSeat

    if not name.startswith("cmd:"):
        known = name in AGENTS or ":" in name or name.endswith(".py")
        return IsolatedSeat(name if known else place_of(name), limits, name=name)
    return IsolatedSeat(name, limits, command=_command(name))


def _command(name: str) -> list[str]:
    """The words of `cmd:PROGRAM ARGUMENTS`."""
    try:
        command = shlex.split(name.removeprefix("cmd:"))
    except ValueError as error:
        raise ConfigError("agent", name, f"a command line ({error})") from error
    if not command:
        raise ConfigError("agent", name, "a program to run, as in cmd:node mybot.js")
    return command


def check_program(name: str) -> None:
    """Raise `ConfigError` if `cmd:PROGRAM ARGUMENTS` names a program that is not here."""
    program = _command(name)[0]
    if shutil.which(program) is None:
        raise ConfigError("agent", name, f"a program that can be run here, and {program} cannot")


def make_fitting_seat(name: str, config: GameConfig, *, isolate: bool = False) -> Seat:
    """A seat for the agent called `name`, which must play by these rules; one in a box is not asked whether it does."""
    if name.startswith("cmd:"):
        check_program(name)
    if name.partition(":")[0] == "human":
        raise ConfigError("agent", name, "a bot; people sit down with liars-dice play")
    seat = make_seat(name, isolate=isolate)
    if isinstance(seat, InProcessSeat) and isinstance(seat.agent, Agent):
        check_fits(name, seat.agent, config)
    return seat


def are_strangers(names: Iterable[str]) -> bool:
    """Whether any of these bots is not one of ours."""
    return any(name not in AGENTS and not name.startswith("threshold:") for name in names)


def plays_with(agent: Agent | None, players: int) -> bool:
    """Whether an agent plays at tables of this size."""
    match getattr(agent, "players", (2, 15)):
        case (int(fewest), int(most)):
            return fewest <= players <= most
        case other:
            raise ConfigError("players", other, "(fewest, most), two whole numbers, in the bot's class")


def check_fits(name: str, agent: Agent | None, config: GameConfig) -> None:
    """Raise `ConfigError` if an agent does not play by these rules, or with so many."""
    if not plays_with(agent, config.num_players):
        raise ConfigError("agent", name, f"an agent that plays with {config.num_players} players")
    if isinstance(agent, Agent):
        agent.check_rules(config)


def load_agents(names: Sequence[str], limits: BotLimits, config: GameConfig | None = None) -> list[Agent | None]:
    """The agents called so, in this process; None for a program in another language, which no table can hold.

    `ConfigError` for a name that nobody has, and for an agent that does not play by these rules or with so many.
    """
    agents = []
    for name in names:
        agent = None
        if name.startswith("cmd:"):
            check_program(name)
        else:
            agent = _loaded(name, limits)
        if config is not None:
            check_fits(name, agent, config)
        agents.append(agent)
    return agents


def _loaded(name: str, limits: BotLimits) -> Agent:
    try:
        return guarded(limits.load, make_agent, name)
    except BotFault as fault:
        if isinstance(fault.__cause__, LiarsDiceError):
            raise fault.__cause__ from None
        raise ConfigError("agent", name, f"a bot that loads ({fault})") from fault


def all_known(names: Sequence[str], agents: Sequence[Agent | None]) -> list[Agent]:
    """The agents, if none of them is a program."""
    for name, agent in zip(names, agents, strict=True):
        if agent is None:
            from ..exact import OutOfReachError

            raise OutOfReachError(f"{name} is a program, so there is no table of what it does; the engine can play it")
    return [agent for agent in agents if agent is not None]
