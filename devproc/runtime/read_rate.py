"""How fast this machine reads memory."""

from __future__ import annotations

import ctypes
import time

import numpy as np

from devproc.ir.concurrency.worker_pool import WorkerPool

BYTES = 1 << 28
"""More than the caches of any processor."""


def read_rate(threads: int, byte_count: int = BYTES, repeats: int = 5) -> float:
    """Bytes per second that so many threads read together, the best of some tries.

    Each thread searches its part of a block of zeros for a one with the C library's
    `memchr`, which reads with vectors and does nothing else.
    """
    find = ctypes.CDLL(None).memchr
    find.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
    find.restype = ctypes.c_void_p
    block = np.zeros(byte_count, np.uint8)
    block.fill(0)  # touches the pages, which the system gives lazily
    part = byte_count // threads

    def search(start: int) -> object:
        return find(start, 1, part)

    starts = [block.ctypes.data + part * number for number in range(threads)]
    best = float("inf")
    with WorkerPool(threads) as pool:
        for _ in range(repeats):
            started = time.perf_counter()
            list(pool.map(search, starts))
            best = min(best, time.perf_counter() - started)
    return part * threads / best
