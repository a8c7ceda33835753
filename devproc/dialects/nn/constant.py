"""Values known at compile time: weights, and small constants within the IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import ConstantLike, Pure

from devproc.dialects.nn.base import require, require_known
from devproc.ir.directives import Dense, Text
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, with_encoding


@op_definition
class WeightOp(IRDLOperation):
    """A weight by name and content hash; its bytes are stored outside of the IR.

    ```mlir
    %w = nn.weight @"fc1.weight" hash "9f86d0" : tensor<10x64xf32>
    ```
    """

    name = "nn.weight"

    key = prop_def(SymbolRefAttr)
    hash = prop_def(StringAttr)
    result = result_def(TensorType)

    assembly_format = "$key `hash` custom<Text>($hash) attr-dict `:` type($result)"

    custom_directives = (Text,)

    traits = traits_def(Pure())

    def __init__(self, key: str, hash: str, result_type: Attribute):
        super().__init__(
            result_types=[result_type],
            properties={"key": SymbolRefAttr(key), "hash": StringAttr(hash)},
        )

    def verify_(self) -> None:
        require_known("an nn.weight", self.result.type)

    @property
    def weight_name(self) -> str:
        """The key of the weight in the weight table."""
        return self.key.root_reference.data


@op_definition
class ConstantOp(IRDLOperation):
    """A small constant, stored in the IR.

    A primitive because it has no operands to be computed from.

    ```mlir
    %c = nn.constant dense<255.0> : tensor<f32> : tensor<f32>
    ```
    """

    name = "nn.constant"

    LIMIT: ClassVar[int] = 1024
    """The largest number of elements; a larger constant must be a weight."""

    value = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(TensorType)

    assembly_format = "custom<Dense>($value) attr-dict `:` type($result)"

    custom_directives = (Dense,)

    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseIntOrFPElementsAttr, result_type: Attribute):
        super().__init__(result_types=[result_type], properties={"value": value})

    @classmethod
    def of(
        cls, type_: AnyTensor, values: Sequence[int] | Sequence[float]
    ) -> ConstantOp:
        """The constant of this type with these elements, row-major."""
        plain = with_encoding(type_, None)
        # The declared type of `from_list` is narrower than what it accepts.
        value = DenseIntOrFPElementsAttr.from_list(cast(Any, plain), values)
        return cls(value, type_)

    def verify_(self) -> None:
        value = cast(TensorType[Attribute], self.value.type)
        result = self.result.type
        require(
            (value.shape, value.element_type) == (result.shape, result.element_type),
            f"the constant has type {value}, its result {result}",
        )
        count = 1
        for size in result.get_shape():
            count *= size
        require(
            count <= self.LIMIT,
            f"a constant of {count} elements must be an nn.weight (limit {self.LIMIT})",
        )


OPS: Sequence[type[IRDLOperation]] = (ConstantOp, WeightOp)
