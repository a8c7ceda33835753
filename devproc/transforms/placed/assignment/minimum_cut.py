# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""Optimal assignment of ops to devices by minimum cuts.

With two devices one cut is exact (Stone, "Multiprocessor scheduling with the aid of
network flow algorithms", 1977). With more the problem is NP-hard (Dahlhaus et al., "The
complexity of multiterminal cuts", 1994): programs whose values form a tree are solved
exactly (`tree_assignment.py`), others by expansion moves (Boykov, Veksler and Zabih, "Fast
approximate energy minimization via graph cuts", 2001). A move lets every op either keep
its device or go to one given device, and one cut finds the best move.

A composite that a device takes as a whole saves time if all of its ops are there. That the
saving is lost if any op is elsewhere is one more node of the cut (Kohli, Kumar and Torr,
"P3 & beyond: solving energies with higher order cliques", 2007), so the cut also decides
between a composite and its ops one by one, and stays exact for two devices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import NamedTuple, TypeAlias

from devproc.transforms.placed.assignment.tree_assignment import HOST, assign_tree

KEEP, MOVE = "keeps its device", "moves"
"""The two sides of a cut."""


@dataclass(frozen=True)
class Flow:
    """A value: its producer (None: an input), its readers, and whether it is an output.

    Ops and devices are indices. `copy_ns`: for each device, the time of a copy between
    it and the host, 0 for the host; copies between two devices go through the host.
    """

    producer: int | None
    readers: tuple[int, ...]
    is_output: bool
    byte_count: int
    copy_ns: tuple[int, ...]

    def devices(self, where: Sequence[int]) -> tuple[int, set[int]]:
        """The device that computes the value, and the others that need it."""
        here = HOST if self.producer is None else where[self.producer]
        there = {where[reader] for reader in self.readers}
        if self.is_output:
            there.add(HOST)
        return here, there - {here}

    def copies(self, where: Sequence[int]) -> int:
        """The number of copies of the value under an assignment."""
        here, there = self.devices(where)
        return bool(there and here != HOST) + len(there - {HOST})

    def cost(self, where: Sequence[int]) -> int:
        """The time of the copies: one from its device, one to each that needs it."""
        here, there = self.devices(where)
        return sum(self.copy_ns[device] for device in (there and {here, *there}))


@dataclass(frozen=True)
class Unit:
    """Ops that a device computes in less time together than one by one."""

    members: tuple[int, ...]
    device: int
    saving_ns: int

    def is_whole(self, where: Sequence[int]) -> bool:
        """Whether all ops are on the device."""
        return all(where[op] == self.device for op in self.members)


def total_ns(
    times: Sequence[Sequence[int]],
    flows: Sequence[Flow],
    where: Sequence[int],
    units: Sequence[Unit] = (),
) -> int:
    """The time of an assignment, which the cuts minimise."""
    ops = sum(times[device][op] for op, device in enumerate(where))
    saved = sum(unit.saving_ns for unit in units if unit.is_whole(where))
    return ops - saved + sum(flow.cost(where) for flow in flows)


def assign(
    times: Sequence[Sequence[int]],
    flows: Sequence[Flow],
    pinned: Mapping[int, int],
    units: Sequence[Unit] = (),
) -> list[int]:
    """The device of each op; ties go to the host, or to the device named first.

    `times[device][op]`: nanoseconds; the host is device 0. `pinned`: fixed devices of
    ops. The result is never worse than the best assignment to any two devices. Units with
    more than two devices are solved by expansion moves, even in a tree.
    """
    devices, ops = range(len(times)), range(len(times[0]))
    if len(times) == 1:
        return [0 for _ in ops]
    if len(times) > 2 and not units:
        if (found := assign_tree(times, flows, pinned)) is not None:
            return found
    best: list[int] | None = None
    for first, second in combinations(devices, 2):
        where = [pinned.get(op, first) for op in ops]
        where = expanded(second, where, times, flows, pinned, units)
        if len(times) > 2:
            where = descended(where, times, flows, pinned, units)
        cost = total_ns(times, flows, where, units)
        if best is None or cost < total_ns(times, flows, best, units):
            best = where
    assert best is not None
    return best


def descended(
    where: list[int],
    times: Sequence[Sequence[int]],
    flows: Sequence[Flow],
    pinned: Mapping[int, int],
    units: Sequence[Unit],
) -> list[int]:
    """Apply expansion moves until none reduces the cost."""
    cost, unchanged, device = total_ns(times, flows, where, units), 0, 0
    while unchanged < len(times):
        moved = expanded(device, where, times, flows, pinned, units)
        less = total_ns(times, flows, moved, units)
        where, unchanged = (moved, 1) if less < cost else (where, unchanged + 1)
        cost, device = min(cost, less), (device + 1) % len(times)
    return where


def expanded(
    device: int,
    where: Sequence[int],
    times: Sequence[Sequence[int]],
    flows: Sequence[Flow],
    pinned: Mapping[int, int],
    units: Sequence[Unit],
) -> list[int]:
    """The cheapest assignment where each op keeps its device or moves to `device`."""
    # Importing networkx takes a quarter of a second; one-device programs never need it.
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from((KEEP, MOVE))
    # The node None is the host, which makes the inputs and reads the outputs.
    node: dict[int | None, Node] = {None: MOVE if device == HOST else KEEP}
    for op, here in enumerate(where):
        node[op] = MOVE if here == device else KEEP if op in pinned else op
        if node[op] == op:
            graph.add_edge(op, MOVE, capacity=times[here][op])
            graph.add_edge(KEEP, op, capacity=times[device][op])
    terms = chain(
        *(terms_of(flow, device, where, node) for flow in flows),
        *(terms_of_unit(unit, device, where, node) for unit in units),
    )
    for via in map(Via, terms):
        term = via.term
        source, target = (term.one, via) if term.keeps else (via, term.one)
        graph.add_edge(source, target, capacity=term.cost)
        for other in term.others:
            # An edge without a capacity cannot be cut.
            graph.add_edge(*((via, other) if term.keeps else (other, via)))
    _, (_, moving) = nx.minimum_cut(graph, KEEP, MOVE)
    return [device if node[op] in moving else here for op, here in enumerate(where)]


Node: TypeAlias = int | str


class Term(NamedTuple):
    """Add a cost that applies if `one` keeps its device and any of `others` moves; with
    `keeps` false, if `one` moves and any of `others` keeps its device."""

    keeps: bool
    one: Node
    others: Sequence[Node]
    cost: int


@dataclass(frozen=True, eq=False)
class Via:
    """The node of a term."""

    term: Term


def terms_of_unit(
    unit: Unit, device: int, where: Sequence[int], node: Mapping[int | None, Node]
) -> Iterator[Term]:
    """Add the saving of a unit as a cost that applies if its ops are not together."""
    nodes = [node[op] for op in unit.members]
    if device == unit.device:
        yield Term(False, MOVE, nodes, unit.saving_ns)
    elif unit.is_whole(where):
        yield Term(True, KEEP, nodes, unit.saving_ns)


def terms_of(
    flow: Flow, device: int, where: Sequence[int], node: Mapping[int | None, Node]
) -> Iterator[Term]:
    """Add the copies of a value as costs of an expansion move to a device."""
    here = HOST if flow.producer is None else where[flow.producer]
    made = node[flow.producer]
    readers: defaultdict[int, list[Node]] = defaultdict(list)
    for reader in (*flow.readers, *((None,) if flow.is_output else ())):
        readers[HOST if reader is None else where[reader]].append(node[reader])
    everyone = [reader for nodes in readers.values() for reader in nodes]
    if flow.copy_ns[device]:
        yield Term(True, made, everyone, flow.copy_ns[device])
        yield Term(False, made, everyone, flow.copy_ns[device])
    for there, nodes in readers.items():
        if there != device and flow.copy_ns[there]:
            # On another device than the producer's they need a copy wherever it moves.
            yield Term(
                False, made if there == here else MOVE, nodes, flow.copy_ns[there]
            )
    if here != device and flow.copy_ns[here]:
        leaves = everyone if readers.keys() <= {here} else [MOVE]
        yield Term(True, made, leaves, flow.copy_ns[here])
