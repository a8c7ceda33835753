"""Scratch memory of a nest, on the stack of the thread that computes a block."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from devproc.targets.cpu.transforms.to_llvm.builder import MAX_STACK_BYTES


def stack_problem(shapes: Sequence[Sequence[int]]) -> str | None:
    """Why float32 numbers of these shapes exceed the stack; None if they fit."""
    size = 4 * sum(map(prod, shapes))
    if size <= MAX_STACK_BYTES:
        return None
    return f"a block takes {size} bytes of scratch memory, of {MAX_STACK_BYTES} at most"
