"""Malformed reductions, argmax and softmax."""

from tests.malformed.cases import Bad

REDUCTIONS = ("nn.reduce_sum", "nn.reduce_prod", "nn.reduce_max")

CASES = (
    *(
        case
        for op in REDUCTIONS
        for case in (
            Bad(f"{op} %0 axes [2] keep 0", ("2x3xf32",), ("2xf32",), "out of range"),
            Bad(f"{op} %0 axes [-1] keep 0", ("2x3xf32",), ("2xf32",), "out of range"),
            Bad(f"{op} %0 axes [0] keep 0", ("f32",), ("f32",), "out of range"),
            Bad(f"{op} %0 axes [1, 0] keep 0", ("2x3xf32",), ("f32",), "sorted"),
            Bad(f"{op} %0 axes [1, 1] keep 0", ("2x3xf32",), ("2xf32",), "distinct"),
            Bad(
                f"{op} %0 axes [1] keep 0",
                ("2x3xf32",),
                ("2x1xf32",),
                "result 0 must be float32 (2), got float32 (2, 1)",
            ),
            Bad(
                f"{op} %0 axes [1] keep 1",
                ("2x3xf32",),
                ("2xf32",),
                "result 0 must be float32 (2, 1), got float32 (2)",
            ),
            Bad(f"{op} %0 axes [1] keep 0", ("2x3xf32",), ("2xf64",), "result 0"),
            Bad(f"{op} %0 axes [1] keep 0", ("2x3xi1",), ("2xi1",), "bool operand"),
            Bad(f"{op} %0 axes [1] keep 2", ("2x3xf32",), ("2x1xf32",), "keep"),
        )
    ),
    Bad(
        "nn.reduce_max %0 axes [1] keep 0",
        ("2x0xf32",),
        ("2xf32",),
        "over an empty dimension has no value",
    ),
    Bad("nn.argmax %0 axis 2 keep 0", ("2x3xf32",), ("2xi64",), "axis 2 is out of"),
    Bad("nn.argmax %0 axis -3 keep 0", ("2x3xf32",), ("2xi64",), "axis -3 is out of"),
    Bad("nn.argmax %0 axis 0 keep 0", ("f32",), ("i64",), "out of range for rank 0"),
    Bad("nn.argmax %0 axis 1 keep 0", ("2x3xf32",), ("2xi32",), "int64 (2), got int32"),
    Bad("nn.argmax %0 axis 1 keep 0", ("2x3xf32",), ("3xi64",), "result 0 must be"),
    Bad("nn.argmax %0 axis 1 keep 1", ("2x3xf32",), ("2xi64",), "result 0 must be"),
    Bad("nn.argmax %0 axis 1 keep 0", ("2x3xi1",), ("2xi64",), "bool operand"),
    Bad("nn.argmax %0 axis 1 keep 0", ("2x0xf32",), ("2xi64",), "empty dimension"),
    Bad("nn.argmax %0 axis 1 keep -1", ("2x3xf32",), ("2x1xi64",), "keep"),
    Bad("nn.softmax %0 axis 2", ("2x3xf32",), ("2x3xf32",), "axis 2 is out of range"),
    Bad("nn.softmax %0 axis -3", ("2x3xf32",), ("2x3xf32",), "axis -3 is out of range"),
    Bad("nn.softmax %0 axis 0", ("f32",), ("f32",), "out of range for rank 0"),
    Bad("nn.softmax %0 axis 1", ("2x3xf32",), ("3x2xf32",), "result 0 must be"),
    Bad("nn.softmax %0 axis 1", ("2x3xf16",), ("2x3xf32",), "result 0 must be"),
    *(
        Bad("nn.softmax %0 axis 1", (f"2x3x{t}",), (f"2x3x{t}",), "floating-point")
        for t in ("i1", "ui8", "i64")
    ),
)
