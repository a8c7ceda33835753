"""Scores of a cache in int8, by dot products of bytes.

Queries are split into signed bytes, as the rows of `weight_only`. The words of as many keys
as a vector has lanes, of four elements each, are transposed, so that a lane sums the products
of one key: nothing is added across lanes, and each vector of keys serves all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from devproc.targets.cpu.algorithms.attention.steps import StepEmitter
from devproc.targets.cpu.algorithms.cached_attention.keys_in_use import Run
from devproc.targets.cpu.algorithms.cached_attention.nest import CachedAttention
from devproc.targets.cpu.algorithms.weight_only.dot_products import (
    SIGN,
    as_bytes,
    dot,
    signed,
)
from devproc.targets.cpu.algorithms.weight_only.row_digits import WORD, RowDigits
from devproc.targets.cpu.algorithms.weight_only.tile import joined_digits
from devproc.targets.cpu.transforms.loops.access import apply_map
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.transpose import joined, transpose_lanes
from devproc.targets.cpu.transforms.loops.vector_types import vector_type
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

EXTENSION = "avx512vnni"
"""The processor feature with the instruction."""


class IntegerScores:
    """The dot products of the rows of a tile, `count` bytes each, with a vector of keys."""

    def __init__(self, steps: StepEmitter, nest: CachedAttention, count: int):
        self.steps, self.emitter, self.wide = steps, steps.emitter, steps.lanes
        self.lanewise = Lanewise(steps.emitter, vector_type(f32, steps.lanes))
        self.query, self.key = nest.scores.inputs[:2]
        self.depth, self.count = nest.depth, count
        self.row: SSAValue | None = None

    def left_vector(self, term: SSAValue) -> SSAValue:
        """A vector of elements of the current query, from this one on."""
        assert self.row is not None
        emitter, body = self.emitter, VectorBody(self.emitter, self.wide)
        point = [*self.steps.heads, self.row, emitter.index(0), term]
        return self.steps.load(self.query, body, point, len(point) - 1)

    def take_queries(self, rows: Values) -> None:
        """Split the queries of a tile, which are adjacent, into bytes."""
        emitter, words, one = self.emitter, self.depth // WORD, len(rows) == 1
        memory = {
            "digits": emitter.stack(
                self.count, words, *([] if one else [len(rows)]), element=i32
            ),
            "scales": emitter.stack(1, len(rows)),
            "starts": emitter.stack(1, len(rows), self.count, element=i32),
            "unusual": emitter.stack(len(rows), element=i32),
        }
        self.digits = RowDigits(self, memory, self.count, self.depth, SIGN, EXTENSION)

        def fill(number: SSAValue) -> None:
            self.row = emitter.add(rows[0], number)
            self.digits.fill(number)

        emitter.loop_to(len(rows), fill)

    def scores(
        self, rows: Values, run: Run, start: SSAValue, per_row: int
    ) -> list[SSAValue]:
        """The dot products with the next keys, as many as lanes: `per_row` vectors
        [row][key] of adjacent keys; rows after the last are any others."""
        emitter, zero = self.emitter, self.emitter.index(0)
        places = run.places(emitter, start, self.wide)
        numbers = [emitter.index(number) for number in range(len(rows))]
        begun = [
            self.digits.start(zero, number, digit)
            for number in numbers
            for digit in range(self.count)
        ]

        def words(first: SSAValue, sums: Values) -> Values:
            columns = self._columns(rows[0], places, first)
            word = emitter.div(first, WORD)
            found: list[SSAValue] = []
            for number in numbers:
                before = sums[len(found) : len(found) + self.count]
                found += self._row(number, word, columns, before)
            return found

        step = WORD * self.wide
        sums = emitter.loop(zero, emitter.index(self.depth), step, begun, words)
        scores = [
            self._scaled(number, sums[at * self.count : (at + 1) * self.count])
            for at, number in enumerate(numbers)
        ]
        return self._by_key(scores + scores[:1] * (per_row - len(rows)))

    def _columns(
        self, row: SSAValue, places: Sequence[SSAValue], first: SSAValue
    ) -> list[SSAValue]:
        """The unsigned bytes of four elements of all keys, from `first` on: as many vectors
        as a key has words in a vector."""
        emitter, words = self.emitter, vector_type(i32, self.wide)
        keys: list[SSAValue] = []
        for place in places:
            point = [*self.steps.heads, row, place, first]
            where = apply_map(emitter, self.key.map, point)
            value = emitter.load_vector(self.key.value, where, WORD * self.wide)
            keys.append(emitter.value(vector.BitcastOp, (value,), words))
        return [
            as_bytes(emitter, signed(self.lanewise, column))
            for column in transpose_lanes(emitter, keys)
        ]

    def _row(
        self,
        number: SSAValue,
        word: SSAValue,
        columns: Sequence[SSAValue],
        sums: Values,
    ) -> list[SSAValue]:
        """Add the products of one query to its sums, byte by byte."""
        emitter, found = self.emitter, list(sums)
        for offset, column in enumerate(columns):
            place = emitter.offset(word, offset)
            for digit in range(self.count):
                row = as_bytes(emitter, self.digits.word(place, number, digit))
                found[digit] = dot(emitter, EXTENSION, found[digit], column, row)
        return found

    def _scaled(self, number: SSAValue, sums: Values) -> SSAValue:
        """The scores of a query; NaN if it has NaN or infinities."""
        emitter, lanewise = self.emitter, self.lanewise
        scale = self.digits.scale(self.emitter.index(0), number)
        scalar = Lanewise(emitter, f32)
        # Infinity less infinity is NaN.
        scale = scalar.add(scale, scalar.sub(scale, scale))
        value = joined_digits(lanewise, sums, is_integer=False)
        return lanewise.mul(value, emitter.broadcast(scale, self.wide))

    def _by_key(self, scores: Sequence[SSAValue]) -> list[SSAValue]:
        """Vectors of all keys of a row as vectors of some keys of all rows."""
        emitter, keys = self.emitter, self.wide // len(scores)
        if len(scores) == 1:
            return list(scores)
        found: list[SSAValue] = []
        for first in range(0, self.wide, keys):
            lanes = [first + key for key in range(keys)]
            lanes += [self.wide + lane for lane in lanes]
            pairs = zip(scores[::2], scores[1::2], strict=True)
            found.append(
                joined(emitter, [emitter.shuffle(a, b, lanes) for a, b in pairs])
            )
        return found
