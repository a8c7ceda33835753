# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportPrivateUsage=false, reportIncompatibleMethodOverride=false
# pyright: reportCallIssue=false
"""The operations of an interpreted kernel, each for many programs of its grid at once.

Triton's interpreter runs one program after the other and takes about as long for an
operation on a small block as on a large one. Here every value has a leading dimension,
for the programs that run together: a scalar has shape `[programs]`, a block of 64 x 32
`[programs, 64, 32]`; what is the same in all programs has one entry.

The interpreter also treats bfloat16 as bit patterns: it truncates where a GPU rounds, and
multiplies the bits in `tl.dot`. Our kernels compute in float32, so only constants,
conversions and the dot are different here. A dot of f32 multiplies what tensor cores do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

from devproc.targets.triton.interpretation.dot import product
from devproc.targets.triton.interpretation.memory import KernelMemory


@dataclass
class Running:
    """The programs that run together."""

    memory: KernelMemory
    grid: tuple[int, int, int]
    ids: tuple[Any, Any, Any]
    """The position of each program along the axes of the grid."""
    largest: int = 1
    """Elements of the largest block so far."""


class ProgramsBuilder(InterpreterBuilder):
    """Computes the operations of kernels on NumPy arrays."""

    running: Running | None = None
    """What runs; None between kernels."""

    # Constants and positions.

    def get_bf16(self, value: float) -> Any:
        """A constant; older versions have no such method."""
        return self.cast_impl(self.get_fp32(value), tl.bfloat16)

    def create_get_program_id(self, axis: int) -> Any:
        """The position of each program along an axis of the grid."""
        assert self.running is not None
        return TensorHandle(self.running.ids[axis], tl.int32)

    def create_get_num_programs(self, axis: int) -> Any:
        """The number of programs along an axis of the grid."""
        assert self.running is not None
        return TensorHandle(np.array([self.running.grid[axis]], np.int32), tl.int32)

    def create_make_range(self, _: Any, start: int, stop: int) -> Any:
        """The integers from start to stop."""
        return TensorHandle(np.arange(start, stop, dtype=np.int32)[None], tl.int32)

    # Shapes.

    def create_splat(self, ret_ty: Any, arg: Any) -> Any:
        """A block of one scalar."""
        data = arg.data.reshape(-1, *[1] * len(ret_ty.shape))
        return self.block(data, ret_ty.shape, arg.dtype.scalar)

    def create_unsplat(self, arg: Any) -> Any:
        """The scalar of a block of one element."""
        return TensorHandle(arg.data.reshape(-1), arg.dtype.scalar)

    def create_broadcast(self, arg: Any, shape: Sequence[int]) -> Any:
        """A block with dimensions of size one repeated."""
        return self.block(arg.data, shape, arg.dtype.scalar)

    def block(self, data: Any, shape: Sequence[int], dtype: Any) -> Any:
        """A block of this shape, by repetition."""
        full = (len(data), *shape)
        if self.running is not None:
            size = prod(shape)
            self.running.largest = max(self.running.largest, size)
        return TensorHandle(np.broadcast_to(data, full), dtype)

    def create_expand_dims(self, arg: Any, axis: int) -> Any:
        """A block with one more dimension, of size one."""
        return TensorHandle(np.expand_dims(arg.data, axis + 1), arg.dtype.scalar)

    def create_reshape(self, arg: Any, shape: Sequence[int], _: bool) -> Any:
        """The same elements in another shape."""
        data = arg.data.reshape(len(arg.data), *shape)
        return TensorHandle(data, arg.dtype.scalar)

    def create_trans(self, arg: Any, perm: Sequence[int]) -> Any:
        """A block with its dimensions in another order."""
        order = (0, *(axis + 1 for axis in perm))
        return TensorHandle(np.transpose(arg.data, order), arg.dtype.scalar)

    def create_join(self, lhs: Any, rhs: Any) -> Any:
        """Two blocks along a new last dimension."""
        pair = np.broadcast_arrays(lhs.data, rhs.data)
        return TensorHandle(np.stack(pair, axis=-1), lhs.dtype.scalar)

    def create_cat(self, lhs: Any, rhs: Any) -> Any:
        """Two blocks one after the other."""
        count = max(len(lhs.data), len(rhs.data))
        pair = [np.broadcast_to(v, (count, *v.shape[1:])) for v in (lhs.data, rhs.data)]
        return TensorHandle(np.concatenate(pair, axis=1), lhs.dtype.scalar)

    def create_gather(self, src: Any, indices: Any, axis: int) -> Any:
        """Elements at indices along an axis."""
        data = np.take_along_axis(src.data, indices.data, axis=axis + 1)
        return TensorHandle(data, src.dtype.scalar)

    # Memory.

    @property
    def memory(self) -> KernelMemory:
        """The memory of the running kernel."""
        assert self.running is not None
        return self.running.memory

    def create_load(self, ptr: Any, *rest: Any) -> Any:
        """The elements at these addresses."""
        mask = TensorHandle(np.ones_like(ptr.data, dtype=bool), tl.int1)
        return self.create_masked_load(ptr, mask, None, *rest)

    def create_masked_load(
        self, ptrs: Any, mask: Any, other: Any, *_: Any, **options: Any
    ) -> Any:
        """The elements at these addresses, `other` where masked off."""
        element = ptrs.get_element_ty()
        dtype = interpreter._get_np_dtype(element)
        rest = np.zeros((), dtype) if other is None else other.data
        arrays = np.broadcast_arrays(ptrs.data, mask.data, rest)
        return TensorHandle(self.memory.load(*arrays, dtype), element)

    def create_masked_store(self, ptrs: Any, value: Any, mask: Any, *_: Any) -> None:
        """Writes elements where the mask is set."""
        arrays = np.broadcast_arrays(ptrs.data, mask.data, value.data)
        self.memory.store(*arrays)

    def create_atomic_rmw(
        self, rmwOp: Any, ptr: Any, val: Any, mask: Any, sem: Any, scope: Any
    ) -> Any:
        """The old elements, which are replaced one after the other."""
        arrays = np.broadcast_arrays(ptr.data, val.data, mask.data)
        pointers, data, active = arrays
        size = data.dtype.itemsize
        self.memory.piece("an atomic operation", pointers, active, size)
        handles = [
            TensorHandle(np.ascontiguousarray(array), like.dtype)
            for array, like in zip(arrays, (ptr, val, mask), strict=True)
        ]
        return super().create_atomic_rmw(rmwOp, *handles, sem, scope)

    # Arithmetic.

    def cast_impl(self, src: Any, dst_type: Any) -> Any:
        """A conversion; bfloat16 is rounded to nearest."""
        source, target = src.dtype.scalar, dst_type.scalar
        if source == target:
            return src
        data = src.data
        if source == tl.bfloat16:
            data = bfloat16_to_float32(data)
        if target == tl.bfloat16:
            return TensorHandle(float32_to_bfloat16(data.astype(np.float32)), target)
        return TensorHandle(data.astype(interpreter._get_np_dtype(dst_type)), target)

    def create_fp_to_fp(self, src: Any, dst_type: Any, _: Any) -> Any:
        """A conversion between float types."""
        return self.cast_impl(src, dst_type)

    def create_dot(self, a: Any, b: Any, acc: Any, precision: Any, *_: Any) -> Any:
        """A product of blocks in the type of the accumulator."""
        factors = [
            self.cast_impl(v, tl.float32).data
            if v.dtype.scalar == tl.bfloat16
            else v.data
            for v in (a, b)
        ]
        x, y = (factor.astype(acc.data.dtype) for factor in factors)
        way = precision.name.lower() if a.dtype.scalar == tl.float32 else "ieee"
        return TensorHandle(product(x, y, way) + acc.data, acc.dtype.scalar)

    def create_fma(self, x: Any, y: Any, z: Any) -> Any:
        """`x * y + z`, rounded once."""
        data = fused_multiply_add(x.data, y.data, z.data)
        return TensorHandle(data.astype(z.data.dtype), z.dtype.scalar)

    # Older versions propagate NaN here, while a GPU returns the number.

    def create_maxnumf(self, lhs: Any, rhs: Any) -> Any:
        """The larger number."""
        return self.binary_op(lhs, rhs, np.fmax)

    def create_minnumf(self, lhs: Any, rhs: Any) -> Any:
        """The smaller number."""
        return self.binary_op(lhs, rhs, np.fmin)


def _boolean(name: str) -> Any:
    """A comparison with a boolean result; the interpreter gives it its operands' type."""
    compare = getattr(InterpreterBuilder, name)

    def as_boolean(self: Any, lhs: Any, rhs: Any) -> Any:
        return TensorHandle(compare(self, lhs, rhs).data, tl.int1)

    return as_boolean


for _name in list(vars(InterpreterBuilder)):
    if _name.startswith(("create_icmp", "create_fcmp")):
        setattr(ProgramsBuilder, _name, _boolean(_name))


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


def bfloat16_to_float32(bits: Any) -> Any:
    """The numbers with these bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def float32_to_bfloat16(values: Any) -> Any:
    """The bits rounded to nearest, ties to even; a NaN stays a (quiet) NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)
