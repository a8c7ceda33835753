"""Malformed elementwise ops."""

from tests.malformed.cases import Bad

BINARY = ("nn.add", "nn.sub", "nn.mul", "nn.div")

CASES = (
    *(
        case
        for op in BINARY
        for case in (
            Bad(f"{op} %0, %1", ("2x3xf32", "4xf32"), ("2x3xf32",), "do not broadcast"),
            Bad(
                f"{op} %0, %1",
                ("2x3xf32", "3x2xf32"),
                ("2x3xf32",),
                "shapes (2, 3) and (3, 2) do not broadcast",
            ),
            Bad(
                f"{op} %0, %1",
                ("0x3xf32", "2x3xf32"),
                ("2x3xf32",),
                "do not broadcast",
            ),
            Bad(
                f"{op} %0, %1",
                ("2x3xf32", "2x3xf64"),
                ("2x3xf32",),
                f"operands of {op} must have one dtype, got float32 (2, 3) and "
                "float64 (2, 3)",
            ),
            Bad(
                f"{op} %0, %1",
                ("2xf16", "2xbf16"),
                ("2xf32",),
                "must have one dtype",
            ),
            Bad(
                f"{op} %0, %1",
                ("2x1xf32", "1x3xf32"),
                ("2x1xf32",),
                "result 0 must be float32 (2, 3), got float32 (2, 1)",
            ),
            Bad(
                f"{op} %0, %1",
                ("f32", "f32"),
                ("1xf32",),
                "result 0 must be float32 (), got float32 (1)",
            ),
        )
    ),
    *(
        Bad(f"{op} %0, %1", ("2xi1", "2xi1"), ("2xi1",), f"{op} does not take bool")
        for op in BINARY[:3]
    ),
    *(
        Bad("nn.div %0, %1", (f"2x{t}", f"2x{t}"), (f"2x{t}",), "cast integers first")
        for t in ("i1", "i8", "ui8", "i16", "i32", "i64")
    ),
    *(
        Bad("nn.add %0, %1", ("2xi8", "2xui8"), (f"2x{t}",), "must have one dtype")
        for t in ("i8", "ui8", "i16")
    ),
    *(
        Bad(f"{op} %0", (f"2x{t}",), (f"2x{t}",), "takes a floating-point operand")
        for op in ("nn.exp", "nn.sqrt")
        for t in ("i1", "i8", "ui8", "i16", "i32", "i64")
    ),
    *(
        Bad(
            f"{op} %0, %1",
            ("2x3xf32", "3x2xf32"),
            ("2x3xf32",),
            "shapes (2, 3) and (3, 2) do not broadcast",
        )
        for op in ("nn.maximum", "nn.minimum", "nn.remainder")
    ),
    *(
        Bad(f"{op} %0, %1", ("2xi1", "2xi1"), ("2xi1",), f"{op} does not take bool")
        for op in ("nn.maximum", "nn.minimum", "nn.remainder", "nn.quotient")
    ),
    *(
        Bad("nn.quotient %0, %1", (f"2x{t}",) * 2, (f"2x{t}",), "takes integers")
        for t in ("f16", "bf16", "f32", "f64")
    ),
    Bad("nn.abs %0", ("2xi1",), ("2xi1",), "nn.abs does not take a bool operand"),
    Bad("nn.exp %0", ("2xf16",), ("2xf32",), "result 0 must be float16 (2)"),
    Bad("nn.relu %0", ("2xi1",), ("2xi1",), "nn.relu does not take a bool operand"),
    Bad("nn.relu %0", ("2xf32",), ("2x1xf32",), "result 0 must be float32 (2)"),
    *(
        Bad(f"nn.cast %0 to {t}", ("2xf32",), (f"2x{t}",), "unknown dtype")
        for t in ("i4", "ui32", "index", "complex<f32>", "tensor<2xf32>")
    ),
    *(
        Bad(f"nn.cast %0 to {t}", ("2xf32",), ("2xf32",), "result 0 must be")
        for t in ("f16", "bf16", "f64", "i1", "i8", "ui8", "i16", "i32", "i64")
    ),
    Bad("nn.cast %0 to f32", ("2x3xui8",), ("3x2xf32",), "result 0 must be"),
    *(
        Bad(f"nn.bitcast %0 to {t}", ("2xf32",), (f"2x{t}",), "the widths differ")
        for t in ("f16", "bf16", "f64", "i8", "ui8", "i16", "i64")
    ),
    Bad("nn.bitcast %0 to i1", ("2xi8",), ("2xi1",), "does not take or give bool"),
    Bad("nn.bitcast %0 to i8", ("2xi1",), ("2xi8",), "does not take or give bool"),
    Bad("nn.bitcast %0 to ui32", ("2xf32",), ("2xui32",), "unknown dtype"),
    Bad("nn.bitcast %0 to i32", ("2xf32",), ("2xf32",), "result 0 must be"),
)
