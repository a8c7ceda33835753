"""Inputs that are contiguous along another loop than the vectorised one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from devproc.targets.cpu.transforms.loops.kernels import body_work
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.vectorize_body import MAX_STRIDE

MOST_WORK = 64
"""Most scalar operations of a body for which transposing its loads pays: a square
repeats the body for each vector."""


def strided_inputs(nest: Nest, loop: int, other: int) -> list[Operand]:
    """The inputs with stride 1 or -1 along `other` and a large stride along `loop`."""
    return [
        operand
        for operand in (*nest.inputs, *nest.more_inputs)
        if operand.stride(other) in (1, -1)
        and abs(operand.stride(loop) or 0) > MAX_STRIDE
    ]


def crossing_loop(
    nest: Nest, loop: int, fixed: Collection[int | None] = ()
) -> int | None:
    """The other loop of the squares, not a fixed one; None if nothing needs
    transposing."""
    if nest.reductions or sum(body_work(op) for op in nest.bodies) > MOST_WORK:
        return None
    found = Counter(
        {
            other: len(strided_inputs(nest, loop, other))
            for other, size in enumerate(nest.sizes)
            if other not in (loop, *fixed) and size > 1
        }
    )
    best = found.most_common(1)
    return best[0][0] if best and best[0][1] else None
