"""Runs the kit on a device."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Sequence

from devproc.backend.conformance.cases import OPS
from devproc.backend.conformance.chain_matrix import (
    chain_cells,
    chain_names,
)
from devproc.backend.conformance.code_checks import CODE_CHECKS
from devproc.backend.conformance.device import Device, device_named
from devproc.backend.conformance.op_matrix import op_cells
from devproc.backend.conformance.program_checks import PROGRAM_CHECKS
from devproc.backend.conformance.result import Check, Result
from devproc.backend.conformance.subject import NotRunError, Subject
from devproc.backend.installed import package
from devproc.errors import CompileError, did_you_mean
from devproc.ir.dtypes import DTYPE_NAMES

CHECKS = {
    check.__name__.replace("_", " "): check for check in (*PROGRAM_CHECKS, *CODE_CHECKS)
}
"""Name -> check; its docstring says what has to hold."""


def selected(globs: Sequence[str], names: Iterable[str], what: str) -> list[str]:
    """The names that a glob matches, in their order; all if there are no globs.

    Raises CompileError for a glob that matches none; `what` says what the names are of.
    """
    names = list(names)
    for glob in globs:
        if not fnmatch.filter(names, glob):
            close = did_you_mean(glob, names)
            raise CompileError(f"no {what} is called '{glob}'{close}")
    found = [name for name in names if any(fnmatch.fnmatch(name, g) for g in globs)]
    return found if globs else names


def run_kit(
    target: str,
    ops: Sequence[str] = (),
    dtypes: Sequence[str] = (),
    checks: Sequence[str] = (),
    announce: Callable[[str], None] = lambda text: None,
) -> Result:
    """Tests a device, with an option if it has one: `cuda:interpret`.

    `ops` (composites too), `dtypes` and `checks` are globs that select, all where none are given; `announce`
    is told what is tested. Raises CompileError for a glob that selects nothing, an unknown
    device, or one that nothing can run on here.
    """
    kinds = selected(dtypes, DTYPE_NAMES, "dtype")
    chosen = selected(checks, CHECKS, "check")
    device = device_named(target)
    names = selected(ops, [*OPS, *chain_names(device)], "op")
    why = device.backend.missing(device.option)
    if why is not None:
        raise CompileError(f"'{target}' cannot be tested here: {why}")
    verdicts = list(_run_checks(device, chosen, announce))
    alone = [name for name in names if name in OPS]
    others = [name for name in names if name not in OPS]
    cells = list(op_cells(device, alone, kinds, announce))
    cells += chain_cells(device, others, kinds, announce)
    about = device.backend.summary
    return Result(target, package(device.name), about, cells, verdicts)


def _run_checks(
    device: Device, names: Iterable[str], announce: Callable[[str], None]
) -> Iterator[Check]:
    """The checks, each with its verdict: no failure of one hides another."""
    subject = Subject(device)
    for name in names:
        announce(name)
        what = str(CHECKS[name].__doc__)
        try:
            CHECKS[name](subject)
        except NotRunError as reason:
            yield Check(name, what, skipped=str(reason))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            is_ours = isinstance(error, AssertionError)
            yield Check(name, what, str(error) if is_ours else text)
        else:
            yield Check(name, what)
