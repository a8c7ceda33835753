"""Outlines consecutive CPU launches into segments, each one native call."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    SymbolRefAttr,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects import plan
from devproc.dialects.dev import device_of
from devproc.ir.devices import HOST
from devproc.ir.host.lifetimes import is_step, memory_root, number_steps, steps_of
from devproc.ir.program.region_functions import region_functions
from devproc.ir.text.location import fuse_locations

PREFIX = "segment_"
"""Prefix of the names of segments; `convert-to-llvm` gives each an entry point."""


def on_host(launch: plan.LaunchOp) -> bool:
    """Whether a launch accesses only host memory."""
    return all(device_of(value.type) in (HOST, None) for value in launch.operands)


def runs_of_launches(
    block: Block, limit: int, regions: Container[str] = ()
) -> Iterator[list[plan.LaunchOp]]:
    """Runs of consecutive CPU launches, each of at most `limit` launches.

    `regions` names the functions of regions, which no segment contains.
    """
    run: list[plan.LaunchOp] = []
    for op in block.ops:
        if not is_step(op):
            continue
        joins = (
            isinstance(op, plan.LaunchOp)
            and on_host(op)
            and op.kernel.root_reference.data not in regions
        )
        if run and (not joins or len(run) == limit):
            yield run
            run = []
        if isinstance(op, plan.LaunchOp) and joins:
            run.append(op)
    if run:
        yield run


def outline_run(run: list[plan.LaunchOp], name: str) -> tuple[FuncOp, plan.LaunchOp]:
    """The segment that calls the kernels of a run, and its launch.

    Views move into the segment, so that it has one argument per buffer. Buffers with
    disjoint live ranges may overlap in the arena, so only the arguments of kernels, not
    those of the segment, are declared not to alias.
    """
    written = {memory_root(value) for launch in run for value in launch.outputs}
    roots = dict.fromkeys(memory_root(v) for launch in run for v in launch.operands)
    inputs = [root for root in roots if root not in written]
    outputs = [root for root in roots if root in written]
    block = Block(arg_types=[value.type for value in (*inputs, *outputs)])
    local: dict[SSAValue, SSAValue] = {}
    for value, argument in zip((*inputs, *outputs), block.args, strict=True):
        local[value] = argument
        argument.name_hint = value.name_hint

    def inside(value: SSAValue) -> SSAValue:
        if value not in local:
            view = value.owner
            assert isinstance(view, plan.ViewOp)
            new = plan.ViewOp(inside(view.source), view.result.type)
            new.location = view.location
            block.add_op(new)
            local[value] = new.result
        return local[value]

    for old in run:
        call = CallOp(
            SymbolRefAttr(old.kernel.root_reference.data),
            [inside(value) for value in old.operands],
            [],
        )
        call.location = old.location
        block.add_op(call)
    block.add_op(ReturnOp())
    segment = FuncOp(name, (block.arg_types, []), Region(block), "private")
    segment.arg_attrs = ArrayAttr(
        [DictionaryAttr(_promises(value)) for value in (*inputs, *outputs)]
    )
    segment.location = fuse_locations(old.location for old in run)
    launch = plan.LaunchOp(name, inputs, outputs)
    launch.location = segment.location
    return segment, launch


def _promises(value: SSAValue) -> dict[str, Attribute]:
    if not isinstance(value.owner, plan.BufferOp | plan.WeightOp):
        return {}
    return {"llvm.align": IntegerAttr(plan.ALIGNMENT, i64)}


def erase_unused_views(block: Block) -> None:
    """Erase the views that became unused by moving into segments."""
    for op in reversed(list(block.ops)):
        if isinstance(op, plan.ViewOp) and not op.result.uses:
            op.detach()
            op.erase()


@dataclass(frozen=True)
class OutlineSegmentsPass(ModulePass):
    """Outlines runs of CPU launches, so that an all-CPU program is one native call.

    `max_launches` bounds the kernels of a segment (0: no bound); C libraries set it to 1.

    Before:

    ```mlir
    func.func @main(%x: memref<4xf32, #dev.on<"cpu">>, %y: memref<4xf32, #dev.on<"cpu">>) {
      %arena = plan.arena "cpu" : memref<64xi8, #dev.on<"cpu">>
      %a = plan.buffer %arena id 0 offset 0 bytes 16 live 0 to 1
         : memref<64xi8, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
      plan.launch @k(%x) -> (%a) {plan.step = 0 : i64}
         : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
      plan.launch @k(%a) -> (%y) {plan.step = 1 : i64}
         : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
      func.return
    }
    func.func private @k(memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) -> ()
    ```

    After:

    ```mlir
    func.func @main(%x: memref<4xf32, #dev.on<"cpu">>, %y: memref<4xf32, #dev.on<"cpu">>) {
      %arena = plan.arena "cpu" : memref<64xi8, #dev.on<"cpu">>
      %a = plan.buffer %arena id 0 offset 0 bytes 16 live 0 to 1
         : memref<64xi8, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
      plan.launch @segment_0(%x) -> (%a, %y) {plan.step = 0 : i64, plan.last_step = 1 : i64}
         : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>)
      func.return
    }
    func.func private @k(memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) -> ()
    func.func private @segment_0(
      %x: memref<4xf32, #dev.on<"cpu">>,
      %a: memref<4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64},
      %y: memref<4xf32, #dev.on<"cpu">>
    ) {
      func.call @k(%x, %a) : (memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) -> ()
      func.call @k(%a, %y) : (memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) -> ()
      func.return
    }
    ```
    """

    name = "outline-segments"

    max_launches: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if not isinstance(function, FuncOp) or function.sym_name.data != "main":
                continue
            block = function.body.block
            steps = {step.op: step for step in steps_of(block)}
            for step in steps.values():
                number_steps(step.op, step.first, step.last)
            regions = region_functions(op)
            runs = list(runs_of_launches(block, self.max_launches, regions))
            for index, run in enumerate(runs):
                segment, launch = outline_run(run, f"{PREFIX}{index}")
                number_steps(launch, steps[run[0]].first, steps[run[-1]].last)
                block.insert_op_after(launch, run[-1])
                op.body.block.add_op(segment)
                for old in run:
                    old.detach()
                    old.erase()
            erase_unused_views(block)
