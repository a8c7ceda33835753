"""Malformed sorts."""

from tests.malformed.cases import Bad


def sort(
    operand: str, results: tuple[str, ...], message: str, *, descending: int = 0
) -> Bad:
    """A sort: values and indices."""
    return Bad(f"nn.sort %0 descending {descending}", (operand,), results, message)


def kth_value(operands: tuple[str, str], results: tuple[str, str], message: str) -> Bad:
    """Elements at places of an order: values and indices."""
    return Bad("nn.kth_value %0 at %1", operands, results, message)


X, PLACES = "2x3xf32", "2x3xi64"

CASES = (
    sort("f32", ("f32", "i64"), "nn.sort needs an axis, got a tensor of rank 0"),
    sort(X, (X, PLACES), "descending must be 0 or 1, got 2", descending=2),
    sort(X, ("2x3xf64", PLACES), "result 0 must be float32 (2, 3)"),
    sort(X, (X, "2x3xi32"), "result 1 must be int64 (2, 3), got int32 (2, 3)"),
    sort(X, (X, "3x2xi64"), "result 1 must be int64 (2, 3)"),
    kth_value(
        ("f32", "i64"), ("f32", "i64"), "needs an axis with elements, got float32 ()"
    ),
    kth_value(
        ("2x0xf32", "2x1xi64"),
        ("2x1xf32", "2x1xi64"),
        "nn.kth_value needs an axis with elements, got float32 (2, 0)",
    ),
    kth_value(
        (X, "3x1xi64"),
        ("3x1xf32", "3x1xi64"),
        "ranks must be int64 for each row of float32 (2, 3), got int64 (3, 1)",
    ),
    kth_value(
        (X, "2x1xi32"),
        ("2x1xf32", "2x1xi32"),
        "ranks must be int64 for each row of float32 (2, 3), got int32 (2, 1)",
    ),
    kth_value((X, "2x1xi64"), (X, "2x1xi64"), "result 0 must be float32 (2, 1)"),
    kth_value((X, PLACES), (X, "2x1xi64"), "result 1 must be int64 (2, 3)"),
)
