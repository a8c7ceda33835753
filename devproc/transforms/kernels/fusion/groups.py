"""A group: the ops of one kernel, on one iteration space.

A member may read from its group only the element computed in the same iteration, so
that only scalars pass between members.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from devproc.dialects.dev import device_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    Generic,
    captured,
    classify,
    is_parallel,
    is_slice,
    loop_sizes,
    maps_of,
)
from devproc.ir.types import item_size, tensor_of
from devproc.transforms.kernels.fusion.alignment import moved

ROW_LIMIT = 65_536
"""Reductions of longer rows are not fused: a row that several ops traverse must fit in
a core's cache, or in the registers of one GPU program."""


@dataclass(eq=False)
class Group:
    """The ops of one kernel on one iteration space, the domain."""

    family: str
    sizes: list[int]
    """The domain; for a contraction, window or gather only the parallel loops."""
    rows: int
    """For a reduction, how many leading loops are parallel; else all."""
    members: list[Generic] = field(default_factory=list[Generic])
    loops: dict[Generic, list[int | None]] = field(
        default_factory=dict[Generic, list[int | None]]
    )
    """For each member, the domain's loop of each of its own loops (None: dropped)."""
    values: dict[SSAValue, AffineMap] = field(default_factory=dict[SSAValue, AffineMap])
    """The map from the domain to the indices of each result of a member."""

    def add(self, op: Generic, loops: list[int | None]) -> None:
        """Add a member whose loops map to these loops of the domain."""
        self.members.append(op)
        self.loops[op] = loops
        for result, map_ in zip(op.results, output_maps(op), strict=True):
            self.values[result] = moved(map_, loops, len(self.sizes))

    def picks_on_host(self) -> bool:
        """Whether this is a CPU gather without taps, whose loops allow an epilogue."""
        anchor = self.members[0]
        on_host = device_of(anchor.results[0].type) == HOST
        return self.family == "gather" and on_host and anchor in self.loops

    def picks_rows(self) -> bool:
        """Whether this gathers whole rows of tables, which a reduction can load itself.
        Concatenations and reversals compute each index from the loops: copying them in
        split or reversed loops is several times as fast as indexed loads.
        """
        return self.picks_on_host() and all(map(_reads_whole_rows, self.members))

    def has_bytes_for(self, op: Generic) -> bool:
        """Whether an op on the CPU reads bytes that this group made of wider sums.
        Storing bytes costs less than storing the sums, as an op with another loop order
        would require if fused."""
        on_host = device_of(op.results[0].type) == HOST
        sums = tensor_of(self.members[0].results[0]).element_type
        return (
            on_host
            and not self.picks_on_host()
            and item_size(sums) > 1
            and any(
                value in self.values and item_size(tensor_of(value).element_type) == 1
                for value in op.inputs
            )
        )

    def reorder(self, order: Sequence[int]) -> None:
        """Permute the loops of the domain: new loop i is old `order[i]`."""
        new = {old: i for i, old in enumerate(order)}
        self.sizes = [self.sizes[old] for old in order]
        self.loops = {
            op: [None if loop is None else new[loop] for loop in loops]
            for op, loops in self.loops.items()
        }
        moves = [new[i] for i in range(len(order))]
        self.values = {
            value: moved(map_, moves, len(order)) for value, map_ in self.values.items()
        }

    def take_reduction(self, op: Generic, loops: list[int | None]) -> bool:
        """Add a reduction over columns; returns False if its rows or columns differ.

        A parallel loop of size 1 may map to no loop of the group.
        """
        kinds = list(zip(loops, is_parallel(op), strict=True))
        if (None, False) in kinds:
            return False
        rows = [loop for loop, p in kinds if p and loop is not None]
        columns = [loop for loop, p in kinds if not p and loop is not None]
        if prod(self.sizes[loop] for loop in columns) > ROW_LIMIT:
            return False
        if any(is_slice(map_, v, self.sizes) for v, map_ in self.values.items()):
            return False
        if self.family == "reduction":
            if set(rows) != set(range(self.rows)):
                return False
        else:
            order = [*rows, *columns]
            self.family, self.rows = "reduction", len(rows)
            self.reorder(order)
            loops = [None if loop is None else order.index(loop) for loop in loops]
        self.add(op, loops)
        return True


def _reads_whole_rows(op: Generic) -> bool:
    """Whether each index in the body is a loop index or loaded, never computed."""
    block = op.body.block
    computed: set[SSAValue] = set()
    for inner in block.ops:
        if any(
            isinstance(operand.owner, IndexOp) or operand in computed
            for operand in inner.operands
        ) and not isinstance(inner, tensor.ExtractOp):
            computed.update(inner.results)
    return not any(
        index in computed
        for inner in block.ops
        if isinstance(inner, tensor.ExtractOp)
        for index in inner.indices
    )


def output_maps(op: Generic) -> list[AffineMap]:
    """The maps of the outputs."""
    return maps_of(op)[len(op.inputs) :]


def start_group(op: Generic) -> Group:
    """A group of one op, its anchor."""
    family, sizes = classify(op), list(loop_sizes(op))
    parallel = is_parallel(op)
    group = Group(family, sizes, sum(parallel))
    if family not in ("reduction", "pointwise"):
        group.sizes = sizes[: group.rows]
        group.members.append(op)
        identity = AffineMap.identity(group.rows)
        group.values = dict.fromkeys(op.results, identity)
        if all(parallel):
            group.loops[op] = list(range(len(sizes)))
    else:
        group.add(op, list(range(len(sizes))))
    return group


def reads(op: Operation) -> Iterator[SSAValue]:
    """The values an op depends on, those its body captures included."""
    yield from op.operands
    if isinstance(op, Generic):
        yield from captured(op)


def is_identity(map_: AffineMap) -> bool:
    """Whether a tensor is indexed by exactly all loops in order."""
    return map_ == AffineMap.identity(map_.num_dims)


def has_border(op: Generic) -> bool:
    """Whether an op writes a result into a larger, padded tensor."""
    results = zip(output_maps(op), op.outputs, strict=True)
    return any(is_slice(map_, value, loop_sizes(op)) for map_, value in results)


def is_in_order(map_: AffineMap) -> bool:
    """Whether a tensor is indexed by all loops in order, possibly with an offset."""
    return [e.used_dims() for e in map_.results] == [{d} for d in range(map_.num_dims)]


def is_permutation(map_: AffineMap) -> bool:
    """Whether a tensor is indexed by each loop alone, in any order."""
    places = [e.position for e in map_.results if isinstance(e, AffineDimExpr)]
    return sorted(places) == list(range(map_.num_dims)) and len(places) == len(
        map_.results
    )


def fits_pointwise(op: Generic, group: Group, loops: Sequence[int | None]) -> bool:
    """Whether a pointwise op with this loop mapping may be a member of the group."""
    placed = {loop for loop in loops if loop is not None}
    if group.family == "reduction":
        return placed in (
            set(range(group.rows)),
            set(range(len(group.sizes))),
        ) and not has_border(op)
    if len(placed) < len(group.sizes) or None in loops:
        return False
    if group.family == "gather" and group.has_bytes_for(op):
        return False
    if group.family in ("pointwise", "gather"):
        return True
    maps = [moved(m, loops, len(group.sizes)) for m in output_maps(op)]
    if device_of(op.results[0].type) in (HOST, None):
        return all(map(is_in_order, maps))
    # A program of a GPU writes its tile in any order of the loops.
    return all(map(is_permutation, maps))


def writing_order(group: Group) -> list[int]:
    """The loops in the memory order of the last result."""
    last = group.values[group.members[-1].results[0]]
    order = [d for e in last.results for d in e.used_dims()]
    return [*order, *(i for i in range(len(group.sizes)) if i not in order)]
