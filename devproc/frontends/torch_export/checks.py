"""Checks in a model, which compute nothing for its results."""

from __future__ import annotations

from torch.fx import Graph, Node

from devproc.frontends.torch_export.source import is_in_place

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
