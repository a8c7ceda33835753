"""Nodes that PyTorch runs (`fallback="torch"`), as `dev.host_call` ops."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from devproc.dialects.dev import HostCallOp, OperandAttr, TorchAttr
from devproc.errors import CompileError
from devproc.frontends.torch_export.complex.complex_parts import part_type
from devproc.frontends.torch_export.graph.builder import Complex, GraphBuilder
from devproc.frontends.torch_export.graph.problems import Refusal, is_dynamic
from devproc.ir.types import HOST_DTYPES, AnyTensor, tensor, tensor_of
from devproc.reference.conversion.arrays import name_of
from devproc.reference.run.host_call import find_operator

FALLBACKS = (None, "torch")
"""The values of `fallback=`."""

OFFER = 'or run it in PyTorch with fallback="torch"'

DATA_DEPENDENT = Refusal(
    "the shape of its result depends on the data; only static shapes are supported",
    "use a form with a fixed size (a mask, torch.where, torch.topk)",
)

COMPLEX = {getattr(torch, name): element for name, element in HOST_DTYPES.items()}
"""dtypes that only PyTorch supports -> element type."""

STRIDED = ("aten::as_strided", "aten::_reshape_alias")
"""Prefixes of operators whose result depends on the memory layout of the operand."""


def check_fallback(fallback: str | None) -> None:
    """Raises CompileError for an unknown fallback."""
    if fallback not in FALLBACKS:
        raise CompileError(
            f"unknown fallback {fallback!r}; use 'torch' to run in PyTorch what is not"
            " supported, or None to refuse it"
        )


def has_complex_tensor(node: Node) -> bool:
    """Whether a node has a complex operand or result."""
    values = [n.meta.get("val") for n in (node, *node.all_input_nodes)]
    leaves: list[Any] = tree_leaves(values)
    return any(isinstance(v, torch.Tensor) and v.is_complex() for v in leaves)


def obstacle(node: Node, refusal: Refusal) -> Refusal | None:
    """Why PyTorch cannot run a node within a compiled program either: the import's
    `refusal`, or a separate reason. None if it can.
    """
    target = node.target
    if not isinstance(target, OpOverload):
        return refusal
    leaves = tree_leaves(node.meta.get("val"))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    if any(is_dynamic(value.shape) for value in tensors):
        return DATA_DEPENDENT
    if not tensors or any(
        leaf is not None and type_of_leaf(leaf) is None for leaf in leaves
    ):
        return refusal
    if torch.Tag.nondeterministic_seeded in target.tags and not _is_certain(node):
        return Refusal(
            "it draws random numbers; a program's results depend on its inputs alone",
            "give the random numbers as an input",
        )
    if _callable_name(target) is None:
        return Refusal(
            "it writes to its operands", "use an operator that returns its result"
        )
    if target.name().startswith(STRIDED):
        return Refusal(
            f"{refusal.why}; what it reads depends on how its operand lies in memory",
            refusal.remedy,
        )
    return None


def host_call(
    node: Node,
    args: Any,
    kwargs: dict[str, Any],
    refusal: Refusal,
    builder: GraphBuilder,
) -> Any:
    """Emits a call of a refused node's operator with these arguments, where tensors are
    SSA values. Returns the results in the structure of the node's; raises Refusal.
    """
    found = obstacle(node, refusal)
    if found is not None:
        raise found
    assert isinstance(node.target, OpOverload)
    args, kwargs = tree_map(partial(_whole, builder), (args, kwargs))
    operands: dict[SSAValue, int] = {}
    arguments = [_encode(value, operands) for value in args]
    keywords = {name: _encode(value, operands) for name, value in kwargs.items()}
    leaves, spec = tree_flatten(node.meta["val"])
    types = [type_ for leaf in leaves if (type_ := type_of_leaf(leaf)) is not None]
    name = str(_callable_name(node.target))
    op = HostCallOp(name, list(operands), types, arguments, keywords, refusal.why)
    builder.emit(op)
    for index, result in enumerate(op.outputs):
        result.name_hint = f"{node.name}_{index}" if index else node.name
    results = iter([_parts(builder, value) for value in op.outputs])
    values = [None if leaf is None else next(results) for leaf in leaves]
    return tree_unflatten(values, spec)


def _whole(builder: GraphBuilder, value: Any) -> Any:
    """An argument as PyTorch takes it: the parts of a complex tensor are combined."""
    if not isinstance(value, Complex):
        return value
    operands = [value.real, value.imaginary]
    return _view(builder, "complex", operands, value.type)


def _parts(builder: GraphBuilder, value: SSAValue) -> SSAValue | Complex:
    """A result of PyTorch, with a complex tensor split into its parts."""
    type_ = part_type(tensor_of(value))
    if type_ == value.type:
        return value
    return Complex(*[_view(builder, n, [value], type_) for n in ("real", "imag")])


def _view(
    builder: GraphBuilder, name: str, operands: Sequence[SSAValue], type_: AnyTensor
) -> SSAValue:
    """A call of PyTorch that converts between a complex tensor and its parts."""
    arguments = [OperandAttr.get(i) for i in range(len(operands))]
    why = "complex tensors are those of PyTorch"
    call = HostCallOp(f"aten.{name}.default", operands, [type_], arguments, {}, why)
    return builder.emit(call)


def _is_certain(node: Node) -> bool:
    """Whether the arguments disable the random numbers of an operator (dropout)."""
    assert isinstance(node.target, OpOverload)
    schema = node.target._schema  # pyright: ignore[reportPrivateUsage]
    given: dict[str, Any] = {}
    for index, parameter in enumerate(schema.arguments):
        found = node.kwargs.get(parameter.name, parameter.default_value)
        given[parameter.name] = node.args[index] if index < len(node.args) else found
    return any(given.get(name) is False for name in ("train", "training")) or any(
        name in given and given[name] == 0 for name in ("dropout", "dropout_p", "p")
    )


def type_of_leaf(leaf: object) -> AnyTensor | None:
    """The IR type of a result; None unless it is a dense tensor of a known dtype."""
    if not isinstance(leaf, torch.Tensor) or leaf.layout != torch.strided:
        return None
    name = name_of(leaf.dtype)
    if name is None and leaf.dtype not in COMPLEX:
        return None
    return tensor(COMPLEX[leaf.dtype] if name is None else name, leaf.shape)


def functional_name(target: Any) -> str:
    """`aten.relu_.default` -> `aten.relu.default`; see `source.functional`."""
    namespace, _, rest = str(target).partition(".")
    name, _, overload = rest.partition(".")
    return f"{namespace}.{name.removesuffix('_')}.{overload}"


def _callable_name(target: OpOverload) -> str | None:
    """The operator to call: itself, or its out-of-place form; None if there is none."""
    if not target._schema.is_mutable:  # pyright: ignore[reportPrivateUsage]
        return str(target)
    name = functional_name(target)
    try:
        found = find_operator(name, "")
    except CompileError:
        return None
    assert isinstance(found, OpOverload)
    return None if found._schema.is_mutable else name  # pyright: ignore[reportPrivateUsage]


def _encode(value: Any, operands: dict[SSAValue, int]) -> Attribute:
    """An argument as an attribute; `operands` collects the tensors without duplicates."""
    match value:
        case None:
            return UnitAttr()
        case SSAValue():
            return OperandAttr.get(operands.setdefault(value, len(operands)))
        case bool():
            return IntegerAttr(int(value), i1)
        case int() if -(2**63) <= value < 2**63:
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case list() | tuple():
            return ArrayAttr([_encode(item, operands) for item in value])
        case complex():
            return TorchAttr.get("complex", str(value))
        case torch.dtype() | torch.layout() | torch.memory_format():
            kind = type(value).__name__
            return TorchAttr.get(kind, str(value).removeprefix("torch."))
        case torch.device() if value.type == "cpu":
            return TorchAttr.get("device", "cpu")
        case _:
            raise Refusal(
                f"its argument {value!r} of type {type(value).__name__} cannot be kept",
                "compute it outside of the compiled program",
            )
