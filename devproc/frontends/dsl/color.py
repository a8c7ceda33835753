"""Steps on what a pixel says, and the order of the axes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr

from devproc.dialects.pipe.color import CastOp, LayoutOp, NormalizeOp
from devproc.frontends.dsl.builder import StepBuilder
from devproc.frontends.dsl.user_input import fail, floats, text
from devproc.frontends.dsl.value import Value
from devproc.ir.types import DTYPES


class ColorSteps(StepBuilder):
    """Steps on what a pixel says, and the order of the axes."""

    def normalize(
        self,
        x: Value,
        mean: float | Sequence[float],
        std: float | Sequence[float],
    ) -> Value:
        """(x - mean) / std per channel, in float32; uint8 is divided by 255 first."""
        self.ssa("normalize", x)
        channels = x.shape[x.layout.index("C")] if x.layout and "C" in x.layout else 1
        properties = {
            name: floats("normalize", name, value, channels)
            for name, value in (("mean", mean), ("std", std))
        }
        remedy = "give one mean and one std per channel of a uint8 or float32 image"
        return self.step(NormalizeOp, [x], properties, remedy)

    def layout(self, x: Value, change: str) -> Value:
        """Puts the axes in another order: `"HWC->NCHW"`."""
        parts = text("layout", "change", change).split("->")
        if len(parts) != 2:
            fail("layout", f"{change!r} is no change of layout", "write 'HWC->NCHW'")
        properties = {
            "source": StringAttr(parts[0].strip()),
            "target": StringAttr(parts[1].strip()),
        }
        remedy = "the left side must be the value's layout, as in 'HWC->NCHW'"
        return self.step(LayoutOp, [x], properties, remedy)

    def cast(self, x: Value, dtype: str) -> Value:
        """Conversion to another dtype, with C's rules."""
        if dtype not in DTYPES:
            fail("cast", f"unknown dtype {dtype!r}", f"use one of {', '.join(DTYPES)}")
        return self.step(
            CastOp, [x], {"dtype": DTYPES[dtype]}, "cast numbers to numbers"
        )
