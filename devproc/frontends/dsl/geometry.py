"""Steps that move pixels."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr

from devproc.dialects.nn.base import int_array
from devproc.dialects.pipe.geometry import ResizeOp
from devproc.frontends.dsl.builder import StepBuilder
from devproc.frontends.dsl.user_input import fail, sizes_of, text
from devproc.frontends.dsl.value import Value
from devproc.ir.types import format_shape


class GeometrySteps(StepBuilder):
    """Steps that move pixels."""

    def resize(
        self,
        x: Value,
        size: Sequence[int],
        like: str = "pillow",
        mode: str = "bilinear",
    ) -> Value:
        """Resizes height and width to `size`, with the result of the named library."""
        sizes = sizes_of("resize", "size", size)
        if len(sizes) != 2:
            fail(
                "resize",
                f"size {format_shape(sizes)} of {x!r} has {len(sizes)} values",
                "give (height, width)",
            )
        properties = {
            "size": int_array(sizes),
            "mode": StringAttr(text("resize", "mode", mode)),
            "like": StringAttr(text("resize", "like", like)),
        }
        return self.step(
            ResizeOp, [x], properties, "declare the input's layout, as 'HWC'"
        )
