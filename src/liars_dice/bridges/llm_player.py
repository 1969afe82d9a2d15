"""`llm:MODEL`: a language model at the table.

The model is asked anew at every decision, with the rules and the game so far in plain sentences (`prompts`). Its answer
is read as a move and as nothing else. If it is no move, or not a legal one, the model is told why and asked once more;
then the referee plays its fallback.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from msgspec.structs import replace

from ..agents import Agent, AgentNameError
from ..core import REASONING_LIMIT, Action, GameView, IllegalMoveError, NotationError, verify
from ..referee import BotFault
from .chat_endpoint import AnswerTooLateError, ChatAnswer, Message, ask_model
from .model_use import current_use
from .prompts import correction, position_prompt, rules_prompt
from .read_reply import Reply, read_reply


class Decision(NamedTuple):
    """What a model decided, and what it took."""

    action: Action | None
    """None if neither of its answers could be read."""
    belief: float | None
    legal: bool
    problem: str
    """Why its last answer cannot be played; empty if it can."""
    answers: tuple[ChatAnswer, ...]

    @property
    def told(self) -> str:
        """What goes into the record: what it took, and what the model thought and said."""
        asked = sum(one.prompt_tokens for one in self.answers)
        said = sum(one.completion_tokens for one in self.answers)
        seconds = sum(one.seconds for one in self.answers)
        retried = ", 1 retry" if len(self.answers) > 1 else ""
        words = [part for one in self.answers for part in (one.thinking, one.text) if part]
        whole = f"{seconds:.1f} s, {asked} + {said} tokens{retried}: {' | '.join(words)}"
        return " ".join(whole.split())[:REASONING_LIMIT]


class LanguageModelAgent(Agent):
    """A language model behind an OpenAI-compatible endpoint (`model_use`)."""

    def __init__(self, model: str) -> None:
        """`model` may carry parameters of the request, as in `some-model?temperature=0&max_tokens=2000`."""
        self.name = self.player_type = f"llm:{model}"
        self.model, _, query = model.partition("?")
        if not self.model:
            raise AgentNameError(self.name, "bad_parameters", "the name of a model, as in llm:some-model")
        _ = current_use().base_url  # raises now, not in the middle of a game, if it is no address
        self.parameters = {name: _value(text) for name, text in parse_qsl(query, keep_blank_values=True)}
        if {"model", "messages", "stream"} & self.parameters.keys() or (query and not self.parameters):
            raise AgentNameError(self.name, "bad_parameters", "parameters such as llm:some-model?temperature=0")

    def choose_action(self, view: GameView) -> Action:
        """The model's move, with what it said as its reasoning."""
        decision = self.decide(view)
        if decision.action is None:
            raise BotFault("wrong_type", decision.problem)
        return replace(decision.action, reasoning=decision.told)  # the referee judges an illegal one

    def decide(self, view: GameView, messages: list[Message] | None = None) -> Decision:
        """Ask the model, and once more if its answer cannot be played. `BotFault` if it takes too long."""
        use = current_use()
        use.note(self.name, decisions=1)
        asked = messages or [_message("system", rules_prompt(view.config)), _message("user", position_prompt(view))]
        answers: list[ChatAnswer] = []
        reply, problem = None, ""
        for attempt in range(2):
            try:
                request = {**self.parameters, "model": self.model, "messages": asked}
                answers.append(ask_model(use, self.name, request))
            except AnswerTooLateError:
                use.note(self.name, given_up=1)
                raise BotFault("too_slow", f"took longer than {use.answer_seconds:g} s") from None
            reply, problem = _judged(answers[-1].text, view)
            if not problem:
                break
            use.note(self.name, **({"given_up": 1} if attempt else {"corrected": 1}))
            asked = [*asked, _message("assistant", answers[-1].text), _message("user", correction(problem))]
        return Decision(
            None if reply is None else reply.action,
            None if reply is None else reply.belief,
            not problem,
            problem,
            tuple(answers),
        )


def _judged(text: str, view: GameView) -> tuple[Reply | None, str]:
    """What a model answered, and why it cannot be played, if so."""
    try:
        reply = read_reply(text)
    except NotationError as error:
        return None, str(error)
    try:
        verify(view.public, view.player_id, reply.action)
    except IllegalMoveError as error:
        return reply, str(error)
    return reply, ""


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _value(text: str) -> Any:
    """A parameter's value: a number, true or false if it reads so, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
