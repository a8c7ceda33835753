"""Moves of the DMA engine between tensors in external memory and the scratchpad."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from math import prod

from devproc_npu.isa import Load, Store
from devproc_npu.lowering.stream import Part, Stream
from devproc_npu.shapes import Slot

Sizes = Sequence[int]
Tile = tuple[range, ...]
"""A part of a tensor: the indices of each dimension."""


@dataclass(frozen=True)
class Place:
    """A tensor in the external memory: its buffer, the byte of its first element, the bytes
    from one index to the next of each dimension, the bytes of an element."""

    buffer: int
    offset: int
    strides: tuple[int, ...]
    size: int = 1
    part: Part = field(default_factory=Part, compare=False)
    """What orders the accesses to it."""

    def at(self, *index: int) -> Place:
        """The same with another first element."""
        steps = zip(index, self.strides, strict=False)
        return replace(self, offset=self.offset + sum(i * step for i, step in steps))

    def with_strides(self, *strides: int) -> Place:
        """The same first element, seen with other strides."""
        return replace(self, strides=strides)

    def as_line(self, pixels: int, channels: int) -> Place:
        """A row-major tensor as images of one line of pixels."""
        pixel = channels * self.size
        return self.with_strides(pixels * pixel, 0, pixel, self.size)


def dense(sizes: Sequence[int], size: int) -> tuple[int, ...]:
    """The strides of a row-major tensor with elements of `size` bytes."""
    return tuple(prod(sizes[d + 1 :]) * size for d in range(len(sizes)))


def spans(size: int, most: int, early: bool = False) -> list[range]:
    """Parts of at most `most`; the last one is shorter, or, `early`, the first."""
    begin = -(-size % most) if early else 0
    return [range(max(s, 0), min(s + most, size)) for s in range(begin, size, most)]


def tiles(
    shape: Sizes, most: Sizes, order: Sizes = (), early: Sizes = ()
) -> Iterator[Tile]:
    """The parts of a shape, each of at most these sizes: a range for each dimension.
    `order`: the dimensions, that which changes first last; `early`: those whose first part
    is the short one."""
    order = order or range(len(shape))
    ranges = (spans(shape[d], most[d], d in early) for d in order)
    for parts in product(*ranges):
        yield tuple(part for _, part in sorted(zip(order, parts, strict=True)))


def move(
    kind: type[Load | Store],
    stream: Stream,
    place: Place,
    part: Part,
    *ranges: range,
    inside: Sequence[int] = (),
    at: int = 0,
) -> None:
    """Move the elements with these indices to or from byte `at` of a part, where they are
    row-major or have the strides `inside`.

    One instruction moves blocks of rows; there is one for each index of what dimensions
    remain. Those that are adjacent on both sides are one.
    """
    sizes = [len(indices) for indices in ranges]
    start = place.at(*(indices.start for indices in ranges)).offset
    inside = inside or dense(sizes, place.size)
    dimensions = [*zip(sizes, place.strides, inside, strict=True), (place.size, 1, 1)]
    kept = [(1, 0, 0), (1, 0, 0)]
    for count, outer, inner in sorted(dimensions, key=lambda d: -d[1]):
        while kept[-1][1:] == (count * outer, count * inner):
            count *= kept.pop()[0]
        if count > 1 or outer == inner == 1:
            kept.append((count, outer, inner))
    *repeated, blocks, rows, row = kept
    external, internal = zip(blocks[1:], rows[1:], strict=True)
    for index in product(*(range(count) for count, _, _ in repeated)):
        steps = [[i * step for step in d[1:]] for i, d in zip(index, repeated)]
        first, begin = map(sum, zip((start, at), *steps, strict=True))
        where = place.buffer, first, part.address + begin, blocks[0], rows[0], row[0]
        if kind is Load:
            stream.add(Load(*where, *external, *internal), [place.part], [part])
        else:
            stream.add(Store(*where, *internal, *external), [part], [place.part])


load, store = partial(move, Load), partial(move, Store)


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


def copy(stream: Stream, source: Place, to: Place, shape: Sequence[int]) -> None:
    """Copy a tensor: transposes, and images into borders."""
    (turns,) = stream.scratchpad.turns(Slot(2, COPIED))
    # Elements that are adjacent in the source share bursts.
    adjacent = [d for d, step in enumerate(source.strides) if step == source.size]
    run = adjacent[-1] if adjacent else None
    for tile in tiles(shape, block_of(shape, COPIED // source.size, run)):
        part = next(turns)
        load(stream, source, part, *tile)
        store(stream, to, part, *tile)


def fill_border(
    stream: Stream, value: Place, to: Place, shape: Sequence[int], inner: Tile
) -> None:
    """Fill the border of an image (N, H, W, C), all but these lines and pixels of it;
    `value` has the bytes of a line."""
    (n, h, w, c), (lines, pixels) = shape, inner
    row = w * c * to.size
    (turns,) = stream.scratchpad.turns(Slot(1, row))
    part = next(turns)
    load(stream, value, part, range(row))
    boxes = [
        (range(lines.start), range(w)),
        (range(lines.stop, h), range(w)),
        (lines, range(pixels.start)),
        (lines, range(pixels.stop, w)),
    ]
    inside = (0, 0, c * to.size, to.size)
    for image, box in product(spans(n, 1), boxes):
        if all(box):
            store(stream, to, part, image, *box, range(c), inside=inside)
