"""Steps on axes: their order, and values stacked, concatenated and sliced."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.pipe.axes import (
    ConcatOp,
    LayoutOp,
    ReshapeOp,
    SelectOp,
    SliceOp,
    StackOp,
    TransposeOp,
)
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import of_integers
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import change_of, fail, integer, integers
from devproc.ir.types import tensor_of


class AxesSteps(StepBuilder):
    """Steps on the axes of values of any dtype."""

    def layout(self, x: Value, change: str) -> Value:
        """Reorders the axes of the shape: `"HWC->NCHW"`; an N or C of size 1 may come or go.
        The dtype stays.
        """
        source, target = change_of("layout", change, "of layout", "HWC->NCHW")
        properties = {"source": StringAttr(source), "target": StringAttr(target)}
        remedy = "the left side must be the value's layout, as in 'HWC->NCHW'"
        return self.step(LayoutOp, [x], properties, remedy)

    def stack(self, values: Sequence[Value], axis: int | None = None) -> Value:
        """Values of one shape, dtype and layout as a batch.

        The axis N comes first; values that already have one are concatenated along it.
        With `axis`, they are stacked along a new axis at this position, which may count
        from the end (`numpy.stack`); the result then has no layout, unless it is the first.
        """
        remedy = "give a list of values that are alike: stack([x, y])"
        if not isinstance(values, list | tuple):
            fail("stack", f"{values!r} is no list", remedy)
        properties: dict[str, Attribute] = {}
        if axis is not None:
            properties |= of_integers("stack", axis=axis)
        return self.step(StackOp, values, properties, remedy)

    def concat(self, values: Sequence[Value], axis: int = 0) -> Value:
        """Values of one dtype, layout and shape, but for its size along an axis, concatenated
        along that axis, which may count from the end (`numpy.concatenate`).
        """
        remedy = "give a list of values, and an axis that they have: concat([x, y], 1)"
        if not isinstance(values, list | tuple):
            fail("concat", f"{values!r} is no list", remedy)
        properties = of_integers("concat", axis=axis)
        return self.step(ConcatOp, values, properties, remedy)

    def slice(
        self,
        x: Value,
        axis: int,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
    ) -> Value:
        """Elements of an axis as in Python's `start:stop:step`, which may be negative; the
        rest of the shape and the dtype stay. `x[..., 2:5]` is the same for all axes.
        """
        number = self._axis("slice", x, axis)
        given = (start, stop, step)
        picked = slice(
            *(n if n is None else integer("slice", "a place", n) for n in given)
        )
        if picked.step == 0:
            fail("slice", "step is 0", "give a step of at least 1, or below 0")
        places = range(*picked.indices(x.shape[number]))
        properties = {
            "axis": int_attr(number),
            "start": int_attr(places.start),
            "size": int_attr(len(places)),
            "step": int_attr(places.step),
        }
        remedy = "give places that leave at least one element"
        return self.step(SliceOp, [x], properties, remedy)

    def part(self, x: Value, index: object) -> Value:
        """`x[index]`: integers, slices, `...` and None, as NumPy's basic indexing, with its
        shape. The dtype stays.
        """
        step = "part"
        self.ssa(step, x)
        given = list(
            cast("Sequence[object]", index if isinstance(index, tuple) else (index,))
        )
        dots = [place for place, item in enumerate(given) if item is Ellipsis]
        named = sum(item is not None and item is not Ellipsis for item in given)
        if any(isinstance(item, bool) for item in given):
            fail(step, f"{index!r} is a mask", "choose with where(condition, x, y)")
        if len(dots) > 1 or named > len(x.shape):
            fail(step, f"{x!r} has no part {index!r}", "give an index for each axis")
        where = dots[0] if dots else len(given)
        given[where : where + 1] = [slice(None)] * (len(x.shape) - named)
        axis, shape = 0, list[int]()
        for item in given:
            if item is None:
                shape.append(1)
            elif isinstance(item, slice):
                if item != slice(None):
                    picked = cast("slice[Any, Any, Any]", item)
                    x = self.slice(x, axis, picked.start, picked.stop, picked.step)
                shape.append(x.shape[axis])
                axis += 1
            else:
                x = self.select(x, axis, integer(step, "an index", item))
        return self.reshape(x, shape) if None in given else x

    def transpose(self, x: Value, axes: Sequence[int]) -> Value:
        """The axes of the shape permuted (`numpy.transpose`); they may count from the end.
        The dtype stays.
        """
        rank = len(tensor_of(self.ssa("transpose", x)).get_shape())
        order = integers("transpose", "axes", axes)
        properties = {"axes": int_array([n + rank if n < 0 else n for n in order])}
        remedy = "name each axis once, as in (1, 0)"
        return self.step(TransposeOp, [x], properties, remedy)

    def reshape(self, x: Value, shape: Sequence[int], layout: str = "") -> Value:
        """The same elements in another shape (`numpy.reshape`), of which one size may be
        -1; `layout` names the axes of the result, which has no layout by default. The dtype
        stays.
        """
        self.ssa("reshape", x)
        sizes = list(integers("reshape", "shape", shape))
        if sizes.count(-1) == 1:
            others = prod(size for size in sizes if size != -1)
            sizes[sizes.index(-1)] = prod(x.shape) // max(others, 1)
        properties = {"shape": int_array(sizes), "layout": StringAttr(layout)}
        remedy = "give sizes whose product is the number of elements"
        return self.step(ReshapeOp, [x], properties, remedy)

    def select(self, x: Value, axis: int, index: int) -> Value:
        """One index of an axis, which is removed from the shape; both may count from the end.
        The dtype stays.
        """
        self.ssa("select", x)
        number = integer("select", "axis", axis)
        if number < 0:
            number += len(x.shape)
        properties = {"axis": int_attr(number), **of_integers("select", index=index)}
        remedy = "give an axis that the value has, and an index within it"
        return self.step(SelectOp, [x], properties, remedy)

    def unstack(self, x: Value, axis: int = 0) -> tuple[Value, ...]:
        """The values along an axis, without it in their shape: the inverse of `stack`. The
        dtype stays.
        """
        number = self._axis("unstack", x, axis)
        return tuple(self.select(x, number, i) for i in range(x.shape[number]))

    def _axis(self, step: str, x: Value, axis: int) -> int:
        """The non-negative number of an axis."""
        rank = len(tensor_of(self.ssa(step, x)).get_shape())
        number = integer(step, "axis", axis)
        if not -rank <= number < rank:
            fail(step, f"{x!r} has no axis {axis}", "give an axis that it has")
        return number % rank
