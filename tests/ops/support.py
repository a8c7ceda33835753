"""What the support matrix measures: one operator, one dtype, one route, all samples.

A sample is left out, with its reason, where eager PyTorch or `torch.export` refuses it,
where it is large, and where it is no inference with static shapes (the excuses of the
families). The others are eligible: they pass, are refused by the importer, or fail.
"""

from __future__ import annotations

import contextlib
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export import ExportedProgram

import devproc
from devproc.errors import UnsupportedError
from tests.ops import families
from tests.ops.harness import (
    ALL,
    COMPLEX,
    EVERY,
    Case,
    Excuse,
    Samples,
    compare,
    dtypes_of,
    make_case,
    operators,
    samples_of,
)

FULLY_MEASURED = ("float32", "int64", "bool")
"""Dtypes in which the most samples are measured."""

PER_PROGRAM = 16
"""Samples that are compiled together: a larger program compiles no faster."""

LONGEST = 240
"""Seconds after which a measurement is given up."""


@dataclass(frozen=True)
class Route:
    """A way to run an operator's samples."""

    target: str
    decomposed: bool
    dtypes: Sequence[str]
    most: int
    """Samples of an operator in the dtypes FULLY_MEASURED, spread over all that PyTorch
    has."""
    few: int = 0
    """Samples in the other dtypes."""


ROUTES: Mapping[str, Route] = {
    "cpu": Route("cpu", False, EVERY, 48, 12),
    "core": Route("cpu", True, FULLY_MEASURED, 12),
    "cuda:interpret": Route("cuda:interpret", False, ALL, 6, 3),
}
"""`core` runs what `ExportedProgram.run_decompositions()` leaves: core ATen operators.
Interpreted Triton, which is slow, runs only the operators that the families name.
"""


@dataclass(frozen=True, order=True)
class Entry:
    """A cell of the matrix."""

    operator: str
    """Its name in `op_db`, with the variant."""
    route: str
    dtype: str


@dataclass
class Outcome:
    """What was found for an entry."""

    passed: int = 0
    eligible: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    """Why eligible samples did not pass -> how many."""
    examples: dict[str, str] = field(default_factory=dict[str, str])
    """Of each of those reasons, the first sample and what was wrong with it."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Why samples are not eligible -> how many."""
    aten: set[str] = field(default_factory=set[str])
    """The ATen overloads of the exported programs."""


def entries() -> list[Entry]:
    """All cells: every claimed operator with every real dtype that PyTorch takes, and
    with the complex ones that are claimed.
    """
    found: list[Entry] = []
    for family in families():
        for name, claimed in family.claimed.items():
            for route, how in ROUTES.items():
                if how.target == "cpu" or name in family.interpreted:
                    dtypes = [d for d in how.dtypes if d in claimed or d not in COMPLEX]
                    found += [Entry(name, route, d) for d in dtypes_of(name, dtypes)]
    return found


def excuse_of(name: str) -> Excuse | None:
    """The excuse that the operator's family gives."""
    return next((f.excuses[name] for f in families() if name in f.excuses), None)


def measure(entry: Entry) -> Outcome:
    """Runs the samples of an entry; nothing that goes wrong there is raised."""
    torch.set_num_threads(1)
    outcome = Outcome()
    with warnings.catch_warnings(), _limit(LONGEST):
        warnings.simplefilter("ignore")
        try:
            cases = _cases(entry, outcome)
            for i in range(0, len(cases), PER_PROGRAM):
                _measure_program(cases[i : i + PER_PROGRAM], entry, outcome)
        except TimeoutError:
            outcome.reasons[f"not done in {LONGEST} s"] += 1
            outcome.eligible = outcome.passed + outcome.reasons.total()
    return outcome


@contextlib.contextmanager
def _limit(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def _cases(entry: Entry, outcome: Outcome) -> list[Case]:
    """The samples that PyTorch takes and no excuse leaves out."""
    operator, excuse = operators()[entry.operator], excuse_of(entry.operator)
    route = ROUTES[entry.route]
    most = route.most if entry.dtype in FULLY_MEASURED else route.few
    samples = list(samples_of(entry.operator, entry.dtype))
    step = max(len(samples) / most, 1.0)
    cases: list[Case] = []
    for i in range(min(most, len(samples))):
        sample = samples[int(i * step)]
        reason = excuse(sample) if excuse else None
        case = None if reason else make_case(operator, sample)
        if case is None:
            outcome.left_out[reason or "eager PyTorch refuses it, or it is large"] += 1
        else:
            cases.append(case)
    return cases


def _measure_program(cases: Sequence[Case], entry: Entry, outcome: Outcome) -> None:
    """The cases as one program; where that does not work, each as its own."""
    try:
        wrong = _run(cases, entry, outcome.aten)
    except (TimeoutError, ImportError):
        raise
    except Exception:
        wrong = [""]
    if not wrong:
        outcome.eligible += len(cases)
        outcome.passed += len(cases)
        return
    for case in cases:
        reason, detail = _reason_of(lambda c=case: _run([c], entry, outcome.aten))
        if reason.startswith(NOT_EXPORTED):
            outcome.left_out[reason] += 1
            continue
        outcome.eligible += 1
        if reason:
            outcome.reasons[reason] += 1
            outcome.examples.setdefault(reason, f"{case.label}: {detail}")
        else:
            outcome.passed += 1


NOT_EXPORTED = "torch.export refuses it"


class _NotExported(Exception):
    pass


def _run(cases: Sequence[Case], entry: Entry, aten: set[str]) -> list[str]:
    """The messages of the cases that differ from PyTorch."""
    route = ROUTES[entry.route]
    exported = _export(cases, route)
    aten |= overloads(exported)
    program = devproc.compile(exported, route.target, threads=1, cache=False)
    found = program([list(case.tensors) for case in cases], torch.zeros(1))
    wrong: list[str] = []
    for case, result in zip(cases, found, strict=True):
        try:
            compare(result, case.wanted, case.exact)
        except AssertionError as error:
            wrong.append(str(error))
    return wrong


def _export(cases: Sequence[Case], route: Route) -> ExportedProgram:
    inputs: Any = [[t.clone() for t in case.tensors] for case in cases]
    try:
        exported = torch.export.export(
            Samples(cases).eval(), (inputs, torch.zeros(1)), strict=False
        )
        return exported.run_decompositions() if route.decomposed else exported
    except TimeoutError:
        raise
    except Exception as error:
        raise _NotExported(f"{NOT_EXPORTED} ({type(error).__name__})") from error


def overloads(exported: ExportedProgram) -> set[str]:
    """The ATen overloads of a program, with those of the graphs inside it."""
    graphs = [
        m
        for m in exported.graph_module.modules()
        if isinstance(m, torch.fx.GraphModule)
    ]
    targets = (n.target for m in graphs for n in m.graph.nodes)
    return {str(t) for t in targets if isinstance(t, torch._ops.OpOverload)}


def _reason_of(run: Callable[[], list[str]]) -> tuple[str, str]:
    """Why a sample does not pass, without its shapes, and with them; empty where it
    does.
    """
    try:
        wrong = run()
    except (TimeoutError, ImportError):
        raise
    except _NotExported as error:
        return str(error), ""
    except UnsupportedError as error:
        whys = "; ".join(sorted({p.why for p in error.problems}))
        return f"refused: {whys}", str(error.problems[0])
    except Exception as error:
        return f"fails: {type(error).__name__}", " ".join(str(error).split())[:400]
    return ("differs", " ".join(wrong[0].split())[:400]) if wrong else ("", "")
