"""Rules that lower `memref` to `llvm`: a memref is a bare pointer with static shape.

Views (`subview`, `reinterpret_cast`, `collapse_shape`, ...) at most offset the pointer;
the strides of their result type determine the indexing. The pointer of a view already
includes the offset of its layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    SymbolRefAttr,
    i1,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.targets.cpu.dialects.llvm_ext import intrinsics
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.to_llvm.linear_index import LinearIndex
from devproc.targets.cpu.transforms.to_llvm.lowering import (
    FunctionLowering,
    Rule,
)
from devproc.targets.cpu.transforms.to_llvm.properties import alignment_of
from devproc.targets.cpu.transforms.to_llvm.types import (
    POINTER,
    AnyMemRef,
    byte_width,
    convert_type,
    memory_type,
    size_in_bytes,
    strides_of,
)


def memref_of(value: SSAValue) -> AnyMemRef:
    """The type of a value that is known to be a memref."""
    return cast(AnyMemRef, value.type)


def access_alignment(op: Operation, element: Attribute) -> int:
    """Alignment of an access in bytes: its attribute `alignment`, else one element's.

    Without it LLVM would assume the natural alignment of vectors, and unaligned
    accesses would crash.
    """
    stated = op.attributes.get("alignment") or op.properties.get("alignment")
    if isinstance(stated, IntegerAttr):
        return stated.value.data
    return byte_width(element)


def lower_load(fn: FunctionLowering, op: Operation) -> None:
    """`memref.load`: a bool is a nonzero byte."""
    source, *indices = op.operands
    element = memref_of(source).element_type
    pointer = fn.element_pointer(source, indices)
    properties = alignment_of(access_alignment(op, element))
    loaded = fn.value(llvm.LoadOp, (pointer,), memory_type(element), properties)
    if convert_type(element) == i1:
        loaded = fn.compare("ne", loaded, fn.number(0, i8))
    fn.set(op.results[0], loaded)


def lower_store(fn: FunctionLowering, op: Operation) -> None:
    """`memref.store`: a bool is stored as the byte 0 or 1."""
    source, target, *indices = op.operands
    element = memref_of(target).element_type
    value = fn.get(source)
    pointer = fn.element_pointer(target, indices)
    if value.type == i1:
        value = fn.value(llvm.ZExtOp, (value,), i8)
    properties = alignment_of(access_alignment(op, element))
    fn.emit(llvm.StoreOp, (value, pointer), properties=properties)


def lower_prefetch(fn: FunctionLowering, op: Operation) -> None:
    """`simd.prefetch`: a read (0) of data (1) into the L1 (3) or L2 cache (2)."""
    source, *indices = op.operands
    pointer = fn.element_pointer(source, indices)
    flags = (0, 4 - machine_of(fn.module.target).prefetch_level.data, 1)
    operands = (pointer, *(fn.number(flag, i32) for flag in flags))
    fn.call_intrinsic("llvm.prefetch.p0", operands)


def lower_alloca(fn: FunctionLowering, op: Operation) -> None:
    """`memref.alloca` and small `memref.alloc`: on the stack of the function."""
    type_ = memref_of(op.results[0])
    bytes_ = size_in_bytes(type_)
    element = memory_type(type_.element_type)
    count = bytes_ // byte_width(type_.element_type)
    fn.set(op.results[0], fn.stack(element, count, bytes_))


def lower_nothing(_: FunctionLowering, __: Operation) -> None:
    """`memref.dealloc`: nothing to do, stack memory is freed on return."""


def lower_alias(fn: FunctionLowering, op: Operation) -> None:
    """A view with the address of its source."""
    strides_of(memref_of(op.results[0]))
    fn.set(op.results[0], fn.get(op.operands[0]))


def _offsets(
    fn: FunctionLowering, static: Sequence[int], dynamic: Sequence[SSAValue]
) -> list[LinearIndex]:
    values = iter(dynamic)
    return [
        fn.index(next(values))
        if offset == DYNAMIC_INDEX
        else LinearIndex(constant=offset)
        for offset in static
    ]


def lower_subview(fn: FunctionLowering, op: Operation) -> None:
    """`memref.subview`: the pointer to the first element of the view."""
    view = cast(memref.SubviewOp, op)
    strides_of(memref_of(view.result))
    offsets = _offsets(fn, view.static_offsets.get_values(), view.offsets)
    strides = strides_of(memref_of(view.source))
    place = LinearIndex.total(zip(offsets, strides, strict=True))
    fn.set(view.result, fn.pointer_to(view.source, place))


def lower_slice(fn: FunctionLowering, op: Operation) -> None:
    """`plan.slice`: the pointer to the slice of a step."""
    source, index = op.operands
    step = strides_of(memref_of(source))[0]
    place = LinearIndex.total([(fn.index(index), step)])
    fn.set(op.results[0], fn.pointer_to(source, place))


def lower_reinterpret_cast(fn: FunctionLowering, op: Operation) -> None:
    """`memref.reinterpret_cast`: its offset is relative to the start of the buffer."""
    view = cast(memref.ReinterpretCastOp, op)
    if memref_of(view.source).get_offset() != 0:
        fn.fail("needs a source that starts at offset 0 of its buffer", op)
    strides_of(memref_of(view.result))
    (offset,) = _offsets(fn, view.static_offsets.get_values(), view.offsets)
    fn.set(view.result, fn.pointer_to(view.source, offset))


def lower_view(fn: FunctionLowering, op: Operation) -> None:
    """`memref.view`: a typed window into bytes."""
    view = cast(memref.ViewOp, op)
    shift = fn.get(view.byte_shift)
    fn.set(view.result, fn.offset_pointer(fn.get(view.source), (shift,), i8))


def lower_copy(fn: FunctionLowering, op: Operation) -> None:
    """`memref.copy` between dense memrefs."""
    source, target = (memref_of(operand) for operand in op.operands)
    dense = all(t.get_strides() == _dense_strides(t) for t in (source, target))
    if not dense or source.get_shape() != target.get_shape():
        fn.fail(f"copies {source} to {target}; both must be dense, with one shape", op)
    pointers = [fn.get(operand) for operand in reversed(op.operands)]
    length = fn.number(size_in_bytes(source))
    volatile: dict[str, Attribute] = {"isVolatile": BoolAttr.from_bool(False)}
    fn.emit(intrinsics.MemcpyOp, (*pointers, length), properties=volatile)


def _dense_strides(type_: AnyMemRef) -> Sequence[int | None]:
    return type_.strides_for_shape(type_.get_shape())


def lower_dim(fn: FunctionLowering, op: Operation) -> None:
    """`memref.dim` of a constant dimension is a constant."""
    dimension = fn.integer(op.operands[1])
    shape = memref_of(op.operands[0]).get_shape()
    if dimension is None or not 0 <= dimension < len(shape):
        fn.fail("needs a constant dimension of a static memref", op)
        return
    fn.set(op.results[0], fn.number(shape[dimension]))


def lower_get_global(fn: FunctionLowering, op: Operation) -> None:
    """`memref.get_global`: the address of the constant table."""
    name = cast(SymbolRefAttr, op.properties["name"])
    fn.module.tables.add(name.string_value())
    properties: dict[str, Attribute] = {"global_name": name}
    fn.set(
        op.results[0],
        fn.value(llvm.AddressOfOp, (), POINTER, properties),
    )


def convert_global(op: memref.GlobalOp) -> llvm.GlobalOp:
    """`memref.global` with a value becomes an internal constant, 64-byte aligned."""
    type_ = op.type
    count = size_in_bytes(type_) // byte_width(type_.element_type)
    array = llvm.LLVMArrayType(count, memory_type(type_.element_type))
    value = op.initial_value
    if op.constant is None or not isinstance(value, DenseIntOrFPElementsAttr):
        raise PassFailedException(
            f"convert-to-llvm: memref.global @{op.sym_name.data} must be constant and "
            "have a value; the memory plan allocates mutable memory"
        )
    result = llvm.GlobalOp(
        array, op.sym_name, "internal", constant=True, value=value, alignment=64
    )
    result.location = op.location
    return result


RULES: dict[str, Rule] = {
    "memref.load": lower_load,
    "memref.store": lower_store,
    "simd.prefetch": lower_prefetch,
    "memref.alloca": lower_alloca,
    "memref.alloc": lower_alloca,
    "memref.dealloc": lower_nothing,
    "memref.subview": lower_subview,
    "memref.reinterpret_cast": lower_reinterpret_cast,
    "memref.collapse_shape": lower_alias,
    "memref.expand_shape": lower_alias,
    "memref.cast": lower_alias,
    "memref.memory_space_cast": lower_alias,
    "memref.view": lower_view,
    "memref.copy": lower_copy,
    "memref.dim": lower_dim,
    "memref.get_global": lower_get_global,
    "memref.assume_alignment": lower_alias,
    "plan.slice": lower_slice,
    "plan.view": lower_alias,
}
