"""The scalar ops that have a vector form, and whether a body consists of these."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, math, memref
from xdsl.dialects.builtin import i1
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Operation

from devproc.dialects import simd_casts
from devproc.targets.cpu.transforms.loops.access import is_packed
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.loops.vector_types import memref_of

SAME: frozenset[type[Operation]] = frozenset(
    {
        *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.NegfOp),
        *(arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp),
        *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp),
        *(arith.XOrIOp, arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp),
        *(arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp),
        *(arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
        *(arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp),
        *(arith.ExtFOp, arith.TruncFOp, arith.BitcastOp),
        *(math.ExpOp, math.Exp2Op, math.LogOp, math.TanhOp, math.ErfOp, math.RsqrtOp),
        *(math.ExpM1Op, math.Log1pOp, math.Log2Op, math.Log10Op, math.PowFOp),
        *(math.SinOp, math.CosOp, math.TanOp, math.AsinOp, math.AcosOp, math.AtanOp),
        *(math.SinhOp, math.CoshOp, math.AsinhOp, math.AcoshOp, math.AtanhOp),
        *(math.Atan2Op, math.SqrtOp, math.AbsFOp, math.AbsIOp),
        *(math.FloorOp, math.CeilOp),
        *(math.RoundOp, math.RoundEvenOp, math.TruncOp, math.CopySignOp, math.FmaOp),
    }
)
"""Ops that accept vectors as well as scalars."""

CASTS: dict[type[Operation], type[Operation]] = {
    arith.ExtSIOp: simd_casts.ExtSIOp,
    arith.ExtUIOp: simd_casts.ExtUIOp,
    arith.TruncIOp: simd_casts.TruncIOp,
    arith.SIToFPOp: simd_casts.SIToFPOp,
    arith.UIToFPOp: simd_casts.UIToFPOp,
    arith.FPToSIOp: simd_casts.FPToSIOp,
    arith.FPToUIOp: simd_casts.FPToUIOp,
    arith.IndexCastOp: simd_casts.IndexCastOp,
}
"""Ops whose vector form is in the `simd` dialect."""

OTHERS = (arith.ConstantOp, arith.CmpfOp, arith.CmpiOp, arith.SelectOp, IndexOp)

_MAX_GATHER = 2**31
"""Elements that a 32-bit offset can address."""


def can_vectorize(op: StructuredOp) -> bool:
    """Whether every op of the body has a vector form."""
    *ops, _ = op.body.block.ops
    return all(map(has_vector_form, ops))


def has_vector_form(op: Operation) -> bool:
    """Whether an op of a body has a vector form."""
    return (
        type(op) in SAME
        or type(op) in CASTS
        or isinstance(op, OTHERS)
        or (isinstance(op, memref.LoadOp) and _can_gather(op))
    )


def _can_gather(op: memref.LoadOp) -> bool:
    type_ = memref_of(op.memref)
    return (
        not is_packed(op.memref)
        and type_.element_type != i1
        and prod(type_.get_shape()) < _MAX_GATHER
    )
