"""Golden cases: random inputs, and what the references of the ops make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from devproc.errors import BundleError
from devproc.exactness.bound import Measure, StepBound
from devproc.ir.weights.table import storage_dtype
from devproc.runtime.calls.interface import Interface, TensorSpec

if TYPE_CHECKING:
    import torch

    from devproc.program import Program

Array = NDArray[np.generic]

FLOAT_BOUNDS = {
    "float64": 1024 * 2.0**-52,
    "float32": 1024 * 2.0**-23,
    "float16": 64 * 2.0**-10,
    "bfloat16": 64 * 2.0**-7,
}
"""Dtype of an output -> its largest error, relative to the largest value; as those that
`devproc.verify` tolerates of a whole program."""


@dataclass(frozen=True)
class Case:
    """Inputs and expected outputs in the order of the interface, as memory holds them."""

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]


@dataclass(frozen=True)
class Bound:
    """An output may be `relative * largest value + absolute` from its golden value."""

    relative: float
    absolute: float


def output_bounds(interface: Interface, exactness: Sequence[StepBound]) -> list[Bound]:
    """The bounds of all outputs.

    Integers are equal, unless the program has a step that may be off by whole numbers.
    """
    whole = [
        row.limit
        for row in exactness
        if row.measure == Measure.ABSOLUTE.value and row.limit >= 1
    ]
    slack = max(whole, default=0.0)
    return [
        Bound(FLOAT_BOUNDS[spec.dtype], 1e-30)
        if spec.dtype in FLOAT_BOUNDS
        else Bound(0.0, slack)
        for spec in interface.outputs
    ]


def make_cases(
    program: Program,
    reference: Any = None,
    inputs: Sequence[Mapping[str, Any]] | None = None,
    count: int = 3,
    seed: int = 0,
) -> list[Case]:
    """`count` consecutive calls, states beginning with their first values.

    The inputs are random, or those given, by name. `reference` is the source that the
    program was compiled from: the references of its ops make the outputs. Without it the
    program itself makes them, which must run on this machine; raises BundleError else.
    """
    from devproc.verification import sample_inputs

    given: Sequence[Mapping[str, Any]] = (
        [dict[str, Any]()] * count if inputs is None else inputs
    )
    samples = [
        sample_inputs(program.interface, values, seed + number)
        for number, values in enumerate(given)
    ]
    if reference is not None:
        outputs = _by_reference(reference, samples)
    else:
        why = why_not_run(program)
        if why is not None:
            raise BundleError(
                "golden cases need results, and the program does not run here: give "
                f"reference=, the source that it was compiled from ({why})"
            )
        fresh = type(program)(program.artifact, program.weights)
        specs = program.interface.outputs
        outputs = [
            [_as_tensor(v, s) for v, s in zip(fresh.run_flat(values), specs)]
            for values in samples
        ]
    return [
        Case(tuple(map(_memory, taken)), tuple(map(_memory, made)))
        for taken, made in zip(samples, outputs, strict=True)
    ]


def why_not_run(program: Program) -> str | None:
    """Why a program cannot run on this machine; None if it can."""
    from devproc.backend.installed import backend
    from devproc.backend.target import parse_target

    used = parse_target(program.artifact.devices)
    reasons = (
        backend(name).missing(used.get(name, "")) for name in program.artifact.code
    )
    return program.artifact.why_not_here() or next(filter(None, reasons), None)


def _by_reference(
    source: Any, samples: Sequence[Sequence[torch.Tensor]]
) -> list[list[torch.Tensor]]:
    from devproc.driver import make_context, run_stages, stages_between
    from devproc.reference.run.interpreter import evaluate
    from devproc.reference.run.preparation import prepared
    from devproc.runtime.execution.host_reader import find_function
    from devproc.source import read_source
    from devproc.verification import initial_states

    program = read_source(source)
    module = program.module
    run_stages(module, make_context(), stages_between(None, "tensor"))
    main, weights = find_function(module, "main"), prepared(module, program.weights)
    states = initial_states(program.interface, program.weights)
    own = len(program.interface.outputs)
    outputs: list[list[torch.Tensor]] = []
    for sample in samples:
        results = evaluate(main, [*sample, *states], weights)
        outputs.append(results[:own])
        states = results[own:] if states else []
    return outputs


def _as_tensor(value: torch.Tensor | Array, spec: TensorSpec) -> torch.Tensor:
    """A program without inputs returns arrays, in which bfloat16 has become float32."""
    import torch

    from devproc.runtime.calls.tensors import TORCH_DTYPES

    return torch.as_tensor(value).to(TORCH_DTYPES[spec.dtype])


def _memory(tensor: torch.Tensor) -> Array:
    """The bytes of a tensor as an array of the dtype that C sees."""
    import torch

    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(storage_dtype("bfloat16"))
    return tensor.numpy()
