"""The errors a user can meet. Each says what, where, why, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class DevProcError(Exception):
    """Base class of the errors of DevProc."""


class InputError(DevProcError):
    """A value given to a compiled program does not fit its declared input."""


class BoundsError(DevProcError):
    """An access of generated code out of bounds; only builds with `check_bounds` check."""


class BusyError(DevProcError):
    """A program is called during a call of it in the same thread, as by a signal handler."""


class GenerationError(DevProcError):
    """A language model cannot choose the next token, since its scores are NaN."""


class BuildError(DevProcError):
    """A step of the user's pipeline is wrong; the message carries the user's line."""


class CompileError(DevProcError):
    """A pass or a target failed; the message names the stage and the op."""


class BundleError(DevProcError):
    """A saved program cannot be loaded: missing, damaged, or of another version."""


def check_memory(error: RuntimeError) -> None:
    """Raises MemoryError if an error of PyTorch says that it ran out of memory."""
    if "DefaultCPUAllocator" in str(error):
        raise MemoryError(str(error)) from error


class RegistrationError(DevProcError):
    """An operator, pass or device of the user cannot be registered; the message has every
    reason, and the page of the documentation that shows how."""

    def __init__(
        self, name: str, problems: Sequence[str], page: str = "docs/custom_ops.md"
    ):
        self.problems = tuple(problems)
        """The reasons, one text each."""
        lines = "\n".join(f"  {i + 1}. {text}" for i, text in enumerate(problems))
        super().__init__(f"cannot register {name} ({page}):\n{lines}")


@dataclass(frozen=True)
class Problem:
    """One obstacle to the compilation of a program."""

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

    @property
    def subject(self) -> str:
        """The operator without its operands, `buffer` without its name."""
        return self.what.partition(" of ")[0].partition(" '")[0]


class UnsupportedError(DevProcError):
    """All unsupported parts of a program.

    The message has one entry for all problems that differ only in their location.
    """

    def __init__(self, problems: Sequence[Problem]):
        self.problems = tuple(problems)
        """Each `Problem`: `what`, `where`, `why`, `remedy`."""
        entries = self.entries
        lines = "\n".join(f"  {i + 1}. {text}" for i, text in enumerate(entries))
        places = len(self.problems)
        where = f", in {places} places" if places > len(entries) else ""
        super().__init__(f"{len(entries)} unsupported in this program{where}:\n{lines}")

    @property
    def entries(self) -> tuple[str, ...]:
        """The text of each distinct problem, in the order of first occurrence."""
        groups: dict[tuple[str, str, str], list[Problem]] = {}
        for problem in self.problems:
            key = (problem.subject, problem.why, problem.remedy)
            groups.setdefault(key, []).append(problem)
        return tuple(_entry(group) for group in groups.values())


FIRST_PLACES = 3
"""Locations or names of a problem that a message lists."""


def _entry(group: Sequence[Problem]) -> str:
    """The text of problems with the same subject, reason and remedy."""
    first = group[0]
    if len(group) == 1:
        return str(first)
    places = list(dict.fromkeys(problem.where for problem in group))
    names = list(dict.fromkeys(problem.what for problem in group))
    # Parameters differ in their names, operators in their locations.
    what = first_few(names) if len(places) == 1 else first.what
    where = f"{len(group)} times: {first_few(places)}"
    return f"{what} ({where}): {first.why}; {first.remedy}"


def counted(count: int, noun: str) -> str:
    """`1 thread`, `3 threads`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def first_few(texts: Sequence[str]) -> str:
    """The first texts, and how many there are besides."""
    shown = ", ".join(texts[:FIRST_PLACES])
    more = len(texts) - FIRST_PLACES
    return f"{shown} and {more} more" if more > 0 else shown


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`"; did you mean 'bilinear'?"` for a name close to a known one, else `""`.

    To be appended to a message that also lists the known names.
    """
    from difflib import get_close_matches

    candidates = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(name.lower(), candidates, n=1)
    return f"; did you mean '{candidates[close[0]]}'?" if close else ""
