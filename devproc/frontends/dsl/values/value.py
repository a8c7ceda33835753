"""The handle that a step returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

from xdsl.ir import SSAValue

from devproc.dialects.pipe.base.layout import describe_value, layout_of
from devproc.frontends.user_input import fail
from devproc.ir.types import dtype_name, tensor_of

if TYPE_CHECKING:
    from devproc.frontends.dsl.building.builder import StepBuilder
    from devproc.frontends.dsl.pipeline import Pipeline


Operand = Any
"""A value, a number, or an array."""


class Value:
    """A handle on a value of a pipeline: it has a type and no content.

    Python's operators and `[...]` between values, numbers and arrays are steps.
    """

    def __init__(self, pipeline: StepBuilder, ssa: SSAValue):
        self.pipeline = pipeline
        self.ssa = ssa

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return tensor_of(self.ssa).get_shape()

    @property
    def dtype(self) -> str:
        """The dtype name, such as `uint8`."""
        return dtype_name(tensor_of(self.ssa).element_type)

    @property
    def layout(self) -> str | None:
        """The names of the axes, such as `HWC`; None without a layout."""
        return layout_of(self.ssa.type)

    # Arithmetic: the steps of `ArithmeticSteps`. NumPy's arrays defer to the value.

    __array_ufunc__ = None

    def __add__(self, other: Operand) -> Value:
        return self._steps.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Value:
        return self._steps.subtract(self, other)

    def __rsub__(self, other: Operand) -> Value:
        return self._steps.subtract(other, self)

    def __mul__(self, other: Operand) -> Value:
        return self._steps.multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Value:
        return self._steps.divide(self, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self._steps.divide(other, self)

    def __neg__(self) -> Value:
        return self._steps.multiply(self, -1)

    def __eq__(self, other: Operand) -> Value:  # pyright: ignore
        return self._steps.equal(self, other)

    def __ne__(self, other: Operand) -> Value:  # pyright: ignore
        return self._steps.not_equal(self, other)

    __hash__ = object.__hash__

    def __lt__(self, other: Operand) -> Value:
        return self._steps.less(self, other)

    def __le__(self, other: Operand) -> Value:
        return self._steps.less_equal(self, other)

    def __gt__(self, other: Operand) -> Value:
        return self._steps.greater(self, other)

    def __ge__(self, other: Operand) -> Value:
        return self._steps.greater_equal(self, other)

    def __and__(self, other: Operand) -> Value:
        return self._steps.logical_and(self, other)

    __rand__ = __and__

    def __or__(self, other: Operand) -> Value:
        return self._steps.logical_or(self, other)

    __ror__ = __or__

    def __invert__(self) -> Value:
        return self._steps.logical_not(self)

    def __getitem__(self, index: object) -> Value:
        """Part of the axes, as NumPy's basic indexing: `x[0]`, `x[..., 1:5, ::-1]`."""
        return self._steps.part(self, index)

    def __bool__(self) -> NoReturn:
        problem = f"{self!r} is neither true nor false while the pipeline is built"
        fail("value", problem, "choose with where(condition, x, y); compare with `is`")

    def __iter__(self) -> NoReturn:
        problem = f"{self!r} is no sequence"
        fail("value", problem, "unstack(x) gives what lies along an axis")

    @property
    def _steps(self) -> Pipeline:
        return cast("Pipeline", self.pipeline)

    def __repr__(self) -> str:
        return f"<Value {describe_value(tensor_of(self.ssa))}>"
