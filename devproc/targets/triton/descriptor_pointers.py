# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""Kernels with tensor descriptors compiled to pointers and masks.

Triton does so for architectures without tensor memory accelerator. A descriptor needs an
address that is a multiple of 16, so buffers of any alignment need it everywhere.
"""

from __future__ import annotations

from typing import Any

from triton._C.libtriton import ir, passes
from triton.compiler import ASTSource


class PointerSource(ASTSource):
    """The source of a kernel whose descriptors become pointers."""

    def hash(self) -> str:
        """Another one than that of the same kernel with descriptors."""
        return f"{super().hash()}-pointers"

    def make_ir(
        self, target: Any, options: Any, codegen_fns: Any, module_map: Any, context: Any
    ) -> Any:
        """Triton's IR, after the pass that it has for older architectures."""
        module = super().make_ir(target, options, codegen_fns, module_map, context)
        manager = ir.pass_manager(module.context)
        passes.common.add_inliner(manager)
        passes.ttir.add_rewrite_tensor_descriptor_to_pointer(manager)
        manager.run(module, "pointers_for_descriptors")
        return module
