"""The exported program to import: loaded from its file, made functional if need be."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.fx import Graph, Node

from devproc.errors import BuildError, BundleError

FRESH_RESULT_EXCEPTIONS = ("aten::type_as",)
"""Operators that may return their operand although their schema does not say so."""


def exported_program(source: object) -> ExportedProgram:
    """The program itself, or the one saved in a `.pt2` file.

    Raises BundleError for a file that is missing or damaged, BuildError for a source of
    another kind.
    """
    if isinstance(source, ExportedProgram):
        return source
    if not isinstance(source, str | Path):
        raise BuildError(
            f"cannot import a {type(source).__name__}: the only model entry is a "
            "torch.export program; call torch.export.export(model.eval(), (inputs,))"
        )
    path = Path(source)
    if not path.is_file():
        raise BundleError(f"no file '{path}'; write it with torch.export.save")
    try:
        return torch.export.load(path)
    # The loader raises whatever its parts raise: zip, JSON, pickle, KeyError, ...
    except Exception as error:
        reason = (str(error).strip().splitlines() or [""])[0]
        raise BundleError(
            f"'{path}' is not a complete torch.export program (.pt2): "
            f"{type(error).__name__}: {reason}; save it again with torch.export.save, "
            f"with PyTorch {torch.__version__} or older"
        ) from error


def functional(program: ExportedProgram) -> ExportedProgram:
    """The program without in-place updates that some other node could see.

    The exporter keeps `relu_` and its like. Where the updated value has no other reader
    it may be read as a pure op; else PyTorch's own functionalization runs, which costs a
    second trace. That also applies autocast regions, which the graph only names.
    """
    modules: list[Any] = [
        m for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)
    ]
    if all(_is_pure_graph(module.graph) for module in modules):
        return program
    try:
        # An empty table decomposes nothing: operators stay whole.
        return program.run_decompositions({})
    except Exception:
        # What stands in the way (control flow, say) is reported node by node.
        return program


def _is_pure_graph(graph: Graph) -> bool:
    order = {node: position for position, node in enumerate(graph.nodes)}
    return all(_is_pure(node, order) for node in order)


def _is_pure(node: Node, order: dict[Node, int]) -> bool:
    if node.op != "call_function":
        return True
    if isinstance(node.target, HigherOrderOperator):
        return node.target.name() != "wrap_with_autocast"
    return not is_in_place(node) or _is_sole_owner(node, order)


def is_in_place(node: Node) -> bool:
    """Whether the node writes to an operand (`detach_` does not touch the elements)."""
    return (
        isinstance(node.target, OpOverload)
        and node.target._schema.is_mutable  # pyright: ignore[reportPrivateUsage]
        and node.target.name() != "aten::detach_"
    )


def _is_sole_owner(node: Node, order: dict[Node, int]) -> bool:
    """Whether nothing else sees what an in-place node writes: its operand is a fresh
    value of this graph, and everyone else has read it before.
    """
    operand = node.args[0]
    if not isinstance(operand, Node) or not _is_fresh(operand, order):
        return False
    if any(
        other.meta["val"].dtype != operand.meta["val"].dtype
        for other in node.all_input_nodes
    ):
        return False
    return all(
        order[user] < order[node]
        and user.op == "call_function"
        and not _may_alias(user)
        for user in operand.users
        if user is not node
    )


def _is_fresh(node: Node, order: dict[Node, int]) -> bool:
    """Whether a node's result is memory that no other value shares."""
    if node.op != "call_function":
        return False
    if is_in_place(node):
        return _is_sole_owner(node, order)
    return not _may_alias(node)


def _may_alias(node: Node) -> bool:
    target = node.target
    if not isinstance(target, OpOverload):
        return True
    if target.name() == "aten::batch_norm":
        return False  # Tagged for the statistics; the result is new.
    schema = target._schema  # pyright: ignore[reportPrivateUsage]
    return (
        any(result.alias_info is not None for result in schema.returns)
        or torch.Tag.maybe_aliasing_or_mutating in target.tags
        or target.name() in FRESH_RESULT_EXCEPTIONS
    )
