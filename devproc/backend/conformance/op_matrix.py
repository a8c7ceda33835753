"""Each op in each dtype that a device accepts, compared with its reference."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from devproc.backend.conformance.cases import OPS, Case, cases_of, module_of, op_of
from devproc.backend.conformance.device import Device
from devproc.backend.conformance.result import Cell
from devproc.ir.dtypes import DTYPE_NAMES
from devproc.ir.weights.table import WeightTable
from devproc.op_rules.base.tolerances import Tolerance
from devproc.op_rules.facets import tables
from devproc.reference.run.interpreter import evaluate
from devproc.runtime.execution.host_reader import find_function
from devproc.verification import difference


def op_cells(
    device: Device,
    names: Iterable[str] = tuple(OPS),
    dtypes: Sequence[str] = DTYPE_NAMES,
    announce: Callable[[str], None] = lambda text: None,
) -> Iterator[Cell]:
    """What a device makes of each op in each dtype; also what it refuses, and why.

    All cases of an op are one program, which is fast; if that cannot be compiled or run,
    each is a program of its own, so that one failure does not hide the others.
    """
    for name in names:
        announce(name)
        cells = {dtype: Cell(name, dtype) for dtype in dtypes}
        taken: list[tuple[Case, Wanted]] = []
        for case in cases_of(name, dtypes):
            reasons = device.backend.legal([op_of(case)])
            if reasons:
                cells[case.dtype].refusals.append(f"{case}: {'; '.join(reasons)}")
            elif (wanted := wanted_of(case)) is not None:
                taken.append((case, wanted))
        for case, failure in _failures(device, taken):
            cells[case.dtype].of += 1
            if failure:
                cells[case.dtype].failures.append(f"{case}: {failure}")
        yield from (cell for cell in cells.values() if cell.of or cell.refusals)


def _failures(
    device: Device, cases: Sequence[tuple[Case, Wanted]]
) -> Iterator[tuple[Case, str | None]]:
    """Each case, with what is wrong with its results."""
    if not cases:
        return
    try:
        found = _run(device, [case for case, _ in cases])
    except Exception as error:
        if len(cases) == 1:
            yield cases[0][0], f"{type(error).__name__}: {error}"
            return
        for case in cases:
            yield from _failures(device, [case])
        return
    for (case, wanted), results in zip(cases, found, strict=True):
        yield case, failure_of(results, wanted)


def _run(device: Device, cases: Sequence[Case]) -> list[list[torch.Tensor]]:
    """The results of each case."""
    program = device.compile(module_of(cases))
    inputs = [value.clone() for case in cases for value in case.inputs]
    # A program without inputs returns arrays.
    results = iter([torch.as_tensor(value) for value in program.run_flat(inputs)])
    return [[next(results) for _ in op_of(case).results] for case in cases]


@dataclass(frozen=True)
class Wanted:
    """What the reference gives for a case, in float64 where it rounds."""

    values: Sequence[torch.Tensor]
    magnitudes: Sequence[torch.Tensor | None]
    """The sums of the magnitudes of the terms, for an op that sums."""
    is_exact: bool


def wanted_of(case: Case) -> Wanted | None:
    """What the reference gives; None if PyTorch lacks the op in this dtype."""
    tolerance = tables.rule_of(tables.TOLERANCE, op_of(case))
    is_exact = tolerance is Tolerance.EXACT
    main = find_function(module_of([case]), "main")

    def reference(inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        # An op that moves bits has no meaning in float64.
        return evaluate(main, inputs, WeightTable(), dtype64=not is_exact)

    try:
        values = reference(case.inputs)
        if tolerance is not Tolerance.SUMMED:
            return Wanted(values, [None] * len(values), is_exact)
        magnitudes = reference([value.abs() for value in case.inputs])
    except NotImplementedError:
        return None
    return Wanted(values, magnitudes, is_exact)


def failure_of(found: Sequence[torch.Tensor], wanted: Wanted) -> str | None:
    """How results differ from the reference; None if they are within the tolerance."""
    for ours, theirs, magnitude in zip(
        found, wanted.values, wanted.magnitudes, strict=True
    ):
        if ours.shape != theirs.shape:
            return f"the shape is {[*ours.shape]} instead of {[*theirs.shape]}"
        theirs = theirs.to(ours.dtype) if ours.is_floating_point() else theirs
        if ours.dtype != theirs.dtype:
            return f"the dtype is {ours.dtype} instead of {theirs.dtype}"
        gap = difference(ours, theirs, magnitude, is_exact=wanted.is_exact)
        if not gap.tolerable:
            return f"differs by {gap.max_absolute:.3g}{_first_wrong(ours, theirs)}"
    return None


def _first_wrong(ours: torch.Tensor, theirs: torch.Tensor) -> str:
    """The element that is farthest off."""
    gap = (ours.double() - theirs.double()).abs().nan_to_num(nan=torch.inf)
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    place = int(torch.where(same, -1.0, gap).argmax())
    at = [int(i) for i in torch.unravel_index(torch.tensor(place), ours.shape)]
    values = (tensor.flatten()[place].item() for tensor in (ours, theirs))
    return ": {} instead of {} at {}".format(*values, at)
