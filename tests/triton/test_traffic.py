"""What interpreted kernels move, counted in sectors, beside what they must."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

import devproc
from devproc.targets.triton import interpret
from devproc.targets.triton.interpretation.traffic import Traffic, counting
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


IMAGES = {
    "3x3": (nn.Conv2d(16, 24, 3, padding=1), 5.7),
    "1x1": (nn.Conv2d(32, 48, 1), 2.2),
    "strided": (nn.Conv2d(16, 32, 3, stride=2, padding=1), 2.5),
    "depthwise": (nn.Conv2d(32, 32, 3, padding=1, groups=32), 6.7),
}
"""Convolutions, and how many times the least bytes their kernels request: each tap its view
of the image, and each block of pixels the weight."""


@pytest.mark.parametrize("name", IMAGES)
def test_convolutions_with_channels_last(name: str) -> None:
    model, most = IMAGES[name]
    x = torch.randn(2, model.in_channels, 15, 13)
    program = devproc.compile(
        torch.export.export(model, (x,)), "cuda:interpret", cache=False
    )
    with counting() as counted:
        program(x)
    found = counted.kernels["conv2d_transpose"]
    assert found.memory_ratio <= LIMIT
    assert 1 < found.requested_ratio <= most


class Attention(nn.Module):
    """PyTorch's attention; grouped if keys have fewer heads."""

    def __init__(self, is_causal: bool) -> None:
        super().__init__()
        self.is_causal = is_causal

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return scaled_dot_product_attention(
            q, k, v, is_causal=self.is_causal, enable_gqa=q.shape[1] > k.shape[1]
        )


ATTENTION = {
    "one block of queries": ((2, 3, 61, 64), (2, 3, 200, 64), False),
    "grouped": ((1, 8, 16, 32), (1, 2, 129, 32), False),
    "blocks of queries": ((1, 2, 300, 64), (1, 2, 300, 64), False),
    "causal": ((1, 2, 300, 64), (1, 2, 300, 64), True),
    "one query": ((2, 4, 1, 64), (2, 4, 1024, 64), False),
}
"""Shapes of queries and of keys, and whether a mask is causal."""


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ATTENTION)
def test_attention_moves_its_operands_once(name: str, dtype: torch.dtype) -> None:
    """Scores stay in registers. Each block of queries asks for all its keys, which a cache
    serves from the second block on; there is one block where the queries fit."""
    queries, keys, is_causal = ATTENTION[name]
    q, k, v = (torch.randn(shape, dtype=dtype) for shape in (queries, keys, keys))
    exported = torch.export.export(Attention(is_causal), (q, k, v))
    program = devproc.compile(exported, "cuda:interpret", cache=False)
    with counting() as counted:
        program(q, k, v)
    found = list(counted.kernels.values())
    least = sum(x.nbytes for x in (q, k, v)) + q.nbytes
    moved = sum(kernel.memory_bytes for kernel in found)
    requested = sum(kernel.requested_bytes for kernel in found)
    assert least <= moved <= LIMIT * least
    if "blocks" in name or is_causal:
        assert requested > LIMIT * least
    else:
        assert requested <= LIMIT * least


def test_a_causal_mask_skips_keys() -> None:
    """Of the keys that no query of a block sees, none is asked for."""
    x = torch.randn(1, 1, 1024, 64, dtype=torch.bfloat16)
    requested: list[int] = []
    for is_causal in (False, True):
        exported = torch.export.export(Attention(is_causal), (x, x, x))
        program = devproc.compile(exported, "cuda:interpret", cache=False)
        with counting() as counted:
            program(x, x, x)
        (kernel,) = counted.kernels.values()
        requested.append(kernel.requested_bytes)
    assert requested[1] < 0.7 * requested[0]


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
