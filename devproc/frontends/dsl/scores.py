"""Steps on scores."""

from __future__ import annotations

from devproc.dialects.nn.base import int_attr
from devproc.dialects.pipe.scores import ArgmaxOp, SoftmaxOp
from devproc.frontends.dsl.builder import StepBuilder
from devproc.frontends.dsl.user_input import integer
from devproc.frontends.dsl.value import Value


class ScoreSteps(StepBuilder):
    """Steps on scores."""

    def softmax(self, x: Value, axis: int = -1) -> Value:
        """exp(x - max) / sum along an axis."""
        properties = {"axis": int_attr(integer("softmax", "axis", axis))}
        remedy = "softmax takes floating-point values and one of their axes"
        return self.step(SoftmaxOp, [x], properties, remedy)

    def argmax(self, x: Value, axis: int = -1) -> Value:
        """The index (int64) of the largest element along an axis, which goes away."""
        properties = {"axis": int_attr(integer("argmax", "axis", axis))}
        return self.step(ArgmaxOp, [x], properties, "give an axis that the value has")
