"""Replaces the launches of a pointwise kernel and of a row kernel by one; see
`fuse_row_producers`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import LaunchOp
from devproc.dialects.plan import ViewOp
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.program.state import is_in_place
from devproc.ir.program.updates import updates_of
from devproc.ir.text.location import fuse_locations


@dataclass(frozen=True)
class Link:
    """How the results of a pointwise kernel reach a row kernel."""

    read: tuple[tuple[int, int], ...]
    """(argument of the row kernel, result of the pointwise kernel), perhaps through a
    view."""
    kept: tuple[int, ...]
    """The results with other readers."""


def kernel_of(launch: LaunchOp) -> str:
    """The name of the kernel that is launched."""
    return launch.kernel.root_reference.data


def viewed(value: SSAValue) -> SSAValue:
    """The value at the root of a chain of views."""
    while isinstance(value.owner, ViewOp):
        value = value.owner.source
    return value


def readers(value: SSAValue) -> Iterator[Operation]:
    """The ops that read a value, or a view of it."""
    for use in value.uses:
        if isinstance(use.operation, ViewOp):
            yield from readers(use.operation.result)
        else:
            yield use.operation


def link_of(first: LaunchOp, second: LaunchOp) -> Link | None:
    """How the results of one launch reach another; None if the second cannot move to the
    place of the first."""
    if first.parent is not second.parent or updates_of(first):
        return None
    if any(is_read_between(place, first, second) for place in overwritten_by(second)):
        return None
    read = {
        number: first.results.index(viewed(value))
        for number, value in enumerate(second.inputs)
        if viewed(value).owner is first
    }
    rest = [v for number, v in enumerate(second.inputs) if number not in read]
    if not all(is_defined_before(viewed(value), first) for value in rest):
        return None
    kept = [
        number
        for number, value in enumerate(first.results)
        if any(reader is not second for reader in readers(value))
    ]
    return Link(tuple(read.items()), tuple(kept))


def overwritten_by(launch: LaunchOp) -> Iterator[SSAValue]:
    """The states in whose places a launch of `@main` computes their new values."""
    block = launch.parent_block()
    main, last = launch.parent_op(), block.last_op if block else None
    if block is None or last is None or not isinstance(main, FuncOp):
        return
    for argument, row in zip(block.args, main.arg_attrs or (), strict=False):
        number = argument.index - len(block.args)
        if is_in_place(row) and memory_root(last.operands[number]).owner is launch:
            yield argument


def is_read_between(value: SSAValue, first: Operation, second: Operation) -> bool:
    """Whether an op after one and before another reads a value."""
    found = (op for op in readers(value) if op.parent is first.parent)
    return any(
        first.is_before_in_block(op) and op.is_before_in_block(second) for op in found
    )


def is_defined_before(value: SSAValue, op: Operation) -> bool:
    """Whether a value, which a later op of the same block reads, is defined before an
    op."""
    owner = value.owner
    return (
        not isinstance(owner, Operation)
        or owner.parent is not op.parent
        or owner.is_before_in_block(op)
    )


def fuse(first: LaunchOp, second: LaunchOp, link: Link, kernel: FuncOp) -> LaunchOp:
    """Replace two launches by one of their fused kernel, in the place of the first."""
    read, point = dict(link.read), InsertPoint.before(first)
    links = list(second.inputs)
    rest = [viewed(v) for number, v in enumerate(links) if number not in read]
    types = kernel.function_type
    inputs = [
        in_type(value, type_, point)
        for value, type_ in zip([*first.inputs, *rest], types.inputs, strict=True)
    ]
    launch = LaunchOp(kernel.sym_name.data, inputs, types.outputs.data)
    launch.location = fuse_locations([first.location, second.location])
    Rewriter.insert_op(launch, point)
    Rewriter.replace_op(second, [], launch.results[: len(second.results)])
    for value in dict.fromkeys(links):
        erase_views(value)
    kept = dict(zip(link.kept, launch.results[len(second.results) :], strict=True))
    values = [
        in_type(kept[number], old.type, point) if number in kept else None
        for number, old in enumerate(first.results)
    ]
    Rewriter.replace_op(first, [], values)
    return launch


def in_type(value: SSAValue, type_: Attribute, point: InsertPoint) -> SSAValue:
    """A value as a tensor of another shape: a view, if it differs."""
    if value.type == type_:
        return value
    view = ViewOp(value, type_)
    view.result.name_hint = value.name_hint
    Rewriter.insert_op(view, point)
    return view.result


def erase_views(value: SSAValue) -> None:
    """Erase a chain of views without uses."""
    owner = value.owner
    if isinstance(owner, ViewOp) and owner.parent and not value.uses.get_length():
        source = owner.source
        Rewriter.erase_op(owner)
        erase_views(source)
