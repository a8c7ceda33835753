"""Slices whose start is a number that is read from a tensor (`x[:, p : p + 1]`).

The exporter records such a start as a symbol. Where the size of the slice is known, it
becomes an index tensor here, so that it is imported as `index_select` and `index_copy`.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import Graph, Node

from devproc.frontends.torch_export.graph.checked_numbers import (
    OPERATORS,
    NumbersAsTensors,
    call,
)
from devproc.frontends.torch_export.graph.problems import is_dynamic

aten = torch.ops.aten


READS = frozenset({aten.slice.Tensor, aten.select.int})
WRITES = frozenset({aten.slice_scatter.default, aten.select_scatter.default})


def moving_slices_as_indices(graph: Graph) -> None:
    """Replaces such slices, in place; those of unknown sizes stay as they are."""
    numbers = NumbersAsTensors(graph)
    for node in list(graph.nodes):
        if node.target not in READS | WRITES:
            continue
        given = _arguments(node)
        start = given.get("start", given.get("index"))
        number = numbers.of(start) if isinstance(start, Node) else None
        whole = _shape(given["self"])
        if number is None or whole is None or given.get("step", 1) != 1:
            continue
        dim = given["dim"] % len(whole)
        with graph.inserting_before(node):
            new = _replacement(graph, node, given, number, dim)
        if new is not None:
            node.replace_all_uses_with(new)
            graph.erase_node(node)
    # Nothing reads the ends of slices any more.
    for node in reversed(graph.nodes):
        if node.target in OPERATORS and not node.users:
            graph.erase_node(node)
    numbers.erase_unused()


def _replacement(
    graph: Graph, node: Node, given: Mapping[str, Any], start: Node, dim: int
) -> Node | None:
    """The same by an index; None if the size of the slice is not known."""
    x, source = given["self"], given.get("src")
    is_one = "index" in given
    part = _shape(node if source is None else source)
    if part is None:
        return None
    if is_one and source is not None:
        source = call(graph, node, aten.unsqueeze.default, source, dim)
    index = call(graph, node, aten.view.default, start, [1])
    if not is_one:
        steps = call(graph, node, aten.arange.default, part[dim])
        index = call(graph, node, aten.add.Tensor, index, steps)
    if source is not None:
        return call(graph, node, aten.index_copy.default, x, dim, index, source)
    found = call(graph, node, aten.index_select.default, x, dim, index)
    return call(graph, node, aten.squeeze.dim, found, dim) if is_one else found


def _arguments(node: Node) -> dict[str, Any]:
    """The arguments of a call by name, with their defaults."""
    schema: Any = node.target._schema.arguments  # pyright: ignore
    names = [argument.name for argument in schema]
    defaults = {a.name: a.default_value for a in schema if a.has_default_value()}
    return {**defaults, **dict(zip(names, node.args, strict=False)), **node.kwargs}


def _shape(node: Any) -> list[int] | None:
    """The shape of a tensor; None if it is not static."""
    value = node.meta.get("val") if isinstance(node, Node) else None
    sizes = list(value.shape) if isinstance(value, torch.Tensor) else []
    return None if not sizes or is_dynamic(sizes) else sizes
