"""The interface of a program (names, dtypes, shapes) and the check of inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from devproc.errors import InputError
from devproc.ir.dtypes import format_shape

Value = TypeVar("Value")

_MOST_AXES = 6
"""Most axes for which all permutations are tried, to suggest a transposition."""


@dataclass(frozen=True)
class TensorSpec:
    """One input or output: its name, dtype name and static shape."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    layout: str = ""
    """The meaning of an input's axes, such as `HWC`; empty if they have none."""

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype} {format_shape(self.shape)}"


@dataclass(frozen=True, repr=False)
class Interface:
    """The inputs, outputs and states of a program, in order."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    states: tuple[TensorSpec, ...] = ()
    """Tensors kept from one call to the next; see `devproc.ir.program.state`."""

    def line(self, first: int = 3) -> str:
        """Inputs -> outputs in one line, with the first few of each."""
        return f"{_first_of(self.inputs, first)} -> {_first_of(self.outputs, first)}"

    def __repr__(self) -> str:
        return f"<Interface {self.line()}>"


def _first_of(specs: Sequence[TensorSpec], count: int) -> str:
    more = len(specs) - count
    listed = [str(spec) for spec in specs[:count]]
    return ", ".join([*listed, f"{more} more"] if more > 0 else listed) or "nothing"


def is_tensor(value: object) -> bool:
    """Whether the class of a value, or a base class, is PyTorch's; imports nothing."""
    return any(class_.__module__.startswith("torch") for class_ in type(value).__mro__)


def check_tensor(spec: TensorSpec, dtype: str, shape: Sequence[int]) -> str | None:
    """The problem with a tensor given for `spec`; None if it fits."""
    if dtype == spec.dtype and tuple(shape) == spec.shape:
        return None
    return (
        f"input '{spec.name}' must be {spec.dtype} {format_shape(spec.shape)}, "
        f"got {dtype} {format_shape(shape)}{_remedy(spec, dtype, tuple(shape))}"
    )


def _remedy(spec: TensorSpec, dtype: str, shape: tuple[int, ...]) -> str:
    """How to convert a value of another dtype or shape."""
    steps: list[str] = []
    if shape != spec.shape:
        axes = f"its axes are {spec.layout}: " if spec.layout else ""
        steps.append(axes + _reshaping(spec, shape))
    if dtype != spec.dtype:
        steps.append(f"convert it to {spec.dtype}")
    return "; " + ", and ".join(steps)


def _reshaping(spec: TensorSpec, shape: tuple[int, ...]) -> str:
    wanted = spec.shape
    if shape == (1, *wanted):
        return "give its one element, x[0]"
    if shape[1:] == wanted:
        return f"call the program for each of the {shape[0]}, or declare a batch"
    if (1, *shape) == wanted:
        return "add an axis in front, x[None]"
    if len(shape) <= _MOST_AXES and sorted(shape) == sorted(wanted):
        order = next(
            order
            for order in permutations(range(len(shape)))
            if tuple(shape[axis] for axis in order) == wanted
        )
        return f"put them into this order, numpy.transpose(x, {order})"
    return f"give {format_shape(wanted)}, or declare the input as {format_shape(shape)}"


def check_array(spec: TensorSpec, value: object) -> NDArray[np.generic] | str:
    """A contiguous array that fits `spec`, or the problem with the given value."""
    if not isinstance(value, np.ndarray | np.generic):
        return (
            f"input '{spec.name}' must be a NumPy array or torch tensor, "
            f"got {type(value).__name__}"
        )
    array = cast(NDArray[np.generic], np.asarray(cast(Any, value)))
    problem = check_tensor(spec, array.dtype.name, array.shape)
    if problem is None and not array.dtype.isnative:
        problem = (
            f"input '{spec.name}' must be {spec.dtype} in this machine's byte order, got "
            f"the foreign byte order '{array.dtype.str}'; use astype('{spec.dtype}')"
        )
    if problem is None and isinstance(value, np.ma.MaskedArray):
        problem = (
            f"input '{spec.name}' must be an array without a mask, got a masked array; "
            "give what is masked a value with filled()"
        )
    if problem is not None:
        return problem
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else array.copy(order="C")


def require_all(checked: Iterable[Value | str]) -> list[Value]:
    """The checked values; raises InputError with all problems, which are strings."""
    values: list[Value] = []
    problems: list[str] = []
    for found in checked:
        if isinstance(found, str):
            problems.append(found)
        else:
            values.append(found)
    if problems:
        raise InputError("; ".join(problems))
    return values
