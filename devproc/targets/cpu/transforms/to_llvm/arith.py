"""Rules that lower `arith` to `llvm`, for scalars and vectors, with fast-math flags.

The casts and comparisons of `simd` are those of `arith` on vectors and use the same
rules.
"""

from __future__ import annotations

import math
from functools import cache
from typing import cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
    i1,
)
from xdsl.dialects.utils import FastMathAttrBase
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects import simd
from devproc.ir.identity_cache import cached_by_identity
from devproc.targets.cpu.dialects.llvm_ext import intrinsics
from devproc.targets.cpu.dialects.llvm_ext import ops as llvm_ops
from devproc.targets.cpu.transforms.to_llvm.linear_index import LinearIndex
from devproc.targets.cpu.transforms.to_llvm.lowering import (
    FunctionLowering,
    Rule,
)
from devproc.targets.cpu.transforms.to_llvm.properties import NO_FLAGS, integer_attr
from devproc.targets.cpu.transforms.to_llvm.small_floats import (
    convert_float,
    element_of,
    is_small_float,
    widen,
    with_element,
)
from devproc.targets.cpu.transforms.to_llvm.types import AnyVector, convert_type


@cached_by_identity
def _fastmath(flags: Attribute) -> dict[str, Attribute]:
    assert isinstance(flags, FastMathAttrBase)
    return {"fastmathFlags": llvm.FastMathAttr(flags.data)}


def fastmath_of(op: Operation) -> dict[str, Attribute]:
    """The properties that carry the op's fast-math flags.

    Some of xDSL's constructors leave the flags among the attributes.
    """
    flags = op.properties.get("fastmath") or op.attributes.get("fastmath")
    return NO_FLAGS if flags is None else _fastmath(flags)


@cache
def _overflow(flags: Attribute | None) -> dict[str, Attribute]:
    assert flags is None or isinstance(flags, arith.IntegerOverflowAttr)
    names = {str(flag) for flag in flags.data} if flags is not None else set[str]()
    bits = ("nsw" in names) + 2 * ("nuw" in names)
    return {"overflowFlags": integer_attr(bits, 32)}


def lower_constant(fn: FunctionLowering, op: Operation) -> None:
    """`arith.constant`: index becomes i64, as a scalar or in a vector."""
    value = op.properties["value"]
    if isinstance(op.results[0].type, IndexType):
        number = cast(IntegerAttr, value).value.data
        fn.set_index(op.results[0], LinearIndex({}, number))
        return
    type_ = convert_type(op.results[0].type)
    if isinstance(value, DenseIntOrFPElementsAttr):
        numbers = cast("tuple[float, ...]", value.get_values())
        if value.get_type() == type_ and all(map(math.isfinite, numbers)):
            result = fn.constant(cast(Attribute, value), type_)
        else:
            lanes = cast(AnyVector, type_).get_shape()[0]
            numbers = numbers * lanes if len(numbers) != lanes else numbers
            result = fn.lanes(numbers, cast(AnyVector, type_))
    elif isinstance(value, IntegerAttr):
        result = fn.number(cast(IntegerAttr, value).value.data, type_)
    elif isinstance(value, FloatAttr):
        result = fn.constant(cast(Attribute, value), type_)
    else:
        fn.fail("has a value that is not a number", op)
    fn.set(op.results[0], result)


def float_op(target: type[Operation]) -> Rule:
    """A rule: the same float op with its flags; small floats are computed in f32."""

    def lower(fn: FunctionLowering, op: Operation) -> None:
        operands = [widen(fn, fn.get(operand)) for operand in op.operands]
        result = fn.value(target, operands, operands[0].type, fastmath_of(op))
        type_ = convert_type(op.results[0].type)
        fn.set(op.results[0], convert_float(fn, result, type_))

    return lower


def plain_op(target: type[Operation]) -> Rule:
    """A rule: the same op, without flags (casts, bitwise and integer ops)."""

    def lower(fn: FunctionLowering, op: Operation) -> None:
        operands = [fn.get(operand) for operand in op.operands]
        fn.set(
            op.results[0],
            fn.value(target, operands, convert_type(op.results[0].type)),
        )

    return lower


def _wrapping_op(target: type[Operation]) -> Rule:
    def lower(fn: FunctionLowering, op: Operation) -> None:
        operands = [fn.get(operand) for operand in op.operands]
        fn.set(
            op.results[0],
            fn.value(
                target,
                operands,
                convert_type(op.results[0].type),
                _overflow(op.properties.get("overflowFlags")),
            ),
        )

    return lower


def lower_add(fn: FunctionLowering, op: Operation) -> None:
    """`arith.addi`; a sum of indices stays symbolic until it is needed."""
    if isinstance(op.results[0].type, IndexType):
        a, b = map(fn.index, op.operands)
        fn.set_index(op.results[0], LinearIndex.total(((a, 1), (b, 1))))
    else:
        _wrapping_add(fn, op)


def lower_subtract(fn: FunctionLowering, op: Operation) -> None:
    """`arith.subi`, likewise."""
    if isinstance(op.results[0].type, IndexType):
        a, b = map(fn.index, op.operands)
        fn.set_index(op.results[0], LinearIndex.total(((a, 1), (b, -1))))
    else:
        _wrapping_subtract(fn, op)


def lower_multiply(fn: FunctionLowering, op: Operation) -> None:
    """`arith.muli`; an index times a constant is a symbolic sum as well."""
    if not isinstance(op.results[0].type, IndexType):
        _wrapping_multiply(fn, op)
        return
    a, b = map(fn.index, op.operands)
    if a.terms and b.terms:
        product = fn.computed(llvm.MulOp, *map(fn.get, op.operands))
        fn.set(op.results[0], product)
    else:
        scaled = (a, b.constant) if a.terms else (b, a.constant)
        fn.set_index(op.results[0], LinearIndex.total((scaled,)))


_wrapping_add = _wrapping_op(llvm.AddOp)
_wrapping_subtract = _wrapping_op(llvm.SubOp)
_wrapping_multiply = _wrapping_op(llvm.MulOp)


def _compare(target: type[Operation]) -> Rule:
    """A rule for comparisons; predicates have equal numbers in `arith` and `llvm`."""
    floats = target is llvm_ops.FCmpOp

    def lower(fn: FunctionLowering, op: Operation) -> None:
        predicate = op.properties["predicate"]
        if isinstance(predicate, simd.FloatPredicateAttr):
            number = llvm.FCmpPredicateFlag(str(predicate.data)).to_int()
        elif isinstance(predicate, simd.IntegerPredicateAttr):
            number = llvm.ICmpPredicateFlag(str(predicate.data)).to_int()
        else:
            number = cast(IntegerAttr, predicate).value.data
        properties: dict[str, Attribute] = {"predicate": integer_attr(number)}
        operands = [fn.get(operand) for operand in op.operands]
        if floats:
            properties |= fastmath_of(op)
            operands = [widen(fn, operand) for operand in operands]
        type_ = convert_type(op.results[0].type)
        fn.set(op.results[0], fn.value(target, operands, type_, properties))

    return lower


def lower_select(fn: FunctionLowering, op: Operation) -> None:
    """`arith.select` and `simd.select`."""
    operands = [fn.get(operand) for operand in op.operands]
    type_ = convert_type(op.results[0].type)
    fn.set(op.results[0], fn.value(llvm_ops.SelectOp, operands, type_, NO_FLAGS))


def lower_index_cast(fn: FunctionLowering, op: Operation) -> None:
    """Between index (64 bits) and an integer: sign-extend, truncate, or no op."""
    operand = fn.get(op.operands[0])
    target = convert_type(op.results[0].type)
    source_bits, target_bits = _bits(operand.type), _bits(target)
    if source_bits != target_bits:
        cast_op = llvm.SExtOp if target_bits > source_bits else llvm.TruncOp
        operand = fn.value(cast_op, (operand,), target)
    fn.set(op.results[0], operand)


def _bits(type_: Attribute) -> int:
    return cast(IntegerType, element_of(type_)).width.data


def lower_float_cast(fn: FunctionLowering, op: Operation) -> None:
    """`arith.extf`, `arith.truncf`."""
    type_ = convert_type(op.results[0].type)
    fn.set(op.results[0], convert_float(fn, fn.get(op.operands[0]), type_))


def _to_float(target: type[Operation]) -> Rule:
    """Integer to float; to small floats through f32."""

    def lower(fn: FunctionLowering, op: Operation) -> None:
        type_ = convert_type(op.results[0].type)
        computed = with_element(type_, f32) if is_small_float(type_) else type_
        result = fn.value(target, (fn.get(op.operands[0]),), computed)
        fn.set(op.results[0], convert_float(fn, result, type_))

    return lower


def _from_float(target: type[Operation]) -> Rule:
    """Float to integer; from small floats through f32."""

    def lower(fn: FunctionLowering, op: Operation) -> None:
        operand = widen(fn, fn.get(op.operands[0]))
        type_ = convert_type(op.results[0].type)
        fn.set(op.results[0], fn.value(target, (operand,), type_))

    return lower


def lower_bitcast(fn: FunctionLowering, op: Operation) -> None:
    """`arith.bitcast`, `vector.bitcast`: no op if the types are equal."""
    operand = fn.get(op.operands[0])
    target = convert_type(op.results[0].type)
    if operand.type != target:
        operand = fn.value(llvm.BitcastOp, (operand,), target)
    fn.set(op.results[0], operand)


def _division_rounded(up: bool, signed: bool) -> Rule:
    """Division towards +infinity (`up`) or -infinity, from truncating division.

    The quotient changes by one if the remainder is not 0 and truncation rounded in the
    opposite direction: equal signs for up, different signs for down.
    """

    def lower(fn: FunctionLowering, op: Operation) -> None:
        a, b = (fn.get(operand) for operand in op.operands)
        type_ = a.type
        mask = with_element(type_, i1)
        zero = fn.constant_like(0, type_)

        def is_(predicate: str, x: SSAValue, y: SSAValue) -> SSAValue:
            flag = llvm.ICmpPredicateFlag(predicate).to_int()
            return fn.value(
                llvm.ICmpOp, (x, y), mask, {"predicate": integer_attr(flag)}
            )

        divide = llvm.SDivOp if signed else llvm.UDivOp
        quotient = fn.value(divide, (a, b), type_)
        product = fn.value(llvm.MulOp, (quotient, b), type_, _overflow(None))
        move = is_("ne", product, a)
        if signed:
            signs = fn.value(llvm.XOrOp, (a, b), type_)
            side = is_("sge" if up else "slt", signs, zero)
            move = fn.value(llvm.AndOp, (move, side), mask)
        step = fn.value(llvm.ZExtOp, (move,), type_)
        adjust = llvm.AddOp if up else llvm.SubOp
        result = fn.value(adjust, (quotient, step), type_, _overflow(None))
        fn.set(op.results[0], result)

    return lower


RULES: dict[str, Rule] = {
    "arith.constant": lower_constant,
    "arith.addi": lower_add,
    "arith.subi": lower_subtract,
    "arith.muli": lower_multiply,
    "arith.divsi": plain_op(llvm.SDivOp),
    "arith.divui": plain_op(llvm.UDivOp),
    "arith.remsi": plain_op(llvm.SRemOp),
    "arith.remui": plain_op(llvm.URemOp),
    "arith.floordivsi": _division_rounded(up=False, signed=True),
    "arith.ceildivsi": _division_rounded(up=True, signed=True),
    "arith.ceildivui": _division_rounded(up=True, signed=False),
    "arith.andi": plain_op(llvm.AndOp),
    "arith.ori": plain_op(llvm.OrOp),
    "arith.xori": plain_op(llvm.XOrOp),
    "arith.shli": _wrapping_op(llvm.ShlOp),
    "arith.shrui": plain_op(llvm.LShrOp),
    "arith.shrsi": plain_op(llvm.AShrOp),
    "arith.maxsi": plain_op(intrinsics.SMaxOp),
    "arith.minsi": plain_op(intrinsics.SMinOp),
    "arith.maxui": plain_op(intrinsics.UMaxOp),
    "arith.minui": plain_op(intrinsics.UMinOp),
    "arith.addf": float_op(llvm.FAddOp),
    "arith.subf": float_op(llvm.FSubOp),
    "arith.mulf": float_op(llvm.FMulOp),
    "arith.divf": float_op(llvm.FDivOp),
    "arith.negf": float_op(llvm.FNegOp),
    "arith.maximumf": float_op(intrinsics.MaximumOp),
    "arith.minimumf": float_op(intrinsics.MinimumOp),
    "arith.maxnumf": float_op(llvm.VectorFMaxOp),
    "arith.minnumf": float_op(llvm.VectorFMinOp),
    "arith.cmpf": _compare(llvm_ops.FCmpOp),
    "arith.cmpi": _compare(llvm.ICmpOp),
    "arith.select": lower_select,
    "arith.bitcast": lower_bitcast,
    "arith.index_cast": lower_index_cast,
    "arith.extf": lower_float_cast,
    "arith.truncf": lower_float_cast,
    "arith.extsi": plain_op(llvm.SExtOp),
    "arith.extui": plain_op(llvm.ZExtOp),
    "arith.trunci": plain_op(llvm.TruncOp),
    "arith.sitofp": _to_float(llvm.SIToFPOp),
    "arith.uitofp": _to_float(llvm_ops.UIToFPOp),
    "arith.fptosi": _from_float(llvm_ops.FPToSIOp),
    "arith.fptoui": _from_float(llvm_ops.FPToUIOp),
    "simd.cmpf": _compare(llvm_ops.FCmpOp),
    "simd.cmpi": _compare(llvm.ICmpOp),
    "simd.select": lower_select,
    "simd.index_cast": lower_index_cast,
    "simd.extsi": plain_op(llvm.SExtOp),
    "simd.extui": plain_op(llvm.ZExtOp),
    "simd.trunci": plain_op(llvm.TruncOp),
    "simd.sitofp": _to_float(llvm.SIToFPOp),
    "simd.uitofp": _to_float(llvm_ops.UIToFPOp),
    "simd.fptosi": _from_float(llvm_ops.FPToSIOp),
    "simd.fptoui": _from_float(llvm_ops.FPToUIOp),
}
