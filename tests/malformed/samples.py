"""One valid use of each op; `test_malformed` breaks every part of it in turn."""

from devproc.dialects.nn.elementary import UNARY
from devproc.dialects.nn.pointwise import AbsOp
from tests.malformed.cases import Bad

IMAGE, FILTER = "1x3x8x8xf32", "4x3x3x3xf32"

Sample = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Text with %0, %1, ...; operand types; result types: as in `Bad`."""

INTEGER_BINARY = (
    *("quotient", "remainder", "and", "or", "xor", "shift_left", "shift_right"),
)
FLOAT_BINARY = ("maximum", "minimum", "pow", "atan2")
TESTS = ("eq", "lt", "le")

ACTIVATIONS = ("hardsigmoid", "hardswish", "silu")

NORM = (
    '"nn.{}"({}) <{{{}epsilon = 1.0e-05 : f64, operandSegmentSizes = array<i32: {}>}}>'
)
ROWS = ("2x3xf32", "3xf32", "3xf32")
IMAGES = ("2x4x5xf32", "4xf32", "4xf32")
MOMENTS = ("2x1xf32", "2x1xf32")
NORMS = (
    ("layer_norm", "%0, %1, %2", "dims = 1 : i64, ", 3, ROWS, ("2x3xf32",)),
    ("layer_norm", "%0, %1, %2", "dims = 1 : i64, statistics, ", 3, ROWS,
     ("2x3xf32", *MOMENTS)),
    ("group_norm", "%0, %1, %2", "groups = 2 : i64, ", 3, IMAGES, ("2x4x5xf32",)),
    ("batch_norm", "%0, %1, %2, %3, %4", "", 5, (*IMAGES, "4xf32", "4xf32"),
     ("2x4x5xf32",)),
)  # fmt: skip

SAMPLES: tuple[Sample, ...] = (
    *((f"nn.{n} %0, %1", ("2x3xi32", "3xi32"), ("2x3xi32",)) for n in INTEGER_BINARY),
    *((f"nn.{n} %0, %1", ("2x3xf32", "3xf32"), ("2x3xf32",)) for n in FLOAT_BINARY),
    *((f"nn.{n} %0, %1", ("2x3xf32", "3xf32"), ("2x3xi1",)) for n in TESTS),
    *((op.name + " %0", ("2x3xf32",), ("2x3xf32",)) for op in (*UNARY, AbsOp)),
    ("nn.where %0, %1, %2", ("2x3xi1", "3xf32", "f32"), ("2x3xf32",)),
    ("nn.add %0, %1", ("2x3xf32", "3xf32"), ("2x3xf32",)),
    ("nn.sub %0, %1", ("2x3xf32", "3xf32"), ("2x3xf32",)),
    ("nn.mul %0, %1", ("2x3xi32", "3xi32"), ("2x3xi32",)),
    ("nn.div %0, %1", ("2x3xf32", "3xf32"), ("2x3xf32",)),
    ("nn.sqrt %0", ("2x3xf32",), ("2x3xf32",)),
    ("nn.exp %0", ("2x3xf32",), ("2x3xf32",)),
    ("nn.relu %0", ("2x3xf32",), ("2x3xf32",)),
    ("nn.cast %0 to f32", ("2x3xui8",), ("2x3xf32",)),
    ("nn.bitcast %0 to i32", ("2x3xf32",), ("2x3xi32",)),
    (
        "nn.rescale %0, %1, %2 zero 0 to i8 zero 3 clamp -128 127",
        ("2x4x5xi32", "4x1xi32", "4x1xi8"),
        ("2x4x5xi8",),
    ),
    ("nn.quantize %0 by %1 to i8 clamp -128 127", ("2x3xf32", "f32"), ("2x3xi8",)),
    ("nn.dequantize %0 by %1", ("2x3xi8", "f32"), ("2x3xf32",)),
    ("nn.matmul %0, %1", ("4x2x3xf32", "3x5xf32"), ("4x2x5xf32",)),
    ("nn.linear %0, %1", ("2x8xf32", "4x8xf32"), ("2x4xf32",)),
    ("nn.linear %0, %1 bias %2", ("2x8xf32", "4x8xf32", "4xf32"), ("2x4xf32",)),
    (
        "nn.conv2d %0, %1 stride [2, 1] padding [1, 0] dilation [1, 1] groups 1",
        (IMAGE, FILTER),
        ("1x4x4x6xf32",),
    ),
    (
        "nn.conv2d %0, %1 bias %2 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1",
        (IMAGE, FILTER, "4xf32"),
        ("1x4x8x8xf32",),
    ),
    (
        "nn.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [0, 0]"
        " dilation [1, 1] ceil 0",
        (IMAGE,),
        ("1x3x4x4xf32",),
    ),
    (
        "nn.sum_pool2d %0 kernel [2, 2] stride [2, 2] padding [1, 0]"
        " dilation [1, 1] ceil 0",
        (IMAGE,),
        ("1x3x5x4xf32",),
    ),
    (
        "nn.conv2d %0, %1 stride [2, 1] padding [0, 0] dilation [1, 1] groups 1"
        ' layout "nhwc"',
        ("1x8x8x3xf32", "3x3x3x4xf32"),
        ("1x3x6x4xf32",),
    ),
    (
        "nn.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [0, 0]"
        ' dilation [1, 1] ceil 0 layout "nhwc"',
        ("1x8x8x3xf32",),
        ("1x4x4x3xf32",),
    ),
    (
        "nn.attention %0, %1, %2 mask %3 scale 0.5 : f64 empty 1",
        ("2x5x8xf32", "2x7x8xf32", "2x7x4xf32", "5x7xi1"),
        ("2x5x4xf32",),
    ),
    (
        "nn.cached_attention %0, %1, %2 last %3 mask %4 scale 0.5 : f64 empty 1",
        ("2x5x8xf32", "2x7x8xbf16", "2x7x4xf16", "5xi64", "5x7xi1"),
        ("2x5x4xf32",),
    ),
    (
        "nn.pack %0 as #dev.winograd<4, 16>",
        ("3x3x8x32xf32",),
        ("2x8x9x16xf32",),
    ),
    (
        "nn.pack %0 as #dev.winograd_line<2, 16>",
        ("7x7x3x32xf32",),
        ("2x7x7x6x16xf32",),
    ),
    ("nn.pack %0 as #dev.strassen<16>", ("64x8xf32",), ("2x7x4x16xf32",)),
    ("nn.pack %0 as #dev.inner_product<16, 24>", ("30x64xf32",), ("2x68x16xf32",)),
    ("nn.pack %0 as #dev.inner_product<16, 24, 2>", ("30x64xf32",), ("4x35x16xf32",)),
    (
        "nn.pack %0 as #dev.inner_product<8, 24>",
        ("3x3x8x20xf32",),
        ("3x77x8xf32",),
    ),
    ("nn.pack %0 as #dev.block_float<16, 32>", ("30x64xf32",), ("2x2x400xf32",)),
    ("nn.reduce_sum %0 axes [1] keep 0", ("2x3xf32",), ("2xf32",)),
    ("nn.reduce_prod %0 axes [0] keep 1", ("2x3xf32",), ("1x3xf32",)),
    ("nn.reduce_max %0 axes [0, 1] keep 1", ("2x3xf32",), ("1x1xf32",)),
    ("nn.argmax %0 axis 1 keep 0", ("2x3xf32",), ("2xi64",)),
    ("nn.cumsum %0 axis 1", ("2x3xf32",), ("2x3xf32",)),
    ("nn.cumprod %0 axis 0", ("2x3xi64",), ("2x3xi64",)),
    ("nn.logcumsumexp %0 axis -1", ("2x3xf32",), ("2x3xf32",)),
    ("nn.cummax %0 axis 1", ("2x3xui8",), ("2x3xui8", "2x3xi64")),
    ("nn.cummin %0 axis 0", ("2x3xf32",), ("2x3xf32", "2x3xi64")),
    ("nn.softmax %0 axis -1", ("2x3xf32",), ("2x3xf32",)),
    ("nn.log_softmax %0 axis -1", ("2x3xf32",), ("2x3xf32",)),
    ('nn.gelu %0 approximate "none"', ("2x3xf32",), ("2x3xf32",)),
    *((f"nn.{n} %0", ("2x3xf32",), ("2x3xf32",)) for n in ACTIVATIONS),
    *(
        (NORM.format(name, operands, more, "1, " * (count - 1) + "1"), types, results)
        for name, operands, more, count, types, results in NORMS
    ),
    (
        NORM.format("rms_norm", "%0, %1", "dims = 1 : i64, ", "1, 1"),
        ("2x3xf32", "3xf32"),
        ("2x3xf32",),
    ),
    ("nn.reshape %0 to [6]", ("2x3xf32",), ("6xf32",)),
    ("nn.transpose %0 by [1, 0]", ("2x3xf32",), ("3x2xf32",)),
    ("nn.expand %0 to [4, 2, 3]", ("2x1xf32",), ("4x2x3xf32",)),
    ("nn.slice %0 from [0, 2] size [2, 2] step [1, -2]", ("2x3xf32",), ("2x2xf32",)),
    ("nn.concat %0, %1 axis 1", ("2x3xf32", "2x1xf32"), ("2x4xf32",)),
    ("nn.gather %0 at %1 axes [0]", ("9x4xf32", "2x1xi64"), ("2x4xf32",)),
    (
        'nn.scatter %0 into %1 at %2 axis 0 mode "add"',
        ("2x4xf32", "9x4xf32", "2x1xi64"),
        ("9x4xf32",),
    ),
    ("nn.sort %0 descending 0", ("2x3xf32",), ("2x3xf32", "2x3xi64")),
    ("nn.kth_value %0 at %1", ("2x3xf32", "2x2xi64"), ("2x2xf32", "2x2xi64")),
    (
        "nn.nms %0, %1 thresholds [0.5, 0.05] max_n 5 agnostic 0",
        ("2x9x1x4xf32", "2x9x3xf32"),
        ("2x5xi64", "2xi64"),
    ),
    (
        "nn.nms %0, %1 classes %2 thresholds [0.5, -1.0] max_n 5 agnostic 0",
        ("2x9x3x4xf32", "2x9x3xf32", "2x9x3xi64"),
        ("2x5xi64", "2xi64"),
    ),
    ("nn.pack %0 as #dev.layout<[0, 1], [16, 1]>", ("30x8xf32",), ("2x8x16xf32",)),
    ("nn.pad %0 low [0, 1] high [0, 2]", ("2x3xf32",), ("2x6xf32",)),
    (
        'nn.resize %0 axes [0, 1] to [8, 9] mode "bilinear" like "pillow"',
        ("5x7x3xui8",),
        ("8x9x3xui8",),
    ),
    ("nn.resample %0, %1, %2 axis 1", ("5x7xui8", "9xi32", "9x3xi32"), ("5x9xui8",)),
    (
        "nn.normalize %0 axis 2 mean [0.5] std [0.25]",
        ("4x4x1xui8",),
        ("4x4x1xf32",),
    ),
)


def sample_module(sample: Sample) -> str:
    """The sample as a program."""
    text, operands, results = sample
    return Bad(text, operands, results, "").module
