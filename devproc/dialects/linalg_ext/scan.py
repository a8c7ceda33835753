"""The structured op of scans, which carries values along an axis.

A `linalg.generic` cannot express it: where each iteration writes an element of its own,
no value is carried to the next iteration. The op follows MLIR's structured ops
otherwise (destination-passing style, a region that computes on single elements).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.linalg_ext.sequential import SHAPED, shaped_type, tensor_types
from devproc.ir.directives import Int
from devproc.ir.op_definition import op_definition
from devproc.ir.types import is_float, item_size


def _holds(wide: Attribute, element: Attribute) -> bool:
    """Whether a type is the element type, or a float type that holds its values."""
    if not is_float(element) or not is_float(wide):
        return wide == element
    return wide == element or item_size(wide) > item_size(element)


@op_definition
class ScanOp(IRDLOperation):
    """An inclusive scan: each element combined with all before it along an axis.

    One value is carried for each target: the combined value, stored to the first
    target, and optionally its index along the axis (i64), stored to the second. `start`
    is the neutral element. Floats are computed in the type of their start: extended
    when loaded, rounded when stored.

    The region combines the carried value with the current element. It must be
    associative: blocks may be scanned separately and then be combined.

    ```mlir
    linalg_ext.scan %x into %y axis 1 start [0.000000e+00 : f64] {
    ^bb0(%before: f64, %here: f64):
      %sum = arith.addf %before, %here : f64
      linalg.yield %sum : f64
    } : (memref<2x4xf32>, memref<2x4xf32>) -> ()
    ```
    """

    name = "linalg_ext.scan"

    operand = operand_def(SHAPED)
    outputs = var_operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    start = prop_def(ArrayAttr)
    body = region_def("single_block")
    result = var_result_def(TensorType)

    assembly_format = (
        "$operand `into` $outputs `axis` custom<Int>($axis) `start` $start $body"
        " attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    def __init__(
        self,
        operand: SSAValue,
        outputs: Sequence[SSAValue],
        axis: int,
        starts: Sequence[FloatAttr | IntegerAttr],
        body: Region,
    ):
        super().__init__(
            operands=[operand, outputs],
            properties={"axis": IntegerAttr(axis, i64), "start": ArrayAttr(starts)},
            regions=[body],
            result_types=[tensor_types(outputs)],
        )

    @property
    def starts(self) -> Sequence[FloatAttr | IntegerAttr]:
        """The value carried to the first element."""
        return cast("ArrayAttr[FloatAttr | IntegerAttr]", self.start).data

    def verify_(self) -> None:
        types = _require_outputs(self)
        _require_region_and_results(self, types)


@op_definition
class ScanTotalsOp(IRDLOperation):
    """What the elements of each part of an axis combine to, with what is carried (see
    `linalg_ext.scan`): a part has `size` elements, and the last one, which may be shorter,
    has no total.

    ```mlir
    linalg_ext.scan_totals %x into %t axis 1 size 1024 start [0.000000e+00 : f64] {
    ^bb0(%before: f64, %here: f64):
      %sum = arith.addf %before, %here : f64
      linalg.yield %sum : f64
    } : (memref<2x5000xf32>, memref<2x4xf64>) -> ()
    ```
    """

    name = "linalg_ext.scan_totals"

    operand = operand_def(SHAPED)
    outputs = var_operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    size = prop_def(IntegerAttr)
    start = prop_def(ArrayAttr)
    body = region_def("single_block")
    result = var_result_def(TensorType)

    assembly_format = (
        "$operand `into` $outputs `axis` custom<Int>($axis) `size` custom<Int>($size)"
        " `start` $start $body attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    def __init__(
        self,
        operand: SSAValue,
        outputs: Sequence[SSAValue],
        axis: int,
        size: int,
        starts: Sequence[FloatAttr | IntegerAttr],
        body: Region,
    ):
        super().__init__(
            operands=[operand, outputs],
            properties=_properties(axis, size, starts),
            result_types=[tensor_types(outputs)],
            regions=[body],
        )

    @property
    def starts(self) -> Sequence[FloatAttr | IntegerAttr]:
        """The value carried to the first element."""
        return cast("ArrayAttr[FloatAttr | IntegerAttr]", self.start).data

    def verify_(self) -> None:
        _require_totals(self, self.outputs)


@op_definition
class ScanPartsOp(IRDLOperation):
    """A scan (see `linalg_ext.scan`) whose parts of `size` elements are independent: each
    begins with what the totals of the parts before it combine to
    (`linalg_ext.scan_totals`).

    ```mlir
    linalg_ext.scan_parts %x : memref<2x5000xf32> after %t : memref<2x4xf64>
      into %y : memref<2x5000xf32> axis 1 size 1024 start [0.000000e+00 : f64] {
    ^bb0(%before: f64, %here: f64):
      %sum = arith.addf %before, %here : f64
      linalg.yield %sum : f64
    }
    ```
    """

    name = "linalg_ext.scan_parts"

    operand = operand_def(SHAPED)
    totals = var_operand_def(SHAPED)
    outputs = var_operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    size = prop_def(IntegerAttr)
    start = prop_def(ArrayAttr)
    body = region_def("single_block")
    result = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "$operand `:` type($operand) `after` $totals `:` type($totals)"
        " `into` $outputs `:` type($outputs) `axis` custom<Int>($axis)"
        " `size` custom<Int>($size) `start` $start $body (`->` type($result)^)? attr-dict"
    )

    custom_directives = (Int,)

    def __init__(
        self,
        operand: SSAValue,
        totals: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        axis: int,
        size: int,
        starts: Sequence[FloatAttr | IntegerAttr],
        body: Region,
    ):
        super().__init__(
            operands=[operand, totals, outputs],
            properties=_properties(axis, size, starts),
            result_types=[tensor_types(outputs)],
            regions=[body],
        )

    @property
    def starts(self) -> Sequence[FloatAttr | IntegerAttr]:
        """The value carried to the first element."""
        return cast("ArrayAttr[FloatAttr | IntegerAttr]", self.start).data

    def verify_(self) -> None:
        _require_outputs(self)
        _require_totals(self, self.totals)


AnyScanOp: TypeAlias = ScanOp | ScanTotalsOp | ScanPartsOp
"""The ops of the family `scan`."""


def _properties(
    axis: int, size: int, starts: Sequence[FloatAttr | IntegerAttr]
) -> dict[str, Attribute]:
    return {
        "axis": IntegerAttr(axis, i64),
        "size": IntegerAttr(size, i64),
        "start": ArrayAttr(starts),
    }


def _require_outputs(op: ScanOp | ScanPartsOp) -> list[Attribute]:
    """Verifies axis, targets and starts of a scan; returns the types of what is carried."""
    type_ = shaped_type(op.operand)
    element, shape = type_.element_type, type_.get_shape()
    written = [
        (shaped_type(v).element_type, shaped_type(v).get_shape()) for v in op.outputs
    ]
    if written not in ([(element, shape)], [(element, shape), (i64, shape)]):
        raise VerifyException(
            f"{op.name} writes an element, and optionally an i64 index"
        )
    if not 0 <= op.axis.value.data < len(shape):
        raise VerifyException(
            f"{op.name} needs an axis, got {op.axis.value.data} of {len(shape)}"
        )
    types: list[Attribute] = [number.type for number in op.starts]
    wanted = [element, *(e for e, _ in written[1:])]
    if len(types) != len(wanted) or not all(map(_holds, types, wanted)):
        raise VerifyException(
            f"{op.name} starts with a number for each target, of its type or wider"
        )
    return types


def _require_totals(op: ScanTotalsOp | ScanPartsOp, totals: Sequence[SSAValue]) -> None:
    """Verifies what is carried, and its totals of all parts but the last one."""
    shape, axis = list(shaped_type(op.operand).get_shape()), op.axis.value.data
    size = op.size.value.data
    if not 0 <= axis < len(shape) or not 0 < size < shape[axis]:
        raise VerifyException(f"{op.name} needs an axis of more than one part")
    shape[axis] = -(-shape[axis] // size) - 1
    types: list[Attribute] = [number.type for number in op.starts]
    found = [
        (shaped_type(v).element_type, [*shaped_type(v).get_shape()]) for v in totals
    ]
    if not types or found != [(type_, shape) for type_ in types]:
        raise VerifyException(
            f"{op.name} needs totals of the shape {shape}, one of each number's type"
        )
    _require_region_and_results(op, types)


def _require_region_and_results(op: AnyScanOp, types: Sequence[Attribute]) -> None:
    if [r.type for r in op.results] != tensor_types(op.outputs):
        raise VerifyException(f"{op.name} has a result for each tensor that it writes")
    block = op.body.block
    last = block.last_op
    given = [v.type for v in last.operands] if isinstance(last, YieldOp) else []
    if [a.type for a in block.args] != [*types, *types] or given != list(types):
        raise VerifyException(
            f"the region of {op.name} takes what came before and what is there, and"
            f" yields one {' and one '.join(map(str, types))}"
        )
