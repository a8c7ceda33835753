"""Constants: inlined into the loops that read them; elsewhere a filled tensor."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import constant as nn
from devproc.transforms.kernels.nn_to_linalg.common.lowering import (
    Lowering,
    splat_value,
)


def lower_constant(op: Operation, lowering: Lowering) -> SSAValue | None:
    """A loop that writes one value; None for a constant that must be a weight."""
    value = splat_value(op.results[0])
    result = lowering.result_type
    if value is None and result.element_count():
        return None
    return lowering.pointwise(
        [], result, lambda s, _: [s.constant(value or 0, result.element_type)]
    )


LOWERINGS = {nn.ConstantOp: lower_constant}

NO_LOWERING: Mapping[type[Operation], str] = {
    nn.WeightOp: "names a buffer; bufferize lowers it to plan.weight"
}
