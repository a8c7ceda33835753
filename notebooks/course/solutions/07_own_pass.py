"""Answers to `07_own_pass.py`, and wrong ones with a part of the hint that each must get."""

import math
import runpy
import sys
from pathlib import Path

from xdsl.dialects.builtin import f32
from xdsl.pattern_rewriter import PatternRewriter

from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import DivOp, MulOp
from devproc.ir.text.location import replace_op


def rewrite(op: DivOp, rewriter: PatternRewriter) -> None:
    constant = op.rhs.owner
    if not isinstance(constant, ConstantOp) or op.rhs.type.element_type != f32:
        return
    numbers = constant.value.get_values()
    # A power of two is 0.5 times another one. Larger ones have subnormal reciprocals,
    # smaller ones infinite ones.
    exact = (
        abs(math.frexp(c)[0]) == 0.5 and 2**-126 <= abs(c) <= 2**126 for c in numbers
    )
    if all(exact):
        inverse = ConstantOp.of(op.rhs.type, [1 / c for c in numbers])
        replace_op(rewriter, op, [inverse, MulOp.build_op([op.lhs, inverse.result])])


place = {"stage": "tensor", "after": "decompose-nn"}

test = """
// RUN: devproc-opt %s -p multiply-by-reciprocal | filecheck %s

// CHECK-LABEL: func.func @by_four(
// CHECK: %[[INVERSE:.*]] = nn.constant dense<2.500000e-01>
// CHECK-NEXT: nn.mul %x, %[[INVERSE]]
func.func @by_four(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = nn.constant dense<4.0> : tensor<f32> : tensor<f32>
  %y = nn.div %x, %c : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// The reciprocal of 3 is not exact.
// CHECK-LABEL: func.func @by_three(
// CHECK: nn.div
func.func @by_three(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = nn.constant dense<3.0> : tensor<f32> : tensor<f32>
  %y = nn.div %x, %c : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
"""


def never(op, rewriter):
    pass


def first_number_only(op, rewriter):
    constant = op.rhs.owner
    if isinstance(constant, ConstantOp):
        numbers = constant.value.get_values()
        if (
            numbers[0]
            and math.log2(abs(numbers[0])) % 1 == 0
            and abs(numbers[0]) > 1e-30
        ):
            inverse = ConstantOp.of(op.rhs.type, [1 / c for c in numbers])
            replace_op(
                rewriter, op, [inverse, MulOp.build_op([op.lhs, inverse.result])]
            )


def any_power(op, rewriter):
    constant = op.rhs.owner
    if isinstance(constant, ConstantOp):
        numbers = constant.value.get_values()
        if all(abs(math.frexp(c)[0]) == 0.5 for c in numbers):
            inverse = ConstantOp.of(op.rhs.type, [1 / c for c in numbers])
            replace_op(
                rewriter, op, [inverse, MulOp.build_op([op.lhs, inverse.result])]
            )


def tried_in_float64(op, rewriter):
    constant = op.rhs.owner
    if isinstance(constant, ConstantOp):
        numbers = constant.value.get_values()
        if all(c and 1 / c * c == 1 for c in numbers):
            inverse = ConstantOp.of(op.rhs.type, [1 / c for c in numbers])
            replace_op(
                rewriter, op, [inverse, MulOp.build_op([op.lhs, inverse.result])]
            )


def whole_powers(op, rewriter):
    constant = op.rhs.owner
    if isinstance(constant, ConstantOp):
        numbers = constant.value.get_values()
        if all(c in (2.0, 4.0, 8.0, 16.0, 32.0, 64.0) for c in numbers):
            inverse = ConstantOp.of(op.rhs.type, [1 / c for c in numbers])
            replace_op(
                rewriter, op, [inverse, MulOp.build_op([op.lhs, inverse.result])]
            )


def same_constant(op, rewriter):
    constant = op.rhs.owner
    if isinstance(constant, ConstantOp):
        numbers = constant.value.get_values()
        if all(abs(math.frexp(c)[0]) == 0.5 and abs(c) > 1e-30 for c in numbers):
            replace_op(rewriter, op, MulOp.build_op([op.lhs, op.rhs]))


def without_guard(op, rewriter):
    numbers = op.rhs.owner.value.get_values()
    if all(abs(math.frexp(c)[0]) == 0.5 and abs(c) > 1e-30 for c in numbers):
        inverse = ConstantOp.of(op.rhs.type, [1 / c for c in numbers])
        replace_op(rewriter, op, [inverse, MulOp.build_op([op.lhs, inverse.result])])


NUMBER = test[test.index("// CHECK: %[") : test.index("func.func @by_four(%x")]
OF_ANY_NUMBER = test.replace(NUMBER, "// CHECK: nn.mul\n")
BY_FOUR = test.partition("// The reciprocal")[0]

ANSWERS = {"rewrite": rewrite, "place": place, "test": test}
WRONG = [
    ("rewrite", never, "x / 4.0 is still a division"),
    ("rewrite", whole_powers, "x / 0.5 is still a division"),
    ("rewrite", tried_in_float64, "x / 3.0 became a product"),
    ("rewrite", any_power, "float too large"),
    ("rewrite", first_number_only, "x / [4.0, 3.0] became a product"),
    ("rewrite", same_constant, "the results of x / 4.0"),
    ("rewrite", without_guard, "AttributeError"),
    ("place", {"stage": "program"}, "changes nothing"),
    ("place", {"stage": "tensor", "before": "decompose-nn"}, "sees 1 of the 4"),
    ("place", {"stage": "kernels"}, "sees 0 of the 4"),
    ("place", {"stage": "placed"}, "is over by then"),
    ("place", {"stage": "tensor", "after": "decompose"}, "did you mean 'decompose-nn'"),
    ("test", BY_FOUR, "rewrites `x / 3.0` as well"),
    ("test", OF_ANY_NUMBER, "multiplies by c itself"),
    ("test", test.replace("CHECK: %[[", "CHECK-NEXT: %[["), "the right pass fails"),
    ("test", test.replace("// RUN: ", "// "), "the line with RUN"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
