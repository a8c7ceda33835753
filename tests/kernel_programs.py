"""Small programs that reach every family of kernels, and every algorithm of each.

Odd sizes where an algorithm allows them. `tests.generated_code` lowers them; what they
compute is tested elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import ExportedProgram

import devproc
from devproc.frontends.dsl import Pipeline
from tests.cpu.cpu_programs import CASES, FeedForward, Function, case
from tests.cpu.test_bottleneck import Bottleneck
from tests.cpu.test_check_bounds import MORE

Program: TypeAlias = Pipeline | ExportedProgram
Make: TypeAlias = Callable[[], tuple[nn.Module, tuple[Tensor, ...]]]


def floats(*shape: int) -> Tensor:
    """An operand: its values are not part of a program."""
    return torch.ones(shape)


def integers(*shape: int) -> Tensor:
    """The same for numbers and places."""
    return torch.zeros(shape, dtype=torch.int64)


def of(function: Callable[..., Tensor], *operands: Tensor) -> Make:
    """A program without weights."""
    return lambda: (Function(function), operands)


class Left(nn.Module):
    """A weight on the left of a product."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(floats(45, 67))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.weight @ x)


class Recurrent(nn.Module):
    """Steps in a loop, of both kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(13, 17, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(34, 11, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.gru(self.lstm(x)[0])[0]


CONTRACTIONS: dict[str, Make] = {
    "strassen": lambda: (nn.Linear(512, 768), (floats(128, 512),)),
    "inner_product": lambda: (nn.Linear(192, 260), (floats(24, 192),)),
    "inner_product_window": lambda: (nn.Conv2d(64, 72, 1), (floats(2, 64, 7, 9),)),
    "block_float": lambda: (nn.Linear(512, 600), (floats(1, 512),)),
    "feed_forward": lambda: (FeedForward(96, 224), (floats(9, 96),)),
    "one_row": lambda: (nn.Linear(67, 53), (floats(1, 67),)),
    "many_rows": lambda: (nn.Linear(768, 200), (floats(133, 768),)),
    "linear_bfloat16": lambda: (
        nn.Linear(67, 53).bfloat16(),
        (floats(5, 67).bfloat16(),),
    ),
    "convolution_bfloat16": lambda: (
        nn.Conv2d(6, 40, 3, padding=1).bfloat16(),
        (floats(2, 6, 9, 11).bfloat16(),),
    ),
    "linear_float64": lambda: (nn.Linear(67, 53).double(), (floats(5, 67).double(),)),
    "left": lambda: (Left(), (floats(67, 29),)),
    "outer": of(
        lambda x, y: torch.einsum("bik,bjk->bij", x, y), *[floats(3, 7, 19)] * 2
    ),
    "integers": of(lambda x, y: x @ y, integers(7, 19), integers(19, 5)),
    "recurrent": lambda: (Recurrent(), (floats(2, 5, 13),)),
}
"""Products, in every layout of a weight."""

WINDOWS: dict[str, Make] = {
    "winograd_small": lambda: (nn.Conv2d(32, 32, 3, padding=1), (floats(1, 32, 6, 6),)),
    "winograd_deep": lambda: (nn.Conv2d(256, 96, 3), (floats(2, 256, 16, 18),)),
    "winograd_line_1": lambda: (
        nn.Conv2d(3, 48, (7, 3), padding=(3, 1)), (floats(1, 3, 9, 64),),
    ),
    "inverted_bottleneck": lambda: (
        Bottleneck((16, 96, 24)), (floats(1, 16, 45, 49),),
    ),
    "first_bottleneck": lambda: (
        Bottleneck((3, 32, 16), first=3), (floats(1, 3, 160, 160),),
    ),
    "pointwise_conv": lambda: (nn.Conv2d(19, 33, 1, stride=2), (floats(2, 19, 9, 11),)),
    "stem": lambda: (nn.Conv2d(3, 24, 3, 2, 1), (floats(2, 3, 15, 17),)),
    "grouped": lambda: (nn.Conv2d(24, 36, 3, groups=4), (floats(2, 24, 7, 9),)),
    "dilated": lambda: (nn.Conv2d(17, 40, 3, dilation=2), (floats(1, 17, 13, 11),)),
    "sequence": lambda: (nn.Conv1d(13, 21, 5, padding=2), (floats(2, 13, 37),)),
    "volume": lambda: (nn.Conv3d(5, 7, 3), (floats(1, 5, 6, 7, 9),)),
    "max_pool": of(lambda x: F.max_pool2d(x, 3, 2, 1), floats(2, 19, 11, 13)),
    "avg_pool": of(lambda x: F.avg_pool2d(x, 3, 2, 1), floats(2, 19, 11, 13)),
    "adaptive_pool": of(lambda x: F.adaptive_avg_pool2d(x, (3, 4)), floats(2, 19, 11, 13)),
}  # fmt: skip
"""Convolutions and pooling."""

QUERIES = (floats(2, 3, 19, 24), floats(2, 3, 37, 24), floats(2, 3, 37, 24))
ATTENTION: dict[str, Make] = {
    "attention_causal": of(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        *[floats(2, 3, 29, 24)] * 3,
    ),
    "attention_bool_mask": of(
        F.scaled_dot_product_attention, *QUERIES, integers(2, 1, 19, 37).bool()
    ),
    "attention_float_mask": of(
        F.scaled_dot_product_attention, *QUERIES, floats(19, 37)
    ),
    "attention_one_query": of(
        F.scaled_dot_product_attention, floats(1, 3, 1, 64), *[floats(1, 3, 150, 64)] * 2
    ),
    "attention_groups": of(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
        floats(1, 6, 19, 32), *[floats(1, 2, 19, 32)] * 2,
    ),
}  # fmt: skip
"""Masks of all kinds, groups of heads, a single query."""

REDUCTIONS: dict[str, Make] = {
    "softmax_columns": of(lambda x: F.softmax(x, 0), floats(37, 53)),
    "log_softmax": of(lambda x: F.log_softmax(x, -1), floats(7, 301)),
    "sum_columns": of(lambda x: x.sum(0) + x.amax(0), floats(300, 43)),
    "sum_all": of(lambda x: x.exp().sum(), floats(33, 1025)),
    "variance": of(lambda x: x.var((1, 3)), floats(3, 5, 7, 11)),
    "argmax": of(lambda x: x.argmax(-1), floats(5, 67)),
    "argmax_columns": of(lambda x: x.argmin(0), floats(37, 43)),
    "any": of(lambda x: (x > 2).any(-1), floats(5, 67)),
    "product": of(lambda x: x.prod(-1), integers(5, 67)),
    "group_norm": lambda: (nn.GroupNorm(3, 12), (floats(2, 12, 7, 9),)),
}
"""Along rows, over columns, in whole."""

POINTWISE: dict[str, Make] = {
    "transpose": of(lambda x: x.transpose(-1, -2).contiguous(), floats(3, 37, 53)),
    "permute": of(lambda x: x.permute(2, 0, 3, 1) * 2, floats(3, 5, 17, 19)),
    "broadcast": of(lambda x, y: x * y + y.sin(), floats(7, 1, 43), floats(1, 9, 1)),
    "pad": of(lambda x: F.pad(x.relu(), (1, 2, 3, 0)), floats(2, 3, 9, 21)),
    "pad_reflect": of(lambda x: F.pad(x, (3, 2, 1, 2), "reflect"), floats(2, 3, 9, 21)),
    "concatenate": of(
        lambda x, y: torch.cat([x, y.exp()], 1), floats(3, 7, 5), floats(3, 4, 5)
    ),
    "steps": of(lambda x: x[:, ::3] + x[:, 1::3], floats(7, 45)),
    "bytes": of(lambda x: x.float() / 255 - 0.5, integers(7, 43).byte()),
    "integers_wide": of(lambda x: x // 7 + x % 5, integers(7, 43)),
    "double": of(lambda x: x.exp().sin() + x.sqrt(), floats(7, 43).double()),
    "bfloat16_gelu": of(F.gelu, floats(7, 43).bfloat16()),
    "half_choice": of(
        lambda x: torch.where(x > 0, x, x.sigmoid()), floats(7, 43).half()
    ),
    "functions": of(
        lambda x: (
            torch.erfinv(x.tanh()) + torch.lgamma(x.abs()) + torch.atan2(x, x + 1)
        ),
        floats(5, 19),
    ),
    "roll": of(lambda x: x.roll((2, -3), (0, 1)).flip(1), floats(11, 37)),
}
"""What stands in vectors of neighbours, and what does not."""

ORDERS: dict[str, Make] = {
    "scan_one_row": of(lambda x: x.cumsum(-1), floats(1, 700)),
    "scan_rows": of(lambda x: x.cumprod(-1), floats(37, 45)),
    "scan_columns": of(lambda x: x.cumsum(0).cummax(0).values, floats(37, 45)),
    "scan_log": of(lambda x: x.logcumsumexp(-1), floats(5, 45)),
    "sort_radix": of(lambda x: x.sort(-1, descending=True).indices, floats(2, 700)),
    "sort_stable": of(lambda x: torch.sort(x, dim=0, stable=True).indices, integers(45, 7)),
    "sort_integers": of(lambda x: x.sort(-1).values, integers(3, 400)),
    "top": of(lambda x: x.topk(3, -1).indices, floats(4, 90)),
    "search": of(lambda x, y: torch.searchsorted(x, y), floats(45), floats(3, 7)),
    "scatter_add": of(
        lambda x, i, y: x.scatter_add(1, i, y),
        floats(5, 23), integers(5, 11), floats(5, 11),
    ),
    "scatter_reduce": of(
        lambda x, i, y: x.scatter_reduce(0, i, y, "amax"),
        floats(9, 7), integers(5, 7), floats(5, 7),
    ),
    "index_put": of(
        lambda x, i, y: x.index_put((i,), y, accumulate=True),
        floats(9, 7), integers(5), floats(5, 7),
    ),
    "take": of(lambda x, i: x[:, i].exp(), floats(5, 23, 3), integers(11)),
}  # fmt: skip
"""Ops whose iterations have an order, and reads at computed places."""

GRID = (floats(2, 5, 9, 11), floats(2, 7, 8, 2))
RESAMPLING: dict[str, Make] = {
    "upsample_linear": of(
        lambda x: F.interpolate(x, (17, 23), mode="bilinear"), floats(2, 5, 9, 11)
    ),
    "upsample_cubic": of(
        lambda x: F.interpolate(x, (5, 23), mode="bicubic"), floats(2, 5, 9, 11)
    ),
    "upsample_nearest": of(lambda x: F.interpolate(x, scale_factor=2), floats(2, 5, 9, 11)),
    "downsample_antialias": of(
        lambda x: F.interpolate(x, (7, 6), mode="bilinear", antialias=True),
        floats(1, 3, 31, 29),
    ),
    "grid_sample": of(lambda x, g: F.grid_sample(x, g, align_corners=False), *GRID),
    "grid_sample_border": of(
        lambda x, g: F.grid_sample(
            x, g, "bicubic", padding_mode="border", align_corners=True
        ),
        *GRID,
    ),
    "grid_sample_nearest": of(
        lambda x, g: F.grid_sample(x, g, "nearest", "reflection", align_corners=False),
        *GRID,
    ),
}  # fmt: skip
"""Images of other sizes."""

MODULES = CONTRACTIONS | WINDOWS | ATTENTION | REDUCTIONS | POINTWISE | ORDERS
MODULES |= RESAMPLING


def photograph(mode: str) -> Pipeline:
    """A photograph in 8 bits on its way to a model."""
    pipe = devproc.pipeline("photograph")
    image = pipe.input("image", "uint8", (31, 45, 3))
    x = pipe.resize(image, (17, 23), like="pillow", mode=mode)
    x = pipe.normalize(x, mean=(0.4, 0.5, 0.6), std=(0.2, 0.3, 0.25))
    pipe.output("x", pipe.layout(x, "HWC->NCHW"))
    return pipe


def exported(make: Make) -> ExportedProgram:
    """A module in eval mode with the numbers of a seed."""
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        module, operands = make()
        return torch.export.export(module.eval(), operands)


PROGRAMS: dict[str, Callable[[], Program]] = {
    **{name: lambda name=name: case(name).source for name in CASES},
    **{
        name.replace(" ", "_"): lambda m=make: m().source for name, make in MORE.items()
    },
    **{name: lambda m=make: exported(m) for name, make in MODULES.items()},
    **{
        f"photograph_{mode}": lambda m=mode: photograph(m)
        for mode in ("bilinear", "bicubic", "nearest")
    },
}
"""Every program by name."""

ALGORITHMS = frozenset(
    {"strassen", "inner_product", "inner_product_window", "block_float", "winograd"}
    | {"winograd_line", "winograd_small", "winograd_line_1", "feed_forward", "stem"}
    | {"linear_bfloat16"}
)
"""Programs whose layouts of weights, or instructions, depend on the precision."""
