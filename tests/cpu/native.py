"""Compile a module written by hand and run its `@segment_0` on numpy arrays."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from devproc.ir.object_cache import ObjectCache
from devproc.ir.verification.verify import verify_module
from devproc.targets.cpu.jit import CompileOptions, compile_object
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.native_code import SegmentCode
from devproc.targets.cpu.transforms.convert_to_llvm import ConvertToLlvmPass
from tests.repository import context, parse

NO_CACHE = ObjectCache(None)


def lower(text: str) -> ModuleOp:
    """The module after convert-to-llvm, verified before and after."""
    module = parse(text)
    verify_module(module)
    ConvertToLlvmPass().apply(context(), module)
    verify_module(module)
    return module


def run(
    text: str, *arrays: NDArray[np.generic], threads: int = 1, level: int = 2
) -> None:
    """Run `@segment_0` in place on the arrays, its operands in order."""
    ir = print_module(lower(text))
    code = compile_object(ir, options=CompileOptions(level), cache=NO_CACHE)
    call(SegmentCode([code], threads), *arrays)


def call(code: object, *arrays: NDArray[np.generic], symbol: str = "segment_0") -> None:
    """Call a loaded segment with the addresses of the arrays."""
    table = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    code.entry(symbol)(ctypes.addressof(table))  # type: ignore[attr-defined]


def unaligned(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """A copy that starts one element after a multiple of 64 bytes."""
    raw = np.empty(array.nbytes + 128, np.uint8)
    start = -raw.ctypes.data % 64 + array.itemsize
    copy = raw[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
