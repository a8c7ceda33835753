"""Single operators, and short chains that become one kernel, beside PyTorch.

`python benchmarks/operators.py`: each in turns with PyTorch in one process, with one and
two threads. Whole models hide an operator that is slow; here it stands alone. A result
that differs from PyTorch's stops the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from turns import row, run_benchmark

Case = tuple[Callable[..., Any], tuple[Tensor, ...]]

FEATURES, TOKENS, ROWS, MATRIX = (2, 64, 56, 56), (4, 197, 384), (64, 1000), (512, 512)


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


def reductions() -> dict[str, Case]:
    """Sums, maxima and norms over all kinds of axes."""
    x, t = (torch.randn(FEATURES),), (torch.randn(TOKENS),)
    parts = tuple(torch.randn(1, 8, 8, n) for n in (320, 768, 768, 192))
    return {
        "softmax of tokens": (lambda t: t.softmax(-1), t),
        "softmax of channels": (lambda x: x.softmax(1), x),
        "logsumexp of channels": (lambda x: x.logsumexp(1), x),
        "argmax of channels": (lambda x: x.argmax(1), x),
        "maximum of pixels": (lambda x: x.amax((2, 3)), x),
        "variance of pixels": (lambda x: x.var((2, 3)), x),
        "mean and maximum of channels": (
            lambda x: torch.cat([x.mean(1, True), x.amax(1, True)], 1),
            x,
        ),
        "layer norm of channels": (
            lambda x: F.layer_norm(x.permute(0, 2, 3, 1), (64,)).permute(0, 3, 1, 2),
            x,
        ),
        "group norm": (lambda x: F.group_norm(x, 8), x),
        "instance norm": (F.instance_norm, x),
        "mean of joined tensors": (lambda *p: torch.cat(p, -1).mean((1, 2)), parts),
        "maximum of stacked tensors": (lambda x: torch.stack([x, x * 2]).amax(0), x),
        "sum of a turned tensor": (lambda x: x.flip(1).sum((1, 2)), x),
        "cumulative sum of rows": (lambda r: r.cumsum(-1), (torch.randn(ROWS),)),
        "cumulative sum of columns": (lambda m: m.cumsum(0), (torch.randn(MATRIX),)),
        "cosine similarity": (lambda t: F.cosine_similarity(t, t + 1, -1), t),
    }


def windows() -> dict[str, Case]:
    """Convolutions and poolings beside those of the benchmark models."""
    x = (torch.randn(FEATURES),)
    return {
        "average of 3 x 3": (lambda x: F.avg_pool2d(x, 3, 1, 1), x),
        "maximum of 13 x 13": (lambda x: F.max_pool2d(x, 13, 1, 6), x),
        "adaptive average": (lambda x: F.adaptive_avg_pool2d(x, 5), x),
        "depthwise 7 x 7": (nn.Conv2d(64, 64, 7, padding=3, groups=64), x),
        "depthwise, dilated": (
            nn.Conv2d(64, 64, 3, padding=6, dilation=6, groups=64),
            x,
        ),
        "8 groups": (nn.Conv2d(64, 64, 3, padding=1, groups=8), x),
        "dilated 3 x 3": (nn.Conv2d(64, 64, 3, padding=12, dilation=12), x),
        "strided 5 x 5": (nn.Conv2d(64, 96, 5, 2, 2), x),
        "1 x 7": (nn.Conv2d(64, 64, (1, 7), padding=(0, 3)), x),
        "patches of 16 x 16": (
            nn.Conv2d(3, 192, 16, 16),
            (torch.randn(1, 3, 224, 224),),
        ),
        "transposed 3 x 3": (nn.ConvTranspose2d(64, 32, 3, 2, 1, 1), x),
        "transposed 4 x 4": (nn.ConvTranspose2d(64, 32, 4, 2, 1), x),
        "1-D, 9 taps": (nn.Conv1d(64, 64, 9, padding=4), (torch.randn(2, 64, 2000),)),
        "3-D": (nn.Conv3d(16, 32, 3, padding=1), (torch.randn(1, 16, 16, 28, 28),)),
    }


def movement() -> dict[str, Case]:
    """What moves elements and computes little."""
    x, t = (torch.randn(FEATURES),), (torch.randn(TOKENS),)
    index = torch.randint(0, TOKENS[1], (TOKENS[0], 50))
    places = torch.rand(2, 40, 40, 2) * 2 - 1
    return {
        "pixel shuffle": (lambda x: F.pixel_shuffle(x, 4), x),
        "channel shuffle": (
            lambda x: x.unflatten(1, (4, 16)).transpose(1, 2).flatten(1, 2),
            x,
        ),
        "windows of 7 x 7": (
            lambda x: x.view(2, 64, 8, 7, 8, 7).permute(0, 2, 4, 3, 5, 1).contiguous(),
            x,
        ),
        "transposed tokens": (lambda t: t.transpose(1, 2).contiguous(), t),
        "roll": (lambda x: x.roll((3, 3), (2, 3)), x),
        "flip": (lambda x: x.flip(3), x),
        "rotation by 90 degrees": (lambda x: torch.rot90(x, 1, (2, 3)), x),
        "reflected border": (lambda x: F.pad(x, (3, 3, 3, 3), mode="reflect"), x),
        "repeated border": (lambda x: F.pad(x, (3, 3, 3, 3), mode="replicate"), x),
        "joined channels": (lambda x: torch.cat([x, x * 2], 1), x),
        "joined columns": (lambda x: torch.cat([x, x * 2], -1), x),
        "columns of 3 x 3 windows": (lambda x: F.unfold(x, 3, padding=1), x),
        "bilinear, twice the size": (
            lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"),
            x,
        ),
        "bicubic": (lambda x: F.interpolate(x, (80, 90), mode="bicubic"), x),
        "grid sample": (
            lambda x, g: F.grid_sample(x, g, align_corners=False),
            (*x, places),
        ),
        "gather of rows": (
            lambda t, i: t.gather(1, i[..., None].expand(-1, -1, TOKENS[2])),
            (*t, index),
        ),
        "scatter of rows": (
            lambda t, i: torch.zeros(TOKENS).scatter_add(
                1, i[..., None].expand(-1, -1, TOKENS[2]), t[:, :50]
            ),
            (*t, index),
        ),
    }


def selection() -> dict[str, Case]:
    """What orders, counts and looks up."""
    rows = (torch.randn(ROWS),)
    table, ids = torch.randn(5000, 256), torch.randint(0, 5000, (8, 128))
    return {
        "10 largest of 1000": (lambda r: r.topk(10)[0], rows),
        "sorted rows": (lambda r: r.sort(-1)[0], rows),
        "median of rows": (lambda r: r.median(-1)[0], rows),
        "any of channels": (lambda x: (x > 2).any(1), (torch.randn(FEATURES),)),
        "embedding": (F.embedding, (ids, table)),
        "bag of embeddings": (F.embedding_bag, (ids, table)),
        "one hot": (lambda i: F.one_hot(i, 5000), (ids,)),
    }


def products() -> dict[str, Case]:
    """Products whose operands are all data."""
    heads = torch.randn(2, 100, 8, 48)
    return {
        "matrix and vector": (
            torch.matmul,
            (torch.randn(1024, 1024), torch.randn(1024)),
        ),
        "vector and matrix": (
            torch.matmul,
            (torch.randn(1024), torch.randn(1024, 1024)),
        ),
        "vectors and matrices": (
            torch.matmul,
            (torch.randn(8, 256, 512), torch.randn(8, 512, 1)),
        ),
        "2000 of 8 x 8": (torch.matmul, (torch.randn(2000, 8, 8),) * 2),
        "5000 rows of 16": (torch.matmul, (torch.randn(5000, 16), torch.randn(16, 16))),
        "scores of heads": (
            lambda q, k: torch.einsum("bihd,bjhd->bhij", q, k),
            (heads, heads),
        ),
        "transposed batch": (
            lambda a, b: a.mT @ b,
            (torch.randn(8, 300, 64), torch.randn(8, 300, 96)),
        ),
        "distances": (torch.cdist, (torch.randn(300, 64), torch.randn(400, 64))),
    }


def elementwise() -> dict[str, Case]:
    """Functions of each element."""
    t = (torch.randn(TOKENS),)
    return {
        "gelu": (F.gelu, t),
        "mish": (F.mish, t),
        "softplus": (F.softplus, t),
        "erf": (torch.erf, t),
        "power": (lambda t: t.abs() ** 1.7, t),
        "atan2": (lambda t: torch.atan2(t, t + 1), t),
        "sine times cosine": (lambda t: t.sin() * t.cos(), t),
        "gate": (lambda t: F.silu(t.chunk(2, -1)[0]) * t.chunk(2, -1)[1], t),
    }


def measured(name: str, case: Case, threads: int) -> str:
    """The row of a case; raises AssertionError where the results differ."""
    import devproc

    function, inputs = case
    module = function if isinstance(function, nn.Module) else Function(function)
    program = devproc.compile(torch.export.export(module, inputs), threads=threads)
    torch.testing.assert_close(program(*inputs), module(*inputs), rtol=1e-4, atol=1e-4)
    runs = {"DevProc": lambda: program(*inputs), "PyTorch": lambda: module(*inputs)}
    return row(name, runs)


def rows(threads: int) -> list[str]:
    """The rows of this number of threads."""
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    torch.manual_seed(0)
    groups = (reductions, windows, movement, selection, products, elementwise)
    return [
        measured(name, case, threads)
        for group in groups
        for name, case in group().items()
    ]


if __name__ == "__main__":
    run_benchmark(__file__, "Single operators", rows)
