"""Splits long reductions of a GPU whose results are too few to keep it busy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log, prod

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float16Type, ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import RegionOp, target_of
from devproc.dialects.nn.base import int_array, int_of, ints
from devproc.dialects.nn.pointwise import CastOp, PointwiseOp
from devproc.dialects.nn.reduction import ReduceMaxOp, ReduceOp
from devproc.dialects.nn.shape import ReshapeOp
from devproc.ir.text.location import copy_location
from devproc.ir.types import item_size, tensor_of
from devproc.targets.triton import GPU
from devproc.targets.triton.archs import Arch, arch_of
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div

PROGRAMS = 4
"""Programs of a split reduction for each multiprocessor."""

FEWEST_TERMS = 1 << 12
"""Terms of a program: below, it is done before it is started."""

COLUMNS = 32
"""Adjacent results that one program computes where they are contiguous."""

RATE = 50e9
"""Bytes per second that one multiprocessor reads."""

LAUNCH = 4e-6
"""Seconds of another kernel, which combines the parts, and of the partial results."""


@dataclass(frozen=True)
class Split:
    """An axis of a reduction as `parts` times `size` elements; a part has also one element
    of each reduced axis in `outer`."""

    axis: int
    parts: int
    size: int
    outer: tuple[int, ...]


def split_of(op: ReduceOp, arch: Arch) -> Split | None:
    """How to split a reduction; None if it keeps the GPU busy, or no axis divides."""
    type_ = tensor_of(op.operand)
    shape, axes = type_.get_shape(), set(ints(op.axes))
    terms = prod(shape[axis] for axis in axes)
    results = prod(shape) // max(terms, 1)
    longer = [axis for axis, size in enumerate(shape) if size > 1]
    if not longer or not results:
        return None
    width = 1 if longer[-1] in axes else COLUMNS
    programs = ceil_div(results, width)
    byte_count = prod(shape) * item_size(type_.element_type)
    alone = byte_count / (RATE * min(programs, arch.processors))
    if alone < 1.5 * byte_count / arch.bandwidth + LAUNCH:
        return None
    wanted = min(
        ceil_div(PROGRAMS * arch.processors, programs), width * terms // FEWEST_TERMS
    )
    found = list[tuple[float, Split]]()
    for place, axis in enumerate(sorted(axes)):
        outer = tuple(sorted(axes)[:place])
        for parts in divisors(shape[axis])[1:]:
            count = parts * prod(shape[n] for n in outer)
            if programs * count >= arch.processors and count <= 4 * wanted:
                split = Split(axis, parts, shape[axis] // parts, outer)
                found.append((abs(log(count / wanted)), split))
    # Outer axes first: the terms of a part stay contiguous.
    return min(found, key=lambda pair: pair[0], default=(0, None))[1]


def divisors(size: int) -> list[int]:
    """All divisors of a number."""
    small = [n for n in range(1, int(size**0.5) + 1) if size % n == 0]
    return sorted({*small, *(size // n for n in small)})


@dataclass
class Rewriting:
    """The rewriting of one reduction."""

    op: ReduceOp
    split: Split
    values: dict[tuple[SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int], SSAValue]
    )
    """The split values that are made so far, by value and rank."""

    def run(self) -> None:
        """Replace the reduction by one over parts, and one of their results."""
        op, axis = self.op, self.split.axis
        rank, axes = len(tensor_of(op.operand).get_shape()), ints(op.axes)
        operand, element = op.operand, tensor_of(op.operand).element_type
        value = self.split_value(operand, rank, frozenset({op}))
        # Partial sums are not rounded.
        is_half = isinstance(element, Float16Type | BFloat16Type)
        if is_widened := is_half and not isinstance(op, ReduceMaxOp):
            value = self.insert(CastOp.to(value, f32))
        inner = [a if a < axis else a + 1 for a in axes if a not in self.split.outer]
        value = self.insert(type(op).over(value, inner, keep=False))
        parts = [*self.split.outer, axis]
        keep = bool(int_of(op.keep)) and len(axes) == 1
        value = self.insert(type(op).over(value, parts, keep))
        if is_widened:
            value = self.insert(CastOp.to(value, element))
        wanted = tensor_of(op.result).get_shape()
        if tensor_of(value).get_shape() != wanted:
            value = self.reshape(value, wanted)
        value.name_hint = op.result.name_hint
        Rewriter.replace_op(op, [], [value])
        erase_unused(operand)

    def split_value(
        self, value: SSAValue, rank: int, readers: frozenset[Operation]
    ) -> SSAValue:
        """A value with its axis split: computed so from split operands, or a view.

        `rank` is that of the values that it is broadcast to, `readers` the ops that read
        the split value instead of this one.
        """
        if (value, rank) not in self.values:
            self.values[value, rank] = self.made(value, rank, readers)
        return self.values[value, rank]

    def made(
        self, value: SSAValue, rank: int, readers: frozenset[Operation]
    ) -> SSAValue:
        """The ops that make a split value, inserted."""
        shape = tensor_of(value).get_shape()
        axis = self.split.axis - (rank - len(shape))
        if axis < 0:
            return value
        owner, is_broadcast = value.owner, shape[axis] == 1
        users = {use.operation for use in value.uses}
        if (
            isinstance(owner, PointwiseOp)
            and not is_broadcast
            and (users <= readers or is_cheap(owner))
        ):
            more = readers | {owner}
            operands = [self.split_value(v, len(shape), more) for v in owner.operands]
            return self.insert(type(owner).build_op(operands, owner.properties))
        parts = (1, 1) if is_broadcast else (self.split.parts, self.split.size)
        return self.reshape(value, (*shape[:axis], *parts, *shape[axis + 1 :]))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The same elements in another shape."""
        return self.insert(ReshapeOp.build_op([value], {"shape": int_array(shape)}))

    def insert(self, new: Operation) -> SSAValue:
        """Insert an op before the reduction, at its place in the source and on its
        device."""
        new.attributes |= self.op.attributes
        copy_location(self.op, new)
        Rewriter.insert_op(new, InsertPoint.before(self.op))
        return new.results[0]


def is_cheap(op: PointwiseOp) -> bool:
    """Whether computing an op again reads no more memory than its result would."""
    result = tensor_of(op.results[0])
    full = [
        type_
        for type_ in map(tensor_of, dict.fromkeys(op.operands))
        if prod(type_.get_shape()) == prod(result.get_shape())
    ]
    return len(full) == 1 and item_size(full[0].element_type) <= item_size(
        result.element_type
    )


def erase_unused(value: SSAValue) -> None:
    """Erase the elementwise ops that nothing reads any more."""
    owner = value.owner
    if isinstance(owner, PointwiseOp) and not value.uses.get_length():
        operands = list(dict.fromkeys(owner.operands))
        owner.detach()
        owner.erase()
        for operand in operands:
            erase_unused(operand)


@dataclass(frozen=True)
class SplitReductionsPass(ModulePass):
    """Splits the reductions of a GPU that have few results of many terms.

    A program computes a result, or adjacent ones; few programs leave most multiprocessors
    idle. The terms are split into parts, whose results a second reduction combines, in a
    fixed order. Elementwise ops that only the reduction reads are computed with the axis
    split. Sums of 16-bit floats stay in f32 between the two.

    Before:
    ```mlir
    !x = tensor<8x1048576xf32, #dev.on<"cuda">>
    !r = tensor<8xf32, #dev.on<"cuda">>
    func.func @main(%x: !x) -> tensor<8xf32, #dev.on<"cpu">> {
      %y = dev.region "cuda" (%x) : (!x) -> !r {
      ^bb0(%a: !x):
        %s = nn.reduce_sum %a axes [1] keep 0 : (!x) -> !r
        dev.yield %s : !r
      }
      %h = dev.copy %y : !r to tensor<8xf32, #dev.on<"cpu">>
      dev.sync "cuda"
      func.return %h : tensor<8xf32, #dev.on<"cpu">>
    }
    ```

    After:
    ```mlir
    !x = tensor<8x1048576xf32, #dev.on<"cuda">>
    !parts = tensor<8x64x16384xf32, #dev.on<"cuda">>
    !partial = tensor<8x64xf32, #dev.on<"cuda">>
    !r = tensor<8xf32, #dev.on<"cuda">>
    func.func @main(%x: !x) -> tensor<8xf32, #dev.on<"cpu">> {
      %y = dev.region "cuda" (%x) : (!x) -> !r {
      ^bb0(%a: !x):
        %0 = nn.reshape %a to [8, 64, 16384] : (!x) -> !parts
        %1 = nn.reduce_sum %0 axes [2] keep 0 : (!parts) -> !partial
        %s = nn.reduce_sum %1 axes [1] keep 0 : (!partial) -> !r
        dev.yield %s : !r
      }
      %h = dev.copy %y : !r to tensor<8xf32, #dev.on<"cpu">>
      dev.sync "cuda"
      func.return %h : tensor<8xf32, #dev.on<"cpu">>
    }
    ```
    """

    name = "split-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch = arch_of(target_of(op))
        for region in list(op.walk()):
            if not isinstance(region, RegionOp) or region.device.data != GPU:
                continue
            for inner in list(region.body.block.ops):
                if isinstance(inner, ReduceOp) and (split := split_of(inner, arch)):
                    Rewriting(inner, split).run()
