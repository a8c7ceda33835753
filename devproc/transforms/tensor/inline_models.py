"""Inlines the models of a program into one graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import SymbolTable

from devproc.errors import CompileError
from devproc.ir.text.location import describe_location

if TYPE_CHECKING:
    from devproc.dialects.pipe.model import ModelOp


def inline(call: ModelOp) -> None:
    """Replaces the call of a model by a copy of its body, with its locations."""
    function = cast(FuncOp, SymbolTable.lookup_symbol(call, call.callee))
    if function.is_declaration:
        raise CompileError(
            f"model {call.callee} is declared without a body"
            f" ({describe_location(call.location)}): only an imported model can run"
        )
    block = function.body.block
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, call.inputs, strict=True))
    copies = [body_op.clone(values) for body_op in block.ops]
    last = copies.pop()
    assert isinstance(last, ReturnOp)
    results = list(last.arguments)
    last.drop_all_references()
    PatternRewriter(call).replace(call, copies, results)


@dataclass(frozen=True)
class InlineModelsPass(ModulePass):
    """Replace the call of each model by its body.

    Optimisation, placement and fusion then see pre-processing, model and
    post-processing as one graph. One walk rather than a pattern: it collects the called
    functions, which are erased at the end.

    Before:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = pipe.model @model(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %y : tensor<2x3xf32>
    }
    func.func private @model(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %b = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %b : tensor<2x3xf32>
    }
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %b = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %b : tensor<2x3xf32>
    }
    ```
    """

    name = "inline-models"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # By name: the `pipe` dialect is not loaded when a model alone is compiled.
        calls = [cast("ModelOp", m) for m in op.walk() if m.name == "pipe.model"]
        models = {call.callee.root_reference.data for call in calls}
        for call in calls:
            inline(call)
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.sym_name.data in models:
                function.detach()
                function.erase()
