"""Dot products of bytes in each lane: the instructions of each processor."""

from __future__ import annotations

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import i8, i16
from xdsl.ir import Attribute, SSAValue

from devproc.dialects import simd
from devproc.ir.weight_format import WeightFormat
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import vector_lanes, vector_type

SIGNED = "dotprod"
"""What multiplies signed with signed bytes."""

SIGN = 128
"""What `signed` takes off a byte."""

SIGN_BITS = 0x80808080 - (1 << 32)
"""The upper bit of each byte of a word, as a signed integer."""


def takes_signed(stored: WeightFormat, extension: str) -> bool:
    """Whether the bytes of a weight are made signed; those of int4 are never negative."""
    return extension == SIGNED and stored.bits == 8


def dot(
    emitter: Emitter, extension: str, total: SSAValue, weight: SSAValue, row: SSAValue
) -> SSAValue:
    """The sum after four more terms of each column.

    `weight`: unsigned bytes, signed ones where `takes_signed`; `row`: signed bytes.
    """
    if extension == "avx2":
        return _pairwise(emitter, total, weight, row)
    name = f"llvm.x86.avx512.vpdpbusd.{32 * vector_lanes(total)}"
    if extension == SIGNED:
        name = "llvm.aarch64.neon.sdot.v4i32.v16i8"
    return _call(emitter, name, total.type, total, weight, row)


def signed(lanewise: Lanewise, words: SSAValue) -> SSAValue:
    """Words of bytes, less 128 each."""
    return lanewise.integer_op(arith.XOrIOp, words, lanewise.integer(SIGN_BITS))


def _pairwise(
    emitter: Emitter, total: SSAValue, weight: SSAValue, row: SSAValue
) -> SSAValue:
    """Pairs of products as int16, which no two products of int4 saturate, then pairs of
    those as int32."""
    halves = vector_type(i16, 2 * vector_lanes(total))
    pairs = _call(emitter, "llvm.x86.avx2.pmadd.ub.sw", halves, weight, row)
    ones = emitter.number(1, halves)
    sums = _call(emitter, "llvm.x86.avx2.pmadd.wd", total.type, pairs, ones)
    return emitter.value(arith.AddiOp, (total, sums))


def _call(
    emitter: Emitter, name: str, type_: Attribute, *operands: SSAValue
) -> SSAValue:
    return emitter.append(simd.CallIntrinsicOp(name, operands, type_)).results[0]


def as_bytes(emitter: Emitter, words: SSAValue) -> SSAValue:
    """A vector of words as bytes."""
    type_ = vector_type(i8, 4 * vector_lanes(words))
    return emitter.value(vector.BitcastOp, (words,), type_)
