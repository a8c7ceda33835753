"""Threads: their number changes no bit, and calls may come from anywhere."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn

import devproc
from devproc.program import Program
from devproc.targets.cpu.native_code import uses_thread_pool
from devproc.targets.cpu.thread_pool import thread_pool
from tests.repository import cpu_code
from tests.runtime.children import inside_in_a_thread, run_in_child

BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
MANY_THREADS = 40
"""More than start before the first one of them runs."""


class Mixed(nn.Module):
    """A convolution, contractions and reductions, each worth a region."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(5, 37, 3, padding=1)
        self.linear = nn.Linear(37, 41)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = torch.relu(self.conv(x)).flatten(2).transpose(1, 2)
        y = torch.softmax(self.linear(y), -1)
        return y.mean(1), y @ y.transpose(1, 2)


@cache
def exported() -> torch.export.ExportedProgram:
    torch.manual_seed(0)
    return torch.export.export(Mixed().eval(), (torch.zeros(3, 5, 19, 23),))


@cache
def compiled(threads: int) -> Program:
    return devproc.compile(exported(), threads=threads)


def sample(seed: int) -> torch.Tensor:
    return torch.randn(3, 5, 19, 23, generator=torch.Generator().manual_seed(seed))


def bits(program: Program, seed: int) -> bytes:
    outputs = program(sample(seed).numpy())
    return b"".join(output.tobytes() for output in outputs)


def test_number_of_threads_changes_no_bit() -> None:
    assert not uses_thread_pool(cpu_code(compiled(1)).objects)
    assert uses_thread_pool(cpu_code(compiled(2)).objects)
    for seed in range(3):
        wanted = bits(compiled(1), seed)
        assert bits(compiled(2), seed) == wanted
        assert bits(compiled(3), seed) == wanted
        with torch.no_grad():
            eager = exported().module()(sample(seed))
        for output, right in zip(compiled(3)(sample(seed)), eager, strict=True):
            torch.testing.assert_close(output, right)


def test_programs_with_other_numbers_in_turn() -> None:
    for threads in (2, 3, 2):
        bits(compiled(threads), 0)
        assert thread_pool().num_threads == threads


@pytest.mark.parametrize("numbers", [(2, 2), (2, 3), (1, 3)])
def test_two_python_threads(numbers: tuple[int, int]) -> None:
    """One of them has the pool, the other does its own work."""
    wanted = [bits(compiled(1), seed) for seed in range(2)]
    wrong: list[int] = []
    start = threading.Barrier(2)

    def call(seed: int) -> None:
        program = compiled(numbers[seed])
        start.wait()
        for _ in range(30):
            if bits(program, seed) != wanted[seed]:
                wrong.append(seed)

    for threads in numbers:
        compiled(threads)
    callers = [threading.Thread(target=call, args=(seed,)) for seed in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


@pytest.mark.parametrize("threads", [2, 3])
def test_a_forked_child_starts_its_own_threads(threads: int) -> None:
    wanted = bits(compiled(threads), 1)
    child = os.fork()
    if child == 0:
        right = bits(compiled(threads), 1) == wanted
        count = len(list(Path("/proc/self/task").iterdir()))
        os._exit(0 if right and count == threads else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert bits(compiled(threads), 1) == wanted


def run_region(chunk: Callable[[int], object], chunks: int) -> None:
    """A region of the pool whose chunks call `chunk` with their number."""
    pool = thread_pool()
    pool.set_num_threads(MANY_THREADS)
    body = BODY(lambda _, number: chunk(number))
    run = ctypes.CFUNCTYPE(None, BODY, ctypes.c_void_p, ctypes.c_int64)
    run(pool.parallel_for_address)(body, None, chunks)


def test_a_forked_child_leaves_the_region_of_another_thread_alone() -> None:
    """The fork comes while each thread is in a chunk, and most chunks have not begun.

    The child starts many threads: the first one is at work before the child's own region
    is announced, and must find nothing to do.
    """

    def check() -> None:
        process, leftovers, done = os.getpid(), list[int](), list[int]()

        def check_own_region() -> None:
            run_region(done.append, 300)
            assert sorted(done) == list(range(300))
            assert not leftovers

        def hold(stay: Callable[[], None]) -> None:
            def chunk(number: int) -> None:
                if os.getpid() == process:
                    stay()
                else:
                    leftovers.append(number)

            run_region(chunk, 300)

        with inside_in_a_thread(hold):
            assert run_in_child(check_own_region, 20) == 0

    # In a process of its own, to which the threads stay.
    assert run_in_child(check) == 0
