"""Contractions: out += a * b over the last loop, then an epilogue with the bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.nn import contraction as nn
from devproc.ir.program.structured import dims
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering, Mapped
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars, compute_type


def multiply_add(
    lowering: Lowering,
    inputs: Sequence[Mapped],
    shape: Sequence[int],
    parallel: Sequence[bool],
) -> SSAValue:
    """out[leading loops] += a * b, starting at zero, in the result's compute type.

    A third input is another factor of `b`, which comes first.
    """
    element = compute_type(lowering.result_type.element_type)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        *factors, accumulator = args
        a, *b = (s.cast(factor, factor.type, element) for factor in factors)
        return [s.add(accumulator, s.multiply(a, reduce(s.multiply, b)))]

    start = lowering.fill(0, shape, element)
    out = AffineMap(len(parallel), 0, dims(*range(len(shape))))
    return lowering.generic(inputs, [(start, out)], parallel, body)[0]


def lower_linear(op: Operation, lowering: Lowering) -> SSAValue:
    """Loops (leading..., n, k): x[leading..., k] * weight[n, k]."""
    assert isinstance(op, nn.LinearOp)
    shape = lowering.result_type.get_shape()
    rank = len(shape)
    leading, n, k = range(rank - 1), rank - 1, rank
    inputs = [
        (op.input, AffineMap(rank + 1, 0, dims(*leading, k))),
        (op.weight, AffineMap(rank + 1, 0, dims(n, k))),
    ]
    total = multiply_add(lowering, inputs, shape, [True] * rank + [False])
    return lowering.epilogue(total, op.bias, AffineMap(rank, 0, dims(n)))


def lower_matmul(op: Operation, lowering: Lowering) -> SSAValue:
    """Loops (batch..., m, n, k); broadcast batch dimensions are read at index 0."""
    assert isinstance(op, nn.MatmulOp)
    shape = lowering.result_type.get_shape()
    rank = len(shape)
    m, n, k = rank - 2, rank - 1, rank

    def operand(value: SSAValue, row: int, column: int) -> Mapped:
        batch = tensor_of(value).get_shape()[:-2]
        offset = rank - 2 - len(batch)
        leading = [
            offset + axis if size == shape[offset + axis] else None
            for axis, size in enumerate(batch)
        ]
        return value, AffineMap(rank + 1, 0, dims(*leading, row, column))

    inputs = [operand(op.lhs, m, k), operand(op.rhs, k, n)]
    total = multiply_add(lowering, inputs, shape, [True] * rank + [False])
    return lowering.epilogue(total)


LOWERINGS = {nn.LinearOp: lower_linear, nn.MatmulOp: lower_matmul}

NO_LOWERING: Mapping[type[Operation], str] = {}
