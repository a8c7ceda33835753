"""Compiled random models beside PyTorch, and both beside float64."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any
from unittest.mock import patch

import torch

import devproc
from devproc.driver import module_text, stage_text
from devproc.options import set_options, target_options
from devproc.runtime.calls.interface import TensorSpec
from devproc.source import read_source
from tests.fuzz.models import Chain, Sample
from tests.vectors import vectors


def run(model: Chain, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The model in eager PyTorch."""
    with torch.no_grad():
        return model(*inputs)


def run_wide(model: Chain, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The model with every float a double; the model is left so."""
    model.double()
    model.wide = True
    saved = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        wide = [x.double() if x.is_floating_point() else x for x in inputs]
        return run(model, wide)
    finally:
        torch.set_default_dtype(saved)


def run_nudged(sample: Sample, seed: int) -> list[torch.Tensor]:
    """The wide run with inputs and parameters moved by half an ulp of their dtype.

    How far results move says what rounding the operands alone can do to them.
    """
    numbers = torch.Generator().manual_seed(seed)

    def nudge(x: torch.Tensor, epsilon: float) -> torch.Tensor:
        if not x.is_floating_point():
            return x
        signs = torch.randint(0, 2, x.shape, generator=numbers) * 2.0 - 1
        return x.double() * (1 + signs * epsilon)

    smallest = max(
        (torch.finfo(x.dtype).eps for x in sample.inputs if x.is_floating_point()),
        default=1.2e-7,
    )
    inputs = [nudge(x, smallest) for x in sample.inputs]
    state = {k: v.clone() for k, v in sample.model.state_dict().items()}
    sample.model.load_state_dict({k: nudge(v, smallest) for k, v in state.items()})
    try:
        return run_wide(sample.model, inputs)
    finally:
        sample.model.load_state_dict(state)


def difference(a: torch.Tensor, b: torch.Tensor) -> float:
    """The norm of the difference where both are finite."""
    a, b = a.double(), b.double()
    both = a.isfinite() & b.isfinite()
    return float((a[both] - b[both]).norm())


def check(sample: Sample, compile: Callable[[object], devproc.Program]) -> None:
    """Raises AssertionError where a result is not as good as PyTorch's."""
    theirs = run(sample.model, sample.inputs)
    program = compile(torch.export.export(sample.model, sample.inputs))
    ours = program(*sample.inputs)
    before = [x.clone() for x in sample.inputs]
    with guarded_outputs():
        again = program(*sample.inputs)
    assert all(map(same, sample.inputs, before)), "an input was written to"
    wide = run_wide(sample.model, sample.inputs)
    moved = [run_nudged(sample, seed) for seed in range(2)]
    assert len(ours) == len(theirs)
    for i, (mine, reference, exact) in enumerate(zip(ours, theirs, wide, strict=True)):
        where = f"output {i} of\n" + "\n".join(sample.story)
        assert mine.dtype == reference.dtype, f"{mine.dtype}: {where}"
        assert mine.shape == reference.shape, f"{mine.shape}: {where}"
        assert same(mine, again[i]), f"the second call differs: {where}"
        if sample.exact[i] or not mine.is_floating_point():
            assert same(mine, reference), f"not equal: {where}\n{mine}\n{reference}"
            continue
        # PyTorch's vector code may differ from its scalar code here: gelu(inf) is NaN.
        kinds = same_kinds(mine, reference) or same_kinds(mine, exact)
        assert kinds, f"NaN, inf: {where}\n{mine}\n{reference}"
        # PyTorch's own float64 counts as exact, so there its error is not seen.
        ulps, factor = (16, 128) if reference.dtype == torch.float64 else (2, 4)
        few_ulp = ulps * torch.finfo(mine.dtype).eps * norm(exact) + 1e-37
        sensitivity = factor * max(difference(m[i], exact) for m in moved)
        allowed = 2 * difference(reference, exact) + few_ulp + sensitivity
        error = difference(mine, exact)
        assert error <= allowed, f"error {error:.3g} > {allowed:.3g}: {where}"


GUARD = 256
"""Bytes before and behind an output that nothing may touch."""


@contextmanager
def guarded_outputs() -> Iterator[None]:
    """Within, a program's outputs lie between guards, which must stay as they are."""
    stores: list[torch.Tensor] = []

    def guarded(spec: TensorSpec) -> torch.Tensor:
        dtype = getattr(torch, spec.dtype)
        size = prod(spec.shape) * dtype.itemsize
        stores.append(torch.full((size + 2 * GUARD,), 0xA5, dtype=torch.uint8))
        return stores[-1][GUARD : GUARD + size].view(dtype).reshape(spec.shape)

    def empty_outputs(specs: Sequence[TensorSpec]) -> list[torch.Tensor]:
        return [guarded(spec) for spec in specs]

    with patch("devproc.runtime.calls.tensors.empty_outputs", empty_outputs):
        yield
    for store in stores:
        assert (store[:GUARD] == 0xA5).all(), "written before an output"
        assert (store[-GUARD:] == 0xA5).all(), "written behind an output"


def norm(x: torch.Tensor) -> float:
    """The norm of the finite elements."""
    x = x.double()
    return float(x[x.isfinite()].norm())


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal, NaN equal to NaN."""
    if a.is_floating_point():
        return bool(((a == b) | (a.isnan() & b.isnan())).all())
    return torch.equal(a, b)


def same_kinds(a: torch.Tensor, b: torch.Tensor) -> bool:
    """NaN and the infinities stand at the same places."""
    if not a.is_floating_point():
        return torch.equal(a, b)
    infinite = torch.where(a.isinf(), a, 0) == torch.where(b.isinf(), b, 0)
    return bool(((a.isnan() == b.isnan()) & infinite).all())


def random_compile(
    seed: int, target: str, precision: str = "strict"
) -> Callable[[object], devproc.Program]:
    """`devproc.compile` with random threads and vectors, and a random placement.

    Vectors that this CPU lacks are legal all the same: LLVM splits them.
    """
    rng = random.Random(seed)

    def build(source: Any) -> devproc.Program:
        placement = None
        if target.startswith("cpu+"):
            ops = placeable(source, target)
            placement = {
                op: rng.choice(("cpu", "cuda")) for op in ops if rng.random() < 0.8
            }
        bits = rng.choice((128, 256, 512))
        with vectors(bits):
            return devproc.compile(
                source,
                target=target,
                threads=rng.choice((1, 2)),
                precision=precision,
                placement=placement,
                cache=False,
            )

    return build


def placeable(source: object, target: str) -> list[str]:
    """Names of the ops that a placement may move."""
    read = read_source(source)  # pyright: ignore[reportArgumentType]
    set_options(read.module, target_options(target), None)
    text = stage_text(module_text(read.module), "placed")
    return sorted(set(re.findall(r"(nn\.\w+) .*#dev\.place", text)))
