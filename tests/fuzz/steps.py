"""The steps of random models: each adds one operator on random earlier values."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import torch
from torch import nn

from tests.fuzz.models import FLOATS, INTEGERS, Chain, Grower, Step

Values = list[torch.Tensor]
Binary = Callable[[torch.Tensor, object], torch.Tensor]

BINARIES: dict[str, Binary] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
}


def is_float(x: torch.Tensor) -> bool:
    return x.is_floating_point()


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


def factors(g: Grower, count: int, rank: int) -> tuple[int, ...]:
    """A random shape of `count` elements."""
    shape = [1] * rank
    rest, prime = count, 2
    while rest > 1 and rank:
        if rest % prime:
            prime += 1
            continue
        shape[g.rng.randrange(rank)] *= prime
        rest //= prime
    return tuple(shape) if rank else (count,)


def conv2d(g: Grower) -> None:
    place = image(g)
    if place is None:
        return
    x = g.values[place]
    channels = x.shape[1]
    groups = g.choice([d for d in range(1, channels + 1) if channels % d == 0])
    out = groups * g.rng.randint(1, max(1, 20 // groups))
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
    out = g.choice([1, 2, 3, 7, 10, 16, 33])
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


def binary(g: Grower) -> None:
    name, function = g.choice(list(BINARIES.items()))
    left = g.pick(lambda v: True)
    assert left is not None
    if g.rng.random() < 0.4:
        number = g.choice([2, -3, 0.5, 1.7, 0.1, 5, 1])
        g.add(
            f"{name} %{left}, {number}",
            lambda m, v: function(v[left], number),
            not is_float(g.values[left]) and isinstance(number, int) and name != "div",
        )
        return
    right = g.pick(lambda v: True)
    assert right is not None
    exact = name != "div" and not is_float(g.values[left])
    step: Step = lambda m, v: function(v[left], v[right])  # noqa: E731
    exact = exact and not is_float(g.values[right])
    if g.add(f"{name} %{left}, %{right}", step, exact) or name == "div":
        return
    operand = broadcast_partner(g, g.values[left])
    g.model.register_buffer(f"operand{len(g.values)}", operand)
    key = f"operand{len(g.values)}"
    exact = exact and not operand.is_floating_point()
    swap = g.rng.random() < 0.5
    g.add(
        f"{name} %{left}, {key} {tuple(operand.shape)} {operand.dtype} swap={swap}",
        lambda m, v: (
            function(getattr(m, key), v[left])
            if swap
            else function(v[left], getattr(m, key))
        ),
        exact,
    )


def broadcast_partner(g: Grower, x: torch.Tensor) -> torch.Tensor:
    """A tensor that broadcasts with `x`: sizes dropped, or 1, or `x` has 1."""
    shape = [1 if g.rng.random() < 0.4 else s for s in x.shape]
    shape = [g.choice([2, 3]) if s == 1 and g.rng.random() < 0.3 else s for s in shape]
    shape = shape[g.rng.randint(0, len(shape)) :]
    if g.rng.random() < 0.1:
        shape = [g.rng.randint(1, 3), *shape]
    if prod(shape) > 4 * g.largest:
        shape = []
    return g.tensor(shape, g.choice([x.dtype, x.dtype, g.choice(g.dtypes)]))


UNARIES: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], bool]] = {
    "relu": (torch.relu, True),
    "exp": (lambda x: torch.exp(torch.relu(x) * -0.25), False),
    "exp_raw": (torch.exp, False),
    "sigmoid": (torch.sigmoid, False),
    "silu": (torch.nn.functional.silu, False),
    "neg": (torch.neg, True),
    "square": (torch.square, False),
    "rsqrt": (lambda x: torch.rsqrt(torch.relu(x) + 0.25), False),
    "sqrt": (lambda x: torch.sqrt(torch.relu(x)), False),
}


def unary(g: Grower) -> None:
    name, (function, exact) = g.choice(list(UNARIES.items()))
    place = g.pick(lambda v: True)
    assert place is not None
    g.add(
        f"{name} %{place}",
        lambda m, v: function(v[place]),
        exact and g.exact[place],
    )


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


def reshape(g: Grower) -> None:
    place = g.pick(lambda v: v.numel() > 0)
    if place is None:
        return
    shape = factors(g, g.values[place].numel(), g.rng.randint(0, 5))
    text = f"reshape %{place} to {shape}"
    g.add(text, lambda m, v: v[place].reshape(shape), g.exact[place])


def permute(g: Grower) -> None:
    place = g.pick(lambda v: v.dim() > 1)
    if place is None:
        return
    order = list(range(g.values[place].dim()))
    g.rng.shuffle(order)
    text = f"permute %{place} {order}"
    g.add(text, lambda m, v: v[place].permute(order), g.exact[place])


def cast(g: Grower) -> None:
    place = g.pick(lambda v: True)
    assert place is not None
    x = g.values[place]
    dtype = g.choice([*FLOATS, *INTEGERS])
    narrows = is_float(x) and not dtype.is_floating_point
    if narrows and not (g.exact[place] and fits(x, dtype)):
        return
    text = f"cast %{place} to {dtype}"
    g.add(text, lambda m, v: m.cast(v[place], dtype), g.exact[place])


def fits(x: torch.Tensor, dtype: torch.dtype) -> bool:
    """Whether each float has a defined value as an integer."""
    if dtype == torch.bool or x.numel() == 0:
        return True
    info = torch.iinfo(dtype)
    inside = (x >= max(info.min, -(2**31))) & (x <= min(info.max, 2**30))
    return bool(inside.all())


STEPS: list[tuple[Callable[[Grower], None], int]] = [
    (conv2d, 6),
    (linear, 4),
    (matmul, 4),
    (softmax, 3),
    (binary, 8),
    (unary, 5),
    (reduce, 4),
    (argmax, 2),
    (max_pool, 4),
    (batch_norm, 2),
    (reshape, 3),
    (permute, 4),
    (cast, 3),
]
