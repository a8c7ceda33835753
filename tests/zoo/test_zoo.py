"""Each architecture compiled on the CPU, beside PyTorch and a float64 run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
import torch
from torch import nn
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree
from xdsl.dialects.func import FuncOp

import devproc
from devproc.accuracy import FACTOR, ROUNDING, float64_outputs, outputs_of
from devproc.compiler import read_source
from devproc.dialects.nn.constant import WeightOp
from devproc.driver import make_context, run_stages, stages_between
from devproc.runtime.program import Program
from tests.zoo.build import Inputs
from tests.zoo.models import MODELS

OTHER_DTYPES = {
    ("bert", "float16"): torch.float16,
    ("llama", "bfloat16"): torch.bfloat16,
    ("resnet", "bfloat16"): torch.bfloat16,
    ("unet", "float64"): torch.float64,
}

DECOMPOSED = ("bert", "llama", "resnet", "whisper_encoder")
"""Also compiled as the core ATen operators that PyTorch decomposes them into."""


STRICT_ONLY = ("mobilenet_v2", "efficientnet", "segformer", "t5", "bart", "whisper")
"""Compiled once, because they take the longest; a smaller model has the same layers."""


@cache
def build(name: str) -> tuple[nn.Module, Inputs]:
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    # The first call of some resolves a kernel under a lock, which Dynamo cannot trace.
    with torch.no_grad():
        module(*inputs)
    return module, inputs


def export(name: str, strict: bool = False) -> ExportedProgram:
    module, inputs = build(name)
    with torch.no_grad():
        return torch.export.export(module, inputs, strict=strict)


def sampled(inputs: Inputs, seed: int) -> Inputs:
    """Other numbers of the same kind; ids keep their range, masks stay."""
    rng = torch.Generator().manual_seed(seed)

    def sample(x: torch.Tensor) -> torch.Tensor:
        if x.is_floating_point():
            return torch.randn(x.shape, generator=rng).to(x.dtype)
        if int(x.max()) <= 1:
            return x
        return x.flatten()[torch.randperm(x.numel(), generator=rng)].reshape(x.shape)

    return tuple(map(sample, inputs))


class Errors:
    """Sums of squares of what a program, and PyTorch, are away from exact outputs."""

    def __init__(self) -> None:
        self.sums: dict[int, torch.Tensor] = {}

    def add(self, ours: object, theirs: object, exact: list[torch.Tensor]) -> None:
        """Of one run; the outputs must be alike in all but rounding."""
        assert pytree.tree_structure(ours) == pytree.tree_structure(theirs)
        triples = zip(outputs_of(ours), outputs_of(theirs), exact, strict=True)
        for i, (mine, reference, wide) in enumerate(triples):
            assert mine.dtype == reference.dtype
            assert mine.shape == reference.shape
            assert torch.equal(mine.isfinite(), reference.isfinite())
            assert wide.isfinite().all()
            parts = (mine.double() - wide, reference.double() - wide, wide)
            squares = torch.stack([part.double().norm() ** 2 for part in parts])
            self.sums[i] = self.sums.get(i, torch.zeros(3).double()) + squares

    def check(self, rounding: float, factor: float = FACTOR) -> None:
        """At most so many times PyTorch's error, or one rounding of a result."""
        for i, sums in self.sums.items():
            ours, theirs = (sums[:2] / sums[2]).sqrt().tolist()
            assert ours <= max(factor * theirs, rounding), (
                f"output {i}: error {ours:.3g}, PyTorch's {theirs:.3g}"
            )


def compare(programs: Mapping[float, Program], name: str, samples: int) -> None:
    """Programs of one model, by how many times PyTorch's error each may have."""
    module, inputs = build(name)
    errors = {factor: Errors() for factor in programs}
    for seed in range(samples):
        given = sampled(inputs, seed)
        with torch.no_grad():
            theirs = module(*given)
        exact = float64_outputs(module, given)
        for factor, program in programs.items():
            errors[factor].add(program(*given), theirs, exact)
    for factor, found in errors.items():
        found.check(ROUNDING, factor)


@pytest.mark.parametrize("name", MODELS)
def test_error_is_bounded_by_that_of_pytorch(name: str) -> None:
    exported = export(name)
    programs = {FACTOR: devproc.compile(exported, precision="strict", threads=2)}
    if name not in STRICT_ONLY:
        programs[2 * FACTOR] = devproc.compile(exported, threads=2)
    compare(programs, name, samples=4)


def tensor_program(exported: ExportedProgram) -> list[str]:
    """The ops of the `tensor` stage, without names of weights and source lines."""
    module = read_source(exported).module
    run_stages(module, make_context(), stages_between(None, "tensor"))
    return [
        f"{op.name} {[*map(str, op.operand_types)]} {[*map(str, op.result_types)]} "
        f"{'' if isinstance(op, FuncOp | WeightOp) else op.properties}"
        for op in module.walk()
    ]


@pytest.mark.parametrize("name", MODELS)
def test_strict_export_gives_the_same_program(name: str) -> None:
    """Dynamo's graph lacks what does nothing, such as the dropouts; ours lacks it too."""
    assert tensor_program(export(name, strict=True)) == tensor_program(export(name))


@pytest.mark.parametrize("name", DECOMPOSED)
def test_decomposed(name: str) -> None:
    exported = export(name).run_decompositions()
    program = devproc.compile(exported, precision="strict", threads=2)
    compare({FACTOR: program}, name, samples=4)


@pytest.mark.parametrize(("name", "dtype"), OTHER_DTYPES)
def test_other_dtypes(name: str, dtype: str) -> None:
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    module = module.to(OTHER_DTYPES[name, dtype])
    given = tuple(
        x.to(OTHER_DTYPES[name, dtype]) if x.is_floating_point() else x for x in inputs
    )
    with torch.no_grad():
        theirs = module(*given)
        exported = torch.export.export(module, given)
    ours = devproc.compile(exported, precision="strict", threads=2)(*given)
    errors = Errors()
    errors.add(ours, theirs, float64_outputs(module, given))
    # PyTorch in float64 has no error beside itself.
    roundings = 8 if dtype == "float64" else 1
    errors.check(roundings * torch.finfo(OTHER_DTYPES[name, dtype]).eps)
