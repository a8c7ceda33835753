"""Scaled dot-product attention."""

from __future__ import annotations

from math import sqrt
from typing import Any

import torch
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn.attention import AttentionOp, CachedAttentionOp
from devproc.dialects.nn.base import broadcast_shapes
from devproc.dialects.nn.compare import AndOp
from devproc.dialects.nn.shape import ExpandOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
)
from devproc.frontends.torch_export.graph.problems import training_mode
from devproc.ir.types import is_bool, tensor_of
from devproc.reference.conversion.tensors import torch_dtype


def _attention(
    b: GraphBuilder,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    attn_mask: SSAValue | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> SSAValue:
    """softmax(query @ key.T * scale + mask) @ value; a row with no key gives 0."""
    if dropout:
        raise training_mode("attention with dropout")
    mask = attn_mask
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
    empty = mask is not None
    if is_causal:
        mask = _causal(b, mask, rows, columns)
    factor = (1 / sqrt(width) if scale is None else scale) if width else 1.0
    factor = _rounded(factor, compute_type(tensor_of(query).element_type))
    query = _expanded(b, query, key, mask)
    result = b.emit(AttentionOp.of(query, key, value, mask, factor, empty))
    return b.reshape(result, b.result.get_shape())


def _causal(
    b: GraphBuilder, mask: SSAValue | None, rows: int, columns: int
) -> SSAValue:
    """A mask that lets each row read the columns up to its own, combined with `mask`."""
    allowed = torch.ones(rows, columns, dtype=torch.bool).tril()
    causal = b.constant(allowed, f"causal_mask.{b.node_name}")
    if mask is None:
        return causal
    if is_bool(tensor_of(mask).element_type):
        return b.emit(AndOp.build_op([mask, causal]))
    return Formula(b, tensor_of(mask).element_type).where(causal, mask, float("-inf"))


def _rounded(number: float, element: Attribute) -> float:
    """The number rounded to the dtype of the products."""
    return torch.tensor(number, dtype=torch.float64).to(torch_dtype(element)).item()


def _expanded(
    b: GraphBuilder, query: SSAValue, key: SSAValue, mask: SSAValue | None
) -> SSAValue:
    """Queries expanded to the batch of a mask that has more matrices than the scores."""
    if mask is None:
        return query
    outer = [shape_of(v)[:-2] for v in (query, key)]
    batch = broadcast_shapes(outer)
    whole = broadcast_shapes([batch, shape_of(mask)[:-2]])
    if whole == batch:
        return query
    return b.emit(ExpandOp.to(query, (*whole, *shape_of(query)[-2:])))


def _split_heads(b: GraphBuilder, x: SSAValue, repeats: int) -> SSAValue:
    """The dimension of heads as (heads of the keys, queries for each)."""
    *leading, heads, rows, columns = shape_of(x)
    return b.reshape(x, (*leading, heads // repeats, repeats, rows, columns))


def _fused(parameters: str, count: int) -> ImportRule:
    """The rule of a fused operator: its positional parameters by name, of which
    `_attention` takes those without a leading underscore; and the number of its results
    that only training needs.
    """
    other = Unavailable("the results for training are not computed", "do not use them")
    names = parameters.split()

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        given = dict(zip(names, args, strict=False))
        kwargs |= {name: v for name, v in given.items() if not name.startswith("_")}
        return (_attention(b, **kwargs), *[other] * count)

    return ImportRule(build, _MAKES)


_MAKES = (AttentionOp,)
_PREFIX = "aten._scaled_dot_product"

IMPORTS: dict[str, ImportRule] = {
    f"{_PREFIX}_attention_math.default": _fused(
        "query key value attn_mask dropout is_causal _dropout_mask", 1
    ),
    f"{_PREFIX}_efficient_attention.default": _fused(
        "query key value attn_mask _compute_log_sumexp dropout is_causal", 3
    ),
    f"{_PREFIX}_flash_attention.default": _fused(
        "query key value dropout is_causal _return_debug_mask", 8
    ),
    f"{_PREFIX}_flash_attention_for_cpu.default": _fused(
        "query key value dropout is_causal", 1
    ),
    "aten.scaled_dot_product_attention.default": ImportRule(_attention, _MAKES),
}
"""ATen overload -> import rule."""

NO_IMPORT: dict[type[Operation], str] = {
    CachedAttentionOp: "`raise-cached-attention` finds it in the mask of an attention",
}
"""op class -> why no ATen operator is imported as it."""
