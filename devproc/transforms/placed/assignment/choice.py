"""The assignment of all ops of a program to devices, with the reason for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from devproc.dialects.dev import PlaceAttr
from devproc.transforms.placed.assignment.cost_model import si, work_of
from devproc.transforms.placed.assignment.memory_limit import assigned_within_limits
from devproc.transforms.placed.assignment.minimum_cut import Flow, Unit
from devproc.transforms.placed.assignment.problem import Problem
from devproc.transforms.placed.assignment.requests import Requests

ONLY = "the only device"


@dataclass
class Choice:
    """The cheapest device for each op of a program, subject to the user's requests.

    Raises CompileError if the requests cannot be met.
    """

    problem: Problem
    requests: Requests
    fixed: Mapping[Operation, PlaceAttr]
    """The placement of ops that are not chosen."""

    def __post_init__(self) -> None:
        self.number = {op: index for index, op in enumerate(self.problem.ops)}
        self.where = assigned_within_limits(self.problem)
        self._flows = defaultdict[int, list[Flow]](list)
        for flow in self.problem.flows:
            made = () if flow.producer is None else (flow.producer,)
            for op in (*made, *flow.readers):
                self._flows[op].append(flow)
        self._units = defaultdict[int, list[Unit]](list)
        for unit in self.problem.units:
            for op in unit.members:
                self._units[op].append(unit)

    def place(self, op: Operation) -> PlaceAttr:
        """The device of an op, with the costs of all devices as the reason."""
        if op in self.fixed:
            return self.fixed[op]
        if len(self.problem.asked) == 1:
            return self._place_on_only_device(op)
        index, devices = self.number[op], self.problem.devices
        here = self.where[index]
        rejected = [
            self.against(index, device)
            for device in range(len(devices))
            if device != here
        ]
        why = "; ".join((f"{work_of(op)}: {self.here(index)}", *rejected))
        if (request := self.requests.devices.get(op)) is not None:
            wish = f"requested by the user with '{request.pattern}'"
            if request.device != devices[here]:
                wish = f"not on {request.device}, as {wish}, which cannot compute it"
            why = f"{wish}; {why}"
        return PlaceAttr(StringAttr(devices[here]), StringAttr(why))

    def _place_on_only_device(self, op: Operation) -> PlaceAttr:
        index, (only,) = self.number[op], self.problem.asked
        device = self.problem.devices[self.where[index]]
        if device == only:
            return PlaceAttr(StringAttr(device), StringAttr(ONLY))
        reasons = self.problem.reasons[1][index] or ("its memory is too small",)
        why = f"rejected {only}: {', '.join(reasons)}"
        return PlaceAttr(StringAttr(device), StringAttr(why))

    def here(self, op: int) -> str:
        """The time of an op on its device, alone or with those of its composite."""
        unit = self.unit_on(op, self.where[op])
        if unit is None or not unit.is_whole(self.where):
            return f"{self.time([op], self.where):.3g} us"
        return f"{self.time(unit.members, self.where):.3g} us {self.composite(unit)}"

    def composite(self, unit: Unit) -> str:
        """`as 'name' of 3 ops`."""
        name = self.problem.matches[self.problem.units.index(unit)].name
        return f"as '{name}' of {len(unit.members)} ops"

    def unit_on(self, op: int, device: int) -> Unit | None:
        """The composite of a device that an op is a part of."""
        found = (unit for unit in self._units[op] if unit.device == device)
        return next(found, None)

    def moved(self, op: int, device: int) -> tuple[Sequence[int], list[int]]:
        """The ops that go to a device with one, and all devices then.

        They are those of a composite there, else those of the one that it would break.
        """
        unit = self.unit_on(op, device)
        if unit is None:
            broken = self.unit_on(op, self.where[op])
            unit = broken if broken and broken.is_whole(self.where) else None
        ops = (op,) if unit is None else unit.members
        otherwise = [*self.where]
        for member in ops:
            otherwise[member] = device
        return ops, otherwise

    def against(self, op: int, device: int) -> str:
        """Why a device was rejected for an op, given the placement of all others."""
        name = self.problem.devices[device]
        ops, otherwise = self.moved(op, device)
        there = self.unit_on(op, device)
        if there is None:
            reasons = [r for o in ops for r in self.problem.reasons[device][o]]
            if reasons:
                return f"rejected {name}: {', '.join(dict.fromkeys(reasons))}"
        before = self.copies_around(ops, self.where)
        after = self.copies_around(ops, otherwise)
        more_bytes, more_us = after[0] - before[0], after[1] - before[1]
        time = self.time(ops, otherwise)
        slower = time - self.time(ops, self.where) + more_us
        verdict = f"{slower:.3g} us slower"
        if slower < 0:
            limited = device in self.problem.limits
            verdict = f"faster, {'but for its memory' if limited else 'not requested'}"
        whole = f" {self.composite(there)}" if there is not None else ""
        return (
            f"rejected {name}: {time:.3g} us{whole} and"
            f" {_signed(more_bytes)}B of copies ({more_us:+.3g} us), {verdict}"
        )

    def time(self, ops: Iterable[int], where: Sequence[int]) -> float:
        """Microseconds of ops, less what their composites save."""
        alone, units = 0, dict[Unit, None]()
        for op in ops:
            alone += self.problem.times[where[op]][op]
            units |= dict.fromkeys(u for u in self._units[op] if u.is_whole(where))
        return (alone - sum(unit.saving_ns for unit in units)) / 1000

    def copies_around(
        self, ops: Iterable[int], where: Sequence[int]
    ) -> tuple[int, float]:
        """Bytes and microseconds of the copies of the operands and results of ops."""
        flows = {id(flow): flow for op in ops for flow in self._flows[op]}.values()
        count = sum(flow.byte_count * flow.copies(where) for flow in flows)
        return count, sum(flow.cost(where) for flow in flows) / 1000


def _signed(count: int) -> str:
    return f"{'-' if count < 0 else '+'}{si(abs(count))}"
