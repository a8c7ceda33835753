"""Steps on each element: arithmetic, functions, comparisons, casts."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import torch
import torch.nn.functional as F

from tests.fuzz.models import FLOATS, INTEGERS, Grower, Step

Binary = Callable[..., torch.Tensor]
Unary = Callable[[torch.Tensor], torch.Tensor]

ARITHMETIC: dict[str, Binary] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
}

EXTREMES: dict[str, Binary] = {"maximum": torch.maximum, "minimum": torch.minimum}
"""Exact where both operands are."""

JUMPS: dict[str, Binary] = {
    "lt": torch.lt,
    "ge": torch.ge,
    "eq": torch.eq,
    "floor_divide": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "remainder": torch.remainder,
}
"""Not continuous: only for exact operands."""

EXACT: dict[str, Unary] = {"relu": torch.relu, "neg": torch.neg, "abs": torch.abs}

STEEP: dict[str, Unary] = {
    "floor": torch.floor,
    "round": torch.round,
    "trunc": torch.trunc,
    "sign": torch.sign,
    "isnan": torch.isnan,
    "logical_not": torch.logical_not,
}
"""Not continuous, and exact: only for exact operands."""

SMOOTH: dict[str, Unary] = {
    "exp_negative": lambda x: torch.exp(torch.relu(x) * -0.25),
    "exp": torch.exp,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "square": torch.square,
    "rsqrt": lambda x: torch.rsqrt(torch.relu(x) + 0.25),
    "sqrt": lambda x: torch.sqrt(torch.relu(x)),
    "tanh": torch.tanh,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "erf": torch.erf,
    "log": lambda x: torch.log(torch.relu(x) + 0.5),
    "log1p": lambda x: torch.log1p(torch.abs(x)),
    "expm1": lambda x: torch.expm1(torch.tanh(x)),
    "sin": torch.sin,
    "cos": torch.cos,
    "hardswish": F.hardswish,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "elu": F.elu,
    "softplus": F.softplus,
    "clamp": lambda x: torch.clamp(x, -0.5, 1.5),
    "pow": lambda x: torch.pow(torch.abs(x) + 0.5, 1.7),
    "mish": F.mish,
}


def is_float(x: torch.Tensor) -> bool:
    return x.is_floating_point()


def any_value(g: Grower) -> int:
    """The place of some value."""
    place = g.pick(lambda v: True)
    assert place is not None
    return place


def arithmetic(g: Grower) -> None:
    name, function = g.choice(list(ARITHMETIC.items()))
    left = any_value(g)
    if g.rng.random() < 0.4:
        number = g.choice([2, -3, 0.5, 1.7, 0.1, 5, 1])
        exact = not is_float(g.values[left]) and isinstance(number, int)
        step: Step = lambda m, v: function(v[left], number)  # noqa: E731
        g.add(f"{name} %{left}, {number}", step, exact and name != "div")
        return
    right = any_value(g)
    exact = name != "div" and not is_float(g.values[left])
    both: Step = lambda m, v: function(v[left], v[right])  # noqa: E731
    whole = exact and not is_float(g.values[right])
    if not g.add(f"{name} %{left}, %{right}", both, whole) and name != "div":
        with_buffer(g, name, function, left)


def with_buffer(g: Grower, name: str, function: Binary, left: int) -> None:
    """An operator on a value and a constant tensor that broadcasts with it."""
    operand = broadcast_partner(g, g.values[left])
    key = f"operand{len(g.values)}"
    g.model.register_buffer(key, operand)
    swap = g.rng.random() < 0.5
    g.add(
        f"{name} %{left}, {key} {tuple(operand.shape)} {operand.dtype} swap={swap}",
        lambda m, v: (
            function(getattr(m, key), v[left])
            if swap
            else function(v[left], getattr(m, key))
        ),
        not is_float(g.values[left]) and not is_float(operand),
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


def extreme(g: Grower) -> None:
    name, function = g.choice(list(EXTREMES.items()))
    left, right = any_value(g), any_value(g)
    exact = g.exact[left] and g.exact[right]
    step: Step = lambda m, v: function(v[left], v[right])  # noqa: E731
    g.add(f"{name} %{left}, %{right}", step, exact)


def jump(g: Grower) -> None:
    name, function = g.choice(list(JUMPS.items()))
    left, right = any_value(g), any_value(g)
    if not (g.exact[left] and g.exact[right]):
        return
    if name in ("floor_divide", "remainder"):
        # Division by an integer zero raises in PyTorch and means nothing elsewhere.
        number = g.choice([2, 3, -3])
        step: Step = lambda m, v: function(v[left], number)  # noqa: E731
        if not is_float(g.values[left]):
            g.add(f"{name} %{left}, {number}", step, True)
        return
    both: Step = lambda m, v: function(v[left], v[right])  # noqa: E731
    g.add(f"{name} %{left}, %{right}", both, True)


def where(g: Grower) -> None:
    condition = g.pick(lambda v: v.dtype == torch.bool)
    left, right = any_value(g), any_value(g)
    if condition is None:
        place = any_value(g)
        if not g.exact[place]:
            return
        if not g.add(f"gt %{place}, 0", lambda m, v: v[place] > 0, True):
            return
        condition = len(g.values) - 1
    exact = g.exact[condition] and g.exact[left] and g.exact[right]
    g.add(
        f"where %{condition}, %{left}, %{right}",
        lambda m, v: torch.where(v[condition], v[left], v[right]),
        exact,
    )


def unary(g: Grower) -> None:
    kind = g.choice([EXACT, SMOOTH, SMOOTH, STEEP])
    name, function = g.choice(list(kind.items()))
    place = any_value(g)
    if kind is STEEP and not g.exact[place]:
        return
    exact = kind is not SMOOTH and g.exact[place]
    g.add(f"{name} %{place}", lambda m, v: function(v[place]), exact)


def cast(g: Grower) -> None:
    place = any_value(g)
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


ELEMENTWISE: list[tuple[Callable[[Grower], None], int]] = [
    (arithmetic, 8),
    (extreme, 2),
    (jump, 2),
    (where, 2),
    (unary, 9),
    (cast, 3),
]
