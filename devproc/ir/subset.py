"""Subsets of a tensor: strided ranges of each dimension, as in `nn.slice`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Span:
    """`size` indices of a dimension, from `start` on, `step` apart; size is at least 1."""

    start: int
    size: int
    step: int = 1

    @property
    def first(self) -> int:
        """The lowest index."""
        return min(self.start, self.start + (self.size - 1) * self.step)

    @property
    def last(self) -> int:
        """The highest index."""
        return max(self.start, self.start + (self.size - 1) * self.step)

    @property
    def is_run(self) -> bool:
        """Whether the indices are contiguous and increasing."""
        return self.step == 1 or self.size == 1

    def of(self, outer: Span) -> Span:
        """This span of `outer`, as a span of the dimension that `outer` is a part of."""
        start = outer.start + self.start * outer.step
        return Span(start, self.size, self.step * outer.step)

    def within(self, outer: Span) -> Span:
        """This span relative to `outer`, which is equal or a contiguous range around it."""
        if self == outer:
            return Span(0, self.size)
        return Span(self.start - outer.start, self.size, self.step)


Subset: TypeAlias = tuple[Span, ...]
"""A span for each dimension."""


def whole(shape: Sequence[int]) -> Subset:
    """All of a tensor of this shape."""
    return tuple(Span(0, size) for size in shape)


def sizes_of(subset: Subset) -> tuple[int, ...]:
    """The shape of a subset."""
    return tuple(span.size for span in subset)


def hull(subsets: Sequence[Subset]) -> Subset:
    """The smallest subset around all: a contiguous range in each differing dimension."""
    return tuple(_hull(spans) for spans in zip(*subsets, strict=True))


def _hull(spans: Sequence[Span]) -> Span:
    if len(set(spans)) == 1:
        return spans[0]
    first = min(span.first for span in spans)
    return Span(first, max(span.last for span in spans) + 1 - first)
