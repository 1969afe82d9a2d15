"""How language models are used in this process: where they are, how often they may be asked, and what it cost.

There is one `ModelUse` at a time. Commands begin one with what was typed; elsewhere it comes from the environment. The
key is read from the environment, and is in no record, message or argument.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import msgspec

from ..agents import GAMES_AT_ONCE, AgentStoppedError
from ..core import BadValueError

BASE_URL = "https://api.openai.com/v1"
URL_VARIABLES = ("LIARS_DICE_LLM_BASE_URL", "OPENAI_BASE_URL")
KEY_VARIABLES = ("LIARS_DICE_LLM_API_KEY", "OPENAI_API_KEY")
"""Where the address and the key are looked for, in this order."""
ANSWER_SECONDS = 120.0
"""How long a model may take for one answer, by default."""


class ModelCost(msgspec.Struct):
    """What asking one model cost."""

    decisions: int = 0
    calls: int = 0
    """Requests that were sent."""
    corrected: int = 0
    """Decisions for which the model was asked a second time, because its first answer could not be played."""
    given_up: int = 0
    """Decisions that the referee made, because the second answer could not be played either, or none came in time."""
    repeated: int = 0
    """Requests that were sent again because the server was busy or failed."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    """Time spent waiting for answers, added up over all calls."""


class ModelUse:
    """An endpoint, a budget of calls and a rate limit that all models of this process share, and what each cost."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        max_calls: int | None = None,
        calls_per_minute: float | None = None,
        answer_seconds: float = ANSWER_SECONDS,
        key: str | None = None,
        named_by: str = f"${URL_VARIABLES[1]}",
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        tell: Callable[[str], None] = lambda line: print(line, file=sys.stderr),
    ) -> None:
        """Without `base_url` or `key`, they come from the environment. `named_by` says how people name another
        address, `tell` why something takes long.
        """
        self._given_url = base_url and checked_url(base_url)
        self.max_calls = max_calls
        self.answer_seconds = answer_seconds
        self.costs: dict[str, ModelCost] = {}
        self.named_by = named_by
        self.clock, self.sleep, self.tell = clock, sleep, tell
        self._key = key if key is not None else _first_set(KEY_VARIABLES)
        self._gap = 60.0 / calls_per_minute if calls_per_minute else 0.0
        self._next_call = 0.0
        self._calls = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<ModelUse: {self._calls} calls>"

    @property
    def given_url(self) -> str | None:
        """The address that was given; None if it comes from the environment."""
        return self._given_url

    def ask_at(self, base_url: str) -> None:
        """Ask at this address from now on."""
        self._given_url = checked_url(base_url)

    @property
    def base_url(self) -> str:
        """The address of the endpoint."""
        return self._given_url or checked_url(_first_set(URL_VARIABLES) or BASE_URL)

    @property
    def headers(self) -> dict[str, str]:
        """What a request is authorised by; empty without a key, as local servers need none."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def without_key(self, text: str) -> str:
        """A server's text without the key, in case the server repeats it."""
        return text.replace(self._key, "[key]") if self._key else text

    def begin_call(self, model: str) -> None:
        """Count a call, and wait for its turn; `AgentStoppedError` if the budget is spent."""
        with self._lock:
            if self.max_calls is not None and self._calls >= self.max_calls:
                raise AgentStoppedError(f"the budget of {self.max_calls:,} calls (--max-calls) is spent")
            self._calls += 1
            self.cost_of(model).calls += 1
            now = self.clock()
            wait = max(0.0, self._next_call - now)
            self._next_call = max(now, self._next_call) + self._gap
        if wait:
            self.sleep(wait)

    def cost_of(self, model: str) -> ModelCost:
        """What this model cost so far."""
        return self.costs.setdefault(model, ModelCost())

    def note(self, model: str, **more: float) -> None:
        """Add to what a model cost."""
        with self._lock:
            cost = self.cost_of(model)
            for name, amount in more.items():
                setattr(cost, name, getattr(cost, name) + amount)

    def costs_as_json(self) -> dict[str, dict[str, float]]:
        """What each model cost, as plain data."""
        return {model: msgspec.to_builtins(cost) for model, cost in sorted(self.costs.items())}


_current: ModelUse | None = None


def current_use() -> ModelUse:
    """How models are used now."""
    global _current
    if _current is None:
        _current = ModelUse()
    return _current


@contextmanager
def using(use: ModelUse, games_at_once: int | None = None) -> Iterator[ModelUse]:
    """Inside the `with` block, models are used like this, with this many games at the same time."""
    global _current
    before, _current = _current, use
    token = GAMES_AT_ONCE.set(games_at_once or GAMES_AT_ONCE.get())
    try:
        yield use
    finally:
        _current = before
        GAMES_AT_ONCE.reset(token)


@contextmanager
def key_taken_out() -> Iterator[str]:
    """The key, which is not in the environment inside the `with` block: bots of other people inherit that."""
    found = {name: os.environ.pop(name) for name in KEY_VARIABLES if name in os.environ}
    try:
        yield next((key for key in found.values() if key), "")
    finally:
        os.environ.update(found)


def _first_set(variables: tuple[str, ...]) -> str | None:
    return next((os.environ[name] for name in variables if os.environ.get(name)), None)


def checked_url(url: str) -> str:
    """An address without a slash at its end; `BadValueError` if it is not one, or if it contains a password."""
    try:
        parts = urlsplit(url)
        secret, host = bool(parts.password or parts.username), parts.hostname
    except ValueError:
        secret, host = False, None
    if secret:
        shown = f"{parts.scheme}://...@{host}"
        raise BadValueError("base_url", shown, f"an address without a password; put the key into {KEY_VARIABLES[1]}")
    if parts.scheme not in ("http", "https") or not host:
        raise BadValueError("base_url", url, "an address such as http://localhost:8000/v1")
    return url.rstrip("/")
