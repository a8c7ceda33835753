"""Places weights in each memory where they are read."""

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

from devproc.dialects.dev import CopyOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.transforms.placed.main_block import rewrite_main


class WeightPerMemory(RewritePattern):
    """Replace the copy of a weight or constant by a second one in the other memory.

    Before:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main() -> !host {
      %w = nn.weight @w hash "0" : !cuda
      %c = dev.copy %w : !cuda to !host
      %a = nn.exp %w {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
      func.return %c : !host
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main() -> !host {
      %w = nn.weight @w hash "0" : !cuda
      %c = nn.weight @w hash "0" : !host
      %a = nn.exp %w {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
      func.return %c : !host
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CopyOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(op.source.owner, WeightOp | ConstantOp):
            own = op.source.owner.clone()
            rewriter.replace(op, own)
            rewriter.replace_value_with_new_type(own.result, op.result.type)


@dataclass(frozen=True)
class PlaceWeightsPass(ModulePass):
    """Give each memory its own weights, which are uploaded once, at load."""

    name = "place-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, WeightPerMemory())
