"""Compile a textual module to kernels and run them under Triton's interpreter."""

from __future__ import annotations

import torch
from xdsl.context import Context
from xdsl.dialects import affine, arith, builtin, func, linalg, math, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from devproc.dialects.dev import DEV, TargetAttr
from devproc.dialects.plan import PLAN
from devproc.dialects.triton import TRITON
from devproc.targets.triton import interpret
from devproc.targets.triton.kernel import TritonKernel, kernels_of
from devproc.transforms.gpu.convert_linalg_to_triton import ConvertLinalgToTritonPass

DIALECTS = (
    builtin.Builtin,
    affine.Affine,
    arith.Arith,
    func.Func,
    linalg.Linalg,
    math.Math,
    memref.MemRef,
    scf.Scf,
    DEV,
    PLAN,
    TRITON,
)


def parse(text: str) -> ModuleOp:
    """A verified module."""
    context = Context()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def kernels(
    text: str, *, interpret: bool = True, precision: str = "default"
) -> list[TritonKernel]:
    """The kernels of a module, in order of launch."""
    module = parse(text)
    module.attributes["devproc.target"] = TargetAttr.get(
        "cuda", interpret=interpret, precision=precision
    )
    ConvertLinalgToTritonPass().apply(Context(), module)
    module.verify()
    return list(kernels_of(module).values())


def run(text: str, *tensors: torch.Tensor, **options: object) -> None:
    """Run all kernels of a module on the same tensors, in order."""
    for kernel in kernels(text, **options):  # type: ignore[arg-type]
        interpret.launch(kernel, *tensors)


def guarded(
    tensor: torch.Tensor, fill: float = 0.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """A copy of a tensor inside a larger buffer, and the buffer, full of a marker."""
    margin = 64
    buffer = torch.full((tensor.numel() + 2 * margin,), fill, dtype=tensor.dtype)
    inner = buffer[margin : margin + tensor.numel()].view(tensor.shape)
    inner.copy_(tensor)
    return inner, buffer
