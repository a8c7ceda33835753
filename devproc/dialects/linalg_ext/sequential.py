"""Structured ops whose iterations depend on each other through the data.

A `linalg.generic` cannot express them: where an iteration writes depends on the data.
They follow MLIR's structured ops otherwise (destination-passing style, a region that
computes on single elements), as those of IREE's `linalg_ext` do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    f32,
    i64,
)
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from devproc.ir.directives import Int
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyMemRef, AnyTensor

SHAPED = BaseAttr(TensorType) | BaseAttr(MemRefType)


def tensor_types(values: Sequence[SSAValue]) -> list[Attribute]:
    """The types of the values that are tensors."""
    types: list[Attribute] = [v.type for v in values]
    return [t for t in types if isinstance(t, TensorType)]


def shaped_type(value: SSAValue) -> AnyTensor | AnyMemRef:
    """The type of a tensor or memref."""
    return cast("AnyTensor | AnyMemRef", value.type)


def _require_results(op: IRDLOperation, targets: Sequence[SSAValue]) -> None:
    """Verify that each tensor target has a result, and that memrefs have none."""
    if [r.type for r in op.results] != tensor_types(targets):
        raise VerifyException(f"{op.name} has a result for each tensor that it writes")


def _require_body(
    op: IRDLOperation,
    block: Block,
    arguments: Sequence[Attribute],
    yielded: Attribute,
) -> None:
    """Verify that the region takes these element types and yields this one."""
    last = block.last_op
    if [a.type for a in block.args] != list(arguments):
        raise VerifyException(f"the region of {op.name} takes two elements")
    if not isinstance(last, YieldOp) or [v.type for v in last.operands] != [yielded]:
        raise VerifyException(f"the region of {op.name} must yield one {yielded}")


@op_definition
class ScatterOp(IRDLOperation):
    """Updates written in order to computed indices along one axis of a tensor.

    For each p: target[q] becomes region(updates[p], target[q]), where q is p with
    index[p] in the axis. Index and updates broadcast against the target outside of the
    axis; an index out of range updates nothing.

    ```mlir
    linalg_ext.scatter %u at %i into %t axis 0 {
    ^bb0(%new: f32, %old: f32):
      %sum = arith.addf %old, %new : f32
      linalg.yield %sum : f32
    } : (memref<2x4xf32>, memref<2x1xi64>, memref<9x4xf32>) -> ()
    ```
    """

    name = "linalg_ext.scatter"

    updates = operand_def(SHAPED)
    index = operand_def(SHAPED)
    target = operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    body = region_def("single_block")
    result = var_result_def(TensorType)

    assembly_format = (
        "$updates `at` $index `into` $target `axis` custom<Int>($axis) $body attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    def __init__(
        self,
        updates: SSAValue,
        index: SSAValue,
        target: SSAValue,
        axis: int,
        body: Region,
    ):
        super().__init__(
            operands=[updates, index, target],
            properties={"axis": IntegerAttr(axis, i64)},
            regions=[body],
            result_types=[tensor_types([target])],
        )

    @property
    def loop_sizes(self) -> tuple[int, ...]:
        """Loop sizes: the target's shape, with the updates' size along the axis."""
        sizes = list(shaped_type(self.target).get_shape())
        axis = self.axis.value.data
        sizes[axis] = shaped_type(self.index).get_shape()[axis]
        return tuple(sizes)

    def verify_(self) -> None:
        updates, index, target = (
            shaped_type(v) for v in (self.updates, self.index, self.target)
        )
        rank, axis = target.get_num_dims(), self.axis.value.data
        if not isinstance(index.element_type, IntegerType) or not 0 <= axis < rank:
            raise VerifyException(
                "linalg_ext.scatter needs an integer index and an axis"
            )
        if {updates.get_num_dims(), index.get_num_dims()} != {rank} or any(
            have not in (1, size)
            for type_ in (updates, index)
            for have, size in zip(type_.get_shape(), self.loop_sizes, strict=True)
        ):
            raise VerifyException("updates and index must broadcast to the target")
        element = target.element_type
        _require_results(self, [self.target])
        _require_body(self, self.body.block, [element] * 2, element)


@op_definition
class ScatterSortedOp(IRDLOperation):
    """A scatter (see `linalg_ext.scatter`) whose updates are sorted by their index: each
    element is combined with its own updates, in order, and all elements are independent.

    `index` holds the indices of each row in ascending order, `places` the updates that they
    belong to. Both have the axis as their last dimension. An index out of range updates
    nothing. The body takes the update, then the element.

    ```mlir
    linalg_ext.scatter_sorted %u, %x at %i, %p into %y axis 0 {
    ^bb0(%new: f32, %old: f32):
      %sum = arith.addf %old, %new : f32
      linalg.yield %sum : f32
    } : (memref<50x4xf32>, memref<9x4xf32>, memref<1x50xi32>, memref<1x50xi64>, memref<9x4xf32>) -> ()
    ```
    """

    name = "linalg_ext.scatter_sorted"

    updates = operand_def(SHAPED)
    operand = operand_def(SHAPED)
    index = operand_def(SHAPED)
    places = operand_def(SHAPED)
    target = operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    body = region_def("single_block")
    result = var_result_def(TensorType)

    assembly_format = (
        "$updates `,` $operand `at` $index `,` $places `into` $target"
        " `axis` custom<Int>($axis) $body attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    def __init__(
        self, inputs: Sequence[SSAValue], target: SSAValue, axis: int, body: Region
    ):
        super().__init__(
            operands=[*inputs, target],
            properties={"axis": IntegerAttr(axis, i64)},
            regions=[body],
            result_types=[tensor_types([target])],
        )

    @property
    def outputs(self) -> list[SSAValue]:
        """The value that the op writes."""
        return [self.target]

    def verify_(self) -> None:
        index, places = shaped_type(self.index), shaped_type(self.places)
        if index.get_shape() != places.get_shape() or not all(
            isinstance(t.element_type, IntegerType) for t in (index, places)
        ):
            raise VerifyException(f"{self.name} needs a place for each integer index")
        _require_fit(self)
        element = shaped_type(self.target).element_type
        _require_results(self, [self.target])
        _require_body(self, self.body.block, [element] * 2, element)


def _require_fit(op: ScatterSortedOp) -> None:
    """Verifies that updates and index broadcast to the target outside of the axis."""
    shape, axis = list(shaped_type(op.target).get_shape()), op.axis.value.data
    if shaped_type(op.operand).get_shape() != tuple(shape) or not (
        0 <= axis < len(shape)
    ):
        raise VerifyException(f"{op.name} needs an axis, and a target as its operand")
    *rows, count = shaped_type(op.index).get_shape()
    rows.insert(axis, count)
    shape[axis] = count
    for sizes in (rows, shaped_type(op.updates).get_shape()):
        if len(sizes) != len(shape) or any(
            have not in (1, size) for have, size in zip(sizes, shape, strict=True)
        ):
            raise VerifyException("updates and index must broadcast to the target")


@op_definition
class NmsOp(IRDLOperation):
    """The boxes that non-maximum suppression keeps (see `nn.nms`): indices and count.

    Targets are these two and workspace: the keys of the candidates, and of each box
    kept so far five numbers (corners and area) and the class. A box is dropped if it
    overlaps a kept box of its class by more than `overlap`; a candidate's score exceeds
    `score`. With `iom` 1 the overlap is relative to the smaller box, else to the union.

    ```mlir
    linalg_ext.nms %boxes, %scores into %i, %n, %keys, %kept, %classes
      overlap 5.000000e-01 : f32 score 0.000000e+00 : f32 agnostic 0
      : (memref<2x9x1x4xf32>, memref<2x27xf32>, memref<2x8xi64>, memref<2xi64>,
         memref<2x27xi64>, memref<2x5x16xf32>, memref<2x16xi64>) -> ()
    ```
    """

    name = "linalg_ext.nms"

    boxes = operand_def(SHAPED)
    scores = operand_def(SHAPED)
    classes = opt_operand_def(SHAPED)
    indices = operand_def(SHAPED)
    count = operand_def(SHAPED)
    keys = operand_def(SHAPED)
    kept = operand_def(SHAPED)
    kept_classes = operand_def(SHAPED)
    overlap = prop_def(FloatAttr)
    score = prop_def(FloatAttr)
    agnostic = prop_def(IntegerAttr)
    iom = opt_prop_def(IntegerAttr)
    result = var_result_def(TensorType)

    assembly_format = (
        "$boxes `,` $scores (`classes` $classes^)? `into` $indices `,` $count `,` $keys"
        " `,` $kept `,` $kept_classes `overlap` $overlap `score` $score"
        " `agnostic` custom<Int>($agnostic) (`iom` $iom^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        classes: SSAValue | None,
        outputs: Sequence[SSAValue],
        thresholds: tuple[float, float],
        agnostic: bool,
        iom: IntegerAttr | None = None,
    ):
        super().__init__(
            operands=[*inputs, classes, *outputs],
            properties={
                "overlap": FloatAttr(thresholds[0], f32),
                "score": FloatAttr(thresholds[1], f32),
                "agnostic": IntegerAttr(int(agnostic), i64),
                "iom": iom,
            },
            result_types=[tensor_types(outputs)],
        )

    @property
    def outputs(self) -> list[SSAValue]:
        """The values that the op writes."""
        return list(self.operands)[-5:]

    def verify_(self) -> None:
        types = map(shaped_type, self.outputs)
        if [(t.element_type, t.get_shape()) for t in types] != _nms_targets(self):
            raise VerifyException(
                "linalg_ext.nms writes indices and counts, and needs workspace for all"
                " candidates and the kept boxes"
            )
        _require_results(self, self.outputs)


def _nms_targets(op: NmsOp) -> list[tuple[Attribute, tuple[int, ...]]]:
    """Element types and shapes of the targets of an op."""
    images, total = shaped_type(op.scores).get_shape()
    most, padded = (shaped_type(v).get_shape()[-1] for v in (op.indices, op.kept))
    return [
        (i64, (images, most)),
        (i64, (images,)),
        (i64, (images, total)),
        (f32, (images, 5, max(most, padded))),
        (i64, (images, padded)),
    ]
