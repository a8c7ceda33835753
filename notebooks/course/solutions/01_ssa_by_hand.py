"""Answers to lesson 1, and wrong ones with a part of the hint that each must get."""

import runpy
import sys
from collections import Counter
from pathlib import Path

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f32
from xdsl.ir import Block, SSAValue

AREA = """
func.func @area(%x: f32, %y: f32) -> f32 {
  %swap = arith.cmpf ogt, %x, %y : f32
  %low = arith.select %swap, %y, %x : f32
  %high = arith.select %swap, %x, %y : f32
  %height = arith.subf %high, %low : f32
  %area = arith.mulf %low, %height : f32
  func.return %area : f32
}"""


def polynomial(block: Block, x: SSAValue, c: list[float]) -> SSAValue:
    last = arith.ConstantOp(FloatAttr(c[-1], f32))
    block.add_op(last)
    value = last.result
    for factor in reversed(c[:-1]):
        product = arith.MulfOp(x, value)
        constant = arith.ConstantOp(FloatAttr(factor, f32))
        total = arith.AddfOp(constant, product)
        block.add_ops([product, constant, total])
        value = total.result
    return value


def count_ops(module: ModuleOp) -> Counter:
    return Counter(op.name for op in module.walk() if op is not module)


def in_wrong_order(block: Block, x: SSAValue, c: list[float]) -> SSAValue:
    return polynomial(block, x, c[::-1])


def outside_of_the_block(block: Block, x: SSAValue, c: list[float]) -> SSAValue:
    value = arith.ConstantOp(FloatAttr(c[-1], f32)).result
    for factor in reversed(c[:-1]):
        constant = arith.ConstantOp(FloatAttr(factor, f32))
        value = arith.AddfOp(constant, arith.MulfOp(x, value)).result
    return value


def with_powers(block: Block, x: SSAValue, c: list[float]) -> SSAValue:
    def add(op):
        block.add_op(op)
        return op.result

    total = add(arith.ConstantOp(FloatAttr(c[0], f32)))
    for power, factor in enumerate(c[1:], start=1):
        part = add(arith.ConstantOp(FloatAttr(factor, f32)))
        for _ in range(power):
            part = add(arith.MulfOp(part, x))
        total = add(arith.AddfOp(total, part))
    return total


def counts_functions_only(module: ModuleOp) -> Counter:
    functions = module.body.block.ops
    ops = [op for function in functions for op in function.body.block.ops]
    return Counter(op.name for op in (*functions, *ops))


def counts_leaves(module: ModuleOp) -> Counter:
    return Counter(op.name for op in module.walk() if not op.regions)


def counts_once(module: ModuleOp) -> Counter:
    return Counter({op.name for op in module.walk() if op is not module})


ANSWERS = {"AREA": AREA, "polynomial": polynomial, "count_ops": count_ops}
WRONG = [
    ("AREA", AREA.replace("%low", "%x"), "name the new value differently"),
    ("AREA", AREA.replace("%swap, %x, %y", "%swap, %low, %y"), "at the same time"),
    ("AREA", AREA.replace("%high, %low", "%y, %low"), "both x and y get a new value"),
    ("AREA", AREA.replace("ogt", "olt"), "Here nothing is swapped"),
    ("AREA", AREA.replace("arith.mulf %low", "arith.mulf %lo"), "not defined"),
    ("AREA", AREA.replace("arith.subf", "arith.subi"), "an op is not valid"),
    ("polynomial", in_wrong_order, "for c = [1.0, 2.0] and x = 2 it is 5.0"),
    ("polynomial", outside_of_the_block, "it is not in the block"),
    ("polynomial", with_powers, "4 coefficients took 6 multiplications"),
    (
        "count_ops",
        lambda module: Counter(op.name for op in module.walk()),
        "the module",
    ),
    ("count_ops", counts_functions_only, "`arith.addi` is in a loop"),
    ("count_ops", counts_leaves, "`func.func` is an op, too"),
    ("count_ops", counts_once, "occurs 2 times, not 1"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
