"""Runs a CPU kernel given as text: through passes to machine code, called with NumPy."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp

from devproc.dialects.dev import OnAttr, TargetAttr
from devproc.driver import make_pass, stage_named
from devproc.ir.verification.verify import verify_module
from devproc.options import target_options
from devproc.targets.cpu import jit
from devproc.targets.cpu.backend import ALGORITHMS
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.machine.cpu_target import host_vector_bits
from devproc.targets.cpu.machine.processors import NATIVE
from devproc.targets.cpu.native_library import NativeLibrary
from tests.repository import context as make_context
from tests.repository import parse
from tests.targets import target_attr

_CPU = stage_named("cpu").passes
TO_LOOPS = _CPU[: _CPU.index("expand-math")]
"""Loops and vectors of nests with a schedule."""

CPU_PASSES = ("choose-schedules", *TO_LOOPS, "expand-math")
"""The stages `schedules` and `cpu`, but what splits and checks."""

PLAIN = ("choose-schedules{algorithms=elements}", *CPU_PASSES[1:])
"""The same as loops over single elements."""

_FAST = ",".join(name for name in ALGORITHMS if name != "elements")
SCHEDULED = (f"choose-schedules{{algorithms={_FAST}}}", *TO_LOOPS)
"""Loops for what has a better schedule than that; what has none stays."""


@cache
def context() -> Context:
    """One context for all kernels; making one takes longer than most passes."""
    return make_context()


Body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
def run_chunks(body: int, chunk_context: int, chunks: int) -> None:
    """Stands in for the thread pool: chunks one by one, the last one first."""
    call = Body(body)
    for chunk in reversed(range(chunks)):
        call(chunk_context, chunk)


def kernel_of(module: ModuleOp) -> func.FuncOp:
    """The only kernel of a module."""
    (kernel,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    return kernel


def kernel(
    family: str,
    arguments: Sequence[str],
    body: str,
    *,
    vector_bits: int = 512,
    threads: int = 2,
    precision: str = "default",
    cpu: str | None = None,
    extensions: Sequence[str] = (),
    algorithm: str | None = None,
) -> ModuleOp:
    """A module with one kernel: `arguments` are its memref types, named %0, %1, ...

    `cpu` names one of `devproc.targets.cpu.machine.processors.CPUS`; its vectors take the place of `vector_bits`.
    The kernel belongs to `algorithm`, else to that of the layout of a packed argument.
    """
    names = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(arguments))
    layouts = re.findall(r"#dev\.(?!on)(\w+)<", names)
    if layouts and algorithm is None:
        algorithm = "register_tile" if layouts[0] == "layout" else layouts[0]
    owner = f', sched.algorithm = "{algorithm}"' if algorithm else ""
    target = target_attr(
        cpu=cpu or NATIVE,
        vector_bits=vector_bits,
        threads=threads,
        precision=precision,
        extensions=extensions,
    )
    return parse(
        f"builtin.module attributes {{devproc.target = {target}}} {{\n"
        f"func.func private @kernel({names}) attributes "
        f'{{dev.kernel = #dev.kernel<"cpu", "{family}", []>{owner}}} {{\n'
        f"{body}\nfunc.return\n}}\n}}",
        context(),
    )


ELEMENTS = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "i8",
    "bool": "i1",
}


def memref_type(array: np.ndarray) -> str:
    """The memref type of a NumPy array."""
    return f"memref<{'x'.join(map(str, (*array.shape, ELEMENTS[array.dtype.name])))}>"


def generic(
    maps: Sequence[str],
    iterators: Sequence[str],
    types: Sequence[str],
    inputs: int,
    body: str,
    loops: str,
    first: int = 0,
) -> str:
    """A `linalg.generic` over the kernel's arguments, beginning with number `first`.

    The body sees the elements of the inputs as %x0, %x1, ..., those of the outputs as
    %y0, %y1, ... and leaves its result in %r.
    """
    elements = [type_.split(",")[0].split("x")[-1] for type_ in types]
    elements = [e.removesuffix(">").removeprefix("memref<") for e in elements]
    names = [f"%x{i}" for i in range(inputs)]
    names += [f"%y{i}" for i in range(len(types) - inputs)]
    values = [f"%a{first + i}" for i in range(len(types))]
    block = ", ".join(f"{n}: {e}" for n, e in zip(names, elements, strict=True))

    def operands(kind: str, which: slice) -> str:
        if not values[which]:
            return ""
        return f"{kind}({', '.join(values[which])} : {', '.join(types[which])})"

    affine = ", ".join(f"affine_map<({loops}) -> ({m})>" for m in maps)
    kinds = ", ".join(f'"{kind}"' for kind in iterators)
    return f"""
      linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
        {operands("ins", slice(0, inputs))} {operands("outs", slice(inputs, None))} {{
      ^bb0({block}):
        {body}
        linalg.yield %r : {elements[-1]}
      }}"""


def run_passes(module: ModuleOp, passes: Sequence[str] = CPU_PASSES) -> ModuleOp:
    """The module after the passes; verified after each."""
    for name in passes:
        make_pass(name).apply(context(), module)
        verify_module(module)
    return module


def llvm_text(module: ModuleOp) -> str:
    """The LLVM IR of a scheduled module; @segment_0 calls its kernel."""
    source = kernel_of(module)
    types = list(source.function_type.inputs.data)
    segment = func.FuncOp("segment_0", FunctionType.from_lists(types, []))
    block = segment.body.block
    block.add_ops([func.CallOp("kernel", block.args, []), func.ReturnOp()])
    module.body.block.add_op(segment)
    make_pass("convert-to-llvm").apply(context(), module)
    return print_module(module)


@cache
def _machine() -> Any:
    return jit._target_machine(jit.CPUTarget.host(), 2)


def compile_text(text: str) -> NativeLibrary:
    """The library of some LLVM IR."""
    parsed = jit.parse_ir(text, jit.CPUTarget.host(), _machine())
    jit._optimize(parsed, _machine(), jit.CompileOptions())
    pool = ctypes.cast(run_chunks, ctypes.c_void_p).value or 0
    symbols = {"devproc_parallel_for": pool}
    code = _machine().emit_object(parsed)
    return NativeLibrary([code], symbols)


def assembly_of(module: ModuleOp) -> str:
    """The assembly text of a scheduled module."""
    return jit.assembly(llvm_text(module), jit.CPUTarget.host())


def run_kernel(
    module: ModuleOp,
    arrays: Sequence[np.ndarray],
    passes: Sequence[str] = CPU_PASSES,
) -> None:
    """Runs the module's kernel on arrays, which must lie as its memrefs say.

    Each array is copied between guard bytes: a write outside of it is an error.
    """
    types = list(kernel_of(module).function_type.inputs.data)
    schedules = [name for name in passes if name != "expand-math"]
    run_passes(module, schedules)
    if len(schedules) < len(passes):
        _use_instructions_of_this_machine(module)
        run_passes(module, ["expand-math"])
    library = compile_text(llvm_text(module))
    buffers = [_guarded(array) for array in arrays]
    for type_, array in zip(types, arrays, strict=True):
        assert isinstance(type_, MemRefType)
        assert tuple(physical_shape(type_)) == array.shape, (type_, array.shape)
        assert array.flags.c_contiguous
    table = np.array([b.ctypes.data + GUARD for b in buffers], np.uint64)
    library.function("segment_0_entry")(table.ctypes.data)
    for buffer, array in zip(buffers, arrays, strict=True):
        inside = buffer[GUARD : GUARD + array.nbytes]
        assert (buffer[:GUARD] == 0xA5).all(), "wrote in front of a buffer"
        assert (buffer[GUARD + array.nbytes :] == 0xA5).all(), "wrote behind a buffer"
        array[...] = inside.view(array.dtype).reshape(array.shape)


def _use_instructions_of_this_machine(module: ModuleOp) -> None:
    """Vectors longer than its own are split, but what only those have it has not."""
    target = module.attributes["devproc.target"]
    assert isinstance(target, TargetAttr)
    machine = machine_of(target)
    native = machine.processor.data == NATIVE
    if native and machine.vector_bits.data > host_vector_bits():
        module.attributes["devproc.target"] = target_options(
            "cpu", target.threads.data, target.precision.data
        )


GUARD = 192


def _guarded(array: np.ndarray) -> np.ndarray:
    raw = np.full(array.nbytes + 2 * GUARD + 64, 0xA5, np.uint8)
    start = -raw.ctypes.data % 64
    buffer = raw[start : start + array.nbytes + 2 * GUARD]
    buffer[GUARD : GUARD + array.nbytes] = np.frombuffer(array.tobytes(), np.uint8)
    return buffer


def physical_shape(type_: MemRefType) -> Sequence[int]:
    """The shape as it lies in memory."""
    if isinstance(type_.memory_space, OnAttr):
        return type_.memory_space.physical_shape(type_.get_shape())
    return type_.get_shape()


__all__ = [
    "CPU_PASSES",
    "PLAIN",
    "SCHEDULED",
    "TargetAttr",
    "kernel",
    "run_kernel",
    "run_passes",
]
