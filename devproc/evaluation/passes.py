"""Finds the pass that changes the results of a program.

`devproc.verify` compares the ops of the stage `tensor` with their references, so a pass that
replaces ops by others that mean something else goes unnoticed there. Here the references
evaluate the whole program after each pass of that stage, on a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from rich.box import SIMPLE
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp

from devproc.backend.placement import GivenPlacement
from devproc.dialects.pipe import PIPE
from devproc.driver import StageRun, stages_between
from devproc.ir.devices import HOST
from devproc.options import set_options, target_options
from devproc.reference.run.interpreter import evaluate
from devproc.reference.run.preparation import prepared
from devproc.report.rendering import Rendered
from devproc.runtime.execution.host_reader import find_function
from devproc.source import Source, read_source
from devproc.verification import (
    OUTPUT_FACTOR,
    Difference,
    difference,
    initial_states,
    sample_inputs,
)

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from devproc.frontends.dsl import Pipeline


@dataclass(frozen=True)
class PassComparison:
    """A pass, and how far the results after it are from those before it."""

    name: str
    """The name of the pass."""
    difference: Difference
    """Of the result that differs most, in units of its tolerance."""


@dataclass(frozen=True, repr=False)
class PassVerification(Rendered):
    """The passes of the stage `tensor`, `passes` in order; prints as a table."""

    passes: tuple[PassComparison, ...]

    @property
    def first_differing(self) -> PassComparison | None:
        """The first pass that changes a result by more than rounding."""
        return next((p for p in self.passes if not p.difference.tolerable), None)

    @property
    def passed(self) -> bool:
        """Whether each pass keeps the results."""
        return self.first_differing is None

    def __rich__(self) -> Table:
        table = Table(title=f"results after {len(self.passes)} passes", box=SIMPLE)
        for header in ("pass", "changes results by", ""):
            table.add_column(header)
        for p in self.passes:
            far = "" if p.difference.tolerable else "differs"
            table.add_row(p.name, f"{p.difference.max_absolute:.2g}", far)
        return table

    def summary(self) -> str:
        """One sentence: success, or the first pass that changes a result."""
        first = self.first_differing
        if first is None:
            return f"all {len(self.passes)} passes keep the results"
        by = first.difference.max_absolute
        return f"the pass '{first.name}' changes a result by {by:.3g}"


def verify_passes(
    source: Pipeline | ExportedProgram | Source | str | Path,
    target: str = HOST,
    *,
    inputs: Mapping[str, object] | None = None,
    seed: int = 0,
    threads: int | None = None,
    precision: str = "default",
    placement: GivenPlacement = None,
    fallback: str | None = None,
    check_bounds: bool = False,
    trust_pickle: bool = False,
    **arguments: str,
) -> PassVerification:
    """Evaluates a program after each pass of the stage `tensor`, on a sample.

    The arguments are those of `devproc.verify` but for `weights`, which changes results on
    purpose. Passes that run while the steps of a
    pipeline are not yet lowered are left out: these steps have no reference. `inputs` are
    arrays by name, of the declared shapes and dtypes. Raises what `verify` raises:
    UnsupportedError, InputError, CompileError, BundleError, BuildError.
    """
    program = read_source(source, fallback, trust_pickle=trust_pickle)
    options = target_options(
        target, threads, precision, check_bounds, False, **arguments
    )
    set_options(program.module, options, placement)
    module, weights = program.module.clone(), program.weights
    given = sample_inputs(program.interface, inputs or {}, seed)
    given += initial_states(program.interface, weights)
    results: list[list[torch.Tensor] | None] = []

    def observe(current: ModuleOp) -> None:
        if any(op.dialect_name() == PIPE.name for op in current.walk()):
            results.append(None)
            return
        table = prepared(current, weights)
        # States are written in place.
        copies = [value.clone() for value in given]
        results.append(evaluate(find_function(current, "main"), copies, table))

    stages = list(stages_between(None, "tensor"))
    names = [name for stage in stages for name in stage.passes]
    StageRun(module, before=dict.fromkeys(names, observe)).run(stages)
    observe(module)
    return PassVerification(
        tuple(
            PassComparison(name, _largest(before, after))
            for name, before, after in zip(
                names, results[:-1], results[1:], strict=True
            )
            if before is not None and after is not None
        )
    )


def _largest(before: list[torch.Tensor], after: list[torch.Tensor]) -> Difference:
    """The difference of the result that differs most; programs have at least one."""
    differences = [
        difference(torch.as_tensor(new), torch.as_tensor(old), factor=OUTPUT_FACTOR)
        for old, new in zip(before, after, strict=True)
    ]
    return max(differences, key=lambda found: found.excess)
