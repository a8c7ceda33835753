"""The `bounds` dialect: the checks that a build with `check_bounds` adds to its kernels.

A check compares the elements that an access touches with the static size of the memref.
A check that fails records the number of its access in the violation table of the loaded
code, and the access is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I1,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import int_attr, int_of
from devproc.dialects.simd_casts import IntegerLike, vector_of, verify_lanes
from devproc.ir.directives import Int, Text
from devproc.ir.op_definition import op_definition

AnyMemRef = MemRefType[Attribute]


def element_count(memref: SSAValue) -> int:
    """The number of elements of a memref of static shape."""
    return prod(cast(AnyMemRef, memref.type).get_shape())


def _verify_access(
    op: Operation, memref: SSAValue, indices: Sequence[SSAValue]
) -> None:
    """Require a dense memref and one index for each of its dimensions."""
    type_ = cast(AnyMemRef, memref.type)
    if not type_.has_static_shape() or type_.get_strides() != type_.strides_for_shape(
        type_.get_shape()
    ):
        raise VerifyException(f"'{op.name}' needs a dense memref, got {type_}")
    if type_.get_num_dims() != len(indices):
        raise VerifyException(
            f"'{op.name}' needs {type_.get_num_dims()} indices for {type_}, "
            f"got {len(indices)}"
        )


@op_definition
class InsideOp(IRDLOperation):
    """Whether `lanes` consecutive elements starting at an index are within the memref.

    `access` is the number of the access, `op` the name of the op that performs it.

    ```mlir
    %ok = bounds.inside %x[%i, %j] lanes 16 access 3 op "vector.load" : memref<4x8xf32>
    ```
    """

    name = "bounds.inside"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    lanes = prop_def(IntegerAttr)
    access = prop_def(IntegerAttr)
    op = prop_def(StringAttr)
    result = result_def(I1)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$memref `[` $indices `]` `lanes` custom<Int>($lanes) `access`"
        " custom<Int>($access) `op` custom<Text>($op) attr-dict `:` type($memref)"
    )

    custom_directives = (Int, Text)

    def __init__(
        self,
        memref: SSAValue,
        indices: Sequence[SSAValue],
        lanes: int,
        access: int,
        op: str,
    ):
        super().__init__(
            operands=[memref, indices],
            properties={
                "lanes": int_attr(lanes),
                "access": int_attr(access),
                "op": StringAttr(op),
            },
            result_types=[i1],
        )

    @property
    def lane_count(self) -> int:
        """Elements that the access touches."""
        return int_of(self.lanes)

    def verify_(self) -> None:
        _verify_access(self, self.memref, self.indices)


@op_definition
class InsideLanesOp(IRDLOperation):
    """The lanes of a mask whose element is within the memref.

    Lane `l` accesses the element at `index + offsets[l]`. Only lanes that the mask sets
    are checked; a lane stays set if its element is in bounds.

    ```mlir
    %in = bounds.inside_lanes %x[%i] [%offsets], %mask access 4 op "simd.gather"
      : memref<32xf32>, vector<16xi32>, vector<16xi1>
    ```
    """

    name = "bounds.inside_lanes"

    M: ClassVar = VarConstraint("M", base(VectorType[I1]))
    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    offsets = operand_def(VectorType.constr(IntegerLike))
    mask = operand_def(M)
    access = prop_def(IntegerAttr)
    op = prop_def(StringAttr)
    result = result_def(M)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$memref `[` $indices `]` `[` $offsets `]` `,` $mask `access`"
        " custom<Int>($access) `op` custom<Text>($op) attr-dict `:`"
        " type($memref) `,` type($offsets) `,` type($mask)"
    )

    custom_directives = (Int, Text)

    def __init__(
        self,
        memref: SSAValue,
        indices: Sequence[SSAValue],
        offsets: SSAValue,
        mask: SSAValue,
        access: int,
        op: str,
    ):
        super().__init__(
            operands=[memref, indices, offsets, mask],
            properties={"access": int_attr(access), "op": StringAttr(op)},
            result_types=[mask.type],
        )

    @property
    def lane_count(self) -> int:
        """Elements that the access may touch."""
        return vector_of(self.mask).get_shape()[0]

    def verify_(self) -> None:
        _verify_access(self, self.memref, self.indices)
        verify_lanes(self, self.offsets, self.mask, self.result)


BOUNDS = Dialect("bounds", [InsideLanesOp, InsideOp])
