"""Elementary functions of CPU kernels to polynomials: no call of a C library per element.

The functions themselves stand in `elementary.py`, their coefficients in `polynomials.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    ModuleOp,
    f32,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from devproc.transforms.cpu import elementary
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import cpu_kernels
from devproc.transforms.cpu.lanewise import Lanewise
from devproc.transforms.cpu.vector_types import is_vector_type, vector_type

Expansion = Callable[[Lanewise, SSAValue], SSAValue]

EXPANSIONS: dict[type[Operation], Expansion] = {
    math.ErfOp: elementary.erf,
    math.Exp2Op: elementary.exp2,
    math.ExpOp: elementary.exp,
    math.LogOp: elementary.log,
    math.RsqrtOp: elementary.rsqrt,
    math.TanhOp: elementary.tanh,
}


def expand(emitter: Emitter, expansion: Expansion, x: SSAValue) -> SSAValue:
    """The function of `x`; half-precision numbers are computed in f32."""
    type_ = x.type
    element, single = type_, f32
    if is_vector_type(type_):
        element = type_.element_type
        single = vector_type(f32, type_.get_shape()[0])
    if not isinstance(element, Float16Type | BFloat16Type):
        return expansion(Lanewise(emitter, type_), x)
    wide = emitter.value(arith.ExtFOp, (x,), single)
    result = expansion(Lanewise(emitter, single), wide)
    return emitter.value(arith.TruncFOp, (result,), type_)


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """Expands the elementary functions that no CPU has an instruction for.

    LLVM would call the C library once per lane. The expansions are exact to about one unit
    in the last place, without branches, so a vector costs what a number costs.

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
        for function in cpu_kernels(op):
            emitter = Emitter(function.body.block)
            for inner in list(function.walk()):
                expansion = EXPANSIONS.get(type(inner))
                if expansion is not None:
                    emitter.location = inner.location
                    result = expand(emitter, expansion, inner.operands[0])
                    emitter.replace([inner], [result])
