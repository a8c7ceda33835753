"""Arguments of the DSL's users: checked, converted, and refused at the user's line."""

from __future__ import annotations

import inspect
import math
import operator
import os
from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from xdsl.dialects.builtin import DenseArrayBase, LocationAttr, f64

from devproc.dialects.pipe.base.layout import describe_value
from devproc.errors import BuildError, did_you_mean
from devproc.ir.dtypes import format_shape
from devproc.ir.text.location import make_location
from devproc.ir.text.paths import readable_path
from devproc.ir.types import DTYPES, AnyTensor, item_size

_PACKAGE = str(Path(__file__).parents[1]) + os.sep
_CHANNELS = (1, 3, 4)

_REFUSED = ContextVar[dict[str, list[str]] | None]("refused", default=None)
"""Step -> the problems of its arguments, within the call of a step; None outside."""

_Result = TypeVar("_Result")

LARGEST_VALUE = 4 << 30
"""Largest value of a pipeline, in bytes: more is a mistake in a size, which would otherwise
only surface when the program allocates its memory."""


def user_line() -> tuple[str, int]:
    """File and line of the innermost caller outside this package."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("unknown", 0)


def user_location(name: str) -> LocationAttr:
    """The location of a step: its name and the user's line."""
    file, line = user_line()
    return make_location(name, readable_path(file), line)


def fail(step: str, problem: str, remedy: str) -> NoReturn:
    """Raises BuildError with the user's line, the problem and the remedy, which may be
    empty.

    If arguments of the step were refused before, reports these instead.
    """
    raise_refused()
    raise _error(step, [_with_remedy(problem, remedy)])


def refuse(step: str, problem: str, remedy: str) -> None:
    """Refuses an argument. The step continues with a placeholder, to find all problems of
    its arguments, and fails before it is added.
    """
    refused = _REFUSED.get()
    if refused is None:
        fail(step, problem, remedy)
    refused.setdefault(step, []).append(_with_remedy(problem, remedy))


def raise_refused() -> None:
    """Raises BuildError with all arguments that were refused, if there are any."""
    for step, problems in (_REFUSED.get() or {}).items():
        raise _error(step, problems) from None


def in_one_step(call: Callable[[], _Result]) -> _Result:
    """Runs a step, including steps that it is composed of: refused arguments are reported
    together, and before errors that follow from their placeholders.
    """
    if _REFUSED.get() is not None:
        return call()
    token = _REFUSED.set({})
    try:
        result = call()
        raise_refused()
        return result
    except Exception:
        raise_refused()
        raise
    finally:
        _REFUSED.reset(token)


def _error(step: str, problems: Sequence[str]) -> BuildError:
    """The error with the problems of a step, without duplicates."""
    file, line = user_line()
    found = list(dict.fromkeys(problems))
    if len(found) == 1:
        return BuildError(f"{file}:{line}: {step}: {found[0]}")
    listed = "".join(f"\n  {i}. {problem}" for i, problem in enumerate(found, 1))
    return BuildError(f"{file}:{line}: {step}: {len(found)} problems:{listed}")


def _with_remedy(problem: str, remedy: str) -> str:
    return f"{problem}; {remedy}" if remedy else problem


def text(step: str, what: str, value: object) -> str:
    """A string that is not empty."""
    if isinstance(value, str) and value:
        return value
    refuse(step, f"{what} is {value!r}", "give a string that is not empty")
    return what


def change_of(step: str, value: object, what: str, example: str) -> tuple[str, str]:
    """Both sides of a change: `"HWC->NCHW"`."""
    parts = text(step, "change", value).split("->")
    if len(parts) != 2:
        fail(step, f"{value!r} is no change {what}", f"write '{example}'")
    return parts[0].strip(), parts[1].strip()


def integer(step: str, what: str, value: object) -> int:
    """An integer of any integer type."""
    return _converted(step, what, value, _index, "an integer", 1)


def integers(step: str, what: str, value: object) -> tuple[int, ...]:
    """A tuple of integers."""

    def convert(numbers: Any) -> tuple[int, ...]:
        return tuple(_index(n) for n in numbers)

    return _converted(step, what, value, convert, "a tuple of integers", (1,))


def _index(value: Any) -> int:
    number = operator.index(value)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError
    return number


def number(step: str, what: str, value: object) -> float:
    """A number of any type."""

    def convert(given: Any) -> float:
        # A string is not a number, although float() would parse it.
        return float(given / 1)

    return _converted(step, what, value, convert, "a number", 1.0)


def sizes_of(step: str, what: str, value: object) -> tuple[int, ...]:
    """A tuple of positive integers."""
    sizes = integers(step, what, value)
    if any(size < 1 for size in sizes):
        refuse(step, f"{what} is {format_shape(sizes)}", "sizes must be positive")
    return sizes


def dtype_of(step: str, value: object) -> str:
    """The name of a dtype, given by name or as NumPy's or PyTorch's object."""
    given = value.__name__ if isinstance(value, type) else str(value)
    return choice(step, "dtype", given.removeprefix("torch."), DTYPES)


def choice(step: str, what: str, value: object, known: Collection[str]) -> str:
    """One of the known names; otherwise the error lists them, with a suggestion."""
    if isinstance(value, str) and value in known:
        return value
    meant = did_you_mean(str(value), known)
    refuse(step, f"unknown {what} {value!r}", f"use one of {', '.join(known)}{meant}")
    return next(iter(known))


def floats(step: str, what: str, value: object, count: int) -> DenseArrayBase:
    """Numbers; a single number is repeated `count` times."""

    def convert(numbers: Any) -> list[float]:
        if isinstance(numbers, int | float):
            return [float(numbers)] * count
        return [float(n) for n in numbers]

    return DenseArrayBase.from_list(
        f64, _converted(step, what, value, convert, "numbers", [1.0])
    )


def require_memory(step: str, type_: AnyTensor) -> None:
    """Refuses a value that is too large to be intended; see `LARGEST_VALUE`."""
    size = math.prod(type_.get_shape()) * item_size(type_.element_type)
    if size > LARGEST_VALUE:
        taken, allowed = f"{size / 2**30:.1f} GiB", f"{LARGEST_VALUE >> 30} GiB"
        problem = (
            f"{describe_value(type_)} takes {taken} of memory, and a value may take"
        )
        fail(step, f"{problem} {allowed}", "give a smaller size")


def default_layout(shape: Sequence[int]) -> str:
    """HW, HWC or NHWC if the shape looks like an image, else no layout."""
    if len(shape) == 2:
        return "HW"
    if len(shape) in (3, 4) and shape[-1] in _CHANNELS:
        return "NHWC"[4 - len(shape) :]
    return ""


def _converted(
    step: str,
    what: str,
    value: object,
    convert: Callable[[Any], _Result],
    wanted: str,
    stand_in: _Result,
) -> _Result:
    try:
        return convert(value)
    except (TypeError, ValueError):
        refuse(step, f"{what} is {value!r}", f"give {wanted}")
        return stand_in
