"""Claims of the family `compare`: comparisons, logic, bits, choices."""

from tests.ops.harness import ALL, INTEGERS

BITS = (*INTEGERS, "bool")

CLAIMED = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), ALL),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor", "logical_not"), ALL),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"), BITS),
    **dict.fromkeys(("__rand__", "__ror__", "__rxor__"), BITS),
    "bitwise_left_shift": INTEGERS,
    "bitwise_right_shift": INTEGERS,
    "isclose": ALL,
    "isreal": ALL,
    "isnan": ALL,
    "isinf": ALL,
    "isposinf": ALL,
    "isneginf": ALL,
    "isfinite": ALL,
    "nan_to_num": ALL,
    "where": ALL,
    "masked_fill": ALL,
    "fmax": ALL,
    "fmin": ALL,
}

INTERPRETED = ("eq", "le", "where", "bitwise_xor", "bitwise_right_shift", "isinf")
