"""The steps of random models: each adds one operator on random earlier values."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from tests.fuzz.elementwise import ELEMENTWISE, is_float
from tests.fuzz.models import Chain, Grower, Step
from tests.fuzz.movement import MOVES, factors

Values = list[torch.Tensor]


def image(g: Grower) -> int | None:
    """A float value of rank 4, made by a reshape if there is none."""
    place = g.pick(lambda v: is_float(v) and v.dim() == 4 and v.numel() > 0)
    if place is not None:
        return place
    source = g.pick(lambda v: is_float(v) and v.numel() > 0)
    if source is None:
        return None
    shape = factors(g, g.values[source].numel(), 4)
    text = f"reshape %{source} to {shape}"
    added = g.add(text, lambda m, v: v[source].reshape(shape), g.exact[source])
    return len(g.values) - 1 if added else None


def conv2d(g: Grower) -> None:
    place = image(g)
    if place is None:
        return
    x = g.values[place]
    channels = x.shape[1]
    groups = g.choice([d for d in range(1, channels + 1) if channels % d == 0])
    out = groups * g.rng.randint(1, max(1, (70 if g.largest > 4096 else 20) // groups))
    kernel = (g.rng.randint(1, 5), g.rng.randint(1, 5))
    pad = g.choice([0, 0, 1, 2, (0, 1), (3, 0), "same", "valid"])
    stride = (g.rng.randint(1, 3), g.rng.randint(1, 3))
    layer = nn.Conv2d(
        channels,
        out,
        kernel,
        stride=1 if pad == "same" else stride,
        padding=pad,
        dilation=(g.choice([1, 1, 2, 3]), g.choice([1, 1, 2])),
        groups=groups,
        bias=g.rng.random() < 0.7,
    )
    number = g.layer(layer.to(x.dtype))
    g.add(f"{layer} %{place}", lambda m, v: m.layers[number](v[place]), False)


def linear(g: Grower) -> None:
    place = g.pick(lambda v: is_float(v) and v.dim() > 0 and v.shape[-1] > 0)
    if place is None:
        return
    x = g.values[place]
    out = g.choice([1, 2, 3, 7, 10, 16, 33, 65 if g.largest > 4096 else 5])
    layer = nn.Linear(x.shape[-1], out, bias=g.rng.random() < 0.7).to(x.dtype)
    number = g.layer(layer)
    g.add(f"{layer} %{place}", lambda m, v: m.layers[number](v[place]), False)


def matmul(g: Grower) -> None:
    left = g.pick(lambda v: is_float(v) and v.dim() > 0)
    if left is None:
        return
    a = g.values[left]

    def fits(v: torch.Tensor) -> bool:
        return v.dtype == a.dtype and v.dim() > 0 and v.shape[-1] == a.shape[-1]

    right = g.pick(fits)
    assert right is not None

    def step(m: Chain, v: Values) -> torch.Tensor:
        other = v[right]
        return v[left] @ (other if other.dim() == 1 else other.transpose(-1, -2))

    scale = a.shape[-1] ** -0.5 if a.shape[-1] else 1.0
    g.add(
        f"matmul %{left}, T(%{right}) * {scale}",
        lambda m, v: step(m, v) * scale,
        False,
    )


def softmax(g: Grower) -> None:
    place = g.pick(is_float)
    if place is None:
        return
    x = g.values[place]
    axis = g.rng.randrange(-x.dim(), x.dim()) if x.dim() else 0
    g.add(f"softmax %{place} {axis}", lambda m, v: v[place].softmax(axis), False)


def attention(g: Grower) -> None:
    """Attention by PyTorch's function, or spelled out."""
    query = g.pick(lambda v: is_float(v) and v.dim() > 1 and v.numel() > 0)
    if query is None:
        return
    q = g.values[query]

    def fits(v: torch.Tensor) -> bool:
        same = (*v.shape[:-2], v.shape[-1:]) == (*q.shape[:-2], q.shape[-1:])
        return v.dtype == q.dtype and v.dim() == q.dim() and same and v.numel() > 0

    key = g.pick(fits)
    assert key is not None
    rows = g.values[key].shape[-2]
    value = g.pick(lambda v: fits(v) and v.shape[-2] == rows)
    assert value is not None
    causal, spelled = g.rng.random() < 0.3, g.rng.random() < 0.4
    size = q.shape[-1] ** 0.5

    def step(m: Chain, v: Values) -> torch.Tensor:
        if spelled:
            return (v[query] @ v[key].mT / size).softmax(-1) @ v[value]
        return scaled_dot_product_attention(
            v[query], v[key], v[value], is_causal=causal
        )

    text = f"attention %{query} %{key} %{value} causal={causal} spelled={spelled}"
    g.add(text, step, False)


def reduce(g: Grower) -> None:
    place = g.pick(lambda v: True)
    assert place is not None
    x = g.values[place]
    axes = [a for a in range(x.dim()) if g.rng.random() < 0.5]
    axes = [a - x.dim() if g.rng.random() < 0.5 else a for a in axes]
    keep, name = g.rng.random() < 0.4, g.choice(["sum", "amax", "mean", "amin"])
    exact = g.exact[place] and (name in ("amax", "amin") or not is_float(x))
    g.add(
        f"{name} %{place} {axes} keep={keep}",
        lambda m, v: getattr(v[place], name)(axes, keepdim=keep),
        exact,
    )


def argmax(g: Grower) -> None:
    def clear(v: torch.Tensor) -> bool:
        return v.numel() > 0

    place = g.pick(clear)
    if place is None:
        return
    x = g.values[place]
    axis = g.choice([None, *range(-x.dim(), x.dim())])
    if not g.exact[place] and not has_clear_maximum(x, axis):
        return
    keep = g.rng.random() < 0.3
    g.add(
        f"argmax %{place} {axis} keep={keep}",
        lambda m, v: v[place].argmax(axis, keepdim=keep),
        True,
    )


def has_clear_maximum(x: torch.Tensor, axis: int | None) -> bool:
    """Whether rounding cannot change which element is the largest."""
    flat = x.double().flatten() if axis is None else x.double().movedim(axis, -1)
    if flat.shape[-1] < 2:
        return True
    top = flat.topk(2, -1).values
    return bool(((top[..., 0] - top[..., 1]) > 1e-2 * flat.abs().max()).all())


def max_pool(g: Grower) -> None:
    place = image(g)
    if place is None:
        return
    kernel = (g.rng.randint(1, 4), g.rng.randint(1, 4))
    layer = nn.MaxPool2d(
        kernel,
        stride=g.choice([None, 1, 2, (1, 3)]),
        padding=g.choice([0, 0, (kernel[0] // 2, kernel[1] // 2)]),
        dilation=g.choice([1, 1, 2]),
        ceil_mode=g.rng.random() < 0.5,
    )
    number = g.layer(layer)
    step: Step = lambda m, v: m.layers[number](v[place])  # noqa: E731
    g.add(f"{layer} %{place}", step, g.exact[place])


def batch_norm(g: Grower) -> None:
    place = image(g)
    if place is None:
        return
    channels = g.values[place].shape[1]
    layer = nn.BatchNorm2d(channels, affine=g.rng.random() < 0.7)
    number = g.layer(layer)
    assert layer.running_mean is not None
    assert layer.running_var is not None
    layer.running_mean.copy_(torch.randn(channels, generator=g.numbers))
    layer.running_var.copy_(torch.rand(channels, generator=g.numbers) + 0.5)
    layer.to(g.values[place].dtype)
    g.add(f"{layer} %{place}", lambda m, v: m.layers[number](v[place]), False)


def layer_norm(g: Grower) -> None:
    place = g.pick(lambda v: is_float(v) and v.dim() > 0 and v.shape[-1] > 1)
    if place is None:
        return
    layer = nn.LayerNorm(g.values[place].shape[-1]).to(g.values[place].dtype)
    number = g.layer(layer)
    g.add(f"{layer} %{place}", lambda m, v: m.layers[number](v[place]), False)


STEPS: list[tuple[Callable[[Grower], None], int]] = [
    (conv2d, 7),
    (linear, 5),
    (matmul, 5),
    (softmax, 4),
    (attention, 4),
    (reduce, 5),
    (argmax, 2),
    (max_pool, 5),
    (batch_norm, 2),
    (layer_norm, 1),
    *ELEMENTWISE,
    *MOVES,
]
