"""Builds the ops of one `llvm` function.

Creating an op takes 8 microseconds with `.create`, three times as long with its
constructor, and a type takes longer than the op. So ops are created directly, types and
small attributes are cached, and constants exist once per function.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn, TypeVar, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    StringAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.ir.append_op import append_op
from devproc.ir.text.location import describe_location
from devproc.targets.cpu.dialects.llvm_ext.ops import GEPOp, PoisonOp
from devproc.targets.cpu.transforms.to_llvm.properties import (
    NO_BUNDLES,
    NO_FLAGS,
    NO_WRAP,
    UNIT,
    call_properties,
    integer_attr,
    number_attr,
    static_indices,
    step_properties,
)
from devproc.targets.cpu.transforms.to_llvm.types import POINTER, AnyVector

OpT = TypeVar("OpT", bound=Operation)

STACK_ALIGNMENT = 64
MAX_STATIC_INDEX = 2**31 - 2
"""Largest constant index of a `getelementptr`: 32 bits, with one reserved value."""
MAX_STACK_BYTES = 1024 * 1024
"""Limit of one function's stack use; workers have stacks of a few megabytes."""


def _dense(values: Sequence[float], type_: AnyVector) -> Attribute:
    numbers = cast(VectorType[IntegerType], type_)
    return DenseIntOrFPElementsAttr.from_list(numbers, cast(Sequence[int], values))


class FunctionBuilder:
    """One function under construction: its blocks, the current one, its constants."""

    def __init__(self, name: str, argument_types: Sequence[Attribute]):
        self.name = name
        self.region = Region()
        self.entry = Block(arg_types=argument_types)
        self.region.add_block(self.entry)
        self.block = self.entry
        self.location: LocationAttr | None = None
        self.integers: dict[SSAValue, int] = {}
        self.constants: dict[tuple[Attribute, Attribute], SSAValue] = {}
        self._entry_ops: list[Operation] = []
        self._stack_bytes = 0

    def fail(self, why: str, op: Operation | None = None) -> NoReturn:
        """Raise an error that names the op, its function and the user's source line."""
        what = f"'{op.name}' " if op is not None else ""
        location = op.location if op is not None else self.location or UNKNOWN_LOC
        where = describe_location(location)
        raise PassFailedException(
            f"convert-to-llvm: in @{self.name} ({where}): {what}{why}"
        )

    def emit(
        self,
        op_class: type[OpT],
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] = {},
        successors: Sequence[Block] = (),
    ) -> OpT:
        """Append an op to the current block."""
        return append_op(
            self.block,
            op_class,
            operands,
            result_types,
            properties,
            self.location,
            successors=successors,
        )

    def value(
        self,
        op_class: type[Operation],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: Mapping[str, Attribute] = {},
    ) -> SSAValue:
        """Append an op with one result and return that."""
        return self.emit(op_class, operands, (result_type,), properties).results[0]

    def new_block(self, argument_types: Sequence[Attribute] = ()) -> Block:
        """A new block at the end of the function, not yet the current one."""
        block = Block(arg_types=argument_types)
        self.region.add_block(block)
        return block

    def branch(self, target: Block, arguments: Sequence[SSAValue] = ()) -> None:
        """End the current block with a jump."""
        self.emit(llvm.BrOp, arguments, successors=(target,))

    def branch_if(
        self,
        condition: SSAValue,
        then: Block,
        then_arguments: Sequence[SSAValue],
        otherwise: Block,
        otherwise_arguments: Sequence[SSAValue],
    ) -> None:
        """End the current block with a conditional jump."""
        sizes = (1, len(then_arguments), len(otherwise_arguments))
        self.emit(
            llvm.CondBrOp,
            (condition, *then_arguments, *otherwise_arguments),
            properties={"operandSegmentSizes": static_indices(sizes)},
            successors=(then, otherwise),
        )

    def constant(self, value: Attribute, type_: Attribute) -> SSAValue:
        """A constant of an `llvm` type, unique, at the start of the function."""
        key = (value, type_)
        found = self.constants.get(key)
        if found is None:
            found = self._entry_value(llvm.ConstantOp, (), type_, {"value": value})
            self.constants[key] = found
            if isinstance(value, IntegerAttr):
                self.integers[found] = value.value.data
        return found

    def poison(self, type_: Attribute) -> SSAValue:
        """A poison value of this type, unique in the function."""
        key = (UNIT, type_)
        found = self.constants.get(key)
        if found is None:
            found = self.constants[key] = self._entry_value(PoisonOp, (), type_)
        return found

    def number(self, value: int, type_: Attribute = i64) -> SSAValue:
        """An integer constant."""
        return self.constant(number_attr(value, type_), type_)

    def float_number(self, value: float, type_: Attribute) -> SSAValue:
        """A float constant."""
        return self.constant(FloatAttr(value, type_), type_)  # type: ignore[arg-type]

    def splat(self, value: float, type_: AnyVector) -> SSAValue:
        """A vector constant with all lanes equal."""
        if not math.isfinite(value):
            return self._joined_lanes((value,) * type_.get_shape()[0], type_)
        return self.constant(_dense((value,), type_), type_)

    def lanes(self, values: Sequence[float], type_: AnyVector) -> SSAValue:
        """A vector constant from its lanes.

        xDSL parses the infinities and NaNs that it prints in `dense<...>` as large
        finite numbers, so a vector that contains one is built lane by lane.
        """
        if len(set(values)) == 1 and values[0] != 0:
            return self.splat(values[0], type_)
        if all(map(math.isfinite, values)):
            return self.constant(_dense(values, type_), type_)
        return self._joined_lanes(values, type_)

    def _joined_lanes(self, values: Sequence[float], type_: AnyVector) -> SSAValue:
        """A vector built lane by lane at the start of the function, which dominates all
        uses.
        """
        numbers = [
            FloatAttr(value, cast(AnyFloat, type_.element_type)) for value in values
        ]
        key = (ArrayAttr(numbers), type_)
        found = self.constants.get(key)
        if found is not None:
            return found
        result = poison = self.poison(type_)
        for lane, number in enumerate(numbers[: 1 if len(set(numbers)) == 1 else None]):
            scalar = self.constant(number, type_.element_type)
            operands = (result, scalar, self.number(lane))
            result = self._entry_value(llvm.InsertElementOp, operands, type_)
        if len(set(numbers)) == 1:
            mask = static_indices((0,) * len(numbers))
            operands = (result, poison)
            result = self._entry_value(
                llvm.ShuffleVectorOp, operands, type_, {"mask": mask}
            )
        self.constants[key] = result
        return result

    def repeat(self, scalar: SSAValue, type_: AnyVector) -> SSAValue:
        """A vector with a scalar in all lanes."""
        poison = self.poison(type_)
        operands = (poison, scalar, self.number(0))
        first = self.value(llvm.InsertElementOp, operands, type_)
        return self.shuffle(first, poison, (0,) * type_.get_shape()[0], type_)

    def shuffle(
        self, a: SSAValue, b: SSAValue, mask: tuple[int, ...], type_: AnyVector
    ) -> SSAValue:
        """Lanes of two vectors by number; -1 is poison."""
        properties: dict[str, Attribute] = {"mask": static_indices(mask)}
        return self.value(llvm.ShuffleVectorOp, (a, b), type_, properties)

    def constant_like(self, value: int, type_: Attribute) -> SSAValue:
        """An integer constant, in all lanes if the type is a vector."""
        if isinstance(type_, VectorType):
            return self.splat(value, cast(AnyVector, type_))
        return self.number(value, type_)

    def drop_unused_constants(self) -> None:
        """Remove unused constants (folded indices and bounds)."""
        for op in reversed(self._entry_ops):
            if op.results[0].first_use is None:
                self.entry.erase_op(op)

    def _entry_value(
        self,
        op_class: type[Operation],
        operands: Sequence[SSAValue],
        type_: Attribute,
        properties: Mapping[str, Attribute] = {},
    ) -> SSAValue:
        """Insert a constant at the start of the function, in the order of first use."""
        op = op_class.create(
            operands=operands, result_types=(type_,), properties=properties
        )
        if self._entry_ops:
            self.entry.insert_op_after(op, self._entry_ops[-1])
        elif self.entry.first_op is not None:
            self.entry.insert_op_before(op, self.entry.first_op)
        else:
            self.entry.add_op(op)
        self._entry_ops.append(op)
        return op.results[0]

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Sum of two indices; folded if both are constant."""
        x, y = self.integers.get(a), self.integers.get(b)
        if x is not None and y is not None:
            return self.number(x + y, a.type)
        if x == 0 or y == 0:
            return b if x == 0 else a
        return self.value(llvm.AddOp, (a, b), a.type, NO_WRAP)

    def multiply(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Product of two indices; folded if both are constant."""
        x, y = self.integers.get(a), self.integers.get(b)
        if x is not None and y is not None:
            return self.number(x * y, a.type)
        if x == 1 or y == 1:
            return b if x == 1 else a
        return self.value(llvm.MulOp, (a, b), a.type, NO_WRAP)

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Compare two integers."""
        flag = llvm.ICmpPredicateFlag(predicate).to_int()
        return self.value(llvm.ICmpOp, (a, b), i1, {"predicate": integer_attr(flag)})

    def offset_pointer(
        self,
        pointer: SSAValue,
        indices: Iterable[SSAValue],
        element: Attribute,
        result_type: Attribute = POINTER,
    ) -> SSAValue:
        """`getelementptr`; constant indices go into the op itself.

        It is not `inbounds`: intermediate steps may point outside of the buffer.
        """
        static: list[int] = []
        dynamic: list[SSAValue] = []
        for index in indices:
            known = self.integers.get(index)
            if known is not None and abs(known) <= MAX_STATIC_INDEX:
                static.append(known)
            else:
                static.append(llvm.GEP_USE_SSA_VAL)
                dynamic.append(index)
        if not dynamic and not any(static):
            return pointer
        properties = step_properties(element, tuple(static))
        return self.value(GEPOp, (pointer, *dynamic), result_type, properties)

    def shift_pointer(
        self, pointer: SSAValue, count: int, element: Attribute
    ) -> SSAValue:
        """A pointer moved by a number of elements."""
        if not count:
            return pointer
        if abs(count) > MAX_STATIC_INDEX:
            return self.offset_pointer(pointer, (self.number(count),), element)
        properties = step_properties(element, (count,))
        return self.value(GEPOp, (pointer,), POINTER, properties)

    def stack(self, type_: Attribute, count: int, bytes_: int) -> SSAValue:
        """A stack buffer of the function, allocated once at its start."""
        self._stack_bytes += bytes_
        if self._stack_bytes > MAX_STACK_BYTES:
            self.fail(
                f"needs {self._stack_bytes} bytes of stack; the limit is "
                f"{MAX_STACK_BYTES}: allocate it as scratch of the memory plan"
            )
        size = self.number(count)
        op = llvm.AllocaOp.create(
            operands=(size,),
            result_types=(POINTER,),
            properties={
                "alignment": integer_attr(STACK_ALIGNMENT),
                "elem_type": type_,
            },
        )
        self.entry.insert_op_after(op, cast(Operation, size.owner))
        return op.results[0]

    def call(
        self,
        callee: str,
        arguments: Sequence[SSAValue],
        result_types: Sequence[Attribute] = (),
    ) -> llvm.CallOp:
        """Call a function of the module by name."""
        properties = call_properties(callee, len(arguments))
        return self.emit(llvm.CallOp, arguments, result_types, properties)

    def call_intrinsic(
        self,
        name: str,
        arguments: Sequence[SSAValue],
        result_types: Sequence[Attribute] = (),
    ) -> llvm.CallIntrinsicOp:
        """Call an intrinsic of LLVM by its full name."""
        properties: dict[str, Attribute] = {
            "intrin": StringAttr(name),
            **NO_FLAGS,
            **NO_BUNDLES,
            "operandSegmentSizes": static_indices((len(arguments), 0)),
        }
        return self.emit(llvm.CallIntrinsicOp, arguments, result_types, properties)
