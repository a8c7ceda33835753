"""Runs ops of a program on the NPU: builds the region's function, its code, and launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from devproc_npu.backend import NPU, Loaded
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.rewriter import Rewriter

from devproc.backend import Estimate
from devproc.dialects.dev import KernelAttr, OnAttr
from devproc.driver import make_context, parse_module, run_stages, stages_between
from devproc.ir.functions import functions_of
from devproc.ir.types import tensor_of, with_encoding
from devproc.ir.verification.verify import verify_module
from devproc.options import set_options, target_options
from devproc.registry import PASSES, load
from devproc.source import read_source

SYMBOL = "npu_0"


@dataclass(frozen=True)
class Run:
    """What a launch gave and took."""

    results: Sequence[torch.Tensor]
    report: Estimate
    estimate: Estimate


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


def lowered(module: ModuleOp | str) -> ModuleOp:
    """The module after the passes of the device."""
    context = make_context()
    if isinstance(module, str):
        module = parse_module(module, context)
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
    results = [torch.empty(x.shape, dtype=x.dtype) for x in outputs]
    npu.launch(handle, SYMBOL, [*(x.contiguous() for x in inputs), *results])
    (estimate,) = npu.estimate(code)
    return Run(results, handle.reports[SYMBOL], estimate)


def region_of(model: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> tuple:
    """A model's ops as the function of a region, and its weights.

    The stage `tensor` of a program for several devices, all of it on the NPU.
    """
    source = read_source(torch.export.export(model, tuple(inputs)))
    module = source.module
    set_options(module, target_options("cpu+npu"), {})
    run_stages(module, make_context(), stages_between("program", "tensor"))
    (function,) = (f for f in functions_of(module) if f.sym_name.data == "main")
    on = OnAttr.get("npu")
    for op in function.walk():
        values = [*op.results, *(a for r in op.regions for a in r.block.args)]
        for value in values:
            rewriter = Rewriter()
            rewriter.replace_value_with_new_type(
                value, with_encoding(tensor_of(value), on)
            )
    function.update_function_type()
    function.properties["sym_name"] = StringAttr(SYMBOL)
    function.attributes["dev.kernel"] = KernelAttr.get("npu", "region", [])
    function.detach()
    weights = {name: source.weights.array(name) for name in source.weights}
    prepared = [o for o in module.ops if isinstance(o, FuncOp)]
    assert not prepared, "a weight is computed when the program is loaded"
    return ModuleOp([function]), weights


def run_model(model: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> Run:
    """A model on the NPU, whole; its results must equal those of an eager run."""
    module, weights = region_of(model, inputs)
    with torch.no_grad():
        wanted = model(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    return launch(lowered(module), weights, inputs, wanted)
