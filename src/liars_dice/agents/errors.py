"""Errors of agents that cannot be made: which name was given, and what is wrong with it."""

from __future__ import annotations

from typing import Literal

from ..core import BadValueError

AgentProblem = Literal[
    "bad_parameters",
    "does_not_load",
    "missing_class",
    "missing_module",
    "missing_program",
    "needs_arguments",
    "no_bot_in_file",
    "no_choose_action",
    "no_program_given",
    "not_a_bot",
    "not_a_class",
    "raises_when_made",
    "several_bots_in_file",
    "unfit",
    "unknown_name",
    "unreadable_file",
]
"""Why there is no agent of this name, for programs to test."""


class AgentNameError(BadValueError):
    """A name for which there is no agent, or none that can play here."""

    code = "bad_agent"

    def __init__(self, name: object, problem: AgentProblem, expected: str) -> None:
        super().__init__("agent", name, expected)
        self.args = (name, problem, expected)  # so that it can be pickled
        self.problem = problem
