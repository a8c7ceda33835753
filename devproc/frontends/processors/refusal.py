"""Refuses an object with a list of everything that no step can express."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from devproc.frontends.user_input import fail


def refuse(step: str, what: str, problems: Sequence[str]) -> NoReturn:
    """Raises BuildError at the user's line with every problem of the object."""
    listed = "; ".join(f"{i + 1}. {problem}" for i, problem in enumerate(problems))
    problem = f"{len(problems)} of {what} cannot be expressed: {listed}"
    fail(step, problem, "leave it out and write the steps it stands for")
