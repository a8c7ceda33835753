"""A group: the ops of one kernel, on one domain of loops.

What a member reads from its group it must read at the element the group has at hand, so
that nothing but scalars passes between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.dev import device_of
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
"""Elements of a row above which a reduction stays alone: a row that several ops pass
over must stay in a core's cache, or in the registers of one GPU program."""


@dataclass(eq=False)
class Group:
    """The ops of one kernel on one domain of loops."""

    family: str
    sizes: list[int]
    """The domain; of a contraction, window or gather the parallel loops alone."""
    rows: int
    """How many leading loops are rows, in a reduction; else all."""
    members: list[Generic] = field(default_factory=list[Generic])
    loops: dict[Generic, list[int | None]] = field(
        default_factory=dict[Generic, list[int | None]]
    )
    """For each member the domain's loop behind each of its own (None: dropped)."""
    values: dict[SSAValue, AffineMap] = field(default_factory=dict[SSAValue, AffineMap])
    """Each result of a member: how the domain indexes it."""

    def add(self, op: Generic, loops: list[int | None]) -> None:
        """Take in a member whose loops lie on the domain like this."""
        self.members.append(op)
        self.loops[op] = loops
        for result, map_ in zip(op.results, output_maps(op), strict=True):
            self.values[result] = moved(map_, loops, len(self.sizes))

    def picks_on_cpu(self) -> bool:
        """Whether this is a gather without taps, whose loops can do what follows it."""
        anchor = self.members[0]
        on_cpu = device_of(anchor.results[0].type) == "cpu"
        return self.family == "gather" and on_cpu and anchor in self.loops

    def picks_rows(self) -> bool:
        """Whether this picks whole rows of tables, which a reduction can read in its body
        instead. What joins or turns tensors computes each place from the loops: split or
        reversed loops copy that several times as fast as a reduction picks it.
        """
        return self.picks_on_cpu() and all(map(_reads_whole_rows, self.members))

    def has_bytes_for(self, op: Generic) -> bool:
        """Whether an op reads bytes that this group made of wider sums, on the CPU: they
        pass through memory in less time than the sums, which an op with another order of
        loops would have to read there."""
        on_cpu = device_of(op.results[0].type) == "cpu"
        sums = tensor_of(self.members[0].results[0]).element_type
        return (
            on_cpu
            and not self.picks_on_cpu()
            and item_size(sums) > 1
            and any(
                value in self.values and item_size(tensor_of(value).element_type) == 1
                for value in op.inputs
            )
        )

    def reorder(self, order: Sequence[int]) -> None:
        """Put the domain's loops in another order: new loop i is old `order[i]`."""
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
        """Take in a reduction over columns; False where rows and columns disagree.

        A row of one element may be none of the group's loops.
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
    """Whether no index in the body is computed from loops: each is one, or a value's."""
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
    """Whether a tensor is indexed by all loops in their order."""
    return map_ == AffineMap.identity(map_.num_dims)


def has_border(op: Generic) -> bool:
    """Whether an op writes a result into a larger tensor."""
    results = zip(output_maps(op), op.outputs, strict=True)
    return any(is_slice(map_, value, loop_sizes(op)) for map_, value in results)


def is_in_order(map_: AffineMap) -> bool:
    """Whether a tensor is indexed by all loops in their order, perhaps behind a border."""
    return [e.used_dims() for e in map_.results] == [{d} for d in range(map_.num_dims)]


def fits_pointwise(op: Generic, group: Group, loops: Sequence[int | None]) -> bool:
    """Whether a pointwise op with its loops placed so may be a member of the group."""
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
    count = len(group.sizes)
    return all(is_in_order(moved(m, loops, count)) for m in output_maps(op))


def writing_order(group: Group) -> list[int]:
    """The loops in the order in which the last result lies in memory."""
    last = group.values[group.members[-1].results[0]]
    order = [d for e in last.results for d in e.used_dims()]
    return [*order, *(i for i in range(len(group.sizes)) if i not in order)]
