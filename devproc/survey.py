"""How far models come: exported, imported, compiled, matched; and what stopped them.

A model is a factory: a function without arguments that gives `(module, inputs)`.
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

from devproc.compiler import compile as compile_program
from devproc.errors import UnsupportedError
from devproc.frontends.torch_export.importer import import_program

Factory: TypeAlias = Callable[[], tuple[torch.nn.Module, Sequence[Any]]]

STEPS = ("exported", "imported", "compiled", "matched")
"""What a model has to pass, in order."""

RELATIVE, ABSOLUTE = 1e-3, 1e-4
"""Tolerance of "matched", as share of the largest number of an output, and at least."""


@dataclass
class Row:
    """One model of a survey."""

    name: str
    passed: list[str] = field(default_factory=list[str])
    """The steps that the model has passed."""
    obstacles: list[str] = field(default_factory=list[str])
    """What stands in the way of the next one, the first first; several for an import."""
    error: float | None = None
    """Largest difference from eager PyTorch, over all outputs."""
    seconds: float = 0.0

    @property
    def matched(self) -> bool:
        """Whether the model passed all steps."""
        return len(self.passed) == len(STEPS)

    @property
    def obstacle(self) -> str:
        """The first obstacle; empty where there is none."""
        return self.obstacles[0] if self.obstacles else ""


@dataclass
class Survey:
    """The rows of all models, in their order."""

    rows: list[Row]

    def __str__(self) -> str:
        head = ("model", *STEPS, "first obstacle")
        lines = [head, *map(_cells, self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        return "\n".join(
            "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )


def _cells(row: Row) -> tuple[str, ...]:
    marks = ("yes" if step in row.passed else "-" for step in STEPS)
    more = len(row.obstacles) - 1
    suffix = f" (and {more} more)" if more > 0 else ""
    return (row.name, *marks, row.obstacle + suffix)


def survey(
    factories: Mapping[str, Factory],
    target: str = "cpu",
    on_row: Callable[[Row], None] | None = None,
    **options: Any,
) -> Survey:
    """Takes each model as far as it comes; no error of one stops the others.

    `options` go to `devproc.compile`; `on_row` sees each row as soon as it is known.
    """
    rows: list[Row] = []
    for name, factory in factories.items():
        row = Row(name)
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
    program = compile_program(exported, target, **options)
    row.passed.append("compiled")
    with torch.no_grad():
        wanted = module(*_copies(inputs))
    row.error, problem = _difference(program(*_copies(inputs)), wanted)
    if problem:
        row.obstacles = [problem]
    else:
        row.passed.append("matched")


def _export(module: torch.nn.Module, inputs: tuple[Any, ...]) -> ExportedProgram:
    with torch.no_grad():
        return torch.export.export(module, inputs, strict=False)


def _copies(inputs: Sequence[Any]) -> Any:
    def copy(value: Any) -> Any:
        return value.clone() if isinstance(value, torch.Tensor) else value

    return pytree.tree_map(copy, tuple(inputs))


def _difference(found: Any, wanted: Any) -> tuple[float, str]:
    """The largest difference, and what is wrong if it is too large."""
    mine, theirs = ([*map(_tensor, pytree.tree_leaves(v))] for v in (found, wanted))
    largest = 0.0
    for i, (f, w) in enumerate(zip(mine, theirs, strict=True)):
        if (f.shape, f.dtype) != (w.shape, w.dtype):
            return (
                largest,
                f"output {i} is {f.dtype} {f.shape}, not {w.dtype} {w.shape}",
            )
        if not w.numel():
            continue
        if not bool(torch.isfinite(w.double()).eq(torch.isfinite(f.double())).all()):
            return float("inf"), f"output {i} has NaN or infinity in other places"
        difference = float((f.double() - w.double()).nan_to_num(0.0).abs().max())
        largest = max(largest, difference)
        limit = ABSOLUTE + RELATIVE * float(w.double().nan_to_num(0.0).abs().max())
        if difference > limit:
            return (
                largest,
                f"output {i} differs by {difference:.2g} (limit {limit:.2g})",
            )
    return largest, ""


def _tensor(value: Any) -> torch.Tensor:
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(value)
