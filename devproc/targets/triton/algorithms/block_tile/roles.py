"""The roles of the loops of a product: rows, columns and terms of `tl.dot`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import BlockArgument, Operation, SSAValue

from devproc.algorithms.base import Refusal
from devproc.ir.types import is_float, item_size
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of


@dataclass(frozen=True)
class Contraction:
    """The operands of a product, by number, and its loops by role."""

    generic: Generic
    a: int
    b: int
    batch: tuple[int, ...]
    m: tuple[int, ...]
    n: tuple[int, ...]
    k: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The numbers of rows, columns, terms of each sum, and products."""
        m, n, k, batch = (
            prod(self.generic.extents[d] for d in dims)
            for dims in (self.m, self.n, self.k, self.batch)
        )
        return m, n, k, batch


def roles_of(generic: Generic) -> Contraction | Refusal:
    """The roles of an op's loops, or why `tl.dot` cannot compute it."""
    found = factors(generic)
    if isinstance(found, Refusal):
        return found
    a, b = found
    elements = {memref_of(generic.inputs[i]).element_type for i in (a, b)}
    element = next(iter(elements))
    if len(elements) > 1 or not is_float(element) or item_size(element) > 4:
        return Refusal("only products of one float type up to 32 bits")
    dims_a, dims_b = (
        {d for expr in generic.maps[i].results for d in expr.used_dims()}
        for i in (a, b)
    )
    outer, k = generic.parallels, generic.reductions
    m = tuple(d for d in outer if d in dims_a and d not in dims_b)
    n = tuple(d for d in outer if d in dims_b and d not in dims_a)
    batch = tuple(d for d in outer if d not in m and d not in n)
    if any(d not in dims_a or d not in dims_b for d in k):
        return Refusal("a reduced loop indexes one operand only")
    if not all(generic.extents[d] for d in k):
        return Refusal("there is nothing to multiply")
    return Contraction(generic, a, b, batch, m, n, k)


def factors(generic: Generic) -> tuple[int, int] | Refusal:
    """The inputs a and b of a body `old + a * b`, with at most conversions in
    between."""
    last = generic.block.last_op
    assert last is not None
    total = last.operands[0].owner
    if len(last.operands) != 1 or not isinstance(total, arith.AddfOp):
        return Refusal("the body is no sum of products")
    old = generic.block.args[len(generic.inputs)]
    terms = [v for v in total.operands if v is not old]
    product = terms[0].owner if len(terms) == 1 else None
    if not isinstance(product, arith.MulfOp) or old.type != f32:
        return Refusal("the body is no sum of products in float32")
    sources = [widened(v) for v in product.operands]
    if not all(
        isinstance(v, BlockArgument) and v.index < len(generic.inputs) for v in sources
    ):
        return Refusal("the factors are computed")
    a, b = (v.index for v in sources if isinstance(v, BlockArgument))
    return a, b


def widened(value: SSAValue) -> SSAValue:
    """The value before conversions to a wider float type."""
    while isinstance(value.owner, Operation) and isinstance(value.owner, arith.ExtFOp):
        value = value.owner.input
    return value
