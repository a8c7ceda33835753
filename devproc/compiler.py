"""From a source to an artifact, through all stages."""

from __future__ import annotations

import time
from collections.abc import Container, Mapping
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.algorithms import ALGORITHMS_OF
from devproc.algorithms.straight_code import StraightKernels
from devproc.dialects.dev import TargetAttr, is_for_cpu_alone
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.sched.overrides import require_matches
from devproc.driver import StageRun, module_text, stages_between
from devproc.exactness.steps.step_bounds import read_bounds
from devproc.ir.concurrency.thread_switches import frequent_thread_switches
from devproc.ir.concurrency.worker_pool import WorkerPool
from devproc.ir.host.host_functions import host_functions
from devproc.ir.program.kernel_modules import device_kernels
from devproc.ir.verification.value_checks import read_checks
from devproc.ir.verification.verify import PREPARE
from devproc.ir.weights.prepare import prepare_function
from devproc.reference.run.preparation import Preparation, Store
from devproc.runtime.bundles.artifact import Artifact, Compiled
from devproc.runtime.execution.host_reader import (
    find_function,
    read_host_program,
    segment_kernels,
    weight_names,
)
from devproc.settings import verify_each_pass
from devproc.source import Source
from devproc.timings import StageRecord, announce, seconds_since

if TYPE_CHECKING:
    from devproc.targets.triton.kernel import TritonKernel


def build(
    source: Source,
    target: str,
    *,
    text: str | None = None,
    pass_options: Mapping[str, str] | None = None,
    after: str | None = None,
    store: Store | None = None,
) -> Compiled:
    """What the stages after `after` make of a source, whose module is used up.

    `text` is that of the module, where the caller has it. `pass_options` replaces passes
    by specs with options, by name. With `store` the weights go where it writes them.
    Threads prepare the weights alongside the later stages, and make the object code of one
    kernel while the next is lowered.
    """
    from devproc.targets.cpu.native_code import uses_thread_pool
    from devproc.targets.cpu.object_code import ObjectCode, checked_accesses

    text = text or module_text(source.module)
    # LLVM verifies its own code; once more would be a tenth of the compilation.
    unverified = () if verify_each_pass() else ("llvm",)
    straight, options = StraightKernels(), pass_options or {}
    run = StageRun(source.module, options=options, unverified=unverified)
    run.before = straight.before
    module = run.module
    # LLVM has a thread of its own: it would wait behind the weights that are packed.
    with (
        WorkerPool(3) as pool,
        WorkerPool(1) as llvm,
        frequent_thread_switches(),
    ):
        pool_code = _begin_thread_pool(module, llvm)
        run.run(stages_between(after, "kernels"))
        preparation = _prepare(module, source, pool, store)
        kernels = device_kernels(module, ALGORITHMS_OF)
        require_matches(module, (kernel.sym_name.data for kernel in kernels))
        run.run(stages_between("kernels", "host"))
        segments, accesses = segment_kernels(module), checked_accesses(module)
        names = dict.fromkeys([*weight_names(module), *_state_names(source)])
        run.run(stages_between("host", None))
        code = ObjectCode(llvm)
        for kernel in run.kernels():
            code.add(kernel.module, {kernel.name}, kernel.name not in straight.names)
        code.add(module)
        artifact = _make_artifact(module, segments, source, target, text)
        records = list(run.records.values())
        if segments:
            record, object_code = code.finish()
            artifact = replace(artifact, object_code=object_code, accesses=accesses)
            if pool_code is not None and uses_thread_pool(object_code):
                artifact = replace(artifact, pool_code=pool_code.result())
            records.append(record)
        announce("weights")
        started = time.perf_counter()
        weights, stored = preparation.kept(names), preparation.stored()
        records.append(StageRecord("weights", seconds_since(started, "prepare")))
        return Compiled(artifact, weights, stored, records)


def _begin_thread_pool(module: ModuleOp, llvm: Executor) -> Future[bytes] | None:
    """The object code of the thread pool, while LLVM has nothing else to do."""
    from devproc.targets.cpu.cpu_target import required_cpu
    from devproc.targets.cpu.thread_pool import thread_pool_object

    target = module.attributes["devproc.target"]
    assert isinstance(target, TargetAttr)
    if target.threads.data == 1 or not is_for_cpu_alone(module):
        return None
    return llvm.submit(thread_pool_object, required_cpu(target.cpu.data).name)


def _prepare(
    module: ModuleOp, source: Source, executor: Executor, store: Store | None
) -> Preparation:
    """Begins with the weights that the stage `kernels` left a use of."""
    main = find_function(module, "main")
    used = [op.weight_name for op in main.walk() if isinstance(op, WeightOp)]
    used += _state_names(source)
    todo = None if source.prepared else prepare_function(module)
    return Preparation(todo, source.weights, used, source.borrowed, executor, store)


def _state_names(source: Source) -> list[str]:
    return [spec.name for spec in source.interface.states]


def _make_artifact(
    module: ModuleOp,
    segments: Mapping[str, tuple[str, ...]],
    source: Source,
    target: str,
    text: str,
) -> Artifact:
    """All but the object code; `text` is that of the first stage."""
    from devproc.targets.cpu.cpu_target import required_cpu

    kernels: dict[str, TritonKernel] = {}
    if not is_for_cpu_alone(module):
        from devproc.targets.triton.kernel import kernels_of

        kernels = kernels_of(module)
    options = module.attributes["devproc.target"]
    assert isinstance(options, TargetAttr)
    return Artifact(
        devices=target,
        threads=options.threads.data,
        cpu=required_cpu(options.cpu.data),
        program_text=text,
        interface=source.interface,
        calling=source.calling,
        host=read_host_program(module, segments),
        object_code=None,
        kernels=kernels,
        prepare_text=functions_text(module, (PREPARE,)),
        host_text=functions_text(module, host_functions(module)),
        exactness=read_bounds(module),
        checks=read_checks(module),
    )


def functions_text(module: ModuleOp, names: Container[str]) -> str | None:
    """The functions of these names as the text of a module; None for none."""
    found = [
        op.clone()
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and op.sym_name.data in names
    ]
    return module_text(ModuleOp(found)) if found else None
