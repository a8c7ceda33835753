"""Checks of values: those in a model, which compute nothing for its results, and those
that PyTorch's operators make of their operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch.fx import Graph, Node
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.checks import OPS, CheckDivisorOp, CheckRangeOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp, TransposeOp
from devproc.frontends.torch_export.elementwise.formula import Formula, Operand
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.source import is_in_place
from devproc.frontends.torch_export.places.indices import is_mask
from devproc.ir.types import is_float

CHECKS = frozenset(
    {
        "aten._assert_async.default",
        "aten._assert_async.msg",
        "aten._assert_scalar.default",
        "aten._assert_tensor_metadata.default",
        "aten.sym_constrain_range.default",
        "aten.sym_constrain_range_for_size.default",
    }
)
"""Operators without a result. Static shapes make certain what they say of sizes; what they
say of elements (`torch._check`, an `assert`) a compiled program does not look at."""


def only_for_checks(graph: Graph) -> set[Node]:
    """The checks of a graph, with all that nothing but checks reads.

    Such nodes turn an element into a Python number, say, which no program could compute.
    """
    found: set[Node] = set()
    for node in reversed(graph.nodes):
        is_read_by_checks = bool(node.users) and found.issuperset(node.users)
        if str(node.target) in CHECKS or (
            node.op == "call_function" and is_read_by_checks and not is_in_place(node)
        ):
            found.add(node)
    return found


def check_index(
    b: GraphBuilder, index: SSAValue, size: int, *, wraps: bool = False
) -> None:
    """The operator takes indices of an axis of this size; with `wraps` negative ones
    count from its end.
    """
    check_range(b, index, -size if wraps else 0, size - 1, "index")


def check_places(
    b: GraphBuilder, x: SSAValue, indices: Sequence[SSAValue | None]
) -> None:
    """The indices of `x[i, :, j]`, but for masks, which have no place."""
    for index, size in zip(indices, shape_of(x), strict=False):
        if index is not None and not is_mask(index):
            check_index(b, index, size, wraps=True)


def check_range(
    b: GraphBuilder, values: SSAValue, lower: int, upper: int, what: str
) -> None:
    """The operator takes values from `lower` to `upper`. Nothing is left to check of
    constants that are.
    """
    known = _constant(b, values)
    inside = known is not None and bool(((known >= lower) & (known <= upper)).all())
    if size_of(values) and not inside:
        b.check(CheckRangeOp.within(values, lower, upper, what, b.operator))


def check_divisor(f: Formula, y: Operand) -> None:
    """The operator divides by integers that are not 0."""
    if is_float(f.element) or (not isinstance(y, SSAValue) and y != 0):
        return
    divisor = f.value(y)
    known = _constant(f.b, divisor)
    if size_of(divisor) and (known is None or not bool(known.all())):
        f.b.check(CheckDivisorOp.at(divisor, f.b.operator))


def _constant(b: GraphBuilder, value: SSAValue) -> NDArray[Any] | None:
    """The elements of a constant, in any order; None for other values."""
    owner = value.owner
    while isinstance(owner, ReshapeOp | TransposeOp | ExpandOp):
        owner = owner.operand.owner
    if isinstance(owner, ConstantOp):
        return np.array(owner.value.get_values())
    return b.weights.array(owner.weight_name) if isinstance(owner, WeightOp) else None


IMPORTS: dict[str, ImportRule] = {}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = dict.fromkeys(
    OPS, "made beside operators that refuse values, such as `aten.gather.default`"
)
"""op class -> why no ATen operator becomes it."""
