"""Host calls: PyTorch operators, looked up by the name of their overload."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import torch
from torch.utils._pytree import tree_leaves
from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, Operation

from devproc.dialects.dev import HostCallOp, OperandAttr, TorchAttr
from devproc.errors import CompileError
from devproc.ir.dtypes import format_shape
from devproc.ir.text.location import describe_location
from devproc.ir.types import tensor_of
from devproc.reference.conversion.tensors import torch_dtype

Tensors: TypeAlias = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class _Operand:
    """The position of a tensor among the operands of a call."""

    index: int


def call(op: Operation, *operands: torch.Tensor) -> Tensors:
    """The results of a host call for these operands."""
    return bind(cast(HostCallOp, op))(operands)


def bind(op: HostCallOp) -> Callable[[Sequence[torch.Tensor]], Tensors]:
    """The call as a function of its tensors; all other arguments are bound.

    Raises CompileError where no such operator is registered.
    """
    operator = find_operator(op.target.data, describe_location(op.location))
    args = [_decode(a) for a in op.arguments.data]
    kwargs = {name: _decode(a) for name, a in op.keywords.data.items()}
    wanted = [
        (torch.Size(type_.get_shape()), torch_dtype(type_.element_type))
        for type_ in map(tensor_of, op.outputs)
    ]

    def run(operands: Sequence[torch.Tensor]) -> Tensors:
        # Gradient and autocast modes of the caller do not change the exported program.
        with torch.no_grad(), _without_autocast():
            found = operator(
                *_fill(args, operands),
                **{name: _fill(value, operands) for name, value in kwargs.items()},
            )
        leaves = [v for v in tree_leaves(found) if isinstance(v, torch.Tensor)]
        if [(v.shape, v.dtype) for v in leaves] != wanted:
            raise CompileError(_unexpected(op, leaves))
        return tuple(leaves)

    return run


def _without_autocast() -> AbstractContextManager[Any]:
    if torch.is_autocast_enabled("cpu"):
        return torch.autocast("cpu", enabled=False)
    return nullcontext()


def find_operator(name: str, where: str) -> Callable[..., Any]:
    """The overload of this name (`aten.logit.default`); raises CompileError."""
    namespace, operator, overload = name.split(".")
    try:
        return getattr(getattr(getattr(torch.ops, namespace), operator), overload)
    except AttributeError as error:
        raise CompileError(
            f"operator '{name}' ({where}) runs in PyTorch, but PyTorch has no such"
            " operator: import the module that registers it before the program is"
            " compiled or loaded"
        ) from error


def _decode(attribute: Attribute) -> Any:
    match attribute:
        case OperandAttr():
            return _Operand(attribute.index.data)
        case UnitAttr():
            return None
        case IntegerAttr():
            number = attribute.value.data
            return bool(number) if attribute.type == i1 else number
        case FloatAttr():
            return attribute.value.data
        case StringAttr():
            return attribute.data
        case ArrayAttr():
            return [_decode(a) for a in attribute.data]
        case TorchAttr():
            return _constant(attribute.kind.data, attribute.value.data)
        case _:
            raise CompileError(f"{attribute} is not an argument of a PyTorch operator")


def _constant(kind: str, value: str) -> Any:
    if kind == "complex":
        return complex(value)
    return torch.device(value) if kind == "device" else getattr(torch, value)


def _fill(value: Any, operands: Sequence[torch.Tensor]) -> Any:
    """The arguments with operands substituted."""
    if isinstance(value, _Operand):
        return operands[value.index]
    if isinstance(value, list):
        return [_fill(item, operands) for item in value]
    return value


def _unexpected(op: HostCallOp, found: Sequence[torch.Tensor]) -> str:
    given = ", ".join(f"{v.dtype} {format_shape(v.shape)}" for v in found)
    wanted = ", ".join(str(result.type) for result in op.outputs)
    return (
        f"operator '{op.target.data}' ({describe_location(op.location)}) gave {given},"
        f" but its fake implementation promised {wanted} to torch.export; correct it"
        " (torch.library.register_fake) and export again"
    )
