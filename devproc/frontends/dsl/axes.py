"""Steps on the axes themselves: their order, and images put together or taken apart."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr

from devproc.dialects.nn.base import int_attr
from devproc.dialects.pipe.axes import LayoutOp, SelectOp, StackOp
from devproc.frontends.dsl.builder import StepBuilder
from devproc.frontends.dsl.user_input import change_of, fail, integer
from devproc.frontends.dsl.value import Value


class AxesSteps(StepBuilder):
    """Steps on the axes themselves, of values of any dtype."""

    def layout(self, x: Value, change: str) -> Value:
        """Puts the axes in another order: `"HWC->NCHW"`."""
        source, target = change_of("layout", change, "of layout", "HWC->NCHW")
        properties = {"source": StringAttr(source), "target": StringAttr(target)}
        remedy = "the left side must be the value's layout, as in 'HWC->NCHW'"
        return self.step(LayoutOp, [x], properties, remedy)

    def stack(self, values: Sequence[Value]) -> Value:
        """Values of one shape, dtype and layout as a batch.

        The axis N comes in front; values that have one are put behind each other there.
        """
        remedy = "give a list of values that are alike: stack([x, y])"
        if not isinstance(values, list | tuple):
            fail("stack", f"{values!r} is no list", remedy)
        return self.step(StackOp, values, {}, remedy)

    def select(self, x: Value, axis: int, index: int) -> Value:
        """One index of an axis, which goes away; both may count from the end."""
        self.ssa("select", x)
        number = integer("select", "axis", axis)
        if number < 0:
            number += len(x.shape)
        properties = {
            "axis": int_attr(number),
            "index": int_attr(integer("select", "index", index)),
        }
        remedy = "give an axis that the value has, and an index within it"
        return self.step(SelectOp, [x], properties, remedy)

    def unstack(self, x: Value, axis: int = 0) -> tuple[Value, ...]:
        """The values that lie along an axis, each without it: what `stack` puts together."""
        self.ssa("unstack", x)
        number = integer("unstack", "axis", axis)
        if not -len(x.shape) <= number < len(x.shape):
            fail("unstack", f"{x!r} has no axis {axis}", "give an axis that it has")
        return tuple(self.select(x, number, i) for i in range(x.shape[number]))
