"""Where in a source image the pixels of a result lie: what maps boxes back."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.pipe.layout import describe_value
from devproc.ir.types import tensor_of


@dataclass(frozen=True)
class AxisMap:
    """`source = x * scale + offset` along one axis.

    Places are measured in pixels from the image's first edge: pixel `i` reaches from `i`
    to `i + 1`, and a flipped axis of `n` pixels has scale -1 and offset `n`.
    """

    scale: float = 1.0
    offset: float = 0.0

    def after(self, later: AxisMap) -> AxisMap:
        """The map through a later step and then through this one."""
        offset = later.offset * self.scale + self.offset
        return AxisMap(later.scale * self.scale, offset)


@dataclass(frozen=True)
class SourceMap:
    """How the places of a step's result lie in its first operand, for each axis."""

    vertical: AxisMap = AxisMap()
    horizontal: AxisMap = AxisMap()

    def after(self, later: SourceMap) -> SourceMap:
        """The map through a later step and then through this one."""
        return SourceMap(
            self.vertical.after(later.vertical),
            self.horizontal.after(later.horizontal),
        )


def source_map_between(image: SSAValue, source: SSAValue) -> SourceMap:
    """Where in `source` the places of `image` lie, which steps made of it.

    Raises VerifyException where `image` does not come from `source` by steps that move
    pixels along the axes alone.
    """
    # The steps are classes of that module's, which names the maps of this one.
    from devproc.dialects.pipe.base import PipeOp

    found, value = SourceMap(), image
    while value is not source:
        step = value.owner
        if not isinstance(value, OpResult) or not isinstance(step, PipeOp):
            raise VerifyException(
                f"{describe_value(tensor_of(image))} was not made of "
                f"{describe_value(tensor_of(source))}: its steps begin at "
                f"{describe_value(tensor_of(value))}"
            )
        place = step.source_map()
        if place is None:
            raise VerifyException(
                f"{step.name.removeprefix('pipe.')} does not move whole axes, so no "
                "place behind it can be traced back"
            )
        found, value = place.after(found), step.operands[0]
    return found
