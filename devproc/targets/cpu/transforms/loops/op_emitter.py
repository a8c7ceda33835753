"""Appends single ops to a kernel, and folds index arithmetic.

Constants are unique per function, at its start. Creating an op with `.create` takes a
third of the time of its constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeVar, cast

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from devproc.arithmetic.index_builder import IndexBuilder
from devproc.dialects import plan, simd
from devproc.dialects.dev import OnAttr
from devproc.ir.append_op import append_op
from devproc.ir.dtypes import ALIGNMENT
from devproc.targets.cpu.transforms.loops.vector_types import (
    INDEX,
    AnyVector,
    is_vector_type,
    memref_of,
    vector_type,
)

OpT = TypeVar("OpT", bound=Operation)


@cache
def index_attr(value: int) -> IntegerAttr[IndexType]:
    """An index as an attribute."""
    return IntegerAttr(value, INDEX)


@cache
def _dense(
    values: tuple[float, ...], texts: tuple[str, ...], type_: AnyVector
) -> Attribute:
    numbers = cast("VectorType[Float32Type]", type_)
    return DenseIntOrFPElementsAttr.from_list(numbers, values)


class OpEmitter(IndexBuilder[SSAValue]):
    """Ops under construction for one function.

    `block` receives the next op. `known` holds the values that are constant indices.
    """

    DIVISION = arith.DivUIOp
    REMAINDER = arith.RemUIOp
    MINIMUM = arith.MinUIOp

    def __init__(self, entry: Block):
        self.entry = entry
        self.block = Block()
        self.location = entry.first_op.location if entry.first_op else None
        self.known: dict[SSAValue, int] = {}
        self._shared: dict[tuple[object, ...], SSAValue] = {}
        self._last_shared: Operation | None = None

    def adopt(self) -> None:
        """Reuse the constants and views at the start of the function, as left by an
        earlier pass."""
        for op in self.entry.ops:
            match op:
                case arith.ConstantOp():
                    key = (op.value, op.result.type)
                    if isinstance(op.value, IntegerAttr) and op.result.type == INDEX:
                        self.known[op.result] = op.value.value.data
                case plan.ViewOp():
                    key = (op.source, op.result.type)
                case memref.AllocaOp():
                    continue
                case _:
                    return
            self._shared.setdefault(key, op.results[0])
            self._last_shared = op

    def take(self) -> list[Operation]:
        """Detach and return the emitted ops; the next op begins a new block."""
        made = list(self.block.ops)
        for op in made:
            op.detach()
        self.block = Block()
        return made

    def replace(
        self, ops: Sequence[Operation], results: Sequence[SSAValue] = ()
    ) -> None:
        """Replace `ops` by the emitted ops.

        `results` replace the results of the last of them.
        """
        assert self.block.parent is None
        made, parent = list(self.block.ops), ops[0].parent
        assert parent is not None
        for op in made:
            op.detach()
        parent.insert_ops_before(made, ops[-1])
        for old, new in zip(ops[-1].results, results, strict=True):
            old.replace_all_uses_with(new)
        for op in reversed(ops):
            op.detach()
            op.erase()

    # Single ops.

    def emit(
        self,
        op_class: type[OpT],
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> OpT:
        """Append an op."""
        return append_op(
            self.block,
            op_class,
            operands,
            result_types,
            properties or {},
            self.location,
            regions,
        )

    def value(
        self,
        op_class: type[Operation],
        operands: Sequence[SSAValue],
        result_type: Attribute | None = None,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        """Append an op with one result (of its first operand's type) and return
        that."""
        type_ = operands[0].type if result_type is None else result_type
        return self.emit(op_class, operands, (type_,), properties).results[0]

    def append(self, op: Operation) -> Operation:
        """Append an op that exists already."""
        self.block.add_op(op)
        return op

    def place(self, op: OpT) -> OpT:
        """Append an op that its constructor has just made."""
        if self.location is not None:
            op.location = self.location
        self.block.add_op(op)
        return op

    def shared(
        self, key: tuple[object, ...], make: Callable[[], Operation]
    ) -> SSAValue:
        """The result of an op that exists once per function: at its start, or right
        after the op's operands."""
        found = self._shared.get(key)
        if found is None:
            op = make()
            op.location = self.location or op.location
            found = self._shared[key] = op.results[0]
            made_later = self._defined_later(op)
            if made_later is not None:
                self.entry.insert_op_after(op, made_later)
                return found
            first = self.entry.first_op
            if self._last_shared is not None and self._last_shared.parent is self.entry:
                self.entry.insert_op_after(op, self._last_shared)
            elif first is not None:
                self.entry.insert_op_before(op, first)
            else:
                self.entry.add_op(op)
            self._last_shared = op
        return found

    def _defined_later(self, op: Operation) -> Operation | None:
        """The op in the function's block that defines an operand, such as an
        allocation; not a shared one."""
        for operand in op.operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner.parent is self.entry:
                return None if operand in self._shared.values() else owner
        return None

    # Constants.

    def constant(self, value: Attribute, type_: Attribute) -> SSAValue:
        """A constant, made once for the function."""

        def make() -> Operation:
            return arith.ConstantOp.create(
                result_types=(type_,), properties={"value": value}
            )

        return self.shared((value, type_), make)

    def index(self, value: int) -> SSAValue:
        """A constant index."""
        result = self.constant(index_attr(value), INDEX)
        if result not in self.known:
            self.known[result] = value
            result.name_hint = f"c{value}" if value >= 0 else None
        return result

    def number(self, value: float, type_: Attribute) -> SSAValue:
        """A constant of this type; for a vector type, in every lane."""
        if is_vector_type(type_):
            return self.lanes((value,), type_)
        if isinstance(type_, IndexType):
            return self.index(int(value))
        if isinstance(type_, IntegerType):
            integer = cast("IntegerType[int]", type_)
            return self.constant(IntegerAttr(int(value), integer), integer)
        return self.constant(FloatAttr(value, cast(AnyFloat, type_)), type_)

    def lanes(self, values: Sequence[float], type_: AnyVector) -> SSAValue:
        """A constant vector from the values of its lanes, or one value for all."""
        # The text is part of the key: 0.0 and -0.0 compare equal.
        return self.constant(
            _dense(tuple(values), tuple(map(repr, values)), type_), type_
        )

    # Index arithmetic, see `IndexBuilder`.

    def known_index(self, value: SSAValue) -> int | None:
        """The constant value of an index."""
        return self.known.get(value)

    def index_op(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        """An op on two indices."""
        return self.value(op, (a, b))

    def quotient(self, a: SSAValue, b: int) -> SSAValue:
        """The exact quotient of an index by `b`; folds a product with `b`."""
        product = a.owner
        if isinstance(product, arith.MuliOp):
            factor, number = product.operands
            if self.known.get(number) == b:
                return factor
        return self.div(a, b)

    # Memory.

    def stack(self, *shape: int, element: Attribute = f32) -> SSAValue:
        """A buffer on the stack of the executing thread."""
        space = OnAttr.get("cpu")
        op = memref.AllocaOp.get(element, ALIGNMENT, shape, memory_space=space)
        return self.append(op).results[0]

    def load(self, source: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        """Load one element."""
        element = memref_of(source).element_type
        result = self.value(memref.LoadOp, (source, *indices), element)
        result.name_hint = source.name_hint
        return result

    def store(
        self, value: SSAValue, target: SSAValue, indices: Sequence[SSAValue]
    ) -> None:
        """Store one element."""
        self.emit(memref.StoreOp, (value, target, *indices))

    def load_vector(
        self, source: SSAValue, indices: Sequence[SSAValue], lanes: int
    ) -> SSAValue:
        """Load `lanes` adjacent elements along the last dimension."""
        type_ = vector_type(memref_of(source).element_type, lanes)
        result = self.value(vector.LoadOp, (source, *indices), type_)
        result.name_hint = source.name_hint
        return result

    def store_vector(
        self, value: SSAValue, target: SSAValue, indices: Sequence[SSAValue]
    ) -> None:
        """Store a vector along the last dimension."""
        self.emit(vector.StoreOp, (value, target, *indices))

    def prefetch(self, source: SSAValue, indices: Sequence[SSAValue]) -> None:
        """Prefetch the cache line of an element."""
        self.emit(simd.PrefetchOp, (source, *indices))

    def broadcast(self, value: SSAValue, lanes: int) -> SSAValue:
        """A scalar in every lane."""
        type_ = vector_type(value.type, lanes)
        return self.value(vector.BroadcastOp, (value,), type_)

    def shuffle(self, a: SSAValue, b: SSAValue, mask: Sequence[int]) -> SSAValue:
        """Shuffle the lanes of two vectors of one type, numbered through both."""
        properties = {"mask": DenseArrayBase.from_list(i64, mask)}
        type_ = vector_type(cast(AnyVector, a.type).element_type, len(mask))
        return self.value(vector.ShuffleOp, (a, b), type_, properties)
