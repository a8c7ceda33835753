"""One step on arrays of each dtype that it takes; NumPy has no bfloat16."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from devproc.exactness.bound import ANY, Key
from devproc.frontends.dsl import Pipeline, Value
from devproc.ir.types import DTYPES
from tests.exactness.measuring import Array, Case

FLOATS = ("float64", "float32", "float16", "bfloat16")
NUMBERS = tuple(dtype for dtype in DTYPES if dtype != "bool")

Step = Callable[[Pipeline, Value], Value]


def rounded(x: Array, dtype: str) -> Array:
    """As this dtype has them; bfloat16 numbers are float32 arrays."""
    if dtype != "bfloat16":
        with np.errstate(over="ignore"):
            return x.astype(dtype)
    return torch.from_numpy(x.astype(np.float32)).bfloat16().float().numpy()


def random_array(rng: np.random.Generator, shape: Sequence[int], dtype: str) -> Array:
    """Integers of the whole range, both truths, or normal numbers, some of them special."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype not in FLOATS:
        range_ = np.iinfo(dtype)
        return rng.integers(range_.min, range_.max, shape, dtype, endpoint=True)
    x = rng.standard_normal(shape)
    special = rng.random(shape) < 0.1
    x[special] = rng.choice([np.nan, np.inf, -np.inf, -0.0], int(special.sum()))
    return rounded(x, dtype)


def tensor(x: Array, dtype: str) -> torch.Tensor:
    """The array as a tensor of its dtype, which may be bfloat16."""
    return torch.from_numpy(x).to(getattr(torch, dtype))


def array(x: torch.Tensor) -> Array:
    """The tensor as an array; bfloat16 becomes float32."""
    return (x.float() if x.dtype == torch.bfloat16 else x).numpy()


def as_bfloat16(step: Step) -> Step:
    """The step on a float32 value that is bfloat16 for it, as far as its result is."""

    def wrapped(pipe: Pipeline, value: Value) -> Value:
        result = step(pipe, pipe.cast(value, "bfloat16"))
        is_back = result.dtype != "bfloat16"
        return result if is_back else pipe.cast(result, "float32")

    return wrapped


def of_dtype(
    dtype: str, key: Key, step: Step, x: Array, wanted: Array, layout: str = ""
) -> Case:
    """A case of a step on one value; the key's row may be of any dtype."""
    named = key if key.dtype == ANY else key._replace(dtype=dtype)
    given = as_bfloat16(step) if dtype == "bfloat16" else step
    return Case(named, given, [x], np.ascontiguousarray(wanted), layout)


def of_each(
    dtypes: Sequence[str],
    key: Key,
    step: Step,
    library: Callable[[torch.Tensor], torch.Tensor],
    shapes: Sequence[Sequence[int]],
    seed: int = 0,
) -> Iterator[Case]:
    """A step beside a function of PyTorch, on random arrays of these dtypes."""
    rng = np.random.default_rng(seed)
    for dtype in dtypes:
        for shape in shapes:
            x = random_array(rng, shape, dtype)
            yield of_dtype(dtype, key, step, x, array(library(tensor(x, dtype))))
