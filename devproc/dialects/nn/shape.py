"""Ops that move elements without arithmetic, by index maps known at compile time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import Layout
from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    broadcast_shapes,
    describe,
    int_array,
    int_attr,
    int_of,
    ints,
    require,
    require_same_dtype,
)
from devproc.ir.directives import Int, Ints
from devproc.ir.dtypes import element_count, format_shape
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor, tensor_of


@op_definition
class ReshapeOp(NNOp):
    """The same elements, row-major, in another shape (`aten.reshape`).

    `%r = nn.reshape %x to [6] : (tensor<2x3xf32>) -> tensor<6xf32>`
    A primitive because it only renames indices and moves no element.
    """

    name = "nn.reshape"

    operand = operand_def(TensorType)
    shape = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = "$operand `to` custom<Ints>($shape) attr-dict `:` functional-type(operands, results)"

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = ints(properties["shape"])
        require(all(d >= 0 for d in shape), f"negative size in {format_shape(shape)}")
        require(
            element_count(shape) == element_count(operands[0].get_shape()),
            f"{describe(operands[0])} does not reshape to {format_shape(shape)}",
        )
        return [tensor(operands[0].element_type, shape)]

    @classmethod
    def to(cls, operand: SSAValue, shape: Sequence[int]) -> ReshapeOp:
        """`operand` in this shape."""
        return cls.build_op([operand], {"shape": int_array(shape)})


@op_definition
class TransposeOp(NNOp):
    """Permuted dimensions: result dimension i is operand dimension permutation[i]
    (`aten.permute`).

    `%r = nn.transpose %x by [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>`
    A primitive because a gather would load indices that are known at compile time.
    """

    name = "nn.transpose"

    operand = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = "$operand `by` custom<Ints>($permutation) attr-dict `:` functional-type(operands, results)"

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape, permutation = operands[0].get_shape(), ints(properties["permutation"])
        require(
            sorted(permutation) == list(range(len(shape))),
            f"{list(permutation)} is not a permutation of {len(shape)} dimensions",
        )
        return [tensor(operands[0].element_type, [shape[d] for d in permutation])]

    @classmethod
    def by(cls, operand: SSAValue, permutation: Sequence[int]) -> TransposeOp:
        """`operand` with its dimensions in this order."""
        return cls.build_op([operand], {"permutation": int_array(permutation)})


@op_definition
class PadOp(NNOp):
    """Zeros, or one value, before and after each dimension (`aten.constant_pad_nd`).

    `%r = nn.pad %x low [0, 1] high [0, 2] : (tensor<2x3xf32>) -> tensor<2x6xf32>`
    A primitive because no other op extends a tensor at its edges.
    """

    name = "nn.pad"

    operand = operand_def(TensorType)
    value = opt_operand_def(TensorType)
    low = prop_def(DenseArrayBase)
    high = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = (
        "$operand (`with` $value^)? `low` custom<Ints>($low) `high` custom<Ints>($high)"
        " attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = operands[0].get_shape()
        low, high = ints(properties["low"]), ints(properties["high"])
        require(
            len(low) == len(high) == len(shape),
            f"padding needs {len(shape)} values on each side",
        )
        sizes = [a + s + b for a, s, b in zip(low, shape, high, strict=True)]
        require(
            min((*low, *high), default=0) >= 0 and min(sizes, default=0) >= 0,
            f"padding must not be negative, got {list(low)} and {list(high)}",
        )
        require_same_dtype("nn.pad", operands)
        for value in operands[1:]:
            require(
                value.get_num_dims() == 0,
                f"nn.pad with {describe(value)}: not a number",
            )
        return [tensor(operands[0].element_type, sizes)]

    @classmethod
    def around(
        cls,
        operand: SSAValue,
        low: Sequence[int],
        high: Sequence[int],
        value: SSAValue | None = None,
    ) -> PadOp:
        """`operand` with `low` zeros (or values) before and `high` after each dimension."""
        operands = [operand] if value is None else [operand, value]
        return cls.build_op(operands, {"low": int_array(low), "high": int_array(high)})


@op_definition
class PackOp(NNOp):
    """Stores a weight, or integers with their scales and zero points, in a layout, as a
    row-major tensor of the physical shape; see the class of the layout. Only in `@prepare`.

    ```mlir
    %r = nn.pack %w as #dev.layout<[0, 1], [16, 1]> : (tensor<30x8xf32>) -> tensor<2x8x16xf32>
    %s = nn.pack %f as #dev.winograd<4, 16> : (tensor<3x3x8x32xf32>) -> tensor<2x8x9x16xf32>
    ```
    """

    name = "nn.pack"

    operand = operand_def(TensorType)
    groups = var_operand_def(TensorType)
    layout = prop_def(BaseAttr(Layout))
    result = result_def(TensorType)

    assembly_format = "$operand (`by` $groups^)? `as` $layout attr-dict `:` functional-type(operands, results)"

    traits = traits_def(Pure())

    @classmethod
    def into(cls, operand: SSAValue, layout: Layout, *groups: SSAValue) -> Self:
        """`operand` stored in this layout, with the scales and zero points of groups."""
        return cls.build_op([operand, *groups], {"layout": layout})

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        layout = properties["layout"]
        assert isinstance(layout, Layout)
        weight = layout.logical(operands)
        if misfit := layout.misfit(weight):
            raise VerifyException(f"{describe(weight)} {misfit}")
        return [tensor(weight.element_type, layout.physical_shape(weight.get_shape()))]


@op_definition
class ExpandOp(NNOp):
    """Broadcasts dimensions of size 1, and adds leading dimensions (`aten.expand`).

    `%r = nn.expand %x to [4, 2, 3] : (tensor<2x1xf32>) -> tensor<4x2x3xf32>`
    A primitive because it repeats elements without arithmetic; when fused, it is free.
    """

    name = "nn.expand"

    operand = operand_def(TensorType)
    shape = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = "$operand `to` custom<Ints>($shape) attr-dict `:` functional-type(operands, results)"

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = ints(properties["shape"])
        require(all(d >= 0 for d in shape), f"negative size in {format_shape(shape)}")
        old = operands[0].get_shape()
        require(
            len(old) <= len(shape) and broadcast_shapes([old, shape]) == shape,
            f"{describe(operands[0])} does not expand to {format_shape(shape)}",
        )
        return [tensor(operands[0].element_type, shape)]

    @classmethod
    def to(cls, operand: SSAValue, shape: Sequence[int]) -> ExpandOp:
        """`operand` repeated to this shape."""
        return cls.build_op([operand], {"shape": int_array(shape)})


def _require_inside(
    x: AnyTensor, start: Sequence[int], size: Sequence[int], step: Sequence[int]
) -> None:
    """Require that a slice is within its tensor."""
    require(0 not in step, "the step of a slice must not be 0")
    places = zip(x.get_shape(), start, size, step, strict=True)
    for axis, (whole, first, count, by) in enumerate(places):
        last = first + (count - 1) * by
        require(
            count == 0 or (0 <= first < whole and 0 <= last < whole),
            f"the slice reaches from {first} to {last} in axis {axis} of {describe(x)}",
        )


@op_definition
class SliceOp(NNOp):
    """result[i] = operand[start + i * step] in each dimension (`aten.slice`,
    `aten.flip`): a step may be negative, and is never 0.

    ```mlir
    %r = nn.slice %x from [0, 4] size [2, 3] step [1, -2] : (tensor<2x5xf32>) -> tensor<2x3xf32>
    ```
    A primitive because a gather would load indices that are known at compile time.
    """

    name = "nn.slice"

    operand = operand_def(TensorType)
    start = prop_def(DenseArrayBase)
    size = prop_def(DenseArrayBase)
    step = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `from` custom<Ints>($start) `size` custom<Ints>($size)"
        " `step` custom<Ints>($step) attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = operands[0].get_shape()
        start, size, step = (ints(properties[k]) for k in ("start", "size", "step"))
        require(
            len(start) == len(size) == len(step) == len(shape),
            f"a slice of {describe(operands[0])} needs {len(shape)} starts, sizes and "
            "steps",
        )
        require(all(n >= 0 for n in size), f"negative size in {format_shape(size)}")
        _require_inside(operands[0], start, size, step)
        return [tensor(operands[0].element_type, size)]

    @classmethod
    def along(
        cls, operand: SSAValue, axis: int, start: int, size: int, step: int = 1
    ) -> SliceOp:
        """A slice of one axis."""
        sizes = list(tensor_of(operand).get_shape())
        starts, steps = [0] * len(sizes), [1] * len(sizes)
        starts[axis], sizes[axis], steps[axis] = start, size, step
        return cls.of(operand, starts, sizes, steps)

    @classmethod
    def of(
        cls,
        operand: SSAValue,
        start: Sequence[int],
        size: Sequence[int],
        step: Sequence[int],
    ) -> SliceOp:
        """`size` elements of each axis, from `start` on."""
        values = [int_array(v) for v in (start, size, step)]
        names = ("start", "size", "step")
        return cls.build_op([operand], dict(zip(names, values, strict=True)))


@op_definition
class ConcatOp(NNOp):
    """Concatenation of tensors along an axis (`aten.cat`).

    ```mlir
    %r = nn.concat %a, %b axis 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
    ```
    A primitive because sums of padded parts would write each element many times.
    """

    name = "nn.concat"

    parts = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = "$parts `axis` custom<Int>($axis) attr-dict `:` functional-type(operands, results)"

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require(len(operands) > 0, "nn.concat needs at least one tensor")
        require_same_dtype("nn.concat", operands)
        shape, axis = list(operands[0].get_shape()), int_of(properties["axis"])
        require(
            0 <= axis < len(shape), f"axis {axis} is out of range for rank {len(shape)}"
        )
        for other in operands[1:]:
            sizes = list(other.get_shape())
            require(
                len(sizes) == len(shape)
                and all(
                    a == b or d == axis
                    for d, (a, b) in enumerate(zip(sizes, shape, strict=True))
                ),
                f"{describe(operands[0])} and {describe(other)} do not join along "
                f"axis {axis}",
            )
        shape[axis] = sum(t.get_shape()[axis] for t in operands)
        return [tensor(operands[0].element_type, shape)]

    @classmethod
    def along(cls, parts: Sequence[SSAValue], axis: int) -> ConcatOp:
        """The concatenation of `parts`."""
        return cls.build_op(parts, {"axis": int_attr(axis)})


OPS: Sequence[type[IRDLOperation]] = (
    ConcatOp,
    ExpandOp,
    PackOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
