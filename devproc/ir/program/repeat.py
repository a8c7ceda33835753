"""Repetition in the IR: one call of a program can be many, each on the states of the last.

The attribute `devproc.repeat` of a module, a dictionary, says `at_most` how many calls one
is, and names the output that ends them: a bool of one element, true after the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i1,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from devproc.ir.functions import function_named
from devproc.ir.program.state import STATE
from devproc.ir.types import AnyTensor

REPEAT = "devproc.repeat"

REPEAT_SUFFIX = "_repeat"
"""Ends the name of the native loop over a segment."""

ROLE = "dev.role"
"""The attribute of an argument on memory: "input", "output" or "state"."""


@dataclass(frozen=True)
class Repetition:
    """How often a program can be called at once, and the output that ends the calls."""

    at_most: int
    until: str


def set_repetition(module: ModuleOp, repetition: Repetition) -> None:
    """Writes the attribute of a module."""
    module.attributes[REPEAT] = DictionaryAttr(
        {
            "at_most": IntegerAttr(repetition.at_most, i64),
            "until": StringAttr(repetition.until),
        }
    )


def repetition_of(module: ModuleOp) -> Repetition | None:
    """The repetition of a module; None without one. Raises VerifyException if malformed."""
    found = module.attributes.get(REPEAT)
    if found is None:
        return None
    fields: Mapping[str, Attribute] = {}
    if isinstance(found, DictionaryAttr):
        fields = found.data
    at_most, until = fields.get("at_most"), fields.get("until")
    if not isinstance(at_most, IntegerAttr) or not isinstance(until, StringAttr):
        raise VerifyException(
            f"'{REPEAT}' must be {{at_most = 1 : i64, until = \"output\"}}, got {found}"
        )
    return Repetition(at_most.value.data, until.data)


def until_number(main: FuncOp, repetition: Repetition) -> int:
    """The number of the output that ends the calls."""
    names = [name for name, _ in _outputs(main)]
    return names.index(StringAttr(repetition.until))


def _outputs(main: FuncOp) -> list[tuple[Attribute | None, Attribute]]:
    """Name and type of each output, on tensors or on memory, without states."""
    type_ = main.function_type
    on_tensors = bool(type_.outputs.data)
    types = type_.outputs if on_tensors else type_.inputs
    rows = main.res_attrs if on_tensors else main.arg_attrs
    return [
        (row.data.get("dev.name"), found)
        for row, found in zip(rows or (), types, strict=False)
        if STATE not in row.data
        and (on_tensors or row.data.get(ROLE) == StringAttr("output"))
    ]


def _inputs(main: FuncOp) -> list[str]:
    """The arguments before the states and the outputs."""
    output = StringAttr("output")
    rows = (row.data for row in main.arg_attrs or ())
    return [
        str(row.get("dev.name"))
        for row in rows
        if STATE not in row and row.get(ROLE) != output
    ]


def verify_repetition(module: ModuleOp) -> None:
    """A repeated program takes nothing but states, and the output that ends it is a bool.

    Raises VerifyException.
    """
    repetition, main = repetition_of(module), function_named(module, "main")
    if repetition is None or main is None:
        return
    if repetition.at_most < 1:
        raise VerifyException(f"'{REPEAT}' has at_most = {repetition.at_most}, below 1")
    given = _inputs(main)
    if given:
        raise VerifyException(
            f"'{REPEAT}': @main takes {', '.join(given)}; a program that is repeated "
            "takes nothing but states"
        )
    types = dict(_outputs(main))
    ended = types.get(StringAttr(repetition.until))
    if ended is None:
        raise VerifyException(f"'{REPEAT}': no output is named \"{repetition.until}\"")
    tensor = cast(AnyTensor, ended)
    if tensor.element_type != i1 or tensor.get_shape() not in ((), (1,)):
        raise VerifyException(
            f"'{REPEAT}': the output \"{repetition.until}\" is {ended}, not one bool"
        )
