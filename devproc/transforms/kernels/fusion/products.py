"""Products of the same rows in one kernel, such as those of a gated feed-forward layer.

The gate and the value of SwiGLU multiply the same rows by different weights, and meet in an
elementwise product. A program of a GPU that holds a tile of both reads the rows once, and
neither passes through memory.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from devproc.dialects.dev import device_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    Generic,
    is_multiply_add,
    is_pointwise,
    loop_sizes,
    maps_of,
)
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.fusion.groups import Group

MOST_PRODUCTS = 2
"""Products of one kernel: the sums of more need more registers than their rows save."""


def multiply_same_rows(group: Group, other: Group) -> bool:
    """Whether the products of two groups on a GPU are of the same rows, in the same loops."""
    if group.family != "contraction" or other.family != "contraction":
        return False
    products = [op for g in (group, other) for op in g.members if not is_pointwise(op)]
    first, *rest = products
    return (
        len(products) <= MOST_PRODUCTS
        and device_of(first.results[0].type) not in (HOST, None)
        and all(map(is_multiply_add, products))
        and all(map(adds_in_f32, products))
        and all(has_same_rows(first, op) for op in rest)
    )


def has_same_rows(first: Generic, second: Generic) -> bool:
    """Whether the first factor of two products is the same, and all maps are."""
    return (
        first.inputs[0] is second.inputs[0]
        and maps_of(first) == maps_of(second)
        and loop_sizes(first) == loop_sizes(second)
        and [v.type for v in first.operands] == [v.type for v in second.operands]
    )


def adds_in_f32(product: Generic) -> bool:
    """Whether the sums are of f32, as in the products that tensor cores compute."""
    return tensor_of(product.results[0]).element_type == f32
