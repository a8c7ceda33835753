"""Steps that move whole pixels: cuts, borders, mirrors and quarter turns."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, StringAttr, f64

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.pipe.crop import (
    CenterCropOp,
    CropOp,
    FlipOp,
    LetterboxOp,
    PadOp,
    RotateOp,
)
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import integer, integers, number, text

_LAYOUT = "declare the input's layout, as 'HWC'"


class CropSteps(StepBuilder):
    """Steps that move whole pixels, of images (H and W in the layout) of any dtype."""

    def crop(self, x: Value, top: int, left: int, height: int, width: int) -> Value:
        """The pixels [top, top + height) and [left, left + width) (`numpy` slicing)."""
        numbers = {"top": top, "left": left, "height": height, "width": width}
        found = [integer("crop", name, value) for name, value in numbers.items()]
        properties = {"offset": int_array(found[:2]), "size": int_array(found[2:])}
        return self.step(CropOp, [x], properties, "stay within the image")

    def center_crop(self, x: Value, size: Sequence[int]) -> Value:
        """The middle (height, width) pixels, as torchvision's `center_crop` rounds.

        Zeros stand around an image that is smaller.
        """
        properties = {"size": int_array(integers("center_crop", "size", size))}
        return self.step(CenterCropOp, [x], properties, "give (height, width)")

    def pad(
        self,
        x: Value,
        padding: Sequence[int],
        mode: str = "constant",
        value: float = 0,
    ) -> Value:
        """A border of `padding` = (left, top, right, bottom) pixels (`numpy.pad`).

        `mode`: "constant" (of `value`), "reflect" (the image mirrored at its outermost
        pixels) or "edge" (these pixels repeated).
        """
        properties = {
            "padding": int_array(integers("pad", "padding", padding)),
            "mode": StringAttr(text("pad", "mode", mode)),
            "value": FloatAttr(number("pad", "value", value), f64),
        }
        remedy = "pad an image by (left, top, right, bottom)"
        return self.step(PadOp, [x], properties, remedy)

    def letterbox(
        self,
        x: Value,
        size: Sequence[int],
        value: float = 114,
        like: str = "opencv",
        mode: str = "bilinear",
    ) -> Value:
        """Resized to fit into (height, width), centred, with a border of `value`.

        Scale and rounding are Ultralytics' `LetterBox`; the resizing is that of
        `resize(like=like, mode=mode)`. `map_boxes` leads back to the source's pixels: the
        inverse of what was done to each axis, so that edges come to lie on edges.
        Ultralytics' `scale_boxes` divides both axes by one scale, the one before the size
        was rounded; the two are at most one pixel of the letterboxed image apart.
        """
        properties = {
            "size": int_array(integers("letterbox", "size", size)),
            "value": FloatAttr(number("letterbox", "value", value), f64),
            "mode": StringAttr(text("letterbox", "mode", mode)),
            "like": StringAttr(text("letterbox", "like", like)),
        }
        return self.step(LetterboxOp, [x], properties, _LAYOUT)

    def flip(self, x: Value, direction: str) -> Value:
        """Mirrored: "horizontal" exchanges left and right (`numpy.flip`), "vertical" top
        and bottom.
        """
        properties = {"direction": StringAttr(text("flip", "direction", direction))}
        return self.step(FlipOp, [x], properties, _LAYOUT)

    def rotate(self, x: Value, quarter_turns: int) -> Value:
        """Turned against the clock by quarter turns (`numpy.rot90`)."""
        turns = integer("rotate", "quarter_turns", quarter_turns)
        return self.step(RotateOp, [x], {"turns": int_attr(turns)}, _LAYOUT)
