"""Runs ops of a program on the NPU: builds the region's function, its code, and launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from devproc_npu.backend import NPU, Loaded
from devproc_npu.report import Report, estimates
from xdsl.dialects.builtin import ModuleOp

from devproc.driver import make_context, parse_module
from devproc.ir.verification.verify import verify_module
from devproc.registry import PASSES, load

SYMBOL = "npu_0"


@dataclass(frozen=True)
class Run:
    """What a launch gave and took."""

    results: Sequence[torch.Tensor]
    report: Report
    estimate: Report


def tensor_type(shape: Sequence[int], dtype: str) -> str:
    """The type of a value of the device."""
    sizes = "".join(f"{size}x" for size in shape)
    return f'tensor<{sizes}{dtype}, #dev.on<"npu">>'


def function_text(inputs: Sequence[str], body: str, outputs: Sequence[str]) -> str:
    """A module with the function of a region; values are %0.. and the body returns."""
    arguments = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(inputs))
    results = ", ".join(outputs)
    return (
        f"func.func private @{SYMBOL}({arguments}) -> ({results})\n"
        '  attributes {dev.kernel = #dev.kernel<"npu", "region", []>} {\n'
        f"{body}\n}}"
    )


def lowered(text: str) -> ModuleOp:
    """The module after the passes of the device."""
    context = make_context()
    module = parse_module(text, context)
    verify_module(module)
    for name in NPU.stages[0].passes:
        load({**PASSES, **NPU.passes}[name])().apply(context, module)
        verify_module(module)
    return module


def launch(
    module: ModuleOp,
    weights: Mapping[str, np.ndarray],
    inputs: Sequence[torch.Tensor],
    outputs: Sequence[torch.Tensor],
) -> Run:
    """Build, load, launch; `outputs` say the shapes and dtypes of results."""
    npu = NPU()
    npu.name = "npu"
    code = npu.build(module)
    handle: Loaded = npu.load(code, weights)
    results = [torch.empty_like(output) for output in outputs]
    npu.launch(handle, SYMBOL, [*(x.contiguous() for x in inputs), *results])
    return Run(results, handle.reports[SYMBOL], estimates(code)[SYMBOL])
