"""Rules that lower `bounds` to `llvm`: a comparison, and a record of violations.

The loader provides the table of violations: for each access whether it failed, and at
which element. It is written in a branch that a correct program never takes. Threads may
write the same row concurrently, since either violation is valid.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, SymbolRefAttr, VectorType, i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.dialects.nn.base import int_of
from devproc.targets.cpu.dialects.bounds import InsideLanesOp, InsideOp, element_count
from devproc.targets.cpu.dialects.llvm_ext.intrinsics import REDUCTIONS
from devproc.targets.cpu.dialects.llvm_ext.ops import SelectOp
from devproc.targets.cpu.transforms.to_llvm.lowering import FunctionLowering, Rule
from devproc.targets.cpu.transforms.to_llvm.properties import (
    NO_FLAGS,
    WRAPS,
    alignment_of,
    integer_attr,
)
from devproc.targets.cpu.transforms.to_llvm.types import (
    POINTER,
    AnyVector,
)

VIOLATIONS = "devproc_violations"
"""Symbol of the table: two 64-bit numbers for each access."""

COLUMNS = 2


def _note(fn: FunctionLowering, access: int, element: SSAValue) -> None:
    """Write the row of an access."""
    fn.module.accesses = max(fn.module.accesses, access + 1)
    name: dict[str, Attribute] = {"global_name": SymbolRefAttr(VIOLATIONS)}
    table = fn.value(llvm.AddressOfOp, (), POINTER, name)
    for column, value in enumerate((fn.number(1), element)):
        pointer = fn.shift_pointer(table, COLUMNS * access + column, i64)
        fn.emit(llvm.StoreOp, (value, pointer), properties=alignment_of(8))


def violations_table(accesses: int) -> llvm.GlobalOp:
    """The declaration of the table."""
    type_ = llvm.LLVMArrayType(COLUMNS * accesses, i64)
    return llvm.GlobalOp(type_, VIOLATIONS, "external")


def lower_inside(fn: FunctionLowering, op: Operation) -> None:
    """`bounds.inside`: one unsigned comparison, which also detects negative indices."""
    check = cast(InsideOp, op)
    linear = fn.element_number(check.memref, check.indices)
    places = max(0, element_count(check.memref) - check.lane_count + 1)
    known = fn.integers.get(linear)
    if known is not None and 0 <= known < places:
        fn.set(check.result, fn.number(1, i1))
        return
    ok = fn.compare("ult", linear, fn.number(places))
    outside, end = fn.new_block(), Block()
    fn.branch_if(ok, end, (), outside, ())
    fn.block = outside
    _note(fn, int_of(check.access), linear)
    fn.branch(end)
    fn.region.add_block(end)
    fn.block = end
    fn.set(check.result, ok)


def lower_inside_lanes(fn: FunctionLowering, op: Operation) -> None:
    """`bounds.inside_lanes`: as for one element, in each lane."""
    check = cast(InsideLanesOp, op)
    linear, mask = fn.element_number(check.memref, check.indices), fn.get(check.mask)
    lanes = cast(AnyVector, mask.type).get_shape()
    wide, bits = VectorType(i64, lanes), VectorType(i1, lanes)
    offsets = fn.get(check.offsets)
    element = cast(IntegerType, cast(AnyVector, offsets.type).element_type)
    if element.width.data < 64:
        offsets = fn.value(llvm.SExtOp, (offsets,), wide)
    start = fn.repeat(linear, wide)
    elements = fn.value(llvm.AddOp, (start, offsets), wide, WRAPS)
    flag = llvm.ICmpPredicateFlag("ult").to_int()
    size = fn.splat(element_count(check.memref), wide)
    compared: dict[str, Attribute] = {"predicate": integer_attr(flag)}
    inside = fn.value(llvm.ICmpOp, (elements, size), bits, compared)
    safe = fn.value(llvm.AndOp, (mask, inside), bits)
    wrong = fn.value(llvm.XOrOp, (mask, safe), bits)
    failed = fn.value(REDUCTIONS["or"], (wrong,), i1)
    outside, end = fn.new_block(), Block()
    fn.branch_if(failed, outside, (), end, ())
    fn.block = outside
    # Report the largest of the violating indices.
    least = fn.splat(-(2**63), wide)
    candidates = fn.value(SelectOp, (wrong, elements, least), wide, NO_FLAGS)
    _note(fn, int_of(check.access), fn.value(REDUCTIONS["smax"], (candidates,), i64))
    fn.branch(end)
    fn.region.add_block(end)
    fn.block = end
    fn.set(check.result, safe)


RULES: dict[str, Rule] = {
    "bounds.inside": lower_inside,
    "bounds.inside_lanes": lower_inside_lanes,
}
