"""Drops the arguments that no kernel of the GPU uses, and the memory planned for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.dialects.dev import target_of
from devproc.dialects.plan import BufferOp, LaunchOp
from devproc.ir.program.kernel_modules import kernel_mark, loop_functions
from devproc.ir.program.launches import launches_by_kernel
from devproc.ir.program.updates import set_updates, updates_of
from devproc.targets.triton import GPU
from devproc.targets.triton import dialect as triton
from devproc.transforms.buffers.plan_memory import place_again


def drop_unused_arguments(
    function: triton.FuncOp | FuncOp,
    launches: Sequence[LaunchOp],
    variants: Sequence[triton.FuncOp] = (),
) -> None:
    """Drop arguments without uses from a function, its variants and all its launches."""
    block, others = function.body.block, [variant.body.block for variant in variants]
    unused = [
        argument.index
        for argument in block.args
        if not any(each.args[argument.index].uses for each in (block, *others))
    ]
    if not unused:
        return
    for each in (function, *variants):
        arguments = each.body.block.args
        for index in reversed(unused):
            each.body.block.erase_arg(arguments[index])
        types = [argument.type for argument in each.body.block.args]
        each.function_type = FunctionType.from_lists(types, [])
    if isinstance(function, FuncOp) and function.arg_attrs is not None:
        attributes = enumerate(function.arg_attrs.data)
        kept = [given for index, given in attributes if index not in unused]
        function.arg_attrs = ArrayAttr(kept)
    for launch in launches:
        drop_operands(launch, unused)


def drop_operands(launch: LaunchOp, unused: Sequence[int]) -> None:
    """Replace a launch by one without these operands."""
    kept = [v for index, v in enumerate(launch.operands) if index not in unused]
    inputs = sum(index not in unused for index in range(len(launch.inputs)))
    name = launch.kernel.root_reference.data
    new = LaunchOp(name, kept[:inputs], kept[inputs:])
    new.attributes |= launch.attributes
    if updates := updates_of(launch):
        operands = [n for n in range(len(launch.inputs)) if n not in unused]
        first = len(launch.inputs)
        results = [n for n in range(len(launch.outputs)) if first + n not in unused]
        still = {
            results.index(result): operands.index(operand)
            for result, operand in updates.items()
            if result in results and operand in operands
        }
        set_updates(new, still, len(results))
    new.location = launch.location
    block = launch.parent_block()
    assert block is not None
    block.insert_op_before(new, launch)
    block.erase_op(launch)


@dataclass(frozen=True)
class DropUnusedArgumentsPass(ModulePass):
    """Drops arguments that no kernel uses, the buffers for them, and their bytes; and kernels
    that are left without any, since they compute nothing that is read.

    Fused ops hand over values in registers. Which of them do is known once the programs
    are built: an op that needs a program of its own leaves its result in memory. So every
    temporary of a kernel has a buffer in the memory plan; this pass takes back those
    without an access, and places the rest of the arena again.

    Before:
    ```mlir
    !x = memref<6xf32, #dev.on<"cuda">>
    triton.func @relu(%t: !triton.ptr<f32>, %y: !triton.ptr<f32>) attributes {
        grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32,
        dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      triton.store %y, %zero : !triton.ptr<f32>, f32
      triton.return
    }
    func.func @main(%y: !x) {
      %arena = plan.arena "cuda" : memref<64xi8, #dev.on<"cuda">>
      %t = plan.buffer %arena id 0 offset 0 bytes 24 live 0 to 0
         : memref<64xi8, #dev.on<"cuda">> -> !x
      plan.launch @relu() -> (%t, %y) {plan.step = 0 : i64} : () -> (!x, !x)
      func.return
    }
    ```

    After:
    ```mlir
    !x = memref<6xf32, #dev.on<"cuda">>
    triton.func @relu(%y: !triton.ptr<f32>) attributes {
        grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32,
        dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      triton.store %y, %zero : !triton.ptr<f32>, f32
      triton.return
    }
    func.func @main(%y: !x) {
      plan.launch @relu() -> (%y) {plan.step = 0 : i64} : () -> (!x)
      func.return
    }
    ```
    """

    name = "drop-unused-arguments"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels, variants = (
            list[triton.FuncOp](),
            defaultdict[str, list[triton.FuncOp]](list),
        )
        for function in op.ops:
            if isinstance(function, triton.FuncOp):
                if function.variant_of is None:
                    kernels.append(function)
                else:
                    variants[function.variant_of.data].append(function)
        loops = [f for f in loop_functions(op) if is_on_the_gpu(f)]
        # Inner loops first: their launches are the uses of the arguments of outer ones.
        for function in (*kernels, *loops):
            name = function.sym_name.data
            launches = launches_by_kernel(op)[name]
            drop_unused_arguments(function, launches, variants[name])
            if isinstance(function, triton.FuncOp) and not function.body.block.args:
                useless = launches_by_kernel(op)[name]
                for each in (*useless, function, *variants[name]):
                    each.detach()
                    each.erase()
        dead = [b for b in op.walk() if isinstance(b, BufferOp) and not b.result.uses]
        arenas = dict.fromkeys(buffer.arena for buffer in dead)
        for buffer in dead:
            buffer.detach()
            buffer.erase()
        for arena in arenas:
            place_again(arena, target_of(op))


def is_on_the_gpu(function: FuncOp) -> bool:
    """Whether a function runs on the GPU."""
    mark = kernel_mark(function)
    return mark is not None and mark.device.data == GPU
