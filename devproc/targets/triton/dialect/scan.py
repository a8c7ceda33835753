"""Scans along an axis of blocks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from devproc.ir.op_definition import op_definition
from devproc.targets.triton.dialect.types import BLOCK, I32, element_of, shape_of


@op_definition
class ScanOp(IRDLOperation):
    """An inclusive scan along an axis, by an associative region on scalars: the carried
    value, then the current element. Several blocks may be scanned together.

    ```mlir
    %r = triton.scan %x axis 1 {
    ^bb0(%before: f32, %here: f32):
      %sum = arith.addf %before, %here : f32
      triton.yield %sum : f32
    } : (tensor<4x64xf32>) -> tensor<4x64xf32>
    ```
    """

    name = "triton.scan"

    sources = var_operand_def(BLOCK)
    axis = prop_def(I32)
    body = region_def("single_block")
    result = var_result_def(BLOCK)

    assembly_format = (
        "$sources `axis` $axis $body attr-dict `:` functional-type(operands, results)"
    )

    traits = traits_def(Pure())

    def __init__(self, sources: Sequence[SSAValue], axis: int, body: Region):
        super().__init__(
            operands=[sources],
            properties={"axis": IntegerAttr(axis, i32)},
            regions=[body],
            result_types=[[value.type for value in sources]],
        )

    def verify_(self) -> None:
        types = [value.type for value in self.sources]
        if not types or [r.type for r in self.results] != types:
            raise VerifyException(
                "triton.scan has a result for each block, of its type"
            )
        shapes, axis = {shape_of(type_) for type_ in types}, self.axis.value.data
        if len(shapes) != 1 or not 0 <= axis < len(shape_of(types[0])):
            raise VerifyException(
                f"triton.scan along axis {axis} needs blocks of one shape with that axis"
            )
        block, elements = self.body.block, [element_of(type_) for type_ in types]
        last = block.last_op
        made = [v.type for v in last.operands] if isinstance(last, YieldOp) else []
        if [a.type for a in block.args] != elements * 2 or made != elements:
            raise VerifyException(
                "the region of triton.scan takes two elements of each block, and yields"
                " one"
            )


@op_definition
class YieldOp(IRDLOperation):
    """Terminates the region of a scan: `triton.yield %sum : f32`."""

    name = "triton.yield"

    values = var_operand_def()

    assembly_format = "$values attr-dict `:` type($values)"

    traits = traits_def(IsTerminator(), HasParent(ScanOp), Pure())


OPS = [ScanOp, YieldOp]
