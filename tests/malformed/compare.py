"""Malformed comparisons, choices and bitwise ops."""

from tests.malformed.cases import Bad

TESTS = ("nn.eq", "nn.lt", "nn.le")
BITWISE = ("nn.and", "nn.or", "nn.xor")
SHIFTS = ("nn.shift_left", "nn.shift_right")

CASES = (
    *(
        Bad(f"{op} %0, %1", ("2xf32", "2xf64"), ("2xi1",), "must have one dtype")
        for op in TESTS
    ),
    *(
        Bad(f"{op} %0, %1", ("2xi1", "2xi1"), ("2xi1",), f"{op} does not take bool")
        for op in (*TESTS, *SHIFTS)
    ),
    *(
        Bad(f"{op} %0, %1", ("2xf32", "2xf32"), ("2xf32",), "result 0 must be bool (2)")
        for op in TESTS
    ),
    *(
        Bad(f"{op} %0, %1", ("2xf32", "2xf32"), ("2xf32",), f"{op} takes integers")
        for op in (*BITWISE, *SHIFTS)
    ),
    *(
        Bad(f"{op} %0, %1", ("2xi8", "2xui8"), ("2xi8",), "must have one dtype")
        for op in BITWISE
    ),
    Bad(
        "nn.where %0, %1, %2",
        ("2xi32", "2xf32", "2xf32"),
        ("2xf32",),
        "nn.where needs a bool condition, got i32",
    ),
    Bad(
        "nn.where %0, %1, %2",
        ("2xi1", "2xf32", "2xf64"),
        ("2xf32",),
        "operands of nn.where must have one dtype, got float32 (2) and float64 (2)",
    ),
    Bad(
        "nn.where %0, %1, %2",
        ("2xi1", "3xf32", "f32"),
        ("3xf32",),
        "shapes (2) and (3) and () do not broadcast",
    ),
)
