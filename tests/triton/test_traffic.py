"""What interpreted kernels move, counted in sectors, beside what they must."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from devproc.targets.triton import interpret
from devproc.targets.triton.traffic import Traffic, counting
from tests.triton import programs
from tests.triton.support import kernels

LIMIT = 1.1

ONCE = {
    "pointwise": (
        programs.elementwise(
            "%r = arith.addf %a, %b : f32", "f32", (33, 65), "f32", "f32"
        ),
        [(33, 65), (33, 65), (33, 65)],
    ),
    "softmax": (
        programs.softmax((17, 133), 1),
        [(17, 133), (17,), (17, 133), (17,), (17, 133)],
    ),
    # A program stores the results of one row, to sectors that others share: rows are long
    # enough for that not to matter.
    "argmax": (programs.argmax(17, 1033), [(17, 1033), (17,), (17,)]),
    "transpose": (programs.transpose((96, 64), (1, 0)), [(96, 64), (64, 96)]),
}
"""Kernels that have to read and write each element once."""

CONVOLUTIONS = {
    "conv": (
        programs.conv2d(1, 16, (9, 8), 24, 3, padding=1),
        [(1, 16, 9, 8), (24, 16, 3, 3), (24,), (1, 24, 9, 8)],
    ),
    "depthwise": (
        programs.depthwise(1, 16, (9, 8), 3, 1),
        [(1, 16, 9, 8), (16, 1, 3, 3), (1, 16, 9, 8)],
    ),
}


def traffic(text: str, shapes: Sequence[tuple[int, ...]]) -> Traffic:
    """Of the only kernel of a module, with the blocks of a GPU."""
    (kernel,) = kernels(text, interpret=False)
    tensors = [torch.randn(shape) for shape in shapes]
    if kernel.arg_types[-1] == "*i64":
        tensors[-1] = tensors[-1].long()
    with counting() as counted:
        interpret.launch(kernel, *tensors)
    return counted.kernels[kernel.name]


@pytest.mark.parametrize("name", ONCE)
def test_nothing_is_moved_twice(name: str) -> None:
    found = traffic(*ONCE[name])
    assert found.least_bytes <= found.memory_bytes <= LIMIT * found.least_bytes
    assert found.requested_bytes <= LIMIT * found.least_bytes


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_read_no_more_of_memory_than_they_must(name: str) -> None:
    found = traffic(*CONVOLUTIONS[name])
    # Windows overlap, so that caches serve most requests.
    assert found.memory_ratio <= LIMIT
    assert found.requested_ratio > 1


def test_a_stride_costs_whole_sectors() -> None:
    """Every eighth element of a row of f32: a sector for each."""
    x, out = ("%x", programs.memref((40, 8))), ("%out", programs.memref((40,)))
    copy = programs.generic(
        "p", ["d0, 0", "d0"], [x], [out], "    linalg.yield %a : f32"
    )
    arguments = f"{x[0]}: {x[1]}, {out[0]}: {out[1]}"
    text = programs.function("column", "pointwise", ["nn.slice"], arguments, copy)
    found = traffic(text, [(40, 8), (40,)])
    assert found.loads[0].sectors == 40
    assert found.loads[0].distinct_bytes == 160
    assert found.stores[1].sectors == 5
    assert found.requested_bytes == 45 * 32


def test_nothing_is_counted_outside_of_the_context() -> None:
    (kernel,) = kernels(ONCE["pointwise"][0], interpret=False)
    with counting() as counted:
        pass
    interpret.launch(kernel, *(torch.randn(33, 65) for _ in range(3)))
    assert not counted.kernels
