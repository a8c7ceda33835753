"""`devproc.compile` and `verify`: a program from the cache, else through the compiler.

A cached program is loaded without the compiler: nothing here imports xDSL or LLVM before it
is needed.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

from devproc.backend.installed import backend
from devproc.backend.placement import GivenPlacement, Placement, placement_of
from devproc.backend.target import parse_target
from devproc.errors import CompileError
from devproc.ir.concurrency.worker_pool import WorkerPool
from devproc.ir.devices import HOST
from devproc.ir.garbage import paused_garbage_collection
from devproc.ir.weight_format import ORIGINAL
from devproc.program import Program
from devproc.runtime.bundles.artifact import Compiled
from devproc.runtime.cache.artifact_cache import (
    read_cached,
    store_weights,
    write_cached,
)
from devproc.runtime.cache.cache_key import (
    CacheKey,
    compiler_version,
    exported_key,
    keyed_options,
    text_key,
)
from devproc.runtime.calls.calling import Calling
from devproc.runtime.entries import Entries, join_entries
from devproc.timings import StageRecord, announce, seconds_since

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram
    from xdsl.dialects.builtin import ModuleOp

    from devproc.frontends.dsl import Pipeline
    from devproc.ir.weights.table import KnownHashes
    from devproc.options import Schedules
    from devproc.runtime.cache.cache_reasons import CacheAnswer
    from devproc.source import Source
    from devproc.verification import Verification

    AnySource = Pipeline | ExportedProgram | Source | str | Path


@overload
def compile(
    source: Mapping[str, AnySource], target: str = HOST, **options: Any
) -> Entries[Program]: ...


@overload
def compile(source: AnySource, target: str = HOST, **options: Any) -> Program: ...


def compile(
    source: AnySource | Mapping[str, AnySource],
    target: str = HOST,
    *,
    threads: int | None = None,
    precision: str = "default",
    placement: GivenPlacement = None,
    cache: bool = True,
    fallback: str | None = None,
    check_bounds: bool = False,
    trust_pickle: bool = False,
    check_values: bool = False,
    schedules: Schedules | None = None,
    weights: str = ORIGINAL,
    **arguments: str,
) -> Program | Entries[Program]:
    """Compiles a pipeline, an `ExportedProgram`, a `.pt2` or a `.json` file, or several.

    A dict of sources by name becomes one program with several entries, `Entries`, which
    share their weights and states (docs/running.md).

    `target`: devices joined by "+", each with an option after ":" ("cpu", "cpu+cuda",
    "cuda:interpret"; `devproc targets` lists them). `threads`: how many the CPU part uses, by
    default the machine's cores, or `DEVPROC_NUM_THREADS`. `precision`: "strict", "default" or "fast".
    `placement`: pattern -> device, or a file (docs/placement.md). `cache`: whether to use
    the compiled programs on disk. `fallback="torch"`: run what is not supported in PyTorch
    (in a pipeline: an argument of `model`). `check_bounds`: check each access of the CPU's
    kernels, about twice as slow, and raise BoundsError. `check_values`, which it implies: a
    call raises InputError for indices and divisors that PyTorch refuses (docs/running.md).
    `trust_pickle`: load a `.pt2` file that holds more than tensors and plain values,
    although it could run code. `schedules`: overrides of how kernels are computed, by glob
    on their names (`program.report().schedules` has both). `weights`: how constant matrices
    are stored: "int8", "int4", "uint8" and "uint4" (with zero points), "bfloat16",
    "float16" or "float24" (docs/weights.md).
    `arguments`: those of single devices (`Backend.arguments`): `arch`, the GPU, for code made
    without one; `cpu`: "native", this machine, or a name such as "x86-64-v3" or "aarch64"
    (docs/cpu_targets.md).

    Raises UnsupportedError with everything that is not supported, CompileError for options
    that are wrong and, with the stage and pass, for what goes wrong later, BundleError for a
    file that cannot be read, BuildError for an unfinished pipeline. Warns where a device is
    missing here.
    """
    _check_kind(target)
    places, overrides = placement_of(placement), schedules or {}
    options = keyed_options(
        target, threads, precision, check_bounds, check_values, weights, **arguments
    )
    request = _Request(
        options, places, overrides, fallback, trust_pickle=trust_pickle, cache=cache
    )
    with paused_garbage_collection():
        if isinstance(source, Mapping) and not _is_state_dict(source):
            found = {name: request.compiled(one) for name, one in source.items()}
            entries = join_entries(found, Program)
            _warn_of_missing(*entries.values())
            return entries
        program = _load_program(request.compiled(cast("AnySource", source)))
        _warn_of_missing(program)
        return program


def _is_state_dict(source: Mapping[str, Any]) -> bool:
    """Whether a dict holds tensors, not sources; reading it as one source refuses it."""
    return any(hasattr(value, "data_ptr") for value in source.values())


@dataclass(frozen=True)
class _Request:
    """What `compile` was asked for, beside the source."""

    options: Mapping[str, Any]
    placement: Placement
    schedules: Schedules
    fallback: str | None
    trust_pickle: bool
    cache: bool

    def compiled(self, source: AnySource) -> Compiled:
        """The result of a compilation, from the cache or anew."""
        started = time.perf_counter()
        keyed = (self.options, self.placement, self.fallback, self.schedules)
        known = source_key(source, *keyed) if self.cache else None
        hit = read_compiled(known[0], None, started) if known is not None else None
        if hit is not None:
            return hit
        from devproc.options import set_options, target_options
        from devproc.source import read_source

        announce("import")
        chosen, (key, hashes) = target_options(**self.options), known or (None, None)
        program = read_source(source, self.fallback, hashes, True, self.trust_pickle)
        if self.options["check_values"]:
            program.require_checks()
        set_options(program.module, chosen, self.placement, self.schedules)
        imported = StageRecord("import", seconds_since(started, "import"))
        target = self.options["target"]
        return build_compiled(program, target, imported, use_cache=self.cache, key=key)


def _check_kind(target: object) -> None:
    """Raises CompileError for a target of a wrong type."""
    if not isinstance(target, str):
        raise CompileError(
            f"target must be a name such as '{HOST}', got a {type(target).__name__}; inputs "
            "are given to torch.export.export(model.eval(), (example_input,)) and to the "
            "compiled program, not here"
        )


def _warn_of_missing(*programs: Program) -> None:
    """Warns, at the line of the user, of each device that is missing here."""
    for name, option in parse_target(programs[0].artifact.devices).items():
        has_code = any(name in program.artifact.code for program in programs)
        why = backend(name).missing(option) if has_code else None
        if why is not None:
            warnings.warn(
                f"target '{programs[0].artifact.devices}': {why}. The program can be "
                "inspected and saved, but a call will fail",
                stacklevel=3,
            )


def verify(
    source: AnySource,
    target: str = HOST,
    *,
    inputs: Mapping[str, object] | None = None,
    seed: int = 0,
    threads: int | None = None,
    precision: str = "default",
    placement: GivenPlacement = None,
    fallback: str | None = None,
    check_bounds: bool = False,
    exported: ExportedProgram | str | Path | None = None,
    trust_pickle: bool = False,
    weights: str = ORIGINAL,
    **arguments: str,
) -> Verification:
    """Compares each op of a program with its meaning in PyTorch, on a sample.

    `devproc.verify(pipe)`: `source`, and the options but those named here, are those of
    `devproc.compile`. `inputs` are arrays by name, of the declared shapes and dtypes;
    random ones, made from `seed`, where none are given. `exported`: the exported program
    that `source` (a JSON, say) comes from, which PyTorch runs too.

    Printed, the result is a table of the ops with the largest errors, local and
    accumulated, with their lines in the model; `passed`, `ops` and `outputs` hold the
    same. Raises what `compile` raises (UnsupportedError, CompileError, BundleError,
    BuildError), and InputError for `inputs` that do not fit.
    """
    from devproc.driver import make_context, run_stages, stages_between
    from devproc.ir.program.state import forget_states
    from devproc.options import set_options, target_options
    from devproc.reference.run.preparation import prepared
    from devproc.runtime.execution.host_reader import find_function
    from devproc.source import named_source, read_source
    from devproc.verification import compare_ops, initial_states, sample_inputs

    program = read_source(source, fallback, trust_pickle=trust_pickle)
    options = target_options(
        target, threads, precision, check_bounds, False, weights, **arguments
    )
    set_options(program.module, options, placement)
    module, table = program.module.clone(), program.weights
    run_stages(module, make_context(), stages_between(None, "tensor"))
    given = sample_inputs(program.interface, inputs or {}, seed)
    given += initial_states(program.interface, table)
    forget_states(find_function(module, "main"))

    def run(tensor_module: ModuleOp) -> list[torch.Tensor]:
        part, record = named_source(tensor_module, table), StageRecord("import")
        built = build_program(part, target, record, use_cache=False, after="tensor")
        return list(built.run_flat(given))

    evaluated = None
    if exported is not None:
        from devproc.frontends.torch_export.evaluation import evaluate_exported

        evaluated = evaluate_exported(
            exported, program.interface, given, trust_pickle=trust_pickle
        )
    return compare_ops(module, prepared(module, table), given, run, evaluated)


def build_program(
    source: Source,
    target: str,
    imported: StageRecord,
    *,
    use_cache: bool = True,
    pass_options: Mapping[str, str] | None = None,
    after: str | None = None,
) -> Program:
    """The program of a source at stage `after`, whose module is consumed.

    The arguments are those of `build_compiled`.
    """
    return _load_program(
        build_compiled(
            source,
            target,
            imported,
            use_cache=use_cache,
            pass_options=pass_options,
            after=after,
        )
    )


def build_compiled(
    source: Source,
    target: str,
    imported: StageRecord,
    *,
    use_cache: bool = True,
    pass_options: Mapping[str, str] | None = None,
    after: str | None = None,
    key: CacheKey | None = None,
) -> Compiled:
    """What is compiled from a source at stage `after`, whose module is consumed.

    `pass_options` maps names of passes to specs with options. `key`: the key of what the
    source was read from, if the cache has been searched for it already.
    """
    from devproc.compiler import build
    from devproc.driver import module_text

    options = pass_options or {}
    text, own_key = module_text(source.module), key is None
    if use_cache and key is None:
        started = time.perf_counter()
        key = text_key(text, source.weights, target, options, after)
        hit = read_compiled(key, source.calling, started)
        if hit is not None:
            hit.records.insert(0, imported)
            return hit
    store = store_weights if use_cache else None
    built = build(
        source, target, text=text, pass_options=options, after=after, store=store
    )
    records = [imported, *built.records]
    if use_cache and key is not None:
        started = time.perf_counter()
        write_cached(key, built, with_calling=not own_key)
        records.append(StageRecord("cache-write", seconds_since(started, "write")))
    return replace(built, records=records)


def source_key(
    source: object,
    options: Mapping[str, object],
    placement: Placement,
    fallback: str | None,
    schedules: Schedules,
) -> tuple[CacheKey, KnownHashes] | None:
    """The key of an exported program with its options, and the hashes of its weights.

    None for a source of another kind, or with parts that have no exact text.
    """
    is_path = isinstance(source, str | Path)
    if not is_path and type(source).__name__ != "ExportedProgram":
        return None
    if is_path and Path(source).suffix != ".pt2":
        return None
    from devproc.frontends.torch_export.graph.source_key import source_key

    with WorkerPool(1) as pool:
        # Alongside the hashing of weights, which releases the GIL.
        pool.submit(compiler_version, str(options.get("target", HOST)))
        found = source_key(source)
    if found is None:
        return None
    key = exported_key(found.parts, options, placement, fallback, schedules)
    return key, found.hashes


def why_not_cached(
    source: AnySource,
    target: str = HOST,
    *,
    placement: GivenPlacement = None,
    fallback: str | None = None,
    trust_pickle: bool = False,
    schedules: Schedules | None = None,
    **others: Any,
) -> CacheAnswer:
    """Whether `devproc.compile` with these arguments finds a program in the cache.

    `others` are those of `keyed_options`.
    If it does not: which parts of the key differ from the most similar entry.
    """
    from devproc.driver import module_text
    from devproc.options import set_options, target_options
    from devproc.runtime.cache.cache_reasons import answer_for
    from devproc.source import read_source

    options = keyed_options(target, **others)
    places, chosen = placement_of(placement), schedules or {}
    known = source_key(source, options, places, fallback, chosen)
    if known is not None:
        return answer_for(known[0])
    # Other sources have a key only after their import.
    program = read_source(source, fallback, borrow=True, trust_pickle=trust_pickle)
    set_options(program.module, target_options(**options), places, chosen)
    text = module_text(program.module)
    return answer_for(text_key(text, program.weights, target, {}, None))


def _load_program(found: Compiled) -> Program:
    """Loads the program of an artifact."""
    started = time.perf_counter()
    program = Program(found.artifact, found.weights, found.records)
    found.records.append(StageRecord("load", seconds_since(started, "load")))
    return program


def read_compiled(
    key: CacheKey, calling: Calling | None, started: float
) -> Compiled | None:
    """What the cache has for a key; None if there is none."""
    found = read_cached(key.name, calling)
    if found is None:
        return None
    record = StageRecord("cache", seconds_since(started, "read"))
    return replace(found, records=[record])
