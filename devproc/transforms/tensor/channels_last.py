"""Rewrites the ops of a block to channels-last images.

Convolutions and pools start a channels-last region; ops that follow elementwise, or
along one axis, stay in NHWC. All other ops read a transpose. One-dimensional convolutions
are those of images of one row; elementwise ops on the lines between them are computed on
these images.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.dialects.nn.shape import (
    ConcatOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.dialects.nn.window import (
    FEW_CHANNELS,
    NHWC_TO_NCHW,
    Conv2dOp,
    PoolOp,
    is_nhwc,
)
from devproc.ir.types import tensor_of
from devproc.op_rules.base.images import NCW_TO_NWC, ImageRule, Images, is_image
from devproc.op_rules.facets.tables import CHANNELS_LAST, rule_of

SWAPPED_GROUPS = (0, 2, 1, 3, 4)
"""The transpose of a channel shuffle."""


def read_by_windows(block: Block) -> set[SSAValue]:
    """Images whose uses all lead to windows, possibly through elementwise ops,
    concatenation, padding or slices."""
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


def lines_read_by_windows(block: Block, images: set[SSAValue]) -> set[SSAValue]:
    """Lines, (N, C, W), whose uses all lead to windows, by `images` that windows read, or to
    a transpose to (N, W, C), possibly through elementwise ops."""
    found: set[SSAValue] = set()
    for op in reversed(list(block.ops)):
        for line in (v for v in op.results if tensor_of(v).get_num_dims() == 3):
            users = [use.operation for use in line.uses]
            if users and all(
                (isinstance(user, TransposeOp) and ints(user.permutation) == NCW_TO_NWC)
                or (isinstance(user, PointwiseOp) and user.results[0] in found)
                or (is_line_of_image(user) and user.results[0] in images)
                for user in users
            ):
                found.add(line)
    return found


def is_line_of_image(op: Operation) -> bool:
    """Whether an op reshapes an image of one row to a line, or back."""
    if not isinstance(op, ReshapeOp):
        return False
    line, image = sorted(
        (tensor_of(v).get_shape() for v in (op.operand, op.result)), key=len
    )
    return len(line) == 3 and image == (*line[:2], 1, line[2])


def convert(block: Block, masks_padding: bool) -> None:
    """Rewrite the ops in order, then erase NCHW values without uses."""
    images, for_windows = Images(block, masks_padding), read_by_windows(block)
    lines = lines_read_by_windows(block, for_windows)
    for op in list(block.ops):
        rule = _rule_of_line(op, images, lines) or _rule(op, images, for_windows)
        if rule is None:
            continue
        images.here = op
        result = rule(images, op)
        if result is None:
            continue
        (old,) = op.results
        result.name_hint = old.name_hint
        if is_image(old):
            result = images.in_nchw(result)
        old.replace_all_uses_with(result)
        block.erase_op(op)
    for transpose in images.back:
        if not transpose.result.uses:
            block.erase_op(transpose)


def _rule_of_line(
    op: Operation, images: Images, lines: set[SSAValue]
) -> ImageRule | None:
    """That of an op with a line for operand or result."""
    known = any(v in images.lines for v in op.operands)
    if is_line_of_image(op) and (known or op.results[0] in lines):
        return _same_image
    if isinstance(op, PointwiseOp) and known and op.results[0] in lines:
        return _elements_of_line
    return None


def _same_image(images: Images, op: ReshapeOp) -> None:
    """Record that a line and its image have one NHWC form."""
    if op.operand in images.lines:
        images.nhwc[op.result] = images.lines[op.operand]
    elif op.operand in images.nhwc:
        images.lines[op.result] = images.nhwc[op.operand]


def _elements_of_line(images: Images, op: PointwiseOp) -> SSAValue:
    """Rewrite an elementwise op on lines to one on their NHWC forms."""
    operands = [
        images.line(v) if tensor_of(v).get_num_dims() else v for v in op.operands
    ]
    return images.in_ncw(images.rebuild(op, operands))


def _rule(
    op: Operation, images: Images, for_windows: set[SSAValue]
) -> ImageRule | None:
    if isinstance(op, Conv2dOp | PoolOp):
        return None if is_nhwc(op.properties) else rule_of(CHANNELS_LAST, op)
    read = [v for v in op.results if v in for_windows]
    if read and tensor_of(read[0]).get_shape()[1] > FEW_CHANNELS:
        if isinstance(op, TransposeOp):
            return _from_last
        if isinstance(op, PadOp | SliceOp):
            return rule_of(CHANNELS_LAST, op)
    if not any(v in images.nhwc and is_image(v) for v in op.operands):
        return _reshaped if isinstance(op, ReshapeOp) else None
    return rule_of(CHANNELS_LAST, op)


def _from_last(images: Images, op: TransposeOp) -> None:
    """Record that the operand of a transpose is the NHWC form."""
    if ints(op.permutation) == NHWC_TO_NCHW:
        images.nhwc[op.result] = op.operand


def _reshaped(images: Images, op: ReshapeOp) -> SSAValue | None:
    """Convert a reshape of a transpose to (N, C, H, W)."""
    owner, shape = op.operand.owner, ints(op.shape)
    if not isinstance(owner, TransposeOp) or len(shape) != 4:
        return None
    if ints(owner.permutation) == SWAPPED_GROUPS:
        return _shuffled(images, owner, shape)
    _from_tokens(images, op, owner)
    return None


def _shuffled(images: Images, op: TransposeOp, shape: Sequence[int]) -> SSAValue | None:
    """Rewrite a channel shuffle: the channels of an image in groups, (N, G, C / G, H, W),
    which a transpose swaps with those of a group."""
    groups = op.operand.owner
    if not isinstance(groups, ReshapeOp) or groups.operand not in images.nhwc:
        return None
    n, first, second, h, w = tensor_of(op.operand).get_shape()
    if not tensor_of(groups.operand).get_shape() == shape == (n, first * second, h, w):
        return None
    image = images.nhwc[groups.operand]
    parts = images.emit(ReshapeOp.to(image, (n, h, w, first, second)))
    swapped = images.emit(TransposeOp.by(parts, (0, 1, 2, 4, 3)))
    return images.emit(ReshapeOp.to(swapped, (n, h, w, first * second)))


def _from_tokens(images: Images, op: ReshapeOp, owner: TransposeOp) -> None:
    """Record the NHWC form of a reshape of transposed tokens to (N, C, H, W)."""
    shape = ints(op.shape)
    if ints(owner.permutation) == NCW_TO_NWC:
        n, c, h, w = shape
        if tensor_of(op.operand).get_shape() == (n, c, h * w):
            tokens = images.emit(ReshapeOp.to(owner.operand, (n, h, w, c)))
            images.nhwc[op.result] = tokens
