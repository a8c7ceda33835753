"""Channels last: tracks the images of a block that have a channels-last form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.dialects.nn.base import NNOp, int_array, ints
from devproc.dialects.nn.shape import PadOp, ReshapeOp, SliceOp, TransposeOp
from devproc.dialects.nn.window import NHWC_TO_NCHW
from devproc.ir.text.location import copy_location
from devproc.ir.types import tensor_of

NCHW_TO_NHWC, OIHW_TO_HWIO = (0, 2, 3, 1), (2, 3, 1, 0)
"""The permutations from PyTorch's layouts."""

NCW_TO_NWC = (0, 2, 1)
"""That of a line, which is its own inverse."""


def is_image(value: SSAValue) -> bool:
    """Whether a value has the four dimensions of an image; fewer broadcast to one."""
    return tensor_of(value).get_num_dims() == 4


class Images:
    """The state of one block; `nhwc` maps images to their channels-last form, `lines` maps
    lines, (N, C, W), and what broadcasts to them, to that of their images of one row.

    `masks_padding`: whether windows keep their padding, as `Backend.masks_padding` says.
    """

    def __init__(self, block: Block, masks_padding: bool = False):
        self.block = block
        self.masks_padding = masks_padding
        self.nhwc: dict[SSAValue, SSAValue] = {}
        self.lines: dict[SSAValue, SSAValue] = {}
        self.back: list[TransposeOp] = []
        self.here: Operation | None = None

    def emit(self, op: Operation) -> SSAValue:
        """Insert an op before the one that is rewritten."""
        assert self.here is not None
        copy_location(self.here, op)
        self.block.insert_op_before(op, self.here)
        return op.results[0]

    def image(self, value: SSAValue) -> SSAValue:
        """An NCHW image (or what broadcasts to one) with channels last."""
        if value not in self.nhwc:
            shape = tensor_of(value).get_shape()
            image = value
            if len(shape) < 4:
                image = self.emit(
                    ReshapeOp.to(value, (*[1] * (4 - len(shape)), *shape))
                )
            self.nhwc[value] = self.emit(TransposeOp.by(image, NCHW_TO_NHWC))
        return self.nhwc[value]

    def line(self, value: SSAValue) -> SSAValue:
        """A line, or what broadcasts to one, as an image of one row with channels last."""
        if value not in self.lines:
            shape = tensor_of(value).get_shape()
            n, c, w = (*[1] * (3 - len(shape)), *shape)
            image = self.emit(ReshapeOp.to(value, (n, c, 1, w)))
            self.lines[value] = self.emit(TransposeOp.by(image, NCHW_TO_NHWC))
        return self.lines[value]

    def in_ncw(self, image: SSAValue) -> SSAValue:
        """The line of an NHWC image of one row, for ops that need it."""
        n, _, w, c = tensor_of(image).get_shape()
        line = self.emit(ReshapeOp.to(image, (n, w, c)))
        transpose = TransposeOp.by(line, NCW_TO_NWC)
        self.back.append(transpose)
        self.emit(transpose)
        self.lines[transpose.result] = image
        return transpose.result

    def in_nchw(self, image: SSAValue) -> SSAValue:
        """The NCHW form, for ops that need it."""
        transpose = TransposeOp.by(image, NHWC_TO_NCHW)
        self.back.append(transpose)
        self.emit(transpose)
        self.nhwc[transpose.result] = image
        return transpose.result

    def rebuild(
        self,
        op: NNOp,
        operands: Sequence[SSAValue],
        **changed: Attribute,
    ) -> SSAValue:
        """The op on other operands, with some properties changed."""
        return self.emit(type(op).build_op(operands, {**op.properties, **changed}))


ImageRule: TypeAlias = Callable[..., SSAValue | None]
"""Rewrites an op on channels-last images, and returns its result in that layout; None
if the op has to read the NCHW form."""


def elementwise(images: Images, op: NNOp) -> SSAValue | None:
    """Rewrites an op without dimensions in its properties."""
    if tensor_of(op.results[0]).get_num_dims() != 4:
        return None
    operands = [
        images.image(v) if tensor_of(v).get_num_dims() else v for v in op.operands
    ]
    return images.rebuild(op, operands)


def sides(images: Images, op: PadOp | SliceOp) -> SSAValue:
    """Rewrites an op whose properties have one number for each dimension."""
    changed: dict[str, Attribute] = {
        name: int_array([ints(value)[d] for d in NCHW_TO_NHWC])
        for name, value in op.properties.items()
    }
    return images.rebuild(op, [images.image(op.operand), *op.operands[1:]], **changed)
