"""Matches ops that can be vectorised along their results.

Reductions with their fills and epilogue come first. Each remaining op that has only
parallel loops is a separate nest, which earlier algorithms (padding, channels, row
parts) may have accepted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from devproc.algorithms.base import KernelOps
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp, is_parallel
from devproc.targets.cpu.transforms.nests.groups import match_group
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import (
    can_vectorize_nest,
    vector_loop,
)

FAMILIES = frozenset({"contraction", "window", "gather", "reduction"})
"""The families of kernels whose reductions may be vectorised along their results."""


@dataclass(frozen=True)
class VectorizableNest:
    """A simplified nest, and the loop along which its results are contiguous.

    `fixed`: loops whose index the caller fixes; no loops are emitted for them.
    """

    nest: Nest
    loop: int
    fixed: Collection[int | None] = ()

    @property
    def ops(self) -> list[StructuredOp]:
        """The ops of the nest."""
        return self.nest.ops


def parallel_loops(nest: Nest, *without: int | None) -> list[int]:
    """The parallel loops of a nest, outermost first, except the given ones."""
    return [
        d
        for d, is_parallel in enumerate(nest.parallel)
        if is_parallel and d not in without
    ]


def vectorizable(nest: Nest) -> VectorizableNest | None:
    """A nest, simplified, with its vectorised loop; None if it has none."""
    nest.simplify()
    return vectorized(nest)


def vectorized(
    nest: Nest, fixed: Collection[int | None] = ()
) -> VectorizableNest | None:
    """The same for a nest that is already simplified; the caller may fix loops."""
    loop = vector_loop(nest)
    if loop is None or not can_vectorize_nest(nest, loop):
        return None
    return VectorizableNest(nest, loop, fixed)


def reductions(kernel: KernelOps) -> Iterator[VectorizableNest]:
    """The reductions whose results are contiguous along a parallel loop."""
    if kernel.family not in FAMILIES:
        return
    left = kernel.structured
    for op in tuple(left):
        if op not in left or all(is_parallel(op)):
            continue
        found = vectorizable(match_group(left, left.index(op)))
        if found is not None:
            # For the next nest, the memory that this one uses has aliases.
            left = [op for op in left if op not in found.ops]
            yield found


def parallel_ops(kernel: KernelOps) -> list[StructuredOp]:
    """The ops without reductions, in order, that are part of none."""
    return kernel.shared(_parallel_ops)


def _parallel_ops(kernel: KernelOps) -> list[StructuredOp]:
    taken = [op for nest in reductions(kernel) for op in nest.ops]
    left = [op for op in kernel.structured if op not in taken]
    return [op for op in left if all(is_parallel(op))]


def match(kernel: KernelOps) -> Iterator[VectorizableNest]:
    """The nests that can be vectorised along their results."""
    yield from reductions(kernel)
    for op in parallel_ops(kernel):
        found = vectorizable(Nest(op))
        if found is not None:
            yield found
