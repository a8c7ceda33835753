"""What the user asks of the placement: devices, forbidden devices, limits of memory.

Three attributes of the module hold it, each a list of pairs of strings; those of a file
and of Python are read by `devproc.backend.placement`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from devproc.errors import CompileError, did_you_mean
from devproc.ir.text.location import composite_names, location_name

OVERRIDES = "devproc.placement"
"""Pattern and device: `[["fc*", "npu"]]`; the last that matches an op holds."""

FORBIDDEN = "devproc.forbidden"
"""Pattern and device that must not compute what matches it."""

MEMORY = "devproc.memory"
"""Device and the bytes of its memory that a program may use: `[["npu", "262144"]]`."""


@dataclass(frozen=True)
class Override:
    """A pattern of ops, and a device that is requested or forbidden for them."""

    pattern: str
    device: str

    def matches(self, op: Operation) -> bool:
        """Whether the glob matches a name of the op (`nn.conv2d`) or its location."""
        names = (*names_of(op), location_name(op.location) or "")
        return any(fnmatchcase(name, self.pattern) for name in names)


def names_of(op: Operation) -> tuple[str, ...]:
    """The name of the op, and of the ops from which it was decomposed."""
    return (op.name, *composite_names(op.location))


@dataclass(frozen=True)
class Requests:
    """What the user asks, resolved for the ops of a program."""

    devices: Mapping[Operation, Override]
    forbidden: Mapping[Operation, Sequence[Override]]
    memory: Mapping[str, int]
    """Device -> bytes."""

    def reasons(self, op: Operation, device: str) -> list[str]:
        """Why a device must not compute an op, because of the user."""
        return [
            f"forbidden by the user with '{row.pattern}'"
            for row in self.forbidden.get(op, ())
            if row.device == device
        ]


def read_requests(
    module: ModuleOp, ops: Sequence[Operation], devices: Sequence[str]
) -> Requests:
    """The requests that a module holds.

    Raises CompileError for a pattern that matches no op, and for a requested device that
    the target lacks. A device that is forbidden or limited may be missing.
    """
    requested: dict[Operation, Override] = {}
    for row in overrides_in(module, OVERRIDES):
        if row.device not in devices:
            raise CompileError(
                f"placement of '{row.pattern}' on '{row.device}': the target has only"
                f" {', '.join(devices)}; compile for a target with that device"
            )
        requested |= dict.fromkeys(matched(ops, row, "on"), row)
    forbidden: dict[Operation, list[Override]] = {}
    for row in overrides_in(module, FORBIDDEN):
        for op in matched(ops, row, "not on"):
            forbidden.setdefault(op, []).append(row)
    memory = {name: int(size) for name, size in pairs_in(module, MEMORY)}
    return Requests(requested, forbidden, memory)


def matched(
    ops: Sequence[Operation], row: Override, relation: str
) -> Iterable[Operation]:
    """The ops that an override matches; raises CompileError for none."""
    found = [op for op in ops if row.matches(op)]
    if not found:
        raise CompileError(
            f"placement of '{row.pattern}' {relation} '{row.device}' matches no op;"
            f" {known_names(ops, row.pattern)}"
        )
    return found


def known_names(ops: Sequence[Operation], pattern: str) -> str:
    """What a pattern can match, for the message about one that matches nothing."""
    known = sorted({name for op in ops for name in names_of(op)})
    names, close = ", ".join(known), did_you_mean(pattern, known)
    return f"patterns match op names ({names}) or places such as 'fc*'{close}"


def overrides_in(module: ModuleOp, attribute: str) -> Iterator[Override]:
    """The pairs of pattern and device of an attribute."""
    return (
        Override(pattern, device) for pattern, device in pairs_in(module, attribute)
    )


def pairs_in(module: ModuleOp, attribute: str) -> Iterator[tuple[str, str]]:
    """The pairs of strings of an attribute of a module."""
    given = module.attributes.get(attribute)
    rows = cast(ArrayAttr[ArrayAttr[StringAttr]], given) if given else ()
    for row in rows:
        first, second = (item.data for item in row)
        yield first, second
