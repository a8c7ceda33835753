"""Program state in the IR: a tensor that is kept from one call to the next.

A state is an argument of `@main` after the inputs, its value before the call, and a result
after the outputs, its value after the call. Both carry `dev.state` with the name of the
state, in the same order. The initial value is the weight of this name.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from devproc.ir.functions import function_named

STATE = "dev.state"


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


def state_bytes(module: ModuleOp) -> int:
    """Bytes of all states of a program on memory, once each."""
    # Not at module level: the dialects use the helpers of `devproc.ir`.
    from devproc.dialects.dev import byte_size

    main = function_named(module, "main")
    if main is None:
        return 0
    pairs = zip(main.arg_attrs or (), main.function_type.inputs)
    sizes = {state_name(row): byte_size(t) for row, t in pairs if state_name(row)}
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

    On memory all of them are arguments. Raises VerifyException.
    """
    type_ = function.function_type
    before = _states(function, type_.inputs.data, function.arg_attrs)
    after = _states(function, type_.outputs.data, function.res_attrs)
    if not type_.outputs.data:
        half = len(before) // 2
        before, after = before[:half], before[half:]
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
