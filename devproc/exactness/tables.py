"""All bounds, and the look-up of a step's."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from devproc.exactness import (
    audio,
    boxes,
    color,
    crop,
    detection,
    geometry,
    masks,
    scores,
    spaces,
    text,
    warp,
)
from devproc.exactness.bound import Bound, Key
from devproc.ir.types import dtype_name, tensor_of

BOUNDS: dict[Key, Bound] = {
    **geometry.BOUNDS,
    **crop.BOUNDS,
    **warp.BOUNDS,
    **color.BOUNDS,
    **spaces.BOUNDS,
    **scores.BOUNDS,
    **boxes.BOUNDS,
    **detection.BOUNDS,
    **masks.BOUNDS,
    **audio.BOUNDS,
    **text.BOUNDS,
}
"""Step, form and dtype -> bound."""


def key_of(op: Operation) -> Key:
    """What a step's bound stands under."""
    like, mode = (
        cast(StringAttr, op.properties[name]).data if name in op.properties else ""
        for name in ("like", "mode")
    )
    dtype = dtype_name(tensor_of(op.operands[0]).element_type) if op.operands else ""
    return Key(op.name.removeprefix("pipe."), like, mode, dtype)


def bound_of(op: Operation) -> Bound | None:
    """The bound of a step; None where it names no reference."""
    return BOUNDS.get(key_of(op))
