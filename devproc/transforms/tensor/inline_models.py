"""The models of a program become part of its one graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import SymbolTable

from devproc.dialects.pipe.model import ModelOp
from devproc.errors import CompileError
from devproc.ir.location import describe_location


class InlineModel(RewritePattern):
    """Replaces the call of a model by a copy of its body; locations come along."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ModelOp, rewriter: PatternRewriter, /) -> None:
        function = cast(FuncOp, SymbolTable.lookup_symbol(op, op.callee))
        if function.is_declaration:
            raise CompileError(
                f"model {op.callee} is declared without a body"
                f" ({describe_location(op.location)}): only an imported model can run"
            )
        block = function.body.block
        values: dict[SSAValue, SSAValue] = dict(zip(block.args, op.inputs, strict=True))
        copies = [body_op.clone(values) for body_op in block.ops]
        last = copies.pop()
        assert isinstance(last, ReturnOp)
        results = list(last.arguments)
        last.drop_all_references()
        rewriter.replace(op, copies, results)


@dataclass(frozen=True)
class InlineModelsPass(ModulePass):
    """Put the body of each model in the place of its call.

    Optimisation, placement and fusion then see pre-processing, model and
    post-processing as one graph.

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
        models = {
            m.callee.root_reference.data for m in op.walk() if isinstance(m, ModelOp)
        }
        PatternRewriteWalker(InlineModel(), apply_recursively=False).rewrite_module(op)
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.sym_name.data in models:
                function.detach()
                function.erase()
