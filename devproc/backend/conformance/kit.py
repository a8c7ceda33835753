"""Runs the kit on a device."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Sequence

from devproc.backend.conformance.cases import OPS
from devproc.backend.conformance.code_checks import CODE_CHECKS
from devproc.backend.conformance.device import Device, device_named
from devproc.backend.conformance.op_matrix import op_cells
from devproc.backend.conformance.program_checks import PROGRAM_CHECKS
from devproc.backend.conformance.result import Check, Result
from devproc.backend.conformance.subject import NotRunError, Subject
from devproc.backend.installed import package
from devproc.errors import CompileError, did_you_mean
from devproc.ir.dtypes import DTYPE_NAMES


def selected(ops: Sequence[str], dtypes: Sequence[str]) -> tuple[list[str], list[str]]:
    """The ops of globs, and dtypes; all where none are given.

    Raises CompileError for a glob or name that selects nothing.
    """
    globs, kinds = list(ops) or ["*"], list(dtypes) or list(DTYPE_NAMES)
    for glob in globs:
        if not fnmatch.filter(OPS, glob):
            raise CompileError(f"no op is called '{glob}'{did_you_mean(glob, OPS)}")
    for kind in kinds:
        if kind not in DTYPE_NAMES:
            close = did_you_mean(kind, DTYPE_NAMES)
            raise CompileError(f"no dtype is called '{kind}'{close}")
    return [name for glob in globs for name in fnmatch.filter(OPS, glob)], kinds


def run_kit(
    target: str,
    ops: Iterable[str] = tuple(OPS),
    dtypes: Sequence[str] = DTYPE_NAMES,
    announce: Callable[[str], None] = lambda text: None,
) -> Result:
    """Tests a device, with an option if it has one: `cuda:interpret`.

    `ops` and `dtypes` select from the matrix of ops; `announce` is told each. Raises
    CompileError for an unknown device, or one that nothing can run on here.
    """
    device = device_named(target)
    why = device.backend.missing(device.option)
    if why is not None:
        raise CompileError(f"'{target}' cannot be tested here: {why}")
    checks = list(run_checks(device, announce))
    cells = list(op_cells(device, ops, dtypes, announce))
    about = device.backend.summary
    return Result(target, package(device.name), about, cells, checks)


def run_checks(
    device: Device, announce: Callable[[str], None] = lambda text: None
) -> Iterator[Check]:
    """The checks, each with its verdict: no failure of one hides another."""
    subject = Subject(device)
    for check in (*PROGRAM_CHECKS, *CODE_CHECKS):
        name, what = check.__name__.replace("_", " "), str(check.__doc__)
        announce(name)
        try:
            check(subject)
        except NotRunError as reason:
            yield Check(name, what, skipped=str(reason))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            is_ours = isinstance(error, AssertionError)
            yield Check(name, what, str(error) if is_ours else text)
        else:
            yield Check(name, what)
