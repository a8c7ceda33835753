"""The assignment of all ops of a program to devices, with the reason for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from devproc.backend.installed import memory_of
from devproc.dialects.dev import PlaceAttr, TargetAttr, byte_size
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.text.location import composite_names, location_name
from devproc.transforms.placed.cost_model import copy_time, op_time, si, work_of
from devproc.transforms.placed.minimum_cut import Flow, assign


@dataclass(frozen=True)
class Override:
    """A placement that the user requests: ops of this name, parts of such ops, or ops
    from this source location, on this device."""

    pattern: str
    device: str

    def matches(self, op: Operation) -> bool:
        """Whether the glob matches a name of the op (`nn.conv2d`) or its location."""
        names = (*names_of(op), location_name(op.location) or "")
        return any(fnmatchcase(name, self.pattern) for name in names)


def names_of(op: Operation) -> tuple[str, ...]:
    """The name of the op, and of the ops from which it was decomposed."""
    return (op.name, *composite_names(op.location))


@dataclass
class Choice:
    """The cheapest device for each op of a program, subject to the user's overrides.

    The first device is the host.
    """

    target: TargetAttr
    ops: Sequence[Operation]
    requests: dict[Operation, Override]
    fixed: Mapping[Operation, PlaceAttr]

    def __post_init__(self) -> None:
        self.devices = self.target.device_names
        self.number = {op: index for index, op in enumerate(self.ops)}
        self.flows = list(flows_of(self.number, self.devices))
        self.times = [
            [round(1000 * op_time(op, name, self.target)) for op in self.ops]
            for name in self.devices
        ]
        requested = {op: request.device for op, request in self.requests.items()}
        placed = {op: memory_of(p.device.data) for op, p in self.fixed.items()}
        pinned = {
            self.number[op]: self.devices.index(name)
            for op, name in (requested | placed).items()
        }
        self.where = assign(self.times, self.flows, pinned)

    def place(self, op: Operation) -> PlaceAttr:
        """The device of an op, with the costs of all devices as the reason."""
        index = self.number[op]
        here = self.where[index]
        others = (d for d in range(len(self.devices)) if d != here)
        rejected = "; ".join(self.against(index, device) for device in others)
        time = self.times[here][index] / 1000
        why = f"{work_of(op)}: {time:.3g} us; {rejected}"
        if (request := self.requests.get(op)) is not None:
            why = f"requested by the user with '{request.pattern}'; {why}"
        return PlaceAttr(StringAttr(self.devices[here]), StringAttr(why))

    def against(self, op: int, device: int) -> str:
        """Why a device was rejected for an op, given the placement of all others."""
        otherwise = [*self.where]
        otherwise[op] = device
        before = self.copies_around(op, self.where)
        after = self.copies_around(op, otherwise)
        more_bytes, more_us = after[0] - before[0], after[1] - before[1]
        here, there = (self.times[d][op] / 1000 for d in (self.where[op], device))
        slower = there - here + more_us
        verdict = f"{slower:.3g} us slower" if slower >= 0 else "faster, not requested"
        return (
            f"rejected {self.devices[device]}: {there:.3g} us and"
            f" {_signed(more_bytes)}B of copies ({more_us:+.3g} us), {verdict}"
        )

    def copies_around(self, op: int, where: Sequence[int]) -> tuple[int, float]:
        """Bytes and microseconds of the copies of an op's operands and results."""
        flows = [f for f in self.flows if f.producer == op or op in f.readers]
        count = sum(flow.byte_count * flow.copies(where) for flow in flows)
        return count, sum(flow.cost(where) for flow in flows) / 1000


def _signed(count: int) -> str:
    return f"{'-' if count < 0 else '+'}{si(abs(count))}"


def flows_of(number: Mapping[Operation, int], devices: Sequence[str]) -> Iterator[Flow]:
    """The values that may be copied between devices; weights are uploaded at load."""
    values: dict[SSAValue, None] = {}
    for op in number:
        values |= dict.fromkeys(op.operands) | dict.fromkeys(op.results)
    for value in values:
        owner = value.owner
        if isinstance(owner, WeightOp | ConstantOp):
            continue
        users = dict.fromkeys(use.operation for use in value.uses)
        count = byte_size(value.type)
        yield Flow(
            number[owner] if isinstance(owner, Operation) else None,
            tuple(number[user] for user in users if user in number),
            any(isinstance(user, ReturnOp) for user in users),
            count,
            (0, *(round(1000 * copy_time(count)) for _ in devices[1:])),
        )
