"""Schedules that the user chose for kernels, as an attribute of the module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute

from devproc.dialects.sched.base import Schedule
from devproc.errors import CompileError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

OVERRIDES = "devproc.schedules"
"""Module attribute: pairs of a pattern on kernel names and a schedule."""


def set_overrides(module: ModuleOp, schedules: Mapping[str, Schedule]) -> None:
    """Append pairs of a pattern and a schedule to those of a module."""
    pairs = list(_pairs(module))
    pairs += [ArrayAttr((StringAttr(p), s)) for p, s in schedules.items()]
    if pairs:
        module.attributes[OVERRIDES] = ArrayAttr(pairs)


def overrides_of(module: ModuleOp) -> list[tuple[str, Schedule]]:
    """The patterns and schedules of a module; the first match for a kernel applies."""
    return [
        (cast(StringAttr, pattern).data, cast(Schedule, schedule))
        for pattern, schedule in _pairs(module)
    ]


def override_for(module: ModuleOp, kernel: str) -> Schedule | None:
    """The schedule that the user chose for a kernel; None if there is none."""
    found = (s for p, s in overrides_of(module) if fnmatchcase(kernel, p))
    return next(found, None)


def illegal(kernel: str, schedule: Schedule, problems: Iterable[str]) -> CompileError:
    """The error for a schedule that is illegal for a kernel, with all the reasons."""
    why = "; ".join(dict.fromkeys(problems)) or "it has no structured op"
    return CompileError(
        f"the kernel @{kernel} cannot have the schedule {schedule}: {why}"
    )


def require_matches(module: ModuleOp, kernels: Iterable[str]) -> None:
    """Raises CompileError for a pattern that matches none of these kernels."""
    names = list(kernels)
    for pattern, schedule in overrides_of(module):
        if not any(fnmatchcase(name, pattern) for name in names):
            known = ", ".join(names) or "none"
            raise CompileError(
                f"no kernel matches '{pattern}', which should have the"
                f" schedule {schedule}; the kernels are: {known}"
            )


def _pairs(module: ModuleOp) -> ArrayAttr[ArrayAttr[Attribute]]:
    given = module.attributes.get(OVERRIDES, ArrayAttr(()))
    return cast(ArrayAttr[ArrayAttr[Attribute]], given)
