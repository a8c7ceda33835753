"""Instructions of the ops of the vector unit alone, by blocks, with double buffering."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from devproc.dialects.nn.base import ints
from devproc_npu.dialect import (
    ONE,
    AddOp,
    MaxPoolOp,
    RescaleOp,
    SumPoolOp,
    VectorOp,
)
from devproc_npu.isa import ZEROS, Accumulate, Add, Maximum
from devproc_npu.lowering.emitter import Emitter, filled
from devproc_npu.lowering.moves import Place, Tile, dense, load, spans, store, tiles
from devproc_npu.lowering.product import blocks_of, requantize
from devproc_npu.lowering.stream import Part, Parts
from devproc_npu.machine import COLUMNS
from devproc_npu.shapes import Slot, parts


def blocks(
    emitter: Emitter, op: VectorOp, constant: Place | None = None
) -> Iterator[tuple[Tile, Parts, Part, Parts]]:
    """For each block of the result of an op: its indices, the parts of the operands, which
    are loaded, the part of the result, which is stored afterwards, and those of parameters.
    These hold a `constant`, or what the caller loads."""
    assert op.block is not None
    stream, count = emitter.stream, len(op.operands)
    turns = stream.scratchpad.turns(*op.slots(op.block.sizes))
    if constant is not None:
        for part in map(next, turns[count + 1 :]):
            load(stream, constant, part, range(part.size))
    for tile in tiles(op.out.get_shape(), op.block.sizes):
        found = [next(turn) for turn in turns]
        for value, part in zip(op.operands, found, strict=False):
            load(stream, emitter.values[value], part, *op.read(*tile))
        yield tile, found[:count], found[count], found[count + 1 :]
        store(stream, emitter.values[op.result], found[count], *tile)


def add(emitter: Emitter, op: AddOp | RescaleOp) -> None:
    """A sum, its terms and itself scaled. To one tensor zero times itself is added, in
    bfloat16 zeros."""
    scale, constant = list(ints(op.scale)), Place(ZEROS, 0, (1,))
    if len(scale) == 2:
        scale += [0, 2, *ONE]
    if scale:
        constant = emitter.datum("plain", 24, constant=filled(scale, "int32"))
    for tile, terms, result, constants in blocks(emitter, op, constant):
        right = terms[-1] if scale else (*terms, *constants)[1]
        left, right, to = ((part.address, 0) for part in (terms[0], right, result))
        scales = constants[0].address if constants else 0
        sums = Add(*left, *right, *to, 1, prod(map(len, tile)), scales, *op.bounds)
        emitter.stream.add(sums, [*terms, *constants], [result])


def max_pool(emitter: Emitter, op: MaxPoolOp) -> None:
    """A line of results for each image, one tap after another."""
    height, width, step = op.window
    for tile, (source,), result, _ in blocks(emitter, op):
        images, lines, pixels, channels = map(len, tile)
        image_step, line_step, row, _ = dense([*map(len, op.read(*tile))], op.type.size)
        for image, line in product(range(images), range(lines)):
            first = source.address + image * image_step + line * step * line_step
            to = result.address + (image * lines + line) * pixels * row
            other = first, step * row
            for y, x in product(range(height), range(width)):
                tap = first + y * line_step + x * row, step * row
                greater = Maximum(*tap, *other, to, row, pixels, channels)
                emitter.stream.add(greater, [source, result], [result])
                other = to, row


def sum_pool(emitter: Emitter, op: SumPoolOp) -> None:
    """Each window into a row of the accumulator for every 16 channels."""
    assert op.block is not None
    (height, width, step), stream, size = op.window, emitter.stream, op.type.size
    scales = emitter.channels(op.out.get_shape()[-1], emitter.scale(ints(op.scale)))
    copies = 2 * parts(op.block.sizes[-1], COLUMNS)
    (turns,) = stream.accumulator.turns(Slot(copies, prod(op.block.sizes[:-1])))
    for tile, (source,), result, (constant,) in blocks(emitter, op):
        load(stream, scales, constant, blocks_of(tile[-1]))
        sizes, rows = list(map(len, tile[:-1])), prod(map(len, tile[:-1]))
        image_step, line_step, row, _ = dense([*map(len, op.read(*tile))], op.type.size)
        # Lines of windows as wide as the image follow one another.
        runs, run = (1, height * width) if line_step == width * row else (height, width)
        sums = [next(turns) for _ in blocks_of(tile[-1])]
        for part, columns in zip(sums, spans(len(tile[-1]), COLUMNS), strict=True):
            windows = product(*map(range, sizes), range(runs))
            for number, (image, line, pixel, y) in enumerate(windows):
                at = image * image_step + (line * step + y) * line_step
                at += source.address + pixel * step * row + columns.start * size
                to, add = part.address + number // runs, int(y > 0)
                window = Accumulate(at, row, run, len(columns), to, add)
                stream.add(window, [source], [part])
        shape, clamp = (rows, len(tile[-1])), (*op.bounds, 0)
        requantize(stream, sums, shape, constant, result, clamp)
