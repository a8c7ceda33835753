"""Structured ops that order elements along rows, the last dimension.

Rows hold signed integers and are ordered ascending and stably: of equal elements the
one with the lower index comes first. Results are zero-based indices within a row.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    prop_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.linalg_ext.sequential import SHAPED, shaped_type, tensor_types
from devproc.ir.directives import Int
from devproc.ir.op_definition import op_definition

FORMAT = "into` $places (`,` $room^)? attr-dict `:` functional-type(operands, results)"

RUNS_INTO = (
    "`into` $places `:` type($places) (`,` $elements^ `:` type($elements))?"
    " `run` custom<Int>($run)"
)


def _form(value: SSAValue) -> tuple[Attribute, tuple[int, ...]]:
    type_ = shaped_type(value)
    return type_.element_type, type_.get_shape()


def _outputs(places: SSAValue, room: SSAValue | None) -> list[SSAValue]:
    return [places] if room is None else [places, room]


def _require_rows(op: OrderOp, room: SSAValue | None = None) -> tuple[int, ...]:
    """The shape of the rows; verifies that on tensors each output has a result."""
    element, shape = _form(op.operand)
    if element not in (i32, i64) or not shape:
        raise VerifyException(f"{op.name} takes rows of i32 or i64")
    if [r.type for r in op.results] != tensor_types(_outputs(op.places, room)):
        raise VerifyException(f"{op.name} has a result for each tensor that it writes")
    return shape


@op_definition
class SortOp(IRDLOperation):
    """The indices that sort each row, all of them or the first ones (argsort).

    The optional workspace holds two copies of each row.

    ```mlir
    linalg_ext.sort %x into %i, %room
      : (memref<3x700xi32>, memref<3x700xi64>, memref<3x2x700xi64>) -> ()
    ```
    """

    name = "linalg_ext.sort"

    operand = operand_def(SHAPED)
    places = operand_def(SHAPED)
    room = opt_operand_def(SHAPED)
    result = var_result_def(TensorType)

    assembly_format = f"$operand `{FORMAT}"

    def __init__(self, operand: SSAValue, places: SSAValue, room: SSAValue | None):
        super().__init__(
            operands=[operand, places, room],
            result_types=[tensor_types(_outputs(places, room))],
        )

    def verify_(self) -> None:
        *rows, size = _require_rows(self, self.room)
        element, (*places, count) = _form(self.places)
        if element != i64 or places != rows or count > size:
            raise VerifyException(
                "linalg_ext.sort writes i64 indices, no more than elements"
            )
        if self.room and _form(self.room) != (i64, (*rows, 2, size)):
            raise VerifyException(
                "linalg_ext.sort needs workspace for two copies of each row in i64"
            )


@op_definition
class KthValueOp(IRDLOperation):
    """The indices of the k-th smallest elements of each row, k from 0.

    A row may have several ranks; a rank out of range is clamped. The optional workspace
    holds two or more elements for each row.

    ```mlir
    linalg_ext.kth_value %x at %k into %i, %room
      : (memref<3x700xi32>, memref<3x2xi64>, memref<3x2xi64>, memref<3x44xi32>) -> ()
    ```
    """

    name = "linalg_ext.kth_value"

    operand = operand_def(SHAPED)
    ranks = operand_def(SHAPED)
    places = operand_def(SHAPED)
    room = opt_operand_def(SHAPED)
    result = var_result_def(TensorType)

    assembly_format = f"$operand `at` $ranks `{FORMAT}"

    def __init__(
        self,
        operand: SSAValue,
        ranks: SSAValue,
        places: SSAValue,
        room: SSAValue | None,
    ):
        super().__init__(
            operands=[operand, ranks, places, room],
            result_types=[tensor_types(_outputs(places, room))],
        )

    def verify_(self) -> None:
        *rows, size = _require_rows(self, self.room)
        ranks = _form(self.ranks)
        if ranks != _form(self.places) or ranks != (i64, (*rows, *ranks[1][-1:])):
            raise VerifyException(
                "linalg_ext.kth_value writes an i64 index for each i64 rank of a row"
            )
        if not size:
            raise VerifyException("linalg_ext.kth_value needs an element in each row")
        if self.room:
            element, (*room, count) = _form(self.room)
            if (element, room) != (_form(self.operand)[0], rows) or count < 2:
                raise VerifyException(
                    "linalg_ext.kth_value needs workspace for 2 or more elements a row"
                )


@op_definition
class FirstPlacesOp(IRDLOperation):
    """The indices of the smallest elements of each row, up to the one whose index is
    given, in memory order. Their number is the size of the output's rows.

    ```mlir
    linalg_ext.first_places %x up_to %last into %i
      : (memref<3x700xi32>, memref<3x1xi64>, memref<3x100xi64>) -> ()
    ```
    """

    name = "linalg_ext.first_places"

    operand = operand_def(SHAPED)
    last = operand_def(SHAPED)
    places = operand_def(SHAPED)
    result = var_result_def(TensorType)

    assembly_format = (
        "$operand `up_to` $last `into` $places attr-dict"
        " `:` functional-type(operands, results)"
    )

    def __init__(self, operand: SSAValue, last: SSAValue, places: SSAValue):
        super().__init__(
            operands=[operand, last, places], result_types=[tensor_types([places])]
        )

    def verify_(self) -> None:
        *rows, size = _require_rows(self)
        element, (*places, count) = _form(self.places)
        if element != i64 or places != rows or not 0 < count <= size:
            raise VerifyException("linalg_ext.first_places writes i64 indices of a row")
        if _form(self.last) != (i64, (*rows, 1)):
            raise VerifyException(
                "linalg_ext.first_places needs an i64 index for each row"
            )


def kept_of_runs(size: int, run: int, first: int) -> int:
    """Elements that remain of a row of this size, if each run of it keeps its first ones;
    the last run may be shorter."""
    whole, rest = divmod(size, run)
    return whole * min(first, run) + min(first, rest)


@op_definition
class SortRunsOp(IRDLOperation):
    """Each run of `run` elements of a row in order, of which the first ones are kept: their
    indices in the row, and optionally the elements. The last run may be shorter.

    With `of`, an element of the row stands for the index that is given for it there.

    ```mlir
    linalg_ext.sort_runs %x : memref<3x5000xi32>
      into %i : memref<3x50xi32>, %y : memref<3x50xi32> run 1024 first 10
    ```
    """

    name = "linalg_ext.sort_runs"

    operand = operand_def(SHAPED)
    of = opt_operand_def(SHAPED)
    places = operand_def(SHAPED)
    elements = opt_operand_def(SHAPED)
    run = prop_def(IntegerAttr)
    first = prop_def(IntegerAttr)
    result = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        f"$operand `:` type($operand) (`of` $of^ `:` type($of))? {RUNS_INTO}"
        " `first` custom<Int>($first) (`->` type($result)^)? attr-dict"
    )

    custom_directives = (Int,)

    def __init__(
        self,
        operand: SSAValue,
        of: SSAValue | None,
        outputs: tuple[SSAValue, SSAValue | None],
        run: int,
        first: int,
    ):
        super().__init__(
            operands=[operand, of, *outputs],
            properties={"run": IntegerAttr(run, i64), "first": IntegerAttr(first, i64)},
            result_types=[tensor_types(_outputs(*outputs))],
        )

    def verify_(self) -> None:
        _require_runs(self, self.run.value.data)
        if self.of is not None:
            _require_places(self, self.of, _form(self.operand)[1])


@op_definition
class MergeRunsOp(IRDLOperation):
    """Merges each `ways` successive runs of a row, stably, and keeps their first elements.

    The row consists of sorted runs of `run` elements, the last of which may be shorter. An
    element stands for the index that is given for it; the results are these indices, and
    optionally the elements.

    ```mlir
    linalg_ext.merge_runs %x : memref<3x5000xi32> of %i : memref<3x5000xi32>
      into %j : memref<3x5000xi32>, %y : memref<3x5000xi32> run 1024 ways 4 first 4096
    ```
    """

    name = "linalg_ext.merge_runs"

    operand = operand_def(SHAPED)
    of = operand_def(SHAPED)
    places = operand_def(SHAPED)
    elements = opt_operand_def(SHAPED)
    run = prop_def(IntegerAttr)
    ways = prop_def(IntegerAttr)
    first = prop_def(IntegerAttr)
    result = var_result_def(TensorType)

    assembly_format = (
        f"$operand `:` type($operand) `of` $of `:` type($of) {RUNS_INTO}"
        " `ways` custom<Int>($ways) `first` custom<Int>($first)"
        " (`->` type($result)^)? attr-dict"
    )

    custom_directives = (Int,)

    def __init__(
        self,
        operand: SSAValue,
        of: SSAValue,
        outputs: tuple[SSAValue, SSAValue | None],
        run: int,
        ways: int,
        first: int,
    ):
        super().__init__(
            operands=[operand, of, *outputs],
            properties={
                "run": IntegerAttr(run, i64),
                "ways": IntegerAttr(ways, i64),
                "first": IntegerAttr(first, i64),
            },
            result_types=[tensor_types(_outputs(*outputs))],
        )

    def verify_(self) -> None:
        if self.ways.value.data < 2:
            raise VerifyException("linalg_ext.merge_runs merges two runs or more")
        _require_runs(self, self.run.value.data * self.ways.value.data)
        _require_places(self, self.of, _form(self.operand)[1])


def _require_runs(op: SortRunsOp | MergeRunsOp, run: int) -> None:
    """Verifies the outputs of an op that keeps the first elements of runs of this size."""
    *rows, size = _require_rows(op, op.elements)
    first = op.first.value.data
    if not 0 < first <= run:
        raise VerifyException(f"{op.name} keeps 1 to {run} elements of a run")
    kept = (*rows, kept_of_runs(size, run, first))
    _require_places(op, op.places, kept)
    if op.elements is not None and _form(op.elements) != (_form(op.operand)[0], kept):
        raise VerifyException(
            f"{op.name} writes elements as it reads, {kept[-1]} a row"
        )


def _require_places(
    op: SortRunsOp | MergeRunsOp, places: SSAValue, shape: tuple[int, ...]
) -> None:
    element, found = _form(places)
    if element not in (i32, i64) or found != shape:
        raise VerifyException(
            f"{op.name} needs i32 or i64 indices of the shape {list(shape)}"
        )


OrderOp: TypeAlias = SortOp | KthValueOp | FirstPlacesOp | SortRunsOp | MergeRunsOp
"""The ops of the family `sort`; the last operands are written, the others read."""
