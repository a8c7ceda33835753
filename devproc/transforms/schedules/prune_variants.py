"""Selects the best known of several schedules of a nest."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.sched import NestOp, VariantsOp


class TakeBestVariant(RewritePattern):
    """Selects the variant with the least time; measured times precede modelled ones."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: VariantsOp, rewriter: PatternRewriter, /) -> None:
        rank = {"measured": 0, "modelled": 1, None: 2}
        timed = [v for v in op.variants if v.time is not None]
        schedule, why = op.schedule, op.why.data
        if timed:
            best = min(timed, key=lambda v: (rank[v.by], v.time or inf))
            schedule, why = best.schedule, f"{best.time} us, {best.by}"
        nest = NestOp(
            schedule,
            why,
            rewriter.move_region_contents_to_new_regions(op.body),
            op.nest_name,
        )
        rewriter.replace(op, nest)


@dataclass(frozen=True)
class PruneVariantsPass(ModulePass):
    """Take the best known schedule of each nest that has several.

    The least measured time wins; without any, the least modelled one; without times,
    the variant that is marked as taken.

    Before:
    ```mlir
    func.func private @add_rows(%u: memref<2x4xf32>, %i: memref<2x1xi64>, %t: memref<9x4xf32>) {
      sched.variants @n0 [
          #sched.variant<schedule = #sched.scatter<grain = none, lanes = 1>, time = 2.5, by = measured>,
          #sched.variant<schedule = #sched.scatter<grain = 8, lanes = 1>, time = 1.5, by = measured>
      ] take 0 why "as planned" {
        linalg_ext.scatter %u at %i into %t axis 0 {
        ^bb0(%new: f32, %old: f32):
          linalg.yield %new : f32
        } : (memref<2x4xf32>, memref<2x1xi64>, memref<9x4xf32>) -> ()
      }
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @add_rows(%u: memref<2x4xf32>, %i: memref<2x1xi64>, %t: memref<9x4xf32>) {
      sched.nest @n0 #sched.scatter<grain = 8, lanes = 1> why "1.5 us, measured" {
        linalg_ext.scatter %u at %i into %t axis 0 {
        ^bb0(%new: f32, %old: f32):
          linalg.yield %new : f32
        } : (memref<2x4xf32>, memref<2x1xi64>, memref<9x4xf32>) -> ()
      }
      func.return
    }
    ```
    """

    name = "prune-variants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(TakeBestVariant()).rewrite_module(op)
