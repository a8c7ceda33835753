"""Compile a textual module to kernels and run them under Triton's interpreter."""

from __future__ import annotations

import torch
from xdsl.context import Context
from xdsl.dialects import affine, arith, builtin, func, linalg, math, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from devproc.dialects.dev import DEV
from devproc.dialects.linalg_ext import LINALG_EXT
from devproc.dialects.plan import PLAN
from devproc.driver import make_pass
from devproc.targets.triton import interpret
from devproc.targets.triton.dialect import TRITON
from devproc.targets.triton.kernel import TritonKernel, kernels_of
from tests.targets import target_attr

PASSES = ("mark-scratch", "choose-schedules", "convert-linalg-to-triton")

DIALECTS = (
    builtin.Builtin,
    affine.Affine,
    arith.Arith,
    func.Func,
    linalg.Linalg,
    LINALG_EXT,
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
    text: str,
    *,
    interpret: bool = True,
    precision: str = "default",
    arch: str = "sm_90",
) -> list[TritonKernel]:
    """The kernels of a module, in order of launch."""
    module = parse(text)
    module.attributes["devproc.target"] = target_attr(
        "cuda", interpret=interpret, precision=precision, arch=arch
    )
    for name in PASSES:
        make_pass(name).apply(Context(), module)
    module.verify()
    return list(kernels_of(module).values())


def run(
    text: str, *tensors: torch.Tensor, big: bool = True, precision: str = "default"
) -> int:
    """Run all kernels of a module on the same tensors, in order; returns how many.

    `big` takes the blocks made for the interpreter, else those of a GPU run in it.
    """
    found = kernels(text, interpret=big, precision=precision)
    for kernel in found:
        interpret.launch(kernel, *tensors)
    return len(found)


MARGIN = 64


def guarded(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A copy of a tensor inside a larger buffer, and the buffer; around it a marker.

    The marker of floats is NaN, so that a read beyond the edge shows in any result.
    """
    marker = float("nan") if tensor.is_floating_point() else 77
    count = tensor.numel()
    buffer = torch.full((count + 2 * MARGIN,), marker, dtype=tensor.dtype)
    inner = buffer[MARGIN : MARGIN + count].view(tensor.shape)
    inner.copy_(tensor)
    return inner, buffer


def is_untouched(buffer: torch.Tensor) -> bool:
    """Whether the margins of a guarded buffer still hold the marker."""
    margins = torch.cat([buffer[:MARGIN], buffer[-MARGIN:]])
    if buffer.is_floating_point():
        return bool(margins.isnan().all())
    return bool((margins == 77).all())
