"""Into how many parts the sums of a convolution are split (split-K)."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation

from devproc.dialects.dev import TargetAttr
from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.window import Conv2dOp, is_nhwc
from devproc.ir.types import is_float, item_size, tensor_of
from devproc.targets.triton.algorithms.implicit_gemm.tiles import Sizes, best_parts
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.precision import dot_precision


def parts_of(op: Operation, target: TargetAttr) -> int:
    """The parts of the channels, or of the longer side of the window of groups; 1 where the
    tiles of the results occupy the GPU, and for other ops."""
    if not isinstance(op, Conv2dOp) or not is_nhwc(op.properties):
        return 1
    element = tensor_of(op.input).element_type
    *window, terms, outputs = tensor_of(op.weight).get_shape()
    groups, pixels = int_of(op.groups), prod(tensor_of(op.result).get_shape()[:3])
    if pixels == 1 or outputs == groups > 1:
        return 1  # not on tl.dot
    if not is_float(element) or item_size(element) > 4:
        return 1
    sizes = Sizes(
        pixels, outputs // groups, prod(window), terms, groups, item_size(element),
        dot_precision(target),
    )  # fmt: skip
    side = max(window) if groups > 1 else None
    return best_parts(sizes, side, arch_of(target))
