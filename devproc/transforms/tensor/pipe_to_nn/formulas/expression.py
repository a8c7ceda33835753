"""Formulas over tensors, whose operators emit `nn` ops:

e = Expressions(builder)
x = e.of(op.operand)
y = e.maximum(x.cast("float32") * 2.0 - 1.0, 0.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import compare, elementary, pointwise, reduction
from devproc.dialects.nn.base import NNOp, int_attr
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.shape import (
    ConcatOp,
    ExpandOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.dialects.nn.sort import SortOp
from devproc.ir.types import DTYPES, dtype_name, tensor, tensor_of

Number: TypeAlias = int | float | bool


class Inserter(Protocol):
    """Where ops are inserted: a builder, a rewriter, an importer's graph."""

    def insert(self, op: Operation, /) -> Operation:
        """Inserts an op after the previous ones."""
        ...


class Expressions:
    """Creates the leaves of formulas, and ops that have no operator."""

    def __init__(self, builder: Inserter):
        self._builder = builder

    def of(self, value: SSAValue) -> Expression:
        """A formula that is this value."""
        return Expression(self, value)

    def optional(self, value: SSAValue | None) -> Expression | None:
        """A formula that is this value; None where there is none."""
        return None if value is None else self.of(value)

    def emit(self, op: Operation) -> Expression:
        """Inserts an op and returns its first result."""
        return self.of(self._builder.insert(op).results[0])

    def insert(self, op: Operation) -> tuple[Expression, ...]:
        """Inserts an op and returns all results."""
        return tuple(self.of(r) for r in self._builder.insert(op).results)

    def constant(
        self, values: Number | Sequence[Number], dtype: str, shape: Sequence[int] = ()
    ) -> Expression:
        """A small constant, row-major; a number alone has rank 0."""
        listed = [values] if isinstance(values, int | float) else list(values)
        return self.emit(ConstantOp.of(tensor(dtype, shape), listed))

    def line(self, count: int) -> Expression:
        """0, 1, ..., count - 1 as int64."""
        limit = ConstantOp.LIMIT
        if count <= limit:
            return self.constant(range(count), "int64", [count])
        rows = self.line(-(-count // limit)).reshape(-1, 1) * limit
        return (rows + self.line(limit)).reshape(-1).part(0, 0, count)

    def apply(self, op_class: type[NNOp], *operands: Expression | Number) -> Expression:
        """An op of the operands; a number takes the dtype of those that have one."""
        return self.emit(op_class.build_op(self._values(operands)))

    def maximum(self, lhs: Expression, rhs: Expression | Number) -> Expression:
        """The larger of both; NaN propagates."""
        return self.apply(pointwise.MaximumOp, lhs, rhs)

    def minimum(self, lhs: Expression, rhs: Expression | Number) -> Expression:
        """The smaller of both; NaN propagates."""
        return self.apply(pointwise.MinimumOp, lhs, rhs)

    def where(
        self, condition: Expression, lhs: Expression | Number, rhs: Expression | Number
    ) -> Expression:
        """`lhs` where the condition holds, else `rhs`; one of both has a dtype."""
        values = self._values((lhs, rhs))
        return self.emit(compare.WhereOp.build_op([condition.ssa, *values]))

    def concat(self, parts: Sequence[Expression], axis: int) -> Expression:
        """The concatenation of the parts along an axis."""
        if len(parts) == 1:
            return parts[0]
        axis %= len(parts[0].shape)
        return self.emit(ConcatOp.along([part.ssa for part in parts], axis))

    def _values(self, operands: Sequence[Expression | Number]) -> list[SSAValue]:
        dtype = next(x.dtype for x in operands if isinstance(x, Expression))
        return [
            (x if isinstance(x, Expression) else self.constant(x, dtype)).ssa
            for x in operands
        ]


class Expression:
    """A value in a formula: operators emit ops, and shapes follow from them."""

    def __init__(self, maker: Expressions, value: SSAValue):
        self.maker = maker
        self.ssa = value

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return tensor_of(self.ssa).get_shape()

    @property
    def dtype(self) -> str:
        """The dtype name."""
        return dtype_name(tensor_of(self.ssa).element_type)

    def __add__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(pointwise.AddOp, self, other)

    def __sub__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(pointwise.SubOp, self, other)

    def __rsub__(self, other: Number) -> Expression:
        return self.maker.apply(pointwise.SubOp, other, self)

    def __mul__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(pointwise.MulOp, self, other)

    def __truediv__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(pointwise.DivOp, self, other)

    def __lt__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(compare.LtOp, self, other)

    def __le__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(compare.LeOp, self, other)

    def __gt__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(compare.LtOp, other, self)

    def __ge__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(compare.LeOp, other, self)

    def equal(self, other: Expression | Number) -> Expression:
        """Whether both are equal, element by element."""
        return self.maker.apply(compare.EqOp, self, other)

    def __and__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(compare.AndOp, self, other)

    def __or__(self, other: Expression | Number) -> Expression:
        return self.maker.apply(compare.OrOp, self, other)

    def __rshift__(self, bits: int) -> Expression:
        return self.maker.apply(compare.ShiftRightOp, self, bits)

    def cast(self, dtype: str) -> Expression:
        """Another dtype by C's rules; itself where it has that already."""
        if self.dtype == dtype:
            return self
        return self.maker.emit(pointwise.CastOp.to(self.ssa, DTYPES[dtype]))

    @property
    def computed_in(self) -> str:
        """The dtype that PyTorch computes a float in: float32 for half precision."""
        return "float64" if self.dtype == "float64" else "float32"

    def widened(self) -> Expression:
        """A float in the dtype that PyTorch computes it in."""
        return self.cast(self.computed_in)

    def exp(self) -> Expression:
        """e to the power of each element."""
        return self.maker.apply(pointwise.ExpOp, self)

    def sqrt(self) -> Expression:
        """The square root of each element."""
        return self.maker.apply(pointwise.SqrtOp, self)

    def log(self) -> Expression:
        """The natural logarithm of each element."""
        return self.maker.apply(elementary.LogOp, self)

    def log10(self) -> Expression:
        """The logarithm of each element to base 10."""
        return self.maker.apply(elementary.Log10Op, self)

    def floor(self) -> Expression:
        """The largest whole number that is not above each element."""
        return self.maker.apply(elementary.FloorOp, self)

    def abs(self) -> Expression:
        """The absolute value of each element."""
        return self.maker.apply(pointwise.AbsOp, self)

    def sigmoid(self) -> Expression:
        """1 / (1 + exp(-x)), as PyTorch computes it."""
        one = self.maker.constant(1.0, self.dtype)
        return one / ((0.0 - self).exp() + one)

    def reshape(self, *shape: int) -> Expression:
        """Another shape of as many elements; one size may be -1."""
        if -1 in shape:
            known = -1
            for size in shape:
                known *= size
            count = 1
            for size in self.shape:
                count *= size
            shape = tuple(count // known if s == -1 else s for s in shape)
        if self.shape == shape:
            return self
        return self.maker.emit(ReshapeOp.to(self.ssa, shape))

    def transpose(self, *permutation: int) -> Expression:
        """Permuted axes."""
        if permutation == tuple(range(len(permutation))):
            return self
        return self.maker.emit(TransposeOp.by(self.ssa, permutation))

    def expand(self, *shape: int) -> Expression:
        """Broadcast to a shape."""
        if self.shape == shape:
            return self
        return self.maker.emit(ExpandOp.to(self.ssa, shape))

    def part(self, axis: int, start: int, size: int, step: int = 1) -> Expression:
        """`size` elements of an axis, from `start` on."""
        axis %= len(self.shape)
        if (start, size, step) == (0, self.shape[axis], 1):
            return self
        return self.maker.emit(SliceOp.along(self.ssa, axis, start, size, step))

    def pad(
        self, low: Sequence[int], high: Sequence[int], value: Number = 0
    ) -> Expression:
        """`low` values before and `high` after each axis."""
        if not any((*low, *high)):
            return self
        number = self.maker.constant(value, self.dtype).ssa if value else None
        return self.maker.emit(PadOp.around(self.ssa, low, high, number))

    def gather(self, index: Expression, axis: int) -> Expression:
        """The elements at computed indices along an axis (see `nn.gather`)."""
        axis %= len(self.shape)
        return self.maker.emit(GatherOp.at(self.ssa, [index.ssa], [axis]))

    def sum(self, axis: int, keep: bool = False) -> Expression:
        """The sum along an axis."""
        return self._reduce(reduction.ReduceSumOp, axis, keep)

    def sums(self, axes: Sequence[int]) -> Expression:
        """The sum over axes, kept with size 1."""
        return self.maker.emit(reduction.ReduceSumOp.over(self.ssa, axes, True))

    def max(self, axis: int, keep: bool = False) -> Expression:
        """The maximum along an axis; NaN propagates."""
        return self._reduce(reduction.ReduceMaxOp, axis, keep)

    def argmax(self, axis: int, keep: bool = False) -> Expression:
        """The index (int64) of the first maximum, or NaN, along an axis."""
        properties = {
            "axis": int_attr(axis % len(self.shape)),
            "keep": int_attr(int(keep)),
        }
        return self.maker.emit(reduction.ArgmaxOp.build_op([self.ssa], properties))

    def matmul(self, other: Expression) -> Expression:
        """The matrix product over the last two axes."""
        return self.maker.apply(MatmulOp, self, other)

    def sort(self, descending: bool = False) -> tuple[Expression, Expression]:
        """The stably sorted last axis, and the original index of each element."""
        values, indices = self.maker.insert(SortOp.last_axis(self.ssa, descending))
        return values, indices

    def _reduce(
        self, op_class: type[reduction.ReduceOp], axis: int, keep: bool
    ) -> Expression:
        axis %= len(self.shape)
        return self.maker.emit(op_class.over(self.ssa, [axis], keep))
