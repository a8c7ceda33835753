"""Malformed reshape, transpose and pad."""

from tests.malformed.cases import Bad

CASES = (
    Bad(
        "nn.reshape %0 to [7]",
        ("2x3xf32",),
        ("7xf32",),
        "float32 (2, 3) does not reshape to (7)",
    ),
    Bad("nn.reshape %0 to [2, 2]", ("2x3xf32",), ("2x2xf32",), "does not reshape"),
    Bad("nn.reshape %0 to []", ("2x3xf32",), ("f32",), "does not reshape to ()"),
    Bad("nn.reshape %0 to [0, 6]", ("2x3xf32",), ("0x6xf32",), "does not reshape"),
    Bad("nn.reshape %0 to [-1]", ("2x3xf32",), ("6xf32",), "negative size in (-1)"),
    Bad("nn.reshape %0 to [-2, -3]", ("2x3xf32",), ("2x3xf32",), "negative size"),
    Bad("nn.reshape %0 to [6]", ("2x3xf32",), ("3x2xf32",), "result 0 must be"),
    Bad("nn.reshape %0 to [6]", ("2x3xf32",), ("6xi32",), "result 0 must be"),
    Bad(
        "nn.transpose %0 by [0]",
        ("2x3xf32",),
        ("2x3xf32",),
        "[0] is not a permutation of 2 dimensions",
    ),
    Bad("nn.transpose %0 by [0, 0]", ("2x3xf32",), ("2x2xf32",), "not a permutation"),
    Bad("nn.transpose %0 by [1, 2]", ("2x3xf32",), ("3x2xf32",), "not a permutation"),
    Bad("nn.transpose %0 by [-1, 0]", ("2x3xf32",), ("3x2xf32",), "not a permutation"),
    Bad("nn.transpose %0 by []", ("2x3xf32",), ("2x3xf32",), "not a permutation"),
    Bad("nn.transpose %0 by [0]", ("f32",), ("f32",), "not a permutation of 0"),
    Bad("nn.transpose %0 by [1, 0]", ("2x3xf32",), ("2x3xf32",), "result 0 must be"),
    Bad("nn.transpose %0 by [1, 0]", ("2x3xi8",), ("3x2xui8",), "result 0 must be"),
    Bad(
        "nn.pack %0 as <[0, 1], [16, 1]>",
        ("30xf32",),
        ("2x16xf32",),
        "a layout of 2 dimensions does not fit float32 (30)",
    ),
    Bad("nn.pack %0 as <[0], [4]>", ("30x8xf32",), ("8x4xf32",), "does not fit"),
    Bad("nn.pack %0 as <[0], [4]>", ("30xf32",), ("7x4xf32",), "result 0 must be"),
    Bad("nn.pack %0 as <[0], [4]>", ("30xf32",), ("8x4xf64",), "result 0 must be"),
    Bad("nn.pad %0 low [0] high [0]", ("2x3xf32",), ("2x3xf32",), "needs 2 values"),
    Bad("nn.pad %0 low [0, 0] high [0]", ("2x3xf32",), ("2x3xf32",), "on each side"),
    Bad("nn.pad %0 low [] high []", ("2x3xf32",), ("2x3xf32",), "needs 2 values"),
    Bad("nn.pad %0 low [1] high [1]", ("f32",), ("f32",), "needs 0 values"),
    Bad(
        "nn.pad %0 low [-1, 0] high [0, 0]",
        ("2x3xf32",),
        ("1x3xf32",),
        "padding must not be negative, got [-1, 0] and [0, 0]",
    ),
    Bad("nn.pad %0 low [0, 0] high [0, -4]", ("2x3xf32",), ("2x0xf32",), "negative"),
    Bad("nn.pad %0 low [1, 0] high [0, 2]", ("2x3xf32",), ("2x5xf32",), "result 0"),
    Bad("nn.pad %0 low [0, 0] high [0, 0]", ("2x3xf32",), ("2x3xf16",), "result 0"),
)
