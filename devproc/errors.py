"""The errors a user can meet. Each says what, where, why, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class DevProcError(Exception):
    """Base of every error that DevProc raises on purpose."""


class InputError(DevProcError):
    """A value given to a compiled program does not fit its declared input."""


class BuildError(DevProcError):
    """A step of the user's pipeline is wrong; the message carries the user's line."""


class CompileError(DevProcError):
    """A pass or a target could not do its work; names the stage and the op."""


class BundleError(DevProcError):
    """A saved program cannot be loaded: missing, damaged, or of another version."""


@dataclass(frozen=True)
class Problem:
    """One thing that stands in the way of compiling a program."""

    what: str
    """The op or input, with its dtype."""
    where: str
    """Module path and the user's source line."""
    why: str
    """The rule that refuses it."""
    remedy: str
    """What the user can do about it."""

    def __str__(self) -> str:
        return f"{self.what} ({self.where}): {self.why}; {self.remedy}"


class UnsupportedError(DevProcError):
    """Everything of a program that DevProc does not support, all at once."""

    def __init__(self, problems: Sequence[Problem]):
        self.problems = tuple(problems)
        count = len(self.problems)
        lines = "\n".join(f"  {i + 1}. {p}" for i, p in enumerate(self.problems))
        super().__init__(f"{count} unsupported in this program:\n{lines}")
