"""Steps between colour spaces: channel order, gray, alpha, YUV of cameras."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr

from devproc.dialects.pipe.spaces import ColorOp, YuvOp
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import of_texts
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import change_of


class SpaceSteps(StepBuilder):
    """Steps between colour spaces."""

    def color(self, x: Value, change: str, like: str = "opencv") -> Value:
        """Converts between RGB, BGR, GRAY, RGBA and BGRA: `"RGB->BGR"`.

        The image is uint8; with like="opencv" (`cv2.cvtColor`) also uint16, or float32
        from 0 to 1. like="pillow" is `Image.convert`. They differ in the rounding of gray.
        The result has the same dtype, and always an axis C in its shape; a new alpha channel
        is opaque.
        """
        source, target = change_of("color", change, "of colours", "RGB->BGR")
        properties = {
            "source": StringAttr(source),
            "target": StringAttr(target),
            **of_texts("color", like=like),
        }
        remedy = "give an image whose axis C has the channels of the left side"
        return self.step(ColorOp, [x], properties, remedy)

    def yuv(
        self,
        x: Value,
        change: str,
        matrix: str = "bt601",
        range: str = "limited",
        like: str = "opencv",
    ) -> Value:
        """A camera's YUV frame as an image: `"NV12->RGB"`.

        NV12, NV21 and I420 are uint8 `(height * 3 / 2, width)`, layout HW; YUYV is uint8
        `(height, width, 2)`, layout HWC; the result is uint8 `(height, width, 3)`, RGB or
        BGR. Frames may have a first axis N. Height and width are even.
        like="opencv" is `cv2.cvtColor`, for limited bt601; like="itu" the formula of
        BT.601 or BT.709, of limited (16 .. 235) or full range, rounded.
        """
        source, target = change_of("yuv", change, "of colours", "NV12->RGB")
        properties = {
            "source": StringAttr(source),
            "target": StringAttr(target),
            **of_texts("yuv", matrix=matrix, range=range, like=like),
        }
        remedy = "declare the frame as it lies in memory, of an even size"
        return self.step(YuvOp, [x], properties, remedy)
