# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""The best assignment of ops to host and device: a minimum cut (Stone, 1977).

One side of the cut is the host, the other the device. An op on one side cuts an edge
that costs its time there; a value with readers on the other side cuts an edge that costs
its copy, once for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HOST, DEVICE = "host side", "device side"


@dataclass(frozen=True)
class Flow:
    """A value: who makes it (None: an input), who reads it, whether the host gets it.

    Ops are numbers.
    """

    producer: int | None
    readers: tuple[int, ...]
    is_output: bool
    byte_count: int
    copy_ns: int

    def copied(self, on_device: Sequence[bool]) -> bool:
        """Whether the value has to be copied under an assignment."""
        here = self.producer is not None and on_device[self.producer]
        sides = {on_device[reader] for reader in self.readers}
        if self.is_output:
            sides.add(False)
        return bool(sides - {here})


def total_ns(
    host_ns: Sequence[int],
    device_ns: Sequence[int],
    flows: Sequence[Flow],
    on_device: Sequence[bool],
) -> int:
    """The time of an assignment: what the cut minimises."""
    ops = sum(
        device_ns[op] if there else host_ns[op] for op, there in enumerate(on_device)
    )
    return ops + sum(flow.copy_ns for flow in flows if flow.copied(on_device))


def assign(
    host_ns: Sequence[int],
    device_ns: Sequence[int],
    flows: Sequence[Flow],
    pinned: Mapping[int, bool],
) -> list[bool]:
    """For each op, whether it runs on the device; ties go to the host.

    `pinned` ops stay where it says (True: on the device).
    """
    # Importing networkx takes a quarter of a second; one-device programs never need it.
    import networkx as nx

    if not host_ns:
        return []
    graph = nx.DiGraph()
    for op, (here, there) in enumerate(zip(host_ns, device_ns, strict=True)):
        # An edge without a capacity cannot be cut: so a pinned op stays.
        graph.add_edge(op, DEVICE, **({} if pinned.get(op) else {"capacity": here}))
        stays = pinned.get(op) is False
        graph.add_edge(HOST, op, **({} if stays else {"capacity": there}))
    for index, flow in enumerate(flows):
        producer = HOST if flow.producer is None else flow.producer
        if flow.readers:
            up = ("to the device", index)
            graph.add_edge(producer, up, capacity=flow.copy_ns)
            for reader in flow.readers:
                graph.add_edge(up, reader)
        if flow.producer is not None:
            down = ("to the host", index)
            graph.add_edge(down, producer, capacity=flow.copy_ns)
            for reader in (*flow.readers, *((HOST,) if flow.is_output else ())):
                graph.add_edge(reader, down)
    _, (_, device_side) = nx.minimum_cut(graph, HOST, DEVICE)
    return [op in device_side for op in range(len(host_ns))]
