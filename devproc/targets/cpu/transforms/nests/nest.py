"""One loop nest: an anchor, the fills of its accumulators, and its epilogue."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir.affine import AffineDimExpr

from devproc.targets.cpu.transforms.loops.kernels import (
    StructuredOp,
    body_work,
    is_parallel,
    loop_sizes,
    maps_of,
)
from devproc.targets.cpu.transforms.nests.loop_space import (
    LoopSpace,
    Operand,
    index_uses,
    operands_of,
)


class Nest(LoopSpace):
    """The loops of an anchor, with the fills of its accumulators and its epilogue.

    `ops`: all ops of the nest, in order.
    """

    def __init__(
        self,
        anchor: StructuredOp,
        starts: Sequence[FillOp | None] = (),
        epilogue: StructuredOp | None = None,
        ops: Sequence[StructuredOp] = (),
    ):
        kinds = is_parallel(anchor)
        super().__init__(loop_sizes(anchor), kinds)
        self.anchor, self.epilogue = anchor, epilogue
        self.starts = list(starts) or [None] * len(anchor.outputs)
        self.ops = list(ops) or [anchor]
        maps, count = maps_of(anchor), len(anchor.inputs)
        self.inputs = operands_of(anchor.inputs, maps[:count])
        self.outputs = operands_of(anchor.outputs, maps[count:])
        self.more_inputs: list[Operand] = []
        self.more_outputs: list[Operand] = []
        self.pinned |= index_uses(anchor)
        self.outer = [d for d, parallel in enumerate(kinds) if parallel]
        """Original loops of the anchor that the epilogue has, too."""
        if epilogue is not None:
            over_anchor = [AffineDimExpr(d) for d in self.outer]
            maps = [
                m.replace_dims_and_symbols(over_anchor, [], len(kinds), 0)
                for m in maps_of(epilogue)
            ]
            count = len(epilogue.inputs)
            self.more_inputs = operands_of(epilogue.inputs, maps[:count])
            self.more_outputs = operands_of(epilogue.outputs, maps[count:])
            self.pinned |= {self.outer[d] for d in index_uses(epilogue)}
        self.operands = [
            *self.inputs,
            *self.outputs,
            *self.more_inputs,
            *self.more_outputs,
        ]

    @property
    def bodies(self) -> list[StructuredOp]:
        """The anchor, and the epilogue if there is one."""
        return [self.anchor, *([self.epilogue] if self.epilogue else [])]

    @property
    def results(self) -> list[Operand]:
        """The operands that the nest writes to memory."""
        return self.more_outputs or self.outputs

    @property
    def reductions(self) -> list[int]:
        """The loops that are not parallel, outermost first."""
        return [loop for loop, parallel in enumerate(self.parallel) if not parallel]

    @property
    def work(self) -> int:
        """Scalar operations of the whole nest."""
        result = prod(self.sizes) * body_work(self.anchor)
        if self.epilogue is not None:
            outer = [s for s, p in zip(self.sizes, self.parallel, strict=True) if p]
            result += prod(outer) * body_work(self.epilogue)
        return result
