"""Which `nn` ops one op of the machine computes, and why others are not its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, prod
from typing import cast

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.activations import GeluOp, SiluOp
from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.normalization import LayerNormOp
from devproc.dialects.nn.pointwise import (
    AddOp,
    CastOp,
    DivOp,
    ExpOp,
    MaximumOp,
    MinimumOp,
    ReluOp,
    SqrtOp,
)
from devproc.dialects.nn.quantized import DequantizeOp, QuantizeOp, RescaleOp
from devproc.dialects.nn.reduction import ReduceSumOp, SoftmaxOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.dialects.nn.window import Conv2dOp, MaxPool2dOp, SumPool2dOp
from devproc.ir.types import dtype_name, tensor_of
from devproc_npu.dialect import BF16, I8, I32

EXPONENTIAL = "it needs the exponential, which the vector unit lacks"
ROOT = "it needs the square root, which the vector unit lacks"
CONVERSION = "the machine computes in one type and has no float32"
REASONS: dict[type[Operation], str] = {
    SoftmaxOp: EXPONENTIAL,
    ExpOp: EXPONENTIAL,
    SiluOp: EXPONENTIAL,
    GeluOp: "it needs the error function, which the vector unit lacks",
    LayerNormOp: ROOT,
    SqrtOp: ROOT,
    QuantizeOp: CONVERSION,
    DequantizeOp: CONVERSION,
}
PRODUCTS = (Conv2dOp, LinearOp, MatmulOp)


class Refusal(Exception):
    """Why the machine cannot compute an op, as a clause."""


@dataclass
class Group:
    """Ops that one op of the machine computes."""

    anchor: Operation
    """What kind of op it is; a rescaling, clamping or sum of its own has none before it."""
    inputs: Sequence[SSAValue]
    ops: list[Operation] = field(default_factory=list[Operation])
    """All of them, in the order of the program."""
    bias: SSAValue | None = None
    scales: list[RescaleOp] = field(default_factory=list[RescaleOp])
    """Of a sum of two: the left, the right and the sum; else one or none."""
    factor: float = 1.0
    """Of a mean in bfloat16."""
    low: float = -inf
    high: float = inf
    is_clamped: bool = True
    """Whether it has bounds at all."""

    def clamp(self, low: float, high: float) -> None:
        """Add a clamp behind. Raises Refusal for bounds that do not meet."""
        self.low, self.high = max(self.low, low), min(self.high, high)
        if self.low > self.high:
            raise Refusal("its bounds exclude those of the op before")


def group_of(last: Operation) -> Group:
    """The ops that end with this one and are one op of the machine. Raises Refusal."""
    if type(last) in REASONS:
        raise Refusal(REASONS[type(last)])
    element = tensor_of(last.results[0]).element_type
    if element not in (I8, I32, BF16):
        raise Refusal(
            f"the machine computes in int8 and bfloat16, not {dtype_name(element)}"
        )
    if 0 in tensor_of(last.results[0]).get_shape():
        raise Refusal("the result is empty")
    if isinstance(last, ReshapeOp | TransposeOp):
        return Group(last, last.operands, [last], is_clamped=False)
    if isinstance(last, MaxPool2dOp) and element != I32:
        _require_window(last)
        return Group(last, last.operands, [last], is_clamped=False)
    if (bounds := _bounds(last)) is not None and element != I32:
        return _clamped(last, bounds)
    if isinstance(last, RescaleOp):
        return _rescaled(last)
    if element == BF16 and isinstance(last, AddOp):
        return _sum_of_two(last, last.operands)
    if element == BF16 and isinstance(last, CastOp):
        return _mean(last)
    if element == I8:
        raise Refusal("it is no product, sum or maximum that is rescaled to int8")
    return _product(last)


def groups_of(ops: Sequence[Operation]) -> list[Group]:
    """The groups of ops that follow one another, the last first. Raises Refusal."""
    found, done = list[Group](), set[Operation]()
    for op in reversed(ops):
        if op not in done and not isinstance(op, WeightOp | ConstantOp | ReturnOp):
            group = group_of(op)
            if lost := [o for o in group.ops if o not in ops]:
                raise Refusal(f"it needs the {lost[0].name} before it")
            found.append(group)
            done |= set(group.ops)
    return found


def is_constant(value: SSAValue) -> bool:
    """Whether a value is known when code is loaded."""
    return isinstance(value.owner, WeightOp | ConstantOp)


def numbers(value: SSAValue) -> Sequence[float]:
    """The elements of a constant."""
    return cast(Sequence[float], cast(ConstantOp, value.owner).value.get_values())


def _before(value: SSAValue) -> Operation | None:
    """The op of a value that nothing else reads."""
    is_alone = isinstance(value.owner, Operation) and value.has_one_use()
    return cast(Operation, value.owner) if is_alone else None


def _bounds(op: Operation) -> tuple[float, float] | None:
    if isinstance(op, ReluOp):
        return 0, inf
    if isinstance(op, MaximumOp | MinimumOp) and isinstance(op.rhs.owner, ConstantOp):
        values = numbers(op.rhs)
        if len(set(values)) == 1 and prod(tensor_of(op.rhs).get_shape()) == 1:
            return (values[0], inf) if isinstance(op, MaximumOp) else (-inf, values[0])
    return None


def _clamped(last: Operation, bounds: tuple[float, float]) -> Group:
    before = _before(last.operands[0])
    try:
        group = group_of(before) if before is not None else None
        if group is not None and group.is_clamped:
            group.clamp(*bounds)
            group.ops.append(last)
            return group
    except Refusal:
        pass
    return Group(last, last.operands[:1], [last], low=bounds[0], high=bounds[1])


def _rescaled(last: RescaleOp) -> Group:
    """A product, sum, mean or tensor, rescaled to int8."""
    _require_plain(last)
    if tensor_of(last.result).element_type != I8:
        raise Refusal("int32 values are no operands of the machine")
    source, before = last.input, _before(last.input)
    if tensor_of(source).element_type == I8:
        _require_scalar(last)
        group = Group(last, [source])
    elif isinstance(before, AddOp) and all(
        isinstance(v.owner, RescaleOp) for v in before.operands
    ):
        group = _sum_of_rescaled(before)
        _require_scalar(last)
    elif isinstance(before, ReduceSumOp | SumPool2dOp):
        cast_ = _before(before.operands[0])
        if not (
            isinstance(cast_, CastOp) and tensor_of(cast_.operand).element_type == I8
        ):
            raise Refusal("its sum is not one of int8 values")
        _require_pixels(before)
        _require_scalar(last)
        group = Group(before, [cast_.operand], [cast_, before])
    elif before is not None:
        group = _product(before)
        axis = _channel_axis(group.anchor)
        for value in (last.multiplier, last.shift):
            _require_channels(value, last.result, axis)
    else:
        raise Refusal("the sums that it rescales are read elsewhere, too")
    group.scales.append(last)
    group.ops.append(last)
    group.clamp(int_of(last.low), int_of(last.high))
    return group


def _sum_of_rescaled(op: AddOp) -> Group:
    group = Group(op, [])
    for value in op.operands:
        scale = _before(value)
        if not isinstance(scale, RescaleOp):
            raise Refusal("a term of its sum is read elsewhere, too")
        if tensor_of(scale.input).element_type != I8:
            raise Refusal("a term of its sum is not int8")
        _require_plain(scale)
        _require_scalar(scale)
        if (int_of(scale.low), int_of(scale.high)) != (-(2**31), 2**31 - 1):
            raise Refusal("a term of its sum is clamped")
        group.scales.append(scale)
    group.inputs = [scale.input for scale in group.scales]
    _require_same_shape(group.inputs)
    left, right = group.scales
    terms = [right, left] if right.is_before_in_block(left) else [left, right]
    group.ops = [*terms, op]
    return group


def _sum_of_two(op: AddOp, values: Sequence[SSAValue]) -> Group:
    _require_same_shape(values)
    if any(map(is_constant, values)):
        raise Refusal("a term of its sum is constant")
    return Group(op, values, [op])


def _mean(last: CastOp) -> Group:
    """The mean of the pixels of images in bfloat16, whose sums are float32."""
    divided = _before(last.operand)
    sums = _before(divided.lhs) if isinstance(divided, DivOp) else None
    cast_ = (
        _before(sums.operands[0])
        if isinstance(sums, ReduceSumOp | SumPool2dOp)
        else None
    )
    if not (
        isinstance(divided, DivOp)
        and isinstance(sums, ReduceSumOp | SumPool2dOp)
        and isinstance(cast_, CastOp)
        and tensor_of(cast_.operand).element_type == BF16
        and isinstance(divided.rhs.owner, ConstantOp)
        and len(set(numbers(divided.rhs))) == 1
    ):
        raise Refusal("it is no sum of pixels that is divided by a constant")
    _require_pixels(sums)
    ops = [cast_, sums, divided, last]
    return Group(sums, [cast_.operand], ops, factor=1 / numbers(divided.rhs)[0])


def _product(last: Operation) -> Group:
    """A product with its bias: int32 sums, or bfloat16."""
    bias, op, ops = None, last, [last]
    element = tensor_of(last.results[0]).element_type
    if isinstance(last, AddOp) and element == I32:
        pairs = [last.operands, last.operands[::-1]]
        found = [(_before(a), b) for a, b in pairs if is_constant(b)]
        if not found or not isinstance(found[0][0], PRODUCTS):
            raise Refusal("int32 values are no operands of the machine")
        (op, bias), ops = found[0], [found[0][0], last]
    if not isinstance(op, PRODUCTS):
        if element == I32:
            raise Refusal("int32 values are no operands of the machine")
        raise Refusal("the machine has no instruction for it")
    if tensor_of(op.operands[0]).element_type not in (I8, BF16):
        raise Refusal("the array multiplies int8 and bfloat16")
    if 0 in (
        *tensor_of(op.operands[0]).get_shape(),
        *tensor_of(op.operands[1]).get_shape(),
    ):
        raise Refusal("an operand is empty")
    if not isinstance(op, MatmulOp):
        if not is_constant(op.weight):
            raise Refusal("the weight is not constant")
        if op.bias is not None and (bias is not None or not is_constant(op.bias)):
            raise Refusal("it has two biases, or one that is not constant")
        bias = bias or op.bias
    if isinstance(op, Conv2dOp):
        _require_window(op)
        if int_of(op.groups) != 1:
            raise Refusal("the array sums over all channels; this has groups of them")
    elif isinstance(op, MatmulOp):
        a, b = (tensor_of(v).get_shape()[:-2] for v in op.operands)
        if b not in ((), a):
            raise Refusal("the left operand of its products is broadcast")
    if bias is not None and bias is not getattr(op, "bias", None):
        _require_channels(bias, op.results[0], _channel_axis(op))
    return Group(op, op.operands[:2], ops, bias)


def _channel_axis(op: Operation) -> int:
    return (
        1 if isinstance(op, Conv2dOp) else len(tensor_of(op.results[0]).get_shape()) - 1
    )


def _require_plain(op: RescaleOp) -> None:
    if int_of(op.input_zero) or int_of(op.output_zero):
        raise Refusal("the machine's RESCALE has no zero points")
    if not (is_constant(op.multiplier) and is_constant(op.shift)):
        raise Refusal("its scale is not constant")


def _require_scalar(op: RescaleOp) -> None:
    for value in (op.multiplier, op.shift):
        if not isinstance(value.owner, ConstantOp) or len(set(numbers(value))) != 1:
            raise Refusal("its scale differs by channel, which only products have")


def _require_channels(value: SSAValue, result: SSAValue, axis: int) -> None:
    shape, rank = tensor_of(value).get_shape(), len(tensor_of(result).get_shape())
    whole = [1] * (rank - len(shape)) + list(shape)
    channels = tensor_of(result).get_shape()[axis]
    if prod(shape) != 1 and whole != [
        channels if d == axis else 1 for d in range(rank)
    ]:
        raise Refusal("its bias or scale is not one number for each channel")


def _require_same_shape(values: Sequence[SSAValue]) -> None:
    if tensor_of(values[0]).get_shape() != tensor_of(values[1]).get_shape():
        raise Refusal("a term of its sum is broadcast")


def _require_window(op: Conv2dOp | MaxPool2dOp | SumPool2dOp) -> None:
    if op.layout is not None:
        raise Refusal("its channels are last already")
    if set(ints(op.dilation)) != {1}:
        raise Refusal("its window is dilated")
    if len(set(ints(op.stride))) != 1:
        raise Refusal("the steps of its window differ along lines and pixels")
    if not isinstance(op, Conv2dOp) and int_of(op.ceil_mode):
        raise Refusal("its last windows may end outside of the image (ceil mode)")


def _require_pixels(op: ReduceSumOp | SumPool2dOp) -> None:
    if isinstance(op, SumPool2dOp):
        return _require_window(op)
    if len(tensor_of(op.operand).get_shape()) != 4 or ints(op.axes) != (2, 3):
        raise Refusal("the vector unit sums only the pixels of images")
    return None
