"""Islands: the fewest groups of ops of one device that dependences allow."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

from xdsl.ir import Operation

from devproc.ir.devices import HOST


def islands_of(
    ops: Sequence[Operation], device_of_op: Callable[[Operation], str]
) -> list[list[Operation]]:
    """Group all ops into a sequence of islands, each of one device.

    Each island takes every op of its device that is ready, so an op waits only for ops
    of other devices. For two devices and a given first one no grouping has fewer
    islands; all first devices are tried.
    """
    devices = {op: device_of_op(op) for op in ops}
    starts = sorted(set(devices.values())) or [HOST]
    return min((_islands_from(first, ops, devices) for first in starts), key=len)


def _islands_from(
    first: str, ops: Sequence[Operation], devices: dict[Operation, str]
) -> list[list[Operation]]:
    number = {op: index for index, op in enumerate(ops)}
    producers = {op: {v.owner for v in op.operands if v.owner in number} for op in ops}
    missing = {op: len(found) for op, found in producers.items()}
    readers: dict[object, list[Operation]] = {}
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
