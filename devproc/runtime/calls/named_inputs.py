"""The check of inputs given by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devproc.errors import InputError, did_you_mean
from devproc.runtime.calls.interface import (
    Interface,
    TensorSpec,
    check_array,
    is_tensor,
)


def check_names(interface: Interface, given: Mapping[str, Any], where: str) -> None:
    """Checks that all inputs are given and no others.

    Otherwise raises InputError that names the missing, the unknown and the invalid inputs.
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


def _value_problem(spec: TensorSpec, value: object) -> str | None:
    """The problem with the value of an input; None if it fits."""
    if is_tensor(value):
        from devproc.runtime.calls.tensors import check_value

        found = check_value(spec, value)
    else:
        found = check_array(spec, value)
    return found if isinstance(found, str) else None
