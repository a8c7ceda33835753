"""The loops of a structured op whose elements are computed one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from devproc.algorithms.single_op import SingleOp, match_each
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.targets.cpu.transforms.loops.kernels import (
    StructuredOp,
    is_parallel,
    loop_sizes,
    maps_of,
)


class ElementsNest(SingleOp[StructuredOp]):
    """An op with the numbers of its outer loops and of its reduction loops."""

    @lazy_property
    def sizes(self) -> Sequence[int]:
        """The sizes of all loops."""
        return loop_sizes(self.op)

    @lazy_property
    def outer(self) -> Sequence[int]:
        """Loops that are parallel or index an output, which is no register then."""
        reached: set[int] = set()
        for map_ in maps_of(self.op)[len(self.op.inputs) :]:
            reached |= map_.used_dims()
        kinds = is_parallel(self.op)
        return [d for d, parallel in enumerate(kinds) if parallel or d in reached]

    @lazy_property
    def inner(self) -> Sequence[int]:
        """The other loops, which reduce into registers."""
        return [d for d in range(len(self.sizes)) if d not in self.outer]

    @lazy_property
    def parallel(self) -> Sequence[int]:
        """The leading outer loops that are parallel."""
        return list(takewhile(is_parallel(self.op).__getitem__, self.outer))


match = match_each(StructuredOp, ElementsNest)
