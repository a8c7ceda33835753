"""Steps that resize images."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import int_array
from devproc.dialects.nn.resampling.filters import PLAIN
from devproc.dialects.pipe.base.layout import image_size
from devproc.dialects.pipe.geometry import MODES, ResizeOp
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import fail, integer, sizes_of, text
from devproc.ir.dtypes import format_shape
from devproc.ir.types import tensor_of

_REMEDY = "declare the input's layout, as 'HWC'"


class GeometrySteps(StepBuilder):
    """Steps that resize images."""

    def resize(
        self,
        x: Value,
        size: Sequence[int],
        like: str = "pillow",
        mode: str = "bilinear",
        antialias: bool | None = None,
    ) -> Value:
        """Resizes height and width of uint8 or float32 to `size`, (height, width) in pixels,
        as the named library does: with its coordinates, its order of passes, and its
        rounding. The rest of the shape, dtype and layout stay.

        - `"pillow"`, `Image.resize`, always antialiased: nearest, box, bilinear, hamming,
          bicubic, lanczos. Images with two or four channels are LA and RGBA.
        - `"torchvision"`, `v2.functional.resize` of a tensor on the CPU: nearest,
          nearest-exact; bilinear and bicubic, antialiased unless `antialias=False`. To
          one column, PyTorch repeats the first row of antialiased planes; this step does
          not.
        - `"opencv"`, `cv2.resize`: nearest, bilinear (INTER_LINEAR), bicubic
          (INTER_CUBIC), area, lanczos (INTER_LANCZOS4); antialiased by area alone. As by
          OpenCV's own code: builds with Intel's library may differ slightly.

        The error bounds are listed in docs/exactness.md.
        """
        mode = _mode(text("resize", "mode", mode), like, antialias)
        sizes = sizes_of("resize", "size", size)
        if len(sizes) != 2:
            problem = f"size {format_shape(sizes)} of {x!r} has {len(sizes)} values"
            fail("resize", problem, "give (height, width)")
        properties = {
            "size": int_array(sizes),
            "mode": StringAttr(mode),
            "like": StringAttr(text("resize", "like", like)),
        }
        return self.step(ResizeOp, [x], properties, _REMEDY)

    def resize_shorter_edge(
        self,
        x: Value,
        size: int,
        max_size: int | None = None,
        like: str = "pillow",
        mode: str = "bilinear",
        antialias: bool | None = None,
    ) -> Value:
        """Resizes so that the shorter edge becomes `size` pixels and the longer edge scales
        with it, rounded down. If the longer edge would exceed `max_size` pixels, it becomes
        `max_size` and the shorter edge scales with it (torchvision's
        `Resize(size, max_size=...)`). Dtype (uint8 or float32), layout and the rest of the
        shape stay.
        """
        step = "resize_shorter_edge"
        (size,) = sizes_of(step, "size", (size,))
        try:
            height, width = image_size(step, tensor_of(self.ssa(step, x)))
        except VerifyException as error:
            fail(f"{step} of {x!r}", str(error), _REMEDY)
        short, long = min(height, width), max(height, width)
        new_short, new_long = size, int(size * long / max(short, 1))
        if max_size is not None and integer(step, "max_size", max_size) <= size:
            problem = f"max_size {max_size} is not above size {size}"
            fail(step, problem, "give the longer edge more room, or no max_size")
        if max_size is not None and new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
        new = (new_long, new_short) if width <= height else (new_short, new_long)
        return self.resize(x, new, like, mode, antialias)


def _mode(mode: str, like: str, antialias: bool | None) -> str:
    """The mode with `antialias` applied; refuses what the library does not support."""
    if antialias is None or like not in MODES:
        return mode
    known = MODES[like]
    if f"{mode}{PLAIN}" in known:
        return mode if antialias else f"{mode}{PLAIN}"
    smooth = like == "pillow" and mode != "nearest"
    if antialias != smooth:
        problem = f"antialias={antialias} is not what {like} does for mode '{mode}'"
        fail("resize", problem, "leave antialias out, or name another library")
    return mode
