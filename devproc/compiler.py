"""From a source to a running program, through all stages."""

from __future__ import annotations

import sys
import time
from collections.abc import Container, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import TypeIs
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import TargetAttr
from devproc.dialects.nn.constant import WeightOp
from devproc.driver import (
    make_context,
    module_text,
    parse_module,
    run_stages,
    stages_between,
)
from devproc.entry import load_program, read_program
from devproc.errors import CompileError
from devproc.exactness.step_bounds import read_bounds
from devproc.ir.concurrency.thread_switches import frequent_thread_switches
from devproc.ir.cpus import NATIVE
from devproc.ir.program.host_functions import host_functions
from devproc.ir.program.kernel_modules import take_kernels
from devproc.ir.program.state import forget_states
from devproc.ir.verification.value_checks import read_checks
from devproc.ir.verification.verify import PREPARE
from devproc.ir.verification.verify_ops import VerifiedForms
from devproc.ir.weights.prepare import prepare_function
from devproc.ir.weights.table import KnownHashes, WeightTable
from devproc.options import (
    Placement,
    checks_bounds,
    is_for_cpu_alone,
    set_options,
    target_options,
)
from devproc.reference.run.preparation import Preparation, prepared
from devproc.runtime.cache.artifact_cache import Entry, store_weights, write_cached
from devproc.runtime.cache.cache_key import CacheKey, text_key
from devproc.runtime.calls.calling import Calling, NamedCalling
from devproc.runtime.calls.interface import Interface
from devproc.runtime.execution.host_reader import (
    find_function,
    interface_of,
    read_host_program,
    segment_kernels,
    weight_names,
)
from devproc.runtime.program import Artifact, Program
from devproc.timings import StageRecord, announce, seconds_since

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

    from devproc.frontends.dsl import Pipeline
    from devproc.targets.triton.kernel import TritonKernel
    from devproc.verification import Verification


@dataclass(frozen=True, repr=False)
class Source:
    """A program at its first stage, with its weights and its way of being called."""

    module: ModuleOp
    weights: WeightTable
    interface: Interface
    calling: Calling
    borrowed: bool = False
    """Whether the weights lie in memory of the user's, who may change it later."""
    prepared: bool = False
    """Whether the results of `@prepare` stand among the weights already."""
    has_checks: bool = True
    """Whether the module names the values to be looked at with `check_values`."""

    def __repr__(self) -> str:
        return f"<Source {self.interface.line()}; {self.weights!r}>"


def verify(
    source: Pipeline | ExportedProgram | Source | str | Path,
    target: str = "cpu",
    *,
    inputs: Mapping[str, object] | None = None,
    seed: int = 0,
    threads: int | None = None,
    precision: str = "default",
    arch: str = "sm_90",
    cpu: str = NATIVE,
    placement: Placement | None = None,
    fallback: str | None = None,
    check_bounds: bool = False,
    exported: ExportedProgram | str | Path | None = None,
    trust_pickle: bool = False,
) -> Verification:
    """Compares each op of a program with its meaning in PyTorch, on a sample.

    `devproc.verify(pipe)`: `source`, and the options but those named here, are those of
    `devproc.compile`. `inputs` are arrays by name, of the declared shapes and dtypes;
    random ones, made from `seed`, where none are given. `exported`: the exported program
    that `source` (a JSON, say) comes from, which PyTorch runs too.

    Printed, the result is a table of the ops with the largest errors, local and
    accumulated, with their lines in the model; `passed`, `ops` and `outputs` hold the
    same. Raises what `compile` raises, and InputError for `inputs` that do not fit.
    """
    from devproc.verification import compare_ops, initial_states, sample_inputs

    program = read_source(source, fallback, trust_pickle=trust_pickle)
    options = target_options(target, threads, precision, arch, cpu, check_bounds)
    set_options(program.module, options, placement or {})
    module = program.module.clone()
    run_stages(module, make_context(), stages_between(None, "tensor"))
    given = sample_inputs(program.interface, inputs or {}, seed)
    given += initial_states(program.interface, program.weights)
    forget_states(find_function(module, "main"))

    def run(tensor_module: ModuleOp) -> list[torch.Tensor]:
        interface = interface_of(find_function(tensor_module, "main"))
        part = Source(
            tensor_module.clone(), program.weights, interface, NamedCalling(interface)
        )
        record = StageRecord("import")
        built = build(part, target, record, use_cache=False, after="tensor")
        return list(built.run_flat(given))

    prepare = _functions_text(module, (PREPARE,))
    weights = program.weights
    if prepare is not None:
        weights = prepared(parse_module(prepare), weights)
    beside = None
    if exported is not None:
        from devproc.frontends.torch_export.graph.evaluation import evaluate_exported

        beside = evaluate_exported(
            exported, program.interface, given, trust_pickle=trust_pickle
        )
    return compare_ops(module, weights, given, run, beside)


def read_source(
    source: Pipeline | ExportedProgram | Source | str | Path,
    fallback: str | None = None,
    hashes: KnownHashes | None = None,
    borrow: bool = False,
    trust_pickle: bool = False,
) -> Source:
    """The first stage of a program; raises CompileError for a source of another kind.

    With `borrow` the weights may lie in the memory of the source, whose content hashes
    are `hashes`.
    """
    if isinstance(source, Source):
        return replace(source, module=source.module.clone())
    if _is_pipeline(source):
        module = source.module()
        interface = interface_of(find_function(module, "main"))
        return Source(module, source.weights, interface, source.calling(interface))
    if isinstance(source, str | Path) and Path(source).suffix == ".json":
        from devproc.exchange.reader import load_json

        return load_json(source)
    from devproc.frontends.torch_export.graph.importer import import_program
    from devproc.runtime.calls.pytree_calling import PytreeCalling

    imported = import_program(source, "main", fallback, borrow, hashes, trust_pickle)
    interface = interface_of(imported.function)
    calling = PytreeCalling.of(imported)
    module = ModuleOp([imported.function])
    return Source(module, imported.weights, interface, calling, borrow)


def require_checks(source: Source) -> None:
    """Raises CompileError for a source that `check_values` would do nothing for."""
    if not source.has_checks:
        raise CompileError(
            "check_values: a program in JSON does not say which values to look at; "
            "compile the pipeline or the exported program that it was written from"
        )


def _is_pipeline(source: object) -> TypeIs[Pipeline]:
    """Whoever made a pipeline has loaded its module; models do without the steps."""
    dsl = sys.modules.get("devproc.frontends.dsl")
    return dsl is not None and isinstance(source, dsl.Pipeline)


def build(
    source: Source,
    target: str,
    imported: StageRecord,
    *,
    use_cache: bool = True,
    pass_options: Mapping[str, str] | None = None,
    after: str | None = None,
    key: CacheKey | None = None,
) -> Program:
    """The program of a source, whose module is used up; `after`: the stage it is at.

    `pass_options` replaces passes by specs with options, by name. `key` is that of what
    the source was read from, where the cache has been asked for it already.
    """
    options = pass_options or {}
    own_key = key is None
    text = None
    if use_cache and key is None:
        started = time.perf_counter()
        text = module_text(source.module)
        key = text_key(text, source.weights, target, options, after)
        hit = read_program(key, source.calling, started)
        if hit is not None:
            hit.timings.insert(0, imported)
            return hit
    records = [imported]
    entry = _lower(source, target, text, options, after, records, use_cache)
    if use_cache and key is not None:
        started = time.perf_counter()
        write_cached(key, entry, with_calling=not own_key)
        records.append(StageRecord("cache-write", seconds_since(started, "write")))
    return load_program(entry.artifact, entry.weights, records)


def key_of_module(source: Source, target: str) -> CacheKey:
    """The key of a program at its first stage, whose options stand on the module."""
    return text_key(module_text(source.module), source.weights, target, {}, None)


def _lower(
    source: Source,
    target: str,
    text: str | None,
    options: Mapping[str, str],
    after: str | None,
    records: list[StageRecord],
    use_cache: bool,
) -> Entry:
    """Runs the stages behind `after`; keeps what they leave, and the weights of that.

    Adds to `records`. Threads prepare the weights beside the later stages, and make the
    object code of one kernel while the next is lowered.
    """
    from devproc.targets.cpu.kernel_objects import compile_kernels
    from devproc.targets.cpu.native_code import uses_thread_pool
    from devproc.targets.cpu.object_code import ObjectCode, checked_accesses

    text = text or module_text(source.module)
    module, context, forms = source.module, make_context(), VerifiedForms()

    def run(begin: str | None, end: str | None) -> None:
        for stage in stages_between(begin, end):
            announce(f"stage {stage.name}")
            records.extend(
                run_stages(module, context, [stage], options=options, forms=forms)
            )

    # LLVM has a thread of its own: it would wait behind the weights that are packed.
    with (
        ThreadPoolExecutor(3) as pool,
        ThreadPoolExecutor(1) as llvm,
        frequent_thread_switches(),
    ):
        pool_code = _begin_thread_pool(module, llvm)
        run(after, "kernels")
        preparation = _prepare(module, source, pool, use_cache)
        run("kernels", "buffers")
        taken = [] if checks_bounds(module) else take_kernels(module)
        run("buffers", "host")
        segments = segment_kernels(module)
        names = dict.fromkeys([*weight_names(module), *_state_names(source)])
        accesses, code = checked_accesses(module), ObjectCode(llvm)
        compile_kernels(taken, module, context, code, records, options, forms)
        artifact = _make_artifact(module, segments, source, target, text)
        if segments:
            record, object_code = code.finish()
            artifact = replace(artifact, object_code=object_code, accesses=accesses)
            if pool_code is not None and uses_thread_pool(object_code):
                artifact = replace(artifact, pool_code=pool_code.result())
            records.append(record)
        announce("weights")
        started = time.perf_counter()
        entry = Entry(artifact, preparation.kept(names), preparation.stored())
        records.append(StageRecord("weights", seconds_since(started, "prepare")))
        return entry


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
    module: ModuleOp, source: Source, executor: Executor, use_cache: bool
) -> Preparation:
    """Begins with the weights that the stage `kernels` left a use of."""
    main = find_function(module, "main")
    used = [op.weight_name for op in main.walk() if isinstance(op, WeightOp)]
    used += _state_names(source)
    todo = None if source.prepared else prepare_function(module)
    store = store_weights if use_cache else None
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
    prepare = _functions_text(module, (PREPARE,))
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
        prepare_text=prepare,
        host_text=_functions_text(module, host_functions(module)),
        exactness=read_bounds(module),
        checks=read_checks(module),
    )


def _functions_text(module: ModuleOp, names: Container[str]) -> str | None:
    """The functions of these names as the text of a module; None for none."""
    found = [
        op.clone()
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and op.sym_name.data in names
    ]
    return module_text(ModuleOp(found)) if found else None


def with_single_launches(program: Program) -> Program:
    """The same program with one native call per kernel, as a trace needs it."""
    artifact = program.artifact
    source = Source(
        parse_module(artifact.program_text),
        program.weights,
        artifact.interface,
        artifact.calling,
        prepared=True,
    )
    return build(
        source,
        artifact.devices,
        StageRecord("import"),
        pass_options={"outline-segments": "outline-segments{max-launches=1}"},
        # Its weights are prepared, not those that the key of a text stands for.
        use_cache=False,
    )


def dump_stages(program: Program, folder: Path) -> Sequence[Path]:
    """Writes each stage, the LLVM IR and the Triton source of a program; the paths."""
    context = make_context()
    module = parse_module(program.artifact.program_text, context)
    run_stages(module, context, stages_between(None, None), dump_dir=folder)
    from devproc.targets.cpu.llvm_ir import print_module as print_llvm
    from devproc.targets.triton.printer import print_module as print_triton

    (folder / "program.ll").write_text(print_llvm(module))
    (folder / "kernels.py").write_text(print_triton(module))
    return sorted(folder.iterdir())
