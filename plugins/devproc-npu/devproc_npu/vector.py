"""Instructions of the ops of the vector unit alone, by blocks, with double buffering."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, product
from math import prod

from devproc_npu.isa import ZEROS, Accumulate, Add, Load, Maximum, Requantize
from devproc_npu.machine import COLUMNS
from devproc_npu.moves import Place, box, dense, load, store, tiles
from devproc_npu.stream import Part, Stream
from devproc_npu.tiling import parts

Window = tuple[int, int, int]
"""Height, width and step."""


def add(
    stream: Stream,
    terms: Sequence[Place],
    out: Place,
    shape: Sequence[int],
    block: Sequence[int],
    scales: Place | None,
    bounds: tuple[int, int],
) -> None:
    """The sum of two tensors, or one tensor twice, both scaled; in bf16 the one plus zero.

    `scales`: of the left, the right and the sum, as `Add` reads them.
    """
    size, most = stream.type.size, prod(block) * stream.type.size
    stream.scratchpad.reserve(2 * (len(terms) + 1) * (most + 64) + most + 128)
    slots = [stream.slots(most) for _ in (*terms, out)]
    constant = stream.scratchpad.part(24 if scales else most)
    if scales:
        load(stream, scales, constant, [(24, 1, 1)])
    elif len(terms) == 1:
        zeros = Load(ZEROS, 0, constant.address, 1, 1, most, 0, 0, 0, 0)
        stream.add(zeros, [], [constant])
    for start, sizes in tiles(shape, block):
        *loaded, result = [next(slot)[0] for slot in slots]
        inside = dense(sizes, size)
        for term, part in zip(terms, loaded, strict=True):
            load(stream, term.at(*start), part, box(sizes, term.strides, inside, size))
        left = loaded[0]
        right = loaded[-1] if scales or len(terms) == 2 else constant
        count = prod(sizes)
        stream.add(
            Add(
                left.address, 0, right.address, 0, result.address, 0, 1, count,
                constant.address, *bounds,
            ),
            [left, right, *([constant] if scales else [])], [result],
        )  # fmt: skip
        store(stream, out.at(*start), result, box(sizes, out.strides, inside, size))


class Pool:
    """The windows of an image (N, H, W, C), reduced by blocks of results."""

    def __init__(self, stream: Stream, image: Place, out: Place, window: Window):
        self.stream, self.image, self.out, self.window = stream, image, out, window
        self.size = stream.type.size

    def emit(
        self,
        shape: Sequence[int],
        block: Sequence[int],
        scales: Place | None = None,
        bounds: tuple[int, int] = (0, 0),
    ) -> None:
        """All blocks: maxima, or, with `scales`, scaled sums."""
        stream, size, (_, _, step) = self.stream, self.size, self.window
        read = prod(self._read(block)) * size
        written, columns = prod(block) * size, parts(block[-1], COLUMNS)
        of_scales = columns * stream.type.channel_bytes
        stream.scratchpad.reserve(2 * (read + written + of_scales + 192))
        if scales is not None:
            rows = prod(block[:-1]) * columns
            stream.accumulator.reserve(2 * rows)
            self.sums = cycle([stream.accumulator.part(rows) for _ in range(2)])
        slots = [stream.slots(bytes_) for bytes_ in (read, written, of_scales)]
        for start, sizes in tiles(shape, block):
            source, result, constant = (next(slot)[0] for slot in slots)
            image, line, pixel, channel = start
            place = self.image.at(image, line * step, pixel * step, channel)
            whole = self._read(sizes)
            inside = dense(whole, size)
            load(stream, place, source, box(whole, self.image.strides, inside, size))
            if scales is None:
                self._maxima(source, result, sizes)
            else:
                columns = parts(sizes[-1], COLUMNS) * stream.type.channel_bytes
                load(stream, scales.at(channel // COLUMNS), constant, [(columns, 1, 1)])
                self._sums(source, result, sizes, constant, bounds)
            inside = dense(sizes, size)
            box_ = box(sizes, self.out.strides, inside, size)
            store(stream, self.out.at(*start), result, box_)

    def _read(self, sizes: Sequence[int]) -> Sequence[int]:
        """The sizes of the part of the image that a block reads."""
        height, width, step = self.window
        images, lines, pixels, channels = sizes
        return (
            images,
            (lines - 1) * step + height,
            (pixels - 1) * step + width,
            channels,
        )

    def _maxima(self, source: Part, result: Part, sizes: Sequence[int]) -> None:
        """A line of results for each image, one tap after another."""
        height, width, step = self.window
        images, lines, pixels, channels = sizes
        inside, row = dense(self._read(sizes), self.size), channels * self.size
        taps = [
            y * inside[1] + x * row for y, x in product(range(height), range(width))
        ]
        for image, line in product(range(images), range(lines)):
            begin = source.address + image * inside[0] + line * step * inside[1]
            to = result.address + (image * lines + line) * pixels * row
            for number, tap in enumerate(taps):
                other = (to, row) if number else (begin, step * row)
                self.stream.add(
                    Maximum(
                        begin + tap, step * row, *other, to, row, pixels, channels
                    ),
                    [source, result], [result],
                )  # fmt: skip

    def _sums(
        self,
        source: Part,
        result: Part,
        sizes: Sequence[int],
        constant: Part,
        bounds: tuple[int, int],
    ) -> None:
        """Each window into a row of the accumulator for every 16 channels."""
        height, width, step = self.window
        images, lines, pixels, channels = sizes
        inside, row = dense(self._read(sizes), self.size), channels * self.size
        count, sums = images * lines * pixels, next(self.sums)
        # Lines of windows as wide as the image follow one another.
        runs, run = (1, height * width) if inside[1] == width * row else (height, width)
        for j in range(parts(channels, COLUMNS)):
            columns = min(COLUMNS, channels - j * COLUMNS)
            windows = product(range(images), range(lines), range(pixels), range(runs))
            for number, (image, line, pixel, y) in enumerate(windows):
                at = image * inside[0] + (line * step + y) * inside[1]
                self.stream.add(
                    Accumulate(
                        source.address + at + pixel * step * row + j * COLUMNS * self.size,
                        row, run, columns, sums.address + j * count + number // runs,
                        int(y > 0),
                    ),
                    [source], [sums],
                )  # fmt: skip
            self.stream.add(
                Requantize(
                    sums.address + j * count, count, columns,
                    result.address + j * COLUMNS * self.size, row,
                    constant.address + j * self.stream.type.channel_bytes, *bounds,
                ),
                [sums, constant], [result],
            )  # fmt: skip
