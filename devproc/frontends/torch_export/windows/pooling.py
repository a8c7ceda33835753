"""Average and maximum pooling over one, two and three dimensions; rows of `window`.

A three-dimensional window is pooled over its plane, then over its depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.pointwise import DivOp, QuotientOp
from devproc.dialects.nn.window import MaxPool2dOp, PoolOp, SumPool2dOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    shape_of,
)
from devproc.ir.types import is_float


def as_batch(b: GraphBuilder, x: SSAValue, rank: int) -> SSAValue:
    """The tensor with a batch and a channel dimension before its last `rank` dimensions."""
    shape = shape_of(x)
    return b.reshape(x, ([1] * (rank + 2 - len(shape)) + list(shape)))


def sizes_of(values: int | Sequence[int], rank: int) -> list[int]:
    """One value for each dimension; PyTorch also accepts one value for all."""
    given = [values] if isinstance(values, int) else list(values)
    return given * rank if len(given) == 1 else given


@dataclass(frozen=True)
class Window:
    """The windows of a pooling operator, with a value for each dimension."""

    kernel: list[int]
    stride: list[int]
    padding: list[int]
    dilation: list[int]
    ceil: bool

    @staticmethod
    def of(
        rank: int,
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int] = (1,),
        ceil: bool = False,
    ) -> Window:
        """The windows that an operator's arguments describe."""
        return Window(
            sizes_of(kernel, rank),
            sizes_of(stride or kernel, rank),
            sizes_of(padding, rank),
            sizes_of(dilation, rank),
            ceil,
        )

    def plane(self) -> Window:
        """The last two dimensions; a single dimension gets height 1."""
        if len(self.kernel) > 1:
            return self._with(lambda values, none: values[-2:])
        return self._with(lambda values, none: [none, *values])

    def depth(self) -> Window:
        """The first dimension as the height of an image."""
        return self._with(lambda values, none: [values[0], none])

    def within(self, sizes: Sequence[int]) -> Window:
        """The windows clipped to the padded image, which ceil_mode lets them exceed."""
        kernel = [
            min(k, size + 2 * padding) if dilation == 1 else k
            for k, size, padding, dilation in zip(
                self.kernel, sizes, self.padding, self.dilation, strict=True
            )
        ]
        return replace(self, kernel=kernel)

    def _with(self, choose: Callable[[list[int], int], list[int]]) -> Window:
        return replace(
            self,
            kernel=choose(self.kernel, 1),
            stride=choose(self.stride, 1),
            padding=choose(self.padding, 0),
            dilation=choose(self.dilation, 1),
        )


def pooled(b: GraphBuilder, op: type[PoolOp], x: SSAValue, window: Window) -> SSAValue:
    """`op` over the windows of a batch with channels, in the shape of the op."""
    batch, channels, *sizes = shape_of(x)
    if len(sizes) < 3:
        x = b.reshape(x, (batch, channels, *[1] * (2 - len(sizes)), *sizes))
        return _over_plane(b, op, x, window.plane())
    depth, height, width = sizes
    x = b.reshape(x, (batch, channels * depth, height, width))
    x = _over_plane(b, op, x, window.plane())
    height, width = shape_of(x)[2:]
    x = b.reshape(x, (batch, channels, depth, height * width))
    x = _over_plane(b, op, x, window.depth())
    return b.reshape(x, (batch, channels, shape_of(x)[2], height, width))


def _over_plane(
    b: GraphBuilder, op: type[PoolOp], x: SSAValue, window: Window
) -> SSAValue:
    if window.kernel == window.stride == [1, 1] and not any(window.padding):
        return x
    window = window.within(shape_of(x)[2:])
    properties = {
        "kernel": int_array(window.kernel),
        "stride": int_array(window.stride),
        "padding": int_array(window.padding),
        "dilation": int_array(window.dilation),
        "ceil_mode": int_attr(int(window.ceil)),
    }
    return b.emit(op.build_op([x], properties))


def max_pool(b: GraphBuilder, x: SSAValue, rank: int, window: Window) -> SSAValue:
    """The maximum of each window."""
    value = pooled(b, MaxPool2dOp, as_batch(b, x, rank), window)
    return b.reshape(value, b.result.get_shape())


def _max_rule(rank: int) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue, *window: Any) -> SSAValue:
        return max_pool(b, x, rank, Window.of(rank, *window))

    return ImportRule(build, (MaxPool2dOp,))


def _avg_rule(rank: int) -> ImportRule:
    def build(
        b: GraphBuilder,
        x: SSAValue,
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None = None,
    ) -> SSAValue:
        window = Window.of(rank, kernel, stride, padding, (1,), ceil_mode)
        element = b.result.element_type
        f = Formula(b, compute_type(element))
        x = as_batch(b, f.value(x), rank)
        total = b.reshape(pooled(b, SumPool2dOp, x, window), b.result.get_shape())
        counts = _counts(
            shape_of(total)[-rank:], shape_of(x)[2:], window, count_include_pad
        )
        if divisor_override is not None:
            counts = torch.tensor(divisor_override)
        elif counts.numel() and bool((counts == counts.flatten()[0]).all()):
            counts = counts.flatten()[0]
        counts = counts.double() if is_float(f.element) else counts
        divisor = b.constant(counts, f"window_sizes.{b.node_name}")
        # Integer division truncates, as in C.
        divide = DivOp if is_float(f.element) else QuotientOp
        return b.cast(f(divide, total, divisor), element)

    return ImportRule(build, (SumPool2dOp, DivOp, QuotientOp))


def _counts(
    result: Sequence[int], sizes: Sequence[int], window: Window, include_pad: bool
) -> torch.Tensor:
    """The number of elements that each window averages."""
    lines: list[torch.Tensor] = []
    for i, (out, size) in enumerate(zip(result, sizes, strict=True)):
        padding = window.padding[i]
        start = torch.arange(out) * window.stride[i] - padding
        end = (start + window.kernel[i]).clamp(max=size + padding)
        if not include_pad:
            start, end = start.clamp(min=0), end.clamp(max=size)
        lines.append(end - start)
    return reduce(lambda counts, line: counts[..., None] * line, lines)


ROWS: dict[str, ImportRule] = {
    **{f"aten.avg_pool{rank}d.default": _avg_rule(rank) for rank in (1, 2, 3)},
    **{f"aten.max_pool{rank}d.default": _max_rule(rank) for rank in (1, 2, 3)},
}
"""ATen overload -> import rule."""
