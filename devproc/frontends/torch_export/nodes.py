"""Imports the nodes of a graph, one after another, through the tables."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.export.graph_signature import InputSpec
from torch.fx import GraphModule, Node
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.errors import CompileError, Problem
from devproc.frontends.torch_export.builder import (
    INLINE_LIMIT,
    GraphBuilder,
    Unavailable,
)
from devproc.frontends.torch_export.locations import node_location
from devproc.frontends.torch_export.parameters import Parameters
from devproc.frontends.torch_export.problems import (
    QUANTIZED_OPERATOR,
    UNKNOWN_OPERATOR,
    Refusal,
    describe_value,
    dynamic_shape,
    higher_order,
    is_dynamic,
    sparse_tensor,
    unsupported_dtype,
)
from devproc.frontends.torch_export.tables import IGNORED, IMPORTS
from devproc.ir.location import describe_location
from devproc.ir.types import AnyTensor, tensor, tensor_of
from devproc.ir.weights import WeightTable
from devproc.reference.tensors import name_of

POISON = object()
"""The value of a node that was refused and has no type: its users are skipped."""


class NodeImporter:
    """Builds the ops of each node and keeps the nodes' values."""

    def __init__(
        self, module: GraphModule, weights: WeightTable, problems: list[Problem]
    ):
        self.module = module
        self.builder = GraphBuilder(weights)
        self.problems = problems
        self.values: dict[Node, Any] = {}

    def bind_input(self, node: Node) -> None:
        """A tensor input becomes an argument of the function."""
        value = node.meta.get("val")
        types = self._types(node, f"input '{node.name}'", value)
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
        found = parameters.find(spec)
        self.values[node] = POISON if found is None else _Pending(*found)

    def value_of(self, argument: Any) -> Any:
        """The value of an argument of a node: nodes and lists of them are looked up."""
        if isinstance(argument, Node):
            value = self.values.get(argument, POISON)
            if isinstance(value, _Pending):
                value = self.values[argument] = self._materialize(value)
            return value
        if isinstance(argument, list | tuple):
            return [self.value_of(item) for item in argument]
        return argument

    def _materialize(self, pending: _Pending) -> SSAValue:
        """The weight, or the constant, that stands for a tensor of the program."""
        name, value = pending.name, pending.value
        if pending.in_text:
            return self.builder.constant(value, name)
        return _named(self.builder.weight(value, name), name)

    def run(self, node: Node) -> None:
        """Imports one node; a problem is noted and the node's users go on."""
        location = node_location(node)
        self.builder.location = location
        self.builder.node_name = node.name
        try:
            self.values[node] = self._import(node)
        except (Refusal, VerifyException) as error:
            where = describe_location(location)
            why, remedy = _reason(error)
            self.problems.append(Problem(_describe(node), where, why, remedy))
            self.values[node] = self._placeholder(node)

    def _import(self, node: Node) -> Any:
        if node.op == "get_attr":
            return self._attribute(node)
        if node.target is operator.getitem:
            return self._item(node)
        if isinstance(node.target, HigherOrderOperator):
            return self._call_graph(node)
        name = str(node.target)
        if name in IGNORED:
            return None
        if isinstance(
            node.meta.get("val"), torch.SymInt | torch.SymFloat | torch.SymBool
        ):
            return self._symbol(node)
        rule = IMPORTS.get(name) or IMPORTS.get(_functional_name(node.target))
        if rule is None or not isinstance(node.target, OpOverload):
            raise QUANTIZED_OPERATOR if _is_quantized(name) else UNKNOWN_OPERATOR
        args, kwargs = self._arguments(node, node.target)
        types = self._types(node, _describe(node), node.meta.get("val"))
        if not types or _is_poisoned([*args, *kwargs.values()]):
            return POISON
        self.builder.results = types
        built = rule.build(self.builder, *args, **kwargs)
        _check(node, built, types)
        _name_results(node, built)
        return built

    def _arguments(
        self, node: Node, target: OpOverload
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments in the schema's order, with its defaults; keyword-only ones by
        name, without what only says where and how memory is allocated.
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
            elif parameter.name not in _ALLOCATION:
                kwargs[parameter.name] = self.value_of(value)
        return args, kwargs

    def _symbol(self, node: Node) -> Any:
        """A number known only at run time; of a dynamic shape it is no new problem."""
        if any(self.values.get(n) is POISON for n in node.all_input_nodes):
            return POISON
        raise Refusal(
            "a number that is known only at run time is not supported",
            "compute with tensors, or fix the number before export",
        )

    def _attribute(self, node: Node) -> Any:
        value: Any = self.module
        for part in str(node.target).split("."):
            value = getattr(value, part)
        if isinstance(value, GraphModule):
            return value
        if not isinstance(value, torch.Tensor):
            raise Refusal(
                f"the attribute is a {type(value).__name__}, not a tensor",
                "export the model without it",
            )
        return self.builder.constant(value.detach(), str(node.target))

    def _item(self, node: Node) -> Any:
        values, index = self.value_of(node.args[0]), node.args[1]
        if values is POISON:
            return POISON
        value = values[index]
        if isinstance(value, Unavailable):
            if node.users:
                raise Refusal(value.why, value.remedy)
            return POISON
        return value

    def _call_graph(self, node: Node) -> Any:
        """Imports the graph of a wrapper that computes nothing itself (no_grad)."""
        name = str(node.target.name())  # pyright: ignore
        if name != "wrap_with_set_grad_enabled":
            raise higher_order(name)
        _, module, *operands = self.value_of(node.args)
        outer, self.module = self.module, module
        inputs = iter(operands)
        result: Any = None
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
        """IR types of a node's tensors; empty, and a problem unless it comes from an
        operand that is already reported, where the IR has no such type.
        """
        known = any(self.values.get(n) is POISON for n in node.all_input_nodes)
        problems: list[Problem] = []
        where = describe_location(node_location(node))
        types: list[AnyTensor] = []
        for item in value if isinstance(value, list | tuple) else [value]:
            if not isinstance(item, torch.Tensor):
                if item is not None and not known:
                    problems.append(_not_a_tensor(what, where, item))
            elif item.layout != torch.strided:
                problems.append(sparse_tensor(what, where, item.layout))
            elif is_dynamic(item.shape):
                problems.append(dynamic_shape(what, where, item.shape))
            elif (name := name_of(item.dtype)) is None:
                problems.append(unsupported_dtype(what, where, item.dtype))
            else:
                types.append(tensor(name, item.shape))
        if not problems:
            return tuple(types)
        if not known:
            self.problems += problems
        return ()

    def _placeholder(self, node: Node) -> Any:
        """A value of the right type for the users of a refused node, so that they can
        be looked at too.
        """
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor) or name_of(value.dtype) is None:
            return POISON
        if value.layout != torch.strided or is_dynamic(value.shape):
            return POISON
        type_ = tensor(str(name_of(value.dtype)), value.shape)
        return UnrealizedConversionCastOp.get([], [type_]).results[0]


class _Pending:
    """A parameter that no node has used yet."""

    def __init__(self, name: str, value: torch.Tensor):
        self.name = name
        self.value = value
        # Numbers of the forward pass stand in the text; state has a name.
        self.in_text = (
            name.startswith("lifted_tensor_") and value.numel() <= INLINE_LIMIT
        )


_ABSENT = object()
_ALLOCATION = (
    "device",
    "layout",
    "memory_format",
    "pin_memory",
    "non_blocking",
    "dtype",
)


def _functional_name(target: Any) -> str:
    """`aten.relu_.default` -> `aten.relu.default`; see `source.functional`."""
    namespace, _, rest = str(target).partition(".")
    name, _, overload = rest.partition(".")
    return f"{namespace}.{name.removesuffix('_')}.{overload}"


def _is_quantized(name: str) -> bool:
    return name.partition(".")[0] in ("quantized", "quantized_decomposed", "torchao")


def _is_poisoned(values: Sequence[Any]) -> bool:
    return any(
        value is POISON or (isinstance(value, list) and POISON in value)
        for value in values
    )


def _reason(error: Refusal | VerifyException) -> tuple[str, str]:
    if isinstance(error, Refusal):
        return error.why, error.remedy
    return str(error), "use a supported form of this operator"


def _describe(node: Node) -> str:
    """The operator and the tensors it takes."""
    operands = [
        describe_value(value)
        for n in node.all_input_nodes
        if isinstance(value := n.meta.get("val"), torch.Tensor)
    ]
    return f"{node.target} of {', '.join(operands)}" if operands else str(node.target)


def _not_a_tensor(what: str, where: str, value: object) -> Problem:
    return Problem(
        what,
        where,
        f"a value of type {type(value).__name__} is known only at run time",
        "export with fixed sizes and numbers",
    )


def _check(node: Node, built: Any, types: Sequence[AnyTensor]) -> None:
    """The rule gave what the exporter recorded; anything else is our mistake."""
    values = built if isinstance(built, tuple) else (built,)
    for value, wanted in zip(values, types, strict=True):
        if isinstance(value, SSAValue) and tensor_of(value) != wanted:
            raise CompileError(
                f"importing {_describe(node)} ({describe_location(node_location(node))})"
                f" gave {value.type}, but the exporter recorded {wanted}; "
                "this is an error in DevProc"
            )


def _name_results(node: Node, built: Any) -> None:
    if isinstance(built, SSAValue) and built.name_hint is None:
        _named(built, node.name)


def _named(value: SSAValue, name: str) -> SSAValue:
    # A name in the text must not begin with a digit; `nn.Sequential` gives such names.
    hint = name.replace(".", "_")
    hint = f"w{hint}" if hint[:1].isdigit() else hint
    value.name_hint = SSAValue.extract_valid_name(hint)
    return value
