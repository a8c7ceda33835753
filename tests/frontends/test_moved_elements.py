"""What moves elements without computing: borders, rolls, rotations, bags of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
import torch.nn.functional as F

import devproc
from tests.frontends.imported import export

Move = Callable[[torch.Tensor], torch.Tensor]


def image(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Random numbers of all kinds."""
    x = (torch.randn(shape) * 50).to(dtype)
    if dtype.is_floating_point and x.numel():
        x.view(-1)[::5] = float("nan")
        x.view(-1)[1::7] = float("-inf")
    return x


def check(
    function: Callable[..., torch.Tensor],
    *inputs: torch.Tensor,
    target: str = "cpu",
    threads: int = 1,
    cpu: str = "native",
    kernels: int | None = 1,
) -> None:
    """The very elements that PyTorch gives, in so many kernels; no access outside."""
    program = devproc.compile(
        export(function, inputs),
        target,
        threads=threads,
        cpu=cpu,
        cache=False,
        check_bounds=True,
    )
    torch.testing.assert_close(
        program(*inputs), function(*inputs), equal_nan=True, rtol=0, atol=0
    )
    if kernels is not None:
        assert len(program.report().kernels.rows) == kernels


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize(
    ("shape", "amounts"),
    [
        ((2, 3, 7, 9), (3, 2, 1, 4)),
        ((2, 3, 8, 33), (1, 0, 0, 5)),
        ((1, 5, 40, 40), (-1, 2, 3, -2)),
        ((2, 3, 9, 9), (8, 8, 8, 8)),
        ((2, 3, 11), (4, 5)),
        ((3, 70, 9), (3, -4)),
        ((2, 2, 5, 6, 7), (2, 1, 1, 3, 2, 2)),
    ],
)
def test_borders(shape: Sequence[int], amounts: Sequence[int], mode: str) -> None:
    def pad(x: torch.Tensor) -> torch.Tensor:
        return F.pad(x, amounts, mode=mode)

    check(pad, image(*shape))
    check(pad, image(*shape), threads=2, cpu="x86-64")


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float16, torch.int64, torch.uint8, torch.bool]
)
def test_dtypes(dtype: torch.dtype) -> None:
    x = image(2, 3, 21, 37, dtype=dtype)
    check(lambda x: F.pad(x, (3, 1, 2, 3), mode="circular"), x)
    check(lambda x: x.roll((3, -2), (2, 3)), x)
    check(lambda x: torch.rot90(x, 1, (2, 3)), x)


MOVES: dict[str, Move] = {
    "roll": lambda x: x.roll((3, -5), (2, 3)),
    "roll of channels": lambda x: x.roll(1, 1),
    "quarter turn": lambda x: torch.rot90(x, 1, (2, 3)),
    "half turn": lambda x: torch.rot90(x, 2, (2, 3)),
    "three quarters": lambda x: torch.rot90(x, 3, (2, 3)),
    "turned joined": lambda x: torch.cat([x.flip(3), x[..., 1:]], 3),
    "every other": lambda x: (
        torch.cat([x[..., ::2], x[..., 1::2]], 1)
        if x.shape[3] % 2 == 0
        else torch.cat([x[..., :-1:2], x[..., 1::2]], 1)
    ),
}


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("shape", [(2, 3, 16, 24), (3, 2, 45, 61), (1, 2, 8, 7)])
def test_moves(name: str, shape: Sequence[int]) -> None:
    check(MOVES[name], image(*shape))
    check(MOVES[name], image(*shape), threads=2, cpu="x86-64")


def test_moves_on_a_gpu() -> None:
    x = torch.randn(2, 3, 9, 11)
    for move in (MOVES["roll"], lambda x: F.pad(x, (3, 2, 1, 4), mode="reflect")):
        check(move, x, target="cuda:interpret")


def test_moved_elements_in_sums_and_products() -> None:
    """A turned tensor is read backwards where it lies."""
    x, w = torch.randint(-9, 9, (2, 12, 33)).float(), torch.randint(-9, 9, (33, 5))
    check(lambda x: x.flip(1).sum((1, 2)), x)
    check(lambda x: x.flip(2).sum(1), x)
    check(lambda x, w: x.flip(2) @ w.float(), x, w, kernels=None)
    check(lambda x, w: x.flip(1) @ w.float().flip(0, 1), x, w, kernels=None)


@pytest.mark.parametrize("shape", [(0, 3, 5, 5), (2, 0, 5, 5)])
def test_of_nothing(shape: Sequence[int]) -> None:
    x = image(*shape)
    check(lambda x: x.roll(2, 3), x, kernels=None)
    check(lambda x: F.pad(x, (1, 1, 1, 1), mode="circular"), x, kernels=None)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 3, -1])
@pytest.mark.parametrize("bags", [5, 700])
def test_bags_of_one_size(mode: str, padding: int | None, bags: int) -> None:
    """Whole numbers, so that no order of the sums differs; one bag is padding alone."""
    table, index = (
        torch.randint(-9, 9, (20, 37)).float(),
        torch.randint(0, 20, (bags, 8)),
    )
    index[1] = 3
    check(
        lambda i, t: F.embedding_bag(i, t, mode=mode, padding_idx=padding),
        index,
        table,
        kernels=None,
    )


def test_bags_with_weights_and_of_other_sizes() -> None:
    table, index = torch.randint(-9, 9, (20, 16)).float(), torch.randint(0, 20, (6, 4))
    weights = torch.randint(-3, 3, (6, 4)).float()
    check(
        lambda i, t, w: F.embedding_bag(i, t, mode="sum", per_sample_weights=w),
        index,
        table,
        weights,
        kernels=4,  # Three of them look at the values.
    )
    offsets = torch.tensor([0, 4, 4, 15])
    flat = index.flatten()
    check(lambda i, t, o: F.embedding_bag(i, t, o), flat, table, offsets, kernels=None)
    check(
        lambda i, t: F.embedding_bag(i, t, torch.tensor([0, 4, 4, 15])),
        flat,
        table,
        kernels=None,
    )


def test_samples_of_images_are_one_sum_of_picks() -> None:
    """Channels run within a vector of places, of which each is computed once."""
    x, grid = torch.randn(2, 9, 11, 13), torch.rand(2, 7, 21, 2) * 3 - 1.5
    grid[0, 0, :3] = torch.tensor([float("nan"), float("inf")])

    def sample(x: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
        return F.grid_sample(x, grid, align_corners=False)

    for threads in (1, 2):
        program = devproc.compile(
            export(sample, (x, grid)), threads=threads, cache=False, check_bounds=True
        )
        assert len(program.report().kernels.rows) == 2
        torch.testing.assert_close(program(x, grid), sample(x, grid), equal_nan=True)
