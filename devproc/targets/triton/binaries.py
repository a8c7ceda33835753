# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false
"""Kernels compiled to binaries: several at a time, each once for a machine.

Triton and `ptxas`, a process of its own, work outside of Python's lock most of the time,
so threads compile in parallel. What was compiled is kept in the cache folder by everything that
determines it; kernels found there are loaded without an import of Triton.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

from devproc import settings
from devproc.errors import BundleError, CompileError
from devproc.ir.concurrency.worker_pool import WorkerPool
from devproc.ir.object_cache import ObjectCache
from devproc.ir.source_digest import content_key
from devproc.targets.triton.aot import WAITING
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.code import Binary, Compiled, GPUCode, digest, read_code
from devproc.targets.triton.interpret import compiling
from devproc.targets.triton.kernel import TritonKernel

TOOL_SETTINGS = ("PTXAS_OPTIONS", "DISABLE_PTXAS_OPT")
"""Variables besides `TRITON_*` that change what Triton compiles."""


def binaries(
    kernels: Iterable[TritonKernel],
    arch: str,
    aligned: bool = True,
    cache: ObjectCache | None = None,
) -> list[Compiled]:
    """Each kernel as machine code for an architecture, from the cache if it is there.

    `aligned`: for pointers that are aligned to 16 bytes, as those of buffers are. Raises
    CompileError for a kernel that does not fit the architecture.
    """
    folder = cache or ObjectCache(settings.cache_dir())
    chain = _tool_chain()
    if find_arch(arch).has_dependent_launches:
        chain.append(WAITING)
    keys = {
        kernel: content_key((repr(kernel), kernel.source, arch, str(aligned), *chain))
        for kernel in kernels
    }
    found = {kernel: _read(folder.get(key)) for kernel, key in keys.items()}
    missing = [kernel for kernel, compiled in found.items() if compiled is None]
    if missing:
        workers = min(settings.num_threads(), len(missing))
        with compiling(), WorkerPool(workers) as pool:
            made = [pool.submit(fitting, kernel, arch, aligned) for kernel in missing]
        for kernel, future in zip(missing, made, strict=True):
            found[kernel] = future.result()
            folder.put(keys[kernel], GPUCode({}, (future.result(),)).to_bytes())
    return [compiled for compiled in found.values() if compiled is not None]


def fitting(kernel: TritonKernel, arch: str, aligned: bool = True) -> Compiled:
    """A kernel with as many stages of its pipeline as fit the shared memory of a block.

    Stages only overlap loads with computation, so results do not depend on them. Raises
    CompileError if one stage is too large.
    """
    from devproc.targets.triton.aot import compile_kernel

    limit, needed = find_arch(arch).program_shared_bytes, 0
    for stages in range(kernel.num_stages, 0, -1):
        made = compile_kernel(replace(kernel, num_stages=stages), arch, aligned)
        needed = made.shared_bytes
        if needed <= limit:
            binary = Binary(
                *(kernel.name, arch, aligned, made.symbol, made.num_warps, needed),
                *(made.scratch_bytes, made.is_dependent),
                *(len(made.cubin), digest(made.cubin)),
            )
            return binary, made.cubin
    raise CompileError(
        f"kernel '{kernel.name}' needs {needed:,} bytes of shared memory with one stage; a "
        f"block has {limit:,} on {arch}. Compile for this GPU, with arch='{arch}' alone or "
        "first: the launches are made for the first architecture"
    )


def _tool_chain() -> list[str]:
    """What the machine code of a kernel depends on besides the kernel."""
    try:
        compiler = version("triton")
    except PackageNotFoundError:
        compiler = "missing"
    changed = settings.variables_of("TRITON_", TOOL_SETTINGS)
    kept = [f"{k}={v}" for k, v in changed.items() if not k.endswith("_DIR")]
    return [f"triton {compiler}", *kept]


def _read(entry: bytes | None) -> Compiled | None:
    """An entry of the cache; None for one that is missing or of another version."""
    if entry is None:
        return None
    try:
        (compiled,) = read_code(entry).binaries
    except (BundleError, ValueError):
        return None
    return compiled


def add_binaries(
    code: GPUCode, archs: Iterable[str], unaligned: Collection[str] = ()
) -> GPUCode:
    """The code with all its kernels as machine code; those of `unaligned` also for
    pointers of any alignment."""
    found: list[Compiled] = []
    for arch in archs:
        found += binaries_of(code, list(code.kernels), arch)
        later = [name for name in code.kernels if name in unaligned]
        found += binaries_of(code, later, arch, aligned=False)
    return replace(code, binaries=tuple(found))


def binaries_of(
    code: GPUCode, names: Sequence[str], arch: str, aligned: bool = True
) -> list[Compiled]:
    """The kernels of these names as machine code, each as it is planned for `arch`."""
    kernels = code.kernels_for(arch)
    made = binaries([kernels[name] for name in names], arch, aligned)
    return [
        (replace(binary, kernel=name), cubin)
        for name, (binary, cubin) in zip(names, made, strict=True)
    ]


def describe(binary: Binary, cubin: bytes) -> str:
    """One line about a binary."""
    from devproc.targets.triton.machine_code import registers_and_spills

    registers, spilled = registers_and_spills(cubin)
    return (
        f"{binary.kernel}: {binary.arch}{'' if binary.aligned else ' unaligned'}, "
        f"{len(cubin):,} bytes, {registers} registers, {spilled} bytes spilled, "
        f"{binary.shared_bytes} bytes shared"
    )
