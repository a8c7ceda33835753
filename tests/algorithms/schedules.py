"""What the tests of an algorithm share: the nests of a kernel, planned or expanded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnitAttr

from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, KernelOps, Refusal
from devproc.algorithms.choosing import nest_for
from devproc.dialects.dev import KernelAttr, target_of
from devproc.dialects.sched import Schedule
from devproc.dialects.sched.ops import is_structured
from devproc.dialects.sched.parsing import parse_schedule
from devproc.driver import make_context, make_pass
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.transforms.schedules.chooser import wrap
from tests.cpu.native_kernels import (
    TO_LOOPS,
    kernel,
    kernel_of,
    memref_type,
    run_kernel,
)


def kernel_ops(module: ModuleOp) -> KernelOps:
    """The ops of the only kernel of a module."""
    ops = list(filter(is_structured, kernel_of(module).body.block.ops))
    return KernelOps(ops, mark_of(module).family.data)


def mark_of(module: ModuleOp) -> KernelAttr:
    """What the only kernel of a module is."""
    mark = kernel_mark(kernel_of(module))
    assert mark is not None
    return mark


def decisions(module: ModuleOp, name: str) -> list[Choice | Refusal]:
    """What an algorithm decides about each of its nests."""
    ops, before = kernel_ops(module), str(module)
    target, taker = target_of(module), algorithm(name)
    found = [taker.plan(nest, ops.family, target) for nest in taker.match(ops)]
    assert str(module) == before, "a plan changes no IR"
    return found


def planned(module: ModuleOp, name: str) -> Schedule:
    """The schedule of the only nest of an algorithm, which is legal and reads back."""
    (decision,) = decisions(module, name)
    assert isinstance(decision, Choice), decision
    assert decision.why
    assert "\n" not in decision.why
    assert parse_schedule(str(decision.schedule)) == decision.schedule
    assert problem(module, name, decision.schedule) is None
    return decision.schedule


def problem(module: ModuleOp, name: str, schedule: Schedule) -> str | None:
    """Why a schedule is not legal for the only nest of an algorithm."""
    (nest,) = algorithm(name).match(kernel_ops(module))
    found = nest_for(schedule, nest.ops, mark_of(module), target_of(module))
    return found.why if isinstance(found, Refusal) else None


def expand(module: ModuleOp, name: str, schedule: Schedule) -> None:
    """Expand the only nest of an algorithm by a schedule, which must be legal."""
    assert problem(module, name, schedule) is None
    (nest,) = algorithm(name).match(kernel_ops(module))
    wrap(nest.ops, Choice(schedule, "changed by a test"), "n0")
    for pass_name in TO_LOOPS:
        make_pass(pass_name).apply(make_context(), module)


def module_of(
    text: str, arrays: Sequence[np.ndarray], family: str, **options: Any
) -> ModuleOp:
    """A kernel over arrays, none of which overlap."""
    module = kernel(family, [memref_type(a) for a in arrays], text, **options)
    apart = DictionaryAttr({"llvm.noalias": UnitAttr()})
    kernel_of(module).arg_attrs = ArrayAttr([apart] * len(arrays))
    return module


def run_by(
    module: ModuleOp, name: str, schedule: Schedule, arrays: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """The arrays after a run of the kernel with its nest by this schedule."""
    copies = [a.copy() for a in arrays]
    expand(module, name, schedule)
    run_kernel(module, copies)
    return copies
