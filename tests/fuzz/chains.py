"""Random chains of image steps beside the reference of each op, without a compiler.

What a step means is tested against libraries elsewhere; here, that it means the same
wherever it stands: behind any other step and before it, in one kernel or alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import numpy as np
import torch

import devproc
from devproc.compiler import read_source
from devproc.driver import make_context, run_stages, stages_between
from devproc.frontends.dsl import Value
from devproc.reference.run.interpreter import evaluate
from devproc.reference.run.preparation import prepared
from devproc.runtime.execution.host_reader import find_function
from tests.fuzz.compare import guarded_outputs

SIZES = (1, 2, 5, 8, 13, 24, 33)
MODES = {
    "pillow": ("nearest", "box", "bilinear", "bicubic", "lanczos"),
    "opencv": ("nearest", "bilinear", "bicubic", "area", "lanczos"),
    "torchvision": ("nearest", "bilinear", "bicubic"),
}
LAYOUTS = ("HWC", "CHW", "WHC", "NHWC", "NCHW", "NWHC")

Step = Callable[[random.Random, devproc.Pipeline, Value], Value]


def _size(rng: random.Random) -> tuple[int, int]:
    return rng.choice(SIZES), rng.choice(SIZES)


def _filter(rng: random.Random) -> tuple[str, str]:
    """A library and one of its modes."""
    like = rng.choice(list(MODES))
    return like, rng.choice(MODES[like])


def _pad(rng: random.Random, pipe: devproc.Pipeline, x: Value) -> Value:
    edges, mode = [rng.randint(0, 4) for _ in range(4)], rng.choice(("reflect", "edge"))
    return pipe.pad(x, edges, mode)


def _affine(rng: random.Random, pipe: devproc.Pipeline, x: Value) -> Value:
    matrix = [rng.uniform(-1, 1.5) for _ in range(6)]
    return pipe.affine(x, matrix, _size(rng), like=rng.choice(list(MODES)))


def _layout(rng: random.Random, pipe: devproc.Pipeline, x: Value) -> Value:
    return pipe.layout(x, f"{x.layout}->{rng.choice(LAYOUTS)}")


STEPS: Mapping[str, Step] = {
    "resize": lambda r, p, x: p.resize(x, _size(r), *_filter(r)),
    "letterbox": lambda r, p, x: p.letterbox(x, _size(r), 3, *_filter(r)),
    "center_crop": lambda r, p, x: p.center_crop(x, _size(r)),
    "pad": _pad,
    "pad with 5": lambda r, p, x: p.pad(x, [r.randint(0, 4)] * 4, "constant", 5),
    "flip": lambda r, p, x: p.flip(x, r.choice(("horizontal", "vertical"))),
    "rotate": lambda r, p, x: p.rotate(x, r.randint(1, 3)),
    "affine": _affine,
    "normalize": lambda r, p, x: p.normalize(x, 0.3, 0.7),
    "scale": lambda r, p, x: p.scale(x, 0.01, 0.2),
    "clamp": lambda r, p, x: p.clamp(x, 1, 200),
    "gamma": lambda r, p, x: p.gamma(x, 2.2),
    "to float": lambda r, p, x: p.cast(x, "float32"),
    "to bytes": lambda r, p, x: p.cast(x, "uint8", "nearest_even", saturate=True),
    "to gray": lambda r, p, x: p.color(x, "RGB->GRAY"),
    "to BGR": lambda r, p, x: p.color(x, "RGB->BGR"),
    "layout": _layout,
    "stack": lambda r, p, x: p.stack([x, x]),
}


def build(seed: int) -> tuple[devproc.Pipeline, torch.Tensor, list[str]]:
    """The random chain of a seed, an image for it, and its story."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    layout = rng.choice(("HWC", "HWC", "CHW", "NCHW", "NHWC", "HW"))
    sizes = {"C": rng.choice((3, 3, 1)), "N": rng.choice((1, 2))}
    shape = tuple(sizes.get(a) or rng.choice(SIZES) for a in layout)
    dtype = rng.choice(("uint8", "float32"))
    image = torch.from_numpy(numbers.integers(0, 256, shape).astype(dtype))
    pipe, story = devproc.pipeline("chain"), [f"{dtype} {shape} {layout}"]
    value = pipe.input("image", dtype, shape, layout)
    for name in rng.choices(list(STEPS), k=rng.randint(2, 6)):
        try:
            value = STEPS[name](rng, pipe, value)
        except devproc.BuildError:
            continue  # The step does not take such a value.
        story.append(f"{name}: {value.dtype} {value.shape} {value.layout}")
    pipe.output("made", value)
    return pipe, image, story


def check_chain(seed: int, compile: Callable[[object], devproc.Program]) -> None:
    """Raises AssertionError where the program differs from its ops' references."""
    pipe, image, story = build(seed)
    source = read_source(pipe)
    context = make_context()
    run_stages(source.module, context, stages_between(None, "tensor"))
    weights = prepared(source.module, source.weights)
    (wanted,) = evaluate(find_function(source.module, "main"), [image], weights)
    with guarded_outputs():
        made = compile(pipe)(image=image)["made"]
    where = f"seed {seed}:\n" + "\n".join(story)
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape), where
    if wanted.dtype == torch.uint8:
        assert torch.equal(made, wanted), where
        return
    finite = torch.where(wanted.isfinite(), wanted, 0)
    torch.testing.assert_close(
        made,
        wanted,
        rtol=1e-5,
        atol=1e-5 * max(1.0, float(finite.abs().max())),
        equal_nan=True,
        msg=lambda m: f"{where}\n{m}",
    )
