"""The mapping from the pixels of a result to those of a source image, for boxes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AxisMap:
    """`source = x * scale + offset` along one axis.

    Positions are in pixels from the image's first edge: pixel `i` covers `i` to `i +
    1`, and a flipped axis of `n` pixels has scale -1 and offset `n`.
    """

    scale: float = 1.0
    offset: float = 0.0

    def after(self, later: AxisMap) -> AxisMap:
        """The map through a later step and then through this one."""
        offset = later.offset * self.scale + self.offset
        return AxisMap(later.scale * self.scale, offset)


@dataclass(frozen=True)
class SourceMap:
    """Maps positions in a step's result to its first operand, for each axis."""

    vertical: AxisMap = AxisMap()
    horizontal: AxisMap = AxisMap()

    def after(self, later: SourceMap) -> SourceMap:
        """The map through a later step and then through this one."""
        return SourceMap(
            self.vertical.after(later.vertical),
            self.horizontal.after(later.horizontal),
        )
