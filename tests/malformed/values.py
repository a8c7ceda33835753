"""Malformed constants and weights, uses before definitions, attributes."""

from __future__ import annotations

from tests.malformed.cases import Program, main

CONSTANTS: dict[str, Program] = {
    "constant of another shape": (
        main("%c = nn.constant dense<1.0> : tensor<2xf32> : tensor<3xf32>"),
        "the constant has type tensor<2xf32>, its result tensor<3xf32>",
    ),
    "constant of another dtype": (
        main("%c = nn.constant dense<1> : tensor<2xi32> : tensor<2xi64>"),
        "the constant has type tensor<2xi32>, its result tensor<2xi64>",
    ),
    "constant too large": (
        main("%c = nn.constant dense<1.0> : tensor<1025xf32> : tensor<1025xf32>"),
        "a constant of 1025 elements must be an nn.weight (limit 1024)",
    ),
    "constant without a value": (
        main('%c = "nn.constant"() : () -> tensor<2xf32>'),
        "property 'value' expected in operation 'nn.constant'",
    ),
    "constant of a scalar type": (
        main('%c = "nn.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> f32'),
        "of base attribute tensor",
    ),
    "weight without a key": (
        main('%w = nn.weight hash "00" : tensor<2xf32>'),
        "attribute expected",
    ),
    "weight without a hash": (
        main('%w = "nn.weight"() <{key = @w}> : () -> tensor<2xf32>'),
        "property 'hash' expected in operation 'nn.weight'",
    ),
    "weight of a scalar type": (
        main('%w = nn.weight @w hash "00" : f32'),
        "of base attribute tensor",
    ),
    "weight of a dynamic shape": (
        main('%w = nn.weight @w hash "00" : tensor<?xf32>'),
        "must have a static shape",
    ),
    "weight of a foreign dtype": (
        main('%w = nn.weight @w hash "00" : tensor<2xindex>'),
        "has no dtype that DevProc knows: index",
    ),
    "taps of no output": (
        main(
            '%f, %t = nn.resample_taps 4 to 0 mode "box" like "pillow" as "int32"'
            " : tensor<0xi32>, tensor<0x1xi32>"
        ),
        "sizes must be positive",
    ),
    "taps of an unknown filter": (
        main(
            '%f, %t = nn.resample_taps 4 to 2 mode "area" like "pillow" as "int32"'
            " : tensor<2xi32>, tensor<2x3xi32>"
        ),
        "pillow has no resize mode 'area'",
    ),
    "taps of a wrong dtype": (
        main(
            '%f, %t = nn.resample_taps 4 to 2 mode "box" like "pillow" as "float16"'
            " : tensor<2xi32>, tensor<2x3xf16>"
        ),
        "taps like pillow are int32 or float64, not float16",
    ),
    "taps of a wrong count": (
        main(
            '%f, %t = nn.resample_taps 4 to 2 mode "box" like "pillow" as "int32"'
            " : tensor<2xi32>, tensor<2x9xi32>"
        ),
        "result 1 must be int32 (2, ",
    ),
    "taps with one result": (
        main(
            '%f = nn.resample_taps 4 to 2 mode "box" like "pillow" as "int32"'
            " : tensor<2xi32>"
        ),
        "2 results",
    ),
}

DOMINANCE: dict[str, Program] = {
    "later in the block": (
        main(
            "%r = nn.relu %l : (tensor<2xf32>) -> tensor<2xf32>\n"
            "%l = nn.exp %x : (tensor<2xf32>) -> tensor<2xf32>"
        ),
        "operand 0 of 'nn.relu' (unknown source) is used before its definition",
    ),
    "its own result": (
        main("%r = nn.relu %r : (tensor<2xf32>) -> tensor<2xf32>"),
        "is used before its definition",
    ),
    "never defined": (
        main("%r = nn.relu %nowhere : (tensor<2xf32>) -> tensor<2xf32>"),
        "nowhere",
    ),
    "later with a location": (
        main(
            "%r = nn.relu %l : (tensor<2xf32>) -> tensor<2xf32>"
            ' loc("net.act"("net.py":12:0))\n'
            "%l = nn.exp %x : (tensor<2xf32>) -> tensor<2xf32>"
        ),
        "operand 0 of 'nn.relu' (net.act at net.py:12) is used before",
    ),
    "in the other branch": (
        main(
            "%c = arith.constant true\n"
            "scf.if %c {\n"
            "  %v = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>\n"
            "} else {\n"
            "  %w = nn.relu %v : (tensor<2xf32>) -> tensor<2xf32>\n"
            "}"
        ),
        "v",
    ),
    "in a block that need not run": (
        "func.func @main(%c: i1, %x: tensor<2xf32>) {\n"
        "  cf.cond_br %c, ^a, ^b\n"
        "^a:\n"
        "  %v = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  cf.br ^b\n"
        "^b:\n"
        "  %w = nn.relu %v : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  func.return\n}",
        "is used before its definition",
    ),
    "return of a later value": (
        "func.func @main() -> tensor<2xf32> {\n  func.return %w : tensor<2xf32>\n}",
        "w",
    ),
}


ATTRIBUTES: dict[str, Program] = {
    name: (f"func.func private @f() attributes {{a = {text}}}", message)
    for name, (text, message) in {
        "axes letters": ('#pipe.axes<"HWD">', "layout 'HWD' may only have the letters"),
        "axes twice": ('#pipe.axes<"HWH">', "layout 'HWH' names an axis twice"),
        "axes empty": ('#pipe.axes<"">', "layout '' may only have the letters"),
        "device": (
            '#dev.on<"gpu">',
            "unknown device 'gpu' of a value; one of cpu, cuda, host",
        ),
        "empty device": ('#dev.on<"">', "unknown device ''"),
        "layout order": (
            '#dev.on<"cpu", #dev.layout<[0, 0], [1, 1]>>',
            "layout order [0, 0] is not a permutation",
        ),
        "layout tiles": ("#dev.layout<[0, 1], [1]>", "one tile per dimension"),
        "layout tile size": ("#dev.layout<[0, 1], [1, 0]>", "must be positive"),
        "layout without tiles": ("#dev.layout<[0, 1]>", "','"),
        "kernel device": (
            '#dev.kernel<"dsp", "pointwise", []>',
            "unknown device 'dsp' of a kernel",
        ),
        "kernel family": (
            '#dev.kernel<"cpu", "recursion", ["nn.relu"]>',
            "unknown kernel family 'recursion'; one of pointwise, reduction, contraction",
        ),
        **{
            f"target {what}": (
                "#dev.target<"
                f'"{devices}", precision = "{precision}", threads = {threads}, '
                f"cpu = #cpu.machine<vector_bits = {bits}>>",
                message,
            )
            for what, devices, bits, threads, precision, message in (
                ("device", "cpu+tpu", 256, 1, "default", "unknown device 'tpu' of the"),
                ("bits", "cpu", 100, 1, "default", "vector_bits must be 128, 256 or"),
                ("threads", "cpu", 256, 0, "default", "threads must be at least 1"),
                ("precision", "cpu", 256, 1, "exact", "got 'exact'"),
            )
        },
    }.items()
}


def _repeated(attribute: str, body: str = "", inputs: str = "") -> str:
    states = '%n: tensor<1xi64> {dev.name = "n", dev.state = "n"}'
    results = 'tensor<1xi1> {dev.name = "ended"}, tensor<1xi64> {dev.name = "n", dev.state = "n"}'
    return (
        f"module attributes {{devproc.repeat = {attribute}}} {{\n"
        f"func.func @main({inputs}{states}) -> ({results}) {{\n"
        "  %e = nn.eq %n, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>\n"
        f"  {body}func.return %e, %n : tensor<1xi1>, tensor<1xi64>\n}}\n}}"
    )


REPEATED: dict[str, Program] = {
    "repetition that is no dictionary": (
        _repeated("9 : i64"),
        "'devproc.repeat' must be {at_most = 1 : i64, until = \"output\"}, got 9 : i64",
    ),
    "repetition without an end": (
        _repeated("{at_most = 9 : i64}"),
        "'devproc.repeat' must be {at_most = 1 : i64",
    ),
    "repetition of no call": (
        _repeated('{at_most = 0 : i64, until = "ended"}'),
        "'devproc.repeat' has at_most = 0, below 1",
    ),
    "repetition until an unknown output": (
        _repeated('{at_most = 9 : i64, until = "end"}'),
        'no output is named "end"',
    ),
    "repetition until a state": (
        _repeated('{at_most = 9 : i64, until = "n"}'),
        'no output is named "n"',
    ),
    "repetition of a program with an input": (
        _repeated(
            '{at_most = 9 : i64, until = "ended"}',
            inputs='%x: tensor<2xf32> {dev.name = "x"}, ',
        ),
        '@main takes "x"; a program that is repeated takes nothing but states',
    ),
    "repetition until a number": (
        _repeated('{at_most = 9 : i64, until = "ended"}')
        .replace(
            'tensor<1xi1> {dev.name = "ended"}, tensor<1xi64> {dev.name = "n"',
            'tensor<1xi64> {dev.name = "ended"}, tensor<1xi64> {dev.name = "n"',
        )
        .replace("return %e, %n : tensor<1xi1>", "return %n, %n : tensor<1xi64>"),
        'the output "ended" is tensor<1xi64>, not one bool',
    ),
}
"""Attributes that say how a program is repeated."""
