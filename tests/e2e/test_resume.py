"""The text of any stage, with its source locations, is enough to go on from there."""

from __future__ import annotations

import pytest
import torch

import devproc
from devproc.driver import (
    make_context,
    module_text,
    parse_module,
    run_stages,
    stages_between,
)
from devproc.pipeline import STAGES
from devproc.runtime.program import Program


def compile_digits(target: str) -> Program:
    """A small image classifier, from pixels to label."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(4 * 4 * 4, 10),
    ).eval()
    exported = torch.export.export(model, (torch.zeros(1, 3, 8, 8),))
    pipe = devproc.pipeline("classify")
    image = pipe.input("image", "uint8", (11, 13, 3))
    x = pipe.resize(image, (8, 8), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=(0.4, 0.5, 0.6), std=(0.2, 0.3, 0.4))
    logits = pipe.model(exported, pipe.layout(x, "HWC->NCHW"))
    pipe.output("probabilities", pipe.softmax(logits, axis=-1))
    pipe.output("label", pipe.argmax(logits, axis=-1))
    return devproc.compile(pipe, target=target, cache=False)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_every_stage_leads_to_the_same_end(target: str) -> None:
    program = compile_digits(target)
    wanted = program.ir(STAGES[-1].name)
    for stage in STAGES:
        context = make_context()
        module = parse_module(program.ir(stage.name), context)
        run_stages(module, context, list(stages_between(stage.name, None)))
        assert module_text(module) == wanted, f"going on from stage '{stage.name}'"
