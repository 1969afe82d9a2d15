"""From the names of bots, as they are typed on a command line, to bots at a table."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from ..agents import (
    AGENTS,
    Agent,
    AgentNameError,
    asks_network,
    is_stranger,
    listed_name,
    make_agent,
    moved_to,
    place_of,
)
from ..core import BadValueError, GameConfig, LiarsDiceError, hook_of
from .isolated_seat import IsolatedSeat
from .limits import BotFault, BotLimits
from .remote_agent import RemoteAgent, load_remote_agent
from .seats import InProcessSeat, NetworkSeat, Seat
from .time_guard import guarded
from .walls import BOX_PATH

SCRIPTS = (".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".lua", ".sh", ".jar")
"""The endings of words that are files with a program in them."""


def make_seat(
    name: str,
    limits: BotLimits | None = None,
    *,
    isolate: bool = False,
    apart: bool = False,
    boxed: bool = False,
    anew: bool = False,
) -> Seat:
    """A seat for the agent called `name`. `cmd:PROGRAM ARGUMENTS` is a program in any language, always isolated.

    With `isolate`, every bot is in a box of its own in every game, except ours that ask a server. With `apart`, other
    people's bots are in processes of their own, where they stay for further games; with `anew`, they are made anew for
    each. With `boxed`, and always if they were found by name, these processes are boxes, too, in which bots are always
    made anew. Else bots run in this process.
    """
    name = listed_name(name)
    limits = limits_of(name, BotLimits() if limits is None else limits)
    if name.startswith("cmd:"):
        seat = IsolatedSeat(name, limits, command=_command(name))
        with suppress(BotFault):  # then the bot fails when the game begins
            seat.start_program()
        return seat
    if asks_network(name):
        return NetworkSeat(make_agent(name), limits)
    if isolate:
        return IsolatedSeat(lasting_name(name), limits, name=name)
    walls = (boxed and needs_process(name)) or is_found(name)
    if walls or (apart and needs_process(name)):
        seat = IsolatedSeat(lasting_name(name), limits, name=name, walls=walls, stays=True, anew=anew or walls)
        with suppress(LiarsDiceError):  # then the bot fails when the game begins, too
            seat.adopt(load_remote_agent(lasting_name(name), name, limits, walls=walls), named=True)
        return seat
    return InProcessSeat(make_agent(name), limits)


def limits_of(name: str, limits: BotLimits) -> BotLimits:
    """The limits of the bot called `name`, if these are the limits of strangers."""
    ours = not is_stranger(name) and not name.startswith("cmd:")
    return limits.for_ours if ours else limits


def needs_process(name: str) -> bool:
    """Whether this is someone else's bot, which commands run in a process of its own. Windows cannot do that."""
    return is_stranger(name) and sys.platform != "win32"


def is_found(name: str) -> bool:
    """Whether this names a bot that discovery found. No one has said which file that is, so it runs only in a box."""
    return needs_process(name) and ":" not in name and not name.endswith(".py")


def learns_between_games(agent: Agent | None) -> bool:
    """Whether an agent carries something from one game to the next, so that the order of its games matters."""
    return agent is not None and hook_of(agent, "on_game_end") is not None


def begins_anew(name: str, *, isolate: bool = False, boxed: bool = False) -> bool:
    """Whether this bot, run as `make_seat` runs it, keeps nothing from game to game: it is a program or in a box."""
    return isolate or name.startswith("cmd:") or is_found(name) or (boxed and needs_process(name))


def lasting_name(name: str) -> str:
    """A name that leads to the bot in any process."""
    found = name in AGENTS or ":" in name or name.endswith(".py")
    return moved_to(name) or (name if found else place_of(name))


def _command(name: str) -> list[str]:
    """The words of `cmd:PROGRAM ARGUMENTS`, with the place of a program that boxes would not find."""
    try:
        command = shlex.split((moved_to(name) or name).removeprefix("cmd:"))
    except ValueError as error:
        raise AgentNameError(name, "no_program_given", f"a command line ({error})") from error
    if not command:
        raise AgentNameError(name, "no_program_given", "a program to run, for example cmd:node mybot.js")
    if shutil.which(command[0], path=BOX_PATH) is None:
        command[0] = shutil.which(command[0]) or command[0]
    return command


def check_program(name: str) -> None:
    """Raise `AgentNameError` if `cmd:PROGRAM ARGUMENTS` names a program that cannot be run here."""
    program = _command(name)[0]
    if shutil.which(program) is not None:
        return
    place = Path(program)
    if "/" not in program:
        why = f"{program} was not found on the PATH"
    elif not place.exists():
        why = f"there is no file {program}"
    elif place.is_dir():
        why = f"{program} is a folder"
    else:
        why = f"{program} is not executable: name the program that runs it, as in cmd:python3 {program}, or chmod +x it"
    raise AgentNameError(name, "missing_program", f"a program that can be run here; {why}")


def start_program(name: str, limits: BotLimits) -> IsolatedSeat:
    """A seat for the program `cmd:PROGRAM ARGUMENTS`, started; `AgentNameError` if it cannot be or says nothing."""
    check_program(name)
    seat = IsolatedSeat(name, limits, command=_command(name))
    try:
        seat.start_program()
    except BotFault as fault:
        missing = [word for word in _command(name)[1:] if word.endswith(SCRIPTS) and not Path(word).exists()]
        lost = f"; there is no file {missing[0]}" if missing else ""
        raise AgentNameError(name, "does_not_load", f"a program that plays ({fault.detail}{lost})") from fault
    return seat


def make_fitting_seat(
    name: str, config: GameConfig, limits: BotLimits | None = None, *, isolate: bool = False, stays: bool = False
) -> Seat:
    """A seat for the agent called `name`, for a command; an error if the agent does not play by these rules.

    Other people's bots get processes of their own: boxes with `isolate`, or if they were found by name. With `stays`,
    they stay there for further games, until the seat is dismissed; only those that learn between games, and are not in
    a box, are the same object in all of them.
    """
    if name.partition(":")[0] == "human":
        raise AgentNameError(name, "not_a_bot", "a bot; people sit down with liars-dice play")
    limits = BotLimits() if limits is None else limits
    if name.startswith("cmd:"):
        return start_program(name, limits)
    if not needs_process(name):
        load_agents([name], limits, config)
        return make_seat(name, limits, isolate=isolate)
    walls = isolate or is_found(name)
    agent = load_remote_agent(lasting_name(name), name, limits, walls=walls)
    check_fits(name, agent, config)
    anew = walls or not learns_between_games(agent)
    stays = stays and not isolate
    seat = IsolatedSeat(lasting_name(name), limits, name=name, walls=walls, stays=stays, anew=anew)
    seat.adopt(agent, named=not isolate)
    return seat


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


def load_agents(
    names: Sequence[str],
    limits: BotLimits,
    config: GameConfig | None = None,
    *,
    isolate: bool = False,
    boxed: Collection[str] = (),
    plays: bool = False,
) -> list[Agent | None]:
    """The agents called by these names; None for a program, which cannot be loaded.

    Other people's bots are loaded in processes of their own: boxes with `isolate`, if they are `boxed`, or if they were
    found by name. Raises `AgentNameError` for a name without an agent. With a `config`, agents must also fit it
    (`check_fits`). If they are to play (`plays`), programs are started once, to see that they can.
    """
    agents: list[Agent | None] = []
    for name in names:
        agent = None
        if name.startswith("cmd:"):
            check_program(name)
            if plays:
                start_program(name, limits).dismiss()
        else:
            agent = _loaded(name, limits, walls=isolate or name in boxed or is_found(name))
        if config is not None:
            check_fits(name, agent, config)
        if isolate and isinstance(agent, RemoteAgent):
            agent.close()  # nothing else is asked: isolated bots are refereed
        agents.append(agent)
    return agents


def _loaded(name: str, limits: BotLimits, *, walls: bool) -> Agent:
    if needs_process(name):
        return load_remote_agent(lasting_name(name), name, limits, walls=walls)
    try:
        return guarded(limits.load, make_agent, name)
    except BotFault as fault:
        if isinstance(fault.__cause__, LiarsDiceError):
            raise fault.__cause__ from None
        raise AgentNameError(name, "does_not_load", f"a bot that loads ({fault})") from fault
