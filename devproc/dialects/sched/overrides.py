"""Schedules that the user chose for kernels, written on the module."""

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
"""Attribute of the module: pairs of a pattern on the names of kernels and a schedule."""


def set_overrides(module: ModuleOp, schedules: Mapping[str, Schedule]) -> None:
    """Write schedules by pattern on a module, after those that it has."""
    pairs = list(_pairs(module))
    pairs += [ArrayAttr((StringAttr(p), s)) for p, s in schedules.items()]
    if pairs:
        module.attributes[OVERRIDES] = ArrayAttr(pairs)


def overrides_of(module: ModuleOp) -> list[tuple[str, Schedule]]:
    """The patterns and schedules of a module; the first that matches a kernel counts."""
    return [
        (cast(StringAttr, pattern).data, cast(Schedule, schedule))
        for pattern, schedule in _pairs(module)
    ]


def override_for(module: ModuleOp, kernel: str) -> Schedule | None:
    """The schedule that the user chose for a kernel; None for most."""
    found = (s for p, s in overrides_of(module) if fnmatchcase(kernel, p))
    return next(found, None)


def illegal(kernel: str, schedule: Schedule, problems: Iterable[str]) -> CompileError:
    """The error of a schedule that is not legal for a kernel, for each of these reasons."""
    why = "; ".join(dict.fromkeys(problems)) or "it has no structured op"
    return CompileError(
        f"the kernel @{kernel} cannot have the schedule {schedule}: {why}"
    )


def require_matches(module: ModuleOp, kernels: Iterable[str]) -> None:
    """Raises CompileError for a pattern that none of these kernels matches."""
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
