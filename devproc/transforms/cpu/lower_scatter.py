"""`linalg.scatter` to loops: each update goes to its place, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from devproc.dialects.linalg_sequential import ScatterOp
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import grain_of, target_of
from devproc.transforms.cpu.loops.vector_types import INDEX, memref_of
from devproc.transforms.cpu.nests.scalar_body import inline_region

UPDATE_WORK = 8
"""Scalar operations that one update costs."""


@dataclass
class ScatterLoops:
    """A loop for each dimension; those before the axis, where no two updates meet, are
    spread over threads.
    """

    op: ScatterOp
    emitter: Emitter
    threads: int

    def __post_init__(self) -> None:
        self.sizes = self.op.loop_sizes
        self.axis = self.op.axis.value.data

    def lower(self) -> None:
        """Emit the nest."""
        if not prod(self.sizes):
            return
        outer = self.sizes[: self.axis]
        work = prod(self.sizes) * UPDATE_WORK
        grain = grain_of(prod(outer), work, self.threads)
        if grain is None:
            self._loops([])
        else:
            self.emitter.parallel(outer, grain, self._loops)

    def _loops(self, point: list[SSAValue]) -> None:
        """The loops from here on to the last one that the index follows, then the rest
        where the index is in range."""
        index_shape = memref_of(self.op.index).get_shape()
        d = len(point)
        if d > self.axis and all(size == 1 for size in index_shape[d:]):
            self._update(point)
            return
        self.emitter.loop_to(self.sizes[d], lambda i: self._loops([*point, i]))

    def _update(self, point: list[SSAValue]) -> None:
        emitter = self.emitter
        rest = [emitter.index(0)] * (len(self.sizes) - len(point))
        index = emitter.load(self.op.index, self._held(self.op.index, [*point, *rest]))
        place = emitter.value(arith.IndexCastOp, (index,), INDEX)
        bound = memref_of(self.op.target).get_shape()[self.axis]
        # Below as unsigned: a negative index is out of range too.
        emitter.branch_below(
            place, bound, lambda: self._inner(point, place), lambda: None
        )

    def _inner(self, point: list[SSAValue], place: SSAValue) -> None:
        """The dimensions that the index does not see."""
        d = len(point)
        if d == len(self.sizes):
            self._element(point, place)
            return
        self.emitter.loop_to(self.sizes[d], lambda i: self._inner([*point, i], place))

    def _element(self, point: list[SSAValue], place: SSAValue) -> None:
        emitter, op = self.emitter, self.op
        there = [place if d == self.axis else i for d, i in enumerate(point)]
        new = emitter.load(op.updates, self._held(op.updates, point))
        old = emitter.load(op.target, there)
        (value,) = inline_region(emitter, op.body.block, [new, old])
        emitter.store(value, op.target, there)

    def _held(self, value: SSAValue, point: Sequence[SSAValue]) -> list[SSAValue]:
        """The point with 0 where the operand is broadcast."""
        zero = self.emitter.index(0)
        sizes = memref_of(value).get_shape()
        return [zero if n == 1 else i for n, i in zip(sizes, point, strict=True)]


@dataclass(frozen=True)
class LowerScatterPass(ModulePass):
    """What a scatter means in loops: work for each update, none for the other elements.

        Before:
        ```mlir
        func.func private @add_rows(%u: memref<2x4xf32>, %i: memref<2x1xi64>, %t: memref<9x4xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
      linalg.scatter %u at %i into %t axis 0 {
      ^bb0(%new: f32, %old: f32):
        %sum = arith.addf %old, %new : f32
        linalg.yield %sum : f32
      } : (memref<2x4xf32>, memref<2x1xi64>, memref<9x4xf32>) -> ()
      func.return
    }
        ```

        After:
        ```mlir
        func.func private @add_rows(%u: memref<2x4xf32>, %i: memref<2x1xi64>, %t: memref<9x4xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
      %0 = arith.constant 0 : index
      %1 = arith.constant 2 : index
      %2 = arith.constant 1 : index
      %3 = arith.constant 9 : index
      %4 = arith.constant 4 : index
      scf.for %5 = %0 to %1 step %2 {
        %i_1 = memref.load %i[%5, %0] : memref<2x1xi64>
        %6 = arith.index_cast %i_1 : i64 to index
        %7 = arith.cmpi ult, %6, %3 : index
        scf.if %7 {
          scf.for %8 = %0 to %4 step %2 {
            %u_1 = memref.load %u[%5, %8] : memref<2x4xf32>
            %t_1 = memref.load %t[%6, %8] : memref<9x4xf32>
            %sum = arith.addf %t_1, %u_1 : f32
            memref.store %sum, %t[%6, %8] : memref<9x4xf32>
          }
        } else {
        }
      }
      func.return
    }
        ```
    """

    name = "lower-scatter"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        threads = target_of(op).threads.data
        for function in cpu_kernels(op, "scatter"):
            emitter = Emitter(function.body.block)
            for scatter in list(function.body.block.ops):
                if isinstance(scatter, ScatterOp):
                    emitter.location = scatter.location
                    ScatterLoops(scatter, emitter, threads).lower()
                    emitter.replace([scatter])
