"""Elementary functions: each is one op of `math`."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import math
from xdsl.ir import Operation

from devproc.dialects.nn import elementary as nn
from devproc.transforms.kernels.nn_to_linalg.common.division import power
from devproc.transforms.kernels.nn_to_linalg.pointwise import ScalarRule, scalar_rule

FUNCTIONS: Mapping[type[Operation], type[Operation]] = {
    nn.AcosOp: math.AcosOp,
    nn.AcoshOp: math.AcoshOp,
    nn.AsinOp: math.AsinOp,
    nn.AsinhOp: math.AsinhOp,
    nn.AtanOp: math.AtanOp,
    nn.AtanhOp: math.AtanhOp,
    nn.CeilOp: math.CeilOp,
    nn.CosOp: math.CosOp,
    nn.CoshOp: math.CoshOp,
    nn.ErfOp: math.ErfOp,
    nn.Exp2Op: math.Exp2Op,
    nn.Expm1Op: math.ExpM1Op,
    nn.FloorOp: math.FloorOp,
    nn.Log10Op: math.Log10Op,
    nn.Log1pOp: math.Log1pOp,
    nn.Log2Op: math.Log2Op,
    nn.LogOp: math.LogOp,
    nn.RoundOp: math.RoundEvenOp,
    nn.SinOp: math.SinOp,
    nn.SinhOp: math.SinhOp,
    nn.TanOp: math.TanOp,
    nn.TanhOp: math.TanhOp,
    nn.TruncOp: math.TruncOp,
    nn.Atan2Op: math.Atan2Op,
}


def _function(op: type[Operation]) -> ScalarRule:
    return lambda s, args, _: s.emit(
        op.create(operands=args, result_types=[args[0].type])
    )


LOWERINGS = {
    **{op: scalar_rule(_function(made)) for op, made in FUNCTIONS.items()},
    nn.PowOp: scalar_rule(power),
}
"""op class -> its lowering rule."""

NO_LOWERING: Mapping[type[Operation], str] = {}
"""op class -> why it never reaches the pass."""
