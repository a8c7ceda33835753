"""The thread pool of compiled programs: one per process, shared by all of them.

The pool itself is LLVM IR (`thread_pool.ll`), compiled like a kernel and kept until the
process ends, since its workers never stop. A program that is called while another one
runs in the pool does its own work alone; so does a loop inside a parallel loop. A forked
child starts with no workers and makes its own.
"""

from __future__ import annotations

import ctypes
import os
from importlib import resources

from devproc.errors import CompileError
from devproc.ir.concurrency.locks import ForkSafeLock
from devproc.ir.cpus import NATIVE
from devproc.targets.cpu.native_code import PARALLEL_FOR, NativeLibrary

SET_NUM_THREADS = "devproc_set_num_threads"
RESET = "devproc_thread_pool_reset"

CPU_RELAX = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.hint(i32 1)",
    "arm64": "call void @llvm.aarch64.hint(i32 1)",
}
"""The hint for a spinning loop, by architecture."""


def thread_pool_ir(triple: str) -> str:
    """The pool's IR with the part that depends on the architecture."""
    architecture = triple.split("-")[0]
    if architecture not in CPU_RELAX:
        raise CompileError(
            f"the thread pool knows no spinning hint for {architecture}; add it to "
            "devproc/targets/cpu/thread_pool.py"
        )
    source = resources.files("devproc.targets.cpu").joinpath("thread_pool.ll")
    return source.read_text() + (
        "\ndefine internal void @cpu_relax() alwaysinline nounwind {\n"
        f"  {CPU_RELAX[architecture]}\n  ret void\n}}\n"
    )


class ThreadPool:
    """The loaded pool; use `thread_pool()`, there is one per process."""

    def __init__(self, code: bytes) -> None:
        library = NativeLibrary([code])
        # Workers run in the code until the process ends: one reference is never given
        # back, so that it stays when Python takes its modules apart.
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
        """Use this many threads from now on, the caller included."""
        with _lock.held:
            self._set(threads)
            self.num_threads = threads

    @property
    def symbols(self) -> dict[str, int]:
        """What compiled programs link against."""
        return {PARALLEL_FOR: self.parallel_for_address}


_lock = ForkSafeLock()
_pool: ThreadPool | None = None


def thread_pool(code: bytes | None = None) -> ThreadPool:
    """The pool of this process, loaded on first use: from `code`, else compiled."""
    global _pool
    with _lock.held:
        made = None
        if _pool is None:
            made = ThreadPool(code or thread_pool_object(NATIVE))
        # A signal handler may have been here meanwhile.
        _pool = _pool or made
        assert _pool is not None
        return _pool


def thread_pool_object(cpu: str) -> bytes:
    """The object code of the pool for a processor by name."""
    from devproc.targets.cpu.cpu_target import CPUTarget
    from devproc.targets.cpu.jit import compile_object

    target = CPUTarget.get(cpu)
    return compile_object(thread_pool_ir(target.triple), target)
