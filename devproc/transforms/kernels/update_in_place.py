"""Lets launches update values and states in place."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.ir.functions import function_named
from devproc.ir.program.kernel_modules import marked_functions
from devproc.ir.program.state import state_name
from devproc.transforms.kernels.in_place.updates import InPlace


@dataclass(frozen=True)
class UpdateInPlacePass(ModulePass):
    """Lets a scatter write into the memory of its first operand, which nothing reads later,
    and computes the new value of a state in its place.

    A launch moves after the readers of what it overwrites. A state keeps two places where
    that is not possible, or where a call could fail after the update; it says why.

    Before:

    ```mlir
    !cache = tensor<8x4xf32, #dev.on<"cpu">>
    !row = tensor<1x4xf32, #dev.on<"cpu">>
    !at = tensor<1x1xi64, #dev.on<"cpu">>
    module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
      func.func @main(%u: !row {dev.name = "u"}, %i: !at {dev.name = "i"},
          %s: !cache {dev.name = "s", dev.state = "s"}) -> (!cache {dev.name = "s", dev.state = "s"}) {
        %r = dev.launch @scatter(%u, %i, %s) : (!row, !at, !cache) -> !cache
        func.return %r : !cache
      }
      func.func private @scatter(%u: !row, %i: !at, %t: !cache) -> !cache
          attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
        %r = linalg_ext.scatter %u at %i into %t axis 0 {
        ^bb0(%new: f32, %old: f32):
          linalg.yield %new : f32
        } : (!row, !at, !cache) -> !cache
        func.return %r : !cache
      }
    }
    ```

    After:

    ```mlir
    !cache = tensor<8x4xf32, #dev.on<"cpu">>
    !row = tensor<1x4xf32, #dev.on<"cpu">>
    !at = tensor<1x1xi64, #dev.on<"cpu">>
    module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
      func.func @main(%u: !row {dev.name = "u"}, %i: !at {dev.name = "i"},
          %s: !cache {dev.name = "s", dev.state = "s", dev.in_place}) -> (!cache {dev.name = "s", dev.state = "s"}) {
        %r = dev.launch @scatter(%u, %i, %s) {dev.updates = array<i64: 2>} : (!row, !at, !cache) -> !cache
        func.return %r : !cache
      }
      func.func private @scatter(%u: !row, %i: !at, %t: !cache) -> !cache
          attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>, dev.updates = array<i64: 2>} {
        %r = linalg_ext.scatter %u at %i into %t axis 0 {
        ^bb0(%new: f32, %old: f32):
          linalg.yield %new : f32
        } : (!row, !at, !cache) -> !cache
        func.return %r : !cache
      }
    }
    ```
    """

    name = "update-in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = function_named(op, "main")
        if main is None or main.is_declaration:
            return
        scatters = any(
            mark.family.data == "scatter" for _, mark in marked_functions(op)
        )
        if scatters or any(state_name(row) for row in main.arg_attrs or ()):
            InPlace(op, main).run()
