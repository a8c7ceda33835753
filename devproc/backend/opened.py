"""Composites for ops that the compiler opens: a device may take their parts as a whole.

`decompose-nn` writes a softmax or a layer norm as primitive ops, whose locations keep the
name of the op. `Backend.patterns` of a device with a unit for one returns
`opened("nn.softmax")`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation

from devproc.backend.backend import Composite
from devproc.ir.text.location import composite_names


def opened(name: str) -> Composite:
    """The composite of the parts of one op, which is called as the op is."""

    def match(op: Operation) -> Sequence[Operation] | None:
        return _parts_up_to(op, name)

    return Composite(name, match)


def _parts_up_to(last: Operation, name: str) -> Sequence[Operation] | None:
    """The parts of an op of which `last` is the last one; None if it is not."""
    if not _is_part(last, name) or any(_is_sibling(r, last) for r in _readers(last)):
        return None
    found, todo = {last}, [last]
    while todo:
        for value in todo.pop().operands:
            made = value.owner
            if isinstance(made, Operation) and made not in found:
                if _is_sibling(made, last):
                    found.add(made)
                    todo.append(made)
    inner = found - {last}
    if any(reader not in found for op in inner for reader in _readers(op)):
        return None
    assert last.parent is not None
    return [op for op in last.parent.ops if op in found]


def _is_part(op: Operation, name: str) -> bool:
    return name in composite_names(op.location)


def _is_sibling(op: Operation, other: Operation) -> bool:
    """Whether two ops are parts of ops on one line of the user."""
    return op.parent is other.parent and op.location == other.location


def _readers(op: Operation) -> Iterator[Operation]:
    return (use.operation for result in op.results for use in result.uses)
