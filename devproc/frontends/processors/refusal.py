"""What an object has that no step can express, all of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from devproc.frontends.user_input import fail


def refuse(step: str, what: str, problems: Sequence[str]) -> NoReturn:
    """BuildError at the user's line that lists every problem of the object."""
    listed = "; ".join(f"{i + 1}. {problem}" for i, problem in enumerate(problems))
    fail(
        step,
        f"{len(problems)} of {what} cannot be expressed: {listed}",
        "leave it out and write the steps it stands for",
    )
