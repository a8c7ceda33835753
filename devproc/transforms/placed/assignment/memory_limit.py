"""Assignments within the limits of the memories of devices.

Each op of a device that needs too much memory gets a price for its bytes, and the cut is
repeated with a growing price until the rest fits: a Lagrangian relaxation (Everett,
"Generalized Lagrange multiplier method", 1963). With one price for all, ops of equal use
leave together, so prices that rise or fall along the program are tried as well. A placement
that fits is found if there is one with the requests of the user; it need not be the fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from devproc.dialects.dev import byte_size
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.errors import CompileError
from devproc.transforms.placed.assignment.islands import islands_of
from devproc.transforms.placed.assignment.problem import Problem
from devproc.transforms.placed.assignment.tree_assignment import HOST

FIRST_PRICE = 1 / 64
"""Nanoseconds for each byte, less than any link needs; it is doubled."""

LAST_PRICE = float(1 << 44)
"""Every op that may leave the device has left it."""


HALVINGS = 5
"""Of the interval between a price that is too low and the doubled one."""

Shape = Callable[[float], float]
"""From the position of an op in the program, 0 to 1, to a factor of its price."""

SHAPES: Sequence[Shape] = (lambda _: 1.0, lambda at: at, lambda at: 1.0 - at)


def assigned_within_limits(problem: Problem) -> list[int]:
    """The device of each op, such that what is alive at once on a device fits.

    Raises CompileError if no placement fits that the user's requests allow.
    """
    where = problem.assigned()
    if not _exceeded(problem, where):
        return where
    for device in problem.limits:
        _require_possible(problem, device)
    return min((_fitting(problem, shape) for shape in SHAPES), key=problem.cost)


def _fitting(problem: Problem, shape: Shape) -> list[int]:
    """A placement that fits, with prices of one shape."""
    prices: dict[int, float] = {}
    where = problem.assigned()
    while over := _exceeded(problem, where):
        for device in over:
            prices[device] = 2 * prices.get(device, FIRST_PRICE / 2)
        where = _priced(problem, prices, shape).assigned()
    for device, high in prices.items():
        low = high / 2
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            found = _priced(problem, {**prices, device: middle}, shape).assigned()
            if _exceeded(problem, found):
                low = middle
            else:
                high, where = middle, found
        prices[device] = high
    return where


def _exceeded(problem: Problem, where: list[int]) -> list[int]:
    """The devices whose memory is too small."""
    return [
        device
        for device, limit in problem.limits.items()
        if sum(memory_needed(problem, where, device)) > limit
    ]


def _require_possible(problem: Problem, device: int) -> None:
    """Raises CompileError if the ops that only the device may compute do not fit."""
    where = _priced(problem, {device: LAST_PRICE}, SHAPES[0]).assigned()
    values, weights = memory_needed(problem, where, device)
    if values + weights > problem.limits[device]:
        name, count = problem.devices[device], where.count(device)
        raise CompileError(
            f"the memory of '{name}' is limited to {problem.limits[device]:,} bytes, but"
            f" the {count} ops that have to be there need {values + weights:,}:"
            f" {values:,} for values that are alive at once, {weights:,} for weights;"
            " raise the limit, or request fewer ops there"
        )


def _priced(problem: Problem, prices: Mapping[int, float], shape: Shape) -> Problem:
    """The problem with a price for each byte of the results and weights of ops."""
    last = len(problem.ops) + 1
    times = [list(row) for row in problem.times]
    for device, price in prices.items():
        for index, op in enumerate(problem.ops):
            values = (*op.results, *_weights_of([op]))
            count = sum(byte_size(value.type) for value in values)
            factor = shape((index + 1) / last)
            times[device][index] += round(price * factor * max(count, 1))
    return replace(problem, times=times)


def memory_needed(problem: Problem, where: list[int], device: int) -> tuple[int, int]:
    """The most bytes of values that are alive at once on a device, and those of weights.

    The order of ops is that of their islands. Values that fusion will keep in registers
    count; padding and scratch memory do not.
    """
    device_of = dict(zip(problem.ops, where, strict=True))
    composites = [
        [problem.ops[member] for member in unit.members]
        for unit in problem.units
        if unit.is_whole(where)
    ]
    named = islands_of(problem.ops, lambda op: str(device_of[op]), composites)
    position = {op: i for i, op in enumerate(o for ops in named for o in ops)}
    change = [0] * (len(position) + 1)
    for flow in problem.flows:
        made = 0 if flow.producer is None else position[problem.ops[flow.producer]]
        is_made_here = (0 if flow.producer is None else where[flow.producer]) == device
        reads = [position[problem.ops[r]] for r in flow.readers if where[r] == device]
        if not (is_made_here or reads or (flow.is_output and device == HOST)):
            continue
        # A copy is made as soon as the value is; outputs stay on the host.
        end = max([made, *reads]) + 1
        if flow.is_output and device == HOST:
            end = len(position)
        change[made] += flow.byte_count
        change[end] -= flow.byte_count
    alive = most = 0
    for step in change:
        alive += step
        most = max(most, alive)
    there = [op for op in problem.ops if device_of[op] == device]
    weights = sum(byte_size(value.type) for value in _weights_of(there))
    return most, weights


def _weights_of(ops: Iterable[Operation]) -> Iterable[SSAValue]:
    """The weights and constants that ops read, each once."""
    return dict.fromkeys(
        value
        for op in ops
        for value in op.operands
        if isinstance(value.owner, WeightOp | ConstantOp)
    )
