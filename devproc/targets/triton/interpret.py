# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportPrivateUsage=false
# pyright: reportMissingTypeStubs=false
"""Runs printed kernels under Triton's interpreter, without a GPU.

Triton chooses between compiling and interpreting when its library is imported, by an
environment variable. Here the choice is per call: during a run the jitted helpers of the
library (`tl.sum`, `tl.cdiv`, ...) are replaced by interpreted ones; afterwards everything
that the interpreter patches is restored, so that the same process can compile.

The interpreter computes in NumPy and treats bfloat16 as bit patterns: it truncates where a
GPU rounds, and multiplies the bits in `tl.dot`. Our kernels compute in float32, so only
conversions and the dot are patched. A dot of f32 multiplies what tensor cores do.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from devproc.errors import DevProcError
from devproc.ir.concurrency.locks import ForkSafeLock, OneCallAtATime
from devproc.targets.triton.interpreted_dot import product
from devproc.targets.triton.interpreted_memory import KernelMemory, checked_builder
from devproc.targets.triton.interpreted_scan import interpreter_scans, scan_along
from devproc.targets.triton.kernel import (
    TritonKernel,
    as_signed,
    check_arguments,
    python_function,
)

_saved: list[tuple[Any, dict[str, Any]]] = []
"""The patched scopes with their original attributes; empty outside of a run."""

_memory: KernelMemory | None = None


def _end_run() -> None:
    """Restores the patched scopes."""
    for scope, attributes in _saved:
        _restore(scope, attributes)
    _saved.clear()


def _forget_run() -> None:
    global _memory
    _memory = None
    _end_run()


_lock = ForkSafeLock(_forget_run)
"""The interpreter is one global builder plus patches of Triton's modules."""


@contextmanager
def interpreting() -> Generator[None]:
    """A context in which Triton's library is interpreted; holds a lock; may be nested."""
    with _lock.held:
        if _saved:
            yield
            return
        try:
            _saved.extend([(scope, dict(vars(scope))) for scope in _patchable()])
            _interpret_library()
            _repair_builder()
            interpreter_scans().generic_scan = scan_along
            checked_builder(_builder(), lambda: _memory)
            # NaN, infinities and integer overflow are regular data.
            with np.errstate(all="ignore"):
                yield
        finally:
            _end_run()


@contextmanager
def compiling() -> Generator[None]:
    """A context in which no thread interprets: Triton's library is that of the compiler."""
    with _lock.held:
        yield


def launch(kernel: TritonKernel, *tensors: Any) -> None:
    """Runs the kernel on CPU tensors, in place.

    Raises BoundsError for an access outside of them, BusyError in a signal handler that
    interrupts another kernel.
    """
    check_arguments(kernel, tensors)
    arguments = [as_signed(t) for t in tensors]
    with interpreting():
        _launches.run(_launch, kernel, arguments)


_launches = OneCallAtATime("Triton's interpreter, of which a process has one,")


def _launch(kernel: TritonKernel, arguments: list[Any]) -> None:
    from triton.runtime.errors import InterpreterError

    global _memory
    _memory = KernelMemory.of(kernel.name, arguments)
    try:
        _interpreted(kernel)[kernel.grid](*arguments)
    except InterpreterError as error:
        if isinstance(error.__cause__, DevProcError):
            raise error.__cause__ from None
        raise
    finally:
        _memory = None


@cache
def _interpreted(kernel: TritonKernel) -> Any:
    from triton.runtime.interpreter import InterpretedFunction

    return InterpretedFunction(python_function(kernel))


def _patchable() -> list[Any]:
    """The modules and classes that Triton's interpreter and this module patch."""
    # Triton's launcher imports Gluon on first use, which asserts compiled helpers.
    import triton.experimental.gluon
    import triton.language as tl
    from triton.runtime import interpreter

    assert triton.experimental.gluon
    names = ("core", "standard", "math", "random")
    scopes = [tl, *(getattr(tl, name) for name in names)]
    scopes += [tl.core.tensor, tl.core.dtype, interpreter.InterpreterBuilder]
    scopes.append(interpreter_scans())
    for name in ("condition", "tensor_descriptor_base"):
        if hasattr(tl.core, name):
            scopes.append(getattr(tl.core, name))
    return scopes


def _restore(scope: Any, attributes: dict[str, Any]) -> None:
    for name, value in list(vars(scope).items()):
        if name not in attributes:
            # Names that the interpreter adds to a module's globals are looked up by
            # functions it has cached; they shadow nothing.
            if isinstance(scope, type):
                delattr(scope, name)
        elif value is not attributes[name]:
            setattr(scope, name, attributes[name])


def _interpret_library() -> None:
    import triton.language as tl
    from triton.runtime.jit import JITFunction

    for scope in (tl, tl.core, tl.standard, tl.math, tl.random, tl.core.tensor):
        for name, value in list(vars(scope).items()):
            if isinstance(value, JITFunction):
                setattr(scope, name, _interpreted_helper(value))


@cache
def _interpreted_helper(function: Any) -> Any:
    """The interpreted helper, made once: Triton compares reduction functions by identity."""
    from triton.runtime.interpreter import InterpretedFunction

    return InterpretedFunction(function.fn)


def _builder() -> Any:
    from triton.runtime.interpreter import InterpreterBuilder

    return InterpreterBuilder


def _repair_builder() -> None:
    """Patches the interpreter's builder: bfloat16, fused multiply-add, NaN, booleans."""
    import triton.language as tl
    from triton.runtime.interpreter import TensorHandle

    builder = _builder()
    plain_cast: Callable[..., Any] = builder.cast_impl

    def widen(handle: Any) -> Any:
        if handle.dtype.scalar != tl.bfloat16:
            return handle
        return TensorHandle(_bfloat16_to_float32(handle.data), tl.float32)

    def cast(self: Any, source: Any, target: Any) -> Any:
        if target.scalar == tl.bfloat16 and source.dtype.scalar != tl.bfloat16:
            single = plain_cast(self, source, tl.float32)
            return TensorHandle(_float32_to_bfloat16(single.data), tl.bfloat16)
        return plain_cast(self, widen(source), target)

    def dot(self: Any, a: Any, b: Any, acc: Any, precision: Any, *_: Any) -> Any:
        x, y = (widen(handle).data.astype(acc.data.dtype) for handle in (a, b))
        way = precision.name.lower() if a.dtype.scalar == tl.float32 else "ieee"
        return TensorHandle(product(x, y, way) + acc.data, acc.dtype.scalar)

    def index(self: Any) -> int:
        return int(np.asarray(self.handle.data).reshape(()))

    def float_to_float(self: Any, source: Any, target: Any, _mode: Any) -> Any:
        return cast(self, source, target)

    def fused(self: Any, a: Any, b: Any, c: Any) -> Any:
        data = fused_multiply_add(a.data, b.data, c.data)
        return TensorHandle(data.astype(c.data.dtype), c.dtype.scalar)

    # Older versions propagate NaN here, while a GPU returns the number.
    def larger(self: Any, a: Any, b: Any) -> Any:
        return self.binary_op(a, b, np.fmax)

    def smaller(self: Any, a: Any, b: Any) -> Any:
        return self.binary_op(a, b, np.fmin)

    def boolean(compare: Callable[..., Any]) -> Callable[..., Any]:
        # Otherwise a broadcast comparison of scalars becomes an integer.
        def compare_as_boolean(self: Any, a: Any, b: Any) -> Any:
            return TensorHandle(compare(self, a, b).data, tl.int1)

        return compare_as_boolean

    for name, method in list(vars(builder).items()):
        if name.startswith(("create_icmp", "create_fcmp")):
            setattr(builder, name, boolean(method))
    builder.cast_impl = cast
    builder.create_fp_to_fp = float_to_float
    builder.create_dot = dot
    builder.create_fma = fused
    builder.create_maxnumf, builder.create_minnumf = larger, smaller
    tensor: Any = tl.core.tensor
    tensor.__index__ = index


def fused_multiply_add(a: Any, b: Any, c: Any) -> Any:
    """`a * b + c` in float64, with what the product loses to its rounding added back.

    Products of float32 lose nothing. The loss comes of the halves of the factors (Dekker);
    where those overflow, the result is rounded twice.
    """
    x, y = (np.asarray(factor, np.float64) for factor in (a, b))
    product = x * y
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    lost = x_high * y_high - product + x_high * y_low + x_low * y_high + x_low * y_low
    return product + c + np.where(np.isfinite(lost), lost, 0.0)


def _halves(x: Any) -> tuple[Any, Any]:
    """Two numbers of half as many bits, whose sum is `x` (Veltkamp)."""
    moved = x * (2.0**27 + 1)
    high = moved - (moved - x)
    return high, x - high


def _bfloat16_to_float32(bits: Any) -> Any:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _float32_to_bfloat16(values: Any) -> Any:
    """The bits rounded to nearest, ties to even; a NaN stays a (quiet) NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)
