"""The loops of a convolution: pixels, channels, and the taps of the window; and the nests
that sum up one, or several into the same results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from devproc.algorithms.base import Refusal
from devproc.dialects.sched.blocks import SMALLEST_DOT
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_tile.plan import has_same_rows
from devproc.targets.triton.algorithms.block_tile.roles import Contraction, roles_of
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
)
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.walk import Step, walk

ACCUMULATOR_BYTES = 4
"""The size of a sum in f32."""


@dataclass(frozen=True)
class Convolution:
    """A convolution of a channels-last image, its operand a. A product of matrices is one
    without taps."""

    roles: Contraction
    taps: tuple[int, ...]
    """The loops of the window, of which each step of the sum has one iteration."""
    inner: tuple[int, ...]
    """The loops of one step: the channels, and the line of a window of few channels."""

    @property
    def tap_count(self) -> int:
        """The iterations of the loops over the window."""
        return prod(self.roles.generic.extents[d] for d in self.taps)

    @property
    def terms(self) -> int:
        """The terms of the sum at one tap."""
        return prod(self.roles.generic.extents[d] for d in self.inner)


@dataclass(frozen=True)
class Sums:
    """A nest that sums up one convolution, or several products into the same results."""

    products: tuple[Convolution, ...]
    steps: list[Step]
    """The position of each op in the results."""
    held: int
    """Bytes of each result that a program holds of other products while it computes one."""

    @property
    def roles(self) -> Contraction:
        """The loops of the first product; the others have the same rows and columns."""
        return self.products[0].roles


def sums_of(nest: BlockNest) -> Sums | Refusal:
    """The convolution of a nest, or its products with different factors."""
    products: list[Convolution] = []
    for generic in nest.generics:
        if generic.reductions:
            found = convolution_of(generic)
            if isinstance(found, Refusal):
                return found
            products.append(found)
    if not products:
        return Refusal("no op reduces")
    first, *others = (product.roles for product in products)
    if not others and not has_window(first):
        return Refusal("no window slides over the left operand")
    if others and all(has_same_rows(first, other) for other in others):
        return Refusal("its products multiply the same rows")
    if not all(has_same_results(first, other) for other in others):
        return Refusal("its products have different rows or columns")
    anchor, kept = nest.anchor, numbers_after_products(nest)
    steps = walk(
        nest, anchor, anchor.parallels, defers=lambda number: number not in kept
    )
    if isinstance(steps, Refusal):
        return steps
    return Sums(tuple(products), steps, held_bytes(nest.generics))


def convolution_of(generic: Generic) -> Convolution | Refusal:
    """The loops of a convolution or of a product of matrices."""
    roles = roles_of(generic)
    if isinstance(roles, Refusal):
        return roles
    loops = window_loops(generic, roles) if has_window(roles) else ((), roles.k)
    return loops if isinstance(loops, Refusal) else Convolution(roles, *loops)


def has_window(roles: Contraction) -> bool:
    """Whether a window slides over the left operand."""
    return any(map(is_window, roles.generic.maps[roles.a].results))


def has_same_results(first: Contraction, second: Contraction) -> bool:
    """Whether two products have the same loops over rows, columns and batches."""
    a, b = first.generic, second.generic
    outer = max(a.parallels, default=-1) + 1
    return (
        (first.batch, first.m, first.n) == (second.batch, second.m, second.n)
        and a.parallels == b.parallels
        and a.extents[:outer] == b.extents[:outer]
    )


def numbers_after_products(nest: BlockNest) -> set[int]:
    """The ops that read a product, by number, and the products themselves."""
    found, made = set[int](), set[SSAValue]()
    for number, generic in enumerate(nest.generics):
        outputs = set(map(root_of, generic.outputs))
        if generic.reductions or not made.isdisjoint(map(root_of, generic.inputs)):
            found.add(number)
            made |= outputs
        else:
            made -= outputs
    return found


def held_bytes(generics: Sequence[Generic]) -> int:
    """Bytes of each result that products leave in registers for a later op; none where
    the next product is added to the same sums."""
    products = [n for n, generic in enumerate(generics) if generic.reductions]
    total = 0
    for number, following in pairwise(products):
        root, between = root_of(generics[number].outputs[0]), generics[number:following]
        if root is root_of(generics[following].outputs[0]):
            continue
        results = [
            item_size(memref_of(value).element_type)
            for generic in between[1:]
            if not isinstance(generic.op, FillOp)
            and root in map(root_of, generic.inputs)
            for value in generic.outputs
        ]
        total += sum(results) or ACCUMULATOR_BYTES
    return total


def window_loops(
    generic: Generic, roles: Contraction
) -> tuple[tuple[int, ...], tuple[int, ...]] | Refusal:
    """The loops of the taps, and those of one step."""
    last = generic.maps[roles.a].results[-1]
    if not isinstance(last, AffineDimExpr) or last.position not in roles.k:
        return Refusal("the channels of a pixel are not contiguous")
    channels, taps = (last.position,), tuple(d for d in roles.k if d != last.position)
    lines = [d for d in taps if generic.extents[d] > 1]
    if lines and generic.extents[last.position] < SMALLEST_DOT:
        line = lines[-1]
        return tuple(d for d in taps if d != line), (line, *channels)
    return taps, channels


def is_window(expr: AffineExpr) -> bool:
    """Whether an index is that of a window: an output's plus a tap's, and its part's."""
    return len(expr.used_dims()) > 1
