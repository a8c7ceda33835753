"""The call of a model from the user's program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import FunctionType, SymbolRefAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure, SymbolTable

from devproc.dialects.nn.base import describe, require
from devproc.dialects.pipe.base.layout import bounded_axis, describe_value
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor_of, with_encoding


@op_definition
class ModelOp(IRDLOperation):
    """Calls a model: a private function of `nn` ops, whose types have no layout.

    ```mlir
    %y = pipe.model @model(%x)
       : (tensor<1x3x8x8xf32, #pipe.axes<"NCHW">>) -> tensor<1x10xf32>
    ```
    """

    name = "pipe.model"

    callee = prop_def(SymbolRefAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)

    assembly_format = (
        "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"
    )

    traits = traits_def(Pure())

    def __init__(
        self, callee: str, inputs: Sequence[SSAValue], result_types: Sequence[Attribute]
    ):
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"callee": SymbolRefAttr(callee)},
        )

    def verify_(self) -> None:
        if self.parent_op() is None:
            return
        function = SymbolTable.lookup_symbol(self, self.callee)
        require(isinstance(function, FuncOp), f"no model function named {self.callee}")
        wanted = cast(FuncOp, function).function_type
        message = model_problem(wanted, [tensor_of(v) for v in self.inputs])
        require(message is None, f"model {self.callee}: {message}")
        require(
            tuple(r.type for r in self.outputs) == wanted.outputs.data,
            f"model {self.callee} returns "
            + ", ".join(describe(cast(AnyTensor, t)) for t in wanted.outputs),
        )


def model_problem(
    function: FunctionType, found: Sequence[AnyTensor], names: Sequence[str] = ()
) -> str | None:
    """Why values of these types do not match the model's inputs; None if they do."""
    wanted = [cast(AnyTensor, t) for t in function.inputs]
    if len(wanted) != len(found):
        return f"the model takes {len(wanted)} inputs, got {len(found)}"
    for index, (want, have) in enumerate(zip(wanted, found, strict=True)):
        name = f"'{names[index]}'" if names else str(index)
        if bounded_axis(have) is not None:
            return f"input {name} has no count, but {describe_value(have)} needs one"
        if with_encoding(want, None) != with_encoding(have, None):
            return f"input {name} must be {describe(want)}, got {describe_value(have)}"
    return None
