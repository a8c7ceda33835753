"""Malformed steps of the user's program."""

from tests.malformed.cases import Bad

HWC, NCHW = '#pipe.axes<"HWC">', '#pipe.axes<"NCHW">'
X, Y = f"5x7x3xui8, {HWC}", f"8x9x3xui8, {HWC}"
F = f"5x7x3xf32, {HWC}"
RESIZE = 'pipe.resize %0 to [8, 9] mode "bilinear" like "pillow"'
NORMALIZE = "pipe.normalize %0 mean [0.1, 0.2, 0.3] std [1.0, 1.0, 1.0]"


def layout(source: str, target: str, operand: str, result: str, message: str) -> Bad:
    """A change of layout."""
    text = f'pipe.layout %0 from "{source}" to "{target}"'
    return Bad(text, (operand,), (result,), message)


CASES = (
    Bad(RESIZE, ("5x7x3xui8",), (Y,), "resize needs axes H and W, got uint8 (5, 7, 3)"),
    Bad(
        RESIZE,
        ('5x7xui8, #pipe.axes<"NC">',),
        ('8x9xui8, #pipe.axes<"NC">',),
        "resize needs axes H and W, got uint8 (5, 7) NC",
    ),
    Bad(RESIZE, (X,), (X,), "result 0 must be uint8 (8, 9, 3), got uint8 (5, 7, 3)"),
    Bad(RESIZE, (X,), ("8x9x3xui8",), "result 0 must have layout HWC, got none"),
    Bad(
        RESIZE,
        (f"5x7x4xf32, {HWC}",),
        (f"8x9x4xf32, {HWC}",),
        "would be LA or RGBA for Pillow",
    ),
    Bad(RESIZE, (f"5x7xui8, {HWC}",), (Y,), "layout 'HWC' does not name the axes of"),
    Bad(
        RESIZE.replace("bilinear", "area"),
        (X,),
        (Y,),
        "pillow has no resize mode 'area'",
    ),
    Bad(RESIZE.replace("pillow", "scipy"), (X,), (Y,), "unknown reference 'scipy'"),
    Bad(RESIZE.replace("[8, 9]", "[8]"), (X,), (Y,), "two sizes"),
    Bad(RESIZE.replace("[8, 9]", "[0, 9]"), (X,), (Y,), "sizes must be positive"),
    Bad(RESIZE, (f"5x7x3xi32, {HWC}",), (f"8x9x3xi32, {HWC}",), "takes uint8 or float"),
    Bad(NORMALIZE, ("5x7x3xui8",), ("5x7x3xf32",), "normalize needs an image layout"),
    Bad(NORMALIZE, (X,), (X,), "result 0 must be float32 (5, 7, 3)"),
    Bad(NORMALIZE, (X,), ("5x7x3xf32",), "result 0 must have layout HWC, got none"),
    Bad(
        NORMALIZE,
        (f"3x7x5xui8, {HWC}",),
        (f"3x7x5xf32, {HWC}",),
        "the image has 5 channels, but mean has 3 values and std 3",
    ),
    Bad(
        NORMALIZE.replace("[1.0, 1.0, 1.0]", "[1.0, 0.0, 1.0]"),
        (X,),
        (F,),
        "std must not be zero",
    ),
    Bad(NORMALIZE.replace(", 0.3]", "]"), (X,), (F,), "mean has 2 values and std 3"),
    layout("HWC", "NCWX", F, f"1x3x7x5xf32, {NCHW}", "may only have the letters N, H"),
    layout("HWC", "", F, "f32", "layout '' may only have the letters"),
    layout("HHC", "CHW", F, f"3x5x7xf32, {HWC}", "layout 'HHC' names an axis twice"),
    layout("CHW", "HWC", F, F, "the value is float32 (5, 7, 3) HWC, not CHW"),
    layout("HW", "HWC", "5x7x3xf32", F, "the value is float32 (5, 7, 3), not HW"),
    layout(
        "HWC",
        "HW",
        F,
        '5x7xf32, #pipe.axes<"HW">',
        "'HWC->HW' would drop the axis C of float32 (5, 7, 3) HWC; only an N or C of",
    ),
    layout(
        "NC",
        "NCH",
        "1x3xf32",
        '1x3x1xf32, #pipe.axes<"NCH">',
        "'NC->NCH' would invent the axis H",
    ),
    layout("HWC", "NCHW", F, f"1x3x7x5xf32, {NCHW}", "result 0 must be float32 (1, 3,"),
    layout("HWC", "NCHW", F, "1x3x5x7xf32", "result 0 must have layout NCHW, got none"),
    Bad("pipe.softmax %0 axis 2", ("1x4xf32",), ("1x4xf32",), "axis 2 is out of range"),
    Bad("pipe.softmax %0 axis 1", ("1x4xi32",), ("1x4xi32",), "floating-point operand"),
    Bad("pipe.argmax %0 axis -3", ("1x4xf32",), ("1xi64",), "axis -3 is out of range"),
    Bad(
        "pipe.argmax %0 axis 1", ("1x4xf32",), ("1xi32",), "result 0 must be int64 (1)"
    ),
    Bad("pipe.argmax %0 axis 1", ("1x0xf32",), ("1xi64",), "empty dimension"),
    Bad(
        "pipe.argmax %0 axis 2",
        (F,),
        ("5x7xi64",),
        "result 0 must have layout HW, got none",
    ),
    Bad("pipe.cast %0 to f32", (X,), ("5x7x3xf32",), "must have layout HWC, got none"),
    Bad("pipe.cast %0 to i4", (X,), (f"5x7x3xi4, {HWC}",), "unknown dtype i4"),
    Bad(
        "pipe.cast %0 to f32", (X,), (f"5x7x3xf64, {HWC}",), "result 0 must be float32"
    ),
    Bad("pipe.model @none(%0)", (X,), (X,), "no model function named @none"),
)
