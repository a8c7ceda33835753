"""From a source to an artifact, through all stages."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.backend.builder import CodeBuilder
from devproc.backend.installed import backend
from devproc.dialects.dev import TargetAttr
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.sched.overrides import require_matches
from devproc.driver import StageRun, module_text, stages_between
from devproc.exactness.steps.step_bounds import read_bounds
from devproc.ir.concurrency.thread_switches import frequent_thread_switches
from devproc.ir.concurrency.worker_pool import WorkerPool
from devproc.ir.devices import HOST
from devproc.ir.program.kernel_modules import lowered_kernels, take_functions
from devproc.ir.program.picked_weights import picked_weights
from devproc.ir.program.region_functions import region_functions
from devproc.ir.verification.value_checks import read_checks
from devproc.ir.verification.verify import PREPARE
from devproc.ir.weights.prepare import prepare_function
from devproc.reference.run.preparation import Preparation, Store
from devproc.runtime.bundles.artifact import Artifact, Compiled, PackedText
from devproc.runtime.execution.host_reader import (
    find_function,
    native_kernels,
    read_host_program,
    segment_kernels,
    weight_names,
)
from devproc.settings import verify_each_pass
from devproc.source import Source
from devproc.timings import StageRecord, announce, seconds_since


def build(
    source: Source,
    target: str,
    *,
    text: str | None = None,
    pass_options: Mapping[str, str] | None = None,
    after: str | None = None,
    store: Store | None = None,
    builders: Mapping[str, CodeBuilder] | None = None,
) -> Compiled:
    """What the stages after `after` make of a source, whose module is used up.

    `text` is that of the module, where the caller has it. `pass_options` replaces passes
    by specs with options, by name. With `store` the weights go where it writes them.
    `builders` make the code of devices in place of those of their backends.
    Threads prepare the weights alongside the later stages, and make the object code of one
    kernel while the next is lowered.
    """
    text = text or module_text(source.module)
    # LLVM verifies its own code; once more would be a tenth of the compilation.
    unverified = () if verify_each_pass() else ("llvm",)
    run = StageRun(source.module, options=pass_options or {}, unverified=unverified)
    module = run.module
    # Code has a thread of its own: it would wait behind the weights that are packed.
    with (
        WorkerPool(3) as pool,
        WorkerPool(1) as coder,
        frequent_thread_switches(),
    ):
        builders = {**_begin_code(module, coder), **(builders or {})}
        run.before = _observers(builders.values())
        run.run(stages_between(after, "kernels"))
        preparation = _prepare(module, source, pool, store)
        picked = picked_weights(module)
        kernels = lowered_kernels(module)
        require_matches(module, (kernel.sym_name.data for kernel in kernels))
        run.run(stages_between("kernels", "host"))
        segments, called = segment_kernels(module), native_kernels(module)
        names = dict.fromkeys([*weight_names(module), *_state_names(source)])
        run.run(stages_between("host", None))
        for kernel in run.kernels():
            builders[HOST].add_kernel(kernel)
        artifact = _make_artifact(module, segments, source, target, text)
        host = replace(artifact.host, kernels=called, picked=picked)
        memories = {slot.device for slot in artifact.host.slots}
        code_weights = _add_functions(module, builders, coder, memories)
        for own in code_weights.values():
            names |= dict.fromkeys(own)
        records = list(run.records.values())
        finished = {name: builder.finish() for name, builder in builders.items()}
        code = {name: made for name, (made, _) in finished.items() if made is not None}
        artifact = replace(artifact, host=host, code=code, code_weights=code_weights)
        records += [record for _, record in finished.values() if record is not None]
        announce("weights")
        started = time.perf_counter()
        weights, stored = preparation.kept(names), preparation.stored()
        records.append(StageRecord("weights", seconds_since(started, "prepare")))
        return Compiled(artifact, weights, stored, records)


def _begin_code(module: ModuleOp, executor: Executor) -> dict[str, CodeBuilder]:
    """A builder for each device of the target, and for the host."""
    options = module.attributes["devproc.target"]
    assert isinstance(options, TargetAttr)
    names = dict.fromkeys((HOST, *options.device_names))
    return {name: backend(name).builder(module, executor) for name in names}


def _observers(
    builders: Iterable[CodeBuilder],
) -> dict[str, Callable[[ModuleOp], None]]:
    """What is called before passes: each pass has at most one observer."""
    found: dict[str, Callable[[ModuleOp], None]] = {}
    for builder in builders:
        found |= builder.observers
    return found


def _add_functions(
    module: ModuleOp,
    builders: dict[str, CodeBuilder],
    executor: Executor,
    memories: Container[str],
) -> dict[str, tuple[str, ...]]:
    """Gives each device its functions; the weights that the code of devices names.

    A device without functions has code only if the program uses its memory.
    """
    functions = take_functions(module)
    for name in functions.keys() - builders:
        builders[name] = backend(name).builder(module, executor)
    named: dict[str, tuple[str, ...]] = {}
    for name, builder in builders.items():
        if builder.takes_all:
            builder.add(module)
            continue
        if name not in functions and name not in memories:
            continue
        own = ModuleOp(functions.get(name, []), module.attributes)
        builder.add(own)
        weights = (op.weight_name for op in own.walk() if isinstance(op, WeightOp))
        named[name] = tuple(dict.fromkeys(weights))
    return named


def _prepare(
    module: ModuleOp, source: Source, executor: Executor, store: Store | None
) -> Preparation:
    """Begins with the weights that the stage `kernels` left a use of."""
    functions = [find_function(module, "main"), *region_functions(module).values()]
    ops = (op for function in functions for op in function.walk())
    used = [op.weight_name for op in ops if isinstance(op, WeightOp)]
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
    """All but the code; `text` is that of the first stage."""
    options = module.attributes["devproc.target"]
    assert isinstance(options, TargetAttr)
    prepare = functions_text(module, (PREPARE,))
    return Artifact(
        devices=target,
        threads=options.threads.data,
        program=PackedText.of(text),
        interface=source.interface,
        calling=source.calling,
        host=read_host_program(module, segments),
        code={},
        prepare=None if prepare is None else PackedText.of(prepare),
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
