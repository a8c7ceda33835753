"""Composite operators: imported through PyTorch's own decomposition.

PyTorch implements many operators (`kron`, `cosine_similarity`, `bilinear`, the losses) in
terms of others, in C++ or in `torch._decomp`. Such an operator is traced once for all nodes
of the same shapes and dtypes, and the trace is imported in its place. The result has
PyTorch's order of operations and its roundings.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
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
    overloads,
)
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.graph.source import first_line, is_functional
from devproc.ir.types import tensor_of
from devproc.reference.conversion.tensors import torch_dtype

KEPT_TRACES = 256
"""Size of the cache of traces: a trace takes PyTorch a tenth of a second, and its graph
has a few dozen nodes."""


def traced(names: str) -> dict[str, ImportRule]:
    """Table rows for operators imported through PyTorch's decomposition, named as in
    `overloads`.
    """
    return {name: composed_of(overload(name)) for name in overloads(names)}


def overload(name: str) -> OpOverload:
    """The operator `aten.name.overload`."""
    _, operator, variant = name.split(".")
    return getattr(getattr(torch.ops.aten, operator), variant)


def composed_of(function: Callable[..., Any]) -> ImportRule:
    """The rule of an operator that equals this function of PyTorch tensors.

    For decompositions that PyTorch has only in C++, where its tracer does not see them.
    """

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> Any:
        leaves, spec = pytree.tree_flatten((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, SSAValue | Complex)]
        default = torch.get_default_dtype()
        arguments = tuple(map(_argument, leaves))
        module = trace(function, arguments, spec, default, b.has_rule)
        return b.inline(module, tensors)

    return ImportRule(build, takes_dtype=True)


@dataclass(frozen=True)
class TensorLike:
    """The properties of a tensor that a trace depends on."""

    shape: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class Constant:
    """Any other argument; 1, 1.0 and True are distinct."""

    type: type
    value: Any


Argument: TypeAlias = TensorLike | Constant


def _argument(leaf: Any) -> Argument:
    if not isinstance(leaf, SSAValue | Complex):
        return Constant(type(leaf), leaf)
    type_ = leaf.type if isinstance(leaf, Complex) else tensor_of(leaf)
    return TensorLike(type_.get_shape(), torch_dtype(type_.element_type))


@lru_cache(maxsize=KEPT_TRACES)
def trace(
    function: Callable[..., Any],
    arguments: tuple[Argument, ...],
    spec: pytree.TreeSpec,
    default: torch.dtype,
    has_rule: Callable[[str], bool],
) -> GraphModule:
    """The function as a graph of operators on its tensors, shared by equal layers.

    `default` is PyTorch's default dtype, which a decomposition may depend on; operators
    that `has_rule` knows are not decomposed. Raises Refusal where the graph would depend
    on the data, or where the operator has no decomposition.
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
    # The tracer raises whatever the decomposition raises.
    except Exception as error:
        reason = first_line(error)
        why = f"PyTorch's composition of the operator cannot be traced: {reason}"
        raise Refusal(why, _REMEDY) from error
    if not is_functional(module.graph):
        # PyTorch's functionalization does not reach into compositions in C++.
        why = "PyTorch's composition of the operator writes to memory that it reads"
        raise Refusal(why, _REMEDY)
    if any(node.target is function for node in module.graph.nodes):
        why = "in this form PyTorch does not compose the operator of others"
        raise Refusal(why, _REMEDY)
    return module


_REMEDY = "express it through supported operators"


@cache
def _decompositions(
    function: Callable[..., Any], has_rule: Callable[[str], bool]
) -> dict[Any, Any]:
    """PyTorch's decompositions in Python of `function` and of all operators that have no
    import rule.
    """
    from torch._decomp import decomposition_table

    found: dict[Any, Any] = {
        op: composition
        for op, composition in decomposition_table.items()
        if op is function or (not has_rule(str(op)) and _is_pure(op))
    }
    # Used by PyTorch's decompositions for casts; these are no ATen operators.
    found[torch.ops.prims.convert_element_type.default] = torch.Tensor.to
    found[torch.ops.prims.scalar_tensor.default] = torch.scalar_tensor
    return found


def _is_pure(op: object) -> bool:
    """Whether an operator does not write to its operands; others are functionalized first."""
    return isinstance(op, OpOverload) and not op._schema.is_mutable  # pyright: ignore[reportPrivateUsage]
