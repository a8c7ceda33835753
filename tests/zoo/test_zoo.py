"""Each architecture compiled on the CPU, beside PyTorch and a float64 run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from unittest import mock

import pytest
import torch
from torch import nn
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

import devproc
from devproc.accuracy import FACTOR, ROUNDING, float64_outputs, outputs_of
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.normalization import BatchNormOp
from devproc.driver import (
    make_context,
    run_pass,
    run_stages,
    stages_between,
)
from devproc.ir.functions import functions_of
from devproc.ir.program.kernel_modules import ALGORITHM
from devproc.options import set_options, target_options
from devproc.program import Program
from devproc.source import Source, read_source
from tests.repository import PACKAGE
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

STRICTLY_EXPORTED = ("efficientnet", "t5", "mamba", "tagger")
"""Also exported through Dynamo: one of each kind, for it takes seconds."""

FACTORS = {"strict": FACTOR, "default": 2 * FACTOR, "fast": 2 * FACTOR}
"""Precision -> how many times PyTorch's error a program may have."""

LARGEST_ERROR = 3e-6
"""Of a program that may rearrange products, whatever PyTorch's own."""


@cache
def build(name: str) -> tuple[nn.Module, Inputs]:
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    # The first call of some resolves a kernel under a lock, which Dynamo cannot trace.
    with torch.no_grad():
        module(*inputs)
    return module, inputs


@cache
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

    def largest(self) -> float:
        """The largest error of an output."""
        return max(float((s[0] / s[2]).sqrt()) for s in self.sums.values())


def compare(
    programs: Mapping[str, Program], module: nn.Module, inputs: Inputs, samples: int
) -> None:
    """Programs of one model, by precision, on several inputs."""
    errors = {precision: Errors() for precision in programs}
    for seed in range(samples):
        given = sampled(inputs, seed)
        with torch.no_grad():
            theirs = module(*given)
        exact = float64_outputs(module, given)
        for precision, program in programs.items():
            errors[precision].add(program(*given), theirs, exact)
    for precision, found in errors.items():
        found.check(ROUNDING, FACTORS[precision])
        if precision != "strict":
            assert found.largest() <= LARGEST_ERROR


def compiled(source: Source, precision: str) -> tuple[Program, ModuleOp]:
    """The program, and what it was before the pass `pack-weights`."""
    seen: list[ModuleOp] = []

    def run_and_see(name: str, module: ModuleOp, *rest: Any) -> None:
        if name == "pack-weights":
            seen.append(module.clone())
        run_pass(name, module, *rest)

    with mock.patch("devproc.driver.run_pass", run_and_see):
        program = devproc.compile(source, precision=precision, threads=2, cache=False)
    (module,) = seen
    return program, module


def packed(module: ModuleOp, precision: str) -> ModuleOp:
    """A copy after `pack-weights`; only what plans products of bf16 names `precision`."""
    module = module.clone()
    set_options(module, target_options("cpu", 2, precision), {})
    run_pass("pack-weights", module, make_context(), "kernels")
    algorithms = {kernel.attributes.get(ALGORITHM) for kernel in functions_of(module)}
    if StringAttr("bf16_dot") not in algorithms:
        set_options(module, target_options("cpu", 2), {})
    return module


def distinct_programs(exported: ExportedProgram) -> dict[str, Program]:
    """One program for each precision that makes other kernels than a stricter one.

    Most models have none: only the passes `fold-batch-norm`, which "strict" does
    without, and `pack-weights` know of the precision, and what plans products of bf16.
    """
    source = read_source(exported)
    has_norms = any(isinstance(op, BatchNormOp) for op in source.module.walk())
    program, module = compiled(source, "strict")
    programs, before = {"strict": program}, [packed(module, "strict")]
    for precision in ("default", "fast"):
        folds = has_norms and precision == "default"
        if folds or not any(
            map(packed(module, precision).is_structurally_equivalent, before)
        ):
            programs[precision], module = compiled(source, precision)
            before.append(packed(module, precision))
    return programs


@pytest.mark.parametrize("name", MODELS)
def test_error_is_bounded_in_each_precision(name: str) -> None:
    compare(distinct_programs(export(name)), *build(name), samples=4)


def test_little_depends_on_the_precision() -> None:
    """What `distinct_programs` relies on."""
    transforms, targets = PACKAGE / "transforms", PACKAGE / "targets"
    algorithms = targets / "cpu" / "algorithms"
    folding = transforms / "tensor" / "fold_batch_norm.py"
    names = ("algorithms", "frontends", "ir", "targets", "transforms")
    folders = [PACKAGE / name for name in names]
    sources = {
        path: path.read_text() for folder in folders for path in folder.rglob("*.py")
    }
    readers = {path for path, text in sources.items() if ".precision" in text}
    choosers = {
        path.stem
        for path, text in sources.items()
        if "packable(" in text and "def packable(" not in text
    }
    assert choosers == {"pack_weights"}
    on_the_cpu = {path for path in readers if targets / "triton" not in path.parents}
    chosen = {path for path in on_the_cpu if algorithms in path.parents}
    assert {path.name for path in chosen} == {"layout.py", "plan.py"}
    # The order of updates is a matter of the precision on a GPU alone.
    updates = transforms / "kernels" / "nn_to_linalg" / "gather.py"
    # A layout, about which two algorithms ask.
    shared = targets / "cpu" / "transforms" / "nests" / "block_float_layout.py"
    assert on_the_cpu - chosen == {folding, updates, shared}


class Wide(nn.Module):
    """Convolutions and linear layers that are wide enough for every algorithm."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 3, padding=1)
        self.block = nn.Sequential(
            nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1)
        )
        self.norm = nn.LayerNorm(512)
        self.mlp = nn.Sequential(nn.Linear(512, 1024), nn.GELU(), nn.Linear(1024, 512))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        x = torch.relu(x + self.block(x))
        x = x.reshape(x.shape[0], -1, 512)
        return x + self.mlp(self.norm(x))


@pytest.mark.usefixtures("shared_adders")
def test_error_of_every_algorithm_is_bounded() -> None:
    """The small models take none of them: here each precision has its own kernels."""
    torch.manual_seed(0)
    module, x = Wide().eval(), torch.randn(2, 3, 28, 32)
    programs = distinct_programs(torch.export.export(module, (x,)))
    assert list(programs) == ["strict", "default", "fast"]
    text = programs["fast"].ir("kernels")
    assert "#dev.winograd<4" in text
    assert "#dev.strassen<" in text
    compare(programs, module, (x,), samples=4)


@pytest.mark.usefixtures("separate_adders")
def test_error_is_bounded_where_additions_are_for_nothing() -> None:
    torch.manual_seed(0)
    module, x = Wide().eval(), torch.randn(2, 3, 28, 32)
    programs = distinct_programs(torch.export.export(module, (x,)))
    assert list(programs) == ["strict", "default"]
    assert "#dev.inner_product<" in programs["default"].ir("kernels")
    compare(programs, module, (x,), samples=4)


def tensor_program(exported: ExportedProgram) -> list[str]:
    """The ops of the `tensor` stage, without names of weights and source lines."""
    module = read_source(exported).module
    run_stages(module, make_context(), stages_between(None, "tensor"))
    return [
        f"{op.name} {[*map(str, op.operand_types)]} {[*map(str, op.result_types)]} "
        f"{'' if isinstance(op, FuncOp | WeightOp) else op.properties}"
        for op in module.walk()
    ]


@pytest.mark.parametrize("name", STRICTLY_EXPORTED)
def test_strict_export_gives_the_same_program(name: str) -> None:
    """Dynamo's graph lacks what does nothing, such as the dropouts; ours lacks it too."""
    assert tensor_program(export(name, strict=True)) == tensor_program(export(name))


@pytest.mark.parametrize("name", DECOMPOSED)
def test_decomposed(name: str) -> None:
    exported = export(name).run_decompositions()
    program = devproc.compile(exported, precision="strict", threads=2)
    compare({"strict": program}, *build(name), samples=4)


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
