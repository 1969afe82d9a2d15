"""Agents by name, as they are written on a command line.

The registry knows names as targets that are loaded when they are needed, so that listing agents is quick and agents of
later layers can be named here without being imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import msgspec

from ..core import one_of
from .base import Agent
from .discovery import discover, load_bot_file
from .errors import AgentNameError, AgentProblem

Make = Callable[..., Agent]


class AgentInfo(msgspec.Struct, frozen=True):
    """What is known of an agent before it is loaded."""

    name: str
    target: str
    """Where it is, as `module:attribute`: a class, or a function that makes the agent."""
    summary: str
    memoryless: bool = False
    players: tuple[int, int] = (2, 15)
    arguments: tuple[str, ...] = ()
    """What the target is called with."""


_HERE = __package__


def _entry(name: str, target: str, summary: str, *arguments: str, memoryless: bool = True) -> AgentInfo:
    return AgentInfo(name, f"{_HERE}.{target}", summary, memoryless, (2, 15), arguments)


_PERSONALITY = "threshold:create_personality_agent"

AGENTS: dict[str, AgentInfo] = {
    info.name: info
    for info in (
        _entry("random", "random_agent:RandomAgent", "any legal action, all alike"),
        _entry("conservative", "conservative:ConservativeAgent", "says what it can nearly cover alone, doubts early"),
        _entry("probabilistic", "probabilistic:ProbabilisticAgent", "takes the best odds, given its own dice"),
        _entry("truthful", "truthful:TruthfulAgent", "never says or accepts the impossible: the learners' opponent"),
        _entry("optimal", _PERSONALITY, "thresholds 0.35, 0.15: the winner of a published tournament", "optimal"),
        _entry("maniac", _PERSONALITY, "thresholds 0.10, 0.10: bluffs freely, hardly ever calls", "maniac"),
        _entry("aggressive", _PERSONALITY, "thresholds 0.50, 0.10: bluffs freely, calls readily", "aggressive"),
        _entry("passive", _PERSONALITY, "thresholds 0.10, 0.50: plays honestly, hardly ever calls", "passive"),
        _entry(
            "calling-station", _PERSONALITY, "thresholds 0.50, 0.50: plays honestly, calls readily", "calling-station"
        ),
        _entry("bluffer", "styles:BlufferAgent", "one raise in four is a bluff"),
        _entry("crawler", "styles:CrawlerAgent", "raises as little as it can"),
        _entry("sniper", "styles:SniperAgent", "jumps to the highest bid better than even, loves exact calls"),
        _entry("detective", "styles:DetectiveAgent", "listens to what the others bid", memoryless=False),
        AgentInfo("nash", "liars_dice.exact.solver.nash:NashAgent", "plays solved rounds: two players, no wilds"),
    )
}
"""Every agent that needs no parameters. `human` is none of them: nobody is made to play by being listed."""


def make_agent(name: str, source: bytes | None = None) -> Agent:
    """The agent called `name`.

    A name from `AGENTS` or one that discovery finds, `threshold:CALL,RAISE`, `human`, `module:Class`, or a bot file:
    `bots/mine.py`, or `bots/mine.py:Class` if it has several (`source` is what stands in it, if it was read already).

    >>> make_agent("threshold:0.35,0.15").name
    'threshold:0.35,0.15'
    """
    kind, _, parameters = name.partition(":")
    if name in AGENTS:
        info = AGENTS[name]
        return _load(info.target, name)(*info.arguments)
    if kind == "threshold":
        try:
            call, raise_ = (float(number) for number in parameters.split(","))
        except ValueError:
            raise AgentNameError(name, "bad_parameters", "two probabilities, as in threshold:0.35,0.15") from None
        return _load(f"{_HERE}.threshold:ThresholdAgent", name)(call, raise_)
    if kind in ("q", "pg") and parameters:
        return _load("liars_dice.learn.agents:LearnedAgent", name)(parameters, kind, name)
    if name == "human":
        return _load(f"{_HERE}.human:HumanAgent", name)()
    if Path(kind).suffix == ".py":
        return _from_file(Path(kind), parameters, name, source)
    if parameters:
        return _own_class(name)
    return make_agent(place_of(name))


def place_of(name: str) -> str:
    """The place of a bot that discovery finds under this name: what `make_agent` understands in any process."""
    found = discover()
    if name not in found.places:
        known = (*AGENTS, *found.places, "threshold:CALL,RAISE", "module:Class", "a bot file such as mybot.py")
        raise AgentNameError(name, "unknown_name", one_of(name, known))
    return found.places[name]


def _load(target: str, name: str) -> Make:
    module, _, attribute = target.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise AgentNameError(name, "missing_module", f"a module that can be imported ({error})") from error
    except AttributeError as error:
        raise AgentNameError(name, "missing_class", f"a class in the module {module} ({error})") from error
    if not callable(found):
        raise AgentNameError(name, "not_a_class", f"a class; {target} is of type {type(found).__name__}")
    make: Make = found
    return make


def _own_class(name: str) -> Agent:
    """A user's class by `module:Class`; modules in the working directory are found, as with `python -m`."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    return _made(_load(name, name), name)


def _from_file(path: Path, class_name: str, name: str, source: bytes | None) -> Agent:
    classes = load_bot_file(path, source)
    if class_name:
        if class_name not in classes:
            raise AgentNameError(name, "missing_class", one_of(class_name, classes))
        return _made(classes[class_name], name)
    if len(classes) != 1:
        problem: AgentProblem = "several_bots_in_file" if classes else "no_bot_in_file"
        found = ", ".join(classes) or "none"
        raise AgentNameError(name, problem, f"a file with one bot in it, or FILE:CLASS; it has {found}")
    return _made(next(iter(classes.values())), name)


def _made(make: Make, name: str) -> Agent:
    try:
        agent = make()
    except TypeError as error:
        raise AgentNameError(name, "needs_arguments", f"a class that needs no arguments ({error})") from error
    except Exception as error:
        expected = f"a class that can be made ({type(error).__name__}: {error})"
        raise AgentNameError(name, "raises_when_made", expected) from error
    if not callable(getattr(agent, "choose_action", None)):
        raise AgentNameError(name, "no_choose_action", "an object with a method choose_action(view)")
    return agent
