"""When a weight is stored for Winograd's inner product."""

from __future__ import annotations

from math import prod

from xdsl.dialects.linalg.ops import GenericOp

from devproc.dialects.dev import InnerProductAttr, TargetAttr
from devproc.ir.layouts.inner_product import block_terms, matrix_sizes
from devproc.ir.program.structured import is_parallel, loops_of, maps_of
from devproc.ir.types import dtype_name, tensor_of
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.nests.block_float_layout import block_float_layout

LEAST_ROWS = 12
"""Fewest rows of a product. With 8 rows it is bound by reading the weight: layers of
768 x 3072 take 1.13 times as long as without the algorithm; with 12, 0.89 (Zen 4, one
thread)."""

LEAST_OUTPUTS = 64
"""Fewest outputs: copying and scaling a row takes as long as computing 16 of them."""

LONGEST_SUM = 4095
"""Terms of the longest sum that is not cut into slices."""

LEAST_TERMS, MOST_TERMS = 384, 1024
"""Terms of a slice: fewest that amortise adding up the sums of slices, and most."""


def inner_product_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> InnerProductAttr | None:
    """The layout of the weight of a linear layer, or of the filters of a convolution
    with channels last, that Winograd's inner product takes.

    It needs a processor on which additions do not compete with multiply-adds, and whole
    vectors of terms, which are scaled first.
    """
    if (
        family not in ("contraction", "window")
        or target.precision.data == "strict"
        or not machine_of(target).has_separate_adders
        or not _is_taken(generic, index)
        # For products of all numbers of rows.
        or block_float_layout(generic, index, family, target) is not None
    ):
        return None
    types = [tensor_of(value) for value in (*generic.inputs, *generic.outputs)]
    outputs, inputs = matrix_sizes(types[1].get_shape())
    rows = prod(types[2].get_shape()) // outputs
    lanes = machine_of(target).vector_bits.data // 32
    slices = slices_of(inputs, lanes)
    terms = block_terms(inputs // slices, lanes)
    if (
        rows < LEAST_ROWS
        or outputs < LEAST_OUTPUTS
        or not terms
        or types[0].get_shape()[-1] % lanes
    ):
        return None
    return InnerProductAttr.get(lanes, terms, slices)


def slices_of(depth: int, lanes: int) -> int:
    """The fewest equal slices of a long sum of which a cache holds the panels and the copies
    of many rows; 1 if there are none of whole vectors."""
    if depth <= LONGEST_SUM:
        return 1
    vectors = depth // lanes
    sizes = range(MOST_TERMS // lanes, LEAST_TERMS // lanes - 1, -1)
    return next((vectors // n for n in sizes if depth % (n * lanes) == 0), 1)


def refuse_layout(
    generic: GenericOp, index: int, layout: InnerProductAttr
) -> str | None:
    """Why the weight cannot have a layout of its shape for this algorithm."""
    if _is_taken(generic, index):
        return None
    return "it is no linear layer or convolution in float32 with channels last"


def _is_taken(generic: GenericOp, index: int) -> bool:
    """Whether an input is the weight of a product of the right form, of any size."""
    if index != 1:
        return False
    maps, parallel = maps_of(generic), is_parallel(generic)
    loops = loops_of(generic, 1)
    types = [tensor_of(value) for value in (*generic.inputs, *generic.outputs)]
    column = loops[0] if len(loops) == 2 else loops[-1]
    sums = [loop for loop in range(len(parallel)) if not parallel[loop]]
    return (
        column is not None
        and {dtype_name(t.element_type) for t in types} == {"float32"}
        and [loop for loop in loops if loop != column] == sums
        and column not in maps[0].used_dims()
        and loops_of(generic, 0)[-1:] == sums[-1:]
        and loops_of(generic, 2)[-1:] == [column]
    )
