"""Visits the few relevant elements of a row; other blocks only cost a vector test."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from devproc.ir.types import item_size
from devproc.targets.cpu.transforms.loops.combiners import reduce_lanes
from devproc.targets.cpu.transforms.loops.emitter import Emitter, LoopBody
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type

BLOCK = 4
"""Vectors that are tested together before elements are tested one by one."""


def visit_sparse(
    emitter: Emitter,
    source: tuple[SSAValue, Sequence[SSAValue]],
    elements: range,
    block: tuple[int, int],
    passes: Callable[[SSAValue], SSAValue],
    carried: Sequence[SSAValue],
    visit: LoopBody,
) -> Sequence[SSAValue]:
    """`visit` the elements of a row in order, skipping blocks in which none passes.

    `source`: a memref and the row's indices. `block`: the lanes of a vector, and the
    vectors of a block. `passes` returns the mask for a vector. The last block, which
    may be short, is tested by a whole one with the same end.
    """
    memory, row = source
    element = memref_of(memory).element_type
    lanes, vectors = block
    size = lanes * vectors
    first, last = map(emitter.index, (elements.start, elements.stop))
    if elements.stop < size:
        return emitter.loop(first, last, 1, carried, visit)

    def any_passes(start: SSAValue) -> SSAValue:
        flag = IntegerType(8 * item_size(element))
        flags = vector_type(flag, lanes)
        every, found = emitter.number(-1, flags), emitter.number(0, flags)
        for number in range(vectors):
            place = emitter.offset(start, number * lanes)
            x = emitter.load_vector(memory, [*row, place], lanes)
            found = select(emitter, passes(x), every, found)
        lane = reduce_lanes(emitter, "or", found)
        return compare(emitter, "ne", lane, emitter.number(0, flag))

    def visit_block(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        whole = emitter.minimum(i, emitter.index(elements.stop - size))
        end = emitter.minimum(emitter.offset(i, size), last)
        end = select(emitter, any_passes(whole), end, i)
        return emitter.loop(i, end, 1, carried, visit)

    return emitter.loop(first, last, size, carried, visit_block)
