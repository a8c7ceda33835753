"""Program state in the IR: a tensor that is kept from one call to the next.

A state is an argument of `@main` after the inputs, its value before the call, and a result
after the outputs, its value after the call. Both carry `dev.state` with the name of the
state, in the same order. The initial value is the weight of this name.

`update-in-place` decides on the place of the new value, and marks the argument: with
`dev.in_place` it is that of the old one, and on memory both are one argument; otherwise
`dev.two_places` says why not.

With `check_values` a state is in place only if `guard-updates` has marked its argument
`dev.guarded`: a call that a check refuses leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from devproc.ir.functions import function_named

STATE = "dev.state"

IN_PLACE, TWO_PLACES = "dev.in_place", "dev.two_places"

GUARDED = "dev.guarded"


def state_name(attributes: DictionaryAttr) -> str | None:
    """The name of the state that has these attributes; None for another value."""
    name = attributes.data.get(STATE)
    return name.data if isinstance(name, StringAttr) else None


def name_attributes(name: str) -> DictionaryAttr:
    """The attributes of an input or output."""
    return DictionaryAttr({"dev.name": StringAttr(name)})


def state_attributes(name: str) -> DictionaryAttr:
    """The attributes of the argument and of the result of a state."""
    return DictionaryAttr({"dev.name": StringAttr(name), STATE: StringAttr(name)})


def set_place(function: FuncOp, index: int, why: str | None) -> None:
    """Marks the argument of a state as updated in place, or with the reason why not."""
    mark = {IN_PLACE: UnitAttr()} if why is None else {TWO_PLACES: StringAttr(why)}
    _mark(function, index, mark)


def set_guarded(function: FuncOp, index: int) -> None:
    """Marks the argument of a state that a refused call leaves as it was."""
    _mark(function, index, {GUARDED: UnitAttr()})


def _mark(function: FuncOp, index: int, mark: Mapping[str, Attribute]) -> None:
    rows = list(function.arg_attrs or ())
    rows[index] = DictionaryAttr({**rows[index].data, **mark})
    function.arg_attrs = ArrayAttr(rows)


def is_in_place(attributes: DictionaryAttr) -> bool:
    """Whether a state with these attributes of its argument is updated in place."""
    return IN_PLACE in attributes.data


def state_bytes(module: ModuleOp, in_place: bool = True) -> int:
    """Bytes of all states of a program on memory, once each; without those in place if
    told so.
    """
    # Not at module level: the dialects use the helpers of `devproc.ir`.
    from devproc.dialects.dev import byte_size

    main = function_named(module, "main")
    if main is None:
        return 0
    pairs = zip(main.arg_attrs or (), main.function_type.inputs)
    sizes = {
        state_name(row): byte_size(type_)
        for row, type_ in pairs
        if state_name(row) and (in_place or not is_in_place(row))
    }
    return sum(sizes.values())


def forget_states(function: FuncOp) -> None:
    """Turns the states of a function into plain inputs and outputs."""

    def plain(rows: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr]:
        return ArrayAttr(
            DictionaryAttr({k: v for k, v in row.data.items() if k != STATE})
            for row in rows or ()
        )

    if function.arg_attrs:
        function.arg_attrs = plain(function.arg_attrs)
    if function.res_attrs:
        function.res_attrs = plain(function.res_attrs)


def verify_states(function: FuncOp) -> None:
    """States are the last arguments and the last results, in one order and of equal types.

    On memory all of them are arguments, those that are updated in place only once. Raises
    VerifyException.
    """
    type_ = function.function_type
    before = _states(function, type_.inputs.data, function.arg_attrs)
    after = _states(function, type_.outputs.data, function.res_attrs)
    if not type_.outputs.data:
        in_place = [
            state_name(row) for row in function.arg_attrs or () if is_in_place(row)
        ]
        half = (len(before) + len(in_place)) // 2
        before, after = before[:half], before[half:]
        before = [state for state in before if state[0] not in in_place]
    if before != after:
        raise VerifyException(
            f"@{function.sym_name.data} takes the states {_listed(before)} and returns"
            f" {_listed(after)}: each state needs an argument and a result of one type,"
            " after the inputs and the outputs"
        )


def _states(
    function: FuncOp,
    types: Sequence[Attribute],
    rows: ArrayAttr[DictionaryAttr] | None,
) -> list[tuple[str, Attribute]]:
    names = [state_name(row) for row in rows or ()]
    found = [name is not None for name in names]
    if function.function_type.outputs.data and found != sorted(found):
        raise VerifyException(
            f"the states of @{function.sym_name.data} must follow its inputs and outputs"
        )
    pairs = zip(names, types, strict=False)
    return [(name, type_) for name, type_ in pairs if name is not None]


def _listed(states: Sequence[tuple[str, Attribute]]) -> str:
    return ", ".join(f"'{name}' ({type_})" for name, type_ in states) or "none"
