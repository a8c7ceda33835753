"""Claims of the family `compare`: comparisons, logic, bits, choices."""

from tests.ops.harness import ALL, EVERY, INTEGERS

BITS = (*INTEGERS, "bool")

CLAIMED = {
    **dict.fromkeys(("eq", "ne"), EVERY),
    **dict.fromkeys(("lt", "le", "gt", "ge"), ALL),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor", "logical_not"), ALL),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"), BITS),
    **dict.fromkeys(("__rand__", "__ror__", "__rxor__"), BITS),
    "bitwise_left_shift": INTEGERS,
    "bitwise_right_shift": INTEGERS,
    "isclose": ALL,
    "isreal": ALL,
    **dict.fromkeys(("isnan", "isinf", "isfinite"), EVERY),
    "isposinf": ALL,
    "isneginf": ALL,
    "nan_to_num": ALL,
    **dict.fromkeys(("where", "masked_fill"), EVERY),
    "fmax": ALL,
    "fmin": ALL,
}

INTERPRETED = ("eq", "le", "where", "bitwise_xor", "bitwise_right_shift", "isinf")
