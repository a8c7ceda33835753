"""Greedy grouping: each op, in order, joins the kernel of a producer or starts one.

A group has one domain of loops; what each member reads from the group it must read at
the element the group has at hand, so that nothing but scalars passes between them. A
join must not make two groups need each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from devproc.ir.structured import (
    Generic,
    captured,
    classify,
    is_parallel,
    is_pointwise,
    loop_sizes,
    maps_of,
)
from devproc.transforms.kernels.fusion.alignment import align, moved

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

    def take_reduction(self, op: Generic, loops: list[int]) -> bool:
        """Take in a reduction over columns; False where rows and columns disagree."""
        parallel = is_parallel(op)
        rows = [loop for loop, p in zip(loops, parallel, strict=True) if p]
        columns = [loop for loop, p in zip(loops, parallel, strict=True) if not p]
        if prod(self.sizes[loop] for loop in columns) > ROW_LIMIT:
            return False
        if self.family == "reduction":
            if set(rows) != set(range(self.rows)):
                return False
        else:
            order = [*rows, *columns]
            self.family, self.rows = "reduction", len(rows)
            self.reorder(order)
            loops = [order.index(loop) for loop in loops]
        self.add(op, list(loops))
        return True


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
    else:
        group.add(op, list(range(len(sizes))))
    return group


def reads(op: Operation) -> Iterator[SSAValue]:
    """The values an op depends on, those its body captures included."""
    yield from op.operands
    if isinstance(op, Generic):
        yield from captured(op)


@dataclass
class Grouping:
    """The groups of one block, grown op by op."""

    block: Block
    groups: list[Group] = field(default_factory=list[Group])
    group_of: dict[Operation, Group] = field(default_factory=dict[Operation, Group])

    def __post_init__(self) -> None:
        self.position = {op: i for i, op in enumerate(self.block.ops)}
        for op in self.block.ops:
            if isinstance(op, Generic):
                self._place(op)

    def _place(self, op: Generic) -> None:
        producers = self._producers([op])
        for group in producers:
            if self._join(op, group):
                break
        else:
            group = start_group(op)
            self.groups.append(group)
        self.group_of[op] = group
        if is_pointwise(op):
            for other in self._producers([op]):
                self._absorb(group, other)

    def _producers(self, ops: Iterable[Operation]) -> list[Group]:
        """The groups whose results these ops read; those with an anchor first, then
        the latest: they gain most."""
        owners = [v.owner for op in ops for v in reads(op)]
        found = {
            self.group_of[owner]
            for owner in owners
            if isinstance(owner, Operation) and owner in self.group_of
        }
        return sorted(
            found,
            key=lambda g: (g.family != "pointwise", self.groups.index(g)),
            reverse=True,
        )

    def _join(self, op: Generic, group: Group) -> bool:
        """Add an op to a group whose result it reads, where it fits."""
        loops = align(op, group.values, group.sizes)
        outside = [v for v in reads(op) if v not in group.values]
        if loops is None or self._depends(outside, group):
            return False
        if is_pointwise(op):
            if not fits_pointwise(op, group, loops):
                return False
            group.add(op, loops)
            return True
        if classify(op) != "reduction" or group.family not in (
            "pointwise",
            "reduction",
        ):
            return False
        placed = [loop for loop in loops if loop is not None]
        if len(placed) < len(loops) or len(placed) < len(group.sizes):
            return False
        return group.take_reduction(op, placed)

    def _absorb(self, group: Group, other: Group) -> None:
        """Merge a pointwise group into one that reads it, where it fits as a whole."""
        if other is group or other.family != "pointwise":
            return
        if group.family == "reduction" or other.sizes != group.sizes:
            return
        known = group.values | other.values
        if any(v in group.values for op in other.members for v in reads(op)):
            return
        for reader in group.members:
            reads_other = any(v in other.values for v in reader.inputs)
            if reads_other and (
                align(reader, other.values, other.sizes) != group.loops.get(reader)
            ):
                return
        for mine, theirs in ((group, other), (other, group)):
            outside = [v for op in mine.members for v in reads(op) if v not in known]
            if self._depends(outside, theirs):
                return
        if group.family in ("contraction", "window") and not all(
            is_identity(map_) for map_ in other.values.values()
        ):
            return
        for op in other.members:
            group.loops[op] = other.loops[op]
            self.group_of[op] = group
        group.members = sorted(
            [*other.members, *group.members], key=self.position.__getitem__
        )
        group.values |= other.values
        self.groups.remove(other)

    def _depends(self, values: Iterable[SSAValue], target: Group) -> bool:
        """Whether any of these values needs a result of `target`."""
        first = min(self.position[op] for op in target.members)
        stack = [v.owner for v in values]
        seen: set[object] = set()
        while stack:
            owner = stack.pop()
            group = self.group_of.get(owner) if isinstance(owner, Operation) else None
            if group is target:
                return True
            unit = group or owner
            if unit in seen or not isinstance(owner, Operation):
                continue
            seen.add(unit)
            ops = group.members if group else [owner]
            # What lies before the target as a whole cannot need it.
            if max(self.position.get(op, -1) for op in ops) > first:
                stack.extend(v.owner for op in ops for v in reads(op))
        return False


def is_identity(map_: AffineMap) -> bool:
    """Whether a tensor is indexed by all loops in their order."""
    return map_ == AffineMap.identity(map_.num_dims)


def fits_pointwise(op: Generic, group: Group, loops: Sequence[int | None]) -> bool:
    """Whether a pointwise op with its loops placed so may be a member of the group."""
    placed = {loop for loop in loops if loop is not None}
    if group.family == "reduction":
        return placed in (set(range(group.rows)), set(range(len(group.sizes))))
    if len(placed) < len(group.sizes) or None in loops:
        return False
    if group.family in ("pointwise", "gather"):
        return True
    count = len(group.sizes)
    return all(is_identity(moved(m, loops, count)) for m in output_maps(op))


def writing_order(group: Group) -> list[int]:
    """The loops in the order in which the last result lies in memory."""
    last = group.values[group.members[-1].results[0]]
    order = [e.position for e in last.results if isinstance(e, AffineDimExpr)]
    return [*order, *(i for i in range(len(group.sizes)) if i not in order)]
