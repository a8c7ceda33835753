"""Builds block programs, with broadcasting, folding and value numbering.

`BlockBuilder` creates ops on scalars or blocks of one common rank, in which a dimension
of size one broadcasts. Pure ops are created once and hoisted out of loops as far as
their operands allow, so that callers may request the same address repeatedly. Indices
may also be plain ints, which are folded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from devproc.arithmetic.index_builder import IndexBuilder
from devproc.ir.types import is_float
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import block_of, element_of, shape_of
from devproc.targets.triton.transforms.to_triton.constants import (
    constant_value,
    without_effect,
)

Value: TypeAlias = SSAValue | int
"""An index: a scalar or block of integers, or a constant."""

_OVERFLOW = arith.IntegerOverflowAttr("none")
_FASTMATH = arith.FastMathFlagsAttr("none")
# Triton's `/` and `tl.sqrt` are off by up to two units in the last place.
_APPROXIMATE: dict[type[Operation], arith.FastMathFlagsAttr] = {
    arith.DivfOp: arith.FastMathFlagsAttr([FastMathFlag.ALLOW_RECIP]),
    math.SqrtOp: arith.FastMathFlagsAttr([FastMathFlag.APPROX_FUNC]),
}
_INTEGER_OPS = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp)

COMMUTATIVE = (arith.AddiOp, arith.MuliOp)

FLOAT_LIMITS = {"max": float("-inf"), "min": float("inf"), "sum": 0.0}


def common_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The broadcast shape of blocks of these shapes; scalars fit any."""
    ranked = [shape for shape in shapes if shape]
    return tuple(max(sizes) for sizes in zip(*ranked, strict=True)) if ranked else ()


class BlockBuilder(IndexBuilder[Value]):
    """Appends ops to a kernel's body."""

    DIVISION = arith.DivSIOp
    REMAINDER = arith.RemSIOp
    MINIMUM = arith.MinSIOp

    def __init__(
        self, entry: Block, index_type: IntegerType = i32, *, exact: bool = True
    ):
        self.entry = entry
        self.exact = exact
        self.index_type = index_type
        self.blocks = [entry]
        self._numbers: list[dict[object, SSAValue]] = [{}]
        self._depth: dict[SSAValue, int] = {}
        self._constants: dict[object, SSAValue] = {}

    # Making ops.

    def append(self, op: Operation, depth: int | None = None) -> Operation:
        """Append an op to the innermost block, or to an outer one."""
        depth = len(self.blocks) - 1 if depth is None else depth
        self.blocks[depth].add_op(op)
        for result in op.results:
            self._depth[result] = depth
        return op

    def pure(
        self,
        op_type: type[Operation],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: dict[str, Attribute] | None = None,
        hint: str | None = None,
    ) -> SSAValue:
        """An op without effects: unique, and hoisted out of loops if possible."""
        properties = properties or {}
        key = (op_type, tuple(operands), result_type, tuple(properties.items()))
        for numbers in self._numbers:
            if key in numbers:
                return numbers[key]
        depth = max((self._depth.get(v, 0) for v in operands), default=0)
        op = op_type.create(
            operands=operands, result_types=[result_type], properties=properties
        )
        self.append(op, depth)
        op.results[0].name_hint = hint
        self._numbers[depth][key] = op.results[0]
        return op.results[0]

    def constant(self, value: float | int, type_: Attribute) -> SSAValue:
        """A scalar constant, at the top of the kernel."""
        value = float(value) if is_float(type_) else int(value)
        # The key is text, because 0.0 == -0.0 and nan != nan.
        key = (repr(value), type_)
        if key not in self._constants:
            attribute = (
                FloatAttr(value, type_)  # type: ignore[arg-type]
                if isinstance(value, float)
                else IntegerAttr(value, type_)  # type: ignore[arg-type]
            )
            op = arith.ConstantOp(attribute)
            first = self.entry.first_op
            if first is None:
                self.entry.add_op(op)
            else:
                self.entry.insert_op_before(op, first)
            self._constants[key] = op.result
        return self._constants[key]

    def ssa(self, value: Value) -> SSAValue:
        """An index as an SSA value."""
        if isinstance(value, int):
            return self.constant(value, self.index_type)
        return value

    # Shapes.

    def to_shape(self, value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        """Splat or broadcast a value to a shape."""
        if shape_of(value.type) == shape:
            return value
        result = block_of(element_of(value.type), shape)
        op_type = triton.BroadcastOp if shape_of(value.type) else triton.SplatOp
        return self.pure(op_type, [value], result)

    def unify(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """All values broadcast to their common shape."""
        shape = common_shape([shape_of(v.type) for v in values])
        return [self.to_shape(v, shape) for v in values]

    def expand(self, value: SSAValue, position: int, rank: int) -> SSAValue:
        """A one-dimensional block as dimension `position` of `rank`."""
        for axis in (*range(position), *range(position + 1, rank)):
            shape = list(shape_of(value.type))
            shape.insert(axis, 1)
            value = self.pure(
                triton.ExpandDimsOp,
                [value],
                block_of(element_of(value.type), tuple(shape)),
                {"axis": IntegerAttr(axis, i32)},
            )
        return value

    # Arithmetic on elements.

    def elementwise(self, op_type: type[Operation], *values: SSAValue) -> SSAValue:
        """An arith or math op whose result has the type of its operands."""
        operands = self.unify(values)
        if (known := without_effect(op_type, operands)) is not None:
            return known
        properties: dict[str, Attribute] = {}
        if op_type in _INTEGER_OPS:
            properties["overflowFlags"] = _OVERFLOW
        elif is_float(element_of(operands[0].type)):
            flags = None if self.exact else _APPROXIMATE.get(op_type)
            properties["fastmath"] = flags or _FASTMATH
        return self.pure(op_type, operands, operands[0].type, properties)

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """A comparison by an arith predicate."""
        operands = self.unify([a, b])
        result = block_of(i1, shape_of(operands[0].type))
        properties: dict[str, Attribute] = {"predicate": StringAttr(predicate)}
        return self.pure(triton.CompareOp, operands, result, properties)

    def where(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """Elementwise select."""
        operands = self.unify([condition, a, b])
        return self.pure(triton.WhereOp, operands, operands[1].type)

    def both(self, a: SSAValue | None, b: SSAValue | None) -> SSAValue | None:
        """The conjunction of two masks; None means all true."""
        if a is None or b is None:
            return b if a is None else a
        return a if a is b else self.elementwise(arith.AndIOp, a, b)

    def cast(self, kind: str, value: SSAValue, element: Attribute) -> SSAValue:
        """An arith cast."""
        result = block_of(element, shape_of(value.type))
        properties: dict[str, Attribute] = {"kind": StringAttr(kind)}
        return self.pure(triton.CastOp, [value], result, properties)

    def to_float(self, value: SSAValue, element: Attribute) -> SSAValue:
        """A float value converted to another float type."""
        source = element_of(value.type)
        if source == element:
            return value
        known = constant_value(value)
        if known is not None:
            return self.to_shape(self.constant(known, element), shape_of(value.type))
        wider = element.bitwidth > source.bitwidth  # type: ignore[attr-defined]
        return self.cast("extf" if wider else "truncf", value, element)

    def reduce(
        self, kind: str, value: SSAValue, axis: int, keep: bool = True
    ) -> SSAValue:
        """Reduce along an axis; a block keeps the axis with size one, if `keep`."""
        shape = shape_of(value.type)
        reduced = shape[:axis] + shape[axis + 1 :]
        element = element_of(value.type)
        properties: dict[str, Attribute] = {
            "kind": StringAttr(kind),
            "axis": IntegerAttr(axis, i32),
        }
        result = self.pure(
            triton.ReduceOp, [value], block_of(element, reduced), properties
        )
        if not reduced or not keep:
            return result
        kept = block_of(element, (*shape[:axis], 1, *shape[axis + 1 :]))
        return self.pure(
            triton.ExpandDimsOp, [result], kept, {"axis": IntegerAttr(axis, i32)}
        )

    # Index arithmetic, see `IndexBuilder`.

    def index(self, value: int) -> Value:
        """A constant index, for which no op is created until an op uses it."""
        return value

    def known_index(self, value: Value) -> int | None:
        """The value of a constant index, or None."""
        return value if isinstance(value, int) else None

    def index_op(self, op: type[Operation], a: Value, b: Value) -> Value:
        """An op on two indices, with constants of sums and products on the right."""
        if isinstance(a, int) and op in COMMUTATIVE:
            a, b = b, a
        return self.elementwise(op, self.ssa(a), self.ssa(b))

    def maximum(self, a: Value, b: Value) -> Value:
        """The larger of two indices."""
        if isinstance(a, int) and isinstance(b, int):
            return max(a, b)
        return self.index_op(arith.MaxSIOp, a, b)

    def below(self, a: Value, limit: int) -> SSAValue:
        """a < limit."""
        return self.compare("slt", self.ssa(a), self.ssa(limit))

    # Programs, memory, loops.

    def program_id(self, axis: int, hint: str) -> SSAValue:
        """This program's position along a grid axis, as an index."""
        value = self.pure(
            triton.ProgramIdOp, [], i32, {"axis": IntegerAttr(axis, i32)}, hint
        )
        return self.to_index(value)

    def arange(self, size: int) -> SSAValue:
        """The block 0..size-1, as indices."""
        lanes = self.pure(triton.ArangeOp, [], block_of(i32, (size,)), hint="lanes")
        return self.to_index(lanes)

    def to_index(self, value: SSAValue) -> SSAValue:
        """An integer value in the kernel's index type."""
        element = element_of(value.type)
        if element == self.index_type or not isinstance(element, IntegerType):
            return value
        narrower = element.bitwidth < self.index_type.bitwidth
        return self.cast("extsi" if narrower else "trunci", value, self.index_type)

    def pointer(self, base: SSAValue, offset: Value) -> SSAValue:
        """The pointers `offset` elements after `base`."""
        if offset == 0:
            return base
        offset = self.ssa(offset)
        result = block_of(base.type, shape_of(offset.type))
        return self.pure(triton.AddPtrOp, [base, offset], result)

    def load(
        self,
        base: SSAValue,
        offset: Value,
        mask: SSAValue | None = None,
        *,
        other: float = 0,
        shared: bool = True,
    ) -> SSAValue:
        """Load elements; `other` where masked off. `shared`: it is never written."""
        pointer = self.pointer(base, offset)
        if mask is not None:
            shape = common_shape([shape_of(pointer.type), shape_of(mask.type)])
            pointer, mask = self.to_shape(pointer, shape), self.to_shape(mask, shape)
        shape = shape_of(pointer.type)
        element = cast(triton.PtrType, base.type).pointee
        operands, segments = [pointer], [1, 0, 0]
        if mask is not None:
            rest = self.to_shape(self.constant(other, element), shape)
            operands, segments = [pointer, mask, rest], [1, 1, 1]
        properties: dict[str, Attribute] = {
            "operandSegmentSizes": DenseArrayBase.from_list(i32, segments)
        }
        result = block_of(element, shape)
        hint = base.name_hint
        if shared:
            return self.pure(triton.LoadOp, operands, result, properties, hint)
        op = triton.LoadOp.create(
            operands=operands, result_types=[result], properties=properties
        )
        op.result.name_hint = hint
        return self.append(op).results[0]

    def store(
        self,
        base: SSAValue,
        offset: Value,
        value: SSAValue,
        mask: SSAValue | None,
        atomic: str | None = None,
    ) -> None:
        """Store elements where the mask is set; or combine them by an atomic of a kind."""
        values = [self.pointer(base, offset), value, *([] if mask is None else [mask])]
        kind = {} if atomic is None else {"kind": StringAttr(atomic)}
        op_class = triton.StoreOp if atomic is None else triton.AtomicOp
        self.append(op_class.create(operands=self.unify(values), properties={**kind}))

    def loop(
        self,
        extent: int,
        step: int,
        starts: Sequence[SSAValue],
        body: Callable[[SSAValue, list[SSAValue]], Sequence[SSAValue]],
        hint: str = "k",
    ) -> list[SSAValue]:
        """`for k in range(0, extent, step)` with carried values, updated by `body`."""
        return self.loop_between(0, extent, step, starts, body, hint)

    def loop_between(
        self,
        low: Value,
        high: Value,
        step: int,
        starts: Sequence[SSAValue],
        body: Callable[[SSAValue, list[SSAValue]], Sequence[SSAValue]],
        hint: str = "k",
        *,
        flatten: bool = False,
    ) -> list[SSAValue]:
        """`for k in range(low, high, step)` with carried values, updated by `body`.

        `flatten`: whether it becomes one loop with the one inside of it. Triton types a
        counter by its limits alone; `body` gets it as an index.
        """
        types = [v.type for v in starts]
        counter_type = self.index_type
        if isinstance(low, int) and isinstance(high, int):
            counter_type = i32 if high + step < 1 << 31 else i64
        block = Block(arg_types=[counter_type, *types])
        counter, *carried = block.args
        counter.name_hint = hint
        depth = len(self.blocks)
        self.blocks.append(block)
        self._numbers.append({})
        for argument in block.args:
            self._depth[argument] = depth
        for argument in carried:
            argument.name_hint = "acc"
        results = body(self.to_index(counter), list(carried))
        results = [
            self.to_shape(v, shape_of(t)) for v, t in zip(results, types, strict=True)
        ]
        self.append(scf.YieldOp(*results))
        self.blocks.pop()
        self._numbers.pop()
        limits = (low, high, step)
        first, end, by = (
            self.constant(n, counter_type) if isinstance(n, int) else n for n in limits
        )
        op = scf.ForOp(first, end, by, starts, Region(block))
        op.attributes |= {triton.FLATTEN: UnitAttr()} if flatten else {}
        self.append(op)
        return list(op.results)
