"""Splits loops at the constants that their index is compared with.

An op that joins or pads tensors is lowered to one loop over its result, with selects
that depend on the index, so that it can be fused into any kernel. Between two of these
constants all comparisons are resolved: each part reads one tensor contiguously.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, ModuleOp, i1
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from devproc.ir.program.kernel_modules import host_kernels
from devproc.targets.cpu.algorithms.channels.plan import takes as takes_channels
from devproc.targets.cpu.transforms.loops.kernels import (
    is_parallel,
    loop_sizes,
    structured_ops,
)
from devproc.targets.cpu.transforms.nests.index_ranges import Decided, Ranges
from devproc.targets.cpu.transforms.nests.loop_part import LoopPart

MOST_PARTS = 16
"""Most parts of one op; each is emitted as separate code."""


def split(op: GenericOp) -> list[Ranges]:
    """The subdomains in which all index-dependent selects are resolved, in the order of
    the loops; a single one if there are no selects.
    """
    sizes = loop_sizes(op)
    done: list[Ranges] = []
    left: list[Ranges] = [{loop: (0, size) for loop, size in enumerate(sizes)}]
    kept = len(sizes) - 1 if takes_channels(op) else None
    while left:
        box = left.pop()
        loop, places = next(
            ((d, p) for d, p in cuts_of(op, box) if d != kept), (0, list[int]())
        )
        if not places or len(done) + len(left) + len(places) >= MOST_PARTS:
            done.append(box)
            continue
        low, high = box[loop]
        left += [{**box, loop: ends} for ends in pairwise([low, *places, high])]
    return sorted(done, key=lambda box: [box[loop][0] for loop in range(len(sizes))])


def cuts_of(op: GenericOp, box: Ranges) -> Iterator[tuple[int, list[int]]]:
    """The loops with selects that are not resolved in a subdomain, and the iterations
    at which they change; the innermost loop first.

    A select of an index along an outer loop, uniform over a row, may stay if the
    subdomain has only a part of the row: splitting there would not make rows any
    longer.
    """
    part = LoopPart(op, box)
    live, found = part.live, dict[int, set[int]]()
    for value, (loop, places) in part.decided.open.items():
        if value in live:
            found.setdefault(loop, set()).update(places)
    must_decide = any(map(_must_be_decided, live))
    sizes = loop_sizes(op)
    for loop in sorted(found, reverse=True):
        low, high = box[loop]
        inside = sorted(place for place in found[loop] if low < place < high)
        is_whole = all(box[d] == (0, sizes[d]) for d in range(loop + 1, len(sizes)))
        if inside and (is_whole or must_decide):
            yield loop, inside


def _must_be_decided(value: SSAValue) -> bool:
    """Whether a value selects elements, or is an indexed load that has no vector
    form."""
    is_pick = isinstance(value.owner, memref.LoadOp) and value.type == i1
    is_choice = isinstance(value.owner, arith.SelectOp)
    return is_pick or (is_choice and not isinstance(value.type, IndexType))


def reads_multiples(op: GenericOp) -> bool:
    """Whether the body reads at a multiple of a loop's index, such as in reverse."""
    ranges = dict(enumerate((0, size) for size in loop_sizes(op)))
    decided = Decided(op.body.block, ranges)
    for load in op.body.block.ops:
        if not isinstance(load, memref.LoadOp):
            continue
        places = [decided.places.get(decided.of(index)) for index in load.indices]
        known = [place for place in places if place is not None]
        if len(known) == len(places) and any(place.scale != 1 for place in known):
            return True
    return False


def split_choices(block: Block, op: GenericOp) -> None:
    """Replace one op by its parts, if it has index-dependent selects."""
    if not all(is_parallel(op)) or 0 in loop_sizes(op):
        return
    if any(argument.uses for argument in op.body.block.args[len(op.inputs) :]):
        return
    boxes = split(op)
    if len(boxes) == 1 and not reads_multiples(op):
        return
    for box in boxes:
        block.insert_op_before(LoopPart(op, box).emit(), op)
    op.detach()
    op.erase()


@dataclass(frozen=True)
class SplitChoicesPass(ModulePass):
    """Splits parallel loops of CPU kernels at the constants that their index is
    compared with.

    Loops of GPU kernels are not split: a block program masks elements instead. A load
    at multiples of a loop's index, such as in reverse, becomes an operand.

    Before:
    ```mlir
    builtin.module {
      func.func private @concat(%a: memref<3xf32>, %b: memref<5xf32>, %y: memref<8xf32>)
          attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.concat"]>} {
        linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]} outs(%y : memref<8xf32>) {
        ^bb0(%unused: f32):
          %i = linalg.index 0 : index
          %zero = arith.constant 0 : index
          %last = arith.constant 2 : index
          %three = arith.constant 3 : index
          %first = arith.minsi %i, %last : index
          %x = memref.load %a[%first] : memref<3xf32>
          %moved = arith.subi %i, %three : index
          %second = arith.maxsi %moved, %zero : index
          %z = memref.load %b[%second] : memref<5xf32>
          %is_second = arith.cmpi sge, %i, %three : index
          %chosen = arith.select %is_second, %z, %x : f32
          linalg.yield %chosen : f32
        }
        func.return
      }
    }
    ```

    After:
    ```mlir
    builtin.module {
      func.func private @concat(%a: memref<3xf32>, %b: memref<5xf32>, %y: memref<8xf32>)
          attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.concat"]>} {
        linalg_ext.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]
        } ins(%a : memref<3xf32>) outs(%y : memref<8xf32>)
            attrs = {loop_sizes = array<i64: 3>} {
        ^bb0(%x: f32, %unused: f32):
          linalg.yield %x : f32
        }
        linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i + 3)>],
          iterator_types = ["parallel"]
        } ins(%b : memref<5xf32>) outs(%y : memref<8xf32>) {
        ^bb0(%z: f32, %unused: f32):
          linalg.yield %z : f32
        }
        func.return
      }
    }
    ```
    """

    name = "split-choices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in host_kernels(op, "gather", "pointwise", "scatter"):
            for structured in structured_ops(function):
                if isinstance(structured, GenericOp):
                    split_choices(function.body.block, structured)
