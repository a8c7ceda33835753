"""On which axes of the grid the control flow of a printed kernel depends.

Programs that take the same path are interpreted together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

ALL = frozenset({0, 1, 2})

Axes = dict[str, frozenset[int]]


def path_axes(module: ast.Module) -> frozenset[int]:
    """The axes on which loops and branches depend; all if they depend on loaded data."""
    axes: Axes = {}
    before: Axes | None = None
    # A loop may change what its own statements read.
    while axes != before:
        before = dict(axes)
        for node in ast.walk(module):
            for target, value in assignments(node):
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        old = axes.get(name.id, frozenset())
                        axes[name.id] = old | axes_of(value, axes)
    found = [axes_of(choice, axes) for n in ast.walk(module) for choice in choices(n)]
    return frozenset[int]().union(*found)


def assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of a statement, each with what is assigned to it."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AugAssign):
        yield node.target, node.value
    elif isinstance(node, ast.For):
        yield node.target, node.iter


def choices(node: ast.AST) -> Iterator[ast.expr]:
    """What decides which statements run next."""
    if isinstance(node, ast.For):
        yield node.iter
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield node.test


def axes_of(expr: ast.expr, axes: Axes) -> frozenset[int]:
    """The axes that a value depends on."""
    found: frozenset[int] = frozenset()
    for node in ast.walk(expr):
        if isinstance(node, ast.Name):
            found |= axes.get(node.id, frozenset())
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "program_id":
                (axis,) = node.args
                known = axis.value if isinstance(axis, ast.Constant) else None
                found |= {known} if isinstance(known, int) else ALL
            elif node.func.attr.startswith(("load", "atomic")):
                found |= ALL
    return found
