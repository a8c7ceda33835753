"""The thread pool of compiled programs: one per process, shared by all of them.

The pool is LLVM IR (`thread_pool.ll`), compiled like a kernel and kept until the process
ends, since its workers never stop. A program that is called while another one uses the pool
runs on its own thread alone, and so does a loop nested in a parallel loop. A forked child
starts without workers and creates its own.
"""

from __future__ import annotations

import ctypes
import os
from importlib import resources

from devproc.errors import CompileError
from devproc.ir.concurrency.locks import ForkSafeLock
from devproc.targets.cpu.machine.processors import NATIVE
from devproc.targets.cpu.native_library import PARALLEL_FOR, NativeLibrary

SET_NUM_THREADS = "devproc_set_num_threads"
RESET = "devproc_thread_pool_reset"

CPU_RELAX = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.hint(i32 1)",
    "arm64": "call void @llvm.aarch64.hint(i32 1)",
}
"""The hint in a spin loop, by architecture."""


def thread_pool_ir(triple: str) -> str:
    """The IR of the pool, with the part that depends on the architecture."""
    architecture = triple.split("-")[0]
    if architecture not in CPU_RELAX:
        raise CompileError(
            f"the thread pool has no spin hint for {architecture}; add it to "
            "devproc/targets/cpu/thread_pool.py"
        )
    source = (
        resources.files("devproc.targets.cpu").joinpath("thread_pool.ll").read_text()
    )
    if "-apple-" in triple:
        # SIG_BLOCK has another number there.
        source = source.replace("@pthread_sigmask(i32 0,", "@pthread_sigmask(i32 1,")
    return source + (
        "\ndefine internal void @cpu_relax() alwaysinline nounwind {\n"
        f"  {CPU_RELAX[architecture]}\n  ret void\n}}\n"
    )


class ThreadPool:
    """The loaded pool; use `thread_pool()`, there is one per process."""

    def __init__(self, code: bytes) -> None:
        library = NativeLibrary([code])
        # Workers run in the code until the process ends: this reference is never released,
        # so that the code survives the teardown of Python's modules.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))
        self.parallel_for_address = library.address(PARALLEL_FOR)
        self._set = ctypes.CFUNCTYPE(None, ctypes.c_int64)(
            library.address(SET_NUM_THREADS)
        )
        reset = ctypes.CFUNCTYPE(None)(library.address(RESET))
        reset()
        os.register_at_fork(after_in_child=reset)
        self.num_threads = 1

    def set_num_threads(self, threads: int) -> None:
        """Uses this many threads from now on, including the caller."""
        with _lock.held:
            self._set(threads)
            self.num_threads = threads

    @property
    def symbols(self) -> dict[str, int]:
        """The symbols that compiled programs link against."""
        return {PARALLEL_FOR: self.parallel_for_address}


_lock = ForkSafeLock()
_pool: ThreadPool | None = None


def thread_pool(code: bytes | None = None) -> ThreadPool:
    """The pool of this process, loaded on first use: from `code`, else compiled."""
    global _pool
    with _lock.held:
        if _pool is None:
            made = ThreadPool(code or thread_pool_object(NATIVE))
            # A signal handler may have created the pool meanwhile.
            _pool = _pool or made
        return _pool


def thread_pool_object(cpu: str) -> bytes:
    """The object code of the pool for a processor by name."""
    from devproc.targets.cpu.jit import compile_object
    from devproc.targets.cpu.machine.cpu_target import CPUTarget

    target = CPUTarget.get(cpu)
    return compile_object(thread_pool_ir(target.triple), target)
