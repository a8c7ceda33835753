"""Binary search in sorted memory, by all lanes of a block at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.targets.triton.dialect import shape_of
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value


@dataclass(frozen=True)
class Search:
    """How many elements of a sorted run come before a number, in each lane."""

    number: SSAValue
    begin: Value
    """The offset of the run."""
    count: Value
    """Its elements."""
    ties: SSAValue | bool
    """Whether elements that are equal to the number come before it."""


def search(
    b: BlockBuilder,
    memory: SSAValue,
    searches: Sequence[Search],
    longest: int,
    inside: SSAValue | None,
) -> list[SSAValue]:
    """The results of searches in runs of at most `longest` elements, in lanes that are
    `inside`: each looks 2^n, ..., 2, 1 elements further."""
    steps = longest.bit_length()
    first = b.constant(1 << (steps - 1), b.index_type)
    zero = b.constant(0, b.index_type)
    zeros = [b.to_shape(zero, shape_of(s.number.type)) for s in searches]

    def halve(_: SSAValue, carried: list[SSAValue]) -> Sequence[SSAValue]:
        step, *found = carried
        nexts: list[SSAValue] = []
        for passed, one in zip(found, searches, strict=True):
            further = b.elementwise(arith.AddiOp, passed, step)
            there = b.both(inside, b.compare("sle", further, b.ssa(one.count)))
            element = b.load(memory, b.add(b.sub(further, 1), one.begin), there)
            before = b.both(there, is_before(b, element, one))
            assert before is not None
            nexts.append(b.where(before, further, passed))
        half = b.elementwise(arith.ShRSIOp, step, b.constant(1, b.index_type))
        return [half, *nexts]

    return b.loop(steps, 1, [first, *zeros], halve, "turn")[1:]


def is_before(b: BlockBuilder, element: SSAValue, search: Search) -> SSAValue:
    """Whether an element comes before the number that is searched."""
    if isinstance(search.ties, bool):
        return b.compare("sle" if search.ties else "slt", element, search.number)
    tie = b.both(b.compare("eq", element, search.number), search.ties)
    assert tie is not None
    return b.elementwise(arith.OrIOp, b.compare("slt", element, search.number), tie)
