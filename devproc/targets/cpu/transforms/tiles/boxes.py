"""Appends ops that represent subdomains of a nest: tiles, their sums, their finish."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from xdsl.dialects.builtin import DenseArrayBase, SymbolRefAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

from devproc.dialects.sched import FinishOp, TermOp
from devproc.dialects.sched.tile import BoxOp
from devproc.targets.cpu.transforms.loops.emitter import Emitter

BoxT = TypeVar("BoxT", bound=BoxOp)


@cache
def _integers(numbers: tuple[int, ...], bits: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32 if bits == 32 else i64, numbers)


def emit_box(
    emitter: Emitter,
    op_class: type[BoxT],
    nest: str,
    at: Sequence[SSAValue],
    size: Sequence[int],
    sums: Sequence[SSAValue] = (),
    types: Sequence[Attribute] = (),
) -> BoxT:
    """Append an op for the subdomain of a nest that begins at an iteration; `sums` are
    its operands, `types` the types of its results."""
    properties: dict[str, Attribute] = {
        "nest": SymbolRefAttr(nest),
        "size": _integers(tuple(size), 64),
    }
    if issubclass(op_class, TermOp | FinishOp):
        counts = (len(at), len(sums))
        properties["operandSegmentSizes"] = _integers(counts, 32)
    return emitter.emit(op_class, (*at, *sums), types, properties)
