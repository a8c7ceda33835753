"""Malformed steps of geometry and colour; what the DSL refuses is in `tests/frontends`."""

from tests.malformed.cases import Bad

HW, HWC, NCHW = '#pipe.axes<"HW">', '#pipe.axes<"HWC">', '#pipe.axes<"NCHW">'
X, Y = f"5x7x3xui8, {HWC}", f"4x6x3xui8, {HWC}"
EMPTY = f"0x7x3xui8, {HWC}"
AFFINE = (
    'pipe.affine %0 by [1.0, 0.0, 0.0, 0.0, 1.0, 0.0] to [4, 6] mode "bilinear"'
    ' like "opencv" border "constant" value 0.0 : f64'
)
CUT = 'pipe.crop_and_resize %0 at %1 to [4, 6] samples 1 like "torchvision"'
SAMPLE = 'pipe.grid_sample %0 at %1 mode "bilinear" padding "zeros" align_corners'
LETTERBOX = 'pipe.letterbox %0 to [4, 6] value 0.0 : f64 mode "bilinear" like "pillow"'
GRAY = 'pipe.color %0 from "RGB" to "GRAY" like "opencv"'
YUV = 'pipe.yuv %0 from "NV12" to "RGB" matrix "bt601" range "limited" like "opencv"'
PAD = 'pipe.pad %0 by [0, 1, 0, 0] mode "edge" value 0.0 : f64'

CASES = (
    Bad("pipe.crop %0 from [0] size [4, 6]", (X,), (Y,), "needs a top and a left"),
    Bad(
        "pipe.crop %0 from [0, 0] size [4]", (X,), (Y,), "a height and a width, got [4]"
    ),
    Bad(
        "pipe.crop %0 from [2, 0] size [4, 6]", (X,), (Y,), "reaches out of uint8 (5, 7"
    ),
    Bad("pipe.crop %0 from [0, 0] size [4, 6]", (X,), (X,), "must be uint8 (4, 6, 3)"),
    Bad(
        "pipe.crop %0 from [0, 0] size [4, 6]",
        (X,),
        ("4x6x3xui8",),
        "result 0 must have layout HWC, got none",
    ),
    Bad("pipe.center_crop %0 size [0, 6]", (X,), (Y,), "must be positive: [0, 6]"),
    Bad(
        "pipe.center_crop %0 size [4, 6]",
        ("5x7xui8",),
        ("4x6xui8",),
        "needs axes H and",
    ),
    Bad(
        PAD, (EMPTY,), (f"1x7x3xui8, {HWC}",), "has not enough pixels for a border of 1"
    ),
    Bad(
        PAD.replace("0.0", "0.5"),
        (X,),
        (f"6x7x3xui8, {HWC}",),
        "pad of uint8 (5, 7, 3)",
    ),
    Bad(
        PAD.replace("[0, 1, 0, 0]", "[0, 1]"), (X,), (X,), "pad needs (left, top, right"
    ),
    Bad(PAD.replace("edge", "wrap"), (X,), (X,), "unknown pad mode 'wrap'"),
    Bad(
        LETTERBOX,
        (EMPTY,),
        (Y,),
        "cannot letterbox an empty image, got uint8 (0, 7, 3) HWC",
    ),
    Bad(LETTERBOX, (X,), (X,), "result 0 must be uint8 (4, 6, 3), got uint8 (5, 7, 3)"),
    Bad(
        LETTERBOX.replace("0.0", "-1.0"),
        (X,),
        (Y,),
        "with -1, which its dtype does not",
    ),
    Bad('pipe.flip %0 direction "up"', (X,), (X,), "unknown direction 'up'"),
    Bad(
        'pipe.flip %0 direction "vertical"',
        ("3xf32",),
        ("3xf32",),
        "needs axes H and W",
    ),
    Bad("pipe.rotate %0 turns 1", (X,), (X,), "result 0 must be uint8 (7, 5, 3)"),
    Bad(
        AFFINE,
        (EMPTY,),
        (Y,),
        "affine reads the pixels of an image, got uint8 (0, 7, 3)",
    ),
    Bad(
        AFFINE.replace("0.0, 1.0, 0.0]", "0.0]"),
        (X,),
        (Y,),
        "2 rows of 3 finite numbers",
    ),
    Bad(AFFINE.replace("constant", "wrap"), (X,), (Y,), "unknown border 'wrap'"),
    Bad(
        AFFINE,
        (f"5x7xi8, {HW}",),
        (f"4x6xi8, {HW}",),
        "takes uint8 or float32, got int8",
    ),
    Bad(
        f"{SAMPLE} 2",
        (f"1x3x5x7xf32, {NCHW}", "1x4x6x2xf32"),
        (f"1x3x4x6xf32, {NCHW}",),
        "align_corners must be 0 or 1, got 2",
    ),
    Bad(
        f"{SAMPLE} 0",
        ("1x3x5x7xf32", "1x4x6x2xf32"),
        (f"1x3x4x6xf32, {NCHW}",),
        "reads a float32 image NCHW, got float32 (1, 3, 5, 7)",
    ),
    Bad(CUT, (X, "9x5xf32"), (Y,), "boxes are float32 (count, 4), got float32 (9, 5)"),
    Bad(CUT.replace("1 like", "0 like"), (X, "9x4xf32"), (Y,), "takes 1 to 64 samples"),
    Bad(CUT, (X, "9x4xf32"), (Y,), "result 0 must be float32 (9, 4, 6, 3)"),
    Bad(GRAY, ("5x7x3xui8",), ("5x7x1xui8",), "color needs axes H and W"),
    Bad(GRAY, (X,), (f"5x7xui8, {HW}",), "result 0 must be uint8 (5, 7, 1)"),
    Bad(GRAY.replace("RGB", "CMYK"), (X,), (X,), "unknown source 'CMYK'"),
    Bad(GRAY.replace("opencv", "gimp"), (X,), (X,), "unknown like 'gimp'"),
    Bad(
        YUV, (f"5x4xui8, {HW}",), (f"4x4x3xui8, {HWC}",), "is no NV12 frame of an even"
    ),
    Bad(YUV, (f"6x4xui8, {HW}",), (f"6x4x3xui8, {HWC}",), "must be uint8 (4, 4, 3)"),
    Bad(YUV.replace("limited", "full"), (X,), (X,), "OpenCV has no conversion of full"),
    Bad(YUV.replace("NV12", "NV16"), (X,), (X,), "unknown source 'NV16'"),
    Bad(
        "pipe.scale %0 factor [1.0, 2.0] offset [0.0]",
        (X,),
        (X,),
        "factor has 2 values",
    ),
    Bad(
        "pipe.scale %0 factor [1.0] offset [0.0]",
        (X,),
        (X,),
        "must be float32 (5, 7, 3)",
    ),
    Bad(
        "pipe.clamp %0 from 1.0 : f64 to 0.0 : f64",
        (X,),
        (X,),
        "no number is between 1",
    ),
    Bad(
        "pipe.gamma %0 by -1.0 : f64 gain 1.0 : f64", (X,), (X,), "must not be negative"
    ),
    Bad(
        'pipe.cast %0 to i8 rounding "odd"',
        ("3xf32",),
        ("3xi8",),
        "unknown rounding 'odd'",
    ),
    Bad(
        "pipe.cast %0 to f16 saturate", ("3xf32",), ("3xf16",), "only integers saturate"
    ),
    Bad(
        'pipe.cast %0 to i8 rounding "ceil"', ("3xi32",), ("3xi8",), "nothing to round"
    ),
    Bad(
        "pipe.stack %0, %1", (X, Y), (X,), "got uint8 (5, 7, 3) HWC and uint8 (4, 6, 3)"
    ),
    Bad(
        "pipe.stack %0, %1",
        (X, X),
        (f"2x5x7x3xui8, {HWC}",),
        "layout 'HWC' does not name",
    ),
    Bad(
        "pipe.select %0 axis 2 index -4",
        (X,),
        (f"5x7xui8, {HW}",),
        "index -4 is out of",
    ),
    Bad(
        "pipe.select %0 axis 3 index 0",
        (X,),
        (f"5x7xui8, {HW}",),
        "axis 3 is out of rang",
    ),
    Bad(
        "pipe.select %0 axis 2 index 0",
        (X,),
        ("5x7xui8",),
        "must have layout HW, got none",
    ),
)
