# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""Launches printed kernels on a real GPU, on PyTorch's current stream.

The first launch compiles; later ones use the compiled kernel's own launcher and skip
Triton's argument binding, which takes longer than a small kernel.
"""

from __future__ import annotations

from typing import Any

from devproc.targets.triton.kernel import (
    TritonKernel,
    as_signed,
    check_arguments,
    jit_function,
)


class Launcher:
    """One kernel on one device; call it with CUDA tensors.

    The tensors must be 16-byte aligned like those of the first call, for which the
    kernel is specialised; planned buffers and PyTorch's own allocations are.
    """

    def __init__(self, kernel: TritonKernel):
        self.kernel = kernel
        self._function = jit_function(kernel)
        self._compiled: Any = None

    def __call__(self, *tensors: Any) -> None:
        """Enqueues one launch; returns before the kernel has run."""
        check_arguments(self.kernel, tensors)
        arguments = [as_signed(t) for t in tensors]
        kernel = self.kernel
        if any(t.data_ptr() % 16 for t in arguments):
            # Triton specialises on alignment; its own entry handles that.
            self._launch(arguments)
        elif self._compiled is None:
            self._compiled = self._launch(arguments)
        else:
            import torch

            compiled = self._compiled
            compiled.run(
                *kernel.grid,
                torch.cuda.current_stream().cuda_stream,
                compiled.function,
                compiled.packed_metadata,
                *(None, None, None),
                *arguments,
            )

    def _launch(self, arguments: list[Any]) -> Any:
        return self._function[self.kernel.grid](
            *arguments,
            num_warps=self.kernel.num_warps,
            num_stages=self.kernel.num_stages,
            enable_fp_fusion=True,
        )
