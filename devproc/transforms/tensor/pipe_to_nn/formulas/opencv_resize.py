"""OpenCV's `resize`: along the width first, rounded only at the end."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute

from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.elementary import RoundOp
from devproc.dialects.nn.resampling.filters import read_rows
from devproc.dialects.nn.resampling.opencv_filters import is_whole_step
from devproc.dialects.nn.resampling.resample import ResampleOp, ResampleTapsOp
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)

FRACTION_BITS = 11
"""Fractional bits of the weights of uint8 images, on each axis."""


def resize_like_opencv(
    e: Expressions, x: Expression, axes: Sequence[int], size: Sequence[int], mode: str
) -> Expression:
    """uint8 or float32 `x` with these axes (height, width) resized.

    The arithmetic is that of `resize.cpp`; see `docs/exactness.md` for differences of
    builds of OpenCV.
    """
    old = [x.shape[axis] for axis in axes]
    if old == list(size):
        return x
    pairs = list(zip(old, size, strict=True))
    if mode == "bilinear" and all(a == 2 * b for a, b in pairs):
        mode = "area"
    if mode == "area" and any(a < b for a, b in pairs):
        mode = "area, enlarged"
    return _Resize(e, x, axes, size, mode).result()


class _Resize:
    """One resize whose mode is that of its tap tables."""

    def __init__(
        self,
        e: Expressions,
        x: Expression,
        axes: Sequence[int],
        size: Sequence[int],
        mode: str,
    ):
        self.e, self.x, self.axes, self.size, self.mode = e, x, axes, size, mode
        self.old = [x.shape[axis] for axis in axes]
        self.covered = 0
        """Inputs of each output, if `area` has a whole number of them."""
        if mode == "area" and all(map(is_whole_step, self.old, size)):
            self.covered = round(self.old[0] / size[0]) * round(self.old[1] / size[1])
        integers = x.dtype == "uint8" and (mode != "area" or self.covered > 0)
        self.dtype = "int32" if integers else "float32"

    def result(self) -> Expression:
        """The whole formula."""
        if self.mode == "nearest":
            return self._nearest()
        if self.x.dtype == "float32":
            return self._rows(*self._columns())
        if self.mode == "area":
            return self._areas()
        sums, first, taps = self._columns()
        if self.mode == "lanczos":
            return self._pixels(self._shifted(self._rows(sums, first, taps), 22))
        if self.mode == "bicubic":
            scale = 0.5 ** (2 * FRACTION_BITS)
            taps = taps.cast("float32") * scale
            sums = self._rows(sums.cast("float32"), first, taps)
            return self._pixels(self.e.apply(RoundOp, sums))
        products = self._rows(sums >> 4, first, taps, product_shift=16)
        return self._shifted(products, 2).cast("uint8")

    def _nearest(self) -> Expression:
        height, width = self.axes
        first, taps = self._table(1)
        rows, _ = self._table(0)
        return self.e.emit(
            ResampleOp.along(self.x.ssa, first.ssa, taps.ssa, width, (rows.ssa, height))
        )

    def _areas(self) -> Expression:
        sums = self._rows(*self._columns())
        if self.covered == 4:
            return self._shifted(sums, 2).cast("uint8")
        if self.covered:
            sums = sums.cast("float32") * (1.0 / self.covered)
        return self._pixels(self.e.apply(RoundOp, sums))

    # Parts of the formulas.

    def _table(self, axis: int, compact: bool = False) -> tuple[Expression, ...]:
        table = ResampleTapsOp.table(
            self.old[axis], self.size[axis], self.mode, "opencv", self.dtype, compact
        )
        return self.e.insert(table)

    def _columns(self) -> tuple[Expression, Expression, Expression]:
        """Sums along the width of each needed row, and the taps along the height."""
        height, width = self.axes
        form = (self.old[0], self.size[0], self.mode, "opencv", self.dtype)
        every = read_rows(*form)[0] == tuple(range(self.old[0]))
        first, taps = self._table(1)
        *weights, listed = self._table(0, compact=True)
        rows = None if every else (listed.ssa, height)
        sums = ResampleOp.along(
            self.x.ssa, first.ssa, taps.ssa, width, rows, {"sum": UnitAttr()}
        )
        return self.e.emit(sums), weights[0], weights[1]

    def _rows(
        self,
        sums: Expression,
        first: Expression,
        taps: Expression,
        product_shift: int | None = None,
    ) -> Expression:
        """The sums of these along the height."""
        more: dict[str, Attribute] = {"sum": UnitAttr()}
        if product_shift is not None:
            more["product_shift"] = int_attr(product_shift)
        height = self.axes[0]
        return self.e.emit(
            ResampleOp.along(sums.ssa, first.ssa, taps.ssa, height, more=more)
        )

    def _shifted(self, sums: Expression, bits: int) -> Expression:
        """The sums without so many fractional bits, ties up."""
        return (sums + (1 << (bits - 1))) >> bits

    def _pixels(self, values: Expression) -> Expression:
        """Clamped to 0..255."""
        low, high = (0.0, 255.0) if values.dtype == "float32" else (0, 255)
        return self.e.minimum(self.e.maximum(values, low), high).cast("uint8")
