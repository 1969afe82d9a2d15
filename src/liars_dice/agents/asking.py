"""Asking an agent outside a game: telling it what it would hear, and finding out what it does and how likely.

Callers that do not trust an agent pass a `Guard`, which calls the agent's code under a time limit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from ..core import (
    Action,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameView,
    LiarsDiceError,
    NotationError,
    agent_id,
    as_action,
    can_apply,
    describe,
    hook_of,
)
from .base import Agent, BatchAgent
from .hearing import Heard, hook_calls

Guard = Callable[..., Any]
"""Calls an agent's code: takes the function and its arguments, and returns what the function returns."""


def unguarded(call: Callable[..., Any], *arguments: object) -> Any:
    """The guard for agents that are trusted: calls the function without a limit."""
    return call(*arguments)


class PolicyError(LiarsDiceError):
    """An agent whose decisions cannot be determined: it fails, breaks the rules or contradicts itself."""

    code = "policy"


def tell(agent: Agent, heard: Heard, guard: Guard = unguarded) -> None:
    """Let an agent hear something, if it has a hook for it; `PolicyError` if the hook fails."""
    for name, arguments in hook_calls(heard):
        hook = hook_of(agent, name)
        if hook is not None:
            try:
                guard(hook, *arguments)
            except Exception as error:
                raise PolicyError(f"{agent_id(agent)} failed in {name}: {describe(error)}") from error


def states_policy(agent: Agent) -> bool:
    """Whether the agent's `policy` describes its `choose_action`: both were written together, or `policy` later."""
    return _policy_is_current(type(agent)) and callable(getattr(agent, "policy", None))


@lru_cache(maxsize=256)
def _policy_is_current(kind: type) -> bool:
    classes = kind.__mro__
    stated = {"policy", "policies"} if issubclass(kind, BatchAgent) else {"policy"}
    policy = next((i for i, one in enumerate(classes) if stated & vars(one).keys()), len(classes))
    choose = next((i for i, one in enumerate(classes) if "choose_action" in vars(one)), len(classes))
    return policy <= choose and classes[policy] is not Agent


class AskedElsewhere(Agent):
    """An agent that stands for one in another process, where `ask` and `ask_all` ask it."""

    thought: float = 0.0
    """For how many seconds it has thought about answers."""

    @abstractmethod
    def answers(self, views: Sequence[GameView], *, twice: bool) -> list[dict[Action, float]]:
        """What the agent does in each of these views; `twice`, it is asked again and must answer the same."""


def ask_all(
    agent: Agent, views: Sequence[GameView], guard: Guard = unguarded, *, twice: bool = True
) -> list[dict[Action, float]]:
    """What an agent does in each of these views; `twice`, `PolicyError` if it answers differently when asked again."""
    if isinstance(agent, AskedElsewhere):
        return agent.answers(views, twice=twice)
    return [_asked(agent, view, guard, twice=twice) for view in views]


def _asked(agent: Agent, view: GameView, guard: Guard, *, twice: bool) -> dict[Action, float]:
    chances = ask(agent, view, guard)
    if twice:
        check_same(agent, [(view, chances)], guard)
    return chances


def check_same(
    agent: Agent, answered: Sequence[tuple[GameView, dict[Action, float]]], guard: Guard = unguarded
) -> None:
    """Ask these questions again; `PolicyError` if an answer is a different one."""
    again = ask_all(agent, [view for view, _ in answered], guard, twice=False)
    for (view, before), now in zip(answered, again, strict=True):
        if now != before:
            raise PolicyError(
                f"{agent_id(agent)} gives two answers to one question, {_where(view)}: "
                "it is not memoryless, or decides at random without stating a policy"
            )


def ask(agent: Agent, view: GameView, guard: Guard = unguarded) -> dict[Action, float]:
    """What an agent does here, with probabilities; `PolicyError` if that cannot be determined."""
    if isinstance(agent, AskedElsewhere):
        return agent.answers([view], twice=False)[0]
    try:
        stated = guard(agent.policy, view) if states_policy(agent) else None
        if stated is None:
            return {_legal(_certain_action(agent, view, guard), view, agent): 1.0}
        total = sum(stated.values())
        if not abs(total - 1) < 1e-9:
            raise PolicyError(f"{agent_id(agent)} states a policy {_where(view)} that adds up to {total:g}, not to 1")
        if min(stated.values()) < 0:
            raise PolicyError(f"{agent_id(agent)} states a policy {_where(view)} with a chance below zero")
        plain: dict[Action, float] = {}
        for action, chance in stated.items():
            if chance > 0:
                legal = _legal(action, view, agent)
                plain[legal] = plain.get(legal, 0.0) + chance / total
        return plain
    except PolicyError:
        raise
    except Exception as error:
        raise PolicyError(f"{agent_id(agent)} failed {_where(view)}: {describe(error)}") from error


def _where(view: GameView) -> str:
    return f"with {view.my_dice} after {view.current_bid or 'no bid'}"


def _legal(action: object, view: GameView, agent: Agent) -> Action:
    """The action without its reasoning; `PolicyError` if it is not a legal one."""
    if type(action) is str or type(action) is Bid:
        with suppress(NotationError):
            action = as_action(action)
    if type(action) not in (BidAction, CallLiarAction, CallExactAction):
        kind = type(action).__name__
        raise PolicyError(f"{agent_id(agent)} chose an object of type {kind} {_where(view)}, which is not an action")
    if not can_apply(view.public, view.player_id, action):
        raise PolicyError(f"{agent_id(agent)} chose {action} {_where(view)}, which is not legal")
    if isinstance(action, BidAction):
        return BidAction(action.bid)
    return CallExactAction() if isinstance(action, CallExactAction) else CallLiarAction()


def _certain_action(agent: Agent, view: GameView, guard: Guard) -> object:
    """What an agent without a policy does; `PolicyError` if that depends on its random numbers."""
    first: object = guard(agent.choose_action, view)
    if getattr(agent, "_rng", None) is not None:  # it has drawn random numbers at least once
        for seed in range(8):
            guard(agent.seed, seed)
            if not _same(guard(agent.choose_action, view), first):
                instead = ", or set memoryless = False" if getattr(agent, "memoryless", False) else ""
                raise PolicyError(
                    f"{agent_id(agent)} decides at random {_where(view)}, but states no policy: "
                    f"write policy(view){instead}"
                )
        guard(agent.seed, 0)
    return first


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and getattr(one, "bid", None) == getattr(other, "bid", None)
