"""Turn GPU kernels on buffers into block programs of the `triton` dialect.

A kernel whose ops cannot share one program becomes several functions, launched one after
the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass

from devproc.algorithms import GPU_ALGORITHMS, algorithm
from devproc.algorithms.base import KernelOps
from devproc.algorithms.choosing import ChosenNest, choose_apart, refusals_of
from devproc.dialects import triton
from devproc.dialects.dev import KernelAttr, TargetAttr
from devproc.dialects.linalg_ext.scan import ScanOp
from devproc.dialects.plan import LaunchOp
from devproc.errors import CompileError
from devproc.ir.host.lifetimes import number_steps, steps_of
from devproc.ir.program.kernel_modules import LOOP
from devproc.ir.text.location import copy_location, describe_location
from devproc.transforms.gpu.to_triton.generic import generic_of
from devproc.transforms.gpu.to_triton.nest import BlockNest, mark_scratch
from devproc.transforms.gpu.to_triton.program import Program


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


def launches_in(module: ModuleOp) -> Mapping[str, list[LaunchOp]]:
    """The launches of each kernel, by its name."""
    found: defaultdict[str, list[LaunchOp]] = defaultdict(list)
    for op in module.walk():
        if isinstance(op, LaunchOp):
            found[op.kernel.root_reference.data].append(op)
    return found


def structured_ops(kernel: func.FuncOp) -> list[Operation]:
    """The ops that compute something: some tensors are empty."""
    return [
        op
        for op in kernel.body.block.ops
        if op.dialect_name() in ("linalg", "linalg_ext")
        and not (
            isinstance(op, GenericOp | FillOp | ScanOp)
            and not generic_of(op).has_results
        )
    ]


def chosen_nests(kernel: func.FuncOp, target: TargetAttr) -> list[ChosenNest]:
    """The kernel as one program, or as one per op, each with its schedule.

    Raises CompileError where an op fits no algorithm.
    """
    algorithms = list(map(algorithm, GPU_ALGORITHMS))
    family = cast(KernelAttr, kernel.attributes["dev.kernel"]).family.data
    ops = KernelOps(structured_ops(kernel), family)
    nests = choose_apart(ops, target, algorithms)
    taken = [op for nest in nests for op in nest.nest.ops]
    left = [op for op in ops.ops if op not in taken]
    if not left:
        return nests
    reasons = refusals_of(ops, target, algorithms)
    if len(ops.ops) > 1:
        reasons += refusals_of(KernelOps(left[:1], family), target, algorithms)
    raise CompileError(
        f"kernel '{kernel.sym_name.data}' ({describe_location(kernel.location)})"
        f" fits no GPU schedule: '{left[0].name}':"
        f" {'; '.join(dict.fromkeys(reasons)) or 'no algorithm knows it'}."
        " Place it on the CPU"
    )


def expanded(chosen: ChosenNest, target: TargetAttr) -> Program:
    """The block program of a nest."""
    program = Program(cast(BlockNest, chosen.nest), target)
    chosen.algorithm.expand(chosen.nest, chosen.choice.schedule, program, target)
    program.body.add_op(triton.ReturnOp())
    return program


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


def convert_kernel(
    kernel: func.FuncOp, launches: Sequence[LaunchOp], target: TargetAttr
) -> None:
    """Replace a kernel, and its launches where it becomes several functions or none."""
    mark_scratch(kernel, launches)
    programs = [expanded(chosen, target) for chosen in chosen_nests(kernel, target)]
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
        kernels, launches = gpu_kernels(op), launches_in(op)
        for kernel in kernels:
            convert_kernel(kernel, launches[kernel.sym_name.data], target)
