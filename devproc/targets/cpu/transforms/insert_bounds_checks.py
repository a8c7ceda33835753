"""Checks each access of CPU kernels against the bounds of its memory.

Only for compilations with `check_bounds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects import simd
from devproc.dialects.dev import target_of
from devproc.ir.program.kernel_modules import host_kernels
from devproc.ir.text.location import copy_location, describe_location
from devproc.targets.cpu.dialects.bounds import InsideLanesOp, InsideOp
from devproc.targets.cpu.transforms.loops.vector_types import INDEX, vector_type

VIEWS = (memref.SubviewOp, memref.ReinterpretCastOp, memref.ViewOp)
"""Ops whose memref results may have an offset into their memory."""


def lanes_of(type_: Attribute) -> int:
    """The elements that an access of this type touches."""
    if isinstance(type_, VectorType):
        return cast(VectorType[Attribute], type_).get_shape()[0]
    return 1


def prefix_of(mask: SSAValue) -> int | None:
    """The lanes that a constant mask sets, if they are the first ones; else None."""
    owner = mask.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    value = cast("DenseIntOrFPElementsAttr[IntegerType]", owner.value)
    set_lanes = [bool(bit) for bit in value.get_values()]
    if value.is_splat():
        set_lanes = set_lanes[:1] * lanes_of(mask.type)
    lanes = sum(set_lanes)
    return lanes if all(set_lanes[:lanes]) else None


def zero_of(type_: Attribute) -> arith.ConstantOp:
    """The result of a load that is skipped."""
    if isinstance(type_, VectorType):
        numbers = cast("VectorType[IntegerType]", type_)
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(numbers, [0]))
    if isinstance(type_, AnyFloat):
        return arith.ConstantOp(FloatAttr(0.0, type_))
    return arith.ConstantOp(IntegerAttr(0, cast(IntegerType, type_)))


@dataclass
class _Checks:
    """Adds the checks of a module, and counts the accesses."""

    numbers: Iterator[int] = field(default_factory=count)

    def only_if_inside(
        self, op: Operation, memory: SSAValue, indices: Sequence[SSAValue], lanes: int
    ) -> None:
        """Guard an access by a branch that is taken if it is entirely in bounds."""
        inside = InsideOp(memory, indices, lanes, next(self.numbers), op.name)
        types = [result.type for result in op.results]
        zeros = [zero_of(type_) for type_ in types]
        otherwise = [Block([*zeros, scf.YieldOp(*zeros)])] if zeros else []
        then = Block()
        branch = scf.IfOp(inside, types, Region(then), Region(otherwise))
        for new in (inside, branch):
            copy_location(op, new)
        Rewriter.insert_op([inside, branch], InsertPoint.before(op))
        for old, new in zip(op.results, branch.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        op.detach()
        then.add_ops([op, scf.YieldOp(*op.results)])

    def lanes_inside(
        self,
        op: Operation,
        memory: SSAValue,
        indices: Sequence[SSAValue],
        mask: SSAValue,
        offsets: SSAValue | None = None,
    ) -> None:
        """Clear the lanes of an access's mask that are out of bounds."""
        new: list[Operation] = []
        if offsets is None:
            step = simd.StepOp(vector_type(INDEX, lanes_of(mask.type)))
            new, offsets = [step], step.result
        number = next(self.numbers)
        inside = InsideLanesOp(memory, indices, offsets, mask, number, op.name)
        new.append(inside)
        for added in new:
            copy_location(op, added)
        Rewriter.insert_op(new, InsertPoint.before(op))
        place = list(op.operands).index(mask)
        op.operands[place] = inside.result

    def masked(
        self,
        op: Operation,
        memory: SSAValue,
        indices: Sequence[SSAValue],
        mask: SSAValue,
    ) -> None:
        """Check a masked access; a constant mask stays constant for convert-to-llvm."""
        lanes = prefix_of(mask)
        if lanes:
            self.only_if_inside(op, memory, indices, lanes)
        elif lanes is None:
            self.lanes_inside(op, memory, indices, mask)


def _load(checks: _Checks, op: Operation) -> None:
    memory, *indices = op.operands
    checks.only_if_inside(op, memory, indices, lanes_of(op.results[0].type))


def _store(checks: _Checks, op: Operation) -> None:
    value, memory, *indices = op.operands
    checks.only_if_inside(op, memory, indices, lanes_of(value.type))


def _masked(checks: _Checks, op: Operation) -> None:
    memory, *indices, mask, _ = op.operands
    checks.masked(op, memory, indices, mask)


def _gather(checks: _Checks, op: Operation) -> None:
    memory, *indices, offsets, mask, _ = op.operands
    checks.lanes_inside(op, memory, indices, mask, offsets)


CHECKS: dict[type[Operation], Callable[[_Checks, Operation], None]] = {
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    vector.LoadOp: _load,
    vector.StoreOp: _store,
    vector.MaskedLoadOp: _masked,
    vector.MaskedStoreOp: _masked,
    simd.GatherOp: _gather,
}
"""Accesses, and how each is checked; a prefetch reads nothing."""


def refuse_views(function: Operation) -> None:
    """Raises PassFailedException for a memref that does not begin with its memory."""
    for op in function.walk():
        for operand in op.operands:
            owner = operand.owner
            if isinstance(owner, VIEWS):
                raise PassFailedException(
                    f"insert-bounds-checks: '{op.name}' ({describe_location(op.location)})"
                    f" uses a '{owner.name}', whose place in its memory is not known; "
                    "index the memory itself, or compile without check_bounds"
                )


@dataclass(frozen=True)
class InsertBoundsChecksPass(ModulePass):
    """Adds a check before each access, if the target has `check_bounds`.

    The check is of offsets in memory, not of each index: a kernel may exceed the end of
    a row, but not the end of a buffer. An access that fails the check is skipped; a
    load then returns 0.

    Before:
    ```mlir
    module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, check_bounds = 1,
        cpu = #cpu.machine<vector_bits = 256>>} {
      func.func private @k(%x: memref<8xf32>, %i: index, %m: vector<8xi1>) attributes {
          dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
        %zero = arith.constant dense<0.0> : vector<8xf32>
        %a = memref.load %x[%i] : memref<8xf32>
        memref.store %a, %x[%i] : memref<8xf32>
        %b = vector.maskedload %x[%i], %m, %zero
          : memref<8xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
        func.return
      }
    }
    ```

    After:
    ```mlir
    module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, check_bounds = 1,
        cpu = #cpu.machine<vector_bits = 256>>} {
      func.func private @k(%x: memref<8xf32>, %i: index, %m: vector<8xi1>) attributes {
          dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
        %zero = arith.constant dense<0.0> : vector<8xf32>
        %0 = bounds.inside %x[%i] lanes 1 access 0 op "memref.load" : memref<8xf32>
        %a = scf.if %0 -> (f32) {
          %1 = memref.load %x[%i] : memref<8xf32>
          scf.yield %1 : f32
        } else {
          %2 = arith.constant 0.0 : f32
          scf.yield %2 : f32
        }
        %3 = bounds.inside %x[%i] lanes 1 access 1 op "memref.store" : memref<8xf32>
        scf.if %3 {
          memref.store %a, %x[%i] : memref<8xf32>
        }
        %4 = simd.step : vector<8xindex>
        %5 = bounds.inside_lanes %x[%i] [%4], %m access 2 op "vector.maskedload"
          : memref<8xf32>, vector<8xindex>, vector<8xi1>
        %b = vector.maskedload %x[%i], %5, %zero
          : memref<8xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
        func.return
      }
    }
    ```
    """

    name = "insert-bounds-checks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not target_of(op).checks_bounds:
            return
        checks = _Checks()
        for function in host_kernels(op):
            refuse_views(function)
            for inner in list(function.walk()):
                check = CHECKS.get(type(inner))
                if check is not None:
                    check(checks, inner)
