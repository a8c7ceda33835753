"""The `pipe` dialect: the program as the user wrote it, before it knows axis numbers.

Values are tensors. An encoding `#pipe.axes<"HWC">` gives the meaning of each axis: N
(batch), H (height), W (width), C (channels). A tensor without it, such as a model's
logits, has plain axes. The program is `func.func @main`: its inputs are arguments with a
`dev.name`, its outputs the returned values with a `dev.name`.
"""

from xdsl.ir import Dialect

from devproc.dialects.pipe import audio, color, detection, geometry, scores, text
from devproc.dialects.pipe.layout import AxesAttr
from devproc.dialects.pipe.model import ModelOp

FAMILIES = {
    "geometry": geometry.OPS,
    "color": color.OPS,
    "scores": scores.OPS,
    "detection": detection.OPS,
    "audio": audio.OPS,
    "text": text.OPS,
}
"""Family -> its steps; the families are the file names in every facet folder."""

OPS = [op for ops in FAMILIES.values() for op in ops]

PIPE = Dialect("pipe", [*OPS, ModelOp], [AxesAttr])
