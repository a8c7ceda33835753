"""The sums of a tile, term by term: one vector for each result of its nest.

Each vector covers the whole tile, with one element for each iteration of its parallel
loops; it is split into registers last. Long sums carry a total and its compensation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, cast

from xdsl.dialects.builtin import AnyFloatConstr, IndexType, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    RangeOf,
    RangeVarConstraint,
    VarConstraint,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.sched.tile import BoxOp
from devproc.ir.op_definition import op_definition

BOX = "$nest `at` ` ` `[` $at `]` `size` custom<Ints>($size)"


def verify_sums(op: BoxOp, sums: Sequence[SSAValue], terms: int | None = None) -> None:
    """Verify that each vector has an element for each iteration of the parallel loops
    of a subdomain, and that its reduction loops have `terms` iterations if given."""
    box = prod(op.sizes)
    for value in sums:
        type_ = cast("VectorType[Attribute]", value.type)
        count = prod(type_.get_shape())
        if box % count or terms not in (None, box // count):
            raise VerifyException(
                f"{op.name} @{op.nest_name}: {type_} does not hold the sums of a box of"
                f" {list(op.sizes)}"
            )


@op_definition
class StartOp(BoxOp):
    """The initial sums of a tile: the values of the fills, or loaded from memory.

    ```mlir
    %s = sched.start @n0 at [%column, %c0] size [64, 1000] : vector<64xf32>
    ```
    """

    name = "sched.start"

    sums = var_result_def(VectorType)

    assembly_format = f"{BOX} attr-dict `:` type($sums)"

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        super().verify_()
        verify_sums(self, self.sums)


@op_definition
class TermOp(BoxOp):
    """The sums of a tile after one more term: one iteration of each reduction loop.

    ```mlir
    %n = sched.term @n0 at [%column, %k] size [64, 1] to %s : vector<64xf32>
    ```
    """

    name = "sched.term"

    T: ClassVar = RangeVarConstraint("T", RangeOf(VectorType.constr(AnyAttr())))

    at = var_operand_def(IndexType)
    sums = var_operand_def(T)
    new = var_result_def(T)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = f"{BOX} `to` $sums attr-dict `:` type($sums)"

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        super().verify_()
        verify_sums(self, self.sums, terms=1)


@op_definition
class FinishOp(BoxOp):
    """The epilogue on the sums of a tile, and the store of its results.

    ```mlir
    sched.finish @n0 at [%column, %c0] size [64, 1000] of %t : vector<64xf32>
    ```
    """

    name = "sched.finish"

    at = var_operand_def(IndexType)
    sums = var_operand_def(VectorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = f"{BOX} `of` $sums attr-dict `:` type($sums)"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        super().verify_()
        verify_sums(self, self.sums)


@op_definition
class TwoSumOp(IRDLOperation):
    """Add the sum of a block to a total, and its rounding error to the compensation.

    Two-sum: Knuth, The Art of Computer Programming 2, 4.2.2.

    ```mlir
    %t, %l = sched.two_sum %total, %lost, %block : vector<64xf32>
    ```
    """

    name = "sched.two_sum"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyFloatConstr))

    total = operand_def(T)
    lost = operand_def(T)
    term = operand_def(T)
    new_total = result_def(T)
    new_lost = result_def(T)

    assembly_format = "$total `,` $lost `,` $term attr-dict `:` type($total)"

    traits = traits_def(Pure())

    def __init__(self, total: SSAValue, lost: SSAValue, term: SSAValue):
        super().__init__(
            operands=[total, lost, term], result_types=[total.type, total.type]
        )


@op_definition
class JoinOp(IRDLOperation):
    """A total plus its compensation; only the total if that is not finite.

    ```mlir
    %s = sched.join %total, %lost : vector<64xf32>
    ```
    """

    name = "sched.join"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyFloatConstr))

    total = operand_def(T)
    lost = operand_def(T)
    joined = result_def(T)

    assembly_format = "$total `,` $lost attr-dict `:` type($total)"

    traits = traits_def(Pure())

    def __init__(self, total: SSAValue, lost: SSAValue):
        super().__init__(operands=[total, lost], result_types=[total.type])
