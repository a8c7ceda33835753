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
    numbers = NumbersAsTensors(graph)
    for node in list(graph.nodes):
        if node not in checks or not node.args:
            continue
        condition = node.args[0]
        if str(node.target) == "aten._assert_scalar.default":
            known = isinstance(condition, Node) and numbers.of(condition)
            node.update_arg(0, known or condition)
    numbers.erase_unused()


class NumbersAsTensors:
    """Tensors of one element that hold what the exporter recorded as numbers."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._tensors: dict[Node, Node] = {}

    def of(self, number: Node) -> Node | None:
        """A tensor computed where the number is; None if it depends on what has none."""
        if number in self._tensors:
            return self._tensors[number]
        graph, made = self._graph, None
        if number.target in READERS:
            with graph.inserting_before(number):
                made = _number_of(graph, number, number.args[0])
        elif number.target in OPERATORS:
            operands = [self.of(a) if isinstance(a, Node) else a for a in number.args]
            if all(isinstance(a, Node) or type(a) in DTYPES for a in operands):
                with graph.inserting_before(number):
                    args = [
                        a if isinstance(a, Node) else _constant(graph, number, a)
                        for a in operands
                    ]
                    made = call(graph, number, OPERATORS[number.target], *args)
        if made is not None:
            self._tensors[number] = made
        return made

    def erase_unused(self) -> None:
        """Erases the numbers that nothing reads any more."""
        for number in reversed(list(self._graph.nodes)):
            if number in self._tensors and not number.users:
                self._graph.erase_node(number)


def _number_of(graph: Graph, node: Node, tensor: Any) -> Node:
    """The element of a tensor, as wide as Python's numbers are."""
    dtype = DTYPES[type(node.meta["val"])]
    wide = call(graph, node, aten._to_copy.default, tensor, dtype=dtype)
    return call(graph, node, aten.view.default, wide, [])


def _constant(graph: Graph, node: Node, value: Any) -> Node:
    dtype = DTYPES[type(value)]
    return call(graph, node, aten.full.default, [], value, dtype=dtype)


def call(graph: Graph, of: Node, target: Any, *args: Any, **kwargs: Any) -> Node:
    """A call in the place of a node, with what the exporter would record of it."""
    made = graph.call_function(target, args, kwargs)
    with FakeTensorMode():
        known, named = map_arg((args, kwargs), _without_values)
        made.meta = {**of.meta, "val": target(*known, **named)}
    return made


def _without_values(node: Node) -> Any:
    value = node.meta["val"]
    return torch.empty(value.shape, dtype=value.dtype)
