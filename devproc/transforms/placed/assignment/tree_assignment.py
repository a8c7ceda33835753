"""Exact assignments for programs whose ops and values form a tree.

Dynamic programming, leaves first: for each device of a node's parent, the least time of
its subtree. The cost of the copies of a value depends only on its producer's device and
the set of devices that need it: all sets are tried, with each reader's best device.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devproc.transforms.placed.assignment.minimum_cut import Flow

HOST = 0
"""The index of the host among the devices."""


def assign_tree(
    times: Sequence[Sequence[int]], flows: Sequence[Flow], pinned: Mapping[int, int]
) -> list[int] | None:
    """The cheapest device of each op; None where the program is no tree."""
    made = [() if flow.producer is None else (flow.producer,) for flow in flows]
    ends = [(*one, *f.readers) for one, f in zip(made, flows, strict=True)]
    order = tree_order(len(times[0]), ends)
    if order is None:
        return None
    devices = range(len(times))
    below = [
        [times[d][op] if pinned.get(op, d) == d else inf for d in devices]
        for op in range(len(times[0]))
    ]
    choices: dict[int, list[Mapping[int, int]]] = {}
    for parent, flow in reversed(order):
        if flow is not None:
            best = [
                best_below(flows[flow], ends[flow], parent, device, below, devices)
                for device in devices
            ]
            choices[flow] = [choice for _, choice in best]
            for device, (cost, _) in zip(devices, best, strict=True):
                below[parent][device] += cost
    where = [0] * len(below)
    for parent, flow in order:
        if flow is None:
            where[parent] = min(devices, key=below[parent].__getitem__)
        else:
            for op, device in choices[flow][where[parent]].items():
                where[op] = device
    return where


def tree_order(
    ops: int, ends: Sequence[Sequence[int]]
) -> list[tuple[int, int | None]] | None:
    """(op, child value) pairs from the roots to the leaves, and (root, None).

    None if a value is reached twice, since the program is not a tree.
    """
    values: defaultdict[int, list[int]] = defaultdict(list)
    for value, reached in enumerate(ends):
        for op in reached:
            values[op].append(value)
    order: list[tuple[int, int | None]] = []
    seen: set[int] = set()
    for root in range(ops):
        if root in seen:
            continue
        seen.add(root)
        order.append((root, None))
        todo: list[tuple[int, int | None]] = [(root, None)]
        while todo:
            op, above = todo.pop()
            for value in values[op]:
                if value == above:
                    continue
                children = set(ends[value]) - {op}
                if children & seen:
                    return None
                seen |= children
                order.append((op, value))
                todo += [(child, value) for child in children]
    return order


def best_below(
    flow: Flow,
    ends: Sequence[int],
    parent: int,
    device: int,
    below: Sequence[Sequence[float]],
    devices: Sequence[int],
) -> tuple[float, Mapping[int, int]]:
    """The least time of a value's subtree for a device of its parent; its devices."""
    children = [op for op in ends if op not in (parent, flow.producer)]
    if flow.producer is None:
        producers = [HOST]
    else:
        producers = [device] if flow.producer == parent else list(devices)
    needed = {HOST} if flow.is_output else set[int]()
    if flow.producer != parent:
        needed.add(device)
    best: tuple[float, Mapping[int, int]] = (inf, {})
    for here in producers:
        others = [d for d in devices if d != here]
        sets = (combinations(others, n) for n in range(len(others) + 1))
        for there in chain.from_iterable(sets):
            allowed = (here, *there)
            if not needed <= set(allowed):
                continue
            choice = {op: min(allowed, key=below[op].__getitem__) for op in children}
            if flow.producer not in (None, parent):
                choice[flow.producer] = here
            copies = sum(flow.copy_ns[d] for d in allowed) if there else 0
            cost = copies + sum(below[op][d] for op, d in choice.items())
            if cost < best[0]:
                best = (cost, choice)
    return best
