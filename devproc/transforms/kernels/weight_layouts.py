"""Which weights of a kernel get a layout: the algorithms are asked in their order."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from devproc.algorithms import CPU_ALGORITHMS, algorithm
from devproc.dialects.dev import KernelAttr, Layout, TargetAttr
from devproc.ir.program.structured import Generic, is_multiply_add
from devproc.ir.types import is_float, tensor_of

PACKED = ("contraction", "window", "bottleneck")
"""Families of kernels that read packed weights."""


def packable(kernel: FuncOp, target: TargetAttr) -> Iterator[tuple[int, Layout]]:
    """Arguments of a kernel that would gain from a layout, and the layout: that of the
    first algorithm that takes the product."""
    mark = kernel.attributes.get("dev.kernel")
    assert isinstance(mark, KernelAttr)
    if mark.device.data != "cpu" or mark.family.data not in PACKED:
        return
    algorithms = map(algorithm, CPU_ALGORITHMS)
    asked = [a.layout for a in algorithms if a.layout is not None]
    for op in kernel.body.block.ops:
        if not isinstance(op, Generic) or not is_multiply_add(op):
            continue
        for index in (1, 0):
            value = op.inputs[index]
            if (
                isinstance(value, BlockArgument)
                and value.uses.get_length() == 1
                and is_float(tensor_of(value).element_type)
                and 0 not in tensor_of(value).get_shape()
            ):
                layouts = (ask(op, index, mark.family.data, target) for ask in asked)
                layout = next(filter(None, layouts), None)
                if layout is not None:
                    yield value.index, layout
                    break
