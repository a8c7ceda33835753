"""Rewrites the ops of a block to work on images with channels last.

A convolution or pool is where images begin; what follows them element by element, or
along one axis, goes on in NHWC. Everything else reads a transpose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.dialects.nn import scan
from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.base import NNOp, int_array, int_attr, int_of, ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.detection import NmsOp
from devproc.dialects.nn.gather import GatherOp, ScatterOp
from devproc.dialects.nn.loop import LoopOp, YieldOp
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.dialects.nn.reduction import ArgmaxOp, ReduceOp
from devproc.dialects.nn.resampling.resample import ResampleOp
from devproc.dialects.nn.shape import (
    ConcatOp,
    ExpandOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.dialects.nn.sort import KthValueOp, SortOp
from devproc.dialects.nn.window import (
    FEW_CHANNELS,
    NHWC_TO_NCHW,
    Conv2dOp,
    MaxPool2dOp,
    PoolOp,
    image_shape,
    is_nhwc,
)
from devproc.ir.text.location import copy_location
from devproc.ir.types import lowest, tensor, tensor_of

NCHW_TO_NHWC, OIHW_TO_HWIO = (0, 2, 3, 1), (2, 3, 1, 0)
"""The permutations from PyTorch's layouts."""


def is_image(value: SSAValue) -> bool:
    """Whether a value has the four dimensions of an image; fewer broadcast to one."""
    return tensor_of(value).get_num_dims() == 4


def read_by_windows(block: Block) -> set[SSAValue]:
    """Images that end in windows alone, perhaps changed element by element, joined,
    padded or cut on the way."""
    found: set[SSAValue] = set()
    for op in reversed(list(block.ops)):
        for image in filter(is_image, op.results):
            users = [use.operation for use in image.uses]
            if users and all(
                isinstance(user, Conv2dOp | PoolOp)
                or (
                    isinstance(user, PointwiseOp | ConcatOp | PadOp | SliceOp)
                    and user.results[0] in found
                )
                for user in users
            ):
                found.add(image)
    return found


class ChannelsLast:
    """The state of one block: `nhwc` holds the images known with channels last."""

    def __init__(self, block: Block):
        self.block = block
        self.nhwc: dict[SSAValue, SSAValue] = {}
        self.back: list[TransposeOp] = []
        self.here: Operation | None = None
        self.read_by_windows = read_by_windows(block)

    def convert(self) -> None:
        """Rewrite the ops in order, then erase what nobody reads in PyTorch's order."""
        for op in list(self.block.ops):
            rule = self._rule(op)
            if rule is None:
                continue
            self.here = op
            result = rule(op)
            if result is None:
                continue
            (old,) = op.results
            result.name_hint = old.name_hint
            if is_image(old):
                result = self._back(result)
            old.replace_all_uses_with(result)
            self.block.erase_op(op)
        for transpose in self.back:
            if not transpose.result.uses:
                self.block.erase_op(transpose)

    def _rule(self, op: Operation) -> Callable[..., SSAValue | None] | None:
        if isinstance(op, Conv2dOp | PoolOp):
            return None if is_nhwc(op.properties) else self._window
        for_windows = [v for v in op.results if v in self.read_by_windows]
        if for_windows and tensor_of(for_windows[0]).get_shape()[1] > FEW_CHANNELS:
            if isinstance(op, TransposeOp):
                return self._from_last
            if isinstance(op, PadOp | SliceOp):
                return self._sides
        images = [v for v in op.operands if v in self.nhwc and is_image(v)]
        if not isinstance(op, NNOp) or not images:
            return self._from_tokens if isinstance(op, ReshapeOp) else None
        for class_, rule in self.rules().items():
            if isinstance(op, class_):
                return rule
        return None

    def rules(self) -> dict[type[NNOp], Callable[..., SSAValue | None]]:
        """op class, with its subclasses -> its rule, for an image with channels last."""
        return {
            Conv2dOp: self._window,
            PoolOp: self._window,
            PointwiseOp: self._pointwise,
            ReduceOp: self._reduce,
            ConcatOp: self._concat,
            PadOp: self._sides,
            SliceOp: self._sides,
            ResampleOp: self._resample,
            GatherOp: self._gather,
            ReshapeOp: self._to_tokens,
        }

    # Values.

    def _emit(self, op: Operation) -> SSAValue:
        assert self.here is not None
        copy_location(self.here, op)
        self.block.insert_op_before(op, self.here)
        return op.results[0]

    def _image(self, value: SSAValue) -> SSAValue:
        """An NCHW image (or what broadcasts to one) with channels last."""
        if value not in self.nhwc:
            shape = tensor_of(value).get_shape()
            image = value
            if len(shape) < 4:
                image = self._emit(
                    ReshapeOp.to(value, (*[1] * (4 - len(shape)), *shape))
                )
            self.nhwc[value] = self._emit(TransposeOp.by(image, NCHW_TO_NHWC))
        return self.nhwc[value]

    def _back(self, image: SSAValue) -> SSAValue:
        """The NCHW form, for those who need it."""
        transpose = TransposeOp.by(image, NHWC_TO_NCHW)
        self.back.append(transpose)
        self._emit(transpose)
        self.nhwc[transpose.result] = image
        return transpose.result

    def _rebuild(
        self,
        op: NNOp,
        operands: Sequence[SSAValue],
        **changed: Attribute,
    ) -> SSAValue:
        return self._emit(type(op).build_op(operands, {**op.properties, **changed}))

    # Windows.

    def _window(self, op: Conv2dOp | PoolOp) -> SSAValue:
        operands = [self._padded(op)]
        if isinstance(op, Conv2dOp):
            operands.append(self._emit(TransposeOp.by(op.weight, OIHW_TO_HWIO)))
            operands += [op.bias] if op.bias else []
        changed: dict[str, Attribute] = {
            "padding": int_array((0, 0)),
            "layout": StringAttr("nhwc"),
        }
        if isinstance(op, PoolOp):
            changed["ceil_mode"] = int_attr(0)
        return self._rebuild(op, operands, **changed)

    def _padded(self, op: Conv2dOp | PoolOp) -> SSAValue:
        """The image with the border that the windows reach, as an op of its own.

        Behind the image it is as wide as the user wrote it, though a stride may leave some
        of it unread: then layers with and without a stride read the same border, and what
        writes it is one kernel.

        An image of few channels gets it before it is transposed: a convolution can read
        the transpose in place, number by number.
        """
        if isinstance(op, Conv2dOp):
            kernel: Sequence[int] = tensor_of(op.weight).get_shape()[2:]
        else:
            kernel = ints(op.kernel)
        sizes = image_shape(tensor_of(op.input).get_shape(), op.properties)[2:]
        counts = image_shape(tensor_of(op.result).get_shape(), op.properties)[2:]
        low = ints(op.padding)
        high = [
            max(before, (count - 1) * stride + (k - 1) * dilation + 1 - before - size)
            for count, stride, k, dilation, before, size in zip(
                counts,
                ints(op.stride),
                kernel,
                ints(op.dilation),
                low,
                sizes,
                strict=True,
            )
        ]
        if not any((*low, *high)):
            return self._image(op.input)
        value = None
        if isinstance(op, MaxPool2dOp):
            element = tensor_of(op.input).element_type
            least = ConstantOp.of(tensor(element, ()), [lowest(element)])
            value = self._emit(least)
        if op.input in self.nhwc or tensor_of(op.input).get_shape()[1] > FEW_CHANNELS:
            image = self._image(op.input)
            return self._emit(PadOp.around(image, (0, *low, 0), (0, *high, 0), value))
        padded = self._emit(PadOp.around(op.input, (0, 0, *low), (0, 0, *high), value))
        return self._image(padded)

    # What follows them.

    def _pointwise(self, op: PointwiseOp) -> SSAValue | None:
        if tensor_of(op.results[0]).get_num_dims() != 4:
            return None
        operands = [
            self._image(v) if tensor_of(v).get_num_dims() else v for v in op.operands
        ]
        return self._rebuild(op, operands)

    def _reduce(self, op: ReduceOp) -> SSAValue | None:
        axes = ints(op.axes)
        if not int_of(op.keep) and not ({1} <= set(axes) or {2, 3} <= set(axes)):
            return None  # The dimensions that remain would change places.
        mapped = sorted(NHWC_TO_NCHW[a] for a in axes)
        return self._rebuild(op, [self._image(op.operand)], axes=int_array(mapped))

    def _concat(self, op: ConcatOp) -> SSAValue:
        parts = [self._image(v) for v in op.parts]
        return self._rebuild(op, parts, axis=int_attr(NHWC_TO_NCHW[int_of(op.axis)]))

    def _sides(self, op: PadOp | SliceOp) -> SSAValue:
        """An op whose properties have a number for each dimension."""
        changed: dict[str, Attribute] = {
            name: int_array([ints(value)[d] for d in NCHW_TO_NHWC])
            for name, value in op.properties.items()
        }
        image = self._image(op.operand)
        return self._rebuild(op, [image, *op.operands[1:]], **changed)

    def _resample(self, op: ResampleOp) -> SSAValue | None:
        if op.operand not in self.nhwc:
            return None
        operands = [self._image(op.operand), *op.operands[1:]]
        axes = {
            name: int_attr(NHWC_TO_NCHW[int_of(op.properties[name])])
            for name in ("axis", "row_axis")
            if name in op.properties
        }
        return self._rebuild(op, operands, **axes)

    def _gather(self, op: GatherOp) -> SSAValue | None:
        if op.operand not in self.nhwc or tensor_of(op.result).get_num_dims() != 4:
            return None
        operands = [self._image(v) for v in op.operands]
        axes = int_array([NHWC_TO_NCHW[a] for a in ints(op.axes)])
        return self._rebuild(op, operands, axes=axes)

    def _from_last(self, op: TransposeOp) -> None:
        """A transpose of what has channels last: remember that."""
        if ints(op.permutation) == NHWC_TO_NCHW:
            self.nhwc[op.result] = op.operand

    # Between images and sequences of tokens: (N, C, H, W) and (N, H * W, C).

    def _to_tokens(self, op: ReshapeOp) -> SSAValue | None:
        """reshape to (N, C, H * W): the transpose of the tokens, which often cancels."""
        n, c, h, w = tensor_of(op.operand).get_shape()
        if ints(op.shape) != (n, c, h * w):
            return None
        tokens = self._emit(ReshapeOp.to(self._image(op.operand), (n, h * w, c)))
        return self._emit(TransposeOp.by(tokens, (0, 2, 1)))

    def _from_tokens(self, op: ReshapeOp) -> None:
        """reshape of transposed tokens to (N, C, H, W): remember the NHWC form."""
        owner, shape = op.operand.owner, ints(op.shape)
        if not isinstance(owner, TransposeOp) or len(shape) != 4:
            return
        if ints(owner.permutation) == (0, 2, 1):
            n, c, h, w = shape
            if tensor_of(op.operand).get_shape() == (n, c, h * w):
                tokens = self._emit(ReshapeOp.to(owner.operand, (n, h, w, c)))
                self.nhwc[op.result] = tokens


_ALONG_ONE = "it works along one axis, on rows that lie one number after the other"

NO_RULE: Mapping[type[Operation], str] = {
    **dict.fromkeys(scan.OPS, _ALONG_ONE),
    **dict.fromkeys((ArgmaxOp, KthValueOp, SortOp), _ALONG_ONE),
    **dict.fromkeys((AttentionOp, LinearOp, MatmulOp, NmsOp), "it takes no image"),
    **dict.fromkeys((LoopOp, YieldOp), "its body is a block of its own"),
    ExpandOp: "what it repeats is smaller than an image",
    ScatterOp: "its updates have the layout of its index",
    TransposeOp: "it is how an image gets another layout",
}
"""op class -> why it reads an image as PyTorch lays it out."""
