"""Forms of the ops in checks: the lines of a program, with names for values and types.

All values of a check have one shape and dtype. The forms of a kind are tried in order, ops
that most devices have first; a device may take some only with a constant, or as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from devproc.ir.types import tensor

SHAPE = (5, 7)
"""Of each value of a check."""
PREFERRED = ("float32", "bfloat16", "float16", "int8", "int32", "float64", "int64")


@dataclass(frozen=True)
class Form:
    """One op, or a few that a device takes as a whole."""

    ops: Sequence[str]
    """Their names."""
    lines: str
    """`{result}`, `{lhs}`, `{rhs}`: names of values; `{kind}`, `{weight}`, `{sums}`: the
    types of values, of the weights of a product, of its sums in int32."""
    dtypes: Sequence[str] = PREFERRED
    weight_shape: Sequence[int] = SHAPE
    """The shape of the right operand."""

    def __str__(self) -> str:
        return " + ".join(self.ops)


def _elementwise(name: str, count: int) -> Form:
    operands = ", ".join(["%{lhs}", "%{rhs}"][:count])
    types = ", ".join(["{kind}"] * count)
    return Form([name], f"%{{result}} = {name} {operands} : ({types}) -> {{kind}}")


def _constants(**shifts: int) -> str:
    """A multiplier of 2**30, and shifts."""
    lines = ["%{result}_m = nn.constant dense<1073741824> : tensor<i32> : tensor<i32>"]
    lines += [
        f"%{{result}}_{name} = nn.constant dense<{shift}> : tensor<i8> : tensor<i8>"
        for name, shift in shifts.items()
    ]
    return "\n".join(lines)


def _rescale(result: str, source: str, shift: str, to_int8: bool) -> str:
    to, kinds = ("i8", ("sums", "kind")) if to_int8 else ("i32", ("kind", "sums"))
    low, high = (-128, 127) if to_int8 else (-(2**31), 2**31 - 1)
    return (
        f"%{result} = nn.rescale %{source}, %{{result}}_m, %{{result}}_{shift} zero 0 to "
        f"{to} zero 0 clamp {low} {high} : ({{{kinds[0]}}}, tensor<i32>, tensor<i8>) -> "
        f"{{{kinds[1]}}}"
    )


SUM_OF_RESCALED = Form(
    ("nn.rescale", "nn.add"),
    "\n".join(
        [
            _constants(a=20, b=21, c=40),
            _rescale("{result}_l", "{lhs}", "a", to_int8=False),
            _rescale("{result}_r", "{rhs}", "b", to_int8=False),
            "%{result}_t = nn.add %{result}_l, %{result}_r : ({sums}, {sums}) -> {sums}",
            _rescale("{result}", "{result}_t", "c", to_int8=True),
        ]
    ),
    ("int8",),
)
"""lhs + rhs / 2, which is not the same with the operands swapped."""

LINEAR = "nn.linear %{lhs}, %{rhs} : ({kind}, {weight})"
SQUARE = (SHAPE[1], SHAPE[1])
PRODUCTS = (
    Form(("nn.linear",), f"%{{result}} = {LINEAR} -> {{kind}}", PREFERRED[:3], SQUARE),
    Form(
        ("nn.linear", "nn.rescale"),
        "\n".join(
            [
                _constants(c=33),
                f"%{{result}}_t = {LINEAR} -> {{sums}}",
                _rescale("{result}", "{result}_t", "c", to_int8=True),
            ]
        ),
        ("int8",),
        SQUARE,
    ),
)

BINARY = (
    *(_elementwise(f"nn.{name}", 2) for name in ("sub", "add", "maximum", "mul")),
    SUM_OF_RESCALED,
)
UNARY = tuple(_elementwise(f"nn.{name}", 1) for name in ("relu", "abs", "exp", "floor"))


def types_of(form: Form, dtype: str) -> Mapping[str, str]:
    """The types in the lines of a form."""
    return {
        "kind": str(tensor(dtype, SHAPE)),
        "weight": str(tensor(dtype, form.weight_shape)),
        "sums": str(tensor("int32", SHAPE)),
    }
