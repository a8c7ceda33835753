"""Imports the nodes of a graph in order, through the tables of import rules."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.export.graph_signature import InputSpec
from torch.fx import GraphModule, Node
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.errors import CompileError, Problem
from devproc.frontends.torch_export.complex.complex_parts import (
    complex_constant,
    parts_of,
)
from devproc.frontends.torch_export.families.checks import checks_of
from devproc.frontends.torch_export.graph.builder import (
    Complex,
    GraphBuilder,
    Unavailable,
)
from devproc.frontends.torch_export.graph.locations import node_location, value_name
from devproc.frontends.torch_export.graph.parameters import Parameters, Pending
from devproc.frontends.torch_export.graph.problems import (
    COMPLEX_OPERATOR,
    QUANTIZED_OPERATOR,
    UNKNOWN_OPERATOR,
    Refusal,
    complex_input,
    describe_value,
    dynamic_shape,
    is_dynamic,
    is_symbol,
    not_a_tensor,
    sparse_tensor,
    unsupported_dtype,
)
from devproc.frontends.torch_export.graph.refused import NUMBER, REMEDIES, refusal
from devproc.frontends.torch_export.graph.scans import SCAN, scan
from devproc.frontends.torch_export.graph.wrappers import carried_graph
from devproc.frontends.torch_export.host_calls import (
    OFFER,
    functional_name,
    has_complex_tensor,
    host_call,
    obstacle,
    type_of_leaf,
)
from devproc.frontends.torch_export.stand_ins import POISON, is_poisoned, stand_in
from devproc.frontends.torch_export.tables import has_rule, import_rule
from devproc.ir.text.location import describe_location
from devproc.ir.types import AnyTensor, tensor_of
from devproc.ir.weights.table import WeightTable


class NodeImporter:
    """Builds the ops of each node and keeps the values of the nodes."""

    def __init__(
        self,
        module: GraphModule,
        weights: WeightTable,
        problems: list[Problem],
        fallback: str | None = None,
    ):
        self.module = module
        self.fallback = fallback
        self.builder = GraphBuilder(weights)
        self.builder.inline = self._inline
        self.builder.has_rule = has_rule
        self.current: Node | None = None
        """The node of the program that is being imported."""
        self.outer: Node | None = None
        """That node, while the nodes of its decomposition are imported."""
        self.problems = problems
        self.values: dict[Node, Any] = {}
        self.checks: dict[Node, bool] = {}
        """See `checks_of`."""

    def bind_input(self, node: Node) -> None:
        """A tensor input becomes an argument of the function."""
        value, what = node.meta.get("val"), f"input '{node.name}'"
        if isinstance(value, torch.Tensor) and value.is_complex():
            where = describe_location(node_location(node))
            self.problems.append(complex_input(what, where, value.dtype))
            self.values[node] = stand_in(value)
            return
        types = self._types(node, what, value)
        if not types:
            self.values[node] = POISON
            return
        block = self.builder.block
        argument = block.insert_arg(types[0], len(block.args))
        self.values[node] = _named(argument, node.name)

    def bind_parameter(
        self, node: Node, parameters: Parameters, spec: InputSpec
    ) -> None:
        """A parameter, buffer or constant becomes a weight where it is first used."""
        if not node.users:
            return
        found = parameters.pending(spec)
        self.values[node] = POISON if found is None else found

    def value_of(self, argument: Any) -> Any:
        """The value of an argument of a node, in which nodes are replaced by their values."""
        if isinstance(argument, Node):
            value = self.values.get(argument, POISON)
            if isinstance(value, Pending):
                value = self.values[argument] = self._materialize(value)
            return value
        if isinstance(argument, list | tuple):
            return [self.value_of(item) for item in argument]
        if isinstance(argument, dict):
            return {name: self.value_of(item) for name, item in argument.items()}
        return argument

    def _materialize(self, pending: Pending) -> SSAValue | Complex:
        """The weight or constant for a tensor of the program."""
        name, value = pending.name, pending.value
        if value.is_complex():
            return complex_constant(self.builder, value, name)
        if pending.in_text:
            return self.builder.constant(value, name)
        return _named(self.builder.weight(value, name), name)

    def run(self, node: Node) -> None:
        """Imports one node. Nodes that only checks read may be unsupported."""
        if node not in self.checks:
            self._run(node)
            return
        self.values[node] = POISON
        inputs = [self.values.get(n) for n in node.all_input_nodes]
        if not self.checks[node] or is_poisoned(inputs):
            return
        count, fallback = len(self.problems), self.fallback
        self.fallback = None
        self._run(node)
        self.fallback = fallback
        if len(self.problems) > count:
            del self.problems[count:]
            self.values[node] = POISON

    def _run(self, node: Node) -> None:
        """Imports one node; a problem is recorded, and the import continues."""
        self.current = self.outer or node
        location = node_location(self.current)
        self.builder.location = location
        self.builder.operator = str(self.current.target)
        self.builder.operands = [n.meta.get("val") for n in node.all_input_nodes]
        self.builder.node_name = (
            node.name if self.outer is None else f"{self.outer.name}.{node.name}"
        )
        try:
            self.values[node] = self._import(node)
        except (Refusal, VerifyException) as error:
            try:
                self.values[node] = self._fall_back(node, _refusal(error))
            except Refusal as refusal:
                what, where = self._describe(node), describe_location(location)
                problem = Problem(what, where, refusal.why, refusal.remedy)
                self.problems.append(problem)
                self.values[node] = stand_in(node.meta.get("val"))

    def _fall_back(self, node: Node, refusal: Refusal) -> Any:
        """The node's results from PyTorch; raises Refusal where it may not run there."""
        if not refusal.in_torch or not isinstance(node.target, OpOverload):
            raise refusal
        if self.fallback is None:
            offer = f", {OFFER}" if obstacle(node, refusal) is None else ""
            raise Refusal(refusal.why, f"{refusal.remedy}{offer}")
        args, kwargs = self.value_of(node.args), self.value_of(node.kwargs)
        if is_poisoned([*args, *kwargs.values()]):
            return POISON
        return host_call(node, args, kwargs, refusal, self.builder)

    def _import(self, node: Node) -> Any:
        if node.op == "get_attr":
            return self._attribute(node)
        if node.target is operator.getitem:
            return self._item(node)
        if isinstance(node.target, HigherOrderOperator):
            return self._call_graph(node)
        name = str(node.target)
        if is_symbol(node.meta.get("val")):
            return self._symbol(node)
        pure, of_complex = functional_name(node.target), has_complex_tensor(node)
        rule = import_rule(name, of_complex) or import_rule(pure, of_complex)
        if rule is None or not isinstance(node.target, OpOverload):
            unknown = QUANTIZED_OPERATOR if _is_quantized(name) else UNKNOWN_OPERATOR
            if of_complex:
                unknown = COMPLEX_OPERATOR
            raise refusal(name) or refusal(pure) or unknown
        args, kwargs = self._arguments(node, node.target, rule.takes_dtype)
        types = self._types(node, self._describe(node), node.meta.get("val"))
        has_types = types or node.meta.get("val") is None
        if not has_types or is_poisoned([*args, *kwargs.values()]):
            return stand_in(node.meta.get("val"))
        self.builder.results = types
        built = rule.build(self.builder, *args, **kwargs)
        if built is POISON:
            return POISON
        _check(node, built, types)
        _name_results(node, built)
        return built

    def _arguments(
        self, node: Node, target: OpOverload, takes_dtype: bool
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments in schema order, with defaults; keyword-only arguments by name,
        except those that only concern memory allocation.
        """
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        given = dict(enumerate(node.args))
        schema = target._schema  # pyright: ignore[reportPrivateUsage]
        for index, parameter in enumerate(schema.arguments):
            value = given.get(index, node.kwargs.get(parameter.name, _ABSENT))
            if value is _ABSENT:
                value = parameter.default_value
            if not parameter.kwarg_only:
                args.append(self.value_of(value))
            elif parameter.name not in _ALLOCATION or (
                parameter.name == "dtype" and takes_dtype
            ):
                kwargs[parameter.name] = self.value_of(value)
        return args, kwargs

    def _symbol(self, node: Node) -> Any:
        """A number known only at run time; no new problem if a dynamic shape is reported."""
        if any(self.values.get(n) is POISON for n in node.all_input_nodes):
            return POISON
        raise Refusal(NUMBER, REMEDIES[NUMBER])

    def _attribute(self, node: Node) -> Any:
        value: Any = operator.attrgetter(str(node.target))(self.module)
        if isinstance(value, GraphModule):
            return value
        if not isinstance(value, torch.Tensor):
            raise Refusal(
                f"the attribute is a {type(value).__name__}, not a tensor",
                "export the model without it",
            )
        if value.is_complex():
            return complex_constant(self.builder, value, str(node.target))
        return self.builder.constant(value.detach(), str(node.target))

    def _item(self, node: Node) -> Any:
        values, index = self.value_of(node.args[0]), node.args[1]
        if values is POISON:
            return POISON
        value = values[index]
        if not isinstance(value, Unavailable):
            return value
        if not node.users:
            return POISON
        maker = node.args[0]
        if self.fallback is None or not isinstance(maker, Node):
            raise value
        self.values[maker] = self._fall_back(maker, value)
        return self._item(node)

    def _call_graph(self, node: Node) -> Any:
        """Imports the graph of a wrapper that does not compute anything itself (no_grad)."""
        name = str(node.target.name())  # pyright: ignore
        if name == SCAN:
            found = scan(self.builder, self._run_graph, *self.value_of(node.args))
            return stand_in(node.meta["val"]) if found is None else found
        return self._run_graph(*carried_graph(name, self.value_of(node.args)))

    def _inline(self, module: GraphModule, operands: Sequence[Any]) -> Any:
        """Imports the decomposition of the current node in its place; see `composites`."""
        outer, self.outer = self.outer, self.current
        value = self._run_graph(module, operands)
        self.outer = outer
        return tuple(value) if isinstance(value, list) else value

    def _describe(self, node: Node) -> str:
        what = _describe(node)
        return what if self.outer is None else f"{what} within {self.outer.target}"

    def _run_graph(self, module: GraphModule, operands: Sequence[Any]) -> Any:
        outer, self.module = self.module, module
        inputs = iter(operands)
        result: Any = None
        self.checks |= checks_of(module.graph)
        for inner in module.graph.nodes:
            if inner.op == "placeholder":
                self.values[inner] = next(inputs)
            elif inner.op == "output":
                result = self.value_of(inner.args[0])
            else:
                self.run(inner)
        self.module = outer
        return result

    def _types(self, node: Node, what: str, value: Any) -> tuple[AnyTensor, ...]:
        """The IR types of a node's tensors. Where the IR has no such type: none, and a
        problem unless an operand's problem is already reported.
        """
        known = any(self.values.get(n) is POISON for n in node.all_input_nodes)
        problems: list[Problem] = []
        where = describe_location(node_location(self.outer or node))
        types: list[AnyTensor] = []
        for item in value if isinstance(value, list | tuple) else [value]:
            if not isinstance(item, torch.Tensor):
                if item is not None:
                    problems.append(not_a_tensor(what, where, item))
            elif item.layout != torch.strided:
                problems.append(sparse_tensor(what, where, item.layout))
            elif is_dynamic(item.shape):
                problems.append(dynamic_shape(what, where, item.shape))
            elif (type_ := type_of_leaf(item)) is None:
                problems.append(unsupported_dtype(what, where, item.dtype))
            else:
                types.append(type_)
        if not problems:
            return tuple(types)
        if not known:
            self.problems += problems
        return ()


_ABSENT = object()
_ALLOCATION = (
    "device",
    "layout",
    "memory_format",
    "pin_memory",
    "non_blocking",
    "dtype",
)


def _is_quantized(name: str) -> bool:
    return re.match(r"quantized\.|torchao|aten\.(fake_|de)?quantize", name) is not None


def _refusal(error: Refusal | VerifyException) -> Refusal:
    if isinstance(error, Refusal):
        return error
    return Refusal(str(error), "use a supported form of this operator")


def _describe(node: Node) -> str:
    """The operator and its tensor operands."""
    operands = [
        describe_value(value)
        for n in node.all_input_nodes
        if isinstance(value := n.meta.get("val"), torch.Tensor)
    ]
    return f"{node.target} of {', '.join(operands)}" if operands else str(node.target)


def _check(node: Node, built: Any, types: Sequence[AnyTensor]) -> None:
    """Checks the type of a rule's result against the exporter's; a mismatch is our bug."""
    values = built if isinstance(built, tuple) else (built,)
    for value, wanted in zip(values, types, strict=True):
        if not isinstance(value, SSAValue | Complex):
            continue
        found = value.type if isinstance(value, Complex) else tensor_of(value)
        if found != wanted:
            raise CompileError(
                f"importing {_describe(node)} ({describe_location(node_location(node))})"
                f" gave {found}, but the exporter recorded {wanted}; "
                "this is an error in DevProc"
            )


def _name_results(node: Node, built: Any) -> None:
    for value, name in parts_of(built, node.name):
        if isinstance(value, SSAValue) and value.name_hint is None:
            _named(value, name)


def _named(value: SSAValue, name: str) -> SSAValue:
    value.name_hint = value_name(name)
    return value
