"""Attention as one kernel against PyTorch and against float64."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

import devproc
from tests.vectors import vectors

Tensors = tuple[torch.Tensor, ...]
BITS = (128, 256, 512)
INF, NAN = float("inf"), float("nan")


class Attention(nn.Module):
    """PyTorch's attention with some options."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options

    def forward(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        mask: torch.Tensor | None = None,
    ) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, mask, **self.options)


class Heads(nn.Module):
    """Query, key and value as heads of what lies row by row."""

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
    ) -> torch.Tensor:
        q, k, v = (x.unflatten(-1, (4, -1)).transpose(1, 2) for x in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v)


class Strided(nn.Module):
    """Every second element of the depth; keys that lie as columns."""

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
    ) -> torch.Tensor:
        a = torch.softmax(q[..., ::2] @ k[..., ::2].transpose(-1, -2) * 0.3, -1)
        b = torch.softmax(q @ k.reshape(k.shape[0], -1, k.shape[1]), -1)
        return a @ v[..., ::3] + b @ v[..., 1::3]


def compiled(
    model: nn.Module,
    inputs: Tensors,
    bits: int = 512,
    threads: int = 2,
    precision: str = "strict",
) -> devproc.Program:
    with vectors(bits):
        return devproc.compile(
            torch.export.export(model, inputs),
            threads=threads,
            precision=precision,
            cache=False,
        )


def families(program: devproc.Program) -> list[str]:
    """The family of each kernel that the program launches."""
    return [kernel.family for kernel in program.report().kernels.rows]


def check(model: nn.Module, inputs: Tensors, bits: int = 512) -> None:
    """One attention kernel, at most twice PyTorch's error (its math, in float32)."""
    program = compiled(model, inputs, bits)
    assert "attention" in families(program)
    wide = [x.double() if x.is_floating_point() else x for x in inputs]
    with sdpa_kernel(SDPBackend.MATH), torch.no_grad():
        theirs, exact = model(*inputs), model(*wide)
    ours = program(*inputs)
    assert ours.shape == theirs.shape
    assert torch.equal(ours.isnan(), theirs.isnan())
    finite = theirs.isfinite()
    assert torch.equal(ours[theirs.isinf()], theirs[theirs.isinf()])
    exact, ours, theirs = exact[finite], ours[finite].double(), theirs[finite].double()
    size = exact.norm().clamp_min(1e-30)
    # Tiny results: PyTorch's own error may be below one rounding.
    bound = max(2 * float((theirs - exact).norm() / size), 1.2e-7)
    assert float((ours - exact).norm() / size) <= bound


SHAPES = [
    ((70, 5, 8), (70, 7, 8), (70, 7, 4)),
    ((20, 1, 8), (20, 33, 8), (20, 33, 17)),  # one query
    ((6, 1, 37), (6, 300, 37), (6, 300, 150)),
    ((2, 3, 1, 64), (2, 1, 70, 64), (2, 1, 70, 64)),
    ((5, 33, 5), (1, 5), (5, 1, 3)),  # one key
    ((50, 17, 1), (50, 50, 1), (50, 50, 1)),
    ((2, 3, 19, 13), (2, 3, 37, 13), (2, 3, 37, 21)),
    ((4, 31, 64), (1, 65, 64), (4, 65, 64)),
    ((3, 8, 16), (11, 16), (11, 6)),
    ((2, 1, 3, 9, 8), (2, 2, 1, 70, 8), (2, 2, 1, 70, 40)),
    ((300, 32), (530, 32), (530, 48)),  # a sum in blocks
]


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_shapes(number: int) -> None:
    rng = torch.Generator().manual_seed(number)
    inputs = tuple(torch.randn(shape, generator=rng) for shape in SHAPES[number])
    check(Attention(), inputs, BITS[number % 3])


def operands(seed: int = 0) -> Tensors:
    rng = torch.Generator().manual_seed(seed)
    shapes = ((2, 3, 9, 8), (2, 3, 21, 8), (2, 3, 21, 19))
    return tuple(torch.randn(shape, generator=rng) for shape in shapes)


class RelativePositions(nn.Module):
    """Adds a table that was computed in another shape to the scores."""

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
    ) -> torch.Tensor:
        table = (q[..., :1] * k[..., 1].unsqueeze(-2)).reshape(6, 9, 21)
        table = (table / torch.arange(1, 7).view(6, 1, 1)).reshape(2, 3, 9, 21)
        return torch.softmax(q @ k.transpose(-1, -2) * 0.3 + table, -1) @ v


def test_mask_that_is_another_view_of_a_kernels_result() -> None:
    check(RelativePositions(), operands())


MASKS = [(9, 21), (1, 21), (9, 1), (2, 1, 9, 21), (1, 3, 1, 21), (2, 3, 9, 21)]


@pytest.mark.parametrize("kind", ["float", "bool", "empty rows"])
@pytest.mark.parametrize("number", range(len(MASKS)))
def test_masks(number: int, kind: str) -> None:
    mask = torch.randn(MASKS[number], generator=torch.Generator().manual_seed(number))
    if kind == "bool":
        mask = mask > 0.3
    elif kind == "empty rows":
        mask[mask > 0] = -INF
        mask[..., 0, :] = -INF
    check(Attention(), (*operands(), mask), BITS[number % 3])


def test_empty_rows_without_their_rule() -> None:
    """A softmax alone gives NaN, and only there."""

    class Plain(nn.Module):
        def forward(self, *x: torch.Tensor) -> torch.Tensor:
            return torch.softmax(x[0] @ x[1].mT + x[3], -1) @ x[2]

    mask = torch.zeros(9, 21)
    mask[4], mask[5, 1:] = -INF, -INF
    inputs = (*operands(), mask)
    check(Plain(), inputs)
    rows = compiled(Plain(), inputs)(*inputs).isnan().all(-1)
    assert rows[..., 4].all()
    assert rows.sum() == rows[..., 4].sum()


def hiding(kind: str) -> torch.Tensor:
    """Bools for 45 queries and 70 keys (two heads), which hide whole panels of keys."""
    query, key = torch.arange(45)[:, None], torch.arange(70)
    match kind:
        case "causal":
            return key <= query
        case "window":
            return (key > query - 9) & (key <= query)
        case "padding":
            return torch.stack([key < 3, key < 70])[:, None]
        case "empty tiles":
            return (key < 5) & (query > 30)
        case _:
            return (key == 69 - query) | (key == 0)


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize(
    "kind", ["causal", "window", "padding", "empty tiles", "reversed"]
)
def test_hidden_panels(kind: str, bits: int) -> None:
    rng = torch.Generator().manual_seed(bits)
    shapes = ((2, 45, 16), (2, 70, 16), (2, 70, 21))
    inputs = tuple(torch.randn(shape, generator=rng) for shape in shapes)
    check(Attention(), (*inputs, hiding(kind)), bits)


@pytest.mark.parametrize("value", [NAN, INF])
def test_special_values_that_are_hidden(value: float) -> None:
    """A weight of zero times what is not finite is NaN, also behind the last key."""
    shapes = ((2, 45, 16), (2, 70, 16), (2, 70, 21))
    inputs = tuple(torch.randn(shape) for shape in shapes)
    inputs[2][1, 68, 3] = value
    check(Attention(), (*inputs, hiding("causal")))


@pytest.mark.parametrize("options", [{"is_causal": True}, {"scale": -1.7}])
def test_options(options: dict[str, Any]) -> None:
    check(Attention(**options), operands(), 256)


def test_grouped_queries() -> None:
    _, k, v = operands()
    check(Attention(enable_gqa=True), (torch.randn(2, 6, 9, 8), k, v))


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_special_values(value: float, place: int) -> None:
    """In the query, the key, the value and the mask, beside an empty row."""
    inputs = (*operands(1), torch.randn(2, 1, 9, 21))
    inputs[place][1, 0, 3, 2] = value
    inputs[3][:, 0, 5] = -INF
    check(Attention(), inputs)


def test_threads_give_equal_bits() -> None:
    """Also where chunks of one head go to several threads."""
    for shape in ((1, 97, 32), (6, 51, 32)):
        inputs = tuple(torch.randn(shape) for _ in range(3))
        one, *more = (
            compiled(Attention(), inputs, threads=threads)(*inputs)
            for threads in (1, 2, 3)
        )
        assert all(torch.equal(one, other) for other in more)


def test_heads_are_read_in_place() -> None:
    """No kernel transposes them before."""
    inputs = tuple(torch.randn(2, rows, 4 * 16) for rows in (37, 50, 50))
    check(Heads(), inputs, 256)
    assert families(compiled(Heads(), inputs, 256)) == ["attention"]


@pytest.mark.parametrize("bits", BITS)
def test_strided_operands(bits: int) -> None:
    q, k, v = (torch.randn(2, rows, 18) for rows in (9, 23, 23))
    check(Strided(), (q, k, v), bits)


def test_equal_attentions_are_one_kernel() -> None:
    class Twice(nn.Module):
        def forward(
            self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
        ) -> torch.Tensor:
            y = F.scaled_dot_product_attention(q, k, v)
            return F.scaled_dot_product_attention(y, k, v)

    q, k, v = (torch.randn(3, rows, 8) for rows in (9, 21, 21))
    inputs = (q, k, v)
    check(Twice(), inputs)
    (kernel,) = compiled(Twice(), inputs).report().kernels.rows
    assert kernel.launches == 2
