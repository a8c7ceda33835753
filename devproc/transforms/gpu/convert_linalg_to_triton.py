"""Turn GPU kernels on buffers into block programs of the `triton` dialect.

A kernel's family names the schedule that is tried first; the schedule of elementwise
kernels, which handles everything, stands behind the others. A kernel whose ops cannot
share one program becomes several functions, launched one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Region, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects import triton
from devproc.dialects.dev import KernelAttr, TargetAttr
from devproc.dialects.linalg_ext.scan import ScanOp
from devproc.dialects.plan import BufferOp, LaunchOp
from devproc.errors import CompileError
from devproc.ir.host.lifetimes import number_steps, steps_of
from devproc.ir.program.kernel_modules import LOOP
from devproc.ir.text.location import copy_location, describe_location
from devproc.transforms.gpu.to_triton import contraction, pointwise, reduction, scan
from devproc.transforms.gpu.to_triton.generic import Generic, generic_of
from devproc.transforms.gpu.to_triton.kernel import NeedsSplit
from devproc.transforms.gpu.to_triton.policy import Policy
from devproc.transforms.gpu.to_triton.schedule import Program

Schedule = Callable[[Program], None]

SCHEDULES: dict[str, tuple[Schedule, ...]] = {
    "pointwise": (pointwise.emit,),
    "reduction": (reduction.emit, pointwise.emit),
    "contraction": (contraction.emit, reduction.emit, pointwise.emit),
    "window": (contraction.emit, pointwise.emit),
    "gather": (pointwise.emit,),
    "scan": (scan.emit,),
}
"""Kernel family -> schedules in order of preference."""


def gpu_kernels(module: ModuleOp) -> list[func.FuncOp]:
    """The kernels that run on the GPU."""
    return [
        op
        for op in module.ops
        if isinstance(op, func.FuncOp)
        and isinstance(kernel := op.attributes.get("dev.kernel"), KernelAttr)
        and kernel.device.data == "cuda"
        and kernel.family.data != LOOP
    ]


def launches_of(module: ModuleOp, kernel: func.FuncOp) -> list[LaunchOp]:
    """All launches of a kernel."""
    return [
        op
        for op in module.walk()
        if isinstance(op, LaunchOp) and op.kernel.root_reference == kernel.sym_name
    ]


def scratch_arguments(
    kernel: func.FuncOp, launches: Sequence[LaunchOp]
) -> frozenset[SSAValue]:
    """Arguments whose buffer nothing but the one launch touches."""
    arguments = kernel.body.block.args
    if not launches:
        return frozenset()
    return frozenset(
        argument
        for index, argument in enumerate(arguments)
        if all(
            isinstance(buffer := launch.operands[index].owner, BufferOp)
            and len(list(buffer.result.uses)) == 1
            for launch in launches
        )
    )


def build_program(
    kernel: func.FuncOp,
    generics: Sequence[Generic],
    scratch: frozenset[SSAValue],
    target: TargetAttr,
) -> Program:
    """The block program of some of a kernel's ops, by the first schedule that fits."""
    family = cast(KernelAttr, kernel.attributes["dev.kernel"]).family.data
    if family not in SCHEDULES:
        raise NeedsSplit(f"no GPU schedule takes the family '{family}'")
    refusals: list[str] = []
    for schedule in SCHEDULES[family]:
        program = Program(
            generics,
            kernel.body.block.args,
            scratch,
            Policy(bool(target.interpret.data)),
            target.precision.data,
        )
        try:
            schedule(program)
        except NeedsSplit as refusal:
            refusals.append(str(refusal))
            continue
        program.body.add_op(triton.ReturnOp())
        return program
    raise NeedsSplit("; ".join(refusals))


def build_programs(
    kernel: func.FuncOp, scratch: frozenset[SSAValue], target: TargetAttr
) -> list[Program]:
    """The kernel as one program, or as one per op."""
    ops = [
        op
        for op in kernel.body.block.ops
        if isinstance(op, GenericOp | FillOp | ScanOp)
    ]
    generics = [g for g in map(generic_of, ops) if g.has_results]
    if not generics:
        return []
    try:
        return [build_program(kernel, generics, scratch, target)]
    except NeedsSplit as refusal:
        reason = str(refusal)
    try:
        return [build_program(kernel, [g], frozenset(), target) for g in generics]
    except NeedsSplit as refusal:
        raise CompileError(
            f"kernel '{kernel.sym_name.data}' ({describe_location(kernel.location)})"
            f" fits no GPU schedule: {reason}; {refusal}. Place it on the CPU"
        ) from refusal


def make_func(kernel: func.FuncOp, program: Program, name: str) -> triton.FuncOp:
    """The finished `triton.func` of a program."""
    result = triton.FuncOp(
        name,
        [v.type for v in program.body.args],
        program.grid,
        program.num_warps,
        program.num_stages,
        body=Region(program.body),
    )
    result.attributes["dev.kernel"] = kernel.attributes["dev.kernel"]
    copy_location(kernel, result)
    return result


def relaunch(launch: LaunchOp, names: Sequence[str]) -> None:
    """Replace a launch by launches of these kernels, which stay one step of the plan."""
    block = launch.parent_block()
    assert block is not None
    for step in steps_of(block):
        number_steps(step.op, step.first, step.last)
    for name in names:
        copy = launch.clone()
        copy.properties["kernel"] = SymbolRefAttr(name)
        block.insert_op_before(copy, launch)
    block.erase_op(launch)


def convert_kernel(module: ModuleOp, kernel: func.FuncOp, target: TargetAttr) -> None:
    """Replace a kernel, and its launches where it becomes several functions or none."""
    launches = launches_of(module, kernel)
    programs = build_programs(kernel, scratch_arguments(kernel, launches), target)
    name = kernel.sym_name.data
    names = [name if i == 0 else f"{name}_{i}" for i in range(len(programs))]
    block = kernel.parent_block()
    assert block is not None
    for program, part in zip(programs, names, strict=True):
        block.insert_op_before(make_func(kernel, program, part), kernel)
    block.erase_op(kernel)
    for launch in launches if len(names) != 1 else ():
        relaunch(launch, names)


@dataclass(frozen=True)
class ConvertLinalgToTritonPass(ModulePass):
    """Make a `triton.func` of every GPU kernel, which the printer turns into source.

    Before:

    ```mlir
    func.func private @relu(%x: memref<6xf32, #dev.on<"cuda">>, %y: memref<6xf32, #dev.on<"cuda">>)
        attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : memref<6xf32, #dev.on<"cuda">>) outs(%y : memref<6xf32, #dev.on<"cuda">>) {
      ^bb1(%v: f32, %o: f32):
        %r = arith.maximumf %v, %zero : f32
        linalg.yield %r : f32
      }
      func.return
    }
    ```

    After:

    ```mlir
    triton.func @relu(%x: !triton.ptr<f32>, %y: !triton.ptr<f32>) attributes {
        grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32,
        dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.relu"]>} {
      %0 = arith.constant 0.000000e+00 : f32
      %1 = arith.constant 6 : i32
      %lanes = triton.arange : tensor<8xi32>
      %2 = triton.splat %1 : i32 -> tensor<8xi32>
      %in_i = triton.compare "slt" %lanes, %2 : tensor<8xi32> -> tensor<8xi1>
      %3 = triton.addptr %x, %lanes : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
      %4 = triton.splat %0 : f32 -> tensor<8xf32>
      %x_1 = triton.load %3 mask %in_i : tensor<8xi1> other %4 : tensor<8xf32>
        : tensor<8x!triton.ptr<f32>> -> tensor<8xf32>
      %5 = arith.maximumf %x_1, %4 : tensor<8xf32>
      %6 = triton.addptr %y, %lanes : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
      triton.store %6, %5 mask %in_i : tensor<8xi1> : tensor<8x!triton.ptr<f32>>, tensor<8xf32>
      triton.return
    }
    ```
    """

    name = "convert-linalg-to-triton"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = op.attributes.get("devproc.target")
        if not isinstance(target, TargetAttr):
            target = TargetAttr.get("cuda")
        for kernel in gpu_kernels(op):
            convert_kernel(op, kernel, target)
