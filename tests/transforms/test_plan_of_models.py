"""The memory plan of real architectures: hardly more than what must live together."""

from __future__ import annotations

import pytest
import torch
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.dialects import plan
from devproc.driver import make_context, run_stages, stages_between
from devproc.source import read_source
from tests.live_bytes import arena_bytes_of, live_bytes_of, main_function
from tests.zoo.models import MODELS


def planned(name: str) -> ModuleOp:
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    with torch.no_grad():
        module(*inputs)
        exported = torch.export.export(module, inputs)
    result = read_source(exported).module
    run_stages(result, make_context(), stages_between(None, "buffers"))
    return result


@pytest.mark.parametrize(
    "name", ["whisper_encoder", "resnet", "vit", "llama", "tagger"]
)
def test_arena_is_close_to_the_live_bytes(name: str) -> None:
    module = planned(name)
    live = live_bytes_of(module)
    assert live > 0
    assert arena_bytes_of(module) <= 1.1 * live


def test_weights_are_never_copied() -> None:
    """No launch writes a weight or hands it on as it is; all are read in their place."""
    module = planned("resnet")
    main = main_function(module)
    kernels = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    read = 0
    for op in main.body.block.ops:
        assert not isinstance(op, plan.CopyOp)
        if not isinstance(op, plan.LaunchOp):
            continue
        assert not any(isinstance(v.owner, plan.WeightOp) for v in op.outputs)
        weights = [v for v in op.inputs if isinstance(v.owner, plan.WeightOp)]
        read += len(weights)
        # A kernel of weights alone would only prepare them, with every call.
        assert len(weights) < len(op.inputs)
        body = kernels[op.kernel.root_reference.data].body.block
        for argument, value in zip(body.args, op.operands, strict=True):
            if isinstance(value.owner, plan.WeightOp):
                assert not any(_copies(use.operation) for use in argument.uses)
    assert read > 10


def _copies(op: object) -> bool:
    """Whether an op only moves what it reads to other memory."""
    if isinstance(op, memref.CopyOp):
        return True
    region = getattr(op, "body", None)
    return region is not None and len(list(region.block.ops)) == 1


def test_pointwise_results_take_over_memory_in_a_kernel() -> None:
    """softmax keeps its steps in the memory of its result."""

    class Steps(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.softmax(x * 2, -1)

    x = torch.randn(257, 511)
    exported = torch.export.export(Steps(), (x,))
    module = read_source(exported).module
    run_stages(module, make_context(), stages_between(None, "buffers"))
    assert arena_bytes_of(module) < x.nbytes
