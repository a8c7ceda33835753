"""Ops that load and store elements at computed indices.

No index ever accesses memory out of bounds. Each op defines its result for such an
index; PyTorch raises an error there, as does a program with checks (see `checks`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

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
from devproc.ir.directives import Int, Ints, Text
from devproc.ir.dtypes import element_count
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, is_bool, tensor

INDEX_DTYPES = (DTYPES["int32"], DTYPES["int64"])

SCATTER_MODES = ("set", "add", "mul", "max", "min")
"""How an element is combined with an update of it."""


def _require_index(index: AnyTensor, rank: int) -> None:
    require(
        index.element_type in INDEX_DTYPES,
        f"an index must be int32 or int64, got {describe(index)}",
    )
    require(
        index.get_num_dims() == rank,
        f"an index must have rank {rank} as the tensor has, got {describe(index)}",
    )


def _require_fit(updates: AnyTensor, index: AnyTensor, x: AnyTensor, axis: int) -> None:
    """Require that updates and index broadcast to the tensor outside of the axis."""
    require(
        updates.get_num_dims() == x.get_num_dims()
        and all(
            u == i if d == axis else u in (1, size) and i in (1, size)
            for d, (u, i, size) in enumerate(
                zip(updates.get_shape(), index.get_shape(), x.get_shape(), strict=True)
            )
        ),
        f"updates {describe(updates)} at {describe(index)} do not fit "
        f"{describe(x)} along axis {axis}",
    )
    require(
        element_count(index.get_shape()) > 0 or element_count(x.get_shape()) == 0,
        "nn.scatter needs at least one update",
    )


@op_definition
class GatherOp(NNOp):
    """Elements at computed indices: result[p] = operand[q], where q[a] = index_a[p] for
    the axes that have an index and q[d] = p[d] for the others (`aten.gather`,
    `aten.index_select`, `aten.embedding`, `aten.index`).

    A primitive because its indices are data, which no affine map of a loop can express.

    Indices broadcast against each other and, outside of their axes, against the
    operand. A negative index counts from the end; indices are then clamped.

    ```mlir
    %r = nn.gather %x at %i axes [0] : (tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
    ```
    """

    name = "nn.gather"

    operand = operand_def(TensorType)
    indices = var_operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `at` $indices `axes` custom<Ints>($axes) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, *indices = operands
        shape, axes = list(x.get_shape()), ints(properties["axes"])
        require(
            0 < len(axes) == len(indices) and len(set(axes)) == len(axes),
            f"nn.gather needs one index for each axis, got {len(indices)} for "
            f"{list(axes)}",
        )
        require(
            all(0 <= axis < len(shape) for axis in axes),
            f"axes {list(axes)} are out of range for rank {len(shape)}",
        )
        for index in indices:
            _require_index(index, len(shape))
        kept = [1 if d in axes else size for d, size in enumerate(shape)]
        result = broadcast_shapes([kept, *(i.get_shape() for i in indices)])
        require(
            0 not in shape or 0 in result,
            f"cannot gather from an empty axis of {describe(x)}",
        )
        return [tensor(x.element_type, result)]

    @classmethod
    def at(
        cls, operand: SSAValue, indices: Sequence[SSAValue], axes: Sequence[int]
    ) -> GatherOp:
        """The elements of `operand` at these indices along these axes."""
        return cls.build_op([operand, *indices], {"axes": int_array(axes)})


@op_definition
class ScatterOp(NNOp):
    """The operand with updates written to computed indices along one axis: for each p,
    in order, result[q] becomes updates[p], or the sum, product, maximum or minimum of
    both, where q is p with index[p] in the axis (`aten.scatter`, `aten.index_put`).

    A primitive because its indices are data, and writes to one element must be ordered.

    With `set`, the last of several updates to one index wins. Index and updates
    broadcast against each other and against the operand outside of the axis. An index
    out of range, including a negative one, updates nothing.

    ```mlir
    %r = nn.scatter %u into %x at %i axis 0 mode "add"
       : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<9x4xf32>
    ```
    """

    name = "nn.scatter"

    updates = operand_def(TensorType)
    operand = operand_def(TensorType)
    index = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    mode = prop_def(StringAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$updates `into` $operand `at` $index `axis` custom<Int>($axis)"
        " `mode` custom<Text>($mode) attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Int, Text)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        updates, x, index = operands
        shape, axis = x.get_shape(), int_of(properties["axis"])
        mode = properties["mode"]
        assert isinstance(mode, StringAttr)
        require(
            mode.data in SCATTER_MODES,
            f"unknown scatter mode '{mode.data}'; one of {', '.join(SCATTER_MODES)}",
        )
        require_same_dtype("nn.scatter", [updates, x])
        require(
            mode.data == "set" or not is_bool(x.element_type),
            f"nn.scatter does not {mode.data} bools",
        )
        require(
            0 <= axis < len(shape), f"axis {axis} is out of range for rank {len(shape)}"
        )
        _require_index(index, len(shape))
        _require_fit(updates, index, x, axis)
        return [tensor(x.element_type, shape)]

    @classmethod
    def into(
        cls,
        operand: SSAValue,
        index: SSAValue,
        updates: SSAValue,
        axis: int,
        mode: str = "set",
    ) -> ScatterOp:
        """`operand` with `updates` at `index` along `axis`."""
        properties: dict[str, Attribute] = {
            "axis": int_attr(axis),
            "mode": StringAttr(mode),
        }
        return cls.build_op([updates, operand, index], properties)


OPS: Sequence[type[IRDLOperation]] = (GatherOp, ScatterOp)
