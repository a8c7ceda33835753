"""Plans the memory of the program: one arena per device, an offset for every buffer.

Two buffers may share bytes if no step needs both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from devproc.backend.installed import backend
from devproc.dialects import plan
from devproc.dialects.dev import (
    TargetAttr,
    byte_size,
    device_of,
    is_region_function,
    target_of,
)
from devproc.dialects.nn.base import int_attr, int_of
from devproc.ir.devices import HOST
from devproc.ir.host.lifetimes import memory_root, number_steps, steps_of, use_spans
from devproc.ir.program.kernel_modules import loop_functions
from devproc.ir.text.location import copy_location
from devproc.transforms.buffers.placement import Request, peak, place_requests


def alignment_of(device: str, target: TargetAttr) -> int:
    """The alignment of buffers on a device: that of its memory, at least the common one."""
    memory = backend(device).describe(target).memories[0]
    return max(memory.alignment, plan.ALIGNMENT)


def plan_block(block: Block, target: TargetAttr) -> None:
    """Replace every `memref.alloc` of the host function by a buffer of an arena."""
    steps = steps_of(block)
    for step in steps:
        number_steps(step.op, step.first)
    spans = use_spans(steps)
    allocs = [op for op in block.ops if isinstance(op, memref.AllocOp)]
    devices = dict.fromkeys(device_of(alloc.memref.type) or HOST for alloc in allocs)
    head: list[Operation] = []
    for device in devices:
        mine = [a for a in allocs if (device_of(a.memref.type) or HOST) == device]
        mine.sort(key=lambda a: spans.get(a.memref, (0, 0)))
        alignment = alignment_of(device, target)
        requests = [
            Request(i, byte_size(a.memref.type), spans.get(a.memref, (0, 0)), alignment)
            for i, a in enumerate(mine)
        ]
        layout = place_requests(requests)
        arena = plan.ArenaOp(device, peak(layout))
        arena.result.name_hint = f"{device}_arena"
        head.append(arena)
        for request, alloc in zip(requests, mine, strict=True):
            head.append(_buffer_for(alloc, arena, request, layout[request]))
    if block.first_op is not None:
        block.insert_ops_before(head, block.first_op)


def _buffer_for(
    alloc: memref.AllocOp, arena: plan.ArenaOp, request: Request, offset: int
) -> plan.BufferOp:
    """The buffer that replaces an alloc, which is erased."""
    buffer = plan.BufferOp(
        arena.result,
        alloc.memref.type,
        buffer_id=request.number,
        offset=offset,
        byte_count=request.byte_count,
        first=request.live[0],
        last=request.live[1],
    )
    copy_location(alloc, buffer)
    buffer.result.name_hint = alloc.memref.name_hint
    alloc.memref.replace_all_uses_with(buffer.result)
    alloc.detach()
    alloc.erase()
    return buffer


def place_again(value: SSAValue, target: TargetAttr) -> None:
    """Place the buffers of an arena again, after others were erased; erase an empty one."""
    arena = value.owner
    assert isinstance(arena, plan.ArenaOp)
    device, block = arena.device.data, arena.parent_block()
    assert block is not None
    buffers = {buffer.buffer_id: buffer for buffer in arena.buffers}
    alignment = alignment_of(device, target)
    requests = [
        Request(number, int_of(buffer.bytes), buffer.lifetime, alignment)
        for number, buffer in buffers.items()
    ]
    if buffers:
        layout = place_requests(requests)
        new = plan.ArenaOp(device, peak(layout))
        new.result.name_hint = value.name_hint
        block.insert_op_before(new, arena)
        for request, offset in layout.items():
            buffer = buffers[request.number]
            buffer.properties["offset"] = int_attr(offset)
            buffer.operands = [new.result]
    block.erase_op(arena)


def promise_arguments(module: ModuleOp, block: Block) -> None:
    """Record on each kernel what holds in all its launches: alignment, no aliasing."""
    promises: dict[str, list[set[str]]] = {}
    aligned: set[SSAValue] = set()
    """Arguments of loops that are known to be aligned."""

    def look_at(launches: Iterable[plan.LaunchOp]) -> None:
        for op in launches:
            name = op.kernel.root_reference.data
            outputs = {memory_root(value) for value in op.outputs}
            found = [_promises(value, op, outputs, aligned) for value in op.operands]
            before = promises.get(name, found)
            promises[name] = [a & b for a, b in zip(before, found, strict=True)]

    look_at(launches_in(block.ops))
    # Loops follow the kernels that they launch; visit outer loops first.
    for loop in reversed(loop_functions(module)):
        given = zip(loop.body.block.args, promises.get(loop.sym_name.data, ()))
        aligned.update(value for value, names in given if "llvm.align" in names)
        look_at(launches_in(loop.walk()))
    values: dict[str, Attribute] = {
        "llvm.align": IntegerAttr(plan.ALIGNMENT, i64),
        "llvm.noalias": UnitAttr(),
    }
    for function in module.ops:
        if not isinstance(function, FuncOp) or function.sym_name.data not in promises:
            continue
        if is_region_function(function):
            continue
        names = promises[function.sym_name.data]
        function.arg_attrs = ArrayAttr(
            [DictionaryAttr({key: values[key] for key in sorted(n)}) for n in names]
        )


def launches_in(ops: Iterable[Operation]) -> Iterator[plan.LaunchOp]:
    """The launches among some ops."""
    return (op for op in ops if isinstance(op, plan.LaunchOp))


def _promises(
    value: SSAValue, op: Operation, outputs: set[SSAValue], aligned: set[SSAValue]
) -> set[str]:
    root = memory_root(value)
    promises: set[str] = set()
    if isinstance(root.owner, plan.BufferOp | plan.WeightOp) or root in aligned:
        promises.add("llvm.align")
    arguments = sum(memory_root(operand) is root for operand in op.operands)
    # Two arguments may alias memory that is only read.
    if arguments == 1 or root not in outputs:
        promises.add("llvm.noalias")
    return promises


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Assigns offsets in one arena per device; disjoint live ranges share memory.

    Before:

    ```mlir
    func.func @main(%x: memref<4xf32, #dev.on<"cpu">>, %y: memref<4xf32, #dev.on<"cpu">>) {
      %a = memref.alloc() : memref<4xf32, #dev.on<"cpu">>
      plan.launch @k(%x) -> (%a) : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
      plan.launch @k(%a) -> (%y) : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
      func.return
    }
    func.func private @k(%i: memref<4xf32, #dev.on<"cpu">>, %o: memref<4xf32, #dev.on<"cpu">>) {
      func.return
    }
    ```

    After:

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
    func.func private @k(
      %i: memref<4xf32, #dev.on<"cpu">> {llvm.noalias}, %o: memref<4xf32, #dev.on<"cpu">> {llvm.noalias}
    ) {
      func.return
    }
    ```
    """

    name = "plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data == "main":
                plan_block(function.body.block, target)
                promise_arguments(op, function.body.block)
