"""Steps on what a pixel says: its range and its dtype."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, StringAttr, UnitAttr, f64
from xdsl.ir import Attribute

from devproc.dialects.pipe.color import CastOp, ClampOp, GammaOp, NormalizeOp, ScaleOp
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import dtype_of, floats, number, text
from devproc.ir.types import DTYPES


class ColorSteps(StepBuilder):
    """Steps on what a pixel says: its range and its dtype."""

    def normalize(
        self,
        x: Value,
        mean: float | Sequence[float],
        std: float | Sequence[float],
        *,
        scale: float | None = None,
    ) -> Value:
        """(x * scale - mean) / std per channel, in float32.

        By default uint8 is divided by 255 and uint16 by 65535, and float32 stays as it is:
        mean and std are those of pixels from 0 to 1, as torchvision has them, and others
        are refused. `scale=1` normalizes pixels as they are, with a mean such as 123.675.
        A scale of 1 / n divides by n, any other is multiplied with.
        """
        self.ssa("normalize", x)
        channels = x.shape[x.layout.index("C")] if x.layout and "C" in x.layout else 1
        properties: dict[str, Attribute] = {
            name: floats("normalize", name, value, channels)
            for name, value in (("mean", mean), ("std", std))
        }
        if scale is not None:
            number_ = number("normalize", "scale", scale)
            properties["scale"] = FloatAttr(number_, f64)
        remedy = (
            "give one mean and one std per channel of a uint8, uint16 or float32 image"
        )
        return self.step(NormalizeOp, [x], properties, remedy)

    def scale(
        self,
        x: Value,
        factor: float | Sequence[float],
        offset: float | Sequence[float] = 0.0,
    ) -> Value:
        """x * factor + offset, in float32 for integers, else in x's dtype.

        Each is one number or one for each channel. `scale(x, 1 / 255)` gives 0 .. 1.
        """
        properties = {
            "factor": floats("scale", "factor", factor, 1),
            "offset": floats("scale", "offset", offset, 1),
        }
        remedy = "give one number, or one for each channel of an image"
        return self.step(ScaleOp, [x], properties, remedy)

    def clamp(self, x: Value, low: float, high: float) -> Value:
        """Held between `low` and `high`, which x's dtype must have; NaN stays NaN."""
        properties = {
            "low": FloatAttr(number("clamp", "low", low), f64),
            "high": FloatAttr(number("clamp", "high", high), f64),
        }
        remedy = "give two ends that the dtype has, the smaller one first"
        return self.step(ClampOp, [x], properties, remedy)

    def gamma(self, x: Value, gamma: float, gain: float = 1) -> Value:
        """gain * x ** gamma of pixels from 0 to 1 (torchvision's `adjust_gamma`).

        uint8 and uint16 keep their dtype; floats are taken as they are.
        """
        properties = {
            "gamma": FloatAttr(number("gamma", "gamma", gamma), f64),
            "gain": FloatAttr(number("gamma", "gain", gain), f64),
        }
        remedy = "give an exponent that is not negative, and an image"
        return self.step(GammaOp, [x], properties, remedy)

    def cast(
        self,
        x: Value,
        dtype: object,
        rounding: str = "truncate",
        saturate: bool = False,
    ) -> Value:
        """Conversion to another dtype, with C's rules: `"float32"`, or NumPy's or
        PyTorch's object for it.

        `rounding`, for floats that become integers: "truncate" (towards zero),
        "nearest_even" (`numpy.rint`), "half_up", "floor" or "ceil". With `saturate` what
        is out of range becomes the dtype's nearest end and NaN 0; without, it wraps.
        """
        properties: dict[str, Attribute] = {"dtype": DTYPES[dtype_of("cast", dtype)]}
        if text("cast", "rounding", rounding) != "truncate":
            properties["rounding"] = StringAttr(rounding)
        if saturate:
            properties["saturate"] = UnitAttr()
        remedy = "round floats to integers, and cast numbers to numbers"
        return self.step(CastOp, [x], properties, remedy)
