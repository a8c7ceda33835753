"""Nests of real kernels, and compilations with other schedules than the planned ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from devproc.algorithms import algorithm, module_of
from devproc.algorithms.base import Choice, Decision, KernelOps
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import Schedule
from devproc.dialects.sched.parsing import parse_schedule
from devproc.driver import run_stages, stages_between
from devproc.ir.program.kernel_modules import host_kernels
from devproc.options import set_options
from devproc.source import read_source
from devproc.targets.cpu.transforms.loops.kernels import structured_ops
from tests.repository import context


def nest_of(
    name: str, model: nn.Module, inputs: tuple[Tensor, ...], target: TargetAttr
) -> Any:
    """The one nest of a model, compiled for a target, that an algorithm matches."""
    module = read_source(torch.export.export(model.eval(), inputs)).module
    set_options(module, target, {})
    run_stages(module, context(), stages_between(None, "buffers"), verify=False)
    kernels = [KernelOps(structured_ops(f), name) for f in host_kernels(module, name)]
    (nest,) = (nest for kernel in kernels for nest in algorithm(name).match(kernel))
    return nest


def planned_by(name: str, nest: Any, target: TargetAttr) -> Any:
    """The choice for a nest of a family of the algorithm's name, which must be legal."""
    known, function = algorithm(name), nest.ops[0].parent_op()
    before = str(function)
    decision = known.plan(nest, name, target)
    assert isinstance(decision, Choice)
    assert known.problem(nest, decision.schedule, target) is None
    assert str(function) == before, "a plan changes no IR"
    assert parse_schedule(str(decision.schedule)) == decision.schedule
    return decision


@contextmanager
def overridden(
    name: str, change: Callable[[Any], Schedule] = lambda planned: planned
) -> Iterator[list[Schedule]]:
    """Compilations give the nests of an algorithm a changed schedule, which must be legal;
    gives the schedules that they used."""
    known = algorithm(name)
    used: list[Schedule] = []

    def plan(nest: Any, family: str, target: TargetAttr) -> Decision:
        decision = known.plan(nest, family, target)
        if not isinstance(decision, Choice):
            return decision
        schedule = change(decision.schedule)
        problem = known.problem(nest, schedule, target)
        assert problem is None, problem
        used.append(schedule)
        return Choice(schedule, "given")

    package = module_of(name)
    with patch(f"{package}.ALGORITHM", replace(known, plan=plan)):
        algorithm.cache_clear()
        try:
            yield used
        finally:
            algorithm.cache_clear()
