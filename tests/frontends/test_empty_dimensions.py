"""Dimensions of size 0 in attention, convolutions and products: PyTorch's results."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import devproc

attention = F.scaled_dot_product_attention


class Model(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.function(*inputs)


def check(
    function: Callable[..., object], *shapes: tuple[int, ...], target: str = "cpu"
) -> None:
    """The same result as eager, for random inputs of these shapes."""
    torch.manual_seed(0)
    inputs = tuple(torch.randn(shape) for shape in shapes)
    exported = torch.export.export(Model(function), inputs)
    ours = devproc.compile(exported, target=target, cache=False)(*inputs)
    torch.testing.assert_close(ours, function(*inputs), equal_nan=True)


MASKS: dict[str, Callable[..., torch.Tensor]] = {
    "none": lambda q, k, v, m: attention(q, k, v),
    "causal": lambda q, k, v, m: attention(q, k, v, is_causal=True),
    "scale": lambda q, k, v, m: attention(q, k, v, scale=0.5),
    "bool": lambda q, k, v, m: attention(q, k, v, attn_mask=m > 0),
    "float": lambda q, k, v, m: attention(q, k, v, attn_mask=m),
}

# Batch, heads, queries, keys, width, width of the values.
SIZES = (
    (2, 3, 4, 5, 0, 6),
    (2, 3, 4, 5, 0, 0),
    (2, 3, 4, 5, 6, 0),
    (2, 3, 0, 5, 6, 6),
    (2, 3, 4, 0, 6, 6),
    (2, 3, 16, 0, 0, 6),
    (0, 3, 4, 5, 6, 6),
    (2, 0, 4, 5, 6, 6),
)


@pytest.mark.parametrize("mask", MASKS)
def test_attention(mask: str) -> None:
    """All sizes as one program; the weights of no width are equal."""

    def all_sizes(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        groups = zip(*[iter(tensors)] * 4, strict=True)
        return tuple(MASKS[mask](*group) for group in groups)

    shapes: list[tuple[int, ...]] = []
    for batch, heads, queries, keys, width, values in SIZES:
        shapes += [(batch, heads, queries, width), (batch, heads, keys, width)]
        shapes += [(batch, heads, keys, values), (queries, keys)]
    check(all_sizes, *shapes)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_attention_in_blocks_of_a_gpu(size: tuple[int, ...]) -> None:
    batch, heads, queries, keys, width, values = size
    shapes = (queries, width), (keys, width), (keys, values)
    check(attention, *((batch, heads, *s) for s in shapes), target="cuda:interpret")


def test_attention_with_groups_of_no_heads() -> None:
    check(
        lambda q, k, v: attention(q, k, v, enable_gqa=True),
        *((2, 0, 4, 6), (2, 0, 5, 6), (2, 0, 5, 6)),
    )


def test_attention_with_groups_of_no_keys() -> None:
    check(
        lambda q, k, v: attention(q, k, v, enable_gqa=True),
        *((2, 4, 4, 6), (2, 2, 0, 6), (2, 2, 0, 6)),
    )


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_convolutions_without_images(rank: int, is_transposed: bool) -> None:
    name = f"conv_transpose{rank}d" if is_transposed else f"conv{rank}d"
    check(
        lambda x, w: getattr(F, name)(x, w, stride=2, padding=1),
        *((0, 3, *[5] * rank), (3, 3, *[3] * rank)),
    )


@pytest.mark.parametrize("shape", [(16, 0), (3, 16, 0)], ids=str)
def test_many_rows_without_columns(shape: tuple[int, ...]) -> None:
    """A product of a value that another kernel makes: rows of no bytes have no gap."""
    check(lambda x, w: torch.matmul(torch.exp(x), w), shape, (0, 6))


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_reductions_of_nothing(target: str) -> None:
    def reductions(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            *(x.sum(1), x.prod(1), x.any(1), x.all(), x.nansum(1), x.std(1)),
            *(torch.logsumexp(x, 1), torch.linalg.vector_norm(x, 3, 1)),
            *(F.rms_norm(x, (0, 2)), F.cosine_similarity(x, y), F.mse_loss(x, y)),
        )

    check(reductions, (3, 0, 2), (3, 0, 2), target=target)


def test_statistics_of_nothing() -> None:
    """A normalization without elements is one; its mean and its variance are not."""
    check(lambda x: torch.native_layer_norm(x, (0,), None, None, 1e-5)[0], (3, 0))
    exported = torch.export.export(
        Model(lambda x: torch.native_layer_norm(x, (0,), None, None, 1e-5)),
        (torch.ones(3, 0),),
    )
    with pytest.raises(devproc.UnsupportedError, match="statistics of nothing"):
        devproc.compile(exported)
