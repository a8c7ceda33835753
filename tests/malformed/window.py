"""Malformed convolutions and pools."""

from tests.malformed.cases import Bad


def conv(
    operands: tuple[str, ...],
    result: str,
    message: str,
    *,
    stride: str = "[1, 1]",
    padding: str = "[0, 0]",
    dilation: str = "[1, 1]",
    groups: int = 1,
    layout: str = "",
) -> Bad:
    """A convolution of two operands, or three with a bias."""
    bias = " bias %2" if len(operands) == 3 else ""
    return Bad(
        f"nn.conv2d %0, %1{bias} stride {stride} padding {padding}"
        f" dilation {dilation} groups {groups}" + (layout and f' layout "{layout}"'),
        operands,
        (result,),
        message,
    )


def pool(
    operand: str,
    result: str,
    message: str,
    *,
    kernel: str = "[2, 2]",
    stride: str = "[2, 2]",
    padding: str = "[0, 0]",
    dilation: str = "[1, 1]",
    ceil: int = 0,
    layout: str = "",
) -> Bad:
    """A maximum pool."""
    return Bad(
        f"nn.max_pool2d %0 kernel {kernel} stride {stride} padding {padding}"
        f" dilation {dilation} ceil {ceil}" + (layout and f' layout "{layout}"'),
        (operand,),
        (result,),
        message,
    )


X, W, Y = "1x3x8x8xf32", "4x3x3x3xf32", "1x4x6x6xf32"
P, Q = "1x4x8x8xf32", "1x4x4x4xf32"
# Channels last: images NHWC, filters HWIO.
X2, W2, Y2 = "1x8x8x3xf32", "3x3x3x4xf32", "1x6x6x4xf32"


def winograd(layout: str, filters: str, result: str, message: str) -> Bad:
    """Filters in the order of Winograd's algorithm."""
    return Bad(f"nn.pack %0 as #dev.winograd<{layout}>", (filters,), (result,), message)


def winograd_line(layout: str, filters: str, result: str, message: str) -> Bad:
    """Filters transformed along their lines."""
    text = f"nn.pack %0 as #dev.winograd_line<{layout}>"
    return Bad(text, (filters,), (result,), message)


CASES = (
    conv(("3x8x8xf32", W), "4x6x6xf32", "the input must be NCHW, got (3, 8, 8)"),
    conv((X, "4x27xf32"), Y, "the weight must be OIHW"),
    conv(("1x2x8x8xf32", W), Y, "the input has 2 channels, the weight expects 3"),
    conv((X, "4x1x3x3xf32"), Y, "the weight expects 2", groups=2),
    conv(("1x9x8x8xf32", W), Y, "4 output channels do not divide into 3", groups=3),
    conv((X, W), Y, "groups must be at least 1, got 0", groups=0),
    conv((X, W), Y, "groups must be at least 1, got -1", groups=-1),
    conv((X, "4x3x3x3xf16"), Y, "must have one dtype"),
    conv(("1x3x8x8xi1", "4x3x3x3xi1"), "1x4x6x6xi1", "does not take bool operands"),
    conv((X, W, "3xf32"), Y, "the bias must have shape (4,), got float32 (3)"),
    conv((X, W, "1x4x1x1xf32"), Y, "the bias must have shape (4,)"),
    conv((X, W, "4xf64"), Y, "must have one dtype"),
    conv((X, W), "1x4x8x8xf32", "result 0 must be float32 (1, 4, 6, 6)"),
    conv((X, W), "1x3x6x6xf32", "result 0 must be"),
    conv((X, W), "1x4x6x6xf16", "result 0 must be"),
    conv((X, W), Y, "result 0 must be float32 (1, 4, 8, 8)", padding="[1, 1]"),
    conv((X, W), Y, "result 0 must be float32 (1, 4, 3, 6)", stride="[2, 1]"),
    conv((X, W), Y, "result 0 must be float32 (1, 4, 6, 4)", dilation="[1, 2]"),
    conv((X, W), Y, "stride needs two values, got [1]", stride="[1]"),
    conv((X, W), Y, "stride needs two values", stride="[1, 1, 1]"),
    conv((X, W), Y, "stride must be at least 1, got [0, 1]", stride="[0, 1]"),
    conv((X, W), Y, "stride must be at least 1", stride="[1, -2]"),
    conv((X, W), Y, "dilation needs two values", dilation="[]"),
    conv((X, W), Y, "dilation must be at least 1", dilation="[0, 0]"),
    conv((X, W), Y, "padding needs two values", padding="[1, 1, 1, 1]"),
    conv((X, W), Y, "padding must be at least 0, got [-1, 0]", padding="[-1, 0]"),
    conv(("1x3x2x8xf32", W), Y, "the kernel [3, 3] does not fit the padded input [2"),
    conv((X, W), Y, "does not fit", dilation="[4, 1]"),
    pool("4x8x8xf32", "4x4x4xf32", "the input must be NCHW"),
    pool("1x4x8x8xi1", "1x4x4x4xi1", "does not take a bool operand"),
    pool(P, "1x4x8x8xf32", "result 0 must be float32 (1, 4, 4, 4)"),
    pool(P, "1x4x4x4xf64", "result 0 must be"),
    pool(P, Q, "kernel needs two values, got [2]", kernel="[2]"),
    pool(P, Q, "kernel must be at least 1", kernel="[0, 2]"),
    pool(P, Q, "stride must be at least 1", stride="[2, 0]"),
    pool(P, Q, "stride needs two values", stride="[]"),
    pool(P, Q, "dilation must be at least 1", dilation="[-1, 1]"),
    pool(P, Q, "padding must be at least 0", padding="[0, -1]"),
    pool(P, Q, "padding needs two values", padding="[0]"),
    pool(P, Q, "must be at most half of the kernel", padding="[2, 2]"),
    pool(P, Q, "does not fit the padded input [8, 8]", kernel="[9, 9]"),
    pool(P, Q, "does not fit", dilation="[8, 8]"),
    pool("1x4x7x7xf32", "1x4x3x3xf32", "result 0 must be float32 (1, 4, 4, 4)", ceil=1),
    pool("1x4x7x7xf32", "1x4x4x4xf32", "result 0 must be float32 (1, 4, 3, 3)"),
    pool(P, Q, "ceil", ceil=2),
    conv((X2, W2), Y2, 'the layout is "nhwc" or absent (NCHW)', layout="nchw"),
    conv((X2, W2), Y2, "the weight expects 9", layout="nhwc", groups=3),
    conv((X, W), Y, "the input has 8 channels, the weight expects 3", layout="nhwc"),
    conv(("8x8x3xf32", W2), Y2, "must be NHWC, got (8, 8, 3)", layout="nhwc"),
    conv((X2, "9x3x4xf32"), Y2, "must be HWIO, got (9, 3, 4)", layout="nhwc"),
    conv((X2, W2), Y, "result 0 must be float32 (1, 6, 6, 4)", layout="nhwc"),
    conv((X2, W2, "3xf32"), Y2, "the bias must have shape (4,)", layout="nhwc"),
    pool("1x8x8x4xf32", Q, "or absent (NCHW)", layout="nchw"),
    pool("1x8x6x3xf32", "1x3x4x3xf32", "must be float32 (1, 4, 3, 3)", layout="nhwc"),
    winograd("4, 16", "5x5x8x32xf32", "2x8x9x16xf32", "is not a (3, 3, I, O)"),
    winograd("4, 16", "3x3x32xf32", "2x8x9x16xf32", "is not a (3, 3, I, O)"),
    winograd("4, 16", "3x3x8x24xf32", "2x8x9x16xf32", "of whole panels of 16"),
    winograd("2, 16", "3x3x8x32xf32", "2x36x8x16xf32", "float32 (2, 8, 9, 16)"),
    winograd("4, 16", "3x3x8x32xi32", "2x8x9x16xi32", "does not hold floats"),
    winograd_line("2, 16", "7x7x32xf32", "2x7x7x6x16xf32", "is not a (H, W, I, O)"),
    winograd_line("2, 16", "7x7x3x24xf32", "1x7x7x6x16xf32", "of whole panels of 16"),
    winograd_line("2, 16", "7x9x3x32xf32", "2x7x7x6x16xf32", "without a Winograd"),
    winograd_line(
        "2, 16", "7x7x3x32xf32", "2x7x7x3x16xf32", "float32 (2, 7, 7, 6, 16)"
    ),
    winograd_line("2, 16", "7x7x3x32xi32", "2x7x7x6x16xi32", "not hold floats"),
)
