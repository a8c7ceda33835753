"""The handle that a step returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from devproc.dialects.pipe.layout import describe_value, layout_of
from devproc.ir.types import dtype_name, tensor_of

if TYPE_CHECKING:
    from devproc.frontends.dsl.builder import StepBuilder


class Value:
    """A handle on a value of a pipeline: it has a type and no content."""

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
        """The meaning of the axes, such as `HWC`; None where they are plain."""
        return layout_of(self.ssa.type)

    def __repr__(self) -> str:
        return f"<Value {describe_value(tensor_of(self.ssa))}>"
