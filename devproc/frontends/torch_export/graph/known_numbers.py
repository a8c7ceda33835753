"""Numbers read from constants (`stride.item()`), evaluated at import.

The exporter records such a number as a symbol although the tensor is a parameter, a constant,
or a buffer that is never written. Here PyTorch evaluates it: the number replaces the symbol
in the arguments of its users, and the shapes that depend on it become static.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg
from torch.utils._pytree import tree_leaves

from devproc.errors import Problem
from devproc.frontends.torch_export.graph.locations import node_location
from devproc.frontends.torch_export.graph.problems import Refusal, is_symbol
from devproc.frontends.torch_export.graph.source import is_in_place
from devproc.frontends.torch_export.graph.wrappers import carried_graph
from devproc.ir.text.location import describe_location


def with_known_numbers(
    program: ExportedProgram, problems: list[Problem]
) -> GraphModule:
    """A copy of the graph of a functional program in which symbols that constants
    determine are evaluated; the program's own graph if it has no symbols.

    Adds to `problems` where an assertion on such a number fails.
    """
    modules = [m for m in program.graph_module.modules() if isinstance(m, GraphModule)]
    if not any(_has_symbol(node) for m in modules for node in m.graph.nodes):
        return program.graph_module
    module = copy.deepcopy(program.graph_module)
    tensors: Mapping[str, Any] = {**program.constants, **program.state_dict}
    signature = program.graph_signature
    written = set(signature.buffers_to_mutate.values())
    values: dict[Node, Any] = {}
    placeholders = module.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, signature.input_specs, strict=True):
        value: Any = tensors.get(str(spec.target))
        is_real = isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor)
        if is_real and spec.target not in written:
            values[node] = value.detach()
    _Folding(values, problems).fold(module)
    return module


class _Folding:
    """Evaluates the nodes that numbers depend on, and makes the shapes of others static."""

    def __init__(self, values: dict[Node, Any], problems: list[Problem]):
        self.values = values
        """The values of nodes that do not depend on inputs, states or random numbers."""
        self.known = set(values)
        """The nodes that can be evaluated."""
        self.problems = problems

    def fold(self, module: GraphModule) -> None:
        """Folds a graph in place; some of its placeholders may be known."""
        graph = module.graph
        calls = Counter(n.target for n in graph.find_nodes(op="get_attr"))
        for node in list(graph.nodes):
            if isinstance(node.target, HigherOrderOperator):
                self._fold_carried(node, calls)
            elif str(node.target) == "aten._assert_scalar.default":
                self._check(node)
            elif node.op == "get_attr" or self._can_be_evaluated(node):
                self.known.add(node)
            if node.op == "call_function" and _has_symbol(node):
                self._fold_node(node)
        self._erase_unused(graph)

    def _can_be_evaluated(self, node: Node) -> bool:
        return (
            node.op == "call_function"
            and _only_computes(node)
            and self.known.issuperset(node.all_input_nodes)
        )

    def _fold_node(self, node: Node) -> None:
        value: Any = None
        if node in self.known and is_symbol(node.meta["val"]):
            value = self._value(node)
        elif _only_computes(node) and not any(map(_has_symbol, node.all_input_nodes)):
            # Depends not on a constant, but on a shape that is static now, or a number.
            value = node.meta["val"] = _retraced(node)
        if not isinstance(value, bool | int | float | complex):
            return
        self.values[node] = value
        for user in list(node.users):
            user.args, user.kwargs = map_arg(
                (user.args, user.kwargs), lambda n: value if n is node else n
            )

    def _value(self, node: Node) -> Any:
        """The value of a known node; None where PyTorch raises."""
        needed, stack = set[Node](), [node]
        while stack:
            each = stack.pop()
            if each not in needed and each not in self.values:
                needed.add(each)
                stack += each.all_input_nodes
        for each in node.graph.nodes:
            if each in needed:
                self.values[each] = self._evaluated(each)
        return self.values[node]

    def _evaluated(self, node: Node) -> Any:
        if node.op == "get_attr":
            return _attribute(node)
        given: Any = map_arg((node.args, node.kwargs), self.values.__getitem__)
        args, kwargs = given
        if is_in_place(node):
            args = (args[0].clone(), *args[1:])
        try:
            with torch.no_grad():
                return node.target(*args, **kwargs)  # pyright: ignore[reportCallIssue]
        except MemoryError:
            raise
        # PyTorch's operators raise whatever they raise; the number stays unknown.
        except Exception:
            return None

    def _fold_carried(self, node: Node, calls: Counter[Any]) -> None:
        """Folds the graph of a wrapper, whose placeholders are the node's operands."""
        attributes = [n for n in node.all_input_nodes if n.op == "get_attr"]
        if any(calls[a.target] > 1 or len(a.users) > 1 for a in attributes):
            return  # Its numbers may differ between calls.
        args = [_attribute(a) if a in attributes else a for a in node.args]
        try:
            module, operands = carried_graph(node.target.name(), args)  # pyright: ignore
        except Refusal:
            return
        inner = module.graph.find_nodes(op="placeholder")
        for placeholder, operand in zip(inner, operands, strict=False):
            if not isinstance(operand, Node):
                continue
            placeholder.meta["val"] = operand.meta.get("val")
            if operand in self.known:
                self.known.add(placeholder)
                self.values[placeholder] = self._value(operand)
        self.fold(module)
        results = module.graph.output_node().args[0]
        node.meta["val"] = map_arg(results, lambda n: n.meta.get("val"))
        if self.known.issuperset(module.graph.output_node().all_input_nodes):
            self.known.add(node)
            self.values[node] = map_arg(results, self._value)

    def _check(self, node: Node) -> None:
        if node.args[0] is not False:
            return
        self.problems.append(
            Problem(
                str(node.target),
                describe_location(node_location(node)),
                f"the check fails for the model's constants: {node.args[1]}",
                "change the constant, or export without the check",
            )
        )

    def _erase_unused(self, graph: Graph) -> None:
        """Erases evaluated nodes without users."""
        for node in reversed(graph.nodes):
            if node.op == "call_function" and node in self.values and not node.users:
                graph.erase_node(node)


def _retraced(node: Node) -> Any:
    """What the exporter would record for a node whose operands are static now."""
    mode = FakeTensorMode()

    def fake(operand: Node) -> Any:
        value = operand.meta.get("val")
        if not isinstance(value, torch.Tensor):
            return value
        shape, stride, offset = value.shape, value.stride(), value.storage_offset()
        last = sum(max(n - 1, 0) * by for n, by in zip(shape, stride, strict=True))
        line = torch.empty(offset + last + 1, dtype=value.dtype, device=value.device)
        return line.as_strided(shape, stride, offset)

    try:
        with mode:
            args, kwargs = map_arg((node.args, node.kwargs), fake)
            return node.target(*args, **kwargs)  # pyright: ignore[reportCallIssue]
    except MemoryError:
        raise
    # Data-dependent nodes have no static form; for other errors see `_evaluated`.
    except Exception:
        return node.meta["val"]


def _has_symbol(node: Node) -> bool:
    """Whether the exporter recorded a number or a size of the node as a symbol."""
    return any(
        is_symbol(leaf)
        or (isinstance(leaf, torch.Tensor) and any(map(is_symbol, leaf.shape)))
        for leaf in tree_leaves(node.meta.get("val"))
    )


def _attribute(node: Any) -> Any:
    return attrgetter(str(node.target))(node.graph.owning_module)


def _only_computes(node: Node) -> bool:
    """Whether the node's result depends on its operands alone. A file names its functions
    freely, so that they may be any of PyTorch's.
    """
    target = node.target
    if isinstance(target, OpOverload):
        return torch.Tag.nondeterministic_seeded not in target.tags
    name = getattr(target, "__name__", "")
    is_symbolic = name.startswith(("sym_", "_sym_")) and target is getattr(torch, name)
    return getattr(target, "__module__", "") in ("_operator", "math") or is_symbolic
