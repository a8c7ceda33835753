"""Steps between values, element by element: arithmetic, comparisons, choices."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.pipe import arithmetic
from devproc.dialects.pipe.base.layout import require_value
from devproc.dialects.pipe.base.step import PipeOp
from devproc.frontends.dsl.color import ColorSteps
from devproc.frontends.dsl.values.value import Operand, Value
from devproc.frontends.user_input import fail, integer, number
from devproc.ir.types import DTYPES, is_float, tensor

_REMEDY = "give values whose shapes NumPy would broadcast, and whose axes mean the same"


class ArithmeticSteps(ColorSteps):
    """Steps between values, element by element.

    Also written with Python's operators: `x / 255`, `a + b`, `x > 0.5`, `~mask`, `a & b`.
    Operands are values, numbers and arrays, at least one of them a value; shapes broadcast
    as in NumPy. Values must have the same dtype, which is that of the result; integers wrap
    around, as in NumPy. A number or an array takes the dtype of the value; if the value has
    integers and the other has floats, both become float32.
    """

    def add(self, x: Operand, y: Operand) -> Value:
        """x + y (`numpy.add`): broadcast shape, common dtype."""
        return self._binary(arithmetic.AddOp, x, y)

    def subtract(self, x: Operand, y: Operand) -> Value:
        """x - y (`numpy.subtract`): broadcast shape, common dtype."""
        return self._binary(arithmetic.SubtractOp, x, y)

    def multiply(self, x: Operand, y: Operand) -> Value:
        """x * y (`numpy.multiply`): broadcast shape, common dtype."""
        return self._binary(arithmetic.MultiplyOp, x, y)

    def divide(self, x: Operand, y: Operand) -> Value:
        """x / y (`numpy.divide`): broadcast shape; integers are divided in float32."""
        x, y = (self.cast(v, "float32") if _has_integers(v) else v for v in (x, y))
        return self._binary(arithmetic.DivideOp, x, y)

    def minimum(self, x: Operand, y: Operand) -> Value:
        """The smaller of both; NaN wins (`numpy.minimum`): broadcast shape, common dtype."""
        return self._binary(arithmetic.MinimumOp, x, y)

    def maximum(self, x: Operand, y: Operand) -> Value:
        """The larger of both; NaN wins (`numpy.maximum`): broadcast shape, common dtype."""
        return self._binary(arithmetic.MaximumOp, x, y)

    def equal(self, x: Operand, y: Operand) -> Value:
        """x == y, as bool of the broadcast shape (`numpy.equal`)."""
        return self._binary(arithmetic.EqualOp, x, y)

    def not_equal(self, x: Operand, y: Operand) -> Value:
        """x != y, as bool of the broadcast shape (`numpy.not_equal`)."""
        return self.logical_not(self.equal(x, y))

    def less(self, x: Operand, y: Operand) -> Value:
        """x < y, as bool of the broadcast shape; false for NaN (`numpy.less`)."""
        return self._binary(arithmetic.LessOp, x, y)

    def less_equal(self, x: Operand, y: Operand) -> Value:
        """x <= y, as bool of the broadcast shape; false for NaN (`numpy.less_equal`)."""
        return self._binary(arithmetic.LessEqualOp, x, y)

    def greater(self, x: Operand, y: Operand) -> Value:
        """x > y, as bool of the broadcast shape; false for NaN (`numpy.greater`)."""
        return self._binary(arithmetic.LessOp, y, x)

    def greater_equal(self, x: Operand, y: Operand) -> Value:
        """x >= y, as bool of the broadcast shape; false for NaN (`numpy.greater_equal`)."""
        return self._binary(arithmetic.LessEqualOp, y, x)

    def logical_and(self, x: Operand, y: Operand) -> Value:
        """Whether both bools hold, in the broadcast shape (`numpy.logical_and`)."""
        return self._binary(arithmetic.LogicalAndOp, x, y)

    def logical_or(self, x: Operand, y: Operand) -> Value:
        """Whether one of both bools holds, in the broadcast shape (`numpy.logical_or`)."""
        return self._binary(arithmetic.LogicalOrOp, x, y)

    def logical_not(self, x: Value) -> Value:
        """Whether a bool does not hold, in its shape (`numpy.logical_not`)."""
        return self.step(arithmetic.LogicalNotOp, [x], {}, _REMEDY)

    def where(self, condition: Value, x: Operand, y: Operand) -> Value:
        """`x` where the condition (bool) holds, else `y` (`numpy.where`): broadcast shape,
        common dtype.

        Where neither is a value, the result is float32, or int64 if both are of integers.
        """
        self.ssa("where", condition)
        if not isinstance(x, Value) and not isinstance(y, Value):
            whole = _is_whole(x) and _is_whole(y)
            x = self._constant("where", x, "int64" if whole else "float32")
        values = self._operands("where", x, y)
        return self.step(arithmetic.WhereOp, [condition, *values], {}, _REMEDY)

    def _binary(self, op_class: type[PipeOp], x: Operand, y: Operand) -> Value:
        step = op_class.name.removeprefix("pipe.")
        return self.step(op_class, self._operands(step, x, y), {}, _REMEDY)

    def _operands(self, step: str, x: Operand, y: Operand) -> Sequence[Value]:
        """Both operands as values; a number or an array takes the dtype of the other."""
        if isinstance(x, Value) and isinstance(y, Value):
            return [x, y]
        if isinstance(y, Value):
            return self._operands(step, y, x)[::-1]
        self.ssa(step, x)
        if _has_integers(x) and not _is_whole(y):
            x = self.cast(x, "float32")
        return [x, self._constant(step, y, x.dtype)]

    def _constant(self, step: str, value: Operand, dtype: str) -> Value:
        """A handle on a number or an array of this dtype; refused if the dtype cannot
        represent it.
        """
        if not _is_number(value):
            return self.array(step, "an operand", value, dtype)
        given = number(step, "an operand", value)
        if _is_whole(value) and not _is_real(dtype):
            given = integer(step, "an operand", value)
        type_ = tensor(dtype, ())
        try:
            require_value(step, type_, given)
            op = ConstantOp.of(type_, [given])
        except (VerifyException, OverflowError):
            fail(step, f"{value!r} is no {dtype}", "cast the value before")
        return Value(self, self.append(op, f"{step}_number")[0])


def _is_number(value: object) -> bool:
    """Whether an operand is a Python number or an array of rank 0."""
    if isinstance(value, Value):
        return False
    return isinstance(value, int | float) or getattr(value, "shape", None) == ()


def _is_whole(given: object) -> bool:
    """Whether a number or an array consists of integers or bools."""
    if isinstance(given, int | float):
        return isinstance(given, int)
    import numpy as np

    return np.asarray(given).dtype.kind in "iub"


def _is_real(dtype: str) -> bool:
    return is_float(DTYPES[dtype])


def _has_integers(x: object) -> bool:
    if not isinstance(x, Value):
        return False
    return not _is_real(x.dtype) and x.dtype != "bool"
