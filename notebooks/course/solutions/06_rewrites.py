"""Answers to `06_rewrites.py`, and wrong ones with a part of the hint that each must get."""

import math
import runpy
import sys
from pathlib import Path


def neutral(name: str, c: float) -> bool:
    """x - 0.0 and x + -0.0 keep both zeros; x + 0.0 makes 0.0 of -0.0."""
    if name in ("nn.mul", "nn.div"):
        return c == 1.0
    sign = -1.0 if name == "nn.add" else 1.0
    return c == 0.0 and math.copysign(1.0, c) == sign


def key(op):
    """Name, operands in order, and properties; not the location."""
    return op.name, tuple(op.operands), frozenset(op.properties.items())


def folded(norm, layer, e):
    """The scale of each output multiplies its row of the weight."""
    if not layer.result.has_one_use():
        return None
    epsilon = e.constant(norm.epsilon.value.data)
    scale = e.div(norm.weight, e.sqrt(e.add(norm.variance, epsilon)))
    weight = e.mul(layer.weight, e.column(scale))
    bias = e.add(e.mul(e.sub(layer.bias, norm.mean), scale), norm.bias)
    return weight, bias


def negative_zero(name, c):
    if name in ("nn.mul", "nn.div"):
        return c == 1.0
    return c == 0.0 and math.copysign(1.0, c) < 0


def products_only(name, c):
    return name == "nn.mul" and c == 1.0


def any_order(op):
    return op.name, frozenset(op.operands), frozenset(op.properties.items())


def without_properties(op):
    return op.name, tuple(op.operands)


def without_operands(op):
    return op.name, frozenset(op.properties.items())


def with_location(op):
    return op.name, tuple(op.operands), frozenset(op.properties.items()), id(op)


def constants_only(op):
    if op.operands:
        return id(op)
    return op.name, frozenset(op.properties.items())


def fold(norm, layer, e, *, epsilon=True, column=True, bias="right"):
    variance = norm.variance
    if epsilon:
        variance = e.add(variance, e.constant(1e-3))
    scale = e.div(norm.weight, e.sqrt(variance))
    weight = e.mul(layer.weight, e.column(scale) if column else scale)
    if bias == "unscaled":
        shift = e.sub(layer.bias, e.mul(norm.mean, scale))
    elif bias == "added":
        shift = e.mul(e.add(layer.bias, norm.mean), scale)
    else:
        shift = e.mul(e.sub(layer.bias, norm.mean), scale)
    if bias == "scaled":
        return weight, e.mul(e.add(e.sub(layer.bias, norm.mean), norm.bias), scale)
    return weight, e.add(shift, norm.bias)


def no_epsilon(norm, layer, e):
    return fold(norm, layer, e, epsilon=False)


def columns(norm, layer, e):
    return fold(norm, layer, e, column=False)


def unscaled_bias(norm, layer, e):
    return fold(norm, layer, e, bias="unscaled")


def added_mean(norm, layer, e):
    return fold(norm, layer, e, bias="added")


def scaled_shift(norm, layer, e):
    return fold(norm, layer, e, bias="scaled")


ANSWERS = {"neutral": neutral, "key": key, "folded": folded}
WRONG = [
    ("neutral", negative_zero, "x - -0.0 became x, but for x = -0.0 it is 0.0"),
    ("neutral", products_only, "x / 1.0 is x for every x, and is still"),
    ("neutral", lambda name, c: neutral(name, c) or c == 2.0, "x + 2.0 became x"),
    ("neutral", lambda name, c: name != "nn.div" and neutral(name, c), "x / 1.0 is x"),
    ("key", any_order, "differ in order"),
    ("key", without_properties, "2.0 and 3.0 became one constant"),
    ("key", without_operands, "differ in order"),
    ("key", with_location, "2.0 is still there twice"),
    ("key", constants_only, "the same product of the same operands"),
    ("folded", lambda norm, layer, e: None, "the batch norm is still there"),
    ("folded", no_epsilon, "if the variance is 0"),
    ("folded", columns, "belongs to its row"),
    ("folded", unscaled_bias, "if the layer has a bias"),
    ("folded", added_mean, "if the mean is not 0"),
    ("folded", scaled_shift, "if the batch norm has a bias"),
    ("folded", fold, "another reader"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
