"""A survey of models: which are exported, imported, compiled and matched, and obstacles.

A model is a factory: a function without arguments that returns `(module, inputs)`.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

from devproc.accuracy import float64_outputs, largest_error, outputs_of
from devproc.entry import compile as compile_program
from devproc.errors import UnsupportedError
from devproc.frontends.torch_export.importer import import_program
from devproc.ir.devices import HOST
from devproc.timings import announce

Factory: TypeAlias = Callable[[], tuple[torch.nn.Module, Sequence[Any]]]

STEPS = ("exported", "imported", "compiled", "matched")
"""The steps of a model, in order."""

RELATIVE, ABSOLUTE = 1e-3, 1e-4
"""Tolerances of "matched": relative to the largest element of an output, and absolute."""


@dataclass
class Row:
    """One model of a survey."""

    name: str
    passed: list[str] = field(default_factory=list[str])
    """The steps that the model has passed."""
    obstacles: list[str] = field(default_factory=list[str])
    """The obstacles to the next step, in order; an import may have several."""
    error: float | None = None
    """Largest relative error of an output, compared with a float64 run of the model."""
    torch_error: float | None = None
    """The same for eager PyTorch."""
    seconds: float = 0.0
    """Total time."""
    compile_seconds: float = 0.0
    compile_cpu_seconds: float = 0.0
    """CPU time, on which other programs on the machine have little effect."""

    @property
    def matched(self) -> bool:
        """Whether the model passed all steps."""
        return len(self.passed) == len(STEPS)

    @property
    def obstacle(self) -> str:
        """The first obstacle; empty if there is none."""
        return self.obstacles[0] if self.obstacles else ""


@dataclass
class Survey:
    """The rows of all models, in their order."""

    rows: list[Row]

    def __str__(self) -> str:
        width = max((len(row.name) for row in self.rows), default=0)
        return "\n".join([head(width), *(line_of(row, width) for row in self.rows)])


HEAD = ("model", *STEPS, "error", "PyTorch's", "first obstacle")


def head(width: int) -> str:
    """The header of rows whose longest name has `width` letters."""
    return _aligned(HEAD, width)


def line_of(row: Row, width: int) -> str:
    """The line of a row, beneath `head(width)`."""
    return _aligned(_cells(row), width)


def _aligned(cells: Sequence[str], width: int) -> str:
    widths = [max(width, len(HEAD[0])), *map(len, HEAD[1:])]
    # An error such as `1.0e-07` is longer than its header.
    widths[len(STEPS) + 1] = len("1.0e-07")
    padded = (cell.ljust(w) for cell, w in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    marks = ("yes" if step in row.passed else "-" for step in STEPS)
    more = len(row.obstacles) - 1
    suffix = f" (and {more} more)" if more > 0 else ""
    errors = (
        "-" if error is None else f"{error:.1e}"
        for error in (row.error, row.torch_error)
    )
    return (row.name, *marks, *errors, row.obstacle + suffix)


def survey(
    factories: Mapping[str, Factory],
    target: str = HOST,
    on_row: Callable[[Row], None] | None = None,
    **options: Any,
) -> Survey:
    """Takes each model through the steps; errors of one do not stop the others.

    `options` go to `devproc.compile`; `on_row` is called with each row as soon as it is complete.
    """
    rows: list[Row] = []
    for name, factory in factories.items():
        row = Row(name)
        announce(name)
        started = time.perf_counter()
        try:
            _pass_steps(row, factory, target, options)
        except UnsupportedError as error:
            row.obstacles = [str(problem) for problem in error.problems]
        except Exception as error:
            text = (str(error).strip().splitlines() or [""])[0]
            row.obstacles = [f"{type(error).__name__}: {text}"]
        row.seconds = time.perf_counter() - started
        rows.append(row)
        if on_row is not None:
            on_row(row)
    return Survey(rows)


def _pass_steps(
    row: Row, factory: Factory, target: str, options: Mapping[str, Any]
) -> None:
    """The steps in order; an exception ends them."""
    torch.manual_seed(0)
    module, inputs = factory()
    module.eval()
    exported = _export(module, tuple(inputs))
    row.passed.append("exported")
    import_program(exported)
    row.passed.append("imported")
    started, used = time.perf_counter(), time.process_time()
    program = compile_program(exported, target, **options)
    row.compile_seconds = time.perf_counter() - started
    row.compile_cpu_seconds = time.process_time() - used
    row.passed.append("compiled")
    found = outputs_of(program(*_copies(inputs)))
    with torch.no_grad():
        wanted = outputs_of(module(*_copies(inputs)))
    problem = _difference(found, wanted)
    if problem:
        row.obstacles = [problem]
    else:
        row.passed.append("matched")
        _measure(row, found, wanted, module, inputs)


def _measure(
    row: Row,
    found: Sequence[torch.Tensor],
    wanted: Sequence[torch.Tensor],
    module: torch.nn.Module,
    inputs: Sequence[Any],
) -> None:
    """Sets both errors, unless the model does not run in float64."""
    try:
        exact = float64_outputs(module, _copies(inputs))
    except RuntimeError:
        return
    row.error = largest_error(found, exact)
    row.torch_error = largest_error(wanted, exact)


def _export(module: torch.nn.Module, inputs: tuple[Any, ...]) -> ExportedProgram:
    with torch.no_grad():
        return torch.export.export(module, inputs, strict=False)


def _copies(inputs: Sequence[Any]) -> Any:
    def copy(value: Any) -> Any:
        return value.clone() if isinstance(value, torch.Tensor) else value

    return pytree.tree_map(copy, tuple(inputs))


def _difference(found: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor]) -> str:
    """The first difference of an output from PyTorch's; empty if there is none."""
    for i, (f, w) in enumerate(zip(found, wanted, strict=True)):
        if (f.shape, f.dtype) != (w.shape, w.dtype):
            return f"output {i} is {f.dtype} {f.shape}, not {w.dtype} {w.shape}"
        if not w.numel():
            continue
        if not bool(torch.isfinite(w.double()).eq(torch.isfinite(f.double())).all()):
            return f"output {i} has NaN or infinity in other places"
        difference = float((f.double() - w.double()).nan_to_num(0.0).abs().max())
        limit = ABSOLUTE + RELATIVE * float(w.double().nan_to_num(0.0).abs().max())
        if difference > limit:
            return f"output {i} differs by {difference:.2g} (limit {limit:.2g})"
    return ""
