"""All rules of `convert-to-llvm` in one table: op name -> rule."""

from __future__ import annotations

from devproc.targets.cpu.transforms.to_llvm import (
    arith,
    bounds,
    function,
    math,
    memref,
    scf,
    vector,
)
from devproc.targets.cpu.transforms.to_llvm.lowering import Rule

RULES: dict[str, Rule] = {
    **arith.RULES,
    **bounds.RULES,
    **function.RULES,
    **math.RULES,
    **memref.RULES,
    **scf.RULES,
    **vector.RULES,
}
