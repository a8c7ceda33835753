"""Attention over a cache on the GPU, against float64: bounds that are read on the device."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.code import read_code
from devproc.targets.triton.interpretation.traffic import counting
from tests.e2e.test_cached_attention import (
    CAPACITY,
    FORMS,
    NAN,
    WINDOWS,
    Decoder,
    Eager,
    Padded,
    expected,
    operands,
    without_unseen,
)

UP_TO = FORMS["keys up to the position"]


def compiled(
    model: nn.Module, inputs: tuple[Tensor, ...], precision: str = "default"
) -> devproc.Program:
    """A program for the interpreter, whose attention is over a cache."""
    program = devproc.compile(
        torch.export.export(model, inputs),
        target="cuda:interpret",
        precision=precision,
        cache=False,
    )
    text = program.ir("tensor")
    assert "nn.cached_attention" in text
    assert f"<2x6x{CAPACITY}x" not in text, "a cache is repeated for the heads"
    return program


def close(found: Tensor, wanted: Tensor, limit: float = 2e-6) -> None:
    torch.testing.assert_close(found.double(), wanted, rtol=0, atol=limit)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("queries", [1, 9])
def test_grouped_heads_and_storage(queries: int, dtype: torch.dtype) -> None:
    """Two and 18 rows of a program; what no query sees is not read."""
    q, k, v = operands(queries, 19, dtype)
    position = torch.arange(20, 20 + queries)
    program = compiled(Decoder(UP_TO), (q, k, v, position))
    families = [row.family for row in program.report().kernels.rows]
    assert families.count("attention") == 1
    for start in (0, 20, CAPACITY - queries):
        position = torch.arange(start, start + queries)
        caches = (without_unseen(x, 0, start + queries - 1) for x in (k, v))
        close(program(q, *caches, position), expected(q, k, v, position))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_all_in_half_precision(dtype: torch.dtype) -> None:
    q, k, v = operands(1, 32, dtype)
    q, position = q.to(dtype), torch.tensor([30])
    program = compiled(Decoder(UP_TO), (q, k, v, position))
    wanted = expected(q, k, v, position)
    close(program(q, k, v, position), wanted, 2 * torch.finfo(dtype).eps)


@pytest.mark.parametrize("form", WINDOWS)
@pytest.mark.parametrize("queries", [1, 20])
def test_windows(form: str, queries: int) -> None:
    q, k, v = operands(queries)
    program = compiled(Decoder(WINDOWS[form]), (q, k, v, torch.arange(queries)))
    for start in (0, 3, 30):
        position = torch.arange(start, start + queries)
        first, last = max(0, start - 6), start + queries - 1
        caches = (without_unseen(x, first, last) for x in (k, v))
        close(program(q, *caches, position), expected(q, k, v, position, window=7))


def test_strict() -> None:
    q, k, v = operands(9)
    position = torch.arange(11, 20)
    program = compiled(Decoder(UP_TO), (q, k, v, position), "strict")
    close(program(q, k, v, position), expected(q, k, v, position), 1e-6)


def test_batches_with_positions_and_padding() -> None:
    q, k, v = operands()
    position, padding = torch.tensor([6, 41]), torch.ones(2, 1, 1, CAPACITY).bool()
    padding[1, ..., :5] = False
    program = compiled(Padded(), (q, k, v, position, padding))
    k[0, :, 7:] = v[0, :, 7:] = k[1, :, 42:] = v[1, :, 42:] = NAN
    one = expected(q[:1], k[:1], v[:1], position[:1])
    two = expected(q[1:], k[1:], v[1:], position[1:], window=37)
    close(program(q, k, v, position, padding), torch.cat([one, two]))
    padding[0] = False
    assert not program(q, k, v, position, padding)[0].any()


def test_positions_outside_of_the_cache() -> None:
    q, k, v = operands()
    program = compiled(Decoder(UP_TO), (q, k, v, torch.tensor([0])))
    assert not program(q, k * NAN, v * NAN, torch.tensor([-1])).any()
    last = torch.tensor([CAPACITY - 1])
    for position in (CAPACITY, 2**40):
        found = program(q, k, v, torch.tensor([position]))
        assert torch.equal(found, program(q, k, v, last))


class Long(nn.Module):
    """One query of grouped heads over a cache of many rows."""

    def __init__(self, window: int | None = None) -> None:
        super().__init__()
        self.window = window

    def forward(self, q: Tensor, k: Tensor, v: Tensor, position: Tensor) -> Tensor:
        place, last = torch.arange(k.shape[-2]), position[:, None]
        mask = place <= last
        if self.window is not None:
            mask = mask & (place > last - self.window)
        return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)


@pytest.mark.parametrize("window", [None, 200])
def test_keys_in_parts(window: int | None) -> None:
    """Programs of parts that the query does not see read nothing."""
    rng = torch.Generator().manual_seed(5)
    q = torch.randn(1, 6, 1, 40, generator=rng)
    k, v = (torch.randn(1, 2, 640, 40, generator=rng) for _ in range(2))
    program = compiled(Long(window), (q, k, v, torch.tensor([0])))
    code = read_code(program.artifact.code["cuda"]).kernels
    assert max(kernel.grid[0] for kernel in code.values()) == 2 * 5
    for last in (0, 130, 500, 639):
        position = torch.tensor([last])
        first = 0 if window is None else max(0, last - window + 1)
        caches = []
        for x in (k, v):
            x = x.clone()
            x[:, :, :first] = NAN
            x[:, :, last + 1 :] = NAN
            caches.append(x)
        seen = slice(first, last + 1)
        keys, values = (x[:, :, seen].double().repeat_interleave(3, 1) for x in (k, v))
        close(
            program(q, *caches, position),
            F.scaled_dot_product_attention(q.double(), keys, values),
        )


def test_capped_scores() -> None:
    q, k, v = operands(2, 32)
    q, position = 2 * q, torch.tensor([29, 30])
    program = compiled(Eager(1.5), (q, k, v, position))
    caches = (without_unseen(x, 0, 30) for x in (k, v))
    close(program(q, *caches, position), expected(q, k, v, position, softcap=1.5))


def test_the_bytes_read_follow_the_position() -> None:
    """At most a block of keys more than those in use, whatever the capacity."""
    rng = torch.Generator().manual_seed(6)
    q = torch.randn(1, 6, 1, 64, generator=rng).bfloat16()
    k, v = (torch.randn(1, 2, 1024, 64, generator=rng).bfloat16() for _ in range(2))
    program = compiled(Long(), (q, k, v, torch.tensor([0])))
    name = next(iter(read_code(program.artifact.code["cuda"]).kernels))
    moved: list[int] = []
    for last in (0, 255, 1023):
        with counting() as counted:
            program(q, k, v, torch.tensor([last]))
        moved.append(counted.kernels[name].requested_bytes)
    row = 2 * 2 * 64 * 2
    assert moved[1] - moved[0] == 255 * row
    assert moved[2] - moved[0] == 1023 * row


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_machine_code(arch: str, dtype: torch.dtype) -> None:
    """No spills; keys and values come by asynchronous copies of 16 bytes."""
    q = torch.empty(1, 9, 1, 64, dtype=dtype)
    k = torch.empty(1, 3, 2048, 64, dtype=dtype)
    program = compiled(Long(), (q, k, k, torch.tensor([0])))
    kernel = next(iter(read_code(program.artifact.code["cuda"]).kernels.values()))
    found = compile_kernel(kernel, arch).resources()
    assert (found.spilled_bytes, found.count("LDL", "STL")) == (0, 0)
    assert found.count("HMMA") > 0
    assert found.count("LDGSTS") >= 8
    assert found.count("LDG") <= 4
