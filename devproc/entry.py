"""`devproc.compile`: a program from the cache, else through the compiler.

A program that the cache knows comes without the compiler: nothing here loads xDSL or LLVM
before it is needed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from devproc.errors import CompileError
from devproc.ir.cpus import NATIVE
from devproc.ir.garbage import paused_garbage_collection
from devproc.ir.weights.table import WeightTable
from devproc.runtime.cache.artifact_cache import read_cached
from devproc.runtime.cache.cache_key import CacheKey, keyed_options, source_key
from devproc.runtime.calls.calling import Calling
from devproc.runtime.program import Artifact, Program
from devproc.timings import StageRecord, announce, seconds_since

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from devproc.compiler import Source
    from devproc.frontends.dsl import Pipeline
    from devproc.options import Placement


def compile(
    source: Pipeline | ExportedProgram | Source | str | Path,
    target: str = "cpu",
    *,
    threads: int | None = None,
    precision: str = "default",
    arch: str = "sm_90",
    cpu: str = NATIVE,
    placement: Placement | None = None,
    cache: bool = True,
    fallback: str | None = None,
    check_bounds: bool = False,
    trust_pickle: bool = False,
    check_values: bool = False,
) -> Program:
    """Compiles a pipeline, an `ExportedProgram`, a `.pt2` or a `.json` file.

    `target`: one of `TARGETS`. `threads`: of the CPU part; the default is the machine's
    cores (`DEVPROC_NUM_THREADS` overrides). `precision`: "strict", "default" or "fast".
    `arch`: the GPU, for code made without one. `cpu`: "native", this machine, or one of
    `devproc.ir.cpus.CPUS` ("x86-64-v3", "aarch64"); of another machine's, save the program
    and load it there. `placement`: overrides of the device per pattern. `cache`: whether
    to use the compiled programs on disk. `fallback="torch"`: run what is not supported in
    PyTorch (in a pipeline: an argument of `model`). `check_bounds`: check each access of
    the CPU's kernels, about twice as slow; a call whose kernels would leave their memory
    raises BoundsError. `check_values`: a call raises InputError for what PyTorch raises
    an error for (indices out of range, integer division by zero, classes beyond
    `one_hot`), naming operator, line and value; else such an index is held within its
    axis, and such a quotient is 0. `check_bounds` implies it. `trust_pickle`: load a
    `.pt2` file that holds more than tensors and plain values, although it could run code.

    Raises UnsupportedError with everything that is not supported, CompileError with the
    stage and pass for what goes wrong later. Warns where the program needs a GPU and
    PyTorch sees none: it can be saved and inspected, not called.
    """
    _check_kinds(target, placement)
    options = keyed_options(
        target, threads, precision, arch, cpu, check_bounds, check_values
    )
    with paused_garbage_collection():
        started = time.perf_counter()
        places = placement or {}
        known = source_key(source, options, places, fallback) if cache else None
        hit = read_program(known[0], None, started) if known is not None else None
        if hit is not None:
            return _checked_for_gpu(hit, arch)
        from devproc.compiler import build, read_source, require_checks
        from devproc.options import set_options, target_options

        announce("import")
        chosen, (key, hashes) = target_options(**options), known or (None, None)
        program = read_source(source, fallback, hashes, True, trust_pickle)
        if check_values:
            require_checks(program)
        set_options(program.module, chosen, places)
        imported = StageRecord("import", seconds_since(started, "import"))
        built = build(program, target, imported, use_cache=cache, key=key)
        return _checked_for_gpu(built, arch)


def _check_kinds(target: object, placement: object) -> None:
    """The arguments whose kind is easily mistaken; raises CompileError."""
    if not isinstance(target, str):
        raise CompileError(
            f"target must be a name such as 'cpu', got a {type(target).__name__}; inputs "
            "are given to torch.export.export(model.eval(), (example_input,)) and to the "
            "compiled program, not here"
        )
    if placement is not None and not isinstance(placement, Mapping):
        raise CompileError(
            "placement must be a dict, pattern of ops -> device ({'nn.conv2d': 'cpu'}), "
            f"got a {type(placement).__name__}"
        )


def _checked_for_gpu(program: Program, arch: str) -> Program:
    """The program, after a warning where it has kernels for a GPU that is not here."""
    if program.artifact.kernels:
        from devproc.runtime.execution.devices import warn_without_gpu

        warn_without_gpu(program.artifact.devices, arch)
    return program


def load_program(
    artifact: Artifact, weights: WeightTable, records: list[StageRecord]
) -> Program:
    """The program of an artifact, in this process."""
    started = time.perf_counter()
    program = Program(artifact, weights, records)
    records.append(StageRecord("load", seconds_since(started, "load")))
    return program


def read_program(
    key: CacheKey, calling: Calling | None, started: float
) -> Program | None:
    """The program of a key, from the cache."""
    entry = read_cached(key.name, calling)
    if entry is None:
        return None
    records = [StageRecord("cache", seconds_since(started, "read"))]
    return load_program(entry.artifact, entry.weights, records)
