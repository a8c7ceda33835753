"""An interpreter of a few `nn` ops in pure Python, for lessons that run in a browser.

It computes element by element, from the definition of each op, and is no faster than that
sounds. The compiler's own evaluates every op in PyTorch: `devproc/reference`.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from devproc.driver import parse_module


class Numbers(NamedTuple):
    """A tensor: its shape and its elements, row-major."""

    shape: Sequence[int]
    elements: Sequence[float]

    def at(self, index: Sequence[int]) -> float:
        """One element; dimensions of size 1, and missing ones, repeat."""
        place = 0
        inner = index[len(index) - len(self.shape) :]
        for size, i in zip(self.shape, inner, strict=True):
            place = place * size + (i if size > 1 else 0)
        return self.elements[place]


def _divide(a: float, b: float) -> float:
    """a / b as IEEE 754 defines it, also for b = 0."""
    if b:
        return a / b
    return math.copysign(math.inf, b) * a if a else math.nan


ELEMENTWISE: Mapping[str, Callable[..., float]] = {
    "nn.abs": math.fabs,
    "nn.add": lambda a, b: a + b,
    "nn.sub": lambda a, b: a - b,
    "nn.mul": lambda a, b: a * b,
    "nn.div": _divide,
    "nn.relu": lambda a: a if a > 0 or math.isnan(a) else 0.0,
    "nn.sqrt": math.sqrt,
}
"""Name of an op -> its meaning for one element of each operand."""


def _linear(op: Any, operands: Sequence[Numbers], index: Sequence[int]) -> float:
    x, weight, *bias = operands
    inputs = range(x.shape[-1])
    terms = (x.at((*index[:-1], k)) * weight.at((index[-1], k)) for k in inputs)
    return sum(terms) + sum(b.at(index[-1:]) for b in bias)


def _batch_norm(op: Any, operands: Sequence[Numbers], index: Sequence[int]) -> float:
    x, (weight, bias, mean, variance) = operands[0], operands[1:]
    w, b, m, v = (p.at(index[1:2]) for p in (weight, bias, mean, variance))
    return (x.at(index) - m) / math.sqrt(v + op.epsilon.value.data) * w + b


def _elements(op: Any, operands: Sequence[Numbers]) -> Sequence[float]:
    """The elements of an op's result, before they are rounded."""
    if op.name == "nn.constant":
        return op.value.get_values()
    if op.name == "nn.reshape":
        return operands[0].elements
    indices = itertools.product(*map(range, op.results[0].type.get_shape()))
    if op.name == "nn.linear":
        return [_linear(op, operands, index) for index in indices]
    if op.name == "nn.batch_norm":
        return [_batch_norm(op, operands, index) for index in indices]
    formula = ELEMENTWISE[op.name]
    return [formula(*(v.at(index) for v in operands)) for index in indices]


def main_block(module: ModuleOp) -> Sequence[Operation]:
    """The ops of `@main`, in order; the last one returns."""
    function: Any = module.body.block.first_op
    return list(function.body.block.ops)


def nodes(module: ModuleOp) -> list[tuple[str, list[int]]]:
    """The ops of `@main` but the last, for `graph`: labels and indices of operands."""
    ops: list[Any] = list(main_block(module)[:-1])
    found: list[tuple[str, list[int]]] = []
    for op in ops:
        label = op.name.partition(".")[2]
        if op.name == "nn.constant":
            label = f"{op.value.get_values()[0]:g}"
        places = [ops.index(v.owner) for v in op.operands if v.owner in ops]
        found.append((label, places))
    return found


def run(
    module: ModuleOp, values: Mapping[str, Sequence[float]], dtype: str = "f"
) -> list[float]:
    """The elements that `@main` returns; `values` are those of its arguments, by name.

    Each op rounds its results to float32, or with `dtype="d"` to float64. Raises KeyError
    for an argument without values and for an op that is not one of the few.
    """
    function: Any = module.body.block.first_op
    known: dict[SSAValue, Numbers] = {
        argument: Numbers(argument.type.get_shape(), values[argument.name_hint])
        for argument in function.body.block.args
    }
    *ops, last = main_block(module)
    for op in ops:
        elements = _elements(op, [known[v] for v in op.operands])
        type_: Any = op.results[0].type
        known[op.results[0]] = Numbers(type_.get_shape(), array(dtype, elements))
    return list(known[last.operands[0]].elements)


def main(body: str, **arguments: str) -> ModuleOp:
    """The module of a function `@main`, whose body defines its result `%r` last.

    `arguments` are shapes: `main("%r = nn.abs %x : ...", x="2x3")` takes a float32 tensor.
    """
    result = body.rpartition("->")[2].strip()
    given = ", ".join(f"%{name}: tensor<{s}xf32>" for name, s in arguments.items())
    return parse_module(
        f"func.func @main({given}) -> {result} {{\n{body}\nfunc.return %r : {result}\n}}"
    )


def error_and_bound(
    before: ModuleOp, after: ModuleOp, values: Mapping[str, Sequence[float]]
) -> tuple[float, float]:
    """How far `after` is from `before` in float64, and how far a few roundings may be."""
    exact, found = run(before, values, "d"), run(after, values)
    error = max(abs(e - f) for e, f in zip(exact, found, strict=True))
    return error, 16 * 2.0**-23 * max(map(abs, exact))
