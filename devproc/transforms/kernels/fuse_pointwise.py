"""Groups ops into kernels: pointwise ops join the loops that produce their operands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from devproc.dialects.plan import ViewOp
from devproc.ir.program.structured import (
    FAMILY,
    Generic,
    is_parallel,
    is_pointwise,
)
from devproc.transforms.kernels.fusion.attention_layout import lay_out_attention
from devproc.transforms.kernels.fusion.copies import forward_copies
from devproc.transforms.kernels.fusion.grouping import Grouping
from devproc.transforms.kernels.fusion.groups import Group, reads, writing_order
from devproc.transforms.kernels.fusion.inline import inline_producers
from devproc.transforms.kernels.fusion.merge import (
    is_used_outside,
    merge_pointwise,
    on_domain,
)
from devproc.transforms.kernels.fusion.numbering import in_order, number_and_place
from devproc.transforms.kernels.fusion.picks import pick_through
from devproc.transforms.kernels.fusion.products import finish_sums, has_sums
from devproc.transforms.kernels.fusion.prologue import read_through_copies
from devproc.transforms.kernels.fusion.slices import read_through_slices
from devproc.transforms.kernels.fusion.unread import erase_unread
from devproc.transforms.kernels.fusion.updates import join_updates
from devproc.transforms.kernels.fusion.views import sink_views


def blocks_to_fuse(module: ModuleOp) -> list[Block]:
    """The blocks that contain loops, in order."""
    generics = (child for child in module.walk() if isinstance(child, Generic))
    return [block for block in dict.fromkeys(g.parent for g in generics) if block]


def group_block(block: Block) -> Grouping:
    """Group the ops of a block, after removing views and copies between them."""
    sink_views(block)
    read_through_copies(block)
    forward_copies(block)
    read_through_slices(block)
    lay_out_attention(block)
    pick_through(block)
    erase_unread(block)
    return Grouping(block)


def fuse_block(block: Block) -> None:
    """Group the loops of a block, merge bodies, and make each group contiguous."""
    grouping = group_block(block)
    if not grouping.groups:
        return
    units: dict[Group, list[Operation]] = {}
    for group in grouping.groups:
        ops = finish(group)
        kept = set(ops)
        for op in reversed(group.members):
            if op not in kept:
                op.detach()
                op.erase()
        units[group] = with_attached(ops)
    for three in grouping.bottlenecks:
        ops = [op for group in three.groups for op in units.pop(group)]
        units[three.projection] = list(dict.fromkeys(ops))
    join_updates(units)
    grouped = {op for unit in units.values() for op in unit}
    for op in reversed(list(block.ops)):
        is_free = isinstance(op, tensor.EmptyOp | ViewOp)
        if is_free and not op.results[0].uses.get_length():
            op.detach()
            op.erase()
    lone = [[op] for op in block.ops if op not in grouped and op is not block.last_op]
    number_and_place(block, in_order([*units.values(), *lone], grouping.position))


def finish(group: Group) -> list[Operation]:
    """The ops of a group in the normal form of its family; marks the anchor."""
    ops: list[Operation]
    if group.family == "pointwise" or group.picks_on_host():
        ops = merge_all(group)
        anchor = ops[-1]
    elif group.family == "attention":
        ops = list(group.members)
        anchor = ops[0]
    elif group.family == "reduction":
        ops = inline_producers(finish_reduction(group), group.members)
        anchor = next(
            op for op in ops if isinstance(op, Generic) and not all(is_parallel(op))
        )
    elif has_sums(group):
        ops = finish_sums(group)
        anchor = ops[0]
    else:
        ops = [op for op in group.members if not is_pointwise(op)]
        rest = [op for op in group.members if op not in ops]
        anchor = ops[0]
        if rest:
            inside = set(group.members)
            made = [value for op in ops for value in op.results]
            escaping = [v for v in made if is_used_outside(v, inside)]
            ops += merge_pointwise(group, rest, len(group.sizes), escaping)
    anchor.attributes[FAMILY] = StringAttr(group.family)
    return ops


def merge_all(group: Group) -> list[Operation]:
    """A pointwise group as one op that writes its last result in memory order."""
    order = writing_order(group)
    if len(group.members) == 1 and order == list(range(len(order))):
        return list(group.members)
    group.reorder(order)
    return merge_pointwise(group, group.members, len(group.sizes))


def finish_reduction(group: Group) -> list[Operation]:
    """Reductions on the group's domain; pointwise ops between them merged."""

    def kind(op: Generic) -> object:
        """Consecutive ops of equal kind are merged; each reduction is its own kind."""
        if not is_pointwise(op):
            return op
        used = [loop for loop in group.loops[op] if loop is not None]
        return len(used) == len(group.sizes)

    ops: list[Operation] = []
    for is_full, run in groupby(group.members, kind):
        if isinstance(is_full, bool):
            count = len(group.sizes) if is_full else group.rows
            ops += merge_pointwise(group, list(run), count)
        else:
            ops += [on_domain(group, op) for op in run]
    return ops


def with_attached(ops: Sequence[Operation]) -> list[Operation]:
    """The ops of a group with the fills, paddings and empty tensors only they use."""
    found: dict[Operation, None] = {}

    def visit(op: Operation) -> None:
        for value in reads(op):
            owner = value.owner
            if isinstance(
                owner, FillOp | tensor.EmptyOp | tensor.PadOp | arith.ConstantOp
            ):
                visit(owner)
        found[op] = None

    for op in ops:
        visit(op)
    return list(found)


@dataclass(frozen=True)
class FusePointwisePass(ModulePass):
    """Fuses loops into kernels: values pass between ops in registers and caches. Each op
    has the number of its kernel, `kernel.group`; its anchor also has `kernel.family`.

    Where an algorithm says that it pays (`Algorithm.joins`), products with different
    factors whose results only one elementwise op reads are one kernel. If they are only added,
    each accumulates into the sums of the one before.

    Before:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %e0 = tensor.empty() : tensor<2x3xf32>
      %a = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%x : tensor<2x3xf32>) outs(%e0 : tensor<2x3xf32>)
        attrs = {kernel.sources = ["nn.exp"]} {
      ^bb0(%in: f32, %out: f32):
        %y = math.exp %in : f32
        linalg.yield %y : f32
      } -> tensor<2x3xf32>
      %e1 = tensor.empty() : tensor<2x3xf32>
      %b = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%a : tensor<2x3xf32>) outs(%e1 : tensor<2x3xf32>)
        attrs = {kernel.sources = ["nn.mul"]} {
      ^bb0(%in: f32, %out: f32):
        %y = arith.mulf %in, %in : f32
        linalg.yield %y : f32
      } -> tensor<2x3xf32>
      func.return %b : tensor<2x3xf32>
    }
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %e = tensor.empty() : tensor<2x3xf32>
      %b = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>)
        attrs = {kernel.sources = ["nn.exp", "nn.mul"], kernel.family = "pointwise", kernel.group = 0 : i64} {
      ^bb0(%in: f32, %out: f32):
        %y = math.exp %in : f32
        %z = arith.mulf %y, %y : f32
        linalg.yield %z : f32
      } -> tensor<2x3xf32>
      func.return %b : tensor<2x3xf32>
    }
    ```
    """

    name = "fuse-pointwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in blocks_to_fuse(op):
            fuse_block(block)
