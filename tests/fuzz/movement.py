"""Steps that only move elements: their results are exact where their operands are."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import torch
import torch.nn.functional as F

from tests.fuzz.models import Grower

Move = Callable[[torch.Tensor], torch.Tensor]


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


def add_move(g: Grower, text: str, place: int, move: Move) -> bool:
    """Adds a step of one operand that keeps values as they are."""
    return g.add(
        text.replace("%", f"%{place}"), lambda m, v: move(v[place]), g.exact[place]
    )


def axis_of(g: Grower, x: torch.Tensor) -> int:
    """A random axis, counted from either end; the value has one."""
    return g.rng.randrange(-x.dim(), x.dim())


def reshape(g: Grower) -> None:
    place = g.pick(lambda v: v.numel() > 0)
    if place is not None:
        shape = factors(g, g.values[place].numel(), g.rng.randint(0, 5))
        add_move(g, f"reshape % to {shape}", place, lambda x: x.reshape(shape))


def permute(g: Grower) -> None:
    place = g.pick(lambda v: v.dim() > 1)
    if place is None:
        return
    order = list(range(g.values[place].dim()))
    g.rng.shuffle(order)
    add_move(g, f"permute % {order}", place, lambda x: x.permute(order))


def slice_(g: Grower) -> None:
    place = g.pick(lambda v: v.dim() > 0)
    if place is None:
        return
    x = g.values[place]
    axis, size = axis_of(g, x), max(x.shape)
    begin, end, step = g.rng.randint(-size, size), g.rng.randint(-size, size + 2), 1
    if g.rng.random() < 0.4:
        step = g.rng.randint(2, 3)
    index = [slice(None)] * x.dim()
    index[axis] = slice(begin, end, step)
    text = f"slice % {axis} {begin}:{end}:{step}"
    add_move(g, text, place, lambda x: x[tuple(index)])


def flip(g: Grower) -> None:
    place = g.pick(lambda v: v.dim() > 0)
    if place is None:
        return
    x = g.values[place]
    axes = sorted({axis_of(g, x) % x.dim() for _ in range(2)})
    add_move(g, f"flip % {axes}", place, lambda x: x.flip(axes))


def roll(g: Grower) -> None:
    place = g.pick(lambda v: v.dim() > 0)
    if place is not None:
        axis, count = axis_of(g, g.values[place]), g.rng.randint(-9, 9)
        add_move(g, f"roll % {count} {axis}", place, lambda x: x.roll(count, axis))


def pad(g: Grower) -> None:
    place = g.pick(lambda v: v.dim() > 0)
    if place is None:
        return
    amounts = [g.rng.randint(-1, 3) for _ in range(2 * min(2, g.values[place].dim()))]
    value = g.choice([0, 0, 1, -2])
    add_move(
        g, f"pad % {amounts} {value}", place, lambda x: F.pad(x, amounts, value=value)
    )


def repeat(g: Grower) -> None:
    place = g.pick(lambda v: v.numel() > 0)
    if place is None:
        return
    counts = [g.rng.choice((1, 1, 2, 3)) for _ in g.values[place].shape]
    counts = [g.rng.randint(1, 2), *counts] if g.rng.random() < 0.3 else counts
    add_move(g, f"repeat % {counts}", place, lambda x: x.repeat(counts))


def expand(g: Grower) -> None:
    place = g.pick(lambda v: 1 in v.shape)
    if place is None:
        return
    shape = [g.rng.randint(1, 4) if s == 1 else s for s in g.values[place].shape]
    add_move(g, f"expand % {shape}", place, lambda x: x.expand(shape))


def cat(g: Grower) -> None:
    place = g.pick(lambda v: v.dim() > 0)
    if place is None:
        return
    x = g.values[place]
    axis = g.rng.randrange(x.dim())
    other = g.pick(lambda v: v.dtype == x.dtype and aligned(v, x, axis))
    assert other is not None
    stacks = g.rng.random() < 0.3 and g.values[other].shape == x.shape
    join, name = (torch.stack, "stack") if stacks else (torch.cat, "cat")
    g.add(
        f"{name} %{place}, %{other} {axis}",
        lambda m, v: join((v[place], v[other], v[place]), axis),
        g.exact[place] and g.exact[other],
    )


def aligned(a: torch.Tensor, b: torch.Tensor, axis: int) -> bool:
    """Whether two tensors differ at most in the size of one axis."""
    if a.dim() != b.dim():
        return False
    return all(s == t or d == axis for d, (s, t) in enumerate(zip(a.shape, b.shape)))


def take(g: Grower) -> None:
    """Rows by index: constant ones, or those of an integer value."""
    place = g.pick(lambda v: v.dim() > 0 and v.numel() > 0)
    if place is None:
        return
    x = g.values[place]
    axis = g.rng.randrange(x.dim())
    size = x.shape[axis]
    count = g.rng.randint(1, 5)
    index = torch.tensor([g.rng.randrange(size) for _ in range(count)])
    number = len(g.values)
    g.model.register_buffer(f"index{number}", index)
    g.add(
        f"index_select %{place} {axis} {index.tolist()}",
        lambda m, v: v[place].index_select(axis, getattr(m, f"index{number}")),
        g.exact[place],
    )


def gather(g: Grower) -> None:
    """Elements at computed places: the argsort-like use of an argmax."""
    place = g.pick(lambda v: v.dim() > 0 and v.numel() > 0)
    if place is None or not g.exact[place]:
        return
    axis = g.rng.randrange(g.values[place].dim())
    g.add(
        f"gather %{place} at its argmax {axis}",
        lambda m, v: v[place].gather(axis, v[place].argmax(axis, keepdim=True)),
        True,
    )


def triangle(g: Grower) -> None:
    place = g.pick(lambda v: v.dim() > 1)
    if place is not None:
        diagonal, name = g.rng.randint(-2, 2), g.choice(["tril", "triu"])
        add_move(
            g,
            f"{name} % {diagonal}",
            place,
            lambda x: getattr(torch, name)(x, diagonal),
        )


def split(g: Grower) -> None:
    """A chunk in the middle, and a plain index."""
    place = g.pick(lambda v: v.dim() > 0 and prod(v.shape) > 1)
    if place is None:
        return
    x = g.values[place]
    axis = g.rng.randrange(x.dim())
    if x.shape[axis] > 1 and g.rng.random() < 0.5:
        number = g.rng.randrange(2)
        move: Move = lambda x: x.chunk(2, axis)[number]  # noqa: E731
        add_move(g, f"chunk % {axis} {number}", place, move)
    else:
        at = g.rng.randrange(-x.shape[axis], x.shape[axis])
        add_move(g, f"select % {axis} {at}", place, lambda x: x.select(axis, at))


MOVES: list[tuple[Callable[[Grower], None], int]] = [
    (reshape, 4),
    (permute, 4),
    (slice_, 3),
    (flip, 1),
    (roll, 1),
    (pad, 2),
    (repeat, 1),
    (expand, 1),
    (cat, 3),
    (take, 1),
    (gather, 1),
    (triangle, 1),
    (split, 2),
]
