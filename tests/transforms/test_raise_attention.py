"""Attention is found however a model spells it out, and only where it means the same."""

from __future__ import annotations

import pytest
import torch
from torch.export import ExportedProgram
from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.nn.attention import AttentionOp
from devproc.driver import make_context, make_pass
from devproc.errors import CompileError
from devproc.options import target_options
from devproc.source import read_source
from tests.repository import parse
from tests.zoo.models import MODELS

MODEL_NAMES = ("bert", "t5", "llama", "swin")


def raised(exported: ExportedProgram, target: str = "cpu") -> ModuleOp:
    """The exported model after raise-attention."""
    module = read_source(exported).module
    options = target_options(target, 1, "strict")
    module.attributes["devproc.target"] = options
    for name in ("inline-models", "lower-pipe", "raise-attention"):
        make_pass(name).apply(make_context(), module)
    module.verify()
    return module


def attentions(module: ModuleOp) -> list[AttentionOp]:
    return [op for op in module.walk() if isinstance(op, AttentionOp)]


def calls(exported: ExportedProgram) -> int:
    """Calls of PyTorch's attention in a graph."""
    sdpa = torch.ops.aten.scaled_dot_product_attention.default
    return sum(node.target == sdpa for node in exported.graph.nodes)


@pytest.mark.parametrize("name", MODEL_NAMES)
def test_known_models(name: str) -> None:
    """As many as PyTorch's attention is called, also where the model does it itself."""
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    exported = torch.export.export(model, inputs)
    expected = calls(exported)
    assert expected >= 2
    assert len(attentions(raised(exported))) == expected
    model.get_submodule("model").set_attn_implementation("eager")  # pyright: ignore
    eager = torch.export.export(model, inputs)
    assert calls(eager) == 0
    assert len(attentions(raised(eager))) == expected


@pytest.mark.parametrize("target", ["cuda", "cpu+cuda"])
def test_gpu_has_a_kernel_for_it(target: str) -> None:
    torch.manual_seed(0)
    model, inputs = MODELS["bert"]()
    exported = torch.export.export(model, inputs)
    assert len(attentions(raised(exported, target))) == calls(exported)


def test_what_is_no_attention_has_no_schedule() -> None:
    """Ops that only claim to be one; the message says what to do."""
    module = parse(
        """
        func.func private @k(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {
            dev.kernel = #dev.kernel<"cuda", "attention", ["nn.attention"]>} {
          linalg.generic {
            indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
            iterator_types = ["parallel", "parallel"]
          } ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
          ^bb0(%a: f32, %b: f32):
            linalg.yield %a : f32
          }
          func.return
        }
        """
    )
    with pytest.raises(CompileError, match=r"'attention'.*Place it on the CPU"):
        make_pass("choose-schedules").apply(make_context(), module)
