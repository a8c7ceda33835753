"""The sums of a tile: some rows times one panel of a weight in fewer bits."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.ir.weight_format import WeightFormat
from devproc.targets.cpu.algorithms.weight_only.dot_products import (
    SIGN,
    as_bytes,
    dot,
    signed,
    takes_signed,
)
from devproc.targets.cpu.algorithms.weight_only.row_digits import TOPS, WORD, RowDigits
from devproc.targets.cpu.transforms.loops.access import load_element
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.nests.block_sums import MOST_STREAMS
from devproc.targets.cpu.transforms.nests.linear_loops import LinearLoops
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.panel_reader import PanelReader

DIGIT_BITS = 8


def sum_digits(
    reader: PanelReader, digits: RowDigits, rows: Sequence[SSAValue], panel: SSAValue
) -> Values:
    """The sums of rows that are split into bytes, row by row, vector by vector.

    `rows`: their numbers in the block of rows.
    """
    emitter, lanewise, vectors = reader.emitter, reader.lanewise, reader.vectors
    columns, count = range(vectors), range(digits.count)
    words = reader.word_terms // WORD
    is_integer = fits_integer(reader.stored, digits.count, reader.terms)

    def group(number: SSAValue, totals: Values) -> Values:
        reader.stand_at(panel, number)
        starts = [digits.start(number, row, d) for row in rows for d in count]
        begun = _begun(reader, digits.extension, starts)
        first = emitter.mul(number, emitter.index(digits.terms // WORD))

        def row_of_words(index: SSAValue, sums: Values) -> Values:
            word = emitter.add(first, emitter.mul(index, emitter.index(words)))
            for offset, weights in enumerate(reader.bytes_of(index)):
                place = emitter.offset(word, offset)
                if takes_signed(reader.stored, digits.extension):
                    weights = [signed(lanewise, weight) for weight in weights]
                right = [as_bytes(emitter, weight) for weight in weights]
                left = [
                    as_bytes(emitter, digits.word(place, row, d))
                    for row in rows
                    for d in count
                ]
                pairs = [(w, x) for x in left for w in right]
                sums = [
                    dot(emitter, digits.extension, total, *pair)
                    for total, pair in zip(sums, pairs, strict=True)
                ]
            return sums

        zero, end = emitter.index(0), emitter.index(reader.rows)
        sums = emitter.loop(zero, end, 1, begun, row_of_words)
        scales = reader.scales()
        found: list[SSAValue] = []
        for place, row in enumerate(rows):
            scale = emitter.broadcast(digits.scale(number, row), reader.wide)
            for column in columns:
                each = [
                    sums[(place * digits.count + d) * vectors + column] for d in count
                ]
                factor = lanewise.mul(scales[column], scale)
                total = totals[place * vectors + column]
                joined = joined_digits(lanewise, each, is_integer)
                found.append(lanewise.fma(joined, factor, total))
        return found

    zeros = [lanewise.number(0.0)] * (len(rows) * vectors)
    end = emitter.index(reader.blocks)
    return emitter.loop(emitter.index(0), end, 1, zeros, group)


def _begun(reader: PanelReader, extension: str, starts: Values) -> Values:
    """What the sums of a group begin with, for each row and byte, vector by vector."""
    lanewise, stored = reader.lanewise, reader.stored
    if not stored.has_zeros:
        return [start for start in starts for _ in range(reader.vectors)]
    zeros = reader.zeros()
    if takes_signed(stored, extension):
        half = lanewise.integer(SIGN)
        zeros = [lanewise.integer_op(arith.SubiOp, zero, half) for zero in zeros]
    return [
        lanewise.integer_op(arith.MuliOp, start, zero)
        for start in starts
        for zero in zeros
    ]


def joined_digits(lanewise: Lanewise, sums: Values, is_integer: bool) -> SSAValue:
    """The sum of terms as float32, from those of each byte, the lowest first.

    Two sums are added as integers; all of them if the sum fits 32 bits, `is_integer`.
    """
    high, *lower = reversed(sums)
    joined = len(sums) if is_integer else 2
    for low in lower[: joined - 1]:
        moved = lanewise.integer_op(arith.ShLIOp, high, lanewise.integer(DIGIT_BITS))
        high = lanewise.integer_op(arith.AddiOp, moved, low)
    value = lanewise.float_of(high)
    for low in lower[joined - 1 :]:
        base = lanewise.number(1 << DIGIT_BITS)
        value = lanewise.fma(value, base, lanewise.float_of(low))
    return value


def fits_integer(stored: WeightFormat, digits: int, terms: int) -> bool:
    """Whether 32 bits hold the sum of so many terms: with three bytes that of 32 integers of
    at most 8. Sums of fewer bytes may wrap around meanwhile."""
    largest = (1 << stored.bits) - 1 if stored.has_zeros else stored.zero
    return TOPS[digits] * largest * terms < 1 << 31


def sum_widened(
    reader: PanelReader,
    loops: LinearLoops,
    rows: Sequence[SSAValue],
    panel: SSAValue,
    accumulators: int,
) -> Values:
    """The sums of rows in float32, with a weight that is widened in registers.

    `rows`: their numbers in the product.
    """
    emitter, lanewise = reader.emitter, reader.lanewise
    width = len(rows) * reader.vectors
    streams = max(1, min(MOST_STREAMS, reader.word_terms, accumulators // width))
    zeros = [lanewise.number(0.0)] * (streams * width)

    def block(number: SSAValue, totals: Values) -> Values:
        reader.stand_at(panel, number)
        first = emitter.mul(number, emitter.index(reader.terms))

        def row_of_words(index: SSAValue, sums: Values) -> Values:
            start = emitter.add(
                first, emitter.mul(index, emitter.index(reader.word_terms))
            )
            made = list(sums)
            for offset, weights in enumerate(reader.floats_of(index)):
                numbers = _numbers(loops, rows, emitter.offset(start, offset))
                place = offset % streams * width
                pairs = [(x, weight) for x in numbers for weight in weights]
                for at, (x, weight) in enumerate(pairs, place):
                    made[at] = lanewise.fma(x, weight, made[at])
            return made

        zero, end = emitter.index(0), emitter.index(reader.rows)
        sums = emitter.loop(zero, end, 1, zeros, row_of_words)
        joined = list(sums[:width])
        for stream in range(1, streams):
            others = sums[stream * width : (stream + 1) * width]
            joined = [lanewise.add(*pair) for pair in zip(joined, others, strict=True)]
        if not reader.stored.is_integer:
            return [lanewise.add(*pair) for pair in zip(totals, joined, strict=True)]
        scales = list(reader.scales()) * len(rows)
        return [
            lanewise.fma(sum_, scale, total)
            for sum_, scale, total in zip(joined, scales, totals, strict=True)
        ]

    end = emitter.index(reader.blocks)
    return emitter.loop(emitter.index(0), end, 1, zeros[:width], block)


def _numbers(
    loops: LinearLoops, rows: Sequence[SSAValue], term: SSAValue
) -> list[SSAValue]:
    """A number of each row as float32, in every lane."""
    left, emitter = loops.nest.inputs[0], loops.emitter
    found: list[SSAValue] = []
    for row in rows:
        loops.stand_at(row)
        loops.stand_at_term(term)
        number = load_element(emitter, left.value, left.map, loops.point)
        assert number.type == f32
        found.append(emitter.broadcast(number, loops.wide))
    return found
