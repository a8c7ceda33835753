"""The errors a user can meet. Each says what, where, why, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class DevProcError(Exception):
    """Base of every error that DevProc raises on purpose."""


class InputError(DevProcError):
    """A value given to a compiled program does not fit its declared input."""


class BoundsError(DevProcError):
    """Generated code would have left its memory; only builds with `check_bounds` look."""


class BusyError(DevProcError):
    """A program is used from inside of a call of it, as by a signal handler."""


class BuildError(DevProcError):
    """A step of the user's pipeline is wrong; the message carries the user's line."""


class CompileError(DevProcError):
    """A pass or a target could not do its work; names the stage and the op."""


class BundleError(DevProcError):
    """A saved program cannot be loaded: missing, damaged, or of another version."""


def check_memory(error: RuntimeError) -> None:
    """Raises MemoryError where an error of PyTorch's says that there is none left."""
    if "DefaultCPUAllocator" in str(error):
        raise MemoryError(str(error)) from error


class RegistrationError(DevProcError):
    """An operator of the user's cannot be registered; the message has every reason."""

    def __init__(self, name: str, problems: Sequence[str]):
        self.problems = tuple(problems)
        lines = "\n".join(f"  {i + 1}. {text}" for i, text in enumerate(problems))
        super().__init__(f"cannot register {name} (docs/custom_ops.md):\n{lines}")


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

    @property
    def subject(self) -> str:
        """The operator without its operands, `buffer` without its name."""
        return self.what.partition(" of ")[0].partition(" '")[0]


class UnsupportedError(DevProcError):
    """Everything of a program that DevProc does not support, all at once.

    The message has one entry for the problems that differ only in their place.
    """

    def __init__(self, problems: Sequence[Problem]):
        self.problems = tuple(problems)
        entries = self.entries
        lines = "\n".join(f"  {i + 1}. {text}" for i, text in enumerate(entries))
        places = len(self.problems)
        where = f", in {places} places" if places > len(entries) else ""
        super().__init__(f"{len(entries)} unsupported in this program{where}:\n{lines}")

    @property
    def entries(self) -> tuple[str, ...]:
        """A text for each distinct problem, in the order of their first places."""
        groups: dict[tuple[str, str, str], list[Problem]] = {}
        for problem in self.problems:
            key = (problem.subject, problem.why, problem.remedy)
            groups.setdefault(key, []).append(problem)
        return tuple(_entry(group) for group in groups.values())


FIRST_PLACES = 3
"""Places, or names, of a problem that a message lists."""


def _entry(group: Sequence[Problem]) -> str:
    """The problems that have the same subject, reason and remedy."""
    first = group[0]
    if len(group) == 1:
        return str(first)
    places = list(dict.fromkeys(problem.where for problem in group))
    names = list(dict.fromkeys(problem.what for problem in group))
    # Parameters differ in their names, operators in their places.
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
