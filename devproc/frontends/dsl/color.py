"""Steps on pixel values: their range and their dtype."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Attribute

from devproc.dialects.pipe.color import CastOp, ClampOp, GammaOp, NormalizeOp, ScaleOp
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import of_numbers
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import dtype_of, floats, text
from devproc.ir.types import DTYPES


class ColorSteps(StepBuilder):
    """Steps on pixel values: their range and their dtype."""

    def normalize(
        self,
        x: Value,
        mean: float | Sequence[float],
        std: float | Sequence[float],
        *,
        scale: float | None = None,
    ) -> Value:
        """(x * scale - mean) / std per channel, in float32; the shape stays.

        By default uint8 is divided by 255 and uint16 by 65535, and float32 is not scaled:
        mean and std are those of pixels from 0 to 1, as in torchvision, and others are
        refused. `scale=1` normalizes unscaled pixels, with a mean such as 123.675. A scale
        of 1 / n divides by n; any other is a factor.
        """
        self.ssa("normalize", x)
        channels = x.shape[x.layout.index("C")] if x.layout and "C" in x.layout else 1
        properties: dict[str, Attribute] = {
            name: floats("normalize", name, value, channels)
            for name, value in (("mean", mean), ("std", std))
        }
        if scale is not None:
            properties |= of_numbers("normalize", scale=scale)
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
        """x * factor + offset, in float32 for integers, else in x's dtype; the shape stays.

        Each is one number or one for each channel. `scale(x, 1 / 255)` gives 0 .. 1.
        """
        properties = {
            "factor": floats("scale", "factor", factor, 1),
            "offset": floats("scale", "offset", offset, 1),
        }
        remedy = "give one number, or one for each channel of an image"
        return self.step(ScaleOp, [x], properties, remedy)

    def clamp(self, x: Value, low: float, high: float) -> Value:
        """Clamped to `low` .. `high`, which x's dtype must represent; the shape stays, and
        NaN stays NaN.
        """
        properties = of_numbers("clamp", low=low, high=high)
        remedy = "give two ends that the dtype has, the smaller one first"
        return self.step(ClampOp, [x], properties, remedy)

    def gamma(self, x: Value, gamma: float, gain: float = 1) -> Value:
        """gain * x ** gamma of pixels from 0 to 1 (torchvision's `adjust_gamma`).

        uint8 and uint16 keep their dtype; floats are taken as they are. The shape stays.
        """
        properties = of_numbers("gamma", gamma=gamma, gain=gain)
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
        PyTorch's object for it. The shape stays.

        `rounding`, from floats to integers: "truncate" (towards zero), "nearest_even"
        (`numpy.rint`), "half_up", "floor" or "ceil". With `saturate`, values out of range
        become the nearest limit of the dtype, and NaN becomes 0; without, they wrap.
        """
        properties: dict[str, Attribute] = {"dtype": DTYPES[dtype_of("cast", dtype)]}
        if text("cast", "rounding", rounding) != "truncate":
            properties["rounding"] = StringAttr(rounding)
        if saturate:
            properties["saturate"] = UnitAttr()
        remedy = "round floats to integers, and cast numbers to numbers"
        return self.step(CastOp, [x], properties, remedy)
