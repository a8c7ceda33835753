"""Sums and maxima across the lanes of vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import vector_lanes

Combine: TypeAlias = Callable[[SSAValue, SSAValue], SSAValue]
"""The combination of two vectors, lane by lane."""


def combined(
    emitter: Emitter, value: SSAValue, count: int, combine: Combine
) -> SSAValue:
    """Each `count` adjacent lanes, a power of two, combined in all of them."""
    lanes, distance = vector_lanes(value), 1
    while distance < count:
        other = emitter.shuffle(value, value, [i ^ distance for i in range(lanes)])
        value = combine(value, other)
        distance *= 2
    return value


def each_combined(
    emitter: Emitter, vectors: Sequence[SSAValue], combine: Combine
) -> SSAValue:
    """Lane i of the result: the lanes of vector i combined; as many vectors as lanes.

    Each round combines the halves of the segments of two vectors, whose results alternate
    in the segments of one, of half the size.
    """
    lanes = size = len(vectors)
    current = list(vectors)
    while len(current) > 1:
        half, width = len(current) // 2, size // 2
        starts = range(0, lanes, size)
        low, high = (
            [
                v + s + i
                for s in starts
                for v in (0, lanes)
                for i in range(at, at + width)
            ]
            for at in (0, width)
        )
        current = [
            combine(emitter.shuffle(a, b, low), emitter.shuffle(a, b, high))
            for a, b in zip(current[:half], current[half:], strict=True)
        ]
        size = width
    return current[0]
