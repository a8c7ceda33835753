"""Random image networks: the blocks that such models are made of, and what is between."""

from __future__ import annotations

import random
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from tests.fuzz.elementwise import ELEMENTWISE, is_float
from tests.fuzz.models import FLOATS, Chain, Grower, Sample, Table, fill
from tests.fuzz.movement import MOVES
from tests.fuzz.steps import STEPS, batch_norm, conv2d, max_pool

Values = list[torch.Tensor]
Layer = Callable[[nn.Module, torch.Tensor], torch.Tensor]


def image(g: Grower) -> int | None:
    """The place of an image."""
    return g.pick(lambda v: is_float(v) and v.dim() == 4 and v.numel() > 0)


def apply(g: Grower, make: Callable[[torch.Tensor], nn.Module], use: Layer) -> None:
    """A layer on an image, through `use`, which may reshape around it."""
    place = image(g)
    if place is None:
        return
    layer = make(g.values[place])
    number = g.layer(layer.to(g.values[place].dtype))

    def step(m: Chain, v: Values) -> torch.Tensor:
        return use(m.layers[number], v[place])

    g.add(f"{use.__name__} {layer} %{place}", step, False)


def plain(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return layer(x)


def same_size(g: Grower) -> None:
    """3x3 with the border that keeps the size, of many channels."""
    channels = g.choice([4, 8, 16, 24, 32])
    bias = g.rng.random() < 0.5
    apply(g, lambda x: nn.Conv2d(x.shape[1], channels, 3, 1, 1, bias=bias), plain)


def depthwise(g: Grower) -> None:
    """One filter, or two, for each channel."""
    size, multiplier = g.choice([3, 5, (1, 3)]), g.choice([1, 1, 2])
    stride, dilation = g.choice([1, 1, 2]), g.choice([1, 1, 2])

    def make(x: torch.Tensor) -> nn.Module:
        c = x.shape[1]
        return nn.Conv2d(c, c * multiplier, size, stride, 1, dilation, groups=c)

    apply(g, make, plain)


def pointwise(g: Grower) -> None:
    channels, stride = g.rng.randint(1, 40), g.choice([1, 1, 2])
    apply(g, lambda x: nn.Conv2d(x.shape[1], channels, 1, stride), plain)


def average(g: Grower) -> None:
    kernel = (g.rng.randint(1, 3), g.rng.randint(1, 3))
    padding = (g.rng.randint(0, kernel[0] // 2), g.rng.randint(0, kernel[1] // 2))
    layer = nn.AvgPool2d(
        kernel, g.choice([1, 2, None]), padding, g.choice([True, False]),
        g.choice([True, False]), g.choice([None, None, 3]),
    )  # fmt: skip
    apply(g, lambda _: layer, plain)


def transposed(g: Grower) -> None:
    channels, stride = g.rng.randint(1, 9), g.choice([1, 2])
    apply(g, lambda x: nn.ConvTranspose2d(x.shape[1], channels, 3, stride, 1), plain)


def excite(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(layer(x.mean((2, 3), keepdim=True)))


def over_channels(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return layer(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def of_tokens(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    n, _, h, w = x.shape
    return layer(x.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(n, -1, h, w)


def squeeze_and_excite(g: Grower) -> None:
    apply(g, lambda x: nn.Conv2d(x.shape[1], x.shape[1], 1), excite)


def channel_norm(g: Grower) -> None:
    way = g.choice([over_channels, of_tokens])
    apply(g, lambda x: nn.LayerNorm(x.shape[1]), way)


def channel_mlp(g: Grower) -> None:
    out, way = g.rng.randint(1, 20), g.choice([over_channels, of_tokens])
    apply(g, lambda x: nn.Linear(x.shape[1], out), way)


def patches(g: Grower) -> None:
    """Patch embedding, and its tokens."""
    size, out = g.choice([2, 3]), g.choice([4, 10, 16])
    apply(g, lambda x: nn.Conv2d(x.shape[1], out, size, size), flat_tokens)


def flat_tokens(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return layer(x).flatten(2).transpose(1, 2)


def resize(g: Grower) -> None:
    """Of finite images: at the border PyTorch adds 0 * inf."""
    mode, align = g.choice([("nearest", None), ("bilinear", False), ("bilinear", True)])
    size = (g.rng.randint(1, 12), g.rng.randint(1, 12))
    place = image(g)
    if place is not None and bool(g.values[place].isfinite().all()):
        g.add(
            f"interpolate %{place} {size} {mode} {align}",
            lambda m, v: F.interpolate(v[place], size, mode=mode, align_corners=align),
            mode == "nearest" and g.exact[place],
        )


def join(g: Grower) -> None:
    """A residual, or a concatenation of channels, of values of one size."""
    place = image(g)
    if place is None:
        return
    n, _, h, w = g.values[place].shape

    def fits(v: torch.Tensor) -> bool:
        return v.dim() == 4 and (v.shape[0], *v.shape[2:]) == (n, h, w)

    other = g.pick(fits)
    if g.rng.random() < 0.5:
        g.add(f"add %{place} %{other}", lambda m, v: v[place] + v[other], False)
    else:
        g.add(
            f"cat %{place} %{other}",
            lambda m, v: torch.cat((v[place], v[other]), 1),
            g.exact[place] and g.exact[other],
        )


def shuffle(g: Grower) -> None:
    """Channels in another order, or to and from pixels."""
    place = image(g)
    if place is None:
        return
    name, function = g.choice([
        ("channel_shuffle", lambda x: F.channel_shuffle(x, 2)),
        ("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2)),
        ("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2)),
    ])  # fmt: skip
    g.add(f"{name} %{place}", lambda m, v: function(v[place]), g.exact[place])


def reduce_image(g: Grower) -> None:
    place = image(g)
    if place is None:
        return
    axes = g.choice([(1,), (2,), (3,), (2, 3), (1, 2), (0, 1), (1, 2, 3), (0,)])
    name, keep = g.choice(["mean", "amax", "sum"]), g.rng.random() < 0.5
    g.add(
        f"{name} %{place} {axes} keep={keep}",
        lambda m, v: getattr(v[place], name)(axes, keepdim=keep),
        g.exact[place] and name == "amax",
    )


BLOCKS: Table = [
    (conv2d, 4),
    (same_size, 6),
    (depthwise, 4),
    (pointwise, 5),
    (max_pool, 3),
    (average, 3),
    (transposed, 1),
    (batch_norm, 1),
    (squeeze_and_excite, 2),
    (channel_norm, 2),
    (channel_mlp, 2),
    (patches, 1),
    (resize, 2),
    (join, 5),
    (shuffle, 2),
    (reduce_image, 2),
]
BETWEEN = [*STEPS, *ELEMENTWISE, *MOVES]
IMAGE_STEPS: Table = [*((s, 12 * w) for s, w in BLOCKS), *BETWEEN]


def grow_images(seed: int) -> Sample:
    """The random image network of a seed."""
    rng = random.Random(seed)
    dtypes = [torch.float32] if rng.random() < 0.8 else [*FLOATS]
    numbers = torch.Generator().manual_seed(seed)
    grower = Grower(rng, numbers, 12000, dtypes, special=rng.random() < 0.15)
    dtype = rng.choice(dtypes)
    for _ in range(rng.randint(1, 2)):
        channels = rng.choice([1, 2, 3, 3, 4, 5, 8, 12, 16])
        shape = (rng.randint(1, 2), channels, rng.randint(3, 17), rng.randint(3, 17))
        grower.values.append(grower.tensor(shape, dtype))
        grower.exact.append(True)
        grower.story.append(f"input {'x'.join(map(str, shape))} {dtype}")
    return fill(grower, IMAGE_STEPS, rng.randint(2, 9))
