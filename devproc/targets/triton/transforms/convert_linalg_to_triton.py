"""Lowers GPU kernels on buffers to block programs in the `triton` dialect.

A kernel with several nests becomes several functions, which are launched in order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Region
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.choosing import scheduled_nest
from devproc.dialects.dev import TargetAttr, target_of
from devproc.dialects.plan import LaunchOp
from devproc.dialects.sched import NestOp, Schedule
from devproc.dialects.sched.ops import is_structured
from devproc.ir.program.kernel_modules import device_kernels
from devproc.ir.program.launches import launches_by_kernel, relaunch
from devproc.ir.text.location import copy_location
from devproc.targets.triton import GPU
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect.options import with_arch
from devproc.targets.triton.transforms.plan_other_archs import PLANS
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program


def expand(
    op: NestOp, schedule: Schedule, kernel: func.FuncOp, target: TargetAttr
) -> Program:
    """The block program of a nest by a schedule.

    Raises PassFailedException if the schedule is not legal for the nest.
    """
    nest = scheduled_nest(op, kernel, target, schedule)
    program = Program(cast(BlockNest, nest), target)
    algorithm(schedule.algorithm).expand(nest, schedule, program, target)
    program.body.add_op(triton.ReturnOp())
    return program


def nests_of(kernel: func.FuncOp) -> list[NestOp]:
    """The nests of a kernel.

    Raises PassFailedException if an op is outside of all nests.
    """
    for op in kernel.body.block.ops:
        if is_structured(op):
            raise PassFailedException(
                f"'{op.name}' of the kernel @{kernel.sym_name.data} has no schedule;"
                " run choose-schedules first"
            )
    return [op for op in kernel.body.block.ops if isinstance(op, NestOp)]


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


def names_of(name: str, count: int, taken: set[str]) -> list[str]:
    """So many names of functions, the first that of the kernel, which none has yet."""
    free = (f"{name}_{number}" for number in itertools.count(1))
    more = itertools.islice((n for n in free if n not in taken), max(count - 1, 0))
    names = [name, *more][:count]
    taken.update(names)
    return names


def variants_of(
    nest: NestOp, kernel: func.FuncOp, name: str, target: TargetAttr
) -> Iterator[triton.FuncOp]:
    """The functions of a nest for architectures with schedules of their own."""
    plans = nest.attributes.get(PLANS)
    for arch, plan in plans.data.items() if isinstance(plans, DictionaryAttr) else ():
        schedule = cast(Schedule, plan)
        program = expand(nest, schedule, kernel, with_arch(target, arch))
        variant = make_func(kernel, program, f"{name}_{arch}")
        variant.variant_of, variant.arch = StringAttr(name), StringAttr(arch)
        yield variant


def convert_kernel(
    kernel: func.FuncOp,
    launches: Sequence[LaunchOp],
    target: TargetAttr,
    taken: set[str],
) -> None:
    """Replace a kernel, and its launches if it becomes several functions or none; `taken`
    are the names of all kernels."""
    nests = nests_of(kernel)
    names = names_of(kernel.sym_name.data, len(nests), taken)
    block = kernel.parent_block()
    assert block is not None
    for nest, part in zip(nests, names, strict=True):
        program = expand(nest, nest.schedule, kernel, target)
        block.insert_op_before(make_func(kernel, program, part), kernel)
        for variant in variants_of(nest, kernel, part, target):
            block.insert_op_before(variant, kernel)
    block.erase_op(kernel)
    for launch in launches if len(names) != 1 else ():
        relaunch(launch, names)


@dataclass(frozen=True)
class ConvertLinalgToTritonPass(ModulePass):
    """Lowers every nest of a GPU kernel to a `triton.func`, according to its schedule.

    The algorithm of a schedule builds the program from the nest and the schedule alone;
    no decision is made here. A schedule that is not legal for its nest is an error with
    the reason. The printer emits Triton source from the functions.

    Before:

    ```mlir
    func.func private @relu(%x: memref<6xf32, #dev.on<"cuda">>, %y: memref<6xf32, #dev.on<"cuda">>)
        attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.blocks<size = 8, warps = 4> why "6 elements" {
        linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : memref<6xf32, #dev.on<"cuda">>) outs(%y : memref<6xf32, #dev.on<"cuda">>) {
        ^bb1(%v: f32, %o: f32):
          %r = arith.maximumf %v, %zero : f32
          linalg.yield %r : f32
        }
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
        target, launches = target_of(op), launches_by_kernel(op)
        kernels = list(device_kernels(op, (GPU,)))
        taken = {kernel.sym_name.data for kernel in kernels}
        for kernel in kernels:
            convert_kernel(kernel, launches[kernel.sym_name.data], target, taken)
