"""Expands elementary functions of CPU kernels to polynomials, without calls of libm.

The functions themselves and their coefficients are in `devproc.arithmetic`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    ModuleOp,
    f32,
    f64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from devproc.arithmetic import elementary, rounding, transcendental
from devproc.arithmetic.float_builder import Expansion
from devproc.dialects.dev import target_of
from devproc.ir.program.kernel_modules import host_kernels
from devproc.ir.types import item_size
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import (
    is_vector_type,
    vector_type,
)

EXPANSIONS: dict[type[Operation], Expansion] = {
    math.ErfOp: elementary.erf,
    math.Exp2Op: elementary.exp2,
    math.ExpM1Op: elementary.expm1,
    math.ExpOp: elementary.exp,
    math.Log10Op: elementary.log10,
    math.Log1pOp: elementary.log1p,
    math.Log2Op: elementary.log2,
    math.LogOp: elementary.log,
    math.RsqrtOp: elementary.rsqrt,
    math.TanhOp: elementary.tanh,
}

BESIDE_ONE: dict[type[Operation], dict[int, Expansion]] = {
    math.ErfOp: {32: elementary.erf_beside_one},
    math.ExpOp: {32: elementary.exp_beside_one, 64: elementary.exp_beside_one},
}
"""Cheaper forms, by bits, for results that are only added to 1, as in GELU."""

WITHOUT: dict[str, dict[type[Operation], Expansion]] = {
    "fma": {math.FmaOp: Lanewise.fma, vector.FMAOp: Lanewise.fma},
    "round": {
        math.CeilOp: rounding.ceil,
        math.FloorOp: rounding.floor,
        math.RoundEvenOp: rounding.round_even,
        math.RoundOp: rounding.round_away,
        math.TruncOp: rounding.trunc,
    },
}
"""The further ops to expand, by the name of a missing processor feature."""


def is_beside_one(op: Operation) -> bool:
    """Whether a value is only ever added to 1, as the error function of GELU is."""
    (result,) = op.results
    ones = [
        other.owner
        for use in result.uses
        for other in use.operation.operands
        if isinstance(use.operation, arith.AddfOp) and other is not result
    ]
    return len(ones) == result.uses.get_length() and all(is_one(one) for one in ones)


def is_one(owner: object) -> bool:
    """Whether a value is the constant 1, in every lane."""
    value = owner.value if isinstance(owner, arith.ConstantOp) else None
    if isinstance(value, FloatAttr):
        return value.value.data == 1.0
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return False
    return value.is_splat() and value.get_values()[0] == 1.0


def expand(
    emitter: Emitter, op: Operation, missing: tuple[str, ...] = ()
) -> SSAValue | None:
    """The function as arithmetic, in a sufficiently wide type; None for other ops.

    `missing`: the features that the processor lacks.
    """
    expansion = EXPANSIONS.get(type(op))
    for name in missing:
        expansion = expansion or WITHOUT.get(name, {}).get(type(op))
    compute: AnyFloat = f32
    if expansion is None:
        expansion, compute = transcendental.FUNCTIONS.get(type(op)), f64
    if expansion is None:
        return None
    type_ = op.results[0].type
    element, wide = type_, compute
    if is_vector_type(type_):
        element = type_.element_type
        wide = vector_type(compute, type_.get_shape()[0])
    if type(op) in BESIDE_ONE and is_beside_one(op):
        beside = BESIDE_ONE[type(op)]
        expansion = beside.get(64 if element == f64 else 32, expansion)
    if item_size(element) >= item_size(compute):
        return expansion(Lanewise(emitter, type_, missing), *op.operands)
    values = [emitter.value(arith.ExtFOp, (v,), wide) for v in op.operands]
    for_single = compute == f64
    result = expansion(Lanewise(emitter, wide, missing, for_single), *values)
    if item_size(element) < 4 and for_single:
        single = (
            vector_type(f32, type_.get_shape()[0]) if is_vector_type(type_) else f32
        )
        result = emitter.value(arith.TruncFOp, (result,), single)
    return emitter.value(arith.TruncFOp, (result,), type_)


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """Expands the elementary functions that no CPU has an instruction for.

    LLVM would call the C library once per lane. The expansions have an error of about
    one unit in the last place and no branches, so a vector costs as much as a scalar.
    Fused multiply-add and rounding are also expanded if the target's CPU lacks them
    (`missing`).

    Before:
    ```mlir
    func.func private @k(%x: memref<1xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.rsqrt"]>} {
      %c0 = arith.constant 0 : index
      %a = memref.load %x[%c0] : memref<1xf32>
      %r = math.rsqrt %a : f32
      memref.store %r, %x[%c0] : memref<1xf32>
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @k(%x: memref<1xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.rsqrt"]>} {
      %one = arith.constant 1.0 : f32
      %c0 = arith.constant 0 : index
      %a = memref.load %x[%c0] : memref<1xf32>
      %s = math.sqrt %a : f32
      %r = arith.divf %one, %s : f32
      memref.store %r, %x[%c0] : memref<1xf32>
      func.return
    }
    ```
    """

    name = "expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        missing = machine_of(target).missing_names
        if machine_of(target).vector_bits.data < 512:
            # Only AVX-512 has an instruction that scales by a power of two.
            missing = (*missing, "ldexp")
        rows = (
            EXPANSIONS,
            transcendental.FUNCTIONS,
            *(WITHOUT.get(name, {}) for name in missing),
        )
        classes = {class_ for row in rows for class_ in row}
        for function in host_kernels(op):
            emitter = Emitter(function.body.block)
            for inner in [inner for inner in function.walk() if type(inner) in classes]:
                emitter.location = inner.location
                result = expand(emitter, inner, missing)
                if result is not None:
                    emitter.replace([inner], [result])
