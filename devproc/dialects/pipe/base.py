"""What all steps share: a shape rule that gives layouts, and its verification."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import NNOp, Properties, describe, require
from devproc.dialects.pipe.layout import layout_of
from devproc.ir.types import tensor_of


class PipeOp(NNOp, ABC):
    """A step of the program; its shape rule gives layouts too, and both are verified."""

    @classmethod
    def build_op(
        cls, operands: Sequence[SSAValue], properties: Properties | None = None
    ) -> Self:
        """The op with inferred result types."""
        properties = dict(properties or {})
        types = [tensor_of(v) for v in operands]
        return cls.create(
            operands=operands,
            result_types=cls.infer(types, properties),
            properties=properties,
        )

    def verify_(self) -> None:
        for value in (*self.operands, *self.results):
            layout, type_ = layout_of(value.type), tensor_of(value)
            require(
                layout is None or len(layout) == len(type_.get_shape()),
                f"layout '{layout}' does not name the axes of {describe(type_)}",
            )
        super().verify_()
        wanted = self.infer([tensor_of(v) for v in self.operands], self.properties)
        for index, (want, result) in enumerate(zip(wanted, self.results, strict=True)):
            if want != result.type:
                raise VerifyException(
                    f"result {index} must have layout {layout_of(want) or 'none'}, "
                    f"got {layout_of(result.type) or 'none'}"
                )
