"""Checks of numbers that are read from tensors (`torch._check(x.amax().item() < 7)`).

The exporter records such numbers as symbols, and what is said of them as Python's operators
on symbols. What only checks read becomes operators on tensors of one element here, so that
it is imported like the rest of the model.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import operator
from collections.abc import Container, Mapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, Node
from torch.fx.node import map_arg

aten = torch.ops.aten

READERS = frozenset({aten.item.default, aten._local_scalar_dense.default})
"""What reads the number of a tensor of one element."""

OPERATORS: Mapping[object, Any] = {
    operator.eq: aten.eq.Tensor,
    operator.ne: aten.ne.Tensor,
    operator.lt: aten.lt.Tensor,
    operator.le: aten.le.Tensor,
    operator.gt: aten.gt.Tensor,
    operator.ge: aten.ge.Tensor,
    operator.add: aten.add.Tensor,
    operator.sub: aten.sub.Tensor,
    operator.mul: aten.mul.Tensor,
    operator.neg: aten.neg.default,
    operator.mod: aten.remainder.Tensor,
    operator.floordiv: aten.floor_divide.default,
    operator.and_: aten.logical_and.default,
    operator.or_: aten.logical_or.default,
    torch.sym_not: aten.logical_not.default,
    torch.sym_max: aten.maximum.default,
    torch.sym_min: aten.minimum.default,
    torch.sym_ite: aten.where.self,
}
"""Python's operator on numbers -> the same of tensors."""

DTYPES: Mapping[type, torch.dtype] = {
    bool: torch.bool,
    int: torch.int64,
    float: torch.float64,
    torch.SymBool: torch.bool,
    torch.SymInt: torch.int64,
    torch.SymFloat: torch.float64,
}
"""Type of a number -> the dtype that holds it."""


def number_checks_as_tensors(graph: Graph, checks: Container[Node]) -> None:
    """Makes the condition of each check of numbers a tensor, in place, where all that it is
    computed from is known here; `checks` are the nodes that nothing else needs.
    """
    tensors: dict[Node, Node] = {}
    for node in list(graph.nodes):
        if node not in checks or not node.args:
            continue
        first = node.args[0]
        if str(node.target) == "aten._assert_scalar.default" and first in tensors:
            node.update_arg(0, tensors[first])
        elif node.target in READERS:
            with graph.inserting_before(node):
                tensors[node] = _number_of(graph, node, first)
        elif node.target in OPERATORS and all(_is_known(a, tensors) for a in node.args):
            with graph.inserting_before(node):
                args = [
                    tensors[a] if isinstance(a, Node) else _constant(graph, node, a)
                    for a in node.args
                ]
                tensors[node] = _call(graph, node, OPERATORS[node.target], *args)
    for node in reversed(tensors):
        if not node.users:
            graph.erase_node(node)


def _is_known(argument: object, tensors: Container[Node]) -> bool:
    """Whether an operand is a tensor by now, or a number."""
    return (
        argument in tensors if isinstance(argument, Node) else type(argument) in DTYPES
    )


def _number_of(graph: Graph, node: Node, tensor: Any) -> Node:
    """The element of a tensor, as wide as Python's numbers are."""
    dtype = DTYPES[type(node.meta["val"])]
    wide = _call(graph, node, aten._to_copy.default, tensor, dtype=dtype)
    return _call(graph, node, aten.view.default, wide, [])


def _constant(graph: Graph, node: Node, value: Any) -> Node:
    dtype = DTYPES[type(value)]
    return _call(graph, node, aten.full.default, [], value, dtype=dtype)


def _call(graph: Graph, of: Node, target: Any, *args: Any, **kwargs: Any) -> Node:
    """A call in the place of a node, with what the exporter would record of it."""
    made = graph.call_function(target, args, kwargs)
    with FakeTensorMode():
        known, named = map_arg((args, kwargs), _without_values)
        made.meta = {**of.meta, "val": target(*known, **named)}
    return made


def _without_values(node: Node) -> Any:
    value = node.meta["val"]
    return torch.empty(value.shape, dtype=value.dtype)
