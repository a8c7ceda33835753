"""The placement of a program as numbers: times of ops, copies, composites, limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from devproc.backend.installed import backend, memory_of
from devproc.dialects.dev import PlaceAttr, byte_size
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.devices import HOST
from devproc.transforms.placed.assignment.composites import Match, composites_of
from devproc.transforms.placed.assignment.cost_model import CostModel
from devproc.transforms.placed.assignment.minimum_cut import (
    Flow,
    Unit,
    assign,
    total_ns,
)
from devproc.transforms.placed.assignment.requests import Requests

ILLEGAL_NS = 1 << 100
"""The time of an op on a device that cannot compute it."""

UNASKED_NS = 1 << 40
"""The time of an op on the host, for a target without it: only what no other device can
compute is there."""


@dataclass(frozen=True)
class Problem:
    """Where to place each op; ops and devices are indices, the host is device 0."""

    ops: Sequence[Operation]
    devices: Sequence[str]
    times: Sequence[Sequence[int]]
    """For each device, the nanoseconds of each op by itself."""
    flows: Sequence[Flow]
    units: Sequence[Unit]
    matches: Sequence[Match]
    """The composite of each unit."""
    reasons: Sequence[Sequence[Sequence[str]]]
    """For each device and op: why the device cannot compute it alone."""
    pinned: Mapping[int, int]
    limits: Mapping[int, int]
    """Device -> bytes of its memory that may be used."""
    asked: Sequence[str]
    """The devices of the target; `devices` has the host in any case."""

    def assigned(self) -> list[int]:
        """The cheapest device of each op, without regard to limits of memory."""
        return assign(self.times, self.flows, self.pinned, self.units)

    def cost(self, where: Sequence[int]) -> int:
        """The nanoseconds of an assignment."""
        return total_ns(self.times, self.flows, where, self.units)

    def pin(self, op: int, device: int) -> Problem:
        """The same problem with the device of an op given."""
        return replace(self, pinned={**self.pinned, op: device})

    def free(self, op: int) -> Problem:
        """The same problem without a given device of an op."""
        return replace(self, pinned={o: d for o, d in self.pinned.items() if o != op})

    def with_link(
        self, device: int, seconds: float, bytes_per_second: float
    ) -> Problem:
        """The same problem with another link between the host and a device."""
        flows: list[Flow] = []
        for flow in self.flows:
            copies = list(flow.copy_ns)
            copies[device] = round(1e9 * (seconds + flow.byte_count / bytes_per_second))
            flows.append(replace(flow, copy_ns=tuple(copies)))
        return replace(self, flows=flows)


def problem_of(
    ops: Sequence[Operation],
    devices: Sequence[str],
    model: CostModel,
    requests: Requests,
    fixed: Mapping[Operation, PlaceAttr],
) -> Problem:
    """The placement of `ops`; some have a fixed device, even one that is no candidate."""
    asked = model.target.device_names
    number = {op: index for index, op in enumerate(ops)}
    reasons = [[_reasons(op, name, requests, fixed) for op in ops] for name in devices]
    times: list[list[int]] = []
    for name, row in zip(devices, reasons, strict=True):
        unasked = 0 if name in asked else UNASKED_NS
        times.append(
            [
                ILLEGAL_NS
                if refused
                else unasked or (0 if op in fixed else _ns(model.op_time(op, name)))
                for op, refused in zip(ops, row, strict=True)
            ]
        )
    placed = {op: memory_of(place.device.data) for op, place in fixed.items()}
    pinned = {number[op]: devices.index(name) for op, name in placed.items()}
    found = list(_units(ops, devices, number, times, model, requests, fixed))
    whole = {(unit.device, op) for unit, _ in found for op in unit.members}
    for op, request in requests.devices.items():
        index, device = number[op], devices.index(request.device)
        if not reasons[device][index] or (device, index) in whole:
            pinned.setdefault(index, device)
    return Problem(
        ops,
        devices,
        times,
        list(flows_of(number, devices, model)),
        [unit for unit, _ in found],
        [match for _, match in found],
        reasons,
        pinned,
        {
            devices.index(name): size
            for name, size in requests.memory.items()
            if name in devices
        },
        asked,
    )


def _ns(microseconds: float) -> int:
    return round(1000 * microseconds)


def _reasons(
    op: Operation,
    device: str,
    requests: Requests,
    fixed: Mapping[Operation, PlaceAttr],
) -> Sequence[str]:
    if op in fixed:
        return ()
    return [*requests.reasons(op, device), *backend(device).legal([op])]


def _units(
    ops: Sequence[Operation],
    devices: Sequence[str],
    number: Mapping[Operation, int],
    times: Sequence[Sequence[int]],
    model: CostModel,
    requests: Requests,
    fixed: Mapping[Operation, PlaceAttr],
) -> Iterator[tuple[Unit, Match]]:
    """The composites that save time, or that make ops possible, on their device."""
    for device, name in enumerate(devices):
        if name not in model.target.device_names:
            continue
        free = [o for o in ops if o not in fixed and not requests.reasons(o, name)]
        for match in composites_of(free, name):
            members = tuple(number[op] for op in match.ops)
            alone = sum(times[device][member] for member in members)
            saving = alone - _ns(model.composite_time(match.ops, name))
            if saving > 0:
                yield Unit(members, device, saving), match


def flows_of(
    number: Mapping[Operation, int], devices: Sequence[str], model: CostModel
) -> Iterator[Flow]:
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
            tuple(
                0 if name == HOST else _ns(model.copy_time(count, name))
                for name in devices
            ),
        )
