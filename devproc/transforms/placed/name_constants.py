"""Turns constants that need memory into weights."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.weights.prepare import append_to_prepare
from devproc.transforms.placed.main_block import rewrite_main


@dataclass
class NameConstant(RewritePattern):
    """Turn a constant that is not a splat into a result of `@prepare`.

    Before:

    ```mlir
    func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
      %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
      %b = nn.constant dense<1.0> : tensor<2xf32> : tensor<2xf32>
      func.return %a, %b : tensor<2xf32>, tensor<2xf32>
    }
    ```

    After:

    ```mlir
    func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
      %a = nn.weight @"prepare.0" hash "940f668e4077691a" : tensor<2xf32>
      %b = nn.constant dense<1.0> : tensor<2xf32> : tensor<2xf32>
      func.return %a, %b : tensor<2xf32>, tensor<2xf32>
    }
    func.func private @prepare() -> tensor<2xf32> {
      %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
      func.return %a : tensor<2xf32>
    }
    ```
    """

    module: ModuleOp

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConstantOp, rewriter: PatternRewriter, /) -> None:
        type_ = op.result.type
        if not type_.element_count() or op.value.is_splat():
            return
        weight = WeightOp(*append_to_prepare(self.module, [op], op.result), type_)
        weight.location = op.location
        rewriter.replace(op, weight)


@dataclass(frozen=True)
class NameConstantsPass(ModulePass):
    """Turn constants that need memory into weights; splats stay part of the code."""

    name = "name-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, NameConstant(op))
