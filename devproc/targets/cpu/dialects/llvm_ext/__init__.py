"""The `llvm_ext` dialect: ops for CPU kernels that xDSL's `llvm` dialect lacks.

xDSL's `llvm` dialect has no `uitofp`, `fptosi`, `extractelement`, IEEE minimum and
maximum, masked loads, ...; and its `fcmp`, `select`, `intr.masked.store` and
`getelementptr` reject vectors. The ops here have MLIR's syntax, and MLIR's names with
`llvm_ext` for `llvm`, so that each can be removed once xDSL has it.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from devproc.targets.cpu.dialects.llvm_ext.intrinsics import INTRINSICS
from devproc.targets.cpu.dialects.llvm_ext.ops import OPS

LLVM_EXT = Dialect("llvm_ext", [*OPS, *INTRINSICS])
