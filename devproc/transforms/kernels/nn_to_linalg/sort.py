"""Sorting and selection by integer keys; on devices whose programs run independently, long
rows by runs, which are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, StringAttr, i32, i64
from xdsl.ir import Operation, SSAValue

from devproc.dialects.linalg_ext.order import (
    FirstPlacesOp,
    KthValueOp,
    MergeRunsOp,
    OrderOp,
    SortOp,
    SortRunsOp,
    kept_of_runs,
)
from devproc.dialects.nn import sort as nn
from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.shape import SliceOp
from devproc.ir.program.structured import FAMILY
from devproc.ir.types import is_float, item_size, tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars, item_bits

MOST_INSERTED = 64
"""Up to this many elements, insertion into a list is faster than search and sort, in
rows of at least the square of that number."""

MOST_COMPARED = 256
"""Up to this row length, comparing all elements is faster than a radix sort, and needs
no scratch memory."""

LEAST_SEARCHED = 100
"""From this row length on, searching for one element is faster than sorting."""

MOST_SEARCHED = 4
"""Up to this many searches in a row are faster than sorting it once."""

LEAST_COLLECTED = 32768
"""From this row length on, which exceeds a small cache, a search copies the remaining
candidates."""

LONGEST_RUN = {4: 4096, 8: 256}
"""Bytes of a key -> up to this row length, a program of a device sorts a row."""

RUN = {4: 1024, 8: 256}
"""Bytes of a key -> the runs of a longer row, which compile faster than the longest."""

WAYS = 4
"""Runs that are merged at a time: half the passes of two, with a search more for each
element."""

COLLECTED = 16
"""Candidates are copied once at most one in this many elements remains."""


def lower_sort(op: Operation, lowering: Lowering) -> Sequence[SSAValue]:
    """The indices in order, only of the leading elements of each row that are read, and
    the elements at these indices."""
    assert isinstance(op, nn.SortOp)
    keys = ascending_keys(op.operand, lowering, bool(int_of(op.descending)))
    order = sorted_places if lowering.on_host else merged_places
    places = order(keys, wanted_of(op), lowering)
    return [elements_at(op.operand, places, lowering), places]


def merged_places(keys: SSAValue, count: int, lowering: Lowering) -> SSAValue:
    """Indices of the first `count` elements in order of each row."""
    return merged_runs(keys, count, lowering, False)[0]


def merged_runs(
    keys: SSAValue, count: int, lowering: Lowering, is_read: bool
) -> tuple[SSAValue, SSAValue | None]:
    """Indices of the first `count` elements in order of each row, of which each run keeps no
    more: runs are sorted, then merged; or sorted again, as long as more of them than are
    merged at a time fit into a run. Also these elements, if they are read."""
    type_ = tensor_of(keys)
    size, width = type_.get_shape()[-1], item_size(type_.element_type)
    run = max(size, 1) if size <= LONGEST_RUN[width] else RUN[width]
    count = max(count, 1)
    places, elements, length, ways = None, keys, run, 1
    while True:
        is_last = tensor_of(elements).get_shape()[-1] <= length * ways
        held = min(length * ways, count)
        with_elements = is_read or not is_last
        places, elements_or_none = append_runs(
            elements, places, (length, ways), held, lowering, with_elements
        )
        if is_last or elements_or_none is None:
            return places, elements_or_none
        elements = elements_or_none
        ways = 1 if WAYS * held < run else WAYS
        length = run if ways == 1 else held


def append_runs(
    keys: SSAValue,
    of: SSAValue | None,
    runs: tuple[int, int],
    first: int,
    lowering: Lowering,
    is_read: bool,
) -> tuple[SSAValue, SSAValue | None]:
    """Append a sort of runs, or a merge of several (`runs`: their size, and how many);
    returns the indices of the elements that are kept, and these if they are read."""
    *rows, size = tensor_of(keys).get_shape()
    run, ways = runs
    kept, is_last = kept_of_runs(size, run * ways, first), size <= run * ways
    places = lowering.empty((*rows, kept), i64 if is_last else i32)
    element = tensor_of(keys).element_type
    outputs = places, lowering.empty((*rows, kept), element) if is_read else None
    if ways == 1 or of is None:
        op = SortRunsOp(keys, of, outputs, run, first)
    else:
        op = MergeRunsOp(keys, of, outputs, run, ways, first)
    return append_order(op, lowering), op.results[1] if is_read else None


def sorted_places(keys: SSAValue, count: int, lowering: Lowering) -> SSAValue:
    """Indices of the first `count` elements in order of each row: the row is sorted; a
    few are inserted into a list; otherwise they are selected, then sorted."""
    *rows, size = tensor_of(keys).get_shape()
    is_inserted = count <= MOST_INSERTED and count**2 <= size
    if count < size and not is_inserted:
        some = first_places(keys, count, lowering)
        few = elements_at(keys, some, lowering)
        return elements_at(some, sorted_places(few, count, lowering), lowering)
    has_room = count == size > MOST_COMPARED
    places = lowering.empty((*rows, count), i64)
    room = lowering.empty((*rows, 2, size), i64) if has_room else None
    return append_order(SortOp(keys, places, room), lowering)


def first_places(keys: SSAValue, count: int, lowering: Lowering) -> SSAValue:
    """Indices of the first `count` elements in order of each row, ascending."""
    rows = tensor_of(keys).get_shape()[:-1]
    rank = lowering.fill(count - 1, (*rows, 1), i64)
    last = searched_places(keys, rank, lowering)
    places = lowering.empty((*rows, count), i64)
    return append_order(FirstPlacesOp(keys, last, places), lowering)


def append_order(op: OrderOp, lowering: Lowering) -> SSAValue:
    """Append an op of the family; returns its indices."""
    op.attributes[FAMILY] = StringAttr("sort")
    return lowering.append(op)


def ascending_keys(
    x: SSAValue, lowering: Lowering, descending: bool = False
) -> SSAValue:
    """Integer keys whose ascending order is the order of the elements."""
    dtype = lowering.dtype(x)
    key = i64 if item_size(dtype) == 8 else i32
    if dtype == key and not descending:
        return x

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        value = s.widen(args[0])
        value = (
            _key_of_float(s, value) if is_float(dtype) else s.cast(value, dtype, key)
        )
        if descending:
            value = s.emit(arith.XOrIOp(value, s.constant(-1, key)))
        return [value]

    type_ = lowering.type(tensor_of(x).get_shape(), key)
    return lowering.pointwise([x], type_, body)


def _key_of_float(s: Scalars, x: SSAValue) -> SSAValue:
    """The bits of a float, converted from sign and magnitude to two's complement, with
    both zeros as 0 and every NaN as the largest integer."""
    key = i64 if item_size(x.type) == 8 else i32
    bits = s.emit(arith.BitcastOp(x, key))
    lowest, highest = (s.constant(v, key) for v in _limits(item_bits(key)))
    negative = s.compare("slt", bits, s.constant(0, key))
    bits = s.select(negative, s.emit(arith.SubiOp(lowest, bits)), bits)
    return s.select(s.is_nan(x), highest, bits)


def _limits(bits: int) -> tuple[int, int]:
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def elements_at(x: SSAValue, places: SSAValue, lowering: Lowering) -> SSAValue:
    """The elements at these indices of the last axis."""
    element, shape = tensor_of(x).element_type, tensor_of(places).get_shape()

    def pick(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        place = s.emit(arith.IndexCastOp(args[0], IndexType()))
        rows = (s.loop_index(d) for d in range(len(shape) - 1))
        return [s.extract(x, [*rows, place])]

    return lowering.pointwise([places], lowering.type(shape, element), pick)


def lower_kth_value(op: Operation, lowering: Lowering) -> Sequence[SSAValue]:
    """`linalg_ext.kth_value` on the CPU; elsewhere by a sort."""
    assert isinstance(op, nn.KthValueOp)
    keys = ascending_keys(op.operand, lowering)
    if not lowering.on_host:
        size = tensor_of(keys).get_shape()[-1]
        places = merged_places(keys, size, lowering)
        places = elements_at(places, held_ranks(op.ranks, size, lowering), lowering)
        return [elements_at(op.operand, places, lowering), places]
    size, count = (tensor_of(v).get_shape()[-1] for v in (keys, op.ranks))
    if size < LEAST_SEARCHED or count > MOST_SEARCHED:
        places = sorted_places(keys, size, lowering)
        places = elements_at(places, held_ranks(op.ranks, size, lowering), lowering)
    else:
        places = searched_places(keys, op.ranks, lowering)
    return [elements_at(op.operand, places, lowering), places]


def searched_places(keys: SSAValue, ranks: SSAValue, lowering: Lowering) -> SSAValue:
    """Indices of the elements of these ranks."""
    *rows, size = tensor_of(keys).get_shape()
    places, room = lowering.empty(tensor_of(ranks).get_shape(), i64), None
    if size >= LEAST_COLLECTED:
        room = lowering.empty(
            (*rows, size // COLLECTED + 1), tensor_of(keys).element_type
        )
    return append_order(KthValueOp(keys, ranks, places, room), lowering)


def held_ranks(ranks: SSAValue, size: int, lowering: Lowering) -> SSAValue:
    """Ranks clamped to the row."""

    def hold(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        least, most = (s.constant(v, i64) for v in (0, size - 1))
        return [s.minimum(s.maximum(args[0], least, i64), most, i64)]

    return lowering.pointwise([ranks], tensor_of(ranks), hold)


def wanted_of(op: nn.SortOp) -> int:
    """How many leading elements of a row its readers need; all if they need most of the
    row or the row is short."""
    size, ends = tensor_of(op.operand).get_shape()[-1], [0]
    for use in (use for result in op.results for use in result.uses):
        reader = use.operation
        if not isinstance(reader, SliceOp):
            return size
        start, count, step = (
            ints(a)[-1] for a in (reader.start, reader.size, reader.step)
        )
        ends.append(max(start, start + (count - 1) * step) + 1 if count else 0)
    count = max(ends)
    return count if 0 < count <= size // 2 and size >= LEAST_SEARCHED else size


LOWERINGS = {nn.KthValueOp: lower_kth_value, nn.SortOp: lower_sort}

NO_LOWERING: Mapping[type[Operation], str] = {}
