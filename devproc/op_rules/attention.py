"""Rules of attention."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, Operation

from devproc.dialects.nn.attention import AttentionOp, CachedAttentionOp
from devproc.dialects.nn.base import ints
from devproc.ir.subset import Span, Subset
from devproc.ir.types import tensor_of
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.batches import Splits, shapes_of
from devproc.op_rules.base.costs import Cost, results
from devproc.op_rules.base.slices import Parts, aligned, matrix_part, shape_of
from devproc.op_rules.base.tolerances import Tolerance


def _attention(op: AttentionOp, subset: Subset) -> Parts | None:
    *batch, rows, columns = subset
    changed: dict[str, Attribute] = {}
    if op.band is not None:
        if not rows.is_run:
            return None
        limits = [limit + rows.start for limit in ints(op.band)]
        changed["band"] = DenseArrayBase.from_list(i64, limits)
    parts = [
        matrix_part(op.query, tuple(batch), rows, None),
        matrix_part(op.key, tuple(batch), None, None),
        matrix_part(op.value, tuple(batch), None, columns),
    ]
    if op.mask is not None:
        keys = Span(0, shape_of(op.key)[-2])
        parts.append(aligned(op.mask, (*batch, rows, keys)))
    return Parts(parts, changed)


def _cached_attention(op: CachedAttentionOp, subset: Subset) -> Parts:
    *batch, rows, columns = subset
    parts = [
        matrix_part(op.query, tuple(batch), rows, None),
        matrix_part(op.key, tuple(batch), None, None),
        matrix_part(op.value, tuple(batch), None, columns),
        aligned(op.last, (*batch, rows)),
        *(matrix_part(scales, tuple(batch), None, None) for scales in op.scales),
    ]
    if op.mask is not None:
        keys = Span(0, shape_of(op.key)[-2])
        parts.append(aligned(op.mask, (*batch, rows, keys)))
    return Parts(parts)


def _split(op: Operation) -> Splits:
    """Aligned leading dimensions of operands and result."""
    return batches.aligned(op) if max(map(len, shapes_of(op))) > 2 else None


def _split_cached(op: Operation) -> Splits:
    """The same; `last` lacks the dimension of the keys."""
    splits = _split(op)
    if splits is None:
        return None
    last, result = shapes_of(op)[3], tensor_of(op.results[0]).get_shape()
    is_batched = len(last) == len(result) - 1 and last[0] == result[0]
    return [*splits[:3], is_batched, *splits[4:]]


def _flops(op: Operation) -> int:
    """The operations of the two products."""
    *_, keys, values = tensor_of(op.operands[2]).get_shape()
    depth = tensor_of(op.operands[0]).get_shape()[-1]
    return 2 * results(op) // values * keys * (depth + values)


OPS = (AttentionOp, CachedAttentionOp)

SLICING = {AttentionOp: _attention, CachedAttentionOp: _cached_attention}
BATCH = {AttentionOp: _split, CachedAttentionOp: _split_cached}
CHANNELS_LAST = dict.fromkeys(OPS, reasons.NO_IMAGE)
COST = dict.fromkeys(OPS, Cost(flops=_flops, is_anchor=True))
TOLERANCE = dict.fromkeys(OPS, Tolerance.ROUNDED)
