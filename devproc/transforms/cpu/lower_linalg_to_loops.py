"""`linalg` on memrefs to loops over single elements: what no schedule took.

Correct for every structured op; the schedules before it are the fast forms. Reductions
run innermost with their accumulators in registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects import plan
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.access import load_element, store_element
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import (
    StructuredOp,
    body_work,
    grain_of,
    is_parallel,
    maps_of,
    structured_ops,
    target_of,
)
from devproc.transforms.cpu.nests.scalar_body import inline_scalar_body


@dataclass
class LoopNest:
    """The loops of one op: which are parallel, which reduce, and their sizes."""

    op: StructuredOp
    emitter: Emitter
    threads: int

    def __post_init__(self) -> None:
        op = self.op
        self.maps = maps_of(op)
        self.sizes = op.get_static_loop_ranges()
        parallel = is_parallel(op)
        inputs = len(op.inputs)
        # An output that a reduction loop moves over cannot stay in a register.
        outputs_reached: set[int] = set()
        for map_ in self.maps[inputs:]:
            outputs_reached |= map_.used_dims()
        self.outer = [
            d for d, is_par in enumerate(parallel) if is_par or d in outputs_reached
        ]
        self.inner = [d for d in range(len(parallel)) if d not in self.outer]
        self.split = self._split_dims(parallel)

    def _split_dims(self, parallel: Sequence[bool]) -> list[int]:
        """The leading parallel loops that are spread over threads; none if it is small."""
        work = prod(self.sizes) * body_work(self.op)
        dims: list[int] = []
        for d in self.outer:
            if not parallel[d]:
                break
            dims.append(d)
            # Enough pieces for any thread to find the next one.
            if prod(self.sizes[i] for i in dims) >= 8 * self.threads:
                break
        grain = grain_of(prod(self.sizes[d] for d in dims), work, self.threads)
        self.grain = grain or 0
        return dims if grain else []

    def lower(self) -> None:
        """Emit the nest."""
        emitter = self.emitter
        if 0 in (self.sizes[d] for d in self.outer):
            return
        point: list[SSAValue] = [emitter.index(0)] * len(self.sizes)
        rest = [d for d in self.outer if d not in self.split]
        if not self.split:
            self._outer_loops(rest, point)
            return

        def body(indices: list[SSAValue]) -> None:
            for d, index in zip(self.split, indices, strict=True):
                point[d] = index
            self._outer_loops(rest, point)

        sizes = [self.sizes[d] for d in self.split]
        emitter.parallel(sizes, self.grain, body)

    def _outer_loops(self, dims: Sequence[int], point: list[SSAValue]) -> None:
        if not dims:
            self._element(point)
            return
        first, *rest = dims

        def body(index: SSAValue) -> None:
            point[first] = index
            self._outer_loops(rest, point)

        self.emitter.loop_to(self.sizes[first], body)

    def _element(self, point: list[SSAValue]) -> None:
        """Load the accumulators, reduce into them, store them."""
        emitter, op = self.emitter, self.op
        count = len(op.inputs)
        outputs = list(zip(op.outputs, self.maps[count:], strict=True))
        arguments = op.body.block.args[count:]
        carried: list[SSAValue | None] = [
            load_element(emitter, target, map_, point)
            if argument.uses or self.inner
            else None
            for (target, map_), argument in zip(outputs, arguments, strict=True)
        ]
        results = self._reduce(self.inner, point, carried)
        for result, (target, map_) in zip(results, outputs, strict=True):
            store_element(emitter, result, target, map_, point)

    def _reduce(
        self,
        dims: Sequence[int],
        point: list[SSAValue],
        carried: Sequence[SSAValue | None],
    ) -> Sequence[SSAValue]:
        if not dims:
            inputs = self._inputs(point)
            return inline_scalar_body(self.emitter, self.op, (*inputs, *carried), point)
        first, *rest = dims
        start = [value for value in carried if value is not None]

        def body(index: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            point[first] = index
            return self._reduce(rest, point, values)

        zero, size = self.emitter.index(0), self.emitter.index(self.sizes[first])
        return self.emitter.loop(zero, size, 1, start, body)

    def _inputs(self, point: Sequence[SSAValue]) -> list[SSAValue | None]:
        found: list[SSAValue | None] = []
        for value, map_, argument in zip(
            self.op.inputs, self.maps, self.op.body.block.args, strict=False
        ):
            used = bool(argument.uses)
            found.append(
                load_element(self.emitter, value, map_, point) if used else None
            )
        return found


def erase_unused_memory(block: Block) -> None:
    """Temporaries that only named a shape, or whose values stayed in registers."""
    for op in reversed(list(block.ops)):
        unused = not any(result.uses for result in op.results)
        if isinstance(op, memref.AllocaOp | plan.ViewOp) and unused:
            op.detach()
            op.erase()


@dataclass(frozen=True)
class LowerLinalgToLoopsPass(ModulePass):
    """The fallback: every `linalg` op left in a CPU kernel as loops over elements.

    Before:
    ```mlir
    func.func private @row_sum(%x: memref<4x8xf32>, %y: memref<4xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce"]>} {
      linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]
      } ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>) {
      ^bb0(%a: f32, %acc: f32):
        %s = arith.addf %acc, %a : f32
        linalg.yield %s : f32
      }
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @row_sum(%x: memref<4x8xf32>, %y: memref<4xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce"]>} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c4 step %c1 {
        %init = memref.load %y[%i] : memref<4xf32>
        %sum = scf.for %j = %c0 to %c8 step %c1 iter_args(%acc = %init) -> (f32) {
          %a = memref.load %x[%i, %j] : memref<4x8xf32>
          %s = arith.addf %acc, %a : f32
          scf.yield %s : f32
        }
        memref.store %sum, %y[%i] : memref<4xf32>
      }
      func.return
    }
    ```
    """

    name = "lower-linalg-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        threads = target_of(op).threads.data
        for function in cpu_kernels(op):
            emitter = Emitter(function.body.block)
            for structured in structured_ops(function):
                emitter.location = structured.location
                LoopNest(structured, emitter, threads).lower()
                emitter.replace([structured])
            erase_unused_memory(function.body.block)
