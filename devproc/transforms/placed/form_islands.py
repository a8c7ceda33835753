"""Groups ops by device, as far as their dependences and composites allow."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.transforms.placed.assignment.composites import composites_of
from devproc.transforms.placed.assignment.islands import islands_of
from devproc.transforms.placed.main_block import (
    device_of_op,
    erase_unused,
    rewrite_main,
)


class OrderByIsland(RewritePattern):
    """Move weights and constants to the front, then order ops by island (`islands.py`).

    Before:

    ```mlir
    !t = tensor<4xf32>
    func.func @main(%x: !t) -> !t {
      %a = nn.exp %x {dev.place = #dev.place<"cpu", "">} : (!t) -> !t
      %b = nn.relu %a {dev.place = #dev.place<"cuda", "">} : (!t) -> !t
      %c = nn.abs %x {dev.place = #dev.place<"cpu", "">} : (!t) -> !t
      %w = nn.weight @w hash "0" : !t
      %d = nn.add %b, %c {dev.place = #dev.place<"cuda", "">} : (!t, !t) -> !t
      %e = nn.mul %d, %w {dev.place = #dev.place<"cuda", "">} : (!t, !t) -> !t
      func.return %e : !t
    }
    ```

    After:

    ```mlir
    !t = tensor<4xf32>
    func.func @main(%x: !t) -> !t {
      %w = nn.weight @w hash "0" : !t
      %a = nn.exp %x {dev.place = #dev.place<"cpu", "">} : (!t) -> !t
      %c = nn.abs %x {dev.place = #dev.place<"cpu", "">} : (!t) -> !t
      %b = nn.relu %a {dev.place = #dev.place<"cuda", "">} : (!t) -> !t
      %d = nn.add %b, %c {dev.place = #dev.place<"cuda", "">} : (!t, !t) -> !t
      %e = nn.mul %d, %w {dev.place = #dev.place<"cuda", "">} : (!t, !t) -> !t
      func.return %e : !t
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        erase_unused(op.body.block)
        *ops, last = op.body.block.ops
        given = [child for child in ops if isinstance(child, WeightOp | ConstantOp)]
        placed = [
            child for child in ops if not isinstance(child, WeightOp | ConstantOp)
        ]
        composites = [
            match.ops
            for device in sorted({device_of_op(child) for child in placed})
            for match in composites_of(
                [child for child in placed if device_of_op(child) == device], device
            )
        ]
        islands = islands_of(placed, device_of_op, composites)
        ordered = [*given, *(child for island in islands for child in island)]
        if ordered == ops:
            return
        for child in ordered:
            child.detach()
        rewriter.insert(ordered, InsertPoint.before(last))


@dataclass(frozen=True)
class FormIslandsPass(ModulePass):
    """Reorder a program so that its ops change devices as rarely as possible.

    Dead ops are erased first, so that no value is copied for them.
    """

    name = "form-islands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, OrderByIsland())
