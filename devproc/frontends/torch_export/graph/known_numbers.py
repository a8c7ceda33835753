"""Numbers read from constants (`stride.item()`), computed at import.

The exporter records such a number as a symbol although the tensor is a parameter, a buffer
that nothing writes or a constant. Here PyTorch computes it, and what follows from it: the
number stands in the arguments of its users, and the shapes that depend on it are static.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
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
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.graph.source import is_in_place
from devproc.frontends.torch_export.graph.wrappers import carried_graph
from devproc.ir.text.location import describe_location


def with_known_numbers(
    program: ExportedProgram, problems: list[Problem]
) -> GraphModule:
    """The graph of a functional program, without symbols that constants determine; the
    program's own where there are none.

    Adds to `problems` where a check of such a number fails.
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
    """Evaluates the nodes that numbers need, and makes the others' shapes static."""

    def __init__(self, values: dict[Node, Any], problems: list[Problem]):
        self.values = values
        """What has been evaluated; not what depends on an input, a state or chance."""
        self.known = set(values)
        """The nodes that can be evaluated."""
        self.problems = problems

    def fold(self, module: GraphModule) -> None:
        """Folds a graph whose placeholders are known or not; in place."""
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
        if node in self.known and _is_symbol(node.meta["val"]):
            value = self._value(node)
        elif _only_computes(node) and not any(map(_has_symbol, node.all_input_nodes)):
            # Not of a constant, but of a shape that is static by now, or of a number.
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
        # PyTorch's operators raise whatever they raise; the number stays unknown.
        except Exception:
            return None

    def _fold_carried(self, node: Node, calls: Counter[Any]) -> None:
        """Folds the graph of a wrapper, whose placeholders are the node's operands."""
        attributes = [n for n in node.all_input_nodes if n.op == "get_attr"]
        if any(calls[a.target] > 1 or len(a.users) > 1 for a in attributes):
            return  # Its numbers may differ from call to call.
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
        """Erases what was evaluated and has no user any more."""
        for node in reversed(graph.nodes):
            if node.op == "call_function" and node in self.values and not node.users:
                graph.erase_node(node)


def _retraced(node: Node) -> Any:
    """What the exporter would record of a node whose operands are static now."""
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
    # What depends on data has no static form; all else as in `_evaluated`.
    except Exception:
        return node.meta["val"]


def _is_symbol(value: object) -> bool:
    return isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)


def _has_symbol(node: Node) -> bool:
    """Whether the exporter knows a number or a size of the node as a symbol only."""
    return any(
        _is_symbol(leaf)
        or (isinstance(leaf, torch.Tensor) and any(map(_is_symbol, leaf.shape)))
        for leaf in tree_leaves(node.meta.get("val"))
    )


def _attribute(node: Any) -> Any:
    value: Any = node.graph.owning_module
    for part in str(node.target).split("."):
        value = getattr(value, part)
    return value


def _only_computes(node: Node) -> bool:
    """Whether the node's result depends on its operands alone. The functions of a file
    are named by the file, and may be any of PyTorch's.
    """
    target = node.target
    if isinstance(target, OpOverload):
        return torch.Tag.nondeterministic_seeded not in target.tags
    name = getattr(target, "__name__", "")
    is_symbolic = name.startswith(("sym_", "_sym_")) and target is getattr(torch, name)
    return getattr(target, "__module__", "") in ("_operator", "math") or is_symbolic
