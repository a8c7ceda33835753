"""Adds the native loop over the calls of a program that can be repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.dialects import plan
from devproc.dialects.dev import OnAttr, checks_bounds
from devproc.dialects.dev.layouts import Layout
from devproc.ir.functions import function_named
from devproc.ir.host.batch import part_count
from devproc.ir.host.lifetimes import steps_of
from devproc.ir.program.region_functions import region_functions
from devproc.ir.program.repeat import repetition_of
from devproc.ir.program.state import TWO_PLACES, state_name
from devproc.ir.types import AnyMemRef
from devproc.transforms.host.outline_segments import runs_of_launches
from devproc.transforms.host.repeating.segment_loop import (
    SegmentLoop,
    output_arguments,
)


def why_not_native(module: ModuleOp) -> str | None:
    """Why the runtime repeats the calls of a program on memory, one by one.

    None where a native loop does.
    """
    main = function_named(module, "main")
    if main is None:
        return "there is no @main"
    rows = main.arg_attrs or ()
    two_places = next((state_name(r) for r in rows if TWO_PLACES in r.data), None)
    if two_places is not None:
        return f"the state '{two_places}' has two places"
    if checks_bounds(module):
        return "the program checks its accesses"
    if part_count(main) != 1:
        return "a call has several parts"
    steps = steps_of(main.body.block)
    runs = list(runs_of_launches(main.body.block, 0, region_functions(module)))
    if len(runs) != 1 or len(runs[0]) != len(steps):
        return "not all of its steps are kernels of the host"
    types = [cast(AnyMemRef, arg.type) for arg in output_arguments(main)]
    if any(_layout_of(type_) is not None for type_ in types):
        return "an output has a layout of its own"
    return None


def _layout_of(type_: AnyMemRef) -> Layout | None:
    place = type_.memory_space
    layout = place.layout if isinstance(place, OnAttr) else None
    return layout if isinstance(layout, Layout) else None


@dataclass(frozen=True)
class RepeatSegmentsPass(ModulePass):
    """Adds a loop over the segment of a program that can be repeated (`devproc.repeat`).

    It takes what the segment takes, each output for all calls, and a control block: the
    most calls, how many were made, and a function that is called after each of them. The
    runtime repeats the calls of programs with several host steps (`why_not_native`).

    Before:

    ```mlir
    !flag = memref<1xi1, #dev.on<"cpu">>
    !count = memref<1xi64, #dev.on<"cpu">>
    module attributes {devproc.repeat = {at_most = 9 : i64, until = "ended"},
        devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
      func.func @main(%s: !count {dev.name = "s", dev.state = "s", dev.in_place, dev.role = "state"},
          %e: !flag {dev.name = "ended", dev.role = "output"}) {
        plan.launch @segment_0() -> (%s, %e) : () -> (!count, !flag)
        func.return
      }
      func.func private @segment_0(%s: !count, %e: !flag) {
        func.return
      }
    }
    ```

    After:

    ```mlir
    !flag = memref<1xi1, #dev.on<"cpu">>
    !count = memref<1xi64, #dev.on<"cpu">>
    module attributes {devproc.repeat = {at_most = 9 : i64, until = "ended"},
        devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
      func.func @main(%s: !count {dev.name = "s", dev.state = "s", dev.in_place, dev.role = "state"},
          %e: !flag {dev.name = "ended", dev.role = "output"}) {
        plan.launch @segment_0() -> (%s, %e) : () -> (!count, !flag)
        func.return
      }
      func.func private @segment_0(%s: !count, %e: !flag) {
        func.return
      }
      func.func private @segment_0_repeat(%s: !count, %e: memref<9x1xi1, #dev.on<"cpu">>,
          %control: memref<3xi64, #dev.on<"cpu">>) {
        %0 = arith.constant 0 : index
        %1 = arith.constant 0 : index
        %2 = arith.constant 1 : index
        %3 = arith.constant 1 : index
        %4 = arith.constant true
        %5 = memref.load %control[%0] : memref<3xi64, #dev.on<"cpu">>
        %6 = arith.index_cast %5 : i64 to index
        %7 = scf.while (%8 = %1) : (index) -> index {
          %9 = plan.slice %e[%8] : memref<9x1xi1, #dev.on<"cpu">> -> !flag
          func.call @segment_0(%s, %9) : (!count, !flag) -> ()
          %10 = arith.addi %8, %2 : index
          %11 = arith.index_cast %10 : index to i64
          memref.store %11, %control[%3] : memref<3xi64, #dev.on<"cpu">>
          %12 = plan.follow %control : memref<3xi64, #dev.on<"cpu">> -> i1
          %13 = memref.load %9[%1] : !flag
          %14 = arith.cmpi slt, %10, %6 : index
          %15 = arith.xori %13, %4 : i1
          %16 = arith.andi %12, %15 : i1
          %17 = arith.andi %14, %16 : i1
          scf.condition(%17) %10 : index
        } do {
        ^bb0(%18: index):
          scf.yield %18 : index
        }
        func.return
      }
    }
    ```
    """

    name = "repeat-segments"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        repetition, main = repetition_of(op), function_named(op, "main")
        if repetition is None or main is None or why_not_native(op) is not None:
            return
        launches = [step.op for step in steps_of(main.body.block)]
        if len(launches) != 1:  # a segment for each kernel, for a trace
            return
        (launch,) = launches
        assert isinstance(launch, plan.LaunchOp)
        segment = function_named(op, launch.kernel.root_reference.data)
        assert segment is not None
        op.body.block.add_op(SegmentLoop(main, segment, launch, repetition).function())
