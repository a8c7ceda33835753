"""Which `nn` ops one op of the machine computes, and why others are not its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, prod
from typing import Any, cast

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.activations import GeluOp, SiluOp
from devproc.dialects.nn.base import int_of, ints, require
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
from devproc_npu import dialect as npu
from devproc_npu.dialect import BF16, I8, I32

LACKING = {
    "exponential": (SoftmaxOp, ExpOp, SiluOp),
    "error function": (GeluOp,),
    "square root": (LayerNormOp, SqrtOp),
    "conversion between types": (QuantizeOp, DequantizeOp),
}
"""What the vector unit has not, and the ops that need it."""
OTHERS = {
    I8: "it is no product, sum or maximum that is rescaled to int8",
    I32: "int32 values are no operands of the machine",
    BF16: "the machine has no instruction for it",
}
"""Why other ops with results of a type are not its own."""


@dataclass
class Group:
    """Ops that one op of the machine computes, in the order of the program."""

    kind: Any
    """The class of that op; None: a move, for the DMA engine, which stays what it is."""
    inputs: Sequence[SSAValue]
    ops: list[Operation]
    window: Any = None
    """The convolution or reduction of an image."""
    bias: SSAValue | None = None
    scales: list[RescaleOp] = field(default_factory=list[RescaleOp])
    """Of a sum of two: the left, the right and the sum; else one or none."""
    divisor: float = 1.0
    """Of a mean in bfloat16."""
    low: float = -inf
    high: float = inf

    def clamp(self, low: float, high: float) -> None:
        """Add a clamp at the end. Raises VerifyException for bounds that do not meet."""
        self.low, self.high = max(self.low, low), min(self.high, high)
        require(self.low <= self.high, "its bounds exclude those of the op before")


def group_of(last: Operation) -> Group:
    """The ops that end with this one and are one op of the machine. Raises VerifyException."""
    type_ = tensor_of(last.results[0])
    element, name = type_.element_type, dtype_name(type_.element_type)
    for what, kinds in LACKING.items():
        require(not isinstance(last, kinds), f"the vector unit has no {what}")
    require(element in OTHERS, f"the machine computes in int8 and bfloat16, not {name}")
    require(0 not in type_.get_shape(), "the result is empty")
    for kinds, elements, match in MATCHES:
        if isinstance(last, kinds) and element in elements:
            return match(last)
    raise VerifyException(OTHERS[element])


def groups_of(ops: Sequence[Operation]) -> list[Group]:
    """The groups of ops that follow one another, the last first. Raises VerifyException."""
    found, done = list[Group](), set[Operation]()
    for op in reversed(ops):
        if op not in done and not isinstance(op, WeightOp | ConstantOp | ReturnOp):
            group = group_of(op)
            for other in group.ops:
                require(other in ops, f"it needs the {other.name} before it")
            found.append(group)
            done |= set(group.ops)
    return found


# What a group ends with.


def _move(last: Operation) -> Group:
    return Group(None, last.operands, [last])


def _maximum(last: MaxPool2dOp) -> Group:
    _require_window(last)
    return Group(npu.MaxPoolOp, last.operands, [last], last)


def _clamp(last: Operation) -> Group:
    """What is before, clamped; or else a tensor."""
    low, high, element = 0, inf, _element(last.operands[0])
    if not isinstance(last, ReluOp):
        bound = uniform(last.operands[1])
        is_same = last.operands[0].type == last.results[0].type
        require(is_same and isinstance(bound, int | float), OTHERS[element])
        low, high = (bound, inf) if isinstance(last, MaximumOp) else (-inf, bound)
    try:
        before = _before(last.operands[0])
        require(before is not None, "it is read elsewhere")
        group = group_of(before)
        require(group.kind not in (None, npu.MaxPoolOp), "it has no bounds")
        group.clamp(low, high)
    except VerifyException:
        group = Group(npu.RescaleOp, last.operands[:1], [], low=low, high=high)
    group.ops.append(last)
    return group


def _rescale(last: RescaleOp) -> Group:
    """A product, sum, mean or tensor, rescaled to int8."""
    before = _before(last.input)
    if _element(last.input) == I8:
        group = Group(npu.RescaleOp, [last.input], [])
    elif isinstance(before, SUMS):
        group = _pixels(before, I8)
    elif isinstance(before, AddOp) and not any(map(is_constant, before.operands)):
        group = _sum_of_rescaled(before)
    else:
        require(before is not None, "the sums that it rescales are read elsewhere, too")
        group = _product(before)
    is_product = issubclass(group.kind, npu.ProductOp)
    _require_scale(last, group.ops[0] if is_product else None)
    group.scales.append(last)
    group.ops.append(last)
    group.clamp(int_of(last.low), int_of(last.high))
    return group


def _sum_of_rescaled(op: AddOp) -> Group:
    scales = [_before(value, RescaleOp) for value in op.operands]
    for scale in scales:
        require(scale is not None, "a term is no rescaled tensor, or read elsewhere")
        require(_element(scale.input) == I8, "a term of its sum is not int8")
        _require_scale(scale)
        bounds = int_of(scale.low), int_of(scale.high)
        require(bounds == (-(2**31), 2**31 - 1), "a term of its sum is clamped")
    left, right = scales
    ops = [right, left, op] if right.is_before_in_block(left) else [left, right, op]
    return Group(npu.AddOp, [left.input, right.input], ops, scales=scales)


def _sum(last: AddOp) -> Group:
    """Of two tensors in bfloat16."""
    require(not any(map(is_constant, last.operands)), "a term of its sum is constant")
    return Group(npu.AddOp, last.operands, [last])


def _mean(last: CastOp) -> Group:
    """Of the pixels of images in bfloat16, whose sums are float32."""
    divided = _before(last.operand, DivOp)
    sums = divided and _before(divided.lhs, *SUMS)
    divisor = divided and uniform(divided.rhs)
    is_mean = bool(sums and divisor)
    require(is_mean, "it is no sum of pixels that is divided by a constant")
    group = _pixels(sums, BF16)
    group.ops += [divided, last]
    group.divisor = divisor
    return group


def _pixels(op: ReduceSumOp | SumPool2dOp, element: Attribute) -> Group:
    """The sums of the pixels of images, in another type."""
    cast_ = _before(op.operands[0], CastOp)
    is_known = cast_ and _element(cast_.operand) == element
    require(is_known, f"its sum is not one of {dtype_name(element)} values")
    if isinstance(op, SumPool2dOp):
        _require_window(op)
    else:
        rank, axes = len(tensor_of(op.operand).get_shape()), ints(op.axes)
        require((rank, axes) == (4, (2, 3)), "it sums other than the pixels of images")
    return Group(npu.SumPoolOp, [cast_.operand], [cast_, op], op)


def _product(last: Any) -> Group:
    """A product with its bias: int32 sums, or bfloat16."""
    op, bias, ops = last, None, [last]
    if isinstance(last, AddOp):
        for value, other in (last.operands, last.operands[::-1]):
            if is_constant(other) and (before := _before(value, *PRODUCTS)):
                op, bias, ops = before, other, [before, last]
    require(isinstance(op, PRODUCTS), OTHERS[I32])
    if bias is not None:
        _require_channels(bias, op)
    if isinstance(op, MatmulOp):
        return Group(npu.MatmulOp, op.operands, ops, bias=bias)
    require(is_constant(op.weight), "the weight is not constant")
    require(op.bias is None or is_constant(op.bias), "its bias is not constant")
    require(op.bias is None or bias is None, "it has two biases")
    window = op if isinstance(op, Conv2dOp) else None
    if window is not None:
        _require_window(window)
        require(int_of(window.groups) == 1, "it has groups of channels")
    return Group(npu.ConvolutionOp, op.operands[:2], ops, window, bias or op.bias)


PRODUCTS = (Conv2dOp, LinearOp, MatmulOp)
SUMS = (ReduceSumOp, SumPool2dOp)
MATCHES: Sequence[tuple[Any, Sequence[Attribute], Callable[[Any], Group]]] = (
    ((ReshapeOp, TransposeOp), (I8, I32, BF16), _move),
    (PRODUCTS, (I32, BF16), _product),
    (AddOp, (I32,), _product),
    (AddOp, (BF16,), _sum),
    (RescaleOp, (I8,), _rescale),
    (MaxPool2dOp, (I8, BF16), _maximum),
    ((ReluOp, MaximumOp, MinimumOp), (I8, BF16), _clamp),
    (CastOp, (BF16,), _mean),
)
"""The ops that a group may end with, and the types of their results."""

# What is asked of an op.


def is_constant(value: SSAValue) -> bool:
    """Whether a value is known when code is loaded."""
    return isinstance(value.owner, WeightOp | ConstantOp)


def numbers(value: SSAValue) -> Sequence[float]:
    """The elements of a constant."""
    return cast(Sequence[float], cast(ConstantOp, value.owner).value.get_values())


def uniform(value: SSAValue) -> Any:
    """The number that all elements of a constant are; None where they differ."""
    found = set(numbers(value)) if isinstance(value.owner, ConstantOp) else ()
    return next(iter(found)) if len(found) == 1 else None


def _element(value: SSAValue) -> Attribute:
    return tensor_of(value).element_type


def _before(value: SSAValue, *kinds: type[Operation]) -> Any:
    """The op of a value that nothing else reads, if it is of these kinds."""
    is_found = isinstance(value.owner, kinds or Operation) and value.has_one_use()
    return value.owner if is_found else None


def _require_scale(op: RescaleOp, product: Operation | None = None) -> None:
    """That it is one number, or, after a product, one for each channel."""
    zeros = int_of(op.input_zero), int_of(op.output_zero)
    require(zeros == (0, 0), "the machine's RESCALE has no zero points")
    for value in (op.multiplier, op.shift):
        require(is_constant(value), "its scale is not constant")
        if product is not None:
            _require_channels(value, product)
        else:
            is_one = uniform(value) is not None
            require(is_one, "its scale differs by channel, which only products have")


def _require_channels(value: SSAValue, product: Operation) -> None:
    """One number for all results of a product, or one for each channel."""
    shape, whole = (tensor_of(v).get_shape() for v in (value, product.results[0]))
    axis = 1 if isinstance(product, Conv2dOp) else len(whole) - 1
    by_channel = [size if d == axis else 1 for d, size in enumerate(whole)]
    padded = [1] * (len(whole) - len(shape)) + list(shape)
    is_known = prod(shape) == 1 or padded == by_channel
    require(is_known, "its bias or scale is not one number for each channel")


def _require_window(op: Conv2dOp | MaxPool2dOp | SumPool2dOp) -> None:
    require(op.layout is None, "its channels are last already")
    require(set(ints(op.dilation)) == {1}, "its window is dilated")
    is_one = len(set(ints(op.stride))) == 1
    require(is_one, "the steps of its window differ along lines and pixels")
    is_whole = isinstance(op, Conv2dOp) or not int_of(op.ceil_mode)
    require(is_whole, "its last windows may end outside of the image (ceil mode)")
