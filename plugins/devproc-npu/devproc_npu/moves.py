"""Moves of the DMA engine between places in external memory and the scratchpad."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from devproc_npu.isa import Load, Store
from devproc_npu.stream import Part, Stream

Dimension = tuple[int, int, int]
"""A size, and the bytes from one index to the next in external memory and in the
scratchpad."""


@dataclass(frozen=True)
class Place:
    """A tensor in the external memory: its buffer, the byte of its first element, the bytes
    from one index to the next of each dimension."""

    buffer: int
    offset: int
    strides: tuple[int, ...]
    part: Part = field(default_factory=Part, compare=False)
    """What orders the accesses to it."""

    def at(self, *index: int) -> Place:
        """What remains of it with these first indices."""
        steps = zip(index, self.strides, strict=False)
        offset = self.offset + sum(i * stride for i, stride in steps)
        return replace(self, offset=offset, strides=self.strides[len(index) :])

    def with_strides(self, strides: tuple[int, ...]) -> Place:
        """The same first element, seen with other strides."""
        return replace(self, strides=strides)


def dense(sizes: Sequence[int], size: int) -> tuple[int, ...]:
    """The strides of a row-major tensor with elements of `size` bytes."""
    return tuple(prod(sizes[d + 1 :]) * size for d in range(len(sizes)))


def load(
    stream: Stream,
    place: Place,
    part: Part,
    dimensions: Sequence[Dimension],
    at: int = 0,
) -> None:
    """Load a box that begins at a place, to byte `at` of a part."""
    for outside, inside, (blocks, rows, size) in _moves(dimensions):
        stream.add(
            Load(
                place.buffer, place.offset + outside, part.address + at + inside,
                blocks[0], rows[0], size, blocks[1], rows[1], blocks[2], rows[2],
            ),
            [place.part], [part],
        )  # fmt: skip


def store(
    stream: Stream, place: Place, part: Part, dimensions: Sequence[Dimension]
) -> None:
    """Store a box of a part to a place."""
    for outside, inside, (blocks, rows, size) in _moves(dimensions):
        stream.add(
            Store(
                place.buffer, place.offset + outside, part.address + inside,
                blocks[0], rows[0], size, blocks[2], rows[2], blocks[1], rows[1],
            ),
            [part], [place.part],
        )  # fmt: skip


def _moves(
    dimensions: Sequence[Dimension],
) -> Iterator[tuple[int, int, tuple[Dimension, Dimension, int]]]:
    """One move for each index of all dimensions but three: where it begins on both sides;
    blocks, rows, and the bytes of a row. The last dimension is bytes: (size, 1, 1)."""
    kept: list[Dimension] = []
    for dimension in sorted(dimensions, key=lambda d: -d[1]):
        while kept and kept[-1][1:] == (
            dimension[0] * dimension[1],
            dimension[0] * dimension[2],
        ):
            dimension = (kept.pop()[0] * dimension[0], *dimension[1:])
        if dimension[0] > 1 or dimension[1:] == (1, 1):
            kept.append(dimension)
    *outer, rows, row = [(1, 0, 0), (1, 0, 0), *kept] if len(kept) < 3 else kept
    blocks = outer.pop()
    for index in product(*(range(size) for size, _, _ in outer)):
        outside = sum(i * d[1] for i, d in zip(index, outer, strict=True))
        inside = sum(i * d[2] for i, d in zip(index, outer, strict=True))
        yield outside, inside, (blocks, rows, row[0])


def box(
    sizes: Sequence[int], outside: Sequence[int], inside: Sequence[int], size: int
) -> list[Dimension]:
    """The dimensions of a box of elements of `size` bytes."""
    return [*zip(sizes, outside, inside, strict=True), (size, 1, 1)]


def tiles(
    shape: Sequence[int], most: Sequence[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """The starts and sizes of parts of a shape, each of at most these sizes."""
    for start in product(*(range(0, s, m) for s, m in zip(shape, most, strict=True))):
        sizes = [min(m, s - i) for i, s, m in zip(start, shape, most, strict=True)]
        yield list(start), sizes


def block_of(shape: Sequence[int], most: int, run: int | None = None) -> list[int]:
    """The largest part of a shape with at most `most` elements, whole from the last
    dimension on; of the dimension `run` at least 64."""
    sizes = [1] * len(shape)
    if run is not None:
        sizes[run] = min(shape[run], 64)
    for d in reversed(range(len(shape))):
        rest = prod(sizes) // sizes[d]
        sizes[d] = max(sizes[d], min(shape[d], most // rest))
        if sizes[d] < shape[d]:
            break
    return sizes


COPIED = 16 << 10
"""Bytes of a part of a copy."""


def copy(
    stream: Stream, source: Place, to: Place, shape: Sequence[int], size: int
) -> None:
    """Copy a tensor with elements of `size` bytes: transposes, and images into borders."""
    stream.scratchpad.reserve(2 * COPIED)
    slots = stream.slots(COPIED)
    # Elements that are adjacent in the source share bursts.
    adjacent = [d for d, stride in enumerate(source.strides) if stride == size]
    block = block_of(shape, COPIED // size, adjacent[-1] if adjacent else None)
    for start, sizes in tiles(shape, block):
        (part,) = next(slots)
        inside = dense(sizes, size)
        load(stream, source.at(*start), part, box(sizes, source.strides, inside, size))
        store(stream, to.at(*start), part, box(sizes, to.strides, inside, size))


def fill_border(
    stream: Stream,
    value: Place,
    to: Place,
    shape: Sequence[int],
    border: Sequence[tuple[int, int]],
    size: int,
) -> None:
    """Fill the border of an image (N, H, W, C); `value` has the bytes of a line of it."""
    (n, h, w, c), (top, bottom), (left, right) = shape, *border
    row = w * c * size
    stream.scratchpad.reserve(row)
    part = stream.scratchpad.part(row)
    load(stream, value, part, [(row, 1, 1)])
    boxes = [
        ((0, 0), (top, w)),
        ((h - bottom, 0), (bottom, w)),
        ((top, 0), (h - top - bottom, left)),
        ((top, w - right), (h - top - bottom, right)),
    ]
    for image, ((line, pixel), (lines, width)) in product(range(n), boxes):
        if lines and width:
            pixels = (lines, to.strides[1], 0), (width * c * size, 1, 1)
            store(stream, to.at(image, line, pixel), part, pixels)
