"""Runs the samples of PyTorch's `op_db` through the compiler, beside eager PyTorch.

A sample is *eligible* when eager PyTorch takes it and it is small. The samples of an
operator, of one dtype or of several, are exported and compiled as one program, which is
fast; where that does not work, each is a program of its own, so that a report names it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.testing._internal import common_utils
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo import core
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils import _pytree as pytree

import devproc

HALVES = ("float16", "bfloat16")
FLOATS = (*HALVES, "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
INTEGERS = (*SIGNED, "uint8")
NUMBERS = (*FLOATS, *INTEGERS)
ALL = (*NUMBERS, "bool")
COMPLEX = ("complex64", "complex128")
EVERY = (*ALL, *COMPLEX)

SAMPLES = {"float32": 2}
"""Samples in this dtype, so that the suite stays short; in others one. The support matrix
holds what all samples give.
"""

MOST_ELEMENTS = 4096
LARGE = {"slice_scatter": 8192}
"""Elements of the largest tensor of a sample; of operators without smaller ones."""

Claims = Mapping[str, Sequence[str]]
"""Name in `op_db`, with its variant (`div.floor_rounding`) -> the dtypes that work."""

Excuse = Callable[[SampleInput], str | None]
"""Why a sample is not eligible, or None. Its reason goes into the documentation."""


@dataclass(frozen=True)
class Family:
    """What `tests/ops/<family>.py` says about its operators."""

    name: str
    claimed: Claims
    excuses: Mapping[str, Excuse]
    interpreted: Sequence[str]
    """Operators whose first samples in float32 also run on interpreted Triton."""

    costly: Sequence[str]
    """Operators of kernels that take a second each to compile: the suite takes a sample of
    each kind of dtype. The support matrix holds what all samples give.
    """

    @staticmethod
    def of(module: ModuleType) -> Family:
        """The tables CLAIMED, EXCUSES, INTERPRETED and COSTLY; only the first is a must."""
        return Family(
            module.__name__.rpartition(".")[2],
            module.CLAIMED,
            getattr(module, "EXCUSES", {}),
            getattr(module, "INTERPRETED", ()),
            getattr(module, "COSTLY", ()),
        )


@dataclass
class Report:
    """How many samples were tried and how many came out right."""

    eligible: int = 0
    passed: int = 0
    failures: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Case:
    """One sample as a function of its tensors, and what eager PyTorch gives for them."""

    label: str
    tensors: list[torch.Tensor]
    call: Callable[[list[torch.Tensor]], Any]
    wanted: Any
    exact: Any = None
    """The same in float64, where the operator takes that."""


class Samples(nn.Module):
    """Calls the operator once for each case."""

    def __init__(self, cases: Sequence[Case]):
        super().__init__()
        self.cases = cases

    def forward(
        self, tensors: list[list[torch.Tensor]], library: torch.Tensor
    ) -> list[Any]:
        """The results, case by case; `library` makes them tensors of PyTorch where a
        case has none of its own.
        """
        return [case.call(mine) for case, mine in zip(self.cases, tensors, strict=True)]


@cache
def operators() -> Mapping[str, OpInfo]:
    """`op_db` by full name."""
    return {op.full_name: op for op in op_db}


def dtypes_of(name: str, claimed: Iterable[str]) -> list[str]:
    """The claimed dtypes that eager PyTorch takes on the CPU."""
    supported = operators()[name].supported_dtypes("cpu")
    return [dtype for dtype in claimed if getattr(torch, dtype) in supported]


def make_case(op: OpInfo, sample: SampleInput) -> Case | None:
    """The case of a sample; None where eager PyTorch refuses it or it is large."""
    leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    complex_places = [i for i in places if leaves[i].is_complex()]
    tensors = [as_real(leaves[i].detach()).clone() for i in places]
    most = LARGE.get(op.full_name, MOST_ELEMENTS)
    if any(t.numel() > most for t in tensors):
        return None

    def call(given: list[torch.Tensor]) -> Any:
        values = list(leaves)
        for place, tensor in zip(places, given, strict=True):
            is_complex = place in complex_places
            values[place] = torch.view_as_complex(tensor) if is_complex else tensor
        first, args, kwargs = pytree.tree_unflatten(values, spec)
        return pytree.tree_map(as_real, op.op(first, *args, **kwargs))

    try:
        with torch.no_grad():
            wanted = call([t.clone() for t in tensors])
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError):
        return None
    if any(
        isinstance(leaf, torch.Tensor) and leaf.numel() > most
        for leaf in pytree.tree_leaves(wanted)
    ):
        return None
    return Case(describe(sample), tensors, call, wanted, in_float64(call, tensors))


def as_real(value: Any) -> Any:
    """A complex tensor as pairs of real numbers: no other enters or leaves a program."""
    if not isinstance(value, torch.Tensor) or not value.is_complex():
        return value
    return torch.view_as_real(value.resolve_conj())


def in_float64(
    call: Callable[[list[torch.Tensor]], Any], tensors: Sequence[torch.Tensor]
) -> Any:
    """What the operator gives for float64 tensors, or None. Of integers alone, which it
    may promote to floats, it gives what it does for the same numbers.
    """
    floats = any(t.is_floating_point() for t in tensors)
    try:
        with torch.no_grad():
            return call(
                [
                    t.double() if t.is_floating_point() or not floats else t
                    for t in tensors
                ]
            )
    except (RuntimeError, ValueError, TypeError, IndexError):
        return None


def describe(sample: SampleInput) -> str:
    """The sample in a report: shapes for tensors, other arguments as they are."""

    def show(value: object) -> object:
        if isinstance(value, torch.Tensor):
            return f"{str(value.dtype).removeprefix('torch.')}{tuple(value.shape)}"
        return value

    shown = pytree.tree_map(show, (sample.input, *sample.args))
    named = pytree.tree_map(show, sample.kwargs)
    return f"{shown} {named}" if named else str(shown)


def samples_of(name: str, dtype: str) -> Iterator[SampleInput]:
    """PyTorch's samples of an operator, the same in every run.

    It looks through the stack for the `unittest` that asks for them, and for the source of
    every frame: under pytest, half of the time of all these tests. There is none to find.
    Before each sample it seeds all devices, each of which writes down the stack, too.
    """
    torch.manual_seed(0)
    with (
        mock.patch.object(common_utils, "extract_test_fn", return_value=None),
        mock.patch.object(core, "extract_test_fn", return_value=None),
        mock.patch.object(torch, "manual_seed", torch.default_generator.manual_seed),
    ):
        yield from operators()[name].sample_inputs(
            "cpu", getattr(torch, dtype), requires_grad=False
        )


def cases_of(name: str, dtype: str, excuse: Excuse | None, most: int) -> list[Case]:
    """At most `most` eligible cases, spread over all that PyTorch has."""
    op = operators()[name]
    cases: list[Case] = []
    for sample in itertools.islice(samples_of(name, dtype), 20 * most):
        if excuse is None or excuse(sample) is None:
            case = make_case(op, sample)
            if case is not None:
                cases.append(case)
    step = max(len(cases) / most, 1.0)
    return [cases[int(i * step)] for i in range(min(most, len(cases)))]


def run_cases(cases: Sequence[Case], target: str) -> list[str]:
    """Compiles the cases as one program; gives the labels of those that differ."""
    inputs = [[t.clone() for t in case.tensors] for case in cases]
    library = torch.zeros(1)
    exported = torch.export.export(
        Samples(cases).eval(), (inputs, library), strict=False
    )
    program = devproc.compile(exported, target, threads=1, cache=False)
    found = program([list(case.tensors) for case in cases], library)
    failures: list[str] = []
    for case, result in zip(cases, found, strict=True):
        try:
            compare(result, case.wanted, case.exact)
        except AssertionError as error:
            failures.append(f"{case.label}: {error}")
    return failures


def compare_tensors(
    found: torch.Tensor, wanted: torch.Tensor, exact: torch.Tensor | None
) -> None:
    """Within PyTorch's tolerances, or at most twice as far from the result in float64 as
    eager PyTorch is (sums in another order, fewer roundings); raises AssertionError.
    """
    try:
        torch.testing.assert_close(found, wanted, equal_nan=True)
    except AssertionError:
        if exact is None or exact.shape != wanted.shape or found.dtype != wanted.dtype:
            raise
        if not wanted.is_floating_point() or not bool(exact.isfinite().all()):
            raise
        mine, theirs = ((v.double() - exact).abs().max() for v in (found, wanted))
        rounding = torch.finfo(wanted.dtype).eps * exact.abs().max()
        if not bool(mine <= torch.maximum(2 * theirs, rounding)):
            raise


def compare(found: Any, wanted: Any, exact: Any = None) -> None:
    """PyTorch's tolerances for floats, exact for the rest; raises AssertionError."""
    mine, theirs = pytree.tree_leaves(found), pytree.tree_leaves(wanted)
    assert len(mine) == len(theirs), f"{len(mine)} results, wanted {len(theirs)}"
    exacts = pytree.tree_leaves(exact)
    if len(exacts) != len(theirs):
        exacts = [None] * len(theirs)
    for f, w, e in zip(mine, theirs, exacts, strict=True):
        if isinstance(w, torch.Tensor):
            compare_tensors(f, w, e)
        else:
            assert f == w, f"{f} instead of {w}"


def check(
    name: str,
    *dtypes: str,
    target: str = "cpu",
    excuse: Excuse | None = None,
    most: int | None = None,
) -> Report:
    """Tries the samples of an operator for some dtypes, `most` of each."""
    cases: list[Case] = []
    for dtype in dtypes:
        count = most or SAMPLES.get(dtype, 1)
        found = cases_of(name, dtype, excuse, count)
        assert found, f"no sample of PyTorch is eligible for {dtype}"
        cases += [replace(case, label=f"{dtype} {case.label}") for case in found]
    report = Report(eligible=len(cases))
    try:
        failed = run_cases(cases, target)
    except Exception:
        failed = ["together"]
    if failed:
        for case in cases:
            try:
                report.failures += run_cases([case], target)
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                report.failures.append(f"{case.label}: {text}")
        report.failures = report.failures or failed
    report.passed = report.eligible - len(report.failures)
    return report
