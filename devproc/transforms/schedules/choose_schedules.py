"""Assigns to each nest of a kernel the schedule by which its loops are emitted."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.passes import ModulePass

from devproc.algorithms import algorithm
from devproc.backend.installed import backend, tuner_of
from devproc.dialects.dev import target_of
from devproc.dialects.linalg_ext.order import OrderOp
from devproc.dialects.linalg_ext.scan import AnyScanOp
from devproc.dialects.linalg_ext.sequential import ScatterSortedOp
from devproc.dialects.sched.overrides import override_for
from devproc.ir.devices import HOST
from devproc.ir.program.kernel_modules import (
    kernel_mark,
    lowered_kernels,
)
from devproc.ir.program.structured import loop_sizes
from devproc.ir.types import AnyMemRef
from devproc.transforms.schedules.chooser import Chooser


def erase_empty_ops(kernel: FuncOp) -> None:
    """Erase ops that compute no elements: a device cannot be asked for no programs."""
    for op in list(kernel.body.block.ops):
        if isinstance(
            op, GenericOp | FillOp | AnyScanOp | OrderOp | ScatterSortedOp
        ) and is_empty(op):
            op.detach()
            op.erase()


def is_empty(op: GenericOp | FillOp | AnyScanOp | OrderOp | ScatterSortedOp) -> bool:
    """Whether an op writes no element."""
    if isinstance(op, OrderOp):
        return 0 in cast(AnyMemRef, op.places.type).get_shape()
    if not isinstance(op, GenericOp):
        return 0 in cast(AnyMemRef, op.outputs[0].type).get_shape()
    kinds = zip(loop_sizes(op), op.iterator_types, strict=True)
    return any(size == 0 and kind.data is IteratorType.PARALLEL for size, kind in kinds)


@dataclass(frozen=True)
class ChooseSchedulesPass(ModulePass):
    """Chooses a schedule for each nest of a kernel, and records it in the IR.

    Tries the algorithms of the device in order, that of a packed weight first
    (`sched.algorithm`); the first that accepts a nest returns its schedule and a reason.
    If none accepts all ops together, each op is a separate nest. Later passes make no
    decisions, so schedules may be edited in the text. Nests with a schedule keep it;
    `devproc.schedules` on the module holds the user's, by patterns of kernel names. A
    device may rank several schedules of the other kernels (`Tuner.rank`).

    Before:
    ```mlir
    func.func private @relu(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>) {
      ^bb0(%a: f32, %unused: f32):
        %r = arith.maximumf %a, %zero : f32
        linalg.yield %r : f32
      }
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @relu(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 8, vectors = 4, inner = none,
          crossing = none, ragged = mask, block = none, split = none, grain = none>
          why "512 contiguous results of 1 terms, 1 operations each; vectors of 8" {
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]
        } ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>) {
        ^bb0(%a: f32, %unused: f32):
          %r = arith.maximumf %a, %zero : f32
          linalg.yield %r : f32
        }
      }
      func.return
    }
    ```
    """

    name = "choose-schedules"

    algorithms: tuple[str, ...] | None = None
    """The algorithms to try, in order; nests that they refuse get no schedule."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, planned = target_of(op), defaultdict[str, list[FuncOp]](list)
        for kernel in lowered_kernels(op):
            mark = kernel_mark(kernel)
            assert mark is not None
            if mark.device.data != HOST:
                erase_empty_ops(kernel)
            names = self.algorithms_of(mark.device.data)
            override = override_for(op, kernel.sym_name.data)
            Chooser(kernel, mark, target, names, override).run(self.algorithms is None)
            if override is None:
                planned[mark.device.data].append(kernel)
        for device, kernels in planned.items():
            tuner_of(device).rank(kernels, target)

    def algorithms_of(self, device: str) -> list[str]:
        """The algorithms that are tried for kernels of a device."""
        known = backend(device).algorithms
        if self.algorithms is None:
            return list(known)
        asked = map(algorithm, self.algorithms)
        return [taker.name for taker in asked if taker.name in known]
