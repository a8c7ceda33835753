"""What a program takes and gives: names, dtypes, shapes; and the check of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from devproc.errors import InputError, did_you_mean
from devproc.ir.dtypes import format_shape

_MOST_AXES = 6
"""Of which all orders are tried, to say how to transpose a value."""


@dataclass(frozen=True)
class TensorSpec:
    """One input or output: its name, dtype name and static shape."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    layout: str = ""
    """The meaning of an input's axes, such as `HWC`; empty where they have none."""

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype} {format_shape(self.shape)}"


@dataclass(frozen=True, repr=False)
class Interface:
    """The inputs, outputs and states of a program, in order."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    states: tuple[TensorSpec, ...] = ()
    """What one call leaves to the next; see `devproc.ir.program.state`."""

    def line(self, first: int = 3) -> str:
        """Inputs -> outputs in one line, with the first few of either."""
        return f"{_first_of(self.inputs, first)} -> {_first_of(self.outputs, first)}"

    def __repr__(self) -> str:
        return f"<Interface {self.line()}>"


def _first_of(specs: Sequence[TensorSpec], count: int) -> str:
    more = len(specs) - count
    listed = [str(spec) for spec in specs[:count]]
    return ", ".join([*listed, f"{more} more"] if more > 0 else listed) or "nothing"


def check_names(interface: Interface, given: Mapping[str, Any], where: str) -> None:
    """All inputs are there and no others; raises InputError naming both sides.

    Then with all that is wrong with those that are there.
    """
    wanted = [spec.name for spec in interface.inputs]
    missing = [name for name in wanted if name not in given]
    unknown = [name for name in given if name not in wanted]
    problems = [f"input '{name}' is missing" for name in missing]
    problems += [f"'{n}' is not an input{did_you_mean(n, missing)}" for n in unknown]
    if problems:
        specs = [spec for spec in interface.inputs if spec.name in given]
        found = (_value_problem(spec, given[spec.name]) for spec in specs)
        problems += [problem for problem in found if problem is not None]
        listed = "; ".join(str(spec) for spec in interface.inputs)
        text = ", ".join(problems)
        stop = "" if text.endswith("?") else "."
        raise InputError(f"{where}: {text}{stop} The inputs are {listed}")


def is_tensor(value: object) -> bool:
    """Whether a value is PyTorch's, or of a class of the user's that is; imports nothing."""
    return any(class_.__module__.startswith("torch") for class_ in type(value).__mro__)


def _value_problem(spec: TensorSpec, value: object) -> str | None:
    """What is wrong with a value for an input; None if it fits."""
    if is_tensor(value):
        from devproc.runtime.calls.tensors import check_value

        found = check_value(spec, value)
    else:
        found = check_array(spec, value)
    return found if isinstance(found, str) else None


def check_tensor(spec: TensorSpec, dtype: str, shape: Sequence[int]) -> str | None:
    """What is wrong with a tensor given for `spec`; None if it fits."""
    if dtype == spec.dtype and tuple(shape) == spec.shape:
        return None
    return (
        f"input '{spec.name}' must be {spec.dtype} {format_shape(spec.shape)}, "
        f"got {dtype} {format_shape(shape)}{_remedy(spec, dtype, tuple(shape))}"
    )


def _remedy(spec: TensorSpec, dtype: str, shape: tuple[int, ...]) -> str:
    """What to do with a value of another dtype or shape."""
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
    """A contiguous array that fits `spec`, or what is wrong with the value given."""
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
