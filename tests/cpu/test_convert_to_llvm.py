"""Hand-written modules through convert-to-llvm and LLVM, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from xdsl.utils.exceptions import PassFailedException

from devproc.ir.text.location import describe_location
from tests.cpu.native import lower, run, unaligned

SPECIAL = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e-40], np.float32)

FLOAT_OPS = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.copysign": np.copysign,
}
TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}


def binary(op: str, element: str, lanes: int = 0) -> str:
    """Apply an op to all 64 elements, as scalars or as vectors of some lanes."""
    type_ = f"vector<{lanes}x{element}>" if lanes else element
    memory = f"memref<64x{element}>"
    load = (
        (lambda m: f"vector.load {m}[%i] : {memory}, {type_}")
        if lanes
        else (lambda m: f"memref.load {m}[%i] : {memory}")
    )
    store = (
        f"vector.store %r, %c[%i] : {memory}, {type_}"
        if lanes
        else f"memref.store %r, %c[%i] : {memory}"
    )
    return f"""
    func.func private @segment_0(%a: {memory}, %b: {memory}, %c: {memory}) {{
      %lower = arith.constant 0 : index
      %upper = arith.constant 64 : index
      %step = arith.constant {lanes or 1} : index
      scf.for %i = %lower to %upper step %step {{
        %x = {load("%a")}
        %y = {load("%b")}
        %r = {op} %x, %y : {type_}
        {store}
      }}
      func.return
    }}
    """


@pytest.mark.parametrize("lanes", [0, 4, 16])
@pytest.mark.parametrize("op", FLOAT_OPS)
def test_float_binary(op: str, lanes: int) -> None:
    a, b = np.repeat(SPECIAL, 8), np.tile(SPECIAL, 8)
    c = np.zeros_like(a)
    run(binary(op, "f32", lanes), a, b, c)
    with np.errstate(all="ignore"):
        expected = FLOAT_OPS[op](a, b)
    np.testing.assert_array_equal(c, expected)
    # numpy does not order zeros, and what maxnumf and minnumf do is not defined.
    zeros = (a == 0) & (b == 0) & ("mumf" in op or "numf" in op)
    compared = ~np.isnan(expected) & ~zeros
    np.testing.assert_array_equal(
        np.signbit(c[compared]), np.signbit(expected[compared])
    )
    if op == "arith.maximumf":
        assert not np.signbit(c[zeros & ~np.signbit(a)]).any()
    if op == "arith.minimumf":
        assert np.signbit(c[zeros & np.signbit(a)]).all()


INT_OPS = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.floordivsi": np.floor_divide,
    "arith.ceildivsi": lambda a, b: -((-a) // b),
    "arith.divsi": lambda a, b: np.trunc(a / b).astype(a.dtype),
    "arith.remsi": np.fmod,
}


@pytest.mark.parametrize("lanes", [0, 8])
@pytest.mark.parametrize("element", ["i32", "i64"])
@pytest.mark.parametrize("op", INT_OPS)
def test_integer_binary(op: str, element: str, lanes: int) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(-1000, 1000, 64).astype(TYPES[element])
    b = rng.integers(1, 50, 64).astype(TYPES[element]) * rng.choice([-1, 1], 64)
    b = b.astype(a.dtype)
    c = np.zeros_like(a)
    run(binary(op, element, lanes), a, b, c)
    np.testing.assert_array_equal(c, INT_OPS[op](a, b))


UNSIGNED_OPS = {
    "arith.divui": np.floor_divide,
    "arith.remui": np.remainder,
    "arith.maxui": np.maximum,
    "arith.minui": np.minimum,
    "arith.ceildivui": lambda a, b: a // b + (a % b != 0),
    "arith.shrui": lambda a, b: a >> (b % 8),
}


@pytest.mark.parametrize("op", UNSIGNED_OPS)
def test_unsigned_binary(op: str) -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 256, 64).astype(np.uint8)
    b = rng.integers(1, 256, 64).astype(np.uint8)
    if op == "arith.shrui":
        b %= 8
    c = np.zeros_like(a)
    run(binary(op, "i8"), a, b, c)
    np.testing.assert_array_equal(c, UNSIGNED_OPS[op](a, b))


UNARY = {
    "math.sqrt": np.sqrt,
    "math.absf": np.abs,
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "arith.negf": np.negative,
}


@pytest.mark.parametrize("op", UNARY)
def test_unary(op: str) -> None:
    x = np.array([*SPECIAL, 0.5, -0.5, 2.5, 3.5, -3.7, 7.2, 1e9, -1e9], np.float32)
    y = np.zeros_like(x)
    run(
        f"""
        func.func private @segment_0(%a: memref<16xf32>, %b: memref<16xf32>) {{
          %zero = arith.constant 0 : index
          %x = vector.load %a[%zero] : memref<16xf32>, vector<16xf32>
          %y = {op} %x : vector<16xf32>
          vector.store %y, %b[%zero] : memref<16xf32>, vector<16xf32>
          func.return
        }}
        """,
        x,
        y,
    )
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(y, UNARY[op](x))


CASTS = [
    ("arith.sitofp", "simd.sitofp", "i32", "f32"),
    ("arith.uitofp", "simd.uitofp", "i8", "f32"),
    ("arith.fptosi", "simd.fptosi", "f32", "i32"),
    ("arith.fptoui", "simd.fptoui", "f32", "i8"),
    ("arith.extsi", "simd.extsi", "i8", "i64"),
    ("arith.extui", "simd.extui", "i8", "i32"),
    ("arith.trunci", "simd.trunci", "i64", "i16"),
    ("arith.extf", "arith.extf", "f16", "f32"),
]


@pytest.mark.parametrize(("scalar", "vector", "source", "target"), CASTS)
@pytest.mark.parametrize("lanes", [0, 5])
def test_casts(scalar: str, vector: str, source: str, target: str, lanes: int) -> None:
    """Also as vectors of an odd length."""
    rng = np.random.default_rng(3)
    x = (rng.random(5) * 100).astype(TYPES[source])
    if source == "i8" and "ui" not in scalar:
        x -= 60
    y = np.zeros(5, TYPES[target])
    if lanes:
        body = f"""
          %x = vector.load %a[%zero] : memref<5x{source}>, vector<5x{source}>
          %y = {vector} %x : vector<5x{source}> to vector<5x{target}>
          vector.store %y, %b[%zero] : memref<5x{target}>, vector<5x{target}>"""
    else:
        body = f"""
          %five = arith.constant 5 : index
          %one = arith.constant 1 : index
          scf.for %i = %zero to %five step %one {{
            %x = memref.load %a[%i] : memref<5x{source}>
            %y = {scalar} %x : {source} to {target}
            memref.store %y, %b[%i] : memref<5x{target}>
          }}"""
    run(
        f"""
        func.func private @segment_0(%a: memref<5x{source}>, %b: memref<5x{target}>) {{
          %zero = arith.constant 0 : index
          {body}
          func.return
        }}
        """,
        x,
        y,
    )
    unsigned = x.view(np.uint8) if source == "i8" and "ui" in scalar else x
    np.testing.assert_array_equal(y, unsigned.astype(TYPES[target]))


SMALL = np.concatenate(
    [np.random.default_rng(4).normal(size=56) * 100, SPECIAL]
).astype(np.float32)


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("lanes", [0, 8])
@pytest.mark.parametrize("op", ["addf", "mulf", "divf", "maximumf"])
def test_small_floats_compute_in_float(element: str, lanes: int, op: str) -> None:
    """Bit by bit what PyTorch gives, NaN, infinities and denormals included."""
    dtype = torch.float16 if element == "f16" else torch.bfloat16
    a = torch.from_numpy(SMALL).to(dtype)
    b = torch.from_numpy(np.roll(SMALL, 5)).to(dtype)
    c = np.zeros(64, np.int16)
    bits = [t.view(torch.int16).numpy() for t in (a, b)]
    run(binary(f"arith.{op}", element, lanes), *bits, c)
    function = {
        "addf": torch.add,
        "mulf": torch.mul,
        "divf": torch.div,
        "maximumf": torch.maximum,
    }[op]
    actual = torch.from_numpy(c).view(dtype)
    torch.testing.assert_close(actual, function(a, b), equal_nan=True, atol=0, rtol=0)


WIDTHS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i32": 32, "i8": 8}
FLOATS = ("f64", "f32", "f16", "bf16")
# f16 and bf16 convert by way of f32.
CONVERSIONS = [
    *((a, b) for a in FLOATS for b in FLOATS if WIDTHS[a] != WIDTHS[b]),
    *((a, "i32") for a in FLOATS),
    *((i, b) for i in ("i32", "i8") for b in FLOATS),
]


@pytest.mark.parametrize(("source", "target"), CONVERSIONS)
@pytest.mark.parametrize("lanes", [0, 8])
def test_conversions_between_floats(source: str, target: str, lanes: int) -> None:
    """As PyTorch converts, also from and to integers, by lanes and one by one."""
    if source[0] == "i":
        op = "sitofp"
    elif target[0] == "i":
        op = "fptosi"
    else:
        op = "extf" if WIDTHS[source] < WIDTHS[target] else "truncf"
    dialect = "simd" if lanes and op in ("sitofp", "fptosi") else "arith"
    dtypes = {
        **{"f64": torch.float64, "f32": torch.float32, "f16": torch.float16},
        **{"bf16": torch.bfloat16, "i32": torch.int32, "i8": torch.int8},
    }
    integers = "i" in source[0] + target[0]
    values = torch.from_numpy(np.clip(SMALL[:56], -120, 120) if integers else SMALL)
    x = values.repeat(2)[:64].to(dtypes[source])
    y = torch.zeros(64, dtype=dtypes[target])
    one = f"{source} to {target}"
    many = f"vector<8x{source}> to vector<8x{target}>"
    a, b = f"memref<64x{source}>", f"memref<64x{target}>"
    body = (
        f"""%x = vector.load %a[%i] : {a}, vector<8x{source}>
        %y = {dialect}.{op} %x : {many}
        vector.store %y, %b[%i] : {b}, vector<8x{target}>"""
        if lanes
        else f"""%x = memref.load %a[%i] : {a}
        %y = {dialect}.{op} %x : {one}
        memref.store %y, %b[%i] : {b}"""
    )
    text = f"""
    func.func private @segment_0(%a: {a}, %b: {b}) {{
      %lower = arith.constant 0 : index
      %upper = arith.constant 64 : index
      %step = arith.constant {lanes or 1} : index
      scf.for %i = %lower to %upper step %step {{
        {body}
      }}
      func.return
    }}
    """
    run(text, x.view(torch.uint8).numpy(), y.view(torch.uint8).numpy())
    expected = x.to(dtypes[target])
    torch.testing.assert_close(y, expected, equal_nan=True, atol=0, rtol=0)


PREDICATES = {
    "olt": lambda a, b: a < b,
    "oge": lambda a, b: a >= b,
    "oeq": lambda a, b: a == b,
    "une": lambda a, b: a != b,
    "ult": lambda a, b: ~(a >= b),
    "uno": lambda a, b: np.isnan(a) | np.isnan(b),
    "ord": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "one": lambda a, b: (a < b) | (a > b),
}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_compare_and_store_bools(predicate: str) -> None:
    """Scalar and vector; a bool is one byte in memory."""
    a, b = np.repeat(SPECIAL, 8), np.tile(SPECIAL, 8)
    scalar, vector = np.full(64, 7, np.uint8), np.full(64, 7, np.uint8)
    run(
        f"""
        func.func private @segment_0(%a: memref<64xf32>, %b: memref<64xf32>,
                                     %c: memref<64xi1>, %d: memref<64xi1>) {{
          %lower = arith.constant 0 : index
          %upper = arith.constant 64 : index
          %one = arith.constant 1 : index
          %eight = arith.constant 8 : index
          scf.for %i = %lower to %upper step %one {{
            %x = memref.load %a[%i] : memref<64xf32>
            %y = memref.load %b[%i] : memref<64xf32>
            %r = arith.cmpf {predicate}, %x, %y : f32
            memref.store %r, %c[%i] : memref<64xi1>
          }}
          scf.for %i = %lower to %upper step %eight {{
            %x = vector.load %a[%i] : memref<64xf32>, vector<8xf32>
            %y = vector.load %b[%i] : memref<64xf32>, vector<8xf32>
            %r = simd.cmpf {predicate}, %x, %y : vector<8xf32> -> vector<8xi1>
            vector.store %r, %d[%i] : memref<64xi1>, vector<8xi1>
          }}
          func.return
        }}
        """,
        a,
        b,
        scalar,
        vector,
    )
    expected = PREDICATES[predicate](a, b).astype(np.uint8)
    np.testing.assert_array_equal(scalar, expected)
    np.testing.assert_array_equal(vector, expected)


def test_load_bools_and_select() -> None:
    """Any byte that is not 0 is true."""
    mask = np.array([0, 1, 255, 0, 2, 0, 0, 1], np.uint8)
    a, b = np.arange(8, dtype=np.float32), -np.arange(8, dtype=np.float32)
    c, d = np.zeros(8, np.float32), np.zeros(8, np.float32)
    run(
        """
        func.func private @segment_0(%m: memref<8xi1>, %a: memref<8xf32>,
            %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>) {
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %eight = arith.constant 8 : index
          %x = vector.load %a[%zero] : memref<8xf32>, vector<8xf32>
          %y = vector.load %b[%zero] : memref<8xf32>, vector<8xf32>
          %k = vector.load %m[%zero] : memref<8xi1>, vector<8xi1>
          %r = simd.select %k, %x, %y : vector<8xi1>, vector<8xf32>
          vector.store %r, %c[%zero] : memref<8xf32>, vector<8xf32>
          scf.for %i = %zero to %eight step %one {
            %p = memref.load %a[%i] : memref<8xf32>
            %q = memref.load %b[%i] : memref<8xf32>
            %l = memref.load %m[%i] : memref<8xi1>
            %s = arith.select %l, %p, %q : f32
            memref.store %s, %d[%i] : memref<8xf32>
          }
          func.return
        }
        """,
        mask,
        a,
        b,
        c,
        d,
    )
    expected = np.where(mask != 0, a, b)
    np.testing.assert_array_equal(c, expected)
    np.testing.assert_array_equal(d, expected)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 29])
def test_masked_tail_touches_nothing_else(size: int) -> None:
    """The last vector reaches over the end; memory behind it stays as it was."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=size).astype(np.float32)
    room = np.full(size + 16, 99, np.float32)
    run(
        f"""
        func.func private @segment_0(%a: memref<{size}xf32>, %b: memref<{size}xf32>) {{
          %lower = arith.constant 0 : index
          %upper = arith.constant {size} : index
          %step = arith.constant 8 : index
          %other = arith.constant dense<0.0> : vector<8xf32>
          scf.for %i = %lower to %upper step %step {{
            %left = arith.subi %upper, %i : index
            %m = vector.create_mask %left : vector<8xi1>
            %x = vector.maskedload %a[%i], %m, %other
              : memref<{size}xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
            %y = arith.addf %x, %x : vector<8xf32>
            vector.maskedstore %b[%i], %m, %y
              : memref<{size}xf32>, vector<8xi1>, vector<8xf32>
          }}
          func.return
        }}
        """,
        x,
        room,
    )
    np.testing.assert_array_equal(room[:size], x + x)
    assert (room[size:] == 99).all()


@pytest.mark.parametrize("shape", [(3, 5, 7), (1, 1, 1), (4, 1, 9)])
def test_strides_and_unaligned_memory(shape: tuple[int, int, int]) -> None:
    """A transpose by scalars, in buffers that no vector size divides."""
    a, b, c = shape
    x = unaligned(np.random.default_rng(6).normal(size=shape).astype(np.float32))
    y = unaligned(np.zeros((c, a, b), np.float32))
    run(
        f"""
        func.func private @segment_0(%x: memref<{a}x{b}x{c}xf32>,
                                     %y: memref<{c}x{a}x{b}xf32>) {{
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %a = arith.constant {a} : index
          %b = arith.constant {b} : index
          %c = arith.constant {c} : index
          scf.for %i = %zero to %a step %one {{
            scf.for %j = %zero to %b step %one {{
              scf.for %k = %zero to %c step %one {{
                %v = memref.load %x[%i, %j, %k] : memref<{a}x{b}x{c}xf32>
                memref.store %v, %y[%k, %i, %j] : memref<{c}x{a}x{b}xf32>
              }}
            }}
          }}
          func.return
        }}
        """,
        x,
        y,
    )
    np.testing.assert_array_equal(y, x.transpose(2, 0, 1))


def test_unaligned_vectors_do_not_crash() -> None:
    x = np.arange(64, dtype=np.float32)
    y = unaligned(np.zeros(64, np.float32))
    run(binary("arith.addf", "f32", 16), unaligned(x), unaligned(x), y)
    np.testing.assert_array_equal(y, x + x)


def test_views() -> None:
    """subview, collapse_shape, expand_shape, reinterpret_cast and view."""
    x = np.arange(48, dtype=np.float32).reshape(6, 8)
    y, z = np.zeros(6, np.float32), np.zeros(4, np.float32)
    run(
        """
        func.func private @segment_0(%x: memref<6x8xf32>, %y: memref<6xf32>,
                                     %z: memref<4xf32>) {
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %two = arith.constant 2 : index
          %three = arith.constant 3 : index
          %four = arith.constant 4 : index
          %v = memref.subview %x[%one, 2] [2, 3] [2, 2]
            : memref<6x8xf32> to memref<2x3xf32, strided<[16, 2], offset: ?>>
          %flat = "memref.collapse_shape"(%x) <{reassociation = [[0, 1]]}>
            : (memref<6x8xf32>) -> memref<48xf32>
          %odd = memref.reinterpret_cast %x to offset: [5], sizes: [4], strides: [9]
            : memref<6x8xf32> to memref<4xf32, strided<[9], offset: 5>>
          scf.for %i = %zero to %two step %one {
            scf.for %j = %zero to %three step %one {
              %e = memref.load %v[%i, %j]
                : memref<2x3xf32, strided<[16, 2], offset: ?>>
              %r = arith.muli %i, %three : index
              %k = arith.addi %r, %j : index
              memref.store %e, %y[%k] : memref<6xf32>
            }
          }
          scf.for %i = %zero to %three step %one {
            %e = memref.load %odd[%i] : memref<4xf32, strided<[9], offset: 5>>
            memref.store %e, %z[%i] : memref<4xf32>
          }
          %c = arith.constant 47 : index
          %last = memref.load %flat[%c] : memref<48xf32>
          memref.store %last, %z[%three] : memref<4xf32>
          func.return
        }
        """,
        x,
        y,
        z,
    )
    np.testing.assert_array_equal(y, x[1:5:2, 2:8:2].ravel())
    np.testing.assert_array_equal(z, [5, 14, 23, 47])


@pytest.mark.parametrize(
    "bounds", [(0, 10, 3), (2, 3, 1), (5, 5, 1), (7, 2, 1), (0, 1, 9)]
)
@pytest.mark.parametrize("constant", [True, False])
def test_loop_bounds(bounds: tuple[int, int, int], constant: bool) -> None:
    """Loops that run never, once and often, with bounds known now or later."""
    numbers = np.array(bounds, np.int64)
    result = np.zeros(2, np.int64)
    if constant:
        values = "\n".join(
            f"%b{i} = arith.constant {n} : index" for i, n in enumerate(bounds)
        )
    else:
        values = "\n".join(
            f"""%p{i} = arith.constant {i} : index
            %n{i} = memref.load %n[%p{i}] : memref<3xi64>
            %b{i} = arith.index_cast %n{i} : i64 to index"""
            for i in range(3)
        )
    run(
        f"""
        func.func private @segment_0(%n: memref<3xi64>, %r: memref<2xi64>) {{
          {values}
          %zero = arith.constant 0 : i64
          %one = arith.constant 1 : i64
          %sum, %count = scf.for %i = %b0 to %b1 step %b2
              iter_args(%s = %zero, %c = %zero) -> (i64, i64) {{
            %j = arith.index_cast %i : index to i64
            %t = arith.addi %s, %j : i64
            %d = arith.addi %c, %one : i64
            scf.yield %t, %d : i64, i64
          }}
          %first = arith.constant 0 : index
          %second = arith.constant 1 : index
          memref.store %sum, %r[%first] : memref<2xi64>
          memref.store %count, %r[%second] : memref<2xi64>
          func.return
        }}
        """,
        numbers,
        result,
    )
    assert list(result) == [sum(range(*bounds)), len(range(*bounds))]


def test_if_and_while() -> None:
    """Collatz: how many steps each number takes to reach 1."""
    numbers, steps = np.arange(1, 30, dtype=np.int64), np.zeros(29, np.int64)
    run(
        """
        func.func private @segment_0(%n: memref<29xi64>, %r: memref<29xi64>) {
          %zero = arith.constant 0 : index
          %end = arith.constant 29 : index
          %step = arith.constant 1 : index
          %none = arith.constant 0 : i64
          %one = arith.constant 1 : i64
          %two = arith.constant 2 : i64
          %three = arith.constant 3 : i64
          scf.for %i = %zero to %end step %step {
            %start = memref.load %n[%i] : memref<29xi64>
            %x, %count = scf.while (%v = %start, %c = %none) : (i64, i64) -> (i64, i64) {
              %more = arith.cmpi ne, %v, %one : i64
              scf.condition(%more) %v, %c : i64, i64
            } do {
            ^bb0(%v: i64, %c: i64):
              %bit = arith.andi %v, %one : i64
              %odd = arith.cmpi eq, %bit, %one : i64
              %next = scf.if %odd -> (i64) {
                %t = arith.muli %v, %three : i64
                %u = arith.addi %t, %one : i64
                scf.yield %u : i64
              } else {
                %h = arith.divsi %v, %two : i64
                scf.yield %h : i64
              }
              %d = arith.addi %c, %one : i64
              scf.yield %next, %d : i64, i64
            }
            memref.store %count, %r[%i] : memref<29xi64>
          }
          func.return
        }
        """,
        numbers,
        steps,
    )

    def collatz(n: int) -> int:
        count = 0
        while n != 1:
            n = 3 * n + 1 if n % 2 else n // 2
            count += 1
        return count

    assert list(steps) == [collatz(int(n)) for n in numbers]


def parallel(extents: tuple[int, ...], grain: int | None) -> str:
    """Write 3 * linear index + captured value at each point of a parallel loop."""
    names = [f"%i{d}" for d in range(len(extents))]
    shape = "x".join(str(e) for e in extents)
    constants = "\n".join(
        f"%e{d} = arith.constant {e} : index" for d, e in enumerate(extents)
    )
    bounds = ", ".join(
        ["%zero"] * len(extents)
        + [f"%e{d}" for d in range(len(extents))]
        + ["%one"] * len(extents)
    )
    linear = "%l = arith.addi %i0, %zero : index\n"
    for d in range(1, len(extents)):
        last = "%l" if d == 1 else f"%l{d - 1}"
        linear += f"%m{d} = arith.muli {last}, %e{d} : index\n"
        linear += f"%l{d} = arith.addi %m{d}, %i{d} : index\n"
    result = "%l" if len(extents) == 1 else f"%l{len(extents) - 1}"
    types = ", ".join(["index"] * 3 * len(extents))
    count = len(extents)
    attribute = f"{{grain = {grain} : i64}}" if grain else ""
    return f"""
    func.func private @fill(%x: memref<{shape}xi64> {{llvm.noalias}}, %c: memref<1xi64>)
        attributes {{dev.kernel = #dev.kernel<"cpu", "pointwise", []>}} {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %three = arith.constant 3 : i64
      {constants}
      %base = memref.load %c[%zero] : memref<1xi64>
      "scf.parallel"({bounds}) <{{operandSegmentSizes = array<i32: {count}, {count}, {count}, 0>}}> ({{
      ^bb0({", ".join(f"{n}: index" for n in names)}):
        {linear}
        %v = arith.index_cast {result} : index to i64
        %t = arith.muli %v, %three : i64
        %u = arith.addi %t, %base : i64
        memref.store %u, %x[{", ".join(names)}] : memref<{shape}xi64>
        scf.reduce
      }}) {attribute} : ({types}) -> ()
      func.return
    }}
    func.func private @segment_0(%x: memref<{shape}xi64>, %c: memref<1xi64>) {{
      func.call @fill(%x, %c) : (memref<{shape}xi64>, memref<1xi64>) -> ()
      func.return
    }}
    """


@pytest.mark.parametrize(
    "extents", [(1,), (2,), (37,), (3, 5), (7, 1, 4), (1, 1), (0, 4)]
)
@pytest.mark.parametrize("grain", [None, 1, 3, 100])
@pytest.mark.parametrize("threads", [1, 3])
def test_parallel(extents: tuple[int, ...], grain: int | None, threads: int) -> None:
    x = np.zeros(extents, np.int64)
    run(parallel(extents, grain), x, np.array([1000]), threads=threads)
    expected = 3 * np.arange(x.size, dtype=np.int64).reshape(extents) + 1000
    np.testing.assert_array_equal(x, expected)


def test_parallel_body_keeps_the_promises_of_the_kernel() -> None:
    text = str(lower(parallel((4, 4), None)))
    assert "@fill_parallel_0(" in text
    body = text[text.index("@fill_parallel_0(") :]
    assert "llvm.noalias" in body[: body.index("\n")]


def test_names_of_new_functions_are_free() -> None:
    taken = "func.func private @fill_parallel_0() {\n  func.return\n}\n"
    text = str(lower(taken + parallel((4, 4), None)))
    assert "llvm.func internal @fill_parallel_1(" in text
    assert "llvm.func internal @fill_parallel_1_chunk(" in text


def test_locations_are_kept() -> None:
    """Each new op has the location of what it came from, also in a parallel body."""
    here = 'loc("fc1"("model.py":12:0))'
    text = parallel((4, 4), None).replace(
        "%t = arith.muli %v, %three : i64", f"%t = arith.muli %v, %three : i64 {here}"
    )
    found = [
        describe_location(op.location)
        for op in lower(text).walk()
        if op.name == "llvm.mul" and "unknown" not in describe_location(op.location)
    ]
    assert found == ["fc1 at model.py:12"]


def test_one_thread_leaves_plain_loops() -> None:
    target = (
        'module attributes {devproc.target = #dev.target<"cpu", precision = "default", '
        "threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {"
    )
    text = str(lower(target + parallel((4, 4), None) + "}"))
    assert "devproc_parallel_for" not in text


def test_reductions_shuffles_and_lanes() -> None:
    x = np.random.default_rng(7).normal(size=16).astype(np.float32)
    y = np.zeros(8, np.float32)
    run(
        """
        func.func private @segment_0(%x: memref<16xf32>, %y: memref<8xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c3 = arith.constant 3 : index
          %c4 = arith.constant 4 : index
          %c5 = arith.constant 5 : index
          %start = arith.constant 10.0 : f32
          %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
          %sum = vector.reduction <add>, %v : vector<16xf32> into f32
          %max = vector.reduction <maximumf>, %v : vector<16xf32> into f32
          %more = vector.reduction <add>, %v, %start fastmath<reassoc>
            : vector<16xf32> into f32
          %rev = vector.shuffle %v, %v [15, 31, 0, 2] : vector<16xf32>, vector<16xf32>
          %a = vector.extract %rev[1] : f32 from vector<4xf32>
          %w = vector.insert %start, %v[3] : f32 into vector<16xf32>
          %b = vector.extract %w[%c3] : f32 from vector<16xf32>
          %wide = vector.broadcast %sum : f32 to vector<16xf32>
          %f = vector.fma %v, %wide, %w : vector<16xf32>
          %g = vector.extract %f[3] : f32 from vector<16xf32>
          memref.store %sum, %y[%c0] : memref<8xf32>
          memref.store %max, %y[%c1] : memref<8xf32>
          memref.store %more, %y[%c2] : memref<8xf32>
          memref.store %a, %y[%c3] : memref<8xf32>
          memref.store %b, %y[%c4] : memref<8xf32>
          memref.store %g, %y[%c5] : memref<8xf32>
          func.return
        }
        """,
        x,
        y,
    )
    total = np.float32(-0.0)
    for value in x:
        total += value
    assert y[0] == total
    assert y[1] == x.max()
    np.testing.assert_allclose(y[2], 10 + x.sum(), rtol=1e-5)
    assert y[3] == x[15]
    assert y[4] == 10
    np.testing.assert_allclose(y[5], x[3] * total + 10, rtol=1e-6)


def test_integer_reductions() -> None:
    x = np.random.default_rng(8).integers(-100, 100, 8).astype(np.int32)
    y = np.zeros(3, np.int32)
    run(
        """
        func.func private @segment_0(%x: memref<8xi32>, %y: memref<3xi32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %v = vector.load %x[%c0] : memref<8xi32>, vector<8xi32>
          %sum = vector.reduction <add>, %v : vector<8xi32> into i32
          %max = vector.reduction <maxsi>, %v, %sum : vector<8xi32> into i32
          %min = vector.reduction <minsi>, %v : vector<8xi32> into i32
          memref.store %sum, %y[%c0] : memref<3xi32>
          memref.store %max, %y[%c1] : memref<3xi32>
          memref.store %min, %y[%c2] : memref<3xi32>
          func.return
        }
        """,
        x,
        y,
    )
    assert list(y) == [x.sum(), max(x.max(), x.sum()), x.min()]


@pytest.mark.parametrize("element", ["i32", "i64", "index"])
def test_gather_and_step(element: str) -> None:
    """Every third element of a row; the last lanes are masked off."""
    x = np.arange(60, dtype=np.float32).reshape(4, 15)
    y = np.zeros(8, np.float32)
    run(
        f"""
        func.func private @segment_0(%x: memref<4x15xf32>, %y: memref<8xf32>) {{
          %zero = arith.constant 0 : index
          %two = arith.constant 2 : index
          %five = arith.constant 5 : index
          %three = arith.constant dense<3> : vector<8x{element}>
          %other = arith.constant dense<-1.0> : vector<8xf32>
          %steps = simd.step : vector<8x{element}>
          %offsets = arith.muli %steps, %three : vector<8x{element}>
          %mask = vector.create_mask %five : vector<8xi1>
          %v = simd.gather %x[%two, %zero] [%offsets], %mask, %other
            : memref<4x15xf32>, vector<8x{element}>, vector<8xi1>, vector<8xf32>
          vector.store %v, %y[%zero] : memref<8xf32>, vector<8xf32>
          func.return
        }}
        """,
        x,
        y,
    )
    np.testing.assert_array_equal(y, [*x[2, ::3], -1, -1, -1])


def test_stack_buffers_and_constant_tables() -> None:
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    run(
        """
        "memref.global"() <{sym_name = "table", sym_visibility = "private", constant,
          type = memref<2x2xf32>, initial_value = dense<[[1.0, 2.0], [3.0, 4.0]]>
            : tensor<2x2xf32>}> : () -> ()
        func.func private @segment_0(%x: memref<4xf32>, %y: memref<4xf32>) {
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %two = arith.constant 2 : index
          %four = arith.constant 4 : index
          %t = memref.get_global @table : memref<2x2xf32>
          %scratch = memref.alloca() : memref<4xf32>
          scf.for %i = %zero to %four step %one {
            %r = arith.divui %i, %two : index
            %c = arith.remui %i, %two : index
            %a = memref.load %x[%i] : memref<4xf32>
            %b = memref.load %t[%r, %c] : memref<2x2xf32>
            %p = arith.mulf %a, %b : f32
            memref.store %p, %scratch[%i] : memref<4xf32>
          }
          "memref.copy"(%scratch, %y) : (memref<4xf32>, memref<4xf32>) -> ()
          func.return
        }
        """,
        x,
        y,
    )
    np.testing.assert_array_equal(y, x * [1, 2, 3, 4])


BAD = {
    "math.exp %x : f32": "math.exp' is not an instruction of any CPU; run the pass expand-math",
    "math.tanh %x : f32": "expand-math",
}


@pytest.mark.parametrize("op", BAD)
def test_refuses_ops_that_were_not_expanded(op: str) -> None:
    text = f"""
    func.func private @segment_0(%m: memref<1xf32>) {{
      %zero = arith.constant 0 : index
      %x = memref.load %m[%zero] : memref<1xf32>
      %y = {op}
      memref.store %y, %m[%zero] : memref<1xf32>
      func.return
    }}
    """
    with pytest.raises(PassFailedException, match="@segment_0") as raised:
        lower(text)
    assert BAD[op] in str(raised.value)
