"""Agents by name, as they are written on a command line.

The registry names each agent's module in a string and imports it when the agent is made. So listing agents is fast, and
agents of later packages can be listed here.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import msgspec

from ..core import describe, did_you_mean, one_of, plain_install_for
from .base import Agent
from .discovery import bots_by_name, find_bot, load_bot_file, why_undecided
from .errors import AgentNameError, AgentProblem
from .hints import hint_for
from .spelling import hyphenated

Make = Callable[..., Agent]


class AgentInfo(msgspec.Struct, frozen=True):
    """What is known about an agent before it is loaded."""

    name: str
    """Its name in lists."""
    target: str
    """Where it is, as `module:attribute`: a class, or a function that makes the agent."""
    summary: str
    memoryless: bool = False
    players: tuple[int, int] = (2, 15)
    arguments: tuple[str, ...] = ()
    """What the target is called with."""
    aliases: tuple[str, ...] = ()
    """Other names for the same agent. It plays under the name that was given."""
    level_of: str = ""
    """The agent of which this is a weaker level. Levels are offered as opponents, and are in no field of agents."""
    in_fields: bool = True
    """Whether it is in fields of agents that no one typed, such as `--field all`. A bot that remembers is not: the
    results of a field would depend on the order of its games."""

    @property
    def field_name(self) -> str:
        """The name it has in fields of agents that no one typed, such as `--field all`: its oldest name.

        Seeds and stored tournaments depend on names, so this never changes.
        """
        return self.aliases[0] if self.aliases else self.name


class AgentRegistry(Mapping[str, AgentInfo]):
    """Agents by name. Iterating gives the names for lists; looking up understands aliases as well.

    >>> "optimal" in AGENTS, AGENTS["optimal"].name
    (True, 'threshold-best')
    """

    def __init__(self, *agents: AgentInfo) -> None:
        self._listed = {info.name: info for info in agents}
        self._named = {name: info for info in agents for name in (info.name, *info.aliases)}

    def __getitem__(self, name: str) -> AgentInfo:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def spelled(self, name: str) -> str | None:
        """The name of which this is another spelling, if there is one.

        >>> AGENTS.spelled("RandomAgent"), AGENTS.spelled("CALLING_STATION"), AGENTS.spelled("nobody")
        ('random', 'calling-station', None)
        """
        listed = name if name in self._named else hyphenated(name)
        return listed if listed in self._named else None

    @property
    def by_strength(self) -> tuple[AgentInfo, ...]:
        """All agents, strongest first, for lists that people choose from; those that were not measured come last.

        The order of iteration is another one: tournaments depend on it, so it never changes.
        """
        return tuple(sorted(self.values(), key=lambda info: -STRENGTH.get(info.name, -1.0)))

    @property
    def every_name(self) -> tuple[str, ...]:
        """All names, aliases included."""
        return tuple(self._named)


_HERE = __package__


def _entry(
    name: str, target: str, summary: str, *arguments: str, memoryless: bool = True, aliases: tuple[str, ...] = ()
) -> AgentInfo:
    return AgentInfo(name, f"{_HERE}.{target}", summary, memoryless, (2, 15), arguments, aliases)


_PERSONALITY = "threshold:create_personality_agent"
_CHAMPION = "liars_dice.learn.champion.agent:champion_agent"
_LANGUAGE_MODEL = "liars_dice.bridges.llm_player:LanguageModelAgent"

AGENTS = AgentRegistry(
    _entry("random", "random_agent:RandomAgent", "chooses uniformly among the legal moves"),
    _entry("conservative", "conservative:ConservativeAgent", "bids little more than it holds, calls early"),
    _entry("probabilistic", "probabilistic:ProbabilisticAgent", "takes the best odds, given its own dice"),
    _entry(
        "truthful",
        "truthful:TruthfulAgent",
        "calls impossible bids, else makes the lowest bid that can be true; the learners' opponent",
    ),
    _entry(
        "threshold-best",
        _PERSONALITY,
        "thresholds 0.35, 0.15: the best pair of a published grid of thresholds",
        "optimal",
        aliases=("optimal",),
    ),
    _entry("maniac", _PERSONALITY, "thresholds 0.10, 0.10: bluffs often, rarely calls", "maniac"),
    _entry("aggressive", _PERSONALITY, "thresholds 0.50, 0.10: bluffs often, calls readily", "aggressive"),
    _entry("passive", _PERSONALITY, "thresholds 0.10, 0.50: plays honestly, rarely calls", "passive"),
    _entry("calling-station", _PERSONALITY, "thresholds 0.50, 0.50: plays honestly, calls readily", "calling-station"),
    _entry("bluffer", "bluffer:BlufferAgent", "one raise in four is a bluff"),
    _entry("crawler", "crawler:CrawlerAgent", "always makes the lowest raise"),
    _entry("sniper", "sniper:SniperAgent", "jumps to the highest bid with even odds or better, likes exact calls"),
    _entry("detective", "detective:DetectiveAgent", "draws conclusions from the other players' bids", memoryless=False),
    AgentInfo(
        "nash",
        "liars_dice.exact.solver.nash:NashAgent",
        "plays two-player rounds by their solution, or by a strategy with a short memory",
    ),
    AgentInfo("champion", _CHAMPION, "a network for Perudo with two to six players that bluffs and reads the bidding"),
    AgentInfo(
        "reader",
        "liars_dice.opponents.reader:reader_agent",
        "finds out how its opponents play and answers that; starts from nash or champion",
        in_fields=False,
    ),
    *(
        AgentInfo(f"champion:{level}", _CHAMPION, summary, arguments=(level,), level_of="champion")
        for level, summary in (
            ("easy", "a beginner's champion: nine moves in ten are those of aggressive"),
            ("medium", "the champion for practice: three moves in five are those of aggressive"),
            ("hard", "nearly the champion: three moves in ten are those of aggressive"),
        )
    ),
)
"""Every agent that needs no parameters. `human` is not among them: it needs a person."""

STRENGTH = {
    "reader": 0.48,
    "champion": 0.39,
    "champion:hard": 0.33,
    "detective": 0.29,
    "champion:medium": 0.26,
    "bluffer": 0.23,
    "crawler": 0.19,
    "champion:easy": 0.17,
    "probabilistic": 0.16,
    "threshold-best": 0.15,
    "aggressive": 0.14,
    "nash": 0.14,
    "sniper": 0.13,
    "calling-station": 0.12,
    "passive": 0.10,
    "maniac": 0.09,
    "conservative": 0.06,
    "truthful": 0.06,
    "random": 0.00,
}
"""The share of games that each agent wins at tables of six with others, by the rules of `perudo`; one in six is even.

From 3,600 games, 1,200 for each agent: a league of all agents and levels at 600 tables, with seed 1. Two agents that
are less than four points apart may be equals. `reader` came later, with 200 games, twenty in a row at each of ten
tables. Two players at a time, the order is another one: `detective` wins more from weak bots than `champion` does,
which plays so that no one can win much from it."""

RATING = {
    "reader": 41,
    "champion": 36,
    "champion:hard": 33,
    "detective": 32,
    "champion:medium": 30,
    "bluffer": 28,
    "crawler": 27,
    "champion:easy": 26,
    "probabilistic": 25,
    "threshold-best": 25,
    "aggressive": 24,
    "nash": 24,
    "sniper": 24,
    "calling-station": 22,
    "passive": 21,
    "maniac": 21,
    "conservative": 20,
    "truthful": 19,
    "random": 15,
}
"""Each agent's OpenSkill rating in the league of `STRENGTH`, 25 in the middle; most are uncertain by two or three.

`liars-dice tournament` with these agents but `reader` and `--rules perudo --players 6 --tables 600 --seed 1` prints it
again. With `reader` at the head of the list, in the order of `STRENGTH`, the same league takes about four minutes of
processor time; from there are the 41 of `reader`, which is known to two points. The champion has 36 there too. One
`reader` plays all of its games and knows the other bots by name from table to table."""


KINDS = ("threshold", "q", "pg", "champion", "clone", "reader", "solved", "human", "cmd", "llm")
"""What stands before the colon in the names of agents that take parameters and are not someone's class."""

LENT: ContextVar[Mapping[str, Make]] = ContextVar("LENT", default={})  # noqa: B039 - never changed, only replaced
"""Agents that were given as objects or classes, under the names they have meanwhile (`names_for`)."""
_MOVED: ContextVar[Mapping[str, str]] = ContextVar("_MOVED", default={})  # noqa: B039 - never changed, only replaced


@contextmanager
def moved_agents(places: Mapping[str, str]) -> Iterator[None]:
    """Inside the `with` block, in this thread, these agents are elsewhere than their names say, which they keep.

    For each name, `places` has another that leads to the agent: that of a copy of its file, for example.
    """
    token = _MOVED.set(places)
    try:
        yield
    finally:
        _MOVED.reset(token)


def moved_to(name: str) -> str | None:
    """Where this agent is, if it is elsewhere than its name says (`moved_agents`)."""
    return _MOVED.get().get(name)


def make_agent(name: str, source: bytes | None = None) -> Agent:
    """The agent called `name`.

    A name from `AGENTS` or one that discovery finds, `threshold:CALL,RAISE`, a trained model (`q:FILE`, `pg:FILE`,
    `champion:FILE`), a copy of a player (`clone:FILE`), a solved round (`solved:FILE`), a language model (`llm:MODEL`),
    `human`, `module:Class`, or a bot file: `bots/mine.py`, or `bots/mine.py:Class` if it has several (`source` is its
    content, if it has been read already).
    Names from `AGENTS` may be spelled in other ways (`listed_name`).

    >>> make_agent("threshold:0.35,0.15").name, make_agent("RandomAgent").name
    ('threshold:0.35,0.15', 'random')
    """
    given: object = name
    if not isinstance(given, str):
        raise AgentNameError(given, "unknown_name", "the name of an agent, such as 'threshold-best'")
    if name in (lent := LENT.get()):
        return lent[name]()
    kind, _, parameters = (moved_to(name) or name).partition(":")
    if name in AGENTS:
        info = AGENTS[name]
        agent = _load(info.target, name)(*info.arguments)
        if info.aliases:
            agent.name = name
            agent.player_type = name
        return agent
    if kind == "threshold":
        try:
            call, raise_ = (float(number) for number in parameters.split(","))
        except ValueError:
            raise AgentNameError(name, "bad_parameters", "two probabilities, as in threshold:0.35,0.15") from None
        return _load(f"{_HERE}.threshold:ThresholdAgent", name)(call, raise_)
    if kind in ("q", "pg") and parameters:
        return _load("liars_dice.learn.agents:learned_agent", name)(parameters, kind, name)
    if kind == "champion" and parameters:
        return _load(_CHAMPION, name)(parameters, name)
    if kind == "clone" and parameters:
        return _load("liars_dice.opponents.clone:CloneAgent", name)(parameters, name)
    if kind == "reader" and parameters:
        return _load("liars_dice.opponents.reader:reader_agent", name)(parameters, name)
    if kind == "llm":
        if find_spec("httpx") is None:  # an optional extra
            raise AgentNameError(name, "missing_module", "the package httpx: pip install 'liars-dice[llm]'")
        return _load(_LANGUAGE_MODEL, name)(parameters)
    if kind == "solved" and parameters:
        return _load("liars_dice.exact.solver.solved_agent:SolvedAgent", name)(parameters, name)
    if name == "human":
        return _load(f"{_HERE}.human:HumanAgent", name)()
    if Path(kind).suffix == ".py":
        return _from_file(Path(kind), parameters, name, source)
    if parameters:
        return _own_class(name)
    listed = listed_name(name)
    return make_agent(place_of(name) if listed == name else listed)


def listed_name(name: str) -> str:
    """The name under which a bot is listed, if this is another spelling of it: `CALLING_STATION`, `RandomAgent`.

    Other names stay as they are; so does the name of a bot of your own, even if it is such a spelling.
    """
    if name in AGENTS or name in LENT.get() or moved_to(name):
        return name
    listed = "human" if hyphenated(name) == "human" else AGENTS.spelled(name)
    return name if listed is None or find_bot(name) else listed


def place_of(name: str) -> str:
    """Where the bot of this name is, in the folder `agents/` or in a package: a name that `make_agent` understands in
    any process. Nothing is run to find it.
    """
    place = find_bot(name)
    if place is None:
        also = ("threshold:CALL,RAISE", "module:Class", "a bot file such as mybot.py")
        raise AgentNameError(name, "unknown_name", one_of(name, (*AGENTS.every_name, *bots_by_name(), *also)))
    return place


def is_stranger(name: str) -> bool:
    """Whether this names a bot whose code is someone else's: a file, a class of a module, or a bot that was found.

    >>> [is_stranger(name) for name in ("maniac", "threshold:0.1,0.2", "mybot.py", "mine:Bot")]
    [False, False, True, True]
    """
    kind = name.partition(":")[0]
    ours = listed_name(name) in AGENTS or kind in KINDS
    return not (ours or name in LENT.get() or kind.partition(".")[0] == _HERE.partition(".")[0])


def _load(target: str, name: str) -> Make:
    module, _, attribute = target.partition(":")
    ours = module.partition(".")[0] == _HERE.partition(".")[0]
    try:
        with plain_install_for(name) if ours else nullcontext():
            found = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        near = did_you_mean(module, ("threshold", "human", "cmd"))
        expected = f"a module that can be imported ({error}{near and '; '}{near})"
        raise AgentNameError(name, "missing_module", expected) from error
    except AttributeError as error:
        near = did_you_mean(attribute, dir(sys.modules.get(module)))
        expected = f"a class in the module {module} ({error}{near and '; '}{near})"
        raise AgentNameError(name, "missing_class", expected) from error
    if not callable(found):
        raise AgentNameError(name, "not_a_class", f"a class; {target} is of type {type(found).__name__}")
    make: Make = found
    return make


def _own_class(name: str) -> Agent:
    """A user's class by `module:Class`; as with `python -m`, the module may be in the working directory."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    return make_from(_load(name, name), name)


def _from_file(path: Path, class_name: str, name: str, source: bytes | None) -> Agent:
    classes = load_bot_file(path, source)
    if class_name:
        if class_name not in classes:
            raise AgentNameError(name, "missing_class", one_of(class_name, classes))
        return make_from(classes[class_name], name)
    if len(classes) != 1:
        problem: AgentProblem = "several_bots_in_file" if classes else "no_bot_in_file"
        found = ", ".join(classes) or "none"
        raise AgentNameError(name, problem, f"a file with one bot in it, or FILE:CLASS; it has {found}")
    return make_from(next(iter(classes.values())), name)


def make_from(make: Make, name: str) -> Agent:
    """The agent that a class or function of a user's makes; `AgentNameError` if it makes none."""
    try:
        agent = make()
    except Exception as error:
        if isinstance(make, type) and inspect.isabstract(make) and (problem := why_undecided(make)):
            raise AgentNameError(name, "no_choose_action", f"a bot ({problem})") from error
        if isinstance(error, TypeError) and (needed := _needed_arguments(make)):
            defaults = ", ".join(f"{argument}=..." for argument in needed)
            expected = f"a class that needs no arguments ({error}); give them defaults: def __init__(self, {defaults})"
            raise AgentNameError(name, "needs_arguments", expected) from error
        hint = hint_for(error)
        expected = f"a class that can be made ({describe(error)}{hint and '; '}{hint})"
        raise AgentNameError(name, "raises_when_made", expected) from error
    if not callable(getattr(agent, "choose_action", None)):
        raise AgentNameError(name, "no_choose_action", "an object with a method choose_action(view)")
    return agent


def _needed_arguments(make: Make) -> list[str]:
    """The arguments without which this cannot be called."""
    try:
        given = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):  # some types have no signature
        return []
    named = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in given if one.default is one.empty and one.kind not in named]
