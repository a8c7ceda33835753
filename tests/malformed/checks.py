"""Malformed checks of values, which have no result."""

from tests.malformed.cases import Program, main

RANGE = 'nn.check_range %x from 0 to 8 what "index" of "aten.index.Tensor"'
DIVISOR = 'nn.check_divisor %x of "aten.remainder.Tensor"'

CHECKS: dict[str, Program] = {
    "range of floats": (
        main(f"{RANGE} : tensor<2xf32>"),
        "nn.check_range takes integers, got float32 (2)",
    ),
    "range of bools": (
        main(f"{RANGE} : tensor<2xi1>", "%x: tensor<2xi1>"),
        "nn.check_range takes integers, got bool (2)",
    ),
    "range that is none": (
        main(f"{RANGE} : tensor<2xi64>".replace("to 8", "to -2"), "%x: tensor<2xi64>"),
        "no range goes from 0 to -2",
    ),
    "range of nothing": (
        main(f"{RANGE} : tensor<0x2xi64>", "%x: tensor<0x2xi64>"),
        "nn.check_range needs at least one element",
    ),
    "divisors that are floats": (
        main(f"{DIVISOR} : tensor<2xf32>"),
        "nn.check_divisor takes integers, got float32 (2)",
    ),
    "divisors of which there are none": (
        main(f"{DIVISOR} : tensor<2x0xi64>", "%x: tensor<2x0xi64>"),
        "nn.check_divisor needs at least one element",
    ),
}
