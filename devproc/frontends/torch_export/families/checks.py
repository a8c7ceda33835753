"""Assertions in a model, which do not contribute to its results."""

from __future__ import annotations

from torch.fx import Graph, Node
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.checks import CheckDivisorOp, CheckRangeOp
from devproc.frontends.torch_export.elementwise.value_checks import check_true
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    overloads,
    rows_of,
)
from devproc.frontends.torch_export.graph.checked_numbers import (
    number_checks_as_tensors,
)
from devproc.frontends.torch_export.graph.source import is_in_place

CHECKS = frozenset(
    overloads(
        "_assert_async _assert_async.msg _assert_scalar _assert_tensor_metadata "
        "sym_constrain_range sym_constrain_range_for_size"
    )
)
"""Operators without a result. Static shapes guarantee what they assert of sizes."""

ASSERTS = frozenset(overloads("_assert_async _assert_async.msg _assert_scalar"))
"""The assertions on one element, or on a number that is read from one."""


def only_for_checks(graph: Graph) -> dict[Node, bool]:
    """The checks of a graph and the nodes that only checks read -> whether one of the
    checks is among `ASSERTS`.

    The nodes may read numbers from tensors; see `checked_numbers.py`.
    """
    found: dict[Node, bool] = {}
    for node in reversed(graph.nodes):
        is_read_by_checks = bool(node.users) and found.keys() >= node.users.keys()
        if str(node.target) in CHECKS or (
            node.op == "call_function" and is_read_by_checks and not is_in_place(node)
        ):
            is_asserted = any(found[user] for user in node.users)
            found[node] = is_asserted or str(node.target) in ASSERTS
    return found


def checks_of(graph: Graph) -> dict[Node, bool]:
    """The nodes of `only_for_checks`, after checks of numbers have become checks of the
    tensors that these are read from."""
    number_checks_as_tensors(graph, only_for_checks(graph))
    return only_for_checks(graph)


def _assert(
    b: GraphBuilder, condition: SSAValue | bool, message: str = ""
) -> tuple[()]:
    if isinstance(condition, SSAValue):  # Else the exporter knows that it holds.
        check_true(b, condition, message)
    return ()


IMPORTS: dict[str, ImportRule] = rows_of(
    ImportRule(_assert, (CheckRangeOp,)),
    "_assert_async _assert_async.msg _assert_scalar",
)
"""ATen overload -> import rule."""

NO_IMPORT: dict[type[Operation], str] = {
    CheckDivisorOp: "emitted with operators that divide, such as `aten.remainder.Tensor`"
}
"""op class -> why no ATen operator is imported as it."""
