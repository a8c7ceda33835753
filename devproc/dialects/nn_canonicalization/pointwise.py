"""Simplifications of elementwise ops that preserve every bit of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.pointwise import (
    AddOp,
    BinaryOp,
    CastOp,
    DivOp,
    MulOp,
    ReluOp,
    SubOp,
)
from devproc.dialects.nn_canonicalization.folding import (
    Array,
    constant_array,
    constant_of,
    is_filled,
)
from devproc.ir.text.location import replace_op
from devproc.ir.types import dtype_name, is_float, is_unsigned, tensor_of

_ARITHMETIC: dict[type[BinaryOp], Callable[[Array, Array], Array]] = {
    AddOp: np.add,
    SubOp: np.subtract,
    MulOp: np.multiply,
    DivOp: np.divide,
}


class FoldConstants(RewritePattern):
    """Folds arithmetic on two constants, rounded as at run time."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        assert isinstance(op, BinaryOp)
        lhs, rhs = constant_array(op.lhs), constant_array(op.rhs)
        if lhs is None or rhs is None:
            return
        # Division by zero and overflow are defined: inf, NaN, wrap-around.
        with np.errstate(all="ignore"):
            folded = _ARITHMETIC[type(op)](lhs, rhs)
        constant = constant_of(folded, tensor_of(op.result))
        if constant is not None:
            replace_op(rewriter, op, constant)


class DropNeutralElement(RewritePattern):
    """x - 0, x + (-0.0), x * 1, x / 1. Not x + 0.0, which turns -0.0 into 0.0."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        assert isinstance(op, BinaryOp)
        floating = is_float(tensor_of(op.lhs).element_type)
        neutral = 1.0
        if isinstance(op, AddOp):
            neutral = -0.0 if floating else 0.0
        elif isinstance(op, SubOp):
            neutral = 0.0
        pairs = [(op.lhs, op.rhs)]
        if isinstance(op, AddOp | MulOp):
            pairs.append((op.rhs, op.lhs))
        for kept, constant in pairs:
            if kept.type == op.result.type and is_filled(constant, neutral):
                rewriter.replace(op, [], [kept])
                return


class DropRelu(RewritePattern):
    """The relu of a relu, or of an unsigned value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReluOp, rewriter: PatternRewriter, /) -> None:
        unsigned = is_unsigned(tensor_of(op.operand).element_type)
        if unsigned or isinstance(op.operand.owner, ReluOp):
            rewriter.replace(op, [], [op.operand])


class DropSameCast(RewritePattern):
    """A cast to the dtype that the operand has."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CastOp, rewriter: PatternRewriter, /) -> None:
        if op.operand.type == op.result.type:
            rewriter.replace(op, [], [op.operand])


_WIDER: dict[str, tuple[str, ...]] = {
    "bool": ("uint8", "int8", "int16", "int32", "int64"),
    "uint8": ("uint16", "int16", "int32", "int64", "float16", "bfloat16"),
    "uint16": ("int32", "int64", "float32"),
    "int8": ("int16", "int32", "int64", "float16", "bfloat16"),
    "int16": ("int32", "int64", "float32"),
    "int32": ("int64", "float64"),
    "float16": ("float32",),
    "bfloat16": ("float32",),
    "float32": ("float64",),
}


def keeps_values(source: str, target: str) -> bool:
    """Whether every value of dtype `source` is one of dtype `target`."""
    return any(
        wider == target or keeps_values(wider, target)
        for wider in _WIDER.get(source, ())
    )


class MergeCasts(RewritePattern):
    """A cast of a lossless cast."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CastOp, rewriter: PatternRewriter, /) -> None:
        inner = op.operand.owner
        if not isinstance(inner, CastOp):
            return
        source, middle = (
            dtype_name(tensor_of(v).element_type) for v in (inner.operand, op.operand)
        )
        if keeps_values(source, middle):
            replace_op(rewriter, op, CastOp.to(inner.operand, op.dtype))


class FoldCast(RewritePattern):
    """The cast of a constant; not from floats to integers, which may overflow."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CastOp, rewriter: PatternRewriter, /) -> None:
        array = constant_array(op.operand)
        target = dtype_name(op.dtype)
        source = dtype_name(tensor_of(op.operand).element_type)
        if array is None or "bfloat16" in (source, target):
            return
        if is_float(tensor_of(op.operand).element_type) and not is_float(op.dtype):
            return
        with np.errstate(all="ignore"):
            folded: np.ndarray[Any, np.dtype[Any]] = array.astype(target)
        constant = constant_of(folded, tensor_of(op.result))
        if constant is not None:
            replace_op(rewriter, op, constant)


_BINARY = (FoldConstants(), DropNeutralElement())

PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    AddOp: _BINARY,
    CastOp: (DropSameCast(), FoldCast(), MergeCasts()),
    DivOp: _BINARY,
    MulOp: _BINARY,
    ReluOp: (DropRelu(),),
    SubOp: _BINARY,
}
"""op class -> its patterns."""
