"""Attention on the GPU against PyTorch's in float64: forms, masks, layouts, parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.targets.triton.code import read_code
from devproc.targets.triton.kernel import TritonKernel

INF, NAN = float("inf"), float("nan")


class Attention(nn.Module):
    """PyTorch's attention with some options, of operands made from the inputs."""

    def __init__(
        self, make: Callable[..., tuple[Any, ...]] | None = None, **options: Any
    ) -> None:
        super().__init__()
        self.make, self.options = make, options

    def forward(self, *inputs: Tensor) -> Tensor:
        operands: tuple[Any, ...] = inputs
        if self.make is not None:
            operands = self.make(*inputs)
        return F.scaled_dot_product_attention(*operands, **self.options)


def compiled(
    model: nn.Module, inputs: tuple[Tensor, ...], precision: str = "default"
) -> tuple[devproc.Program, list[TritonKernel]]:
    """A program for the interpreter, and its kernels."""
    program = devproc.compile(
        torch.export.export(model, inputs),
        target="cuda:interpret",
        precision=precision,
        cache=False,
    )
    return program, list(read_code(program.artifact.code["cuda"]).kernels.values())


def check(
    model: nn.Module,
    inputs: tuple[Tensor, ...],
    kernels: int = 1,
    precision: str = "default",
) -> list[TritonKernel]:
    """The values, at most four times PyTorch's error; returns the kernels."""
    program, found = compiled(model, inputs, precision)
    assert len(found) == kernels
    wide = tuple(x.double() if x.is_floating_point() else x for x in inputs)
    with torch.no_grad():
        ours, theirs, exact = program(*inputs), model(*inputs), model(*wide)
    assert ours.dtype == theirs.dtype
    assert torch.equal(ours.isnan(), exact.isnan())
    ours, theirs = ours.double().nan_to_num(), theirs.double().nan_to_num()
    exact = exact.nan_to_num()
    error, other = ((x - exact).norm() / exact.norm() for x in (ours, theirs))
    assert error <= max(4 * float(other), 2e-7)
    return found


def operands(
    *shapes: tuple[int, ...], dtype: torch.dtype = torch.float32
) -> tuple[Tensor, ...]:
    rng = torch.Generator().manual_seed(len(shapes) + sum(map(sum, shapes)))
    return tuple(torch.randn(shape, generator=rng).to(dtype) for shape in shapes)


FORMS = {
    "odd": ((2, 3, 37, 20), (2, 3, 53, 20), (2, 3, 53, 24)),
    "one query": ((2, 3, 1, 40), (2, 3, 53, 40), (2, 3, 53, 9)),
    "heads of 80 and 96": ((2, 2, 19, 80), (2, 2, 23, 80), (2, 2, 23, 96)),
    "broadcast": ((2, 1, 3, 9, 8), (2, 2, 1, 35, 8), (2, 2, 1, 35, 40)),
    "no heads": ((33, 16), (35, 16), (35, 16)),
}


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str
)
@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, dtype: torch.dtype) -> None:
    (kernel,) = check(Attention(), operands(*FORMS[form], dtype=dtype))
    storage = {"torch.float32": "*fp32", "torch.float16": "*fp16"}
    assert set(kernel.arg_types) == {storage.get(str(dtype), "*bf16")}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_strict(dtype: torch.dtype) -> None:
    inputs = operands(*FORMS["odd"], dtype=dtype)
    (kernel,) = check(Attention(scale=2.5), inputs, precision="strict")
    assert "tf32" not in kernel.source


def test_masks() -> None:
    """Bools of each query, and of each batch alone; addends; rows without any key."""
    q, k, v = operands(*FORMS["odd"])
    shown = torch.rand(2, 1, 37, 53, generator=torch.Generator().manual_seed(1)) > 0.4
    shown[0, 0, 5] = shown[1, 0, 36] = False
    check(Attention(), (q, k, v, shown))
    check(Attention(), (q, k, v, shown[:, :, 5:6]))
    addends = torch.zeros(37, 53).masked_fill(~shown[1, 0], -INF)
    check(Attention(), (q, k, v, addends))
    lowest = torch.full((37, 53), torch.finfo(torch.float32).min)
    check(Attention(), (q, k, v, lowest))


def test_values_that_are_not_finite() -> None:
    q, k, v = operands(*FORMS["odd"])
    q[0, 0, 3, 2], k[0, 1, 7, 0], v[0, 2, 9, 4] = NAN, INF, NAN
    v[1, 0, 1, 1], q[1, 1, 0, 0] = -INF, -INF
    check(Attention(), (q, k, v))


def band(q: Tensor, k: Tensor, v: Tensor, *, low: int, high: int) -> tuple[Any, ...]:
    """A mask made of comparisons, as exporters write sliding windows."""
    s, t = (torch.arange(x.shape[-2]) for x in (q, k))
    place = t[None] - s[:, None]
    return q, k, v, ((place >= low) & (place <= high))[None, None]


@pytest.mark.parametrize(
    ("low", "high"), [(-90, 0), (-12, 3), (-5, 90), (20, 90), (-90, -9), (-2, -1)]
)
def test_bands_bound_the_loop(low: int, high: int) -> None:
    """Some rows see nothing; no mask is read, none of the loops visits all keys."""
    shapes = (2, 2, 70, 16), (2, 2, 90, 16), (2, 2, 90, 16)
    model = Attention(partial(band, low=low, high=high))
    (kernel,) = check(model, operands(*shapes))
    assert len(kernel.arg_types) == 4
    assert "tl.maximum(" in kernel.source or "tl.minimum(" in kernel.source


def test_causal_masks_as_weights_are_known_by_their_content() -> None:
    model = Attention(is_causal=True)
    (kernel,) = check(model, operands(*[(2, 2, 70, 16)] * 3))
    assert len(kernel.arg_types) == 4
    # A mask is needed for the edge of the band alone.
    first, second = kernel.source.split("for t_")
    assert "tl.where" not in first
    assert "tl.where" in second


def test_hidden_values_that_are_not_finite_count_where_precision_is_strict() -> None:
    q, k, v = operands(*[(1, 1, 40, 16)] * 3)
    v[..., 39, 3] = NAN
    exact, _ = compiled(Attention(is_causal=True), (q, k, v), "strict")
    assert exact(q, k, v)[..., 3].isnan().all()
    program, _ = compiled(Attention(is_causal=True), (q, k, v))
    assert program(q, k, v)[..., 39, 3].isnan()


def heads(x: Tensor, count: int) -> Tensor:
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


class Layer(nn.Module):
    """Attention between the transposes of a transformer's layer."""

    def __init__(self, queries: int, keys: int, is_packed: bool = False) -> None:
        super().__init__()
        self.queries, self.keys, self.is_packed = queries, keys, is_packed

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if self.is_packed:
            q, k, v = q.chunk(3, -1)
        q, k, v = heads(q, self.queries), heads(k, self.keys), heads(v, self.keys)
        if self.keys < self.queries:
            shape = (-1, self.keys, self.queries // self.keys, *k.shape[2:])
            k, v = (
                x[:, :, None].expand(shape).reshape(-1, self.queries, *x.shape[2:])
                for x in (k, v)
            )
        result = F.scaled_dot_product_attention(q, k, v)
        return result.transpose(1, 2).flatten(2)


@pytest.mark.parametrize(
    ("queries", "keys", "is_packed"), [(3, 3, False), (6, 2, False), (3, 3, True)]
)
def test_no_copy_is_left_around_it(queries: int, keys: int, is_packed: bool) -> None:
    width = 3 if is_packed else 1
    shapes = [(2, 19, n * 16 * width) for n in (queries, keys, keys)]
    check(Layer(queries, keys, is_packed), operands(*shapes))


def multihead(x: Tensor) -> tuple[Tensor, ...]:
    """The steps of `nn.MultiheadAttention`: rows first, batch and heads in one."""
    rows, batch, width = x.shape
    parts = x.unflatten(-1, (3, -1)).unsqueeze(0).transpose(0, -2).squeeze(-2)
    q, k, v = parts.contiguous()
    split = (p.view(rows, batch * 3, width // 9).transpose(0, 1) for p in (q, k, v))
    return tuple(p.view(batch, 3, rows, width // 9) for p in split)


def test_operands_of_multihead_attention_are_read_in_place() -> None:
    check(Attention(multihead), operands((13, 2, 9 * 8)))


@pytest.mark.parametrize("mask", ["none", "bools", "one", "addends"])
def test_keys_in_parts(mask: str) -> None:
    """Few queries: a kernel for parts of the keys, a second one combines them."""
    inputs = operands((2, 4, 1, 16), (2, 2, 256, 16), (2, 2, 256, 24))
    shown = (torch.arange(512) % 7 > 2).reshape(2, 1, 1, 256)
    # No key of the second part is seen.
    shown[0, ..., 128:] = False
    addends = torch.randn(1, 256, generator=torch.Generator().manual_seed(0))
    masks = {
        "none": [],
        "bools": [shown],
        "one": [torch.tensor([True, False]).reshape(2, 1, 1, 1)],
        "addends": [addends],
    }
    found = check(Attention(enable_gqa=True), (*inputs, *masks[mask]), kernels=2)
    # Two batches, two heads of keys, two parts of 128 keys.
    assert found[0].grid == (8, 1, 1)


def test_a_prime_number_of_keys_stays_whole() -> None:
    inputs = operands((2, 1, 16), (2, 257, 16), (2, 257, 16))
    check(Attention(), inputs)
