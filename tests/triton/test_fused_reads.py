"""Kernels that compute what they read: rotations, gated layers, norms after products."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

import devproc

DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])


def check(model: nn.Module, inputs: tuple[Tensor, ...]) -> devproc.Program:
    """The program, whose error is at most twice that of PyTorch."""
    program = devproc.compile(
        torch.export.export(model.eval(), inputs), target="cuda:interpret", cache=False
    )
    ours = program(*inputs)
    with torch.no_grad():
        theirs = model(*inputs)
        exact = model.double()(*(x.double() for x in inputs))
    if not isinstance(ours, tuple):
        ours, theirs, exact = (ours,), (theirs,), (exact,)
    for mine, other, wanted in zip(ours, theirs, exact, strict=True):
        assert mine.dtype == other.dtype
        assert torch.equal(mine.isnan(), other.isnan())
        wanted = wanted.nan_to_num()
        errors = [(x.double().nan_to_num() - wanted).norm() for x in (mine, other)]
        assert errors[0] <= 2 * errors[1] + 1e-6 * wanted.norm()
    return program


def launches(program: devproc.Program) -> int:
    """The launches of one run."""
    return sum(row.launches for row in program.report().kernels.rows)


def rotated(x: Tensor) -> Tensor:
    """The halves of the last dimension exchanged, the second one negated."""
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


class Rotation(nn.Module):
    """Queries and keys of one product, rotated, with heads before rows."""

    def __init__(self, heads: int, keys: int, size: int, inputs: int) -> None:
        super().__init__()
        self.heads, self.keys, self.size = heads, keys, size
        self.q = nn.Linear(inputs, heads * size, bias=False)
        self.k = nn.Linear(inputs, keys * size, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        """[batch, rows, inputs], [rows, size] twice -> [batch, heads, rows, size] twice."""
        batch, rows, _ = x.shape
        q = self.q(x).view(batch, rows, self.heads, self.size).transpose(1, 2)
        k = self.k(x).view(batch, rows, self.keys, self.size).transpose(1, 2)
        return q * cos + rotated(q) * sin, k * cos + rotated(k) * sin


@DTYPES
@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("sizes", [(3, 1, 6, 7), (2, 2, 10, 16), (2, 1, 2, 5)])
def test_a_rotation_of_queries_and_keys_is_one_kernel(
    sizes: tuple[int, int, int, int], rows: int, dtype: torch.dtype
) -> None:
    torch.manual_seed(1)
    x = torch.randn(2, rows, sizes[-1], dtype=dtype)
    x[0, 0, 0], x[1, -1, 1] = float("nan"), float("inf")
    cos, sin = (torch.randn(rows, sizes[2], dtype=dtype) for _ in range(2))
    program = check(Rotation(*sizes).to(dtype), (x, cos, sin))
    # The product, the rotation, and a copy of each part of its result.
    assert launches(program) == 4


class Halves(nn.Module):
    """A rotation of an input of which only a part is rotated, and of a flipped one."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """[a, b, 10] -> [b, a, 10] and [a, b, 8]."""
        y = x.transpose(0, 1)
        part = torch.cat((rotated(y[..., 1:7]), y[..., :1], y[..., 7:]), -1)
        return y * 2 + part, rotated(x.flip(1)[..., 1:9])


@DTYPES
def test_a_rotation_of_a_part(dtype: torch.dtype) -> None:
    program = check(Halves(), (torch.randn(3, 5, 10, dtype=dtype),))
    assert launches(program) == 2


class Windows(nn.Module):
    """The windows of a rolled image."""

    def forward(self, x: Tensor) -> Tensor:
        """[batch, 6, 10, channels] -> [batch * 4, 15, channels]."""
        y = torch.roll(torch.exp(x), (-1, -2), (1, 2))
        y = y.view(x.shape[0], 2, 3, 2, 5, -1).permute(0, 1, 3, 2, 4, 5)
        return y.reshape(-1, 15, x.shape[-1]) * 2


@DTYPES
@pytest.mark.parametrize("channels", [2, 7])
def test_windows_of_a_rolled_image_are_one_copy(
    channels: int, dtype: torch.dtype
) -> None:
    x = torch.randn(2, 6, 10, channels, dtype=dtype)
    x[0, 0, 0, 0], x[1, 5, 9, 0] = float("nan"), float("inf")
    assert launches(check(Windows(), (x,))) == 2


class Added(nn.Module):
    """The windows of a rolled image, added to a product."""

    def __init__(self) -> None:
        super().__init__()
        self.windows, self.linear = Windows(), nn.Linear(7, 7)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """[batch, 6, 10, 7] and [batch * 4, 15, 7] -> that of `y`."""
        return torch.sin(self.windows(x) + self.linear(y))


def test_windows_added_to_a_product() -> None:
    inputs = torch.randn(2, 6, 10, 7), torch.randn(8, 15, 7)
    assert launches(check(Added(), inputs)) == 3


class Gated(nn.Module):
    """The feed-forward layer of Llama without its last product; gives the value as well."""

    def __init__(self, inputs: int, outputs: int, bias: bool) -> None:
        super().__init__()
        self.gate = nn.Linear(inputs, outputs, bias=bias)
        self.up = nn.Linear(inputs, outputs, bias=bias)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """[..., inputs] -> [..., outputs] twice."""
        up = self.up(x)
        return nn.functional.silu(self.gate(x)) * up, up


@DTYPES
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    ("shape", "outputs"),
    [
        *(((5, 7), 9), ((2, 3, 33), 70), ((40, 130), 17), ((2, 1), 2)),
        # A vector, and a matrix that both products share.
        *(((1, 7), 9), ((1, 1, 2500), 100), ((70, 16), 1), ((3, 2100), 1)),
    ],
)
def test_products_of_the_same_rows_are_one_kernel(
    shape: tuple[int, ...], outputs: int, bias: bool, dtype: torch.dtype
) -> None:
    torch.manual_seed(1)
    x = torch.randn(shape, dtype=dtype)
    x.view(-1)[0] = float("nan")
    program = check(Gated(shape[-1], outputs, bias).to(dtype), (x,))
    assert launches(program) == 1


class Three(nn.Module):
    """A sum of three products, of which two have the same rows and sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(7, 9), nn.Linear(7, 9)
        self.c = nn.Linear(11, 9)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """[5, 7] and [5, 11] -> [5, 9]."""
        return self.a(x) * self.b(x) + self.c(y)


def test_products_of_other_rows_stay_apart() -> None:
    program = check(Three(), (torch.randn(5, 7), torch.randn(5, 11)))
    assert launches(program) == 2


class Norm(nn.Module):
    """A residual product and an RMS norm of the sum, both of which are results."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """[..., inputs] and [..., outputs] -> [..., outputs] twice."""
        y = y + self.linear(x)
        wide = y.float() if y.dtype == torch.bfloat16 else y
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return y, (wide * scale).to(y.dtype)


@DTYPES
def test_a_norm_computes_the_squares_that_it_sums(dtype: torch.dtype) -> None:
    x, y = torch.randn(2, 5, 7, dtype=dtype), torch.randn(2, 5, 33, dtype=dtype)
    program = check(Norm(7, 33).to(dtype), (x, y))
    assert launches(program) == 2
    host = program.ir("host")
    wide = "memref<2x5x33xf32" if dtype == torch.bfloat16 else "%pow"
    assert wide not in host.split("dev.kernel")[0]


class Lookup(nn.Module):
    """A table of rows that a product is added to; the rows are indexed by a flat view."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.linear = nn.Embedding(11, 6), nn.Linear(6, 6)

    def forward(self, words: Tensor) -> Tensor:
        """[batch, rows] -> [batch, rows, 6]."""
        x = self.table(words)
        return x + self.linear(x)


def test_a_residual_of_looked_up_rows_joins_the_product() -> None:
    model, words = Lookup(), torch.randint(11, (2, 5))
    program = devproc.compile(
        torch.export.export(model, (words,)), target="cuda:interpret", cache=False
    )
    assert launches(program) == 2
    torch.testing.assert_close(program(words), model(words))
