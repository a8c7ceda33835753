"""Steps that move whole pixels: crops, padding, flips and rotations."""

from __future__ import annotations

from collections.abc import Sequence

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
from devproc.frontends.dsl.building.properties import of_numbers, of_sizes, of_texts
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import integer

_LAYOUT = "declare the input's layout, as 'HWC'"


class CropSteps(StepBuilder):
    """Steps that move whole pixels, of images (H and W in the layout) of any dtype."""

    def crop(self, x: Value, top: int, left: int, height: int, width: int) -> Value:
        """The pixels [top, top + height) and [left, left + width) (`numpy` slicing): an image
        of shape `(..., height, width, ...)`, dtype and layout as before.
        """
        numbers = {"top": top, "left": left, "height": height, "width": width}
        found = [integer("crop", name, value) for name, value in numbers.items()]
        properties = {"offset": int_array(found[:2]), "size": int_array(found[2:])}
        return self.step(CropOp, [x], properties, "stay within the image")

    def center_crop(self, x: Value, size: Sequence[int]) -> Value:
        """The middle `size` (height, width) pixels, with the rounding of torchvision's
        `center_crop`. The rest of the shape, dtype and layout stay.

        A smaller image is padded with zeros.
        """
        properties = of_sizes("center_crop", size=size)
        return self.step(CenterCropOp, [x], properties, "give (height, width)")

    def pad(
        self,
        x: Value,
        padding: Sequence[int],
        mode: str = "constant",
        value: float = 0,
    ) -> Value:
        """Padding of (left, top, right, bottom) pixels (`numpy.pad`): height and width of the
        shape grow, the dtype, which must represent `value`, and the layout stay.

        `mode`: "constant" (`value`), "reflect" (the image mirrored at its outermost
        pixels) or "edge" (the outermost pixels repeated).
        """
        properties = {
            **of_sizes("pad", padding=padding),
            **of_texts("pad", mode=mode),
            **of_numbers("pad", value=value),
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
        """Resized to fit into `size` (height, width) pixels, centred, and padded with `value`:
        uint8 or float32, the rest of the shape as before.

        Scale and rounding are those of Ultralytics' `LetterBox`; the image is resized as
        by `resize(like=like, mode=mode)`. `map_boxes` maps back to the source's pixels by
        the exact inverse for each axis, so that edges map to edges. Ultralytics'
        `scale_boxes` divides both axes by one scale, from before the size was rounded; the
        two differ by at most one pixel of the letterboxed image.
        """
        properties = {
            **of_sizes("letterbox", size=size),
            **of_numbers("letterbox", value=value),
            **of_texts("letterbox", mode=mode, like=like),
        }
        return self.step(LetterboxOp, [x], properties, _LAYOUT)

    def flip(self, x: Value, direction: str) -> Value:
        """Mirrored: "horizontal" swaps left and right (`numpy.flip`), "vertical" top and
        bottom. Shape and dtype stay.
        """
        properties = of_texts("flip", direction=direction)
        return self.step(FlipOp, [x], properties, _LAYOUT)

    def rotate(self, x: Value, quarter_turns: int) -> Value:
        """Rotated counterclockwise by quarter turns (`numpy.rot90`); an odd number swaps
        height and width of the shape. The dtype stays.
        """
        turns = integer("rotate", "quarter_turns", quarter_turns)
        return self.step(RotateOp, [x], {"turns": int_attr(turns)}, _LAYOUT)
