"""The `pipe` dialect: the program as the user wrote it, on tensors with named axes.

Values are tensors. An encoding `#pipe.axes<"HWC">` gives the meaning of each axis: N
(batch), H (height), W (width), C (channels). A tensor without it, such as a model's
logits, has plain axes. With `#pipe.bounded<0>` only the first rows of an axis are
valid, as many as a count. The program is `func.func @main`: its inputs are arguments
with a `dev.name`, its outputs the returned values with a `dev.name`.
"""

from xdsl.ir import Dialect

from devproc.dialects.pipe import (
    arithmetic,
    audio,
    axes,
    boxes,
    color,
    crop,
    detection,
    generation,
    geometry,
    masks,
    mel,
    scores,
    spaces,
    spectra,
    text,
    warp,
    yolo,
)
from devproc.dialects.pipe.base.layout import AxesAttr, BoundedAttr
from devproc.dialects.pipe.model import ModelOp

FAMILIES = {
    "geometry": geometry.OPS,
    "color": color.OPS,
    "scores": scores.OPS,
    "boxes": boxes.OPS,
    "yolo": yolo.OPS,
    "detection": detection.OPS,
    "masks": masks.OPS,
    "audio": audio.OPS,
    "spectra": spectra.OPS,
    "mel": mel.OPS,
    "text": text.OPS,
    "generation": generation.OPS,
    "crop": crop.OPS,
    "spaces": spaces.OPS,
    "axes": axes.OPS,
    "arithmetic": arithmetic.OPS,
    "warp": warp.OPS,
}
"""Family -> its steps; the families are the file names in every facet folder."""

OPS = [op for ops in FAMILIES.values() for op in ops]

PIPE = Dialect("pipe", [*OPS, ModelOp], [AxesAttr, BoundedAttr])
