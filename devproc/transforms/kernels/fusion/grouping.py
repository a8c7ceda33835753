"""Greedy grouping: each op, in order, joins the kernel of a producer or starts one.

A join must not make two groups depend on each other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.ir.program.structured import (
    CHAIN,
    Generic,
    captured,
    classify,
    is_pointwise,
    loop_sizes,
)
from devproc.transforms.kernels.fusion.alignment import align
from devproc.transforms.kernels.fusion.bottleneck import find_bottlenecks
from devproc.transforms.kernels.fusion.groups import (
    Group,
    fits_pointwise,
    is_in_order,
    reads,
    start_group,
)
from devproc.transforms.kernels.fusion.products import (
    meet_in_last,
    multiply_same_rows,
)
from devproc.transforms.kernels.fusion.rows import belongs_to_rows, is_widening

MOST_MEMBERS = 128
"""Ops of one kernel: registers are exhausted long before, and the compile time of a
function grows superlinearly with its length."""


@dataclass
class Grouping:
    """The groups of one block, grown op by op."""

    block: Block
    groups: dict[Group, None] = field(default_factory=dict[Group, None])
    """The groups in order."""
    group_of: dict[Operation, Group] = field(default_factory=dict[Operation, Group])
    gaps: list[int] = field(default_factory=list[int])
    """Positions of ops that no group extends across, in order."""

    def __post_init__(self) -> None:
        self.position = {op: i for i, op in enumerate(self.block.ops)}
        self.depth: dict[object, int] = {}
        for op, place in self.position.items():
            depths = (self.depth.get(value.owner, 0) for value in reads(op))
            self.depth[op] = 1 + max(depths, default=0)
            if isinstance(op, Generic):
                self._place(op)
                first = self.position[self.group_of[op].members[0]]
                del self.gaps[bisect_left(self.gaps, first) :]
            self.gaps.append(place)
        self.bottlenecks = find_bottlenecks(self.groups, self.group_of)

    def are_one(self, group: Group, other: Group) -> bool:
        """Whether two groups belong to one kernel."""
        return group is other or any(
            {group, other} <= set(three.groups) for three in self.bottlenecks
        )

    def _place(self, op: Generic) -> None:
        if (chain := op.attributes.get(CHAIN)) is not None:
            self._chain(op, chain)
            return
        producers = self._producers([op])
        for group in producers:
            if self._join(op, group):
                break
        else:
            group = start_group(op)
            self.groups[group] = None
        self.group_of[op] = group
        if is_pointwise(op):
            for other in self._producers([op]):
                self._absorb(group, other)

    def _chain(self, op: Generic, chain: Attribute) -> None:
        """Make the ops of one chain a group, without any other op."""
        for group in self.groups:
            if group.members[0].attributes.get(CHAIN) == chain:
                group.members.append(op)
                break
        else:
            group = Group("attention", list(loop_sizes(op)), 0, [op])
            self.groups[group] = None
        self.group_of[op] = group

    def _producers(self, ops: Iterable[Operation]) -> list[Group]:
        """The groups whose results these ops read: those with an anchor first, which
        benefit most, then by descending length of the chain of ops before them.

        So the sum of a residual connection joins the kernel of the longer branch,
        whichever branch the model computes last.
        """
        owners = [v.owner for op in ops for v in reads(op)]
        makers = [
            owner
            for owner in owners
            if isinstance(owner, Operation) and owner in self.group_of
        ]
        makers.sort(key=lambda op: (self.depth[op], self.position[op]), reverse=True)
        found = dict.fromkeys(self.group_of[op] for op in makers)
        return sorted(found, key=lambda group: group.family == "pointwise")

    def _join(self, op: Generic, group: Group) -> bool:
        """Add an op to a group whose result it reads, if it fits."""
        if group.family == "attention" or len(group.members) >= MOST_MEMBERS:
            return False
        pointwise = is_pointwise(op)
        takes = group.family in ("pointwise", "reduction") or group.picks_rows()
        if not pointwise and not (takes and classify(op) == "reduction"):
            return False
        if group.family not in ("pointwise", "reduction") and (
            belongs_to_rows(op) or self._is_for_later(op, group)
        ):
            return False
        loops = align(op, group.values, group.sizes)
        outside = [v for v in reads(op) if v not in group.values]
        if loops is None or self._depends(outside, group):
            return False
        if pointwise:
            if not fits_pointwise(op, group, loops):
                return False
            group.add(op, loops)
            return True
        if len([loop for loop in loops if loop is not None]) < len(group.sizes):
            return False
        return group.take_reduction(op, loops)

    def _is_for_later(self, op: Generic, group: Group) -> bool:
        """Whether a GPU reads less if kernels after this group widen its result.

        They need more than it: a norm the mean of the group's results, for example.
        """
        readers = [use.operation for use in op.results[0].uses]
        return (
            is_widening(op)
            and bool(readers)
            and all(
                isinstance(reader, Generic)
                and is_pointwise(reader)
                and self._depends(
                    [
                        value
                        for value in reads(reader)
                        if value not in group.values and value.owner is not op
                    ],
                    group,
                )
                for reader in readers
            )
        )

    def _absorb(self, group: Group, other: Group) -> None:
        """Merge a pointwise group into one that reads it, if all of it fits; also one
        that gathers rows of other tables, or whose products are computed in one kernel."""
        picks = other.picks_rows() and (
            group.picks_rows() or group.family == "pointwise"
        )
        if other is group or not (
            picks
            or other.family == "pointwise"
            or multiply_same_rows(group, other)
            or meet_in_last(group, other)
        ):
            return
        if len(group.members) + len(other.members) > MOST_MEMBERS:
            return
        if group.family == "reduction" or other.sizes != group.sizes:
            return
        if any(v in group.values for op in other.members for v in reads(op)):
            return
        if any(v in other.values for op in group.members for v in captured(op)):
            return
        for reader in group.members:
            reads_other = any(v in other.values for v in reader.inputs)
            # Pointwise members of a group come after its anchor.
            if reads_other and (
                not is_pointwise(reader)
                or align(reader, other.values, other.sizes) != group.loops.get(reader)
            ):
                return
        for mine, theirs in ((group, other), (other, group)):
            outside = [
                value
                for op in mine.members
                for value in reads(op)
                if value not in group.values and value not in other.values
            ]
            if self._depends(outside, theirs):
                return
        if group.family in ("contraction", "window") and not all(
            is_in_order(map_) for map_ in other.values.values()
        ):
            return
        group.loops |= other.loops
        self.group_of |= dict.fromkeys(other.members, group)
        group.members = sorted(
            [*other.members, *group.members], key=self.position.__getitem__
        )
        group.values |= other.values
        if picks:
            group.family = "gather"
        elif other.family == "window":
            group.family = "window"
        del self.groups[other]

    def _depends(self, values: Iterable[SSAValue], target: Group) -> bool:
        """Whether any of these values depends on a result of `target`."""
        # Members are in block order. Ops before the last gap before the target cannot
        # depend on it; other groups may have members both before and after it.
        gap = bisect_left(self.gaps, self.position[target.members[0]]) - 1
        before = self.gaps[gap] if gap >= 0 else -1
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
            if self.position.get(ops[-1], -1) > before:
                stack.extend(v.owner for op in ops for v in reads(op))
        return False
