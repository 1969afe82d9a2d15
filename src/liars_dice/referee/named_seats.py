"""From the names of bots, as they are typed on a command line, to bots at a table."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable, Sequence

from ..agents import AGENTS, Agent, AgentNameError, listed_name, make_agent, moved_to, place_of
from ..core import BadValueError, GameConfig, LiarsDiceError
from .limits import BotFault, BotLimits
from .seats import InProcessSeat, Seat
from .time_guard import guarded


def make_seat(name: str, limits: BotLimits | None = None, *, isolate: bool = False) -> Seat:
    """A seat for the agent called `name`. `cmd:PROGRAM ARGUMENTS` is a program in any language, always isolated."""
    limits = BotLimits() if limits is None else limits
    name = listed_name(name)
    if not isolate and not name.startswith("cmd:"):
        return InProcessSeat(make_agent(name), limits)
    from .isolated_seat import IsolatedSeat

    if not name.startswith("cmd:"):
        known = name in AGENTS or ":" in name or name.endswith(".py")
        return IsolatedSeat(moved_to(name) or (name if known else place_of(name)), limits, name=name)
    return IsolatedSeat(name, limits, command=_command(name))


def _command(name: str) -> list[str]:
    """The words of `cmd:PROGRAM ARGUMENTS`."""
    try:
        command = shlex.split((moved_to(name) or name).removeprefix("cmd:"))
    except ValueError as error:
        raise AgentNameError(name, "no_program_given", f"a command line ({error})") from error
    if not command:
        raise AgentNameError(name, "no_program_given", "a program to run, for example cmd:node mybot.js")
    return command


def check_program(name: str) -> None:
    """Raise `AgentNameError` if `cmd:PROGRAM ARGUMENTS` names a program that is not installed here."""
    program = _command(name)[0]
    if shutil.which(program) is None:
        raise AgentNameError(name, "missing_program", f"a program that can be run here; {program} was not found")


def make_fitting_seat(name: str, config: GameConfig, limits: BotLimits | None = None, *, isolate: bool = False) -> Seat:
    """A seat for the agent called `name`; an error if it does not play by these rules. Isolated bots are not asked."""
    if name.startswith("cmd:"):
        check_program(name)
    if name.partition(":")[0] == "human":
        raise AgentNameError(name, "not_a_bot", "a bot; people sit down with liars-dice play")
    seat = make_seat(name, limits, isolate=isolate)
    if isinstance(seat, InProcessSeat) and isinstance(seat.agent, Agent):
        check_fits(name, seat.agent, config)
    return seat


def are_strangers(names: Iterable[str]) -> bool:
    """Whether any of these bots is not part of the package."""
    return any(name not in AGENTS and not name.startswith("threshold:") for name in names)


def plays_with(agent: Agent | None, players: int) -> bool:
    """Whether an agent plays at tables of this size."""
    match getattr(agent, "players", (2, 15)):
        case (int(fewest), int(most)):
            return fewest <= players <= most
        case other:
            raise BadValueError("players", other, "(fewest, most), two whole numbers, in the bot's class")


def check_fits(name: str, agent: Agent | None, config: GameConfig) -> None:
    """Raise `AgentNameError` or `ConfigError` if an agent does not play with this many players or by these rules."""
    if not plays_with(agent, config.num_players):
        raise AgentNameError(name, "unfit", f"an agent that plays with {config.num_players} players")
    if isinstance(agent, Agent):
        agent.check_rules(config)


def load_agents(names: Sequence[str], limits: BotLimits, config: GameConfig | None = None) -> list[Agent | None]:
    """The agents called by these names, in this process; None for a program, which cannot be loaded.

    Raises `AgentNameError` for a name without an agent. With a `config`, agents must also fit it (`check_fits`).
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
        raise AgentNameError(name, "does_not_load", f"a bot that loads ({fault})") from fault
