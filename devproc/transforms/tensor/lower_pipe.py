"""Lowers the user's steps to `nn` ops, and named axes to axis numbers.

The tables of `pipe_to_nn/` define the lowerings, one for each family of steps.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.exactness.steps.step_bounds import record_bounds


@dataclass(frozen=True)
class LowerPipePass(ModulePass):
    """Replace the steps of the user's program by `nn` ops and drop the layouts.

    Afterwards axes are numbers, and a tensor's encoding may hold its device. The bounds
    of exactness of the steps are kept as an attribute of the module.

    Before:
    ```mlir
    func.func @main(
        %x: tensor<4x5xf32, #pipe.axes<"HW">>
    ) -> tensor<1x2x2xf32, #pipe.axes<"NWH">> {
      %0 = pipe.resize %x to [2, 2] mode "box" like "pillow"
        : (tensor<4x5xf32, #pipe.axes<"HW">>) -> tensor<2x2xf32, #pipe.axes<"HW">>
      %1 = pipe.layout %0 from "HW" to "NWH"
        : (tensor<2x2xf32, #pipe.axes<"HW">>) -> tensor<1x2x2xf32, #pipe.axes<"NWH">>
      func.return %1 : tensor<1x2x2xf32, #pipe.axes<"NWH">>
    }
    ```

    After:
    ```mlir
    module attributes {devproc.exactness = [{step = "resize", where = "unknown source",
        like = "pillow", mode = "box", dtype = "float32", measure = "bit-exact",
        limit = 0.0, reference = "PIL.Image.Image.resize"}, {step = "layout",
        where = "unknown source", like = "", mode = "", dtype = "float32",
        measure = "bit-exact", limit = 0.0, reference = "numpy.transpose"}]} {
    func.func @main(%x: tensor<4x5xf32>) -> tensor<1x2x2xf32> {
      %0 = nn.resize %x axes [0, 1] to [2, 2] mode "box" like "pillow"
        : (tensor<4x5xf32>) -> tensor<2x2xf32>
      %1 = nn.reshape %0 to [2, 2] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %2 = nn.transpose %1 by [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %3 = nn.reshape %2 to [1, 2, 2] : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
      func.return %3 : tensor<1x2x2xf32>
    }
    }
    ```
    """

    name = "lower-pipe"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not _has_pipe(op):
            return
        # A model alone has no steps, and compiles without importing their tables.
        from devproc.transforms.tensor.pipe_steps import lower_steps

        record_bounds(op)
        lower_steps(op)


def _has_pipe(module: ModuleOp) -> bool:
    """Whether there is a step, or a layout in the signature of a function."""
    ops = (op for function in module.ops for op in function.walk())
    types = (
        type_
        for function in module.ops
        if isinstance(function, FuncOp)
        for signature in (function.function_type.inputs, function.function_type.outputs)
        for type_ in signature
    )
    return any(op.name.startswith("pipe.") for op in ops) or any(
        isinstance(type_, TensorType) and type_.encoding.name.startswith("pipe.")
        for type_ in types
    )
