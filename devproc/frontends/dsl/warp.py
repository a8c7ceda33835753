"""Steps that interpolate images: affine warps, sampling grids, resized boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import StringAttr

from devproc.dialects.nn.base import int_attr
from devproc.dialects.pipe.warp import AffineOp, CropAndResizeOp, GridSampleOp
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import of_numbers, of_sizes, of_texts
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import floats, integer, text


class WarpSteps(StepBuilder):
    """Steps that interpolate images between pixels."""

    def affine(
        self,
        x: Value,
        matrix: Sequence[Sequence[float]] | Sequence[float],
        size: Sequence[int],
        mode: str = "bilinear",
        like: str = "opencv",
        border: str = "constant",
        value: float = 0,
    ) -> Value:
        """A uint8 or float32 image transformed by a matrix `(2, 3)` to `size` (height, width)
        pixels; the dtype and the rest of the shape stay.

        like="opencv" (`cv2.warpAffine(x, matrix, ...)`): the matrix maps from the image
        to the result; border "constant" (`value`) or "edge". like="pillow"
        (`Image.transform`, with `fillcolor=value`) and like="torchvision" (the matrix of
        its inverse, centred `affine`; zeros outside) map from the result to the image.
        `mode` is "nearest" or "bilinear".
        """
        properties = {
            "matrix": floats("affine", "matrix", _flat(matrix), 1),
            **of_sizes("affine", size=size),
            **of_texts("affine", mode=mode, like=like, border=border),
            **of_numbers("affine", value=value),
        }
        remedy = "give an image, two rows of three numbers and (height, width)"
        return self.step(AffineOp, [x], properties, remedy)

    def grid_sample(
        self,
        x: Value,
        grid: Value,
        mode: str = "bilinear",
        padding_mode: str = "zeros",
        align_corners: bool = False,
    ) -> Value:
        """`torch.nn.functional.grid_sample` of a float32 image `(batch, channels, h, w)`,
        layout NCHW: `(batch, channels, height, width)`.

        `grid` is a float32 value `(batch, height, width, 2)` of x and y from -1 to 1; `mode` is
        "bilinear", "nearest" or "bicubic", `padding_mode` "zeros", "border" or
        "reflection".
        """
        properties = {
            "mode": StringAttr(text("grid_sample", "mode", mode)),
            "padding": StringAttr(text("grid_sample", "padding_mode", padding_mode)),
            "align_corners": int_attr(bool(align_corners)),
        }
        remedy = "put the image into the layout NCHW, and give a grid of its batch"
        return self.step(GridSampleOp, [x, grid], properties, remedy)

    def crop_and_resize(
        self,
        x: Value,
        boxes: Value,
        size: Sequence[int],
        like: str = "torchvision",
        sampling_ratio: int = 1,
    ) -> Value:
        """Boxes `(count, 4)`, float32, of one uint8 or float32 image, each resized to `size`
        (height, width) pixels: a float32 batch of shape `(count, ...)`.

        like="torchvision" (`roi_align` with `aligned=True`): boxes are
        (x1, y1, x2, y2) in pixels; each result pixel is the mean of `sampling_ratio`
        squared places. like="tensorflow" (`tf.image.crop_and_resize`): (y1, x1, y2, x2)
        from 0 to 1. like="pytorch" averages areas of uint8, as `interpolate(mode="area")`
        and OpenCV's INTER_AREA of whole factors do: boxes are (x1, y1, x2, y2), of which
        `image[int(y1):int(y2), int(x1):int(x2)]` is read, as MTCNN does.
        """
        samples = integer("crop_and_resize", "sampling_ratio", sampling_ratio)
        properties = {
            **of_sizes("crop_and_resize", size=size),
            "samples": int_attr(samples),
            **of_texts("crop_and_resize", like=like),
        }
        remedy = "give one image and boxes as float32 (count, 4)"
        return self.step(CropAndResizeOp, [x, boxes], properties, remedy)


def _flat(rows: Any) -> list[Any] | None:
    """The numbers of a matrix as a flat list; other values are refused later."""
    flat: list[Any] = []
    try:
        for row in rows:
            flat.extend(
                cast(Iterable[Any], row) if isinstance(row, Iterable) else [row]
            )
    except TypeError:
        return None
    return flat
