"""Attention as matrix products and a softmax, if there is no kernel for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue

from devproc.backend.installed import backend
from devproc.dialects.dev import is_for_host_alone, target_of
from devproc.dialects.nn.attention import AttentionOp, CachedAttentionOp
from devproc.dialects.nn.base import float_of, int_of, ints
from devproc.dialects.nn.elementary import TanhOp
from devproc.dialects.nn.reduction import SoftmaxOp
from devproc.ir.types import item_size, tensor_of
from devproc.transforms.tensor.decompositions.rule import Decomposition
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)

CACHED = 200_000
"""Maximum elements of a head, keys and the scores of a tile, that fit the cache."""

TILE_ROWS = 12
"""Maximum queries of a tile."""

NONE = float("-inf")
"""The score of a masked key."""


def pays(op: Operation) -> bool:
    """Whether an attention fits the CPU's schedules: in float32, or over a cache."""
    if isinstance(op, CachedAttentionOp):
        widest = max(item_size(tensor_of(v).element_type) for v in op.operands[:3])
        return widest <= 4 and all(tensor_of(v).element_count() for v in op.operands)
    assert isinstance(op, AttentionOp)
    return tensor_of(op.query).element_type == f32 and _fits_cache(op)


def is_kept(op: AttentionOp | CachedAttentionOp, module: object) -> bool:
    """Whether a device of the target has a kernel for it, and all take kernels."""
    if not isinstance(module, ModuleOp) or "devproc.target" not in module.attributes:
        return False
    devices = [backend(name) for name in target_of(module).device_names]
    return all(d.lowers_kernels for d in devices) and any(d.keeps(op) for d in devices)


def _fits_cache(op: AttentionOp) -> bool:
    if not all(tensor_of(value).element_count() for value in op.operands):
        return False
    queries, depth = tensor_of(op.query).get_shape()[-2:]
    keys = tensor_of(op.key).get_shape()[-2]
    return queries * keys >= 16 and -(-keys // 64) * 64 * (depth + TILE_ROWS) <= CACHED


def _attention(op: AttentionOp, builder: Builder) -> Sequence[SSAValue] | None:
    """softmax(query @ key.T * scale + mask) @ value, rounded to half precision once."""
    e = Expressions(builder)
    query, key, value = e.of(op.query), e.of(op.key), e.of(op.value)
    module = op.get_toplevel_object()
    if is_kept(op, module):
        return None
    if query.dtype != "float32" and _is_computed_in_float32(op, module):
        return _in_float32(op, e)
    last = len(key.shape) - 1
    key = key.widened().transpose(*range(last - 1), last, last - 1)
    scores = query.widened().matmul(key) * float_of(op.scale)
    if op.mask is not None:
        scores = _masked(scores, e.of(op.mask))
    if op.band is not None:
        scores = _banded(scores, *ints(op.band))
    if scores.shape[-1]:
        scores = _weights(scores, bool(int_of(op.empty)))
    return [scores.matmul(value.widened()).cast(query.dtype).ssa]


def _cached_attention(
    op: CachedAttentionOp, builder: Builder
) -> Sequence[SSAValue] | None:
    """`nn.attention` with a mask of the keys that each query sees."""
    if is_kept(op, op.get_toplevel_object()):
        return None
    e = Expressions(builder)
    query, key, value = e.of(op.query), e.of(op.key), e.of(op.value)
    if op.scales:
        key, value = (
            x.cast("float32") * e.of(s)
            for x, s in zip((key, value), op.scales, strict=True)
        )
    last = e.of(op.last).cast("int64")
    last = last.reshape(*last.shape, 1)
    place = e.line(key.shape[-2])
    seen = place <= last
    if op.window is not None:
        seen &= place > last - int_of(op.window)
    mask = e.optional(op.mask)
    if mask is not None:
        seen = seen & mask if mask.dtype == "bool" else e.where(seen, mask, NONE)
    if op.softcap is not None:
        return [_capped(op, query, key, value, seen).ssa]
    operands = [query, key.cast(query.dtype), value.cast(query.dtype), seen]
    properties = {name: op.properties[name] for name in ("scale", "empty")}
    made = e.emit(AttentionOp.build_op([x.ssa for x in operands], properties))
    return [made.ssa]


def _capped(
    op: CachedAttentionOp,
    query: Expression,
    key: Expression,
    value: Expression,
    mask: Expression,
) -> Expression:
    """Softly capped attention, which no other op is."""
    assert op.softcap is not None
    cap, rank = float_of(op.softcap), len(key.shape)
    columns = key.widened().transpose(*range(rank - 2), rank - 1, rank - 2)
    scores = query.widened().matmul(columns) * (float_of(op.scale) / cap)
    scores = _masked(scores.maker.apply(TanhOp, scores) * cap, mask)
    weights = _weights(scores, bool(int_of(op.empty)))
    return weights.matmul(value.widened()).cast(query.dtype)


def _is_computed_in_float32(op: AttentionOp, module: object) -> bool:
    """Whether the CPU, which has a kernel for float32 alone, computes half precision."""
    is_half = item_size(tensor_of(op.query).element_type) == 2
    return (
        is_half
        and _fits_cache(op)
        and isinstance(module, ModuleOp)
        and is_for_host_alone(module)
    )


def _in_float32(op: AttentionOp, e: Expressions) -> Sequence[SSAValue]:
    """The op in float32, between casts."""
    key, query = e.of(op.key).widened(), e.of(op.query).widened()
    mask = e.optional(op.mask)
    if mask is not None and mask.dtype != "bool":
        mask = mask.cast("float32")
    operands = [v.ssa for v in (query, key, e.of(op.value).widened())]
    operands += [] if mask is None else [mask.ssa]
    value = e.emit(AttentionOp.build_op(operands, op.properties))
    return [value.cast(e.of(op.query).dtype).ssa]


def _masked(scores: Expression, mask: Expression) -> Expression:
    if mask.dtype == "bool":
        return scores.maker.where(mask, scores, NONE)
    return scores + mask.cast(scores.dtype)


def _banded(scores: Expression, low: int, high: int) -> Expression:
    """The scores of the keys with low <= key - query <= high."""
    e, (queries, keys) = scores.maker, scores.shape[-2:]
    place = e.line(keys) - e.line(queries).reshape(queries, 1)
    return e.where((place >= low) & (place <= high), scores, NONE)


def _weights(scores: Expression, empty: bool) -> Expression:
    """The softmax of the scores; with `empty`, 0 in rows without any key."""
    e, axis = scores.maker, len(scores.shape) - 1
    masked = scores.max(axis, keep=True).equal(NONE) if empty else None
    weights = e.emit(SoftmaxOp.along(scores.ssa, axis))
    return weights if masked is None else e.where(masked, 0.0, weights)


DECOMPOSITIONS: Mapping[type[Operation], Decomposition] = {
    AttentionOp: _attention,
    CachedAttentionOp: _cached_attention,
}
"""op class -> its decomposition, which returns None if the op is kept."""
