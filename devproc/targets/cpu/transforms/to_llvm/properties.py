"""Cached properties and attributes that many `llvm` ops share.

Creating an attribute takes longer than creating the op that has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute

from devproc.ir.identity_cache import cached_by_identity

UNIT = UnitAttr()

NO_WRAP: dict[str, Attribute] = {"overflowFlags": IntegerAttr(1, i32)}
"""Index arithmetic stays inside a buffer, so it cannot overflow: `nsw`."""
WRAPS: dict[str, Attribute] = {"overflowFlags": IntegerAttr(0, i32)}
"""Reassociated sums may leave the buffer temporarily, and an invalid index may be any
number."""
NO_FLAGS: dict[str, Attribute] = {"fastmathFlags": llvm.FastMathAttr(None)}
NO_BUNDLES: dict[str, Attribute] = {
    "op_bundle_sizes": DenseArrayBase.from_list(i32, ())
}

CALL_DEFAULTS: dict[str, Attribute] = {
    "CConv": llvm.CallingConventionAttr("ccc"),
    "TailCallKind": llvm.TailCallKindAttr(llvm.TailCallKind.NONE),
    **NO_FLAGS,
    **NO_BUNDLES,
}


def call_properties(callee: str | None, operands: int) -> dict[str, Attribute]:
    """Of a call of a function by name, or of the one whose address is the first operand."""
    named = {} if callee is None else {"callee": SymbolRefAttr(callee)}
    sizes = {"operandSegmentSizes": static_indices((operands, 0))}
    return {**named, **CALL_DEFAULTS, **sizes}


@cache
def integer_attr(value: int, width: int = 64) -> IntegerAttr:
    """A cached integer attribute."""
    return IntegerAttr(value, width)


@cache
def number_attr(value: int, type_: Attribute) -> IntegerAttr:
    """A cached integer attribute of a type."""
    return IntegerAttr(value, cast(IntegerType, type_))


@cache
def static_indices(indices: tuple[int, ...]) -> DenseArrayBase:
    """The constant part of the indices of a `getelementptr`."""
    return DenseArrayBase.from_list(i32, indices)


@cached_by_identity
def _steps(element: Attribute) -> dict[tuple[int, ...], dict[str, Attribute]]:
    """The cache of `getelementptr` properties for an element type."""
    return {}


def step_properties(
    element: Attribute, indices: tuple[int, ...]
) -> dict[str, Attribute]:
    """The properties of a `getelementptr` with these constant indices."""
    known = _steps(element)
    found = known.get(indices)
    if found is None:
        found = known[indices] = {
            "elem_type": element,
            "noWrapFlags": integer_attr(0, 32),
            "rawConstantIndices": static_indices(indices),
        }
    return found


@cache
def alignment_of(bytes_: int) -> Mapping[str, Attribute]:
    """The properties of a plain load or store with this alignment."""
    return {"alignment": integer_attr(bytes_), "ordering": integer_attr(0)}
