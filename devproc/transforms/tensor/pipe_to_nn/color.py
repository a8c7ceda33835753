"""Range and dtype of pixels: the axis named C becomes an axis number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn import elementary, image
from devproc.dialects.nn.base import floats
from devproc.dialects.pipe import color
from devproc.dialects.pipe.base.layout import layout_of
from devproc.ir.types import (
    DTYPES,
    dtype_name,
    is_bool,
    is_float,
    is_unsigned,
    item_size,
    tensor_of,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


def _cast(op: color.CastOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    if op.rounding is not None:
        x = _rounded(e, x, op.rounding.data)
    if op.saturate is not None:
        x = _saturated(e, x, op.dtype)
    return [x.cast(dtype_name(op.dtype)).ssa]


def _rounded(e: Expressions, x: Expression, rounding: str) -> Expression:
    """Floats rounded to integers; half precision in float32, which is exact."""
    if x.dtype in ("float16", "bfloat16"):
        x = x.cast("float32")
    if rounding == "half_up":
        # floor(x + 0.5) is wrong where the sum rounds up.
        low = x.floor()
        return low + (x - low >= 0.5).cast(x.dtype)
    op = {
        "truncate": elementary.TruncOp,
        "nearest_even": elementary.RoundOp,
        "floor": elementary.FloorOp,
        "ceil": elementary.CeilOp,
    }[rounding]
    return e.apply(op, x)


def _saturated(e: Expressions, x: Expression, to: Attribute) -> Expression:
    """Numbers clamped to the range of an integer dtype; NaN becomes 0."""
    bits = 8 * item_size(to)
    low = 0 if is_unsigned(to) else -(1 << (bits - 1))
    source, end = DTYPES[x.dtype], low + (1 << bits)
    if not is_float(source):
        if is_bool(source) or (item_size(source) < item_size(to) and low):
            return x
        return e.minimum(e.maximum(x.cast("int64"), low), end - 1)
    if item_size(source) < 4:
        x = x.cast("float32")
    # The bounds are compared, as the largest integer may not be a float.
    below, above = x < float(low), x >= float(end)
    inside = e.where(below | above, 0.0, e.where(x.equal(x), x, 0.0))
    whole = inside.cast(dtype_name(to))
    return e.where(above, end - 1, e.where(below, low, whole))


def _normalize(op: color.NormalizeOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    properties = color.normalize_properties(tensor_of(op.operand), op.properties)
    if op.scale is not None:
        x = _scaled(x, op.scale.value.data)
    return [e.emit(image.NormalizeOp.build_op([x.ssa], properties)).ssa]


def _scaled(x: Expression, scale: float) -> Expression:
    """Pixels times a scale in float32; unchanged if `nn.normalize` scales them."""
    divisor = color.divisor_of(scale)
    if divisor is not None and image.BRIGHTEST.get(x.dtype) == divisor:
        return x
    x = x.cast("float32")
    if divisor is None:
        return x * scale
    return x if divisor == 1 else x / divisor


def _scale(op: color.ScaleOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand).cast(dtype_name(tensor_of(op.result).element_type))
    layout = layout_of(op.operand.type) or ""

    def numbers(values: DenseArrayBase) -> Expression | float:
        listed = floats(values)
        if len(listed) == 1:
            return listed[0]
        shape = [len(listed) if letter == "C" else 1 for letter in layout]
        return e.constant(listed, x.dtype, shape)

    x = x * numbers(op.factor)
    if any(floats(op.offset)):
        x = x + numbers(op.offset)
    return [x.ssa]


def _clamp(op: color.ClampOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    ends = [end.value.data for end in (op.low, op.high)]
    if not is_float(DTYPES[x.dtype]):
        ends = [int(end) for end in ends]
    # PyTorch, the reference, has no comparisons of uint16.
    wide = x.cast("int32") if x.dtype == "uint16" else x
    return [e.minimum(e.maximum(wide, ends[0]), ends[1]).cast(x.dtype).ssa]


def _power(e: Expressions, x: Expression, op: color.GammaOp) -> Expression:
    gain = op.gain.value.data
    x = e.apply(elementary.PowOp, x, op.gamma.value.data)
    return x if gain == 1 else e.minimum(e.maximum(x * gain, 0.0), 1.0)


def _gamma(op: color.GammaOp, e: Expressions) -> Sequence[SSAValue]:
    """Integers use a look-up table, which is computed at compile time."""
    x = e.of(op.operand)
    if is_float(DTYPES[x.dtype]):
        return [_power(e, x, op).ssa]
    top = {"uint8": 255, "uint16": 65535}[x.dtype]
    levels = e.line(top + 1).cast("float32") * (1 / top)
    table = (_power(e, levels, op) * (top + 1.0 - 1e-3)).cast(x.dtype)
    found = table.gather(x.reshape(-1).cast("int32"), 0)
    return [found.reshape(*x.shape).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    color.CastOp: _cast,
    color.ClampOp: _clamp,
    color.GammaOp: _gamma,
    color.NormalizeOp: _normalize,
    color.ScaleOp: _scale,
}
"""op class -> its lowering."""
