"""Malformed matrix products."""

from tests.malformed.cases import Bad

MATMUL = "nn.matmul %0, %1"
LINEAR = "nn.linear %0, %1"
BIASED = "nn.linear %0, %1 bias %2"


def strassen(layout: str, weight: str, result: str, message: str) -> Bad:
    """A weight as sums of blocks."""
    return Bad(f"nn.pack %0 as #dev.strassen<{layout}>", (weight,), (result,), message)


def block_float(layout: str, weight: str, result: str, message: str) -> Bad:
    """A weight in block floating point."""
    text = f"nn.pack %0 as #dev.block_float<{layout}>"
    return Bad(text, (weight,), (result,), message)


def inner_product(layout: str, weight: str, result: str, message: str) -> Bad:
    """A weight for Winograd's inner product."""
    text = f"nn.pack %0 as #dev.inner_product<{layout}>"
    return Bad(text, (weight,), (result,), message)


CASES = (
    Bad(
        MATMUL,
        ("2x3xf32", "4x5xf32"),
        ("2x5xf32",),
        "nn.matmul sums over 3 elements on the left and 4 on the right",
    ),
    Bad(MATMUL, ("3xf32", "3x5xf32"), ("5xf32",), "needs rank 2 and above"),
    Bad(MATMUL, ("2x3xf32", "3xf32"), ("2xf32",), "needs rank 2 and above"),
    Bad(MATMUL, ("f32", "f32"), ("f32",), "needs rank 2 and above"),
    Bad(MATMUL, ("2x3xf32", "3x5xf64"), ("2x5xf32",), "must have one dtype"),
    Bad(MATMUL, ("2x3xi8", "3x5xui8"), ("2x5xi32",), "must have one dtype"),
    Bad(MATMUL, ("2x3xi1", "3x5xi1"), ("2x5xi1",), "does not take bool"),
    Bad(MATMUL, ("4x2x3xf32", "5x3x6xf32"), ("4x2x6xf32",), "do not broadcast"),
    Bad(MATMUL, ("4x2x3xf32", "3x6xf32"), ("2x6xf32",), "result 0 must be"),
    Bad(MATMUL, ("2x3xf32", "3x5xf32"), ("5x2xf32",), "result 0 must be"),
    Bad(MATMUL, ("2x3xf16", "3x5xf16"), ("2x5xf32",), "result 0 must be"),
    Bad(MATMUL, ("2x3xi8", "3x5xi8"), ("2x5xi8",), "result 0 must be int32 (2, 5)"),
    Bad(MATMUL, ("2x3xi8", "3x5xi32"), ("2x5xi32",), "must have one dtype"),
    Bad(LINEAR, ("2x8xi8", "4x8xi8"), ("2x4xi8",), "result 0 must be int32 (2, 4)"),
    Bad(
        BIASED,
        ("2x8xi8", "4x8xi8", "4xi8"),
        ("2x4xi32",),
        "the bias that of the product, int32",
    ),
    Bad(
        LINEAR,
        ("2x8xf32", "4x7xf32"),
        ("2x4xf32",),
        "the input has 8 features, the weight expects 7",
    ),
    Bad(LINEAR, ("2x8xf32", "8xf32"), ("2xf32",), "the weight must have rank 2"),
    Bad(LINEAR, ("2x8xf32", "1x4x8xf32"), ("2x4xf32",), "the weight must have rank 2"),
    Bad(LINEAR, ("f32", "4x8xf32"), ("4xf32",), "must have rank 1 and above"),
    Bad(LINEAR, ("2x8xf32", "4x8xf16"), ("2x4xf32",), "must have one dtype"),
    Bad(LINEAR, ("2x8xi1", "4x8xi1"), ("2x4xi1",), "does not take bool operands"),
    Bad(LINEAR, ("2x8xf32", "4x8xf32"), ("2x8xf32",), "result 0 must be"),
    Bad(LINEAR, ("2x8xf32", "4x8xf32"), ("4xf32",), "result 0 must be"),
    Bad(
        BIASED,
        ("2x8xf32", "4x8xf32", "8xf32"),
        ("2x4xf32",),
        "the bias must have shape (4,), got float32 (8)",
    ),
    Bad(BIASED, ("2x8xf32", "4x8xf32", "1x4xf32"), ("2x4xf32",), "the bias must have"),
    Bad(BIASED, ("2x8xf32", "4x8xf32", "f32"), ("2x4xf32",), "the bias must have"),
    Bad(BIASED, ("2x8xf32", "4x8xf32", "4xf64"), ("2x4xf32",), "must have one dtype"),
    strassen("16", "64x8x1xf32", "2x7x4x16xf32", "is not an (N, K) of 2 x 2 blocks"),
    strassen("16", "48x8xf32", "2x7x4x16xf32", "blocks of panels of 16"),
    strassen("16", "64x9xf32", "2x7x4x16xf32", "is not an (N, K) of 2 x 2 blocks"),
    strassen("16", "64x8xi32", "2x7x4x16xi32", "does not hold floats"),
    strassen("16", "64x8xf32", "2x7x8x16xf32", "result 0 must be"),
    inner_product(
        "16, 24", "30x64x1xf32", "2x68x16xf32", "is not an (N, K), nor an (H"
    ),
    inner_product("16, 72", "30x64xf32", "2x66x16xf32", "with a block of 72 terms"),
    inner_product("16, 24, 3", "30x64xf32", "6x23x16xf32", "for each N and slice"),
    inner_product("16, 12, 3", "30x64xf32", "6x23x16xf32", "3 equal slices"),
    inner_product("16, 24", "30x64xf64", "2x68x16xf64", "does not hold float32"),
    inner_product("16, 24", "30x64xf32", "2x66x16xf32", "result 0 must be"),
    block_float("16, 32", "30x64x1xf32", "2x2x400xf32", "is not an (N, K)"),
    block_float("16, 32", "30x48xf32", "2x2x400xf32", "with K in blocks of 32"),
    block_float("16, 32", "30x64xf64", "2x2x400xf64", "does not hold float32"),
    block_float("16, 32", "30x64xf32", "2x2x384xf32", "result 0 must be"),
)
