"""The loops of each `nn` op give PyTorch's values: odd shapes, all dtypes, NaN, inf."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from devproc.driver import make_context, make_pass, parse_module
from devproc.errors import CompileError
from devproc.ir.verification.verify import verify_module
from tests.linalg_evaluator import evaluate

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "ui16": torch.uint16,
    "ui8": torch.uint8,
    "i1": torch.bool,
}
FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = ("i64", "i32", "i16", "i8", "ui8")
TOLERANCE = {"f64": 1e-12, "f32": 2e-6, "f16": 1e-3, "bf16": 8e-3}

EMPTY: list[Any] = []
SHAPES = ((2, 3), (1,), (), (0, 3))


def sample(dtype: str, shape: Sequence[int], seed: int = 0) -> torch.Tensor:
    """Random values, all bits used for integers."""
    generator = torch.Generator().manual_seed(seed)
    torch_dtype = DTYPES[dtype]
    if dtype in FLOATS:
        values = torch.randn(tuple(shape), generator=generator, dtype=torch.float64)
        return (2 * values).to(torch_dtype)
    if dtype == "i1":
        return torch.randint(0, 2, tuple(shape), generator=generator).bool()
    info = torch.iinfo(torch_dtype)
    low, high = max(info.min, -(2**40)), min(info.max, 2**40)
    random = torch.randint(low, high + 1, tuple(shape), generator=generator)
    return random.to(torch_dtype)


def specials(dtype: str) -> torch.Tensor:
    """NaN, infinities, zeros of both signs, the ends of the range."""
    if dtype in FLOATS:
        info = torch.finfo(DTYPES[dtype])
        values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -1.5, info.max, info.tiny]
        return torch.tensor(values, dtype=torch.float64).to(DTYPES[dtype])
    if dtype == "i1":
        return torch.tensor([True, False])
    info = torch.iinfo(DTYPES[dtype])
    return torch.tensor([info.min, info.max, 0, 1, 2, 7], dtype=DTYPES[dtype])


def to_array(value: torch.Tensor) -> np.ndarray[Any, Any]:
    """As the evaluator takes it: bfloat16 in float32, unsigned integers as signed."""
    if value.dtype == torch.bfloat16:
        return value.float().numpy()
    if value.dtype == torch.uint8:
        return value.numpy().view(np.int8)
    if value.dtype == torch.uint16:
        return value.numpy().view(np.int16)
    return value.numpy()


def type_of(value: torch.Tensor) -> str:
    """The IR type of a tensor."""
    dtype = next(name for name, known in DTYPES.items() if known == value.dtype)
    return f"tensor<{''.join(f'{d}x' for d in value.shape)}{dtype}>"


def program(
    ops: str, inputs: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor]
) -> ModuleOp:
    """`@main` with these inputs %a, %b, ... and results %r (%r1, ...)."""
    names = [f"%{letter}" for letter in "abcdef"[: len(inputs)]]
    results = ["%r", "%r1", "%r2"][: len(outputs)]
    types = ", ".join(type_of(v) for v in outputs)
    arguments = zip(names, inputs, strict=True)
    text = (
        f"func.func @main({', '.join(f'{n}: {type_of(v)}' for n, v in arguments)})"
        f" -> ({types}) {{\n{ops}\nfunc.return {', '.join(results)} : {types}\n}}"
    )
    return parse_module(text)


def lower(module: ModuleOp, *passes: str) -> ModuleOp:
    """Run the lowering and more passes, verifying, through text."""
    context = make_context()
    verify_module(module)
    for name in ("convert-nn-to-linalg", *passes):
        make_pass(name).apply(context, module)
        verify_module(module)
    again = parse_module(str(module))
    verify_module(again)
    assert str(again) == str(module)
    return again


def check(
    ops: str,
    inputs: Sequence[torch.Tensor],
    expected: Any,
    *passes: str,
    exact: bool = True,
    tolerance: float | None = None,
) -> ModuleOp:
    """The lowered ops give the expected tensors; `exact` with NaN equal to NaN."""
    outputs: list[torch.Tensor] = (
        list(expected) if isinstance(expected, tuple | list) else [expected]
    )
    module = lower(program(ops, inputs, outputs), *passes)
    found = evaluate(module, [to_array(v) for v in inputs])
    for have, want in zip(found, outputs, strict=True):
        wanted = to_array(want)
        assert have.dtype == wanted.dtype
        assert have.shape == wanted.shape
        if exact:
            np.testing.assert_array_equal(have, wanted)
        else:
            dtype = next(name for name, known in DTYPES.items() if known == want.dtype)
            bound = tolerance or TOLERANCE[dtype]
            np.testing.assert_allclose(have, wanted, rtol=bound, atol=bound)
    return module


def spell(op: str, operands: Sequence[torch.Tensor], result: torch.Tensor) -> str:
    """`%r = op : (types) -> type`."""
    types = ", ".join(type_of(v) for v in operands)
    return f"%r = {op} : ({types}) -> {type_of(result)}"


BINARY: dict[str, Callable[..., torch.Tensor]] = {
    "nn.add": torch.add,
    "nn.sub": torch.sub,
    "nn.mul": torch.mul,
}


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("op", BINARY)
def test_binary(op: str, dtype: str) -> None:
    for first, second in [
        ((2, 3), (3,)),
        ((4, 1, 2), (3, 1)),
        ((), (2,)),
        ((0, 3), ()),
    ]:
        a, b = sample(dtype, first, 1), sample(dtype, second, 2)
        result = BINARY[op](a, b)
        check(spell(f"{op} %a, %b", [a, b], result), [a, b], result)
    a = specials(dtype)
    result = BINARY[op](a[:, None], a)
    column = a[:, None].contiguous()
    check(spell(f"{op} %a, %b", [column, a], result), [column, a], result)


@pytest.mark.parametrize("dtype", FLOATS)
def test_div(dtype: str) -> None:
    a, b = sample(dtype, (3, 1), 1), sample(dtype, (5,), 2)
    check(spell("nn.div %a, %b", [a, b], a / b), [a, b], a / b)
    a = specials(dtype)
    column = a[:, None].contiguous()
    check(spell("nn.div %a, %b", [column, a], column / a), [column, a], column / a)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_relu(dtype: str) -> None:
    for a in (sample(dtype, (3, 5)), specials(dtype), sample(dtype, (2, 0))):
        check(spell("nn.relu %a", [a], a.relu()), [a], a.relu())


@pytest.mark.parametrize("dtype", FLOATS)
def test_exp(dtype: str) -> None:
    for a in (sample(dtype, (3, 5)), specials(dtype), sample(dtype, ())):
        check(spell("nn.exp %a", [a], a.exp()), [a], a.exp(), exact=False)


@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_cast(source: str, to: str) -> None:
    values = [sample(source, (2, 7)), sample(source, ())]
    if source not in FLOATS or to in (*FLOATS, "i1"):
        values.append(specials(source))
    for a in values:
        if source in FLOATS and to in ("ui8", "ui16"):
            a = a.abs()
        result = a.to(DTYPES[to])
        check(spell(f"nn.cast %a to {to}", [a], result), [a], result)


@pytest.mark.parametrize("dtype", ["f32", "f16", "ui8", "i32"])
def test_splat_constants_are_inlined(dtype: str) -> None:
    number = "2.5" if dtype in FLOATS else "200" if dtype == "ui8" else "-3"
    a = sample(dtype, (2, 3))
    result = a * torch.tensor(float(number)).to(DTYPES[dtype])
    ops = f"%c = nn.constant dense<{number}> : tensor<1x3x{dtype}> : tensor<1x3x{dtype}>\n"
    types = f"(tensor<2x3x{dtype}>, tensor<1x3x{dtype}>) -> tensor<2x3x{dtype}>"
    module = check(f"{ops}%r = nn.mul %a, %c : {types}", [a], result)
    assert "nn.constant" not in str(module)


def test_splat_constants_elsewhere_become_loops() -> None:
    ops = "%r = nn.constant dense<2.5> : tensor<2x3xf32> : tensor<2x3xf32>"
    check(ops, EMPTY, torch.full((2, 3), 2.5))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((3, 5), (5, 7)),
        ((2, 3, 5), (5, 7)),
        ((2, 1, 3, 5), (4, 5, 2)),
        ((3, 0), (0, 2)),
        ((0, 3), (3, 2)),
        ((1, 1), (1, 1)),
    ],
)
def test_matmul(first: tuple[int, ...], second: tuple[int, ...], dtype: str) -> None:
    a, b = sample(dtype, first, 1), sample(dtype, second, 2)
    exact = dtype not in FLOATS
    result = matmul_in_high_precision(a, b)
    check(spell("nn.matmul %a, %b", [a, b], result), [a, b], result, exact=exact)


def matmul_in_high_precision(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """float64 for floats; int8 gives int32, other integers wrap."""
    if a.is_floating_point():
        return (a.double() @ b.double()).to(a.dtype)
    product = a[..., :, :, None].long() * b[..., None, :, :].long()
    return product.sum(-2).to(torch.int32 if a.dtype == torch.int8 else a.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("bias", [False, True])
def test_linear(dtype: str, bias: bool) -> None:
    for shape in ((3, 7), (7,), (2, 3, 7), (0, 7)):
        x, w, b = (
            sample(dtype, shape, 1),
            sample(dtype, (5, 7), 2),
            sample(dtype, (5,), 3),
        )
        operands = [x, w, b] if bias else [x, w]
        wide = [v.double() for v in operands]
        result = torch.nn.functional.linear(*wide).to(x.dtype)
        text = "nn.linear %a, %b" + (" bias %c" if bias else "")
        check(spell(text, operands, result), operands, result, exact=False)


@pytest.mark.parametrize("dtype", ["i8", "i16"])
def test_linear_of_integers(dtype: str) -> None:
    x, w = sample(dtype, (3, 7), 1), sample(dtype, (5, 7), 2)
    result = matmul_in_high_precision(x, w.T)
    check(spell("nn.linear %a, %b", [x, w], result), [x, w], result)


CONVOLUTIONS = [
    # input, weight, stride, padding, dilation, groups
    ((2, 3, 5, 6), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((1, 2, 7, 5), (3, 2, 2, 3), (2, 1), (0, 2), (1, 2), 1),
    ((2, 3, 4, 4), (2, 3, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((1, 2, 5, 5), (2, 2, 1, 1), (2, 2), (0, 0), (1, 1), 1),
    ((1, 4, 4, 5), (6, 2, 3, 3), (1, 2), (1, 1), (1, 1), 2),
    ((2, 3, 5, 4), (3, 1, 3, 3), (2, 1), (1, 1), (1, 1), 3),
    ((1, 3, 4, 4), (6, 1, 3, 3), (1, 1), (1, 1), (1, 1), 3),
    ((0, 2, 4, 4), (3, 2, 3, 3), (1, 1), (1, 1), (1, 1), 1),
]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_conv2d(case: Any, bias: bool) -> None:
    shape, weight, stride, padding, dilation, groups = case
    for dtype in ("f32", "bf16"):
        x, w = sample(dtype, shape, 1), sample(dtype, weight, 2)
        operands = [x, w, sample(dtype, weight[:1], 3)][: 3 if bias else 2]
        result = torch.nn.functional.conv2d(
            *(v.double() for v in operands),
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
        ).to(x.dtype)
        text = "nn.conv2d %a, %b" + (" bias %c" if bias else "")
        text += (
            f" stride {list(stride)} padding {list(padding)}"
            f" dilation {list(dilation)} groups {groups}"
        )
        check(spell(text, operands, result), operands, result, exact=False)


POOLS = [
    # input, kernel, stride, padding, dilation, ceil
    ((2, 3, 4, 6), (2, 2), (2, 2), (0, 0), (1, 1), False),
    ((1, 2, 5, 7), (3, 2), (2, 3), (1, 1), (1, 1), False),
    ((1, 2, 5, 7), (3, 2), (2, 2), (1, 0), (1, 1), True),
    ((1, 1, 6, 6), (2, 2), (1, 1), (1, 1), (2, 2), False),
    ((1, 1, 1, 1), (2, 2), (1, 1), (1, 1), (2, 2), False),
    ((0, 2, 4, 4), (2, 2), (2, 2), (0, 0), (1, 1), False),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", POOLS)
def test_max_pool2d(case: Any, dtype: str) -> None:
    shape, kernel, stride, padding, dilation, ceil = case
    x = sample(dtype, shape)
    if x.numel() > 8:
        x.view(-1)[3], x.view(-1)[7] = torch.nan, torch.inf
    result = torch.nn.functional.max_pool2d(
        x, kernel, stride, padding, dilation, ceil_mode=ceil
    )
    text = (
        f"nn.max_pool2d %a kernel {list(kernel)} stride {list(stride)} padding"
        f" {list(padding)} dilation {list(dilation)} ceil {int(ceil)}"
    )
    check(spell(text, [x], result), [x], result)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((2, 3, 5), (1,)), ((2, 3, 5), (0, 2)), ((4,), (0,)), ((2, 0, 3), (0,))],
)
def test_reductions(
    shape: tuple[int, ...], axes: tuple[int, ...], keep: bool, dtype: str
) -> None:
    x = sample(dtype, shape)
    suffix = f"%a axes {list(axes)} keep {int(keep)}"
    largest = x.amax(axes, keepdim=keep)
    check(spell(f"nn.reduce_max {suffix}", [x], largest), [x], largest)
    wide = x.double() if x.is_floating_point() else x
    total = wide.sum(axes, keepdim=keep).to(x.dtype)
    exact = dtype not in FLOATS
    check(spell(f"nn.reduce_sum {suffix}", [x], total), [x], total, exact=exact)


def test_sum_of_nothing_is_zero() -> None:
    x = sample("f32", (2, 0))
    total = x.sum(1)
    check(spell("nn.reduce_sum %a axes [1] keep 0", [x], total), [x], total)


@pytest.mark.parametrize("dtype", FLOATS)
def test_reductions_of_special_values(dtype: str) -> None:
    x = specials(dtype)[:6].view(2, 3)
    largest, total = x.amax(1), x.double().sum(1).to(x.dtype)
    check(spell("nn.reduce_max %a axes [1] keep 0", [x], largest), [x], largest)
    check(spell("nn.reduce_sum %a axes [1] keep 0", [x], total), [x], total)


ARGMAX_ROWS = [
    [1.0, 3.0, 3.0, 2.0],
    [np.nan, np.inf, np.nan, 0.0],
    [0.0, np.inf, np.nan, np.nan],
    [-np.inf, -np.inf, -np.inf, -np.inf],
    [0.0, -0.0, 0.0, -1.0],
    [-np.inf, -5.0, -np.inf, -5.0],
]


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("keep", [False, True])
def test_argmax(dtype: str, keep: bool) -> None:
    cases = [(sample(dtype, (3, 4, 5)), axis) for axis in (0, 1, -1)]
    if dtype in FLOATS:
        cases.append((torch.tensor(ARGMAX_ROWS).to(DTYPES[dtype]), -1))
    else:
        cases.append((specials(dtype).repeat(2, 2), 1))
        cases.append(
            (torch.full((2, 3), torch.iinfo(DTYPES[dtype]).min).to(DTYPES[dtype]), 1)
        )
    for x, axis in cases:
        result = x.argmax(axis, keepdim=keep)
        if x.dtype in (torch.uint8, torch.int8, torch.int16):
            result = x.long().argmax(axis, keepdim=keep)
        text = f"nn.argmax %a axis {axis} keep {int(keep)}"
        check(spell(text, [x], result), [x], result)


@pytest.mark.parametrize("dtype", DTYPES)
def test_transpose_reshape_pad(dtype: str) -> None:
    x = sample(dtype, (2, 3, 5))
    moved = x.permute(2, 0, 1).contiguous()
    check(spell("nn.transpose %a by [2, 0, 1]", [x], moved), [x], moved)
    shaped = x.reshape(5, 6)
    check(spell("nn.reshape %a to [5, 6]", [x], shaped), [x], shaped)
    padded = torch.nn.functional.pad(x, (1, 2, 0, 1))
    text = "nn.pad %a low [0, 0, 1] high [0, 1, 2]"
    check(spell(text, [x], padded), [x], padded)
    check(spell("nn.pad %a low [0, 0, 0] high [0, 0, 0]", [x], x), [x], x)


def test_pad_of_nothing() -> None:
    x = sample("f32", (2, 0))
    padded = torch.zeros(2, 3)
    check(spell("nn.pad %a low [0, 1] high [0, 2]", [x], padded), [x], padded)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("taps_dtype", ["i32", "f32", "f64"])
def test_resample(axis: int, taps_dtype: str) -> None:
    source = sample("ui8" if taps_dtype == "i32" else "f32", (5, 6, 7))
    size, taps = 4, 3
    generator = torch.Generator().manual_seed(axis)
    last = source.shape[axis] - taps + 1
    first = torch.randint(0, last, (size,), generator=generator, dtype=torch.int32)
    if taps_dtype == "i32":
        # As of Pillow's taps their sum is one, and that of a row's products fits int32.
        some = torch.randint(-(2**20), 2**21, (size, taps - 1), generator=generator)
        weights = torch.cat([some, 2**22 - some.sum(1, True)], 1).int()
    else:
        weights = sample(taps_dtype, (size, taps))
    columns = [
        sum(
            source.select(axis, int(first[o]) + t).to(
                torch.int64 if taps_dtype == "i32" else torch.float64
            )
            * weights[o, t]
            for t in range(taps)
        )
        for o in range(size)
    ]
    result = torch.stack([torch.as_tensor(c) for c in columns], axis)
    if taps_dtype == "i32":
        result = ((result + (1 << 21)) >> 22).clip(0, 255).to(torch.uint8)
    else:
        result = result.float()
    operands = [source, first, weights]
    text = f"nn.resample %a, %b, %c axis {axis}"
    exact = taps_dtype == "i32"
    check(spell(text, operands, result), operands, result, exact=exact)


def test_uint8_leaves_the_types_and_stays_in_the_attributes() -> None:
    a = sample("ui8", (3,))
    module = program(spell("nn.relu %a", [a], a), [a], [a])
    text = str(lower(module))
    assert "ui8" not in text
    assert text.count('{dev.dtype = "uint8"}') == 2


def test_prepare_is_left_alone() -> None:
    module = parse_module(
        """
        func.func private @prepare() -> tensor<2xui8> {
          %w = nn.weight @"w" hash "00" : tensor<2xui8>
          %r = nn.relu %w : (tensor<2xui8>) -> tensor<2xui8>
          func.return %r : tensor<2xui8>
        }
        """
    )
    assert "nn.relu" in str(lower(module))


def test_ops_that_decompose_are_refused_with_the_reason() -> None:
    x = sample("f32", (2, 3))
    module = program(spell("nn.softmax %a axis 1", [x], x), [x], [x])
    with pytest.raises(CompileError, match=r"nn\.softmax.*decomposed"):
        make_pass("convert-nn-to-linalg").apply(make_context(), module)


def test_locations_travel() -> None:
    text = """
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %r = nn.relu %a : (tensor<2xf32>) -> tensor<2xf32> loc("act"("m.py":7:0))
      func.return %r : tensor<2xf32>
    }
    """
    module = parse_module(text)
    make_pass("convert-nn-to-linalg").apply(make_context(), module)
    generic = next(op for op in module.walk() if op.name == "linalg.generic")
    assert 'loc("act"' in str(generic.location) or "act" in str(generic.location)
