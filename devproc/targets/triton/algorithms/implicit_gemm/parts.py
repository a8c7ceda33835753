"""Into how many parts the channels of a convolution are split (split-K)."""

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
    """The parts; 1 where the tiles of the results occupy the GPU, and for other ops."""
    if not isinstance(op, Conv2dOp) or not is_nhwc(op.properties):
        return 1
    element = tensor_of(op.input).element_type
    if int_of(op.groups) > 1 or not is_float(element) or item_size(element) > 4:
        return 1
    *window, terms, channels = tensor_of(op.weight).get_shape()
    pixels = prod(tensor_of(op.result).get_shape()[:3])
    precision = dot_precision(target)
    sizes = Sizes(
        pixels, channels, prod(window), terms, 1, item_size(element), precision
    )
    return best_parts(sizes, arch_of(target)) if pixels > 1 else 1
