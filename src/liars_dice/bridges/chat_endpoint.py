"""One question to a model, through any server that speaks the protocol of OpenAI's chat completions."""

from __future__ import annotations

import atexit
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx

from ..agents import AgentStoppedError
from ..core import one_line
from .model_use import ModelUse

Message = dict[str, str]
LARGEST_ANSWER = 4 << 20
"""Bytes of an answer that are read."""
TRIES = 4
"""How often a request is sent while the server is busy or fails."""
FIRST_WAIT, LONGEST_WAIT = 1.0, 120.0
"""Seconds between tries: they double, unless the server says how long to wait. A server that asks for more than the
longest wait cannot be used now."""
LONG_WAIT = 10.0
"""People are told of a wait of this many seconds or more."""
_CLIENT = httpx.Client()
"""One client for all threads of this process, so that connections are used again."""
atexit.register(_CLIENT.close)


class ChatAnswer(NamedTuple):
    """What a model said."""

    text: str
    thinking: str
    """What it thought before, if the server tells that apart."""
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class AnswerTooLateError(Exception):
    """The model took longer than it may."""


class _TryAgainError(Exception):
    """The server is busy or failed."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


def ask_model(use: ModelUse, player: str, request: dict[str, Any]) -> ChatAnswer:
    """The model's answer to a request, counted as a call of this player.

    `AnswerTooLateError` if it takes too long. A server that is busy or fails is asked again; if that does not help, or
    if it refuses the request, `AgentStoppedError`.
    """
    wait = FIRST_WAIT
    for attempt in range(1, TRIES + 1):
        use.begin_call(player)
        start = use.clock()
        try:
            said = _post(use, request, start)
        except _TryAgainError as error:
            problem = one_line(use.without_key(str(error)), 300)
            pause = wait if error.wait is None else error.wait
            again = attempt < TRIES and pause <= LONGEST_WAIT
            use.note(player, repeated=again, seconds=use.clock() - start)
            if not again:
                times = "once" if attempt == 1 else f"{attempt} times"
                asks = f"; it asks to wait for {pause:,.0f} s" if pause > LONGEST_WAIT else ""
                raise AgentStoppedError(f"{use.base_url} failed {times}: {problem}{asks}") from None
            if pause >= LONG_WAIT:
                use.tell(f"{use.base_url} is busy ({problem}): waiting for {pause:,.0f} s")
            use.sleep(pause)
            wait *= 2
        except AnswerTooLateError:
            use.note(player, seconds=use.clock() - start)
            raise
        else:
            answer = said._replace(seconds=use.clock() - start)
            use.note(
                player,
                seconds=answer.seconds,
                prompt_tokens=answer.prompt_tokens,
                completion_tokens=answer.completion_tokens,
            )
            return answer
    raise AssertionError("unreachable")


def _post(use: ModelUse, body: dict[str, Any], start: float) -> ChatAnswer:
    """Send one request and read its answer, streamed or not."""
    url = f"{use.base_url}/chat/completions"
    try:
        with _CLIENT.stream("POST", url, json=body, headers=use.headers, timeout=use.answer_seconds) as response:
            read = bytearray()
            for chunk in response.iter_bytes():
                read += chunk
                if use.clock() - start > use.answer_seconds:
                    raise AnswerTooLateError
                if len(read) > LARGEST_ANSWER:
                    raise _TryAgainError(f"an answer of more than {LARGEST_ANSWER >> 20} MB")
    except (httpx.ReadTimeout, httpx.WriteTimeout):
        raise AnswerTooLateError from None
    except httpx.ConnectError as error:
        raise _TryAgainError(f"{error}; start the server, or name another with {use.named_by}") from None
    except httpx.HTTPError as error:
        raise _TryAgainError(f"{type(error).__name__}: {error}") from None
    text = use.without_key(read.decode("utf-8", "replace"))
    if response.status_code == 429 or response.status_code >= 500:
        raise _TryAgainError(_problem(response.status_code, text), _retry_after(response.headers.get("retry-after")))
    if response.status_code != 200:
        raise AgentStoppedError(f"{use.base_url} refused the request: {_problem(response.status_code, text)}")
    try:
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            return _streamed(text)
        return _whole(json.loads(text))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise _TryAgainError(f"not an answer of the chat protocol: {one_line(text, 200)}") from None


def _problem(status: int, text: str) -> str:
    """What a server said about an error."""
    try:
        told = json.loads(text)["error"]
        message = told["message"] if isinstance(told, dict) else told
    except (ValueError, KeyError, TypeError, RecursionError):
        message = text
    return f"{status}, {one_line(message, 300)}"


def _retry_after(told: str | None) -> float | None:
    try:
        return max(0.0, float(told)) if told else None
    except ValueError:  # a date
        return None


def _whole(answer: dict[str, Any]) -> ChatAnswer:
    message = answer["choices"][0]["message"]
    return _answer(_text(message.get("content")), _thinking(message), message.get("refusal"), answer.get("usage"))


def _streamed(text: str) -> ChatAnswer:
    """An answer in pieces: server-sent events, each with what comes next."""
    said, thought, refused, usage = "", "", "", None
    for piece in _pieces(text):
        usage = piece.get("usage") or usage
        for choice in piece.get("choices", [])[:1]:
            delta = choice.get("delta") or {}
            said += _text(delta.get("content"))
            thought += _thinking(delta)
            refused += delta.get("refusal") or ""
    return _answer(said, thought, refused, usage)


def _pieces(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if line.startswith("data:") and data != "[DONE]":
            piece = json.loads(data)
            if "error" in piece:
                raise ValueError(piece["error"])
            yield piece


def _text(content: object) -> str:
    """The text of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _thinking(message: dict[str, Any]) -> str:
    return _text(message.get("reasoning_content")) or _text(message.get("reasoning"))


def _answer(text: str, thinking: str, refusal: object, usage: object) -> ChatAnswer:
    counts = usage if isinstance(usage, dict) else {}
    tokens = [counts.get(name) for name in ("prompt_tokens", "completion_tokens")]
    asked, said = (max(0, count) if isinstance(count, int) else 0 for count in tokens)
    return ChatAnswer(text or (refusal if isinstance(refusal, str) else ""), thinking, asked, said, 0.0)
