"""Malformed gathers and scatters."""

from tests.malformed.cases import Bad


def gather(
    operands: tuple[str, ...], result: str, message: str, *, axes: str = "[0]"
) -> Bad:
    """A gather with as many indices as there are further operands."""
    indices = ", ".join(f"%{i}" for i in range(1, len(operands)))
    return Bad(f"nn.gather %0 at {indices} axes {axes}", operands, (result,), message)


def scatter(
    operands: tuple[str, str, str],
    result: str,
    message: str,
    *,
    axis: int = 0,
    mode: str = "add",
) -> Bad:
    """A scatter: updates, tensor, index."""
    text = f'nn.scatter %0 into %1 at %2 axis {axis} mode "{mode}"'
    return Bad(text, operands, (result,), message)


X, N, R = "9x4xf32", "2x1xi64", "2x4xf32"

CASES = (
    gather((X, N), R, "one index for each axis, got 1 for [0, 1]", axes="[0, 1]"),
    gather((X, N, N), R, "one index for each axis, got 2 for [0, 0]", axes="[0, 0]"),
    gather((X, N), R, "one index for each axis", axes="[]"),
    gather((X, N), R, "axes [2] are out of range for rank 2", axes="[2]"),
    gather((X, N), R, "axes [-1] are out of range", axes="[-1]"),
    gather((X, "2x1xi8"), R, "an index must be int32 or int64, got int8 (2, 1)"),
    gather((X, "2x1xi1"), R, "an index must be int32 or int64, got bool (2, 1)"),
    gather((X, "2x1xf32"), R, "an index must be int32 or int64"),
    gather((X, "2xi64"), R, "an index must have rank 2 as the tensor has"),
    gather((X, "2x3xi64"), R, "do not broadcast"),
    gather(("0x4xf32", N), R, "cannot gather from an empty axis of float32 (0, 4)"),
    gather((X, N), "2x3xf32", "result 0 must be float32 (2, 4)"),
    gather((X, N), "2x4xf64", "result 0 must be float32 (2, 4)"),
    scatter((R, X, N), X, "unknown scatter mode 'sum'; one of set, add", mode="sum"),
    scatter((R, X, N), X, "axis 2 is out of range for rank 2", axis=2),
    scatter((R, X, N), X, "axis -1 is out of range for rank 2", axis=-1),
    scatter(("2x4xf64", X, N), X, "must have one dtype"),
    scatter(("2x4xi1", "9x4xi1", N), "9x4xi1", "does not add bools"),
    scatter((R, X, "2x1xui8"), X, "an index must be int32 or int64"),
    scatter((R, X, "2xi64"), X, "an index must have rank 2"),
    scatter(("3x4xf32", X, N), X, "updates float32 (3, 4) at int64 (2, 1) do not fit"),
    scatter(("2x3xf32", X, N), X, "do not fit float32 (9, 4) along axis 0"),
    scatter((R, X, "2x3xi64"), X, "do not fit"),
    scatter(("0x4xf32", X, "0x1xi64"), X, "needs at least one update"),
    scatter((R, X, N), R, "result 0 must be float32 (9, 4)"),
)
