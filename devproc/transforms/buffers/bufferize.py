"""Bufferizes the host program and its kernels in destination-passing style.

Every kernel receives the buffers of its results as arguments, so that all memory is
visible in `@main`, where `plan-memory` allocates it. Until then a value that is not an
output is a `memref.alloc`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from devproc.dialects.dev import is_region_function
from devproc.ir.program.kernel_modules import loop_functions
from devproc.ir.types import AnyMemRef
from devproc.transforms.buffers.host_memory import HostMemory
from devproc.transforms.buffers.kernel_memory import KernelMemory
from devproc.transforms.buffers.loop_memory import LoopMemory
from devproc.transforms.buffers.memory import argument_type


def declare_on_memory(function: FuncOp) -> None:
    """Bufferize the declaration of a kernel: results become arguments."""
    type_ = function.function_type
    tensors = (*type_.inputs.data, *type_.outputs.data)
    memory = [argument_type(type_) for type_ in tensors]
    function.function_type = FunctionType.from_lists(memory, [])


@dataclass(frozen=True)
class BufferizePass(ModulePass):
    """Replaces tensors with memrefs, so that the memory plan covers every buffer.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32, #dev.on<"cpu">> {dev.name = "x"})
        -> (tensor<4xf32, #dev.on<"cpu">> {dev.name = "y"}) {
      %h = dev.launch @exp(%x) : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
      %y = dev.launch @exp(%h) : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
      func.return %y : tensor<4xf32, #dev.on<"cpu">>
    }
    func.func private @exp(%a: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
        attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
      %empty = tensor.empty() : tensor<4xf32, #dev.on<"cpu">>
      %y = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32, #dev.on<"cpu">>) outs(%empty : tensor<4xf32, #dev.on<"cpu">>) {
      ^bb1(%v: f32, %o: f32):
        %e = math.exp %v : f32
        linalg.yield %e : f32
      } -> tensor<4xf32, #dev.on<"cpu">>
      func.return %y : tensor<4xf32, #dev.on<"cpu">>
    }
    ```

    After:

    ```mlir
    func.func @main(
      %x: memref<4xf32, #dev.on<"cpu">> {dev.name = "x", dev.role = "input"},
      %y: memref<4xf32, #dev.on<"cpu">> {dev.name = "y", dev.role = "output"}
    ) {
      %h = memref.alloc() : memref<4xf32, #dev.on<"cpu">>
      plan.launch @exp(%x) -> (%h) : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
      plan.launch @exp(%h) -> (%y) : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
      func.return
    }
    func.func private @exp(%a: memref<4xf32, #dev.on<"cpu">>, %y: memref<4xf32, #dev.on<"cpu">>)
        attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
      linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : memref<4xf32, #dev.on<"cpu">>) outs(%y : memref<4xf32, #dev.on<"cpu">>) {
      ^bb1(%v: f32, %o: f32):
        %e = math.exp %v : f32
        linalg.yield %e : f32
      }
      func.return
    }
    ```
    """

    name = "bufferize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [f for f in op.ops if isinstance(f, FuncOp)]
        loops = loop_functions(op)
        scratch: dict[str, Sequence[AnyMemRef]] = {}
        for function in functions:
            if is_region_function(function):
                continue
            if function.is_declaration:
                declare_on_memory(function)
            elif "dev.kernel" in function.attributes and function not in loops:
                kernel = KernelMemory(function)
                kernel.convert()
                scratch[function.sym_name.data] = kernel.scratch
                op.body.block.insert_ops_before(kernel.globals, function)
        kernels = {f.sym_name.data: f for f in functions}
        copies: dict[Attribute, FuncOp] = {}
        for function in loops:
            loop = LoopMemory(function, scratch, kernels, copies)
            loop.convert()
            scratch[function.sym_name.data] = loop.own_scratch
        op.body.block.add_ops(copies.values())
        for function in functions:
            if function.sym_name.data == "main":
                host = HostMemory(function, scratch)
                host.convert()
                op.body.block.add_ops(host.copies.values())
