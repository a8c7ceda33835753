"""Scaled dot-product attention as matrix products and a softmax, which a pass may make
one op again; rows of `contraction`."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import torch
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.compare import EqOp, WhereOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.pointwise import AddOp, MulOp
from devproc.dialects.nn.reduction import ReduceMaxOp, SoftmaxOp
from devproc.dialects.nn.shape import TransposeOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
)
from devproc.frontends.torch_export.graph.problems import training_mode
from devproc.frontends.torch_export.sums.softmax import safe_softmax, softmax
from devproc.ir.types import is_bool, tensor_of


def _attention(
    b: GraphBuilder,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    mask: SSAValue | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> SSAValue:
    """softmax(query @ key.T * scale + mask) @ value; a row without any key gives 0."""
    if dropout:
        raise training_mode("attention with dropout")
    element = b.result.element_type
    f = Formula(b, compute_type(element))
    rows, width = shape_of(query)[-2:]
    columns = shape_of(key)[-2]
    repeats = 1
    if enable_gqa and (heads := shape_of(key)[-3]):
        repeats = shape_of(query)[-3] // heads
    if repeats > 1:
        key, value = (_split_heads(b, v, 1) for v in (key, value))
        query = _split_heads(b, query, repeats)
        if mask is not None and len(shape_of(mask)) > 2:
            one = shape_of(mask)[-3] == 1
            mask = _split_heads(b, mask, 1 if one else repeats)
    last = len(shape_of(key)) - 1
    key = b.transpose(f.value(key), [*range(last - 1), last, last - 1])
    factor = (1 / sqrt(width) if scale is None else scale) if width else 1.0
    scores = f(MulOp, f(MatmulOp, query, key), factor)
    if is_causal:
        allowed = torch.ones(rows, columns, dtype=torch.bool).tril()
        scores = f.where(
            b.constant(allowed, f"causal_mask.{b.node_name}"), scores, float("-inf")
        )
    if mask is not None:
        if is_bool(tensor_of(mask).element_type):
            scores = f.where(mask, scores, float("-inf"))
        else:
            scores = f(AddOp, scores, mask)
    axis = len(shape_of(scores)) - 1
    if columns:
        scores = (softmax if mask is None else safe_softmax)(b, scores, axis)
    result = f(MatmulOp, scores, value)
    return b.cast(b.reshape(result, b.result.get_shape()), element)


def _split_heads(b: GraphBuilder, x: SSAValue, repeats: int) -> SSAValue:
    """The dimension of heads as (heads of the keys, queries for each)."""
    *leading, heads, rows, columns = shape_of(x)
    return b.reshape(x, (*leading, heads // repeats, repeats, rows, columns))


def _with_unavailable(rule: Callable[..., SSAValue], count: int) -> Callable[..., Any]:
    """A row whose other results are for training."""
    other = Unavailable("the results for training are not computed", "do not use them")

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return (rule(b, *args, **kwargs), *[other] * count)

    return build


def _flash_for_cpu(
    b: GraphBuilder,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    dropout: float = 0.0,
    is_causal: bool = False,
    attn_mask: SSAValue | None = None,
    scale: float | None = None,
) -> SSAValue:
    return _attention(b, query, key, value, attn_mask, dropout, is_causal, scale)


def _flash(
    b: GraphBuilder,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    dropout: float,
    is_causal: bool,
    return_debug_mask: bool = False,
    scale: float | None = None,
) -> SSAValue:
    return _attention(b, query, key, value, None, dropout, is_causal, scale)


def _efficient(
    b: GraphBuilder,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    mask: SSAValue | None,
    with_logsumexp: bool,
    dropout: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> SSAValue:
    return _attention(b, query, key, value, mask, dropout, is_causal, scale)


def _math(b: GraphBuilder, *args: Any, **kwargs: Any) -> SSAValue:
    return _attention(b, *args[:6], **kwargs)


_MAKES = (
    MulOp,
    TransposeOp,
    MatmulOp,
    AddOp,
    WhereOp,
    ReduceMaxOp,
    EqOp,
    SoftmaxOp,
)

ATTENTION: dict[str, ImportRule] = {
    "aten._scaled_dot_product_attention_math.default": ImportRule(
        _with_unavailable(_math, 1), _MAKES
    ),
    "aten._scaled_dot_product_efficient_attention.default": ImportRule(
        _with_unavailable(_efficient, 3), _MAKES
    ),
    "aten._scaled_dot_product_flash_attention.default": ImportRule(
        _with_unavailable(_flash, 8), _MAKES
    ),
    "aten._scaled_dot_product_flash_attention_for_cpu.default": ImportRule(
        _with_unavailable(_flash_for_cpu, 1), _MAKES
    ),
    "aten.scaled_dot_product_attention.default": ImportRule(_attention, _MAKES),
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {
    AttentionOp: "built by the pass raise-attention, where the CPU runs it",
}
"""op class -> why no ATen operator becomes it."""
