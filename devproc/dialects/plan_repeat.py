"""The caller's say between two calls of a native loop."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import OnAttr
from devproc.ir.devices import HOST
from devproc.ir.host.control import FIELDS
from devproc.ir.op_definition import op_definition

CONTROL = MemRefType(i64, [FIELDS], memory_space=OnAttr.get(HOST))
"""The type of a control block, `devproc.ir.host.control`."""


@op_definition
class FollowOp(IRDLOperation):
    """Tells the caller of repeated calls that one more is made; whether it wants another.

    It calls the function whose address is in the control block; true without one.

    `%on = plan.follow %control : memref<3xi64, #dev.on<"cpu">> -> i1`
    """

    name = "plan.follow"

    control = operand_def(MemRefType)
    result = result_def(i1)

    assembly_format = "$control attr-dict `:` type($control) `->` type($result)"

    def __init__(self, control: SSAValue):
        super().__init__(operands=[control], result_types=[i1])

    def verify_(self) -> None:
        if self.control.type != CONTROL:
            raise VerifyException(
                f"plan.follow takes a control block, {CONTROL}, got {self.control.type}"
            )
