"""Steps on scores."""

from __future__ import annotations

from devproc.dialects.pipe.scores import ArgmaxOp, SigmoidOp, SoftmaxOp, TopKOp
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import of_integers
from devproc.frontends.dsl.values.value import Value


class ScoreSteps(StepBuilder):
    """Steps on scores."""

    def softmax(self, x: Value, axis: int = -1) -> Value:
        """exp(x - max) / sum along an axis of floats; shape and dtype stay."""
        properties = of_integers("softmax", axis=axis)
        remedy = "softmax takes floating-point values and one of their axes"
        return self.step(SoftmaxOp, [x], properties, remedy)

    def argmax(self, x: Value, axis: int = -1) -> Value:
        """The index (int64) of the largest element along an axis, which is removed from the
        shape; the first of equal ones.
        """
        properties = of_integers("argmax", axis=axis)
        return self.step(ArgmaxOp, [x], properties, "give an axis that the value has")

    def sigmoid(self, x: Value) -> Value:
        """1 / (1 + exp(-x)) of floats; shape and dtype stay."""
        return self.step(SigmoidOp, [x], {}, "sigmoid takes floating-point values")

    def top_k(self, x: Value, k: int, axis: int = -1) -> tuple[Value, Value]:
        """The k largest elements along an axis, the largest first, in their dtype, and their
        indices (int64), as `torch.topk`: both `(..., k, ...)`. Of equal elements the first
        comes first.
        """
        properties = of_integers("top_k", k=k, axis=axis)
        remedy = "give a k that the axis has, and an axis that the value has"
        values, indices = self.steps(TopKOp, [x], properties, remedy)
        return values, indices
