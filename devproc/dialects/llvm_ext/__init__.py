"""The `llvm_ext` dialect: what xDSL's `llvm` lacks for CPU kernels.

xDSL's `llvm` dialect has no `uitofp`, `fptosi`, `extractelement`, IEEE minimum and
maximum, masked loads, ...; and its `fcmp`, `select`, `intr.masked.store` and
`getelementptr` refuse vectors. The ops here have the syntax of MLIR, and MLIR's names with
`llvm_ext` for `llvm`, so that each can go away when xDSL grows it.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from devproc.dialects.llvm_ext.intrinsics import INTRINSICS
from devproc.dialects.llvm_ext.ops import OPS

LLVM_EXT = Dialect("llvm_ext", [*OPS, *INTRINSICS])
