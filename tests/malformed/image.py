"""Malformed image ops."""

from tests.malformed.cases import Bad


def resize(
    operand: str,
    result: str,
    message: str,
    *,
    axes: str = "[0, 1]",
    size: str = "[8, 9]",
    mode: str = "bilinear",
    like: str = "pillow",
) -> Bad:
    """A resize of an image to 8 by 9."""
    return Bad(
        f'nn.resize %0 axes {axes} to {size} mode "{mode}" like "{like}"',
        (operand,),
        (result,),
        message,
    )


def normalize(
    operand: str,
    result: str,
    message: str,
    *,
    axis: int = 2,
    mean: str = "[0.1, 0.2, 0.3]",
    std: str = "[1.0, 1.0, 1.0]",
) -> Bad:
    """A normalisation of three channels."""
    return Bad(
        f"nn.normalize %0 axis {axis} mean {mean} std {std}",
        (operand,),
        (result,),
        message,
    )


def resample(
    operands: tuple[str, ...],
    result: str,
    message: str,
    *,
    axis: int = 1,
    more: str = "",
) -> Bad:
    """A resampling of 7 columns to 9 by three taps; of `rows` with a fourth operand."""
    rows = " rows %3" if len(operands) == 4 else ""
    text = f"nn.resample %0, %1, %2{rows} axis {axis}{more}"
    return Bad(text, operands, (result,), message)


X, Y = "5x7x3xui8", "8x9x3xui8"
U, F, T, R = "5x7xui8", "9xi32", "9x3xi32", "5x9xui8"
N = "5x7x3xf32"

CASES = (
    resize(X, Y, "pillow has no resize mode 'cubic'; one of nearest", mode="cubic"),
    resize(X, Y, "pillow has no resize mode ''; one of", mode=""),
    resize(X, Y, "unknown reference 'opencv'; one of pillow", like="opencv"),
    resize(X, Y, "unknown reference 'Pillow'", like="Pillow"),
    resize(X, Y, "the height and the width axis", axes="[0]", size="[8]"),
    resize(X, Y, "the height and the width axis", axes="[0, 1, 2]"),
    resize(X, Y, "the height and the width axis", axes="[1, 1]"),
    resize(X, Y, "the height and the width axis", size="[8]"),
    resize(X, Y, "axes [0, 3] are out of range for rank 3", axes="[0, 3]"),
    resize(X, Y, "axes [-2, 1] are out of range", axes="[-2, 1]"),
    resize(X, Y, "sizes must be positive, got [0, 9]", size="[0, 9]"),
    resize(X, Y, "sizes must be positive", size="[8, -9]"),
    resize("0x7x3xui8", Y, "an empty image cannot be resized"),
    *(
        resize(f"5x7x3x{t}", f"8x9x3x{t}", "nn.resize takes uint8 or float32")
        for t in ("i1", "i8", "i32", "f16", "bf16", "f64")
    ),
    resize(X, "5x7x3xui8", "result 0 must be uint8 (8, 9, 3)"),
    resize(X, "8x9x3xf32", "result 0 must be uint8 (8, 9, 3)"),
    resize(X, Y, "result 0 must be uint8 (5, 8, 9)", axes="[1, 2]"),
    normalize(N, N, "the image has 3 channels, but mean has 2", mean="[0.1, 0.2]"),
    normalize(N, N, "std 1", std="[1.0]"),
    normalize(N, N, "the image has 5 channels", axis=0),
    normalize(N, N, "the image has 1 channels", axis=-1),
    normalize(N, N, "axis 3 is out of range for rank 3", axis=3),
    normalize(N, N, "axis -2 is out of range", axis=-2),
    normalize(N, N, "std must not be zero", std="[1.0, 0.0, 1.0]"),
    normalize(N, N, "std must not be zero", std="[1.0, -0.0, 1.0]"),
    normalize(N, "5x7x3xf64", "result 0 must be float32 (5, 7, 3)"),
    normalize("5x7x3xui8", "5x7x3xui8", "result 0 must be float32 (5, 7, 3)"),
    *(
        normalize(f"5x7x3x{t}", N, "nn.normalize takes uint8, uint16 or float32")
        for t in ("i1", "i8", "i64", "f16", "bf16", "f64")
    ),
    resample((U, F, T), R, "axis 2 is out of range for rank 2", axis=2),
    resample((U, F, T), R, "axis -1 is out of range", axis=-1),
    resample((U, F, "9x3xf32"), R, "cannot weigh uint8 (5, 7) with float32 (9, 3)"),
    resample(("5x7xf32", F, T), "5x9xf32", "cannot weigh"),
    resample(("5x7xf64", F, "9x3xf32"), "5x9xf64", "cannot weigh"),
    resample((U, "9xi64", T), R, "are not one tap table"),
    resample((U, "8xi32", T), R, "are not one tap table"),
    resample((U, "9x1xi32", T), R, "are not one tap table"),
    resample((U, F, "27xi32"), R, "are not one tap table"),
    resample((U, F, "9x8xi32"), R, "8 taps do not fit 7 elements"),
    resample((U, F, T), "5x7xui8", "result 0 must be uint8 (5, 9)"),
    resample((U, F, T), "5x9xi32", "result 0 must be uint8 (5, 9)"),
    resample((U, F, T), R, "result 0 must be uint8 (9, 7)", axis=0),
    resample((U, F, T), R, "result 0 must be int32 (5, 9)", more=" sum"),
    resample((U, F, "9x3xf64"), "5x9xf64", "cannot weigh", more=" sum"),
    resample((U, F, T), R, "product_shift 4 is for", more=" {product_shift = 4 : i64}"),
    resample(
        (U, F, T), "5x9xi32", "product_shift 32", more=" sum {product_shift = 32 : i64}"
    ),
    resample((U, F, T), R, "row_axis goes with rows", more=" {row_axis = 0 : i64}"),
    resample((U, F, T, "2xi32"), R, "row_axis goes with rows"),
    resample(
        (U, F, T, "2xi32"), R, "row_axis 1 is no other", more=" {row_axis = 1 : i64}"
    ),
    resample(
        (U, F, T, "2xi32"), R, "row_axis 2 is no other", more=" {row_axis = 2 : i64}"
    ),
    resample(
        (U, F, T, "2xi64"), R, "rows must be a line", more=" {row_axis = 0 : i64}"
    ),
    resample(
        (U, F, T, "2xi32"), R, "must be uint8 (2, 9)", more=" {row_axis = 0 : i64}"
    ),
)
