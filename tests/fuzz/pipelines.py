"""Random pipelines of the DSL beside Pillow and PyTorch, step by step."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn

import devproc
from devproc.dialects.nn.resampling.filters import LIKE_MODES, PLAIN
from devproc.frontends.dsl import Value
from tests.fuzz.compare import guarded_outputs, same, same_kinds

LAYOUTS = ("HW", "HWC", "HWC", "NHWC", "CHW", "NCHW")
DTYPES = ("uint8", "uint8", "float32")


@dataclass
class Built:
    """A pipeline, its input, and what its outputs must be."""

    pipe: devproc.Pipeline
    image: torch.Tensor
    wanted: dict[str, torch.Tensor] = field(default_factory=dict[str, torch.Tensor])
    slack: dict[str, float] = field(default_factory=dict[str, float])
    story: list[str] = field(default_factory=list[str])


@dataclass
class State:
    """The value that grows: its handle, its content, and whether it is exact.

    `slack` is how many times a rounding of its largest element it may be off.
    """

    handle: Value
    value: torch.Tensor
    exact: bool = True
    slack: float = 32


def axis_size(rng: random.Random) -> int:
    return rng.choice((1, 2, 3, 5, 8, 9, 13, 24))


def build(seed: int) -> Built:
    """The random pipeline of a seed."""
    rng = random.Random(seed)
    layout = rng.choice(LAYOUTS)
    sizes = {"N": rng.randint(1, 3), "C": rng.choice((1, 3))}
    shape = [sizes[a] if a in sizes else axis_size(rng) for a in layout]
    dtype = rng.choice(DTYPES)
    built = Built(devproc.pipeline("fuzz"), random_image(rng, seed, dtype, shape))
    handle = built.pipe.input("image", dtype, shape, layout)
    state = State(handle, built.image)
    built.story.append(f"{dtype} {shape} {layout}")
    for _ in range(rng.randint(0, 4)):
        rng.choice((resize, resize, change_layout, normalize, cast))(rng, built, state)
        if rng.random() < 0.1:
            output(built, state)
    finish(rng, built, state)
    return built


def random_image(
    rng: random.Random, seed: int, dtype: str, shape: Sequence[int]
) -> torch.Tensor:
    """Random pixels; sharp edges at times, NaN and infinities in some float images."""
    numbers = torch.Generator().manual_seed(seed)
    if dtype == "uint8":
        image = torch.randint(0, 256, tuple(shape), generator=numbers).to(torch.uint8)
        return (image > 127).to(torch.uint8) * 255 if rng.random() < 0.3 else image
    image = torch.randn(tuple(shape), generator=numbers) * 100
    if rng.random() < 0.2:
        for value in (float("nan"), float("inf"), -float("inf")):
            image.view(-1)[rng.randrange(image.numel())] = value
    return image


def resize(rng: random.Random, built: Built, state: State) -> None:
    """Up or down, like Pillow or torchvision."""
    layout = state.handle.layout
    if layout is None or state.handle.dtype not in ("uint8", "float32"):
        return
    floats = state.handle.dtype == "float32"
    like = rng.choice(("pillow", "torchvision")) if floats else "pillow"
    mode = rng.choice([m for m in LIKE_MODES[like] if PLAIN not in m])
    size = (axis_size(rng), axis_size(rng))
    if like == "torchvision" and size[1] == 1:
        return  # PyTorch is wrong there; see tests/reference/test_resize.py.
    state.handle = built.pipe.resize(state.handle, size, like=like, mode=mode)
    order = [*(d for d, a in enumerate(layout) if a not in "HW")]
    order += [layout.index("H"), layout.index("W")]
    planes = state.value.permute(order)
    function = pillow_planes if like == "pillow" else torch_planes
    resized = function(planes, size, mode)
    state.value = resized.permute([order.index(d) for d in range(len(order))])
    state.exact = state.exact and (like == "pillow" or "nearest" in mode)
    built.story.append(f"resize {like} {mode} {size}")


def pillow_planes(x: torch.Tensor, size: tuple[int, int], mode: str) -> torch.Tensor:
    """Each plane by Pillow."""
    filter_ = Image.Resampling[mode.upper()]
    planes = [
        np.asarray(Image.fromarray(p).resize((size[1], size[0]), filter_))
        for p in np.ascontiguousarray(x.reshape(-1, *x.shape[-2:]).numpy())
    ]
    return torch.from_numpy(np.stack(planes)).reshape(*x.shape[:-2], *size)


def torch_planes(x: torch.Tensor, size: tuple[int, int], mode: str) -> torch.Tensor:
    """Each plane by ATen, as torchvision calls it."""
    antialias = {} if "nearest" in mode else {"antialias": True}
    planes = x.reshape(1, -1, *x.shape[-2:])
    resized = F.interpolate(planes, size, mode=mode, **antialias)
    return resized.reshape(*x.shape[:-2], *size)


def change_layout(rng: random.Random, built: Built, state: State) -> None:
    """Another order of the axes; an N or C of size 1 may come or go."""
    layout = state.handle.layout
    if layout is None:
        return
    sizes = dict(zip(layout, state.handle.shape, strict=True))
    letters = [a for a in layout if sizes[a] != 1 or a in "HW" or rng.random() < 0.5]
    letters += [a for a in "NC" if a not in sizes and rng.random() < 0.4]
    rng.shuffle(letters)
    target = "".join(letters)
    state.handle = built.pipe.layout(state.handle, f"{layout}->{target}")
    kept = [a for a in layout if a in target]
    x = state.value.reshape([sizes[a] for a in kept])
    x = x.permute([kept.index(a) for a in target if a in kept])
    state.value = x.reshape([sizes.get(a, 1) for a in target])
    built.story.append(f"layout {layout}->{target}")


def normalize(rng: random.Random, built: Built, state: State) -> None:
    """Mean and deviation per channel."""
    layout = state.handle.layout
    if layout is None or state.handle.dtype not in ("uint8", "float32"):
        return
    channels = state.value.shape[layout.index("C")] if "C" in layout else 1
    mean = [rng.uniform(0, 1) for _ in range(channels)]
    std = [rng.uniform(0.1, 0.5) for _ in range(channels)]
    state.handle = built.pipe.normalize(state.handle, mean, std)
    shape = [channels if a == "C" else 1 for a in layout]
    x = state.value.float() / 255 if state.value.dtype == torch.uint8 else state.value
    x = x - torch.tensor(mean).reshape(shape)
    state.value = x / torch.tensor(std).reshape(shape)
    state.exact = False
    built.story.append(f"normalize {mean} {std}")


def cast(rng: random.Random, built: Built, state: State) -> None:
    """Only to floats: what a float far outside becomes as an integer is C's secret."""
    dtype = rng.choice(("float32", "float32", "float64", "float16"))
    state.handle = built.pipe.cast(state.handle, dtype)
    state.value = state.value.to(getattr(torch, dtype))
    built.story.append(f"cast {dtype}")


def output(built: Built, state: State) -> None:
    """Declares the value as an output."""
    name = f"out{len(built.wanted)}"
    built.pipe.output(name, state.handle)
    built.wanted[name] = state.value
    built.slack[name] = 0 if state.exact else state.slack
    built.story.append(f"output {name}")


def finish(rng: random.Random, built: Built, state: State) -> None:
    """Perhaps a model; softmax, argmax of what is exact, outputs."""
    if state.handle.dtype == "float32" and rng.random() < 0.4:
        run_model(rng, built, state)
    rank = len(state.handle.shape)
    if rank and state.handle.dtype.startswith("float") and rng.random() < 0.5:
        axis = rng.randrange(-rank, rank)
        state.handle = built.pipe.softmax(state.handle, axis)
        largest = torch.where(state.value.isfinite(), state.value, 0).abs().max()
        state.slack *= max(1.0, float(largest))
        state.value, state.exact = state.value.softmax(axis), False
        built.story.append(f"softmax {axis}")
    output(built, state)
    if state.exact and rank and rng.random() < 0.5:
        axis = rng.randrange(-rank, rank)
        state.handle = built.pipe.argmax(state.handle, axis)
        state.value = state.value.argmax(axis)
        built.story.append(f"argmax {axis}")
        output(built, state)


def run_model(rng: random.Random, built: Built, state: State) -> None:
    """A small exported model behind the image steps."""
    torch.manual_seed(rng.randrange(1000))
    width = state.value.shape[-1]
    model = nn.Sequential(nn.Linear(width, 4), nn.ReLU()).eval()
    exported = torch.export.export(model, (torch.zeros(state.value.shape),))
    state.handle = built.pipe.model(exported, state.handle)
    with torch.no_grad():
        state.value = model(state.value)
    state.exact = False
    built.story.append(f"model {model}")


def check_pipeline(seed: int, compile: Callable[[object], devproc.Program]) -> None:
    """Raises AssertionError where an output is not what the libraries give."""
    built = build(seed)
    program = compile(built.pipe)
    with guarded_outputs():
        out = program(image=built.image)
    assert set(out) == set(built.wanted)
    for name, wanted in built.wanted.items():
        mine, where = out[name], f"{name} of\n" + "\n".join(built.story)
        assert mine.dtype == wanted.dtype, f"{mine.dtype}: {where}"
        assert mine.shape == wanted.shape, f"{mine.shape}: {where}"
        if built.slack[name] == 0:
            assert same(mine, wanted), f"not equal: {where}\n{mine}\n{wanted}"
            continue
        assert same_kinds(mine, wanted), f"NaN, inf: {where}\n{mine}\n{wanted}"
        epsilon = torch.finfo(wanted.dtype).eps
        finite = torch.where(wanted.isfinite(), wanted, 0).double()
        error = (torch.where(wanted.isfinite(), mine, 0).double() - finite).abs()
        scale = finite.abs().max() if finite.numel() else 0.0
        allowed = built.slack[name] * max(epsilon, 1e-7) * scale
        assert (error <= allowed).all(), f"{error.max()} > {allowed}: {where}"
