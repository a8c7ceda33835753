"""Malformed scans."""

from tests.malformed.cases import Bad


def scan(name: str, operand: str, message: str, *results: str, axis: int = 1) -> Bad:
    """A scan; its result is like its operand where none is given."""
    return Bad(f"nn.{name} %0 axis {axis}", (operand,), results or (operand,), message)


X, PLACES = "2x3xf32", "2x3xi64"

CASES = (
    scan("cumsum", "2x3xi1", "nn.cumsum does not take a bool operand"),
    scan("cumprod", X, "axis 2 is out of range for rank 2", axis=2),
    scan("cumsum", "f32", "axis 0 is out of range for rank 0", axis=0),
    scan("logcumsumexp", "2x3xi32", "nn.logcumsumexp takes a floating-point operand"),
    scan("cumsum", X, "result 0 must be float32 (2, 3)", "3x2xf32"),
    scan("cumsum", "2x3xi32", "result 0 must be int32 (2, 3)", "2x3xi64"),
    scan("cummax", X, "result 1 must be int64 (2, 3), got int32 (2, 3)", X, "2x3xi32"),
    scan("cummin", X, "result 0 must be float32 (2, 3)", PLACES, PLACES),
    scan("cummin", "2x3xi1", "nn.cummin does not take a bool", "2x3xi1", PLACES),
)
