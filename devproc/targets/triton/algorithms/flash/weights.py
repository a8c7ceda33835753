"""How a block of scores becomes weights: factors, hidden keys, exponentials."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log2

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.targets.triton.algorithms.flash.in_use import KeysInUse
from devproc.targets.triton.algorithms.flash.nest import NONE, Attention, Weighing
from devproc.targets.triton.transforms.to_triton.blockwise import Blockwise
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder
from devproc.targets.triton.transforms.to_triton.expansions import accurate_exp
from devproc.targets.triton.transforms.to_triton.kernel import Kernel, Site

LOG2_E = log2(e)


@dataclass(frozen=True)
class Weights:
    """The weights of an attention, as powers of two: `exp(x) = exp2(x * log2(e))`.

    Where scores are only multiplied by a number, they stay products, and the number is a
    part of the factor of the power, which then costs one fused multiply-add.
    """

    b: BlockBuilder
    nest: Attention
    scale: float | None
    """The number that scores are still to be multiplied by; None if there is none."""
    is_exact: bool
    """Whether powers are those of `exp` in full precision."""

    @property
    def weighing(self) -> Weighing:
        """The ops of the nest."""
        return self.nest.weighing

    @property
    def factor(self) -> float:
        """What a score is multiplied by in the power of two."""
        return LOG2_E * (1.0 if self.scale is None else self.scale)

    def masked(
        self,
        kernel: Kernel,
        site: Site,
        product: SSAValue,
        is_edge: bool,
        in_use: KeysInUse | None,
    ) -> SSAValue:
        """The scores, minus infinity for hidden keys."""
        b, block = self.b, self.nest.steps[1].block
        body = Body(b, site, kernel.strict)
        body.values[block.args[0]] = product
        generic = self.nest.steps[1]
        for index, value in enumerate(generic.inputs):
            is_bound = self.weighing.bound and self.weighing.bound.last == index
            if index and block.args[index].uses and not is_bound:
                read = kernel.read(value, generic.maps[index], site)
                body.values[block.args[index]] = read
        score = product
        if self.scale is None:
            body.need(self.weighing.score)
            score = body.get(self.weighing.score)
        seen = self._in_band(site) if is_edge else None
        if is_edge and in_use is not None:
            key = b.ssa(site.space.dim(len(self.nest.head_dims) + 1))
            seen = b.both(seen, in_use.seen(b, key))
        for condition in self.weighing.conditions:
            body.need(condition)
            seen = b.both(seen, body.get(condition))
        seen = b.both(site.space.axes[-1].mask, seen)
        return score if seen is None else b.where(seen, score, b.constant(NONE, f32))

    def _in_band(self, site: Site) -> SSAValue | None:
        b, band = self.b, self.weighing.band
        count = len(self.nest.head_dims)
        seen: SSAValue | None = None
        if band == type(band)():
            return None
        query, key = site.space.dim(count), b.ssa(site.space.dim(count + 1))
        if band.low is not None:
            seen = b.compare("sge", key, b.ssa(b.offset(query, band.low)))
        if band.high is not None:
            below = b.compare("sle", key, b.ssa(b.offset(query, band.high)))
            seen = b.both(seen, below)
        return seen

    def power(self, score: SSAValue, most: SSAValue) -> SSAValue:
        """exp(score - most), of the scores as they are kept."""
        b = self.b
        if self.is_exact:
            difference = b.elementwise(arith.SubfOp, score, most)
            return accurate_exp(Blockwise(b, f32), difference)
        factor = b.constant(self.factor, f32)
        if self.scale is None:
            # A score of the lowest finite number must not overflow.
            difference = b.elementwise(arith.SubfOp, score, most)
            return b.elementwise(
                math.Exp2Op, b.elementwise(arith.MulfOp, difference, factor)
            )
        product, of_most = (
            b.elementwise(arith.MulfOp, value, factor) for value in (score, most)
        )
        return b.elementwise(math.Exp2Op, b.elementwise(arith.SubfOp, product, of_most))

    def in_scores(self, most: SSAValue) -> SSAValue:
        """A maximum of the scores as they are kept, as one of the scores."""
        if self.scale is None:
            return most
        return self.b.elementwise(arith.MulfOp, most, self.b.constant(self.scale, f32))


def weights_of(b: BlockBuilder, nest: Attention, strict: bool) -> Weights:
    """The weights of an attention; in full precision if `strict`."""
    return Weights(b, nest, None if strict else nest.weighing.scale, strict)
