"""Attention over the rows of a static cache that are in use, against float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from tests.vectors import vectors

Tensors = tuple[Tensor, ...]
CAPACITY = 53
NAN = float("nan")


class Decoder(nn.Module):
    """Attention of grouped heads over a cache, with a mask made from positions."""

    table: Tensor

    def __init__(
        self, mask: Callable[[Decoder, Tensor], Tensor], **options: Any
    ) -> None:
        super().__init__()
        self.mask, self.options = mask, options
        self.register_buffer("table", torch.ones(CAPACITY, CAPACITY).tril().bool())

    def forward(self, q: Tensor, k: Tensor, v: Tensor, position: Tensor) -> Tensor:
        mask = self.mask(self, position)
        k, v = k.to(q.dtype), v.to(q.dtype)
        return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)


def keys() -> Tensor:
    return torch.arange(CAPACITY)[None]


def column(position: Tensor) -> Tensor:
    return position[:, None]


INF = float("inf")
LOWEST = torch.finfo(torch.float32).min
FORMS: dict[str, Callable[[Decoder, Tensor], Tensor]] = {
    "keys up to the position": lambda m, p: keys() <= column(p),
    "keys before the next position": lambda m, p: keys() < column(p + 1),
    "positions after the keys": lambda m, p: column(p) >= keys(),
    "a difference": lambda m, p: column(p) - keys() >= 0,
    "negated": lambda m, p: ~(keys() > column(p)),
    "a multiple": lambda m, p: keys() <= column(p * 1),
    "a sum with the queries": lambda m, p: (
        keys() <= (p[0] + torch.arange(p.shape[0]))[:, None]
    ),
    "addends": lambda m, p: torch.where(keys() <= column(p), 0.0, -INF),
    "large addends": lambda m, p: torch.where(keys() > column(p), LOWEST, 0.0),
    "filled": lambda m, p: torch.zeros(1, CAPACITY).masked_fill(
        keys() > column(p), -INF
    ),
    "rows of a table": lambda m, p: m.table[None, None][:, :, p],
    "selected rows": lambda m, p: m.table.index_select(0, p)[None, None],
}
"""Forms of the mask of the keys up to a position."""

WINDOWS: dict[str, Callable[[Decoder, Tensor], Tensor]] = {
    "both sides": lambda m, p: (
        (keys() <= column(p))
        & (keys() > column(p) - 7)
        & torch.ones((), dtype=torch.bool)
    ),
    "addends": lambda m, p: torch.where(
        (keys() > column(p)) | (keys() <= column(p) - 7), -INF, 0.0
    ),
}


def operands(
    queries: int = 1, depth: int = 19, dtype: torch.dtype = torch.float32
) -> Tensors:
    """Two batches, three heads of keys, for two heads of queries each."""
    rng = torch.Generator().manual_seed(queries * depth)
    q = torch.randn(2, 6, queries, depth, generator=rng)
    k = torch.randn(2, 3, CAPACITY, depth, generator=rng)
    v = torch.randn(2, 3, CAPACITY, 37, generator=rng)
    return q, k.to(dtype), v.to(dtype)


def compiled(
    model: nn.Module, inputs: Tensors, bits: int = 512, threads: int = 1
) -> devproc.Program:
    """The program, whose attention is over a cache that is not repeated."""
    with vectors(bits):
        program = devproc.compile(
            torch.export.export(model, inputs), threads=threads, cache=False
        )
    text = program.ir("tensor")
    assert "nn.cached_attention" in text
    assert f"<2x6x{CAPACITY}x" not in text, "a cache is repeated for the heads"
    return program


def expected(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    position: Tensor,
    window: int = CAPACITY,
    softcap: float | None = None,
) -> Tensor:
    """softmax(q @ k.T / sqrt(depth)) @ v over the keys that each query sees, in float64."""
    q, k, v = (x.double() for x in (q, k, v))
    rows = []
    for row, last in enumerate(position.tolist()):
        seen = slice(max(0, last + 1 - window), last + 1)
        k_seen, v_seen = (x[:, :, seen].repeat_interleave(2, 1) for x in (k, v))
        scores = q[:, :, row : row + 1] @ k_seen.transpose(-1, -2) / q.shape[-1] ** 0.5
        if softcap is not None:
            scores = softcap * (scores / softcap).tanh()
        rows.append(scores.softmax(-1) @ v_seen)
    return torch.cat(rows, 2)


def without_unseen(x: Tensor, first: int, last: int) -> Tensor:
    """A cache whose other rows are NaN."""
    x = x.clone()
    x[:, :, :first] = NAN
    x[:, :, last + 1 :] = NAN
    return x


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_masks(form: str) -> None:
    q, k, v = operands(3)
    position = torch.tensor([4, 5, 6])
    program = compiled(Decoder(FORMS[form]), (q, k, v, position))
    for start in (0, 17, CAPACITY - 3):
        position = torch.arange(start, start + 3)
        caches = (without_unseen(x, 0, start + 2) for x in (k, v))
        found = program(q, *caches, position)
        wanted = expected(q, k, v, position)
        assert torch.allclose(found.double(), wanted, rtol=0, atol=2e-6)


@pytest.mark.parametrize("form", WINDOWS)
@pytest.mark.parametrize("queries", [1, 4])
def test_windows(form: str, queries: int) -> None:
    q, k, v = operands(queries)
    position = torch.arange(queries)
    program = compiled(Decoder(WINDOWS[form]), (q, k, v, position))
    assert "window 7" in program.ir("tensor")
    for start in (0, 3, 30):
        position = torch.arange(start, start + queries)
        first, last = max(0, start - 6), start + queries - 1
        caches = (without_unseen(x, first, last) for x in (k, v))
        found = program(q, *caches, position)
        wanted = expected(q, k, v, position, window=7)
        assert torch.allclose(found.double(), wanted, rtol=0, atol=2e-6)


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("queries", [1, 2, 9])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_vectors_queries_and_storage(
    bits: int, queries: int, dtype: torch.dtype
) -> None:
    """2, 4 and 18 rows of a tile; depths that are, and are not, whole vectors."""
    q, k, v = operands(queries, 32 if queries == 2 else 19, dtype)
    position = torch.arange(20, 20 + queries)
    model = Decoder(FORMS["keys up to the position"])
    program = compiled(model, (q, k, v, position), bits, threads=3)
    caches = (without_unseen(x, 0, 19 + queries) for x in (k, v))
    found = program(q, *caches, position)
    wanted = expected(q, k, v, position)
    assert torch.allclose(found.double(), wanted, rtol=0, atol=2e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_all_in_half_precision(dtype: torch.dtype) -> None:
    """Computed in float32 and rounded once."""
    q, k, v = operands(1, 32, dtype)
    q, position = q.to(dtype), torch.tensor([30])
    program = compiled(Decoder(FORMS["keys up to the position"]), (q, k, v, position))
    wanted = expected(q, k, v, position).to(dtype)
    limit = 2 * torch.finfo(dtype).eps
    assert torch.allclose(program(q, k, v, position), wanted, rtol=limit, atol=1e-6)


class Eager(nn.Module):
    """Attention as transformers writes it without a kernel, with capped scores."""

    def __init__(self, softcap: float | None) -> None:
        super().__init__()
        self.softcap = softcap

    def forward(self, q: Tensor, k: Tensor, v: Tensor, position: Tensor) -> Tensor:
        k, v = (x.repeat_interleave(2, 1) for x in (k, v))
        scores = torch.matmul(q, k.transpose(2, 3)) * q.shape[-1] ** -0.5
        if self.softcap is not None:
            scores = torch.tanh(scores / self.softcap) * self.softcap
        zero, lowest = q.new_zeros(()), torch.finfo(q.dtype).min
        scores = scores + torch.where(keys() <= column(position), zero, lowest)
        weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
        return torch.matmul(weights, v)


@pytest.mark.parametrize("softcap", [None, 1.5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_eager_forms(softcap: float | None, dtype: torch.dtype) -> None:
    """Nearer to float64 than the separate ops: half precision is rounded once."""
    q, k, v = operands(2, 32, dtype)
    q, position = (2 * q).to(dtype), torch.tensor([29, 30])
    model = Eager(softcap)
    program = compiled(model, (q, k, v, position))
    assert ("softcap" in program.ir("tensor")) == (softcap is not None)
    wanted = expected(q, k, v, position, softcap=softcap)
    caches = (without_unseen(x, 0, 30) for x in (k, v))
    found = program(q, *caches, position).double()
    limit = 2e-6 if dtype == torch.float32 else torch.finfo(dtype).eps
    assert torch.allclose(found, wanted, rtol=limit, atol=2e-6)
    if dtype != torch.float32:
        eager = model(q, k, v, position).double()
        assert (found - wanted).abs().max() <= (eager - wanted).abs().max()


class Int8(nn.Module):
    """Attention with keys and values in int8, with a scale for each row."""

    def __init__(self, decoder: Decoder) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(
        self,
        q: Tensor,
        k: Tensor,
        k_scale: Tensor,
        v: Tensor,
        v_scale: Tensor,
        position: Tensor,
    ) -> Tensor:
        k, v = k.float() * k_scale, v.float() * v_scale
        return self.decoder(q, k, v, position)


def in_int8(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Rows rounded to multiples of a scale, and the scales."""
    scales = rows.abs().amax(-1, keepdim=True) / 127
    return (rows / scales).round().to(torch.int8), scales


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("queries", [1, 2, 9])
def test_int8(bits: int, queries: int) -> None:
    """2, 4 and 18 rows of a tile, which share a scale for each key; the scales of keys
    that are not in use are NaN. Rounded rows change a result by less than a hundredth."""
    q, k, v = operands(queries, 32 if queries == 2 else 19)
    position = torch.arange(20, 20 + queries)
    (keys_, key_scales), (values, value_scales) = in_int8(k), in_int8(v)
    model = Int8(Decoder(FORMS["keys up to the position"]))
    inputs = (q, keys_, key_scales, values, value_scales, position)
    program = compiled(model, inputs, bits, threads=3)
    assert "scales" in program.ir("tensor")
    scales = [without_unseen(x, 0, 19 + queries) for x in (key_scales, value_scales)]
    found = program(q, keys_, scales[0], values, scales[1], position).double()
    exact = (
        keys_.double() * key_scales.double(),
        values.double() * value_scales.double(),
    )
    assert torch.allclose(found, expected(q, *exact, position), rtol=0, atol=2e-6)
    unrounded = expected(q, k, v, position)
    assert (found - unrounded).norm() < 0.01 * unrounded.norm()


def test_int8_within_a_window_at_the_end() -> None:
    """Vectors of scales end after the cache."""
    q, k, v = operands()
    (keys_, key_scales), (values, value_scales) = in_int8(k), in_int8(v)
    position = torch.tensor([CAPACITY - 1])
    inputs = (q, keys_, key_scales, values, value_scales, position)
    found = compiled(Int8(Decoder(WINDOWS["both sides"])), inputs)(*inputs)
    exact = (
        keys_.double() * key_scales.double(),
        values.double() * value_scales.double(),
    )
    wanted = expected(q, *exact, position, window=7)
    assert torch.allclose(found.double(), wanted, rtol=0, atol=2e-6)


def test_the_layout_of_rows_is_read_in_place() -> None:
    """A cache [batch, row, head, element] needs no copy."""

    class Rows(Decoder):
        def forward(self, q: Tensor, k: Tensor, v: Tensor, position: Tensor) -> Tensor:
            return super().forward(q, k.transpose(1, 2), v.transpose(1, 2), position)

    q, k, v = operands(1, 32)
    rows = [x.transpose(1, 2).contiguous() for x in (k, v)]
    position = torch.tensor([11])
    model = Rows(FORMS["keys up to the position"])
    program = compiled(model, (q, *rows, position))
    assert [row.family for row in program.report().kernels.rows] == ["attention"]
    caches = (without_unseen(x, 0, 11).transpose(1, 2).contiguous() for x in (k, v))
    found = program(q, *caches, position)
    wanted = expected(q, k, v, position)
    assert torch.allclose(found.double(), wanted, rtol=0, atol=2e-6)


class Padded(nn.Module):
    """Sequences of a batch at positions of their own, some padded on the left."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, position: Tensor, padding: Tensor
    ) -> Tensor:
        mask = torch.arange(CAPACITY) <= position[:, None, None, None]
        return F.scaled_dot_product_attention(q, k, v, mask & padding, enable_gqa=True)


def test_batches_with_positions_and_padding() -> None:
    q, k, v = operands()
    position, padding = torch.tensor([6, 41]), torch.ones(2, 1, 1, CAPACITY).bool()
    padding[1, ..., :5] = False
    program = compiled(Padded(), (q, k, v, position, padding))
    k[0, :, 7:] = v[0, :, 7:] = k[1, :, 42:] = v[1, :, 42:] = NAN
    found = program(q, k, v, position, padding)
    one = expected(q[:1], k[:1], v[:1], position[:1])
    two = expected(q[1:], k[1:], v[1:], position[1:], window=37)
    assert torch.allclose(found.double(), torch.cat([one, two]), rtol=0, atol=2e-6)
    # A sequence that sees no key.
    padding[0] = False
    assert not program(q, k, v, position, padding)[0].any()


def test_positions_outside_of_the_cache() -> None:
    """Before the cache no key is seen, which yields 0, and after it all."""
    q, k, v = operands()
    model = Decoder(FORMS["keys up to the position"])
    program = compiled(model, (q, k, v, torch.tensor([0])))
    assert not program(q, k * NAN, v * NAN, torch.tensor([-1])).any()
    last = torch.tensor([CAPACITY - 1])
    for position in (CAPACITY, 2**40):
        found = program(q, k, v, torch.tensor([position]))
        assert torch.equal(found, program(q, k, v, last))


def test_not_finite_numbers_in_use() -> None:
    """NaN and infinity in use are those of a softmax."""
    q, k, v = operands(1, 32)
    position = torch.tensor([30])
    model = Decoder(FORMS["keys up to the position"])
    program = compiled(model, (q, k, v, position))
    v[0, 0, 20, 3], v[0, 1, 29, 5], k[1, 2, 7, 0] = INF, NAN, NAN
    found, wanted = program(q, k, v, position), expected(q, k, v, position)
    assert torch.equal(found.isnan(), wanted.isnan())
    assert torch.allclose(found.double(), wanted, rtol=0, atol=2e-6, equal_nan=True)


@pytest.mark.parametrize(
    "mask",
    [
        lambda m, p: (keys() <= column(p)) | (keys() == 3),
        lambda m, p: 2 * keys() <= column(p),
        lambda m, p: keys() <= 9,
        lambda m, p: torch.where((keys() <= column(p)) & (keys() != 2), 0.0, LOWEST),
        lambda m, p: m.table.T.index_select(0, p)[None, None],
    ],
    ids=["a key more", "every second key", "no position", "finite addends", "no table"],
)
def test_other_masks_stay_masks(mask: Callable[[Decoder, Tensor], Tensor]) -> None:
    q, k, v = operands(2)
    model, position = Decoder(mask), torch.tensor([4, 9])
    program = devproc.compile(
        torch.export.export(model, (q, k, v, position)), threads=1, cache=False
    )
    assert "nn.cached_attention" not in program.ir("tensor")
    wanted = model(*(x.double() for x in (q, k, v)), position)
    found = program(q, k, v, position)
    assert torch.allclose(found.double(), wanted, rtol=0, atol=2e-6)
