"""The thread pool: every chunk once, whoever calls it, from wherever."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from devproc.errors import CompileError
from devproc.ir.object_cache import ObjectCache
from devproc.targets.cpu.jit import CPUTarget, compile_object
from devproc.targets.cpu.native_library import NativeLibrary
from devproc.targets.cpu.thread_pool import thread_pool, thread_pool_ir

PROBES = """
declare void @devproc_parallel_for(ptr, ptr, i64)

; Count chunk `i` in slot `i`.
define void @count(ptr %slots, i64 %i) nounwind {
  %slot = getelementptr i32, ptr %slots, i64 %i
  %old = atomicrmw add ptr %slot, i32 1 monotonic
  ret void
}

; A region of three chunks inside each chunk, with slots of their own.
define void @nested(ptr %slots, i64 %i) nounwind {
  %first = mul i64 %i, 3
  %inner = getelementptr i32, ptr %slots, i64 %first
  call void @devproc_parallel_for(ptr @count, ptr %inner, i64 3)
  ret void
}

; Wait until two chunks have come, so only two threads can end this.
define internal void @wait_for_two(ptr %counter) nounwind {
  br label %wait
wait:
  %n = load atomic i32, ptr %counter seq_cst, align 4
  %both = icmp sge i32 %n, 2
  br i1 %both, label %end, label %wait
end:
  ret void
}

; Meet another chunk.
define void @meet(ptr %counter, i64 %i) nounwind {
  %old = atomicrmw add ptr %counter, i32 1 seq_cst
  call void @wait_for_two(ptr %counter)
  ret void
}

; Number the chunks by arrival, from 1, behind the counter; the first waits for a second.
define void @arrive(ptr %counter, i64 %i) nounwind {
  %old = atomicrmw add ptr %counter, i32 1 seq_cst
  %number = add i32 %old, 1
  %place = add i64 %i, 1
  %slot = getelementptr i32, ptr %counter, i64 %place
  store i32 %number, ptr %slot, align 4
  call void @wait_for_two(ptr %counter)
  ret void
}
"""

Run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class Probes:
    """The probe functions, loaded, and the pool's entry."""

    def __init__(self) -> None:
        self.pool = thread_pool()
        code = compile_object(PROBES, cache=ObjectCache(None))
        self.library = NativeLibrary([code], self.pool.symbols)
        self.run = Run(self.pool.parallel_for_address)

    def counts(self, body: str, chunks: int, slots: int) -> np.ndarray:
        """How often each slot was counted in one region."""
        counts = np.zeros(slots, np.int32)
        self.run(self.library.address(body), counts.ctypes.data, chunks)
        return counts


@pytest.fixture(scope="module")
def probes() -> Probes:
    return Probes()


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("chunks", [0, 1, 2, 3, 7, 64, 1000, 32768, 32769, 100_000])
def test_every_chunk_runs_once(probes: Probes, threads: int, chunks: int) -> None:
    probes.pool.set_num_threads(threads)
    for _ in range(3):
        assert (probes.counts("count", chunks, chunks) == 1).all()


def test_many_small_regions(probes: Probes) -> None:
    """Thousands of regions back to back; each sees all of its own work."""
    probes.pool.set_num_threads(3)
    rng = np.random.default_rng(0)
    for chunks in rng.integers(1, 12, 3000):
        assert (probes.counts("count", int(chunks), int(chunks)) == 1).all()


def test_workers_wake_up_after_sleep(probes: Probes) -> None:
    probes.pool.set_num_threads(2)
    for _ in range(3):
        time.sleep(0.05)
        counter = np.zeros(1, np.int32)
        probes.run(probes.library.address("meet"), counter.ctypes.data, 2)
        assert counter[0] == 2


@pytest.mark.parametrize("chunks", [2, 7, 64, 1001])
def test_each_thread_begins_with_chunks_of_its_own(probes: Probes, chunks: int) -> None:
    """The caller at the first, the worker in the middle; so it is in each region."""
    probes.pool.set_num_threads(2)
    for _ in range(20):
        _, *arrived = probes.counts("arrive", chunks, chunks + 1)
        assert sorted(arrived) == list(range(1, chunks + 1))
        assert {arrived[0], arrived[chunks // 2]} == {1, 2}


def test_nested_regions(probes: Probes) -> None:
    probes.pool.set_num_threads(3)
    assert (probes.counts("nested", 50, 150) == 1).all()


def test_calls_from_several_python_threads(probes: Probes) -> None:
    """One uses the pool, the others do their own work; all are complete."""
    probes.pool.set_num_threads(2)
    wrong: list[int] = []

    def work(seed: int) -> None:
        for chunks in np.random.default_rng(seed).integers(1, 200, 300):
            counts = probes.counts("count", int(chunks), int(chunks))
            if not (counts == 1).all():
                wrong.append(int(chunks))

    callers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_fewer_threads_than_before(probes: Probes) -> None:
    """Workers that are too many look on."""
    for threads in (4, 1, 2, 3, 1):
        probes.pool.set_num_threads(threads)
        assert (probes.counts("count", 500, 500) == 1).all()


def test_forked_child_has_its_own_workers(probes: Probes) -> None:
    """`meet` ends only with two threads, so the child must have started a worker."""
    probes.pool.set_num_threads(2)
    probes.counts("count", 100, 100)
    child = os.fork()
    if child == 0:
        counter = np.zeros(1, np.int32)
        probes.run(probes.library.address("meet"), counter.ctypes.data, 2)
        complete = (probes.counts("count", 1000, 1000) == 1).all()
        os._exit(0 if complete and counter[0] == 2 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (probes.counts("count", 100, 100) == 1).all()


def test_process_ends_cleanly_with_sleeping_and_spinning_workers() -> None:
    program = (
        "from tests.cpu.test_thread_pool import Probes\n"
        "probes = Probes()\n"
        "probes.pool.set_num_threads(4)\n"
        "assert (probes.counts('count', 100, 100) == 1).all()\n"
    )
    for pause in ("", "import time; time.sleep(0.05)\n"):
        done = subprocess.run(
            [sys.executable, "-c", program + pause], timeout=60, check=False
        )
        assert done.returncode == 0


def test_pool_text_for_other_processors() -> None:
    arm = CPUTarget("aarch64-unknown-linux-gnu", "generic")
    code = compile_object(thread_pool_ir(arm.triple), arm, cache=ObjectCache(None))
    assert code.startswith(b"\x7fELF")
    with pytest.raises(CompileError, match="no spin hint for riscv64"):
        thread_pool_ir("riscv64-unknown-linux-gnu")
