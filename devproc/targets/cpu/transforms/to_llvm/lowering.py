"""The state of lowering a function to `llvm`: the lowered form of each value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.targets.cpu.transforms.to_llvm.addresses import AddressBuilder
from devproc.targets.cpu.transforms.to_llvm.linear_index import LinearIndex
from devproc.targets.cpu.transforms.to_llvm.types import (
    AnyMemRef,
    UnsupportedTypeError,
    convert_type,
    memory_type,
    strides_of,
)

Rule = Callable[["FunctionLowering", Operation], None]
"""Lowers one op: appends `llvm` ops and binds the results."""


class FunctionLowering(AddressBuilder):
    """Lowers a source function, op by op.

    `rules` maps op names to rules; `module` collects what a function needs around it
    (bodies of parallel loops, declarations).
    """

    def __init__(
        self,
        name: str,
        argument_types: Sequence[Attribute],
        rules: Mapping[str, Rule],
        module: ModuleLowering,
    ):
        super().__init__(name, argument_types)
        self.rules = rules
        self.module = module
        self.values: dict[SSAValue, SSAValue] = {}
        self._indices: dict[SSAValue, LinearIndex] = {}
        """Source indices as symbolic sums; a value is computed only when needed."""
        self.argument_attributes: dict[SSAValue, DictionaryAttr] = {}
        self.inside_parallel = False

    def get(self, value: SSAValue) -> SSAValue:
        """The lowered form of a source value; constants are created on first use."""
        found = self.values.get(value)
        if found is None:
            self._define(value)
            found = self.values.get(value)
        return self.sum(self._indices[value]) if found is None else found

    def _define(self, value: SSAValue) -> None:
        """Lower the constant that defines a value, unless it is already lowered."""
        if value in self.values or value in self._indices:
            return
        owner = value.owner
        if not isinstance(owner, arith.ConstantOp):
            self.fail(
                "uses a value that this function does not define",
                owner if isinstance(owner, Operation) else None,
            )
        self.rules[owner.name](self, owner)

    def set(self, value: SSAValue, lowered: SSAValue) -> None:
        """Bind a source value to its lowered form."""
        self.values[value] = lowered

    def index(self, value: SSAValue) -> LinearIndex:
        """A source index as a symbolic sum."""
        found = self._indices.get(value)
        if found is None:
            self._define(value)
            found = self._indices.get(value)
        if found is None:
            lowered = self.values[value]
            known = self.integers.get(lowered)
            found = (
                LinearIndex({lowered: 1}) if known is None else LinearIndex({}, known)
            )
            self._indices[value] = found
        return found

    def set_index(self, value: SSAValue, index: LinearIndex) -> None:
        """Bind a source index to a symbolic sum, which is computed when needed."""
        self._indices[value] = index
        if index.value is not None:
            self.values[value] = index.value

    def integer(self, value: SSAValue) -> int | None:
        """The value of a source integer or index; None if it is not constant."""
        index = self._indices.get(value)
        if index is not None:
            return None if index.terms else index.constant
        return self.integers.get(self.get(value))

    def lower_block(self, block: Block) -> None:
        """Lower the ops of a source block in order, except its terminator."""
        terminator = block.last_op
        with self.scope():
            for op in block.ops:
                if op is not terminator:
                    self.lower(op)
                    self.enter_block()

    def lower(self, op: Operation) -> None:
        """Lower one op by its rule."""
        rule = self.rules.get(op.name)
        if rule is None:
            self.fail(
                "has no rule; an earlier stage must remove it, or it belongs to "
                "another device",
                op,
            )
        outer, self.location = self.location, op.location
        try:
            rule(self, op)
        except UnsupportedTypeError as error:
            self.fail(f"has a type that cannot be lowered: {error}", op)
        self.location = outer

    def element_number(self, memref: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        """The linear index of an element of a source memref."""
        return self.sum(self._place(memref, indices))

    def element_pointer(
        self, memref: SSAValue, indices: Sequence[SSAValue]
    ) -> SSAValue:
        """Address of an element of a source memref; it may be out of bounds."""
        return self.pointer_to(memref, self._place(memref, indices))

    def pointer_to(self, memref: SSAValue, place: LinearIndex) -> SSAValue:
        """Address of an element of a source memref by its linear index."""
        element = memory_type(cast(AnyMemRef, memref.type).element_type)
        return self.move_pointer(self.get(memref), place, element)

    def _place(self, memref: SSAValue, indices: Sequence[SSAValue]) -> LinearIndex:
        strides = strides_of(cast(AnyMemRef, memref.type))
        return LinearIndex.total(zip(map(self.index, indices), strides, strict=True))

    def results_type(self, op: Operation) -> tuple[Attribute, ...]:
        """The converted types of the op's results."""
        return tuple(convert_type(result.type) for result in op.results)


class ModuleLowering:
    """State shared by the functions of a module: new functions, declarations, and the
    names of called functions and of constant tables.

    Parallel loops stay loops if the target has one thread; `names` are the symbols of
    the module.
    """

    def __init__(self, target: TargetAttr, names: Iterable[str] = ()):
        self.target = target
        self.parallel = target.threads.data > 1
        self._names = set(names)
        self.functions: list[llvm.FuncOp] = []
        self.declared: dict[str, llvm.FuncOp] = {}
        self.called: dict[str, Operation] = {}
        self.tables: set[str] = set()
        self.accesses = 0
        """Number of rows of the table of violations."""

    def declare(self, name: str, type_: llvm.LLVMFunctionType) -> None:
        """Declare a function that another library defines, once."""
        if name not in self.declared:
            self.declared[name] = llvm.FuncOp(
                name, type_, linkage=llvm.LinkageAttr("external")
            )

    def unique_name(self, stem: str) -> str:
        """The first of `stem_0`, `stem_1`, ... that is not a symbol yet."""
        name = next(name for i in count() if (name := f"{stem}_{i}") not in self._names)
        self._names.add(name)
        return name
