"""Pictures of programs as graphs."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

WIDTH, HEIGHT = 66, 52
"""The place of one op."""


def graph(module: ModuleOp, left: float = 0) -> str:
    """SVG elements: each op of `@main` as a box, below those whose results it reads."""
    depth: dict[Operation, int] = {}
    place: dict[Operation, tuple[float, float]] = {}
    parts: list[str] = []
    function: Any = module.body.block.first_op
    for op in list(function.body.block.ops)[:-1]:
        producers = [v.owner for v in op.operands if isinstance(v.owner, Operation)]
        row = max((depth[producer] + 1 for producer in producers), default=0)
        column = list(depth.values()).count(row)
        x, y = left + WIDTH * (column + 0.5), HEIGHT * row + 16.0
        depth[op], place[op] = row, (x, y)
        for producer in producers:
            a, b = place[producer]
            parts.append(
                f'<path d="M{a} {b + 12}L{x} {y - 12}" stroke="currentColor" fill="none"/>'
            )
        parts.append(
            f'<rect x="{x - 30}" y="{y - 12}" width="60" height="24" rx="5"'
            ' stroke="currentColor" fill-opacity="0.1"/>'
            f'<text x="{x}" y="{y + 5}" text-anchor="middle">{_label(op)}</text>'
        )
    return "".join(parts)


def _label(op: Any) -> str:
    """The name of an op without its dialect; of a constant the number."""
    if op.name == "nn.constant":
        return f"{op.value.get_values()[0]:g}"
    return op.name.partition(".")[2]
