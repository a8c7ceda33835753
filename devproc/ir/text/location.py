"""Source locations: from the user's Python line to every op made from it.

xDSL parses, clones and prints locations but does not propagate them through rewrites.
The helpers here do, and every pass replaces ops through them. The form is
`loc("module.path"("file.py":12:0))`: the name of the `torch` module (or of the DSL
step) around the user's line. An op that `decompose-nn` makes of another keeps the name of
that one: `loc(callsite("nn.softmax" at "module.path"("file.py":12:0)))`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter


def make_location(name: str, file: str | None, line: int = 0) -> LocationAttr:
    """`loc("name"("file":line:0))`, or `loc("name")` if no file is known."""
    where = NoneAttr()
    if file is not None:
        where = FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(0))
    return NameLoc(StringAttr(name), where)


def part_of(op: Operation) -> LocationAttr:
    """The location of what takes the place of an op, which keeps the name of that."""
    return CallSiteLoc(NameLoc(StringAttr(op.name), NoneAttr()), op.location)


def composite_names(location: LocationAttr) -> Iterator[str]:
    """The names of the ops that what stands here was made of, the innermost first."""
    for part in fused_parts(location):
        if isinstance(part, CallSiteLoc):
            yield cast(NameLoc, part.callee).desc.data
            yield from composite_names(cast(LocationAttr, part.caller))


def fuse_locations(locations: Iterable[LocationAttr]) -> LocationAttr:
    """The location of an op made from several: the known ones, each once, in order."""
    parts = chain.from_iterable(map(fused_parts, locations))
    known = list(dict.fromkeys(p for p in parts if not isinstance(p, UnknownLoc)))
    if not known:
        return UNKNOWN_LOC
    return known[0] if len(known) == 1 else FusedLoc(tuple(known), NoneAttr())


def fused_parts(location: LocationAttr) -> Sequence[LocationAttr]:
    """The parts of a fused location; any other is its only part."""
    if isinstance(location, FusedLoc):
        return cast(ArrayAttr[LocationAttr], location.locations).data
    return (location,)


def location_name(location: LocationAttr) -> str | None:
    """The module path or step name of a location; of a fused one, the last."""
    if isinstance(location, NameLoc):
        return location.desc.data
    if isinstance(location, FusedLoc):
        names = [location_name(part) for part in fused_parts(location)]
        return next((name for name in reversed(names) if name), None)
    if isinstance(location, CallSiteLoc):
        return location_name(cast(LocationAttr, location.caller))
    return None


def is_known(location: LocationAttr) -> bool:
    """Whether a location says a place, and not only what an op was a part of."""
    if isinstance(location, CallSiteLoc):
        return is_known(cast(LocationAttr, location.caller))
    if isinstance(location, FusedLoc):
        return any(map(is_known, fused_parts(location)))
    return not isinstance(location, UnknownLoc)


def describe_location(location: LocationAttr) -> str:
    """The location for a message: `fc1 at model.py:12`, or `unknown source`."""
    if isinstance(location, NameLoc):
        where, name = location.location, location.desc.data
        is_file = isinstance(where, FileLineColLoc)
        return f"{name} at {describe_location(where)}" if is_file else name
    if isinstance(location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}"
    if not is_known(location):
        return "unknown source"
    if isinstance(location, FusedLoc):
        known = filter(is_known, fused_parts(location))
        return ", ".join(dict.fromkeys(map(describe_location, known)))
    assert isinstance(location, CallSiteLoc)
    return describe_location(cast(LocationAttr, location.caller))


def replace_op(
    rewriter: PatternRewriter,
    op: Operation,
    new_ops: Operation | Sequence[Operation],
    new_results: Sequence[SSAValue | None] | None = None,
) -> None:
    """`rewriter.replace` that gives the new ops (and nested ones) the old location."""
    ops = (new_ops,) if isinstance(new_ops, Operation) else new_ops
    for new_op in ops:
        copy_location(op, new_op)
    rewriter.replace(op, new_ops, new_results)


def copy_location(source: Operation, target: Operation) -> None:
    """Gives `target` and its nested ops the location of `source` if they have none."""
    for op in target.walk():
        if isinstance(op.location, UnknownLoc):
            op.location = source.location


def copy_location_between(before: Operation | None, op: Operation) -> None:
    """Gives the ops between `before` and `op` the location of `op` if they have none."""
    made = op.prev_op
    while made is not None and made is not before:
        copy_location(op, made)
        made = made.prev_op
