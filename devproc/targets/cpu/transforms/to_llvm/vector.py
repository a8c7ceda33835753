"""Rules that lower `vector` and most of `simd` to `llvm`; vectors have one dimension.

Loads and stores have the alignment of one element unless the op specifies more, because
rows of a memref may start anywhere. Bools are bytes in memory and bits in a mask.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloatConstr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects import simd
from devproc.ir.identity_cache import cached_by_identity
from devproc.targets.cpu.dialects.llvm_ext import intrinsics
from devproc.targets.cpu.dialects.llvm_ext import ops as llvm_ops
from devproc.targets.cpu.transforms.to_llvm.arith import (
    fastmath_of,
    float_op,
    lower_bitcast,
)
from devproc.targets.cpu.transforms.to_llvm.lowering import (
    FunctionLowering,
    Rule,
)
from devproc.targets.cpu.transforms.to_llvm.memref import access_alignment, memref_of
from devproc.targets.cpu.transforms.to_llvm.properties import alignment_of, integer_attr
from devproc.targets.cpu.transforms.to_llvm.small_floats import convert_float, widen
from devproc.targets.cpu.transforms.to_llvm.types import (
    POINTER,
    AnyVector,
    convert_type,
    memory_type,
)


def _vector(type_: Attribute) -> AnyVector:
    return cast(AnyVector, type_)


def _lanes(type_: Attribute) -> int:
    return _vector(type_).get_shape()[0]


def _is_vector(type_: Attribute) -> bool:
    return isinstance(type_, VectorType)


def _compare_lanes(
    fn: FunctionLowering, predicate: str, a: SSAValue, b: SSAValue
) -> SSAValue:
    flag = llvm.ICmpPredicateFlag(predicate).to_int()
    mask = VectorType(i1, [_lanes(a.type)])
    return fn.value(llvm.ICmpOp, (a, b), mask, {"predicate": integer_attr(flag)})


def _to_mask(fn: FunctionLowering, bytes_: SSAValue) -> SSAValue:
    zero = fn.splat(0, _vector(bytes_.type))
    return _compare_lanes(fn, "ne", bytes_, zero)


@cached_by_identity
def _memory_vector(type_: Attribute) -> AnyVector:
    """The vector type in memory: bools are bytes."""
    vector_type = _vector(type_)
    return VectorType(memory_type(vector_type.element_type), vector_type.get_shape())


def lower_load(fn: FunctionLowering, op: Operation) -> None:
    """`vector.load`."""
    source, *indices = op.operands
    type_ = _memory_vector(op.results[0].type)
    alignment = alignment_of(access_alignment(op, memref_of(source).element_type))
    pointer = fn.element_pointer(source, indices)
    loaded = fn.value(llvm.LoadOp, (pointer,), type_, alignment)
    if _vector(op.results[0].type).element_type == i1:
        loaded = _to_mask(fn, loaded)
    fn.set(op.results[0], loaded)


def lower_store(fn: FunctionLowering, op: Operation) -> None:
    """`vector.store`."""
    source, target, *indices = op.operands
    value = fn.get(source)
    if _vector(source.type).element_type == i1:
        value = fn.value(llvm.ZExtOp, (value,), _memory_vector(source.type))
    alignment = alignment_of(access_alignment(op, memref_of(target).element_type))
    pointer = fn.element_pointer(target, indices)
    fn.emit(llvm.StoreOp, (value, pointer), properties=alignment)


def _mask_alignment(op: Operation, source: SSAValue) -> dict[str, Attribute]:
    bytes_ = access_alignment(op, memref_of(source).element_type)
    return {"alignment": integer_attr(bytes_, 32)}


def lower_masked_load(fn: FunctionLowering, op: Operation) -> None:
    """`vector.maskedload`; only the lanes that are read must be in bounds."""
    source, *indices, mask, pass_thru = op.operands
    type_ = _memory_vector(op.results[0].type)
    other = fn.get(pass_thru)
    is_bool = _vector(pass_thru.type).element_type == i1
    if is_bool:
        other = fn.value(llvm.ZExtOp, (other,), type_)
    pointer = fn.element_pointer(source, indices)
    loaded = fn.value(
        intrinsics.MaskedLoadOp,
        (pointer, fn.get(mask), other),
        type_,
        _mask_alignment(op, source),
    )
    fn.set(op.results[0], _to_mask(fn, loaded) if is_bool else loaded)


def _is_first_lane(mask: SSAValue) -> bool:
    """Whether a mask is constant and only its first lane is set."""
    owner = mask.owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    value = cast("DenseIntOrFPElementsAttr[IntegerType]", owner.value)
    first, *others = value.get_values()
    return bool(first) and not any(others)


def lower_masked_store(fn: FunctionLowering, op: Operation) -> None:
    """`vector.maskedstore`; a mask of one lane stores that lane.

    LLVM (22, x86 with AVX-512) turns a masked store of one lane whose value is clamped
    and truncated into a store of the wider lane, which overwrites the next elements.
    """
    target, *indices, mask, source = op.operands
    value = fn.get(source)
    if _vector(source.type).element_type == i1:
        value = fn.value(llvm.ZExtOp, (value,), _memory_vector(source.type))
    if _is_first_lane(mask):
        element = _vector(value.type).element_type
        lane = fn.value(llvm_ops.ExtractElementOp, (value, fn.number(0)), element)
        alignment = alignment_of(access_alignment(op, memref_of(target).element_type))
        pointer = fn.element_pointer(target, indices)
        fn.emit(llvm.StoreOp, (lane, pointer), properties=alignment)
        return
    pointer = fn.element_pointer(target, indices)
    fn.emit(
        intrinsics.MaskedStoreOp,
        (value, pointer, fn.get(mask)),
        properties=_mask_alignment(op, target),
    )


def lower_gather(fn: FunctionLowering, op: Operation) -> None:
    """`simd.gather`: one pointer per lane, offset in elements from a common base."""
    source, *indices, offsets, mask, pass_thru = op.operands
    element = memory_type(memref_of(source).element_type)
    type_ = _memory_vector(op.results[0].type)
    if _vector(op.results[0].type).element_type == i1:
        fn.fail("cannot gather bools; gather bytes and compare", op)
    base = fn.element_pointer(source, indices)
    pointers = fn.offset_pointer(
        base,
        (fn.get(offsets),),
        element,
        VectorType(POINTER, [_lanes(type_)]),
    )
    fn.set(
        op.results[0],
        fn.value(
            intrinsics.MaskedGatherOp,
            (pointers, fn.get(mask), fn.get(pass_thru)),
            type_,
            _mask_alignment(op, source),
        ),
    )


def broadcast(fn: FunctionLowering, scalar: SSAValue, type_: AnyVector) -> SSAValue:
    """A scalar broadcast to all lanes; a constant scalar gives a constant vector."""
    owner = scalar.owner
    if isinstance(owner, llvm.ConstantOp):
        value = owner.value
        if isinstance(value, IntegerAttr | FloatAttr):
            return fn.splat(value.value.data, type_)
    return fn.repeat(scalar, type_)


def lower_broadcast(fn: FunctionLowering, op: Operation) -> None:
    """`vector.broadcast` of a scalar, or of a vector of one lane."""
    source = fn.get(op.operands[0])
    type_ = _vector(convert_type(op.results[0].type))
    given = convert_type(op.operands[0].type)
    lanes = _lanes(given) if _is_vector(given) else 0
    if lanes == 0:
        result = broadcast(fn, source, type_)
    elif lanes == _lanes(type_):
        result = source
    elif lanes == 1:
        result = fn.shuffle(source, fn.poison(given), (0,) * _lanes(type_), type_)
    else:
        fn.fail("can only broadcast a scalar or a vector of one lane", op)
    fn.set(op.results[0], result)


def _position(fn: FunctionLowering, op: Operation) -> SSAValue:
    position = op.properties["static_position"]
    static = cast("DenseArrayBase[IntegerType]", position).get_values()
    if len(static) != 1:
        fn.fail("needs exactly one position; vectors here have one dimension", op)
    if static[0] == DYNAMIC_INDEX:
        return fn.get(op.operands[-1])
    return fn.number(int(static[0]))


def lower_extract(fn: FunctionLowering, op: Operation) -> None:
    """`vector.extract` of one lane."""
    operands = (fn.get(op.operands[0]), _position(fn, op))
    type_ = convert_type(op.results[0].type)
    fn.set(op.results[0], fn.value(llvm_ops.ExtractElementOp, operands, type_))


def lower_insert(fn: FunctionLowering, op: Operation) -> None:
    """`vector.insert` of one lane."""
    value, target = fn.get(op.operands[0]), fn.get(op.operands[1])
    operands = (target, value, _position(fn, op))
    fn.set(op.results[0], fn.value(llvm.InsertElementOp, operands, target.type))


def lower_shuffle(fn: FunctionLowering, op: Operation) -> None:
    """`vector.shuffle`; inputs of different length are widened first."""
    a, b = fn.get(op.operands[0]), fn.get(op.operands[1])
    mask = cast("DenseArrayBase[IntegerType]", op.properties["mask"]).get_values()
    type_ = _vector(convert_type(op.results[0].type))
    first, second = _lanes(a.type), _lanes(b.type)
    width = max(first, second)
    if first != second:
        a, b = _widen(fn, a, width), _widen(fn, b, width)
    # Lanes of the second input shift by as many lanes as the first was widened.
    moved = (int(m) + (width - first if m >= first else 0) for m in mask)
    fn.set(op.results[0], fn.shuffle(a, b, tuple(moved), type_))


def _widen(fn: FunctionLowering, value: SSAValue, width: int) -> SSAValue:
    lanes = _lanes(value.type)
    if lanes == width:
        return value
    mask = (*range(lanes), *(-1 for _ in range(width - lanes)))
    type_ = VectorType(_vector(value.type).element_type, [width])
    return fn.shuffle(value, fn.poison(value.type), mask, type_)


WITH_START: dict[str, tuple[type[Operation], float]] = {
    "add": (llvm.VectorReduceFAddOp, -0.0),
    "mul": (llvm.VectorReduceFMulOp, 1.0),
}
"""Float reductions that take a start value, and their neutral element."""

KINDS: dict[str, tuple[str, type[Operation]]] = {
    "add": ("add", llvm.AddOp),
    "mul": ("mul", llvm.MulOp),
    "and": ("and", llvm.AndOp),
    "or": ("or", llvm.OrOp),
    "xor": ("xor", llvm.XOrOp),
    "minsi": ("smin", intrinsics.SMinOp),
    "maxsi": ("smax", intrinsics.SMaxOp),
    "minui": ("umin", intrinsics.UMinOp),
    "maxui": ("umax", intrinsics.UMaxOp),
    "minnumf": ("fmin", llvm.VectorFMinOp),
    "maxnumf": ("fmax", llvm.VectorFMaxOp),
    "minimumf": ("fminimum", intrinsics.MinimumOp),
    "maximumf": ("fmaximum", intrinsics.MaximumOp),
}
"""`vector.kind` -> the reduction, and the op that combines its result with `acc`."""


def lower_reduction(fn: FunctionLowering, op: Operation) -> None:
    """`vector.reduction`: floats are added in lane order unless `reassoc` is given."""
    reduction = cast(vector.ReductionOp, op)
    kind = str(reduction.kind.data)
    source = widen(fn, fn.get(reduction.vector))
    acc = reduction.acc
    start = widen(fn, fn.get(acc)) if acc is not None else None
    type_ = _vector(source.type).element_type
    integer = not AnyFloatConstr.verifies(type_)
    flags = fastmath_of(op)
    if kind in WITH_START and not integer:
        target, neutral = WITH_START[kind]
        if start is None:
            start = fn.float_number(neutral, type_)
        result = fn.value(target, (start, source), type_, flags)
    else:
        name, join = KINDS[kind]
        reduce = intrinsics.REDUCTIONS[name]
        result = fn.value(reduce, (source,), type_, {} if integer else flags)
        if start is not None:
            result = fn.value(join, (start, result), type_, {} if integer else flags)
    if not integer:
        result = convert_float(fn, result, op.results[0].type)
    fn.set(op.results[0], result)


def lower_create_mask(fn: FunctionLowering, op: Operation) -> None:
    """`vector.create_mask`: the lanes below a bound."""
    mask = _vector(op.results[0].type)
    lanes = _lanes(mask)
    bound = fn.get(op.operands[0])
    known = fn.integers.get(bound)
    if known is not None:
        bits = [int(lane < known) for lane in range(lanes)]
        fn.set(op.results[0], fn.lanes(bits, mask))
        return
    type_ = VectorType(i64, [lanes])
    steps = _steps(fn, type_)
    fn.set(op.results[0], _compare_lanes(fn, "slt", steps, broadcast(fn, bound, type_)))


def _steps(fn: FunctionLowering, type_: AnyVector) -> SSAValue:
    return fn.lanes(range(_lanes(type_)), type_)


def lower_step(fn: FunctionLowering, op: Operation) -> None:
    """`simd.step` is a constant."""
    fn.set(op.results[0], _steps(fn, _vector(convert_type(op.results[0].type))))


def lower_call_intrinsic(fn: FunctionLowering, op: Operation) -> None:
    """`simd.call_intrinsic`."""
    name = cast(simd.CallIntrinsicOp, op).intrin.data
    arguments = [fn.get(operand) for operand in op.operands]
    type_ = convert_type(op.results[0].type)
    fn.set(op.results[0], fn.call_intrinsic(name, arguments, (type_,)).results[0])


RULES: dict[str, Rule] = {
    "vector.load": lower_load,
    "vector.store": lower_store,
    "vector.maskedload": lower_masked_load,
    "vector.maskedstore": lower_masked_store,
    "vector.broadcast": lower_broadcast,
    "vector.fma": float_op(llvm.FMAOp),
    "vector.extract": lower_extract,
    "vector.insert": lower_insert,
    "vector.shuffle": lower_shuffle,
    "vector.reduction": lower_reduction,
    "vector.bitcast": lower_bitcast,
    "vector.create_mask": lower_create_mask,
    "simd.call_intrinsic": lower_call_intrinsic,
    "simd.gather": lower_gather,
    "simd.step": lower_step,
}
