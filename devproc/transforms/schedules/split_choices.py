"""Loops that choose by a constant place of their index are split there.

What joins tensors, or walks over an edge, is one loop over the result at first, which
picks every element by comparisons of its index, and so can be part of any kernel. Between
two of these places all comparisons are decided: each part reads one tensor, neighbour by
neighbour.
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

from devproc.algorithms.channels.plan import takes as takes_channels
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.kernels import is_parallel, loop_sizes, structured_ops
from devproc.transforms.cpu.nests.index_ranges import Decided, Ranges
from devproc.transforms.cpu.nests.loop_part import LoopPart

MOST_PARTS = 16
"""Parts of one op: each is code of its own."""


def split(op: GenericOp) -> list[Ranges]:
    """The boxes of iterations in which all choices are decided, in the order of the loops;
    one box for no choice.
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
    """The loops with choices that a box leaves open, and where they change; the innermost
    loop first.

    What only chooses a place along an outer loop, the same for all of a row, may stay: a
    row of which the box has a part is no longer for being cut there.
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
    """Whether a value chooses elements, or is one that vectors cannot pick."""
    is_pick = isinstance(value.owner, memref.LoadOp) and value.type == i1
    is_choice = isinstance(value.owner, arith.SelectOp)
    return is_pick or (is_choice and not isinstance(value.type, IndexType))


def reads_multiples(op: GenericOp) -> bool:
    """Whether the body reads at a multiple of a loop's index, backwards for instance."""
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
    """Replace one op by its parts, where its choices make some."""
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
    """Splits parallel loops of CPU kernels at the constants that their index is compared with.

    Those of GPU kernels stay whole: a block program masks what it does not choose.
    What is read at multiples of a loop's index, and so is no neighbour, becomes an operand.

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
        for function in cpu_kernels(op, "gather", "pointwise"):
            for structured in structured_ops(function):
                if isinstance(structured, GenericOp):
                    split_choices(function.body.block, structured)
