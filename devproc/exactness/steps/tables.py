"""All error bounds, and the lookup of a step's bound."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from devproc.dialects.pipe.color import CastOp
from devproc.exactness import (
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
from devproc.exactness.bound import ANY, Bound, Key
from devproc.ir.types import dtype_name, tensor_of

BOUNDS: dict[Key, Bound] = {
    **axes.BOUNDS,
    **arithmetic.BOUNDS,
    **geometry.BOUNDS,
    **crop.BOUNDS,
    **warp.BOUNDS,
    **color.BOUNDS,
    **spaces.BOUNDS,
    **scores.BOUNDS,
    **boxes.BOUNDS,
    **yolo.BOUNDS,
    **detection.BOUNDS,
    **masks.BOUNDS,
    **audio.BOUNDS,
    **spectra.BOUNDS,
    **mel.BOUNDS,
    **text.BOUNDS,
    **generation.BOUNDS,
}
"""Step, form and dtype -> bound."""

MODES = ("mode", "rounding", "version", "strategy")
"""The properties that can be a step's mode; no step has two of them."""


def key_of(op: Operation) -> Key:
    """The key of a step's bound."""
    like = _text(op, "like")
    mode = "".join(_text(op, name) for name in MODES)
    if isinstance(op, CastOp):
        mode = mode or "truncate"
    dtype = dtype_name(tensor_of(op.operands[0]).element_type) if op.operands else ""
    return Key(op.name.removeprefix("pipe."), like, mode, dtype)


def _text(op: Operation, name: str) -> str:
    value = op.properties.get(name)
    return value.data if isinstance(value, StringAttr) else ""


def bound_of(op: Operation) -> Bound | None:
    """The bound of a step; None for other ops, such as models."""
    key = key_of(op)
    return BOUNDS.get(key) or BOUNDS.get(key._replace(dtype=ANY))
