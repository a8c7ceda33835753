"""Checks of the family `arithmetic`, on values of every dtype."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch

from devproc.exactness.arithmetic import BOUNDS
from devproc.exactness.bound import ANY, Key
from devproc.frontends.dsl import Pipeline, Value
from devproc.ir.types import DTYPES
from tests.exactness.dtypes import FLOATS, NUMBERS, array, random_array, tensor
from tests.exactness.measuring import Array, Case, Check, Measured, measure

SHAPES = (((3, 5, 1), (5, 7)), ((4,), ()), ((2, 1, 3), (2, 6, 3)))
"""Pairs that broadcast against each other."""

FUNCTIONS = {
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "divide": torch.div,
    "minimum": torch.minimum,
    "maximum": torch.maximum,
    "equal": torch.eq,
    "less": torch.lt,
    "less_equal": torch.le,
}
LOGICAL = {"logical_and": torch.logical_and, "logical_or": torch.logical_or}


def _wanted(name: str, x: torch.Tensor, y: torch.Tensor, dtype: str) -> Array:
    if dtype != "uint16":
        return array(FUNCTIONS[name](x, y))
    # PyTorch computes with no uint16.
    found = FUNCTIONS[name](x.int(), y.int())
    return array(found if found.dtype == torch.bool else found.to(torch.uint16))


def _step(name: str, dtype: str, p: Pipeline, *values: Value) -> Value:
    """The step named so; bfloat16 arrives and leaves as float32."""
    if dtype != "bfloat16":
        return getattr(p, name)(*values)
    given = [v if v.dtype == "bool" else p.cast(v, dtype) for v in values]
    found = getattr(p, name)(*given)
    return p.cast(found, "float32") if found.dtype == "bfloat16" else found


def _numbers(rng: np.random.Generator) -> Iterator[Case]:
    for name in FUNCTIONS:
        for place, dtype in enumerate(FLOATS if name == "divide" else NUMBERS):
            shapes = SHAPES[place % len(SHAPES)]
            x, y = (np.asarray(random_array(rng, s, dtype)) for s in shapes)
            with np.errstate(all="ignore"):
                wanted = _wanted(name, tensor(x, dtype), tensor(y, dtype), dtype)
            step = partial(_step, name, dtype)
            yield Case(Key(name, "", "", ANY), step, [x, y], wanted, "")


def _choices(rng: np.random.Generator) -> Iterator[Case]:
    for place, dtype in enumerate(DTYPES):
        shapes = SHAPES[place % len(SHAPES)]
        x, y = (np.asarray(random_array(rng, s, dtype)) for s in shapes)
        condition = random_array(rng, shapes[0], "bool")
        wanted = torch.where(
            torch.from_numpy(condition), tensor(x, dtype), tensor(y, dtype)
        )
        step = partial(_step, "where", dtype)
        key = Key("where", "", "", ANY)
        yield Case(key, step, [condition, x, y], array(wanted), "")


def _bools(rng: np.random.Generator) -> Iterator[Case]:
    for shapes in SHAPES:
        x, y = (np.asarray(random_array(rng, s, "bool")) for s in shapes)
        for name, function in LOGICAL.items():
            wanted = function(torch.from_numpy(x), torch.from_numpy(y)).numpy()
            step = partial(_step, name, "bool")
            yield Case(Key(name, "", "", ANY), step, [x, y], wanted, "")
        key = Key("logical_not", "", "", ANY)
        yield Case(key, partial(_step, "logical_not", "bool"), [x], ~x, "")


@cache
def _measured() -> Mapping[Key, Measured]:
    rng = np.random.default_rng(0)
    return measure([*_numbers(rng), *_choices(rng), *_bools(rng)])


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
