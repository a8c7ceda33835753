"""Malformed activations and normalizations."""

from tests.malformed.cases import Bad

NORM = '"nn.{}_norm"({}) <{{{}epsilon = 1.0e-05 : f64, operandSegmentSizes = {}}}>'
WEIGHT, BOTH = "array<i32: 1, 1, 0>", "array<i32: 1, 1, 0, 1, 0>"
ONE_OF_TWO, NONE = "array<i32: 1, 0, 0, 1, 0>", "array<i32: 1, 0, 0, 1, 1>"
LAYER = NORM.format("layer", "%0, %1", "dims = DIMS : i64, ", WEIGHT)
GROUP = NORM.format("group", "%0, %1", "groups = DIMS : i64, ", WEIGHT)
BATCH = NORM.format("batch", "%0, %1", "", ONE_OF_TWO)
GIVEN = NORM.format("batch", "%0, %1, %2", "statistics, ", NONE)
RMS = NORM.format("rms", "%0", "dims = 3 : i64, ", "array<i32: 1, 0>")
X, R = "2x4x5xf32", ("2x4x5xf32",)

CASES = (
    Bad(
        'nn.gelu %0 approximate "erf"', ("3xf32",), ("3xf32",), "unknown approximation"
    ),
    *(
        Bad(f"nn.{name} %0", ("3xi32",), ("3xi32",), "floating-point operand")
        for name in ("silu", "hardswish", "hardsigmoid")
    ),
    Bad("nn.silu %0", ("3xf32",), ("3xf16",), "result 0 must be float32"),
    Bad("nn.log_softmax %0 axis 1", ("3xf32",), ("3xf32",), "out of range"),
    Bad("nn.log_softmax %0 axis 0", ("3xi8",), ("3xi8",), "floating-point operand"),
    Bad(
        LAYER.replace("DIMS", "1"),
        (X, "4xf32"),
        R,
        "must have shape (5), got float32 (4)",
    ),
    Bad(LAYER.replace("DIMS", "2"), (X, "5xf32"), R, "must have shape (4, 5)"),
    Bad(LAYER.replace("DIMS", "0"), (X, "5xf32"), R, "dims must be positive"),
    Bad(LAYER.replace("DIMS", "4"), (X, "5xf32"), R, "has no 4 axes"),
    Bad(LAYER.replace("DIMS", "1"), (X, "5xi32"), R, "floating-point operands"),
    Bad(LAYER.replace("DIMS", "1"), (X, "5xf32"), (X, X), "has 1 results, got 2"),
    Bad(RMS, (X,), ("2x4x5xf64",), "result 0 must be float32"),
    Bad(RMS.replace("dims = 3", "dims = 4"), (X,), R, "has no 4 axes"),
    Bad(
        GROUP.replace("DIMS", "3"),
        (X, "4xf32"),
        R,
        "3 groups do not divide the channels",
    ),
    Bad(GROUP.replace("DIMS", "0"), (X, "4xf32"), R, "groups must be positive"),
    Bad(
        GROUP.replace("DIMS", "2"),
        ("4xf32", "4xf32"),
        ("4xf32",),
        "2 groups do not divide",
    ),
    Bad(GROUP.replace("DIMS", "2"), (X, "5xf32"), R, "must have shape (4)"),
    Bad(BATCH, (X, "4xf32"), R, "mean and variance are given together"),
    Bad(GIVEN, (X, "4xf32", "4xf32"), R, "nn.batch_norm has no statistics results"),
    Bad(GIVEN, ("4xf32", "4xf32", "4xf32"), ("4xf32",), "takes (N, C, ...)"),
)
