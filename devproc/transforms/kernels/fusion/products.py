"""Products of the same rows in one kernel, such as those of a gated feed-forward layer.

The gate and the value of SwiGLU multiply the same rows by different weights, and meet in an
elementwise product. A program of a GPU that holds a tile of both reads the rows once, and
neither passes through memory.
"""

from __future__ import annotations

from devproc.dialects.dev import device_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    Generic,
    is_multiply_add,
    is_parallel,
    is_pointwise,
    loop_sizes,
    loops_of,
    maps_of,
)
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
        and has_several_rows(first)
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


def has_several_rows(product: Generic) -> bool:
    """Whether each factor has parallel loops of its own that run more than once: a product
    of a vector is bound by reading its matrix, and is scheduled for that."""
    sizes, parallel = loop_sizes(product), is_parallel(product)
    left, right = (
        {loop for loop in loops_of(product, index) if loop is not None}
        for index in (0, 1)
    )
    return all(
        any(parallel[loop] and sizes[loop] > 1 for loop in own)
        for own in (left - right, right - left)
    )
