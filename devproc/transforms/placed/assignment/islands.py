"""Islands: the fewest groups of ops of one device that dependences allow."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation

from devproc.ir.devices import HOST


def islands_of(
    ops: Sequence[Operation],
    device_of_op: Callable[[Operation], str],
    composites: Iterable[Sequence[Operation]] = (),
) -> list[list[Operation]]:
    """Group all ops into a sequence of islands, each of one device.

    Each island takes every op of its device that is ready, so an op waits only for ops
    of other devices. For two devices and a given first one no grouping has fewer
    islands; all first devices are tried. The ops of a composite are in one island: each
    waits for the operands of all of them.
    """
    devices = {op: device_of_op(op) for op in ops}
    starts = sorted(set(devices.values())) or [HOST]
    producers = {
        op: {o for v in op.operands if isinstance(o := v.owner, Operation)}
        & devices.keys()
        for op in ops
    }
    for members in composites:
        outside = set[Operation]().union(*(producers[op] for op in members))
        for op in members:
            producers[op] |= outside.difference(members)
    return min(
        (_islands_from(first, ops, devices, producers) for first in starts), key=len
    )


def _islands_from(
    first: str,
    ops: Sequence[Operation],
    devices: dict[Operation, str],
    producers: dict[Operation, set[Operation]],
) -> list[list[Operation]]:
    number = {op: index for index, op in enumerate(ops)}
    missing = {op: len(found) for op, found in producers.items()}
    readers: dict[Operation, list[Operation]] = {}
    for op, found in producers.items():
        for producer in found:
            readers.setdefault(producer, []).append(op)
    ready: dict[str, list[int]] = {device: [] for device in devices.values()}
    for op in ops:
        if not missing[op]:
            heapq.heappush(ready[devices[op]], number[op])
    islands: list[list[Operation]] = []
    device = first
    while any(ready.values()):
        taken: list[Operation] = []
        while ready[device]:
            op = ops[heapq.heappop(ready[device])]
            taken.append(op)
            for reader in readers.get(op, ()):
                missing[reader] -= 1
                if not missing[reader]:
                    heapq.heappush(ready[devices[reader]], number[reader])
        if taken:
            islands.append(taken)
        device = next((d for d in ready if d != device and ready[d]), device)
    return islands
