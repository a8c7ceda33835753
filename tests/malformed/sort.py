"""Malformed sorts."""

from tests.malformed.cases import Bad


def sort(
    operand: str, results: tuple[str, ...], message: str, *, descending: int = 0
) -> Bad:
    """A sort: values and indices."""
    return Bad(f"nn.sort %0 descending {descending}", (operand,), results, message)


X, PLACES = "2x3xf32", "2x3xi64"

CASES = (
    sort("f32", ("f32", "i64"), "nn.sort needs an axis, got a tensor of rank 0"),
    sort(X, (X, PLACES), "descending must be 0 or 1, got 2", descending=2),
    sort(X, ("2x3xf64", PLACES), "result 0 must be float32 (2, 3)"),
    sort(X, (X, "2x3xi32"), "result 1 must be int64 (2, 3), got int32 (2, 3)"),
    sort(X, (X, "3x2xi64"), "result 1 must be int64 (2, 3)"),
)
