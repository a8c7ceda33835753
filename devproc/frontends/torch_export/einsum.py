"""Einstein sums as matrix products; rows of `contraction`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from string import ascii_letters

from xdsl.ir import SSAValue

from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.frontends.torch_export.builder import GraphBuilder, ImportRule, shape_of
from devproc.frontends.torch_export.problems import Refusal


def _einsum(
    b: GraphBuilder, equation: str, operands: Sequence[SSAValue], path: object = None
) -> SSAValue:
    """Operand by operand from the left: what no later one needs is summed at once."""
    left, arrow, output = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    hidden = [
        len(shape_of(x)) - len(term.replace("...", ""))
        for x, term in zip(operands, terms, strict=True)
    ]
    unused = [c for c in ascii_letters if c not in equation][: max(hidden)]
    if not arrow:
        once = [c for c in sorted(set(left) & set(ascii_letters)) if left.count(c) == 1]
        output = "".join(["..." if "..." in left else "", *once])
    output = output.replace("...", "".join(unused))
    terms = [
        term.replace("...", "".join(unused[len(unused) - count :]))
        for term, count in zip(terms, hidden, strict=True)
    ]
    if any(len(set(term)) < len(term) for term in terms):
        raise Refusal(
            "an einsum with a repeated index is not supported",
            "take the diagonal before",
        )
    value, have = operands[0], terms[0]
    for position in range(1, len(operands)):
        needed = set("".join([output, *terms[position + 1 :]]))
        value, have = _product(
            b, value, have, operands[position], terms[position], needed
        )
    value, have = _summed(b, value, have, set(output))
    return b.transpose(value, [have.index(name) for name in output])


def _summed(
    b: GraphBuilder, x: SSAValue, names: str, needed: set[str]
) -> tuple[SSAValue, str]:
    """`x` without the dimensions that nothing needs."""
    axes = [axis for axis, name in enumerate(names) if name not in needed]
    if axes:
        x = b.emit(ReduceSumOp.over(x, axes, False))
    return x, "".join(n for n in names if n in needed)


def _product(
    b: GraphBuilder,
    x: SSAValue,
    x_names: str,
    y: SSAValue,
    y_names: str,
    needed: set[str],
) -> tuple[SSAValue, str]:
    """The product of two operands as (batch, rows, summed) by (batch, summed, columns).

    A dimension of size 1 that the other operand has larger is broadcast.
    """
    x, x_names = _summed(b, x, x_names, needed | set(y_names))
    y, y_names = _summed(b, y, y_names, needed | set(x_names))
    x, x_names = _without_ones(b, x, x_names, y, y_names)
    y, y_names = _without_ones(b, y, y_names, x, x_names)
    sizes = {
        **dict(zip(x_names, shape_of(x), strict=True)),
        **dict(zip(y_names, shape_of(y), strict=True)),
    }
    shared = [n for n in x_names if n in y_names]
    batch = [n for n in shared if n in needed]
    summed = [n for n in shared if n not in needed]
    rows = [n for n in x_names if n not in y_names]
    columns = [n for n in y_names if n not in x_names]

    def arranged(value: SSAValue, names: str, groups: list[list[str]]) -> SSAValue:
        order = [names.index(n) for group in groups for n in group]
        shape = [prod(sizes[n] for n in group) for group in groups]
        return b.reshape(b.transpose(value, order), shape)

    value = b.emit(
        MatmulOp.build_op(
            [
                arranged(x, x_names, [batch, rows, summed]),
                arranged(y, y_names, [batch, summed, columns]),
            ]
        )
    )
    names = [*batch, *rows, *columns]
    return b.reshape(value, [sizes[n] for n in names]), "".join(names)


def _without_ones(
    b: GraphBuilder, x: SSAValue, names: str, other: SSAValue, other_names: str
) -> tuple[SSAValue, str]:
    """`x` without its dimensions of size 1 that the other operand has, and larger."""
    larger = dict(zip(other_names, shape_of(other), strict=True))
    kept = [
        (name, size)
        for name, size in zip(names, shape_of(x), strict=True)
        if size != 1 or larger.get(name, 1) == 1
    ]
    shape = [size for _, size in kept]
    return b.reshape(x, shape), "".join(name for name, _ in kept)


EINSUM: dict[str, ImportRule] = {
    "aten.einsum.default": ImportRule(
        _einsum, (TransposeOp, ReshapeOp, MatmulOp, ReduceSumOp)
    )
}
"""ATen overload -> how to build it."""
