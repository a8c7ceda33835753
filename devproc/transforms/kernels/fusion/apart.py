"""Explains why two kernels were not fused, for each value that passes between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from devproc.ir.program.structured import Generic, is_pointwise, is_slice
from devproc.transforms.kernels.fusion.alignment import align
from devproc.transforms.kernels.fusion.grouping import MOST_MEMBERS, Grouping
from devproc.transforms.kernels.fusion.groups import Group, reads

SEVERAL_TIMES = {
    "contraction": "a product reads each element several times",
    "window": "windows read each element several times",
    "gather": "elements are read at computed indices",
    "reduction": "the loops of the reduction differ from those that produce the value",
    "attention": "attention reads its rows several times",
}
"""Family of the reader's anchor -> why it needs its operand in memory."""


@dataclass(frozen=True)
class Apart:
    """A value that passes from one kernel to another through memory."""

    value: SSAValue
    reader: Operation
    why: str


def values_between(grouping: Grouping) -> Iterator[Apart]:
    """The values between the kernels of a block, once for each reading kernel."""
    for group in grouping.groups:
        seen: set[SSAValue] = set()
        for op in group.members:
            for value in reads(op):
                other = grouping.group_of.get(value.owner)  # pyright: ignore[reportArgumentType]
                if other is None or value in seen or grouping.are_one(other, group):
                    continue
                seen.add(value)
                yield Apart(value, op, _why(value, other, op, group))


def _why(value: SSAValue, maker: Group, op: Generic, reader: Group) -> str:
    if not is_pointwise(op):
        return SEVERAL_TIMES.get(reader.family, "it is read several times")
    if maker.family == "attention":
        return "an attention kernel has no epilogue"
    if len(maker.members) + len(reader.members) > MOST_MEMBERS:
        return f"a kernel has at most {MOST_MEMBERS} ops"
    place = maker.values.get(value)
    if place is not None and is_slice(place, value, maker.sizes):
        return "it is padded: the loops that produce it do not cover the padding"
    if align(op, maker.values, maker.sizes) is None:
        return "it is read at other indices than those of the producing iteration"
    if len(reader.sizes) > len(maker.sizes):
        return "it is read for several elements of a larger result"
    if op is not reader.members[0]:
        return "its reader is in the kernel that produces another of its operands"
    return f"the normal form of a {maker.family} kernel does not allow its reader"
