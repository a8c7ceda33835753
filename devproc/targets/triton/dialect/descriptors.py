"""Tensor descriptors: tensors of which blocks are read as a whole, on Hopper by TMA.

NVIDIA's CUDA programming guide calls them tensor maps: a base address, a shape and strides,
with which the tensor memory accelerator copies a box of elements to shared memory. Elements
outside of the shape are zero, so that no mask is needed.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    eq,
    irdl_attr_definition,
    operand_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException

from devproc.ir.op_definition import op_definition
from devproc.ir.types import item_size
from devproc.targets.triton.dialect.types import (
    BLOCK,
    PtrType,
    element_of,
    shape_of,
    verify_block,
    verify_element,
    verify_shape,
)

MOST_DIMENSIONS = 5
"""Of a descriptor."""

DESCRIPTOR_BYTES = 16
"""A descriptor's address and its strides, all but the last, are multiples of this; the last
dimension of a block has at least as many bytes."""

LARGEST_BOX = 256
"""The elements of a block along each dimension."""


@irdl_attr_definition
class DescriptorType(ParametrizedAttribute, TypeAttribute):
    """A tensor in device memory that is read in blocks of this type:
    `!triton.descriptor<tensor<128x64xbf16>>`."""

    name = "triton.descriptor"

    block: Attribute = param_def()


@op_definition
class MakeDescriptorOp(IRDLOperation):
    """The descriptor of a tensor of this shape and these strides, in elements.

    `%d = triton.make_descriptor %x shape [100, 64] strides [64, 1]
        : !triton.ptr<bf16> -> !triton.descriptor<tensor<32x32xbf16>>`
    """

    name = "triton.make_descriptor"

    shape = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    pointer = operand_def(PtrType)
    result = result_def(DescriptorType)

    assembly_format = (
        "$pointer `shape` $shape `strides` $strides attr-dict"
        " `:` type($pointer) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        pointer, result = self.pointer.type, self.result.type
        assert isinstance(pointer, PtrType)
        assert isinstance(result, DescriptorType)
        verify_block("block", result.block)
        verify_element("block", result.block, pointer.pointee)
        block, strides = shape_of(result.block), self.strides.get_values()
        if not 1 <= len(block) == len(strides) == len(self.shape) <= MOST_DIMENSIONS:
            raise VerifyException(
                f"block, shape and strides must have one rank, at most {MOST_DIMENSIONS}"
            )
        problem = strides_problem(pointer.pointee, [int(n) for n in strides])
        problem = problem or box_problem(pointer.pointee, block)
        if problem is not None:
            raise VerifyException(problem)


def strides_problem(element: Attribute, strides: list[int]) -> str | None:
    """Why a descriptor cannot have these strides; None if it can."""
    *outer, last = strides
    if last != 1:
        return f"the last stride is {last}, not 1"
    size = item_size(element)
    for stride in outer:
        if stride <= 0 or stride * size % DESCRIPTOR_BYTES:
            return f"a stride of {stride * size} bytes is no multiple of 16"
    return None


def box_problem(element: Attribute, block: tuple[int, ...]) -> str | None:
    """Why a descriptor cannot read blocks of this shape; None if it can."""
    if max(block) > LARGEST_BOX:
        return f"a block of {list(block)} has a dimension of more than {LARGEST_BOX}"
    if block[-1] * item_size(element) < DESCRIPTOR_BYTES:
        return f"lines of {block[-1]} elements have less than {DESCRIPTOR_BYTES} bytes"
    return None


@op_definition
class LoadDescriptorOp(IRDLOperation):
    """The block from these indices on; elements outside of the tensor are zero.

    `%v = triton.load_descriptor %d[%i, %j : i32, i32]
        : !triton.descriptor<tensor<32x32xbf16>> -> tensor<32x32xbf16>`
    """

    name = "triton.load_descriptor"

    descriptor = operand_def(base(DescriptorType))
    indices = var_operand_def(eq(i32))
    result = result_def(BLOCK)

    assembly_format = (
        "$descriptor `[` $indices `:` type($indices) `]` attr-dict"
        " `:` type($descriptor) `->` type($result)"
    )

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        type_ = self.descriptor.type
        assert isinstance(type_, DescriptorType)
        shape = shape_of(type_.block)
        if len(self.indices) != len(shape):
            raise VerifyException(
                f"{len(self.indices)} indices of a descriptor of {len(shape)} dimensions"
            )
        verify_shape("result", self.result.type, shape)
        verify_element("result", self.result.type, element_of(type_.block))


OPS = [MakeDescriptorOp, LoadDescriptorOp]
