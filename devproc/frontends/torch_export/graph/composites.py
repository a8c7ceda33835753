"""Operators that PyTorch itself composes of others: imported through its composition.

PyTorch writes many operators (`kron`, `cosine_similarity`, `bilinear`, the losses) in
terms of others, in C++ or in `torch._decomp`. Such an operator is traced once for all nodes
of the same shapes and dtypes, and what the trace shows is imported in its place. The
result has PyTorch's own order of operations and its roundings.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeAlias

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree
from xdsl.ir import SSAValue

from devproc.frontends.torch_export.graph.builder import (
    Complex,
    GraphBuilder,
    ImportRule,
)
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.graph.source import is_functional
from devproc.ir.types import AnyTensor, tensor_of
from devproc.reference.conversion.tensors import torch_dtype

KEPT_TRACES = 256
"""A trace takes PyTorch a tenth of a second; kept, it is a graph of some dozen nodes."""


def traced(*names: str) -> dict[str, ImportRule]:
    """Rows for operators that are imported through PyTorch's composition."""
    return {name: composed_of(overload(name)) for name in names}


def overload(name: str) -> OpOverload:
    """The operator `aten.name.overload`."""
    _, operator, variant = name.split(".")
    return getattr(getattr(torch.ops.aten, operator), variant)


def composed_of(function: Callable[..., Any]) -> ImportRule:
    """A row for an operator that is this function of PyTorch tensors.

    For compositions that PyTorch has in C++ only, hidden from its tracer.
    """

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> Any:
        leaves, spec = pytree.tree_flatten((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, SSAValue | Complex)]
        default = torch.get_default_dtype()
        module = trace(function, _arguments(leaves), spec, default, b.has_rule)
        return b.inline(module, tensors)

    return ImportRule(build, takes_dtype=True)


@dataclass(frozen=True)
class TensorLike:
    """What a trace depends on of a tensor."""

    shape: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class Constant:
    """Any other argument; 1, 1.0 and True differ."""

    type: type
    value: Any


Argument: TypeAlias = TensorLike | Constant


def _arguments(leaves: Sequence[Any]) -> tuple[Argument, ...]:
    return tuple(
        _like(tensor_of(leaf))
        if isinstance(leaf, SSAValue)
        else _like(leaf.type)
        if isinstance(leaf, Complex)
        else Constant(type(leaf), leaf)
        for leaf in leaves
    )


def _like(type_: AnyTensor) -> TensorLike:
    return TensorLike(type_.get_shape(), torch_dtype(type_.element_type))


@lru_cache(maxsize=KEPT_TRACES)
def trace(
    function: Callable[..., Any],
    arguments: tuple[Argument, ...],
    spec: pytree.TreeSpec,
    default: torch.dtype,
    has_rule: Callable[[str], bool],
) -> GraphModule:
    """The function as a graph of operators of its tensors; a model's equal layers share it.

    `default` is PyTorch's default dtype, which a composition may ask for; operators that
    `has_rule` knows stay whole.
    Raises Refusal where it depends on the data, or is not composed of others.
    """

    def call(*tensors: torch.Tensor) -> Any:
        found = iter(tensors)
        args, kwargs = pytree.tree_unflatten(
            [
                next(found) if isinstance(argument, TensorLike) else argument.value
                for argument in arguments
            ],
            spec,
        )
        return function(*args, **kwargs)

    pure = torch.func.functionalize(call, remove="mutations")
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            tensors = [
                torch.empty(argument.shape, dtype=argument.dtype)
                for argument in arguments
                if isinstance(argument, TensorLike)
            ]
            module = make_fx(pure, _decompositions(function, has_rule))(*tensors)
    except (Refusal, MemoryError):
        raise
    # The tracer raises whatever the composition raises.
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise Refusal(
            f"PyTorch's composition of the operator cannot be traced: {reason}",
            "express it through supported operators",
        ) from error
    if not is_functional(module.graph):
        # PyTorch's functionalization does not reach what a composition in C++ makes.
        raise Refusal(
            "PyTorch's composition of the operator writes to memory that it reads",
            "express it through supported operators",
        )
    if any(node.target is function for node in module.graph.nodes):
        raise Refusal(
            "in this form PyTorch does not compose the operator of others",
            "express it through supported operators",
        )
    return module


@cache
def _decompositions(
    function: Callable[..., Any], has_rule: Callable[[str], bool]
) -> dict[Any, Any]:
    """PyTorch's compositions in Python, of all operators that have no row and of
    `function`.
    """
    from torch._decomp import decomposition_table

    found: dict[Any, Any] = {
        op: composition
        for op, composition in decomposition_table.items()
        if op is function or (not has_rule(str(op)) and _is_pure(op))
    }
    # What PyTorch's compositions in Python cast with; these are no ATen operators.
    found[torch.ops.prims.convert_element_type.default] = torch.Tensor.to
    found[torch.ops.prims.scalar_tensor.default] = torch.scalar_tensor
    return found


def _is_pure(op: object) -> bool:
    """Whether an operator only gives results; others become that before they are seen."""
    return isinstance(op, OpOverload) and not op._schema.is_mutable  # pyright: ignore[reportPrivateUsage]
