"""Models in the operators of `devproc.quantized`, bit for bit against their eager run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
import torch
import torch.nn.functional as F
from devproc_npu.backend import NPU
from regions import SYMBOL, Run, lowered, region_of, run_model
from torch import Tensor, nn
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from devproc.dialects.dev import TargetAttr
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.errors import BundleError
from devproc.quantized import conv2d, linear, matmul, rescale, scale_of

pytestmark = pytest.mark.usefixtures("npu")


class Model(nn.Module):
    """A function of tensors and of weights."""

    def __init__(self, function: Callable, weights: Sequence[Tensor] = ()) -> None:
        super().__init__()
        self.function, self.count = function, len(weights)
        for number, weight in enumerate(weights):
            self.register_buffer(f"w{number}", weight)

    def forward(self, *x: Tensor):
        weights = [getattr(self, f"w{number}") for number in range(self.count)]
        return self.function(*x, *weights)


def int8(*shape: int) -> Tensor:
    """Random, with the extremes."""
    x = torch.randint(-128, 128, shape, dtype=torch.int8)
    x.flatten()[:1], x.flatten()[-1:] = -128, 127
    return x


def check(
    function: Callable, inputs: Sequence[Tensor], weights: Sequence[Tensor] = ()
) -> Run:
    """Run on the NPU and eagerly; all results must be the same."""
    model = Model(function, weights)
    run = run_model(model, inputs)
    wanted = model(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for got, want in zip(run.results, wanted, strict=True):
        assert torch.equal(got, want)
    return run


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(29)


def scales(count: int) -> tuple[list[int], list[int]]:
    pairs = [scale_of(f) for f in torch.rand(count).mul(1e-3).add(1e-5).tolist()]
    return [m for m, _ in pairs], [s for _, s in pairs]


@pytest.mark.parametrize(("m", "k", "n"), [(1, 1, 1), (37, 40, 50), (130, 100, 19)])
def test_linear_sums(m: int, k: int, n: int) -> None:
    """int32 sums leave as they are."""
    bias = torch.randint(-(2**31), 2**31 - 1, (n,), dtype=torch.int32)
    run = check(lambda x, w, b: linear(x, w) + b, [int8(3, m, k)], [int8(n, k), bias])
    assert run.report.operations == 2 * 3 * m * k * n


def test_linear_of_one_vector() -> None:
    check(linear, [int8(70)], [int8(33, 70)])


def test_linear_rescaled_by_channel() -> None:
    by_channel = scales(33)
    check(
        lambda x, w: rescale(linear(x, w), *by_channel, -1).clamp(-100, 90),
        [int8(2, 5, 70)],
        [int8(33, 70)],
    )


def test_attention() -> None:
    """Products of heads, the right operand transposed and not."""
    first, second = scales(1), scales(1)

    def attend(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        q, k, v = (x.unflatten(-1, (3, -1)).transpose(1, 2) for x in (q, k, v))
        scores = matmul(q, k.mT)
        p = rescale(scores, *first)
        return scores, rescale(matmul(p, v), *second).transpose(1, 2).flatten(2)

    with pytest.raises(Exception, match="read elsewhere"):
        check(attend, [int8(2, 21, 51) for _ in range(3)])
    check(lambda *x: attend(*x)[1], [int8(2, 21, 51) for _ in range(3)])
    check(lambda *x: attend(*x)[0], [int8(2, 21, 51) for _ in range(3)])


def test_matmul_of_one_right_operand() -> None:
    check(matmul, [int8(2, 3, 9, 20), int8(20, 17)])


def residual(x: Tensor, y: Tensor) -> Tensor:
    """The sum of two tensors of different scales."""
    both = rescale(x, *scale(0.37 * 65536), dtype=torch.int32)
    both = both + rescale(y, *scale(1.21 * 65536), dtype=torch.int32)
    return torch.relu(rescale(both, *scale(1 / 65536)))


def scale(factor: float) -> tuple[list[int], list[int]]:
    multiplier, shift = scale_of(factor)
    return [multiplier], [shift]


@pytest.mark.parametrize("shape", [(), (1,), (3, 7, 5), (2, 9, 130, 131)])
def test_residual(shape: tuple[int, ...]) -> None:
    check(residual, [int8(*shape), int8(*shape)])


def test_sum_whose_terms_overflow() -> None:
    """Terms are clamped to int32, and their sum wraps."""
    big = [2**31 - 1], [3]

    def add(x: Tensor, y: Tensor) -> Tensor:
        both = rescale(x, *big, dtype=torch.int32) + rescale(y, *big, dtype=torch.int32)
        return rescale(both, *scale(2.0**-25))

    check(add, [int8(5, 50), int8(5, 50)])


@pytest.mark.parametrize(
    "function",
    [
        torch.relu,
        lambda x: x.clamp(-3, 50),
        lambda x: rescale(x, *scale(1.7)),
        lambda x: torch.relu(rescale(x, *scale(0.01))),
        lambda x: x.transpose(0, 1).reshape(4, -1),
        lambda x: torch.relu(x.permute(2, 0, 1)),
    ],
)
def test_one_tensor(function: Callable) -> None:
    check(function, [int8(6, 10, 11)])


@pytest.mark.parametrize(
    ("shape", "kernel", "stride", "padding"),
    [
        ((2, 5, 9, 11), 3, 2, 1),
        ((1, 17, 8, 8), 2, 2, 0),
        ((3, 1, 5, 4), (1, 3), 1, (0, 1)),
        ((1, 64, 57, 57), 3, 2, 1),
    ],
)
def test_max_pool(shape: tuple, kernel, stride, padding) -> None:
    check(lambda x: F.max_pool2d(x, kernel, stride, padding), [int8(*shape)])


@pytest.mark.parametrize("shape", [(2, 19, 7, 7), (1, 1, 1, 1), (3, 512, 5, 3)])
def test_mean(shape: tuple[int, ...]) -> None:
    factor = 1 / (shape[2] * shape[3])
    check(
        lambda x: rescale(x.sum((2, 3), dtype=torch.int32), *scale(factor)),
        [int8(*shape)],
    )


def test_block() -> None:
    """A residual block: borders in place, images with their channels last throughout."""
    first, second = scales(20), scales(20)

    def block(x: Tensor, a: Tensor, b: Tensor, bias: Tensor) -> Tensor:
        y = torch.relu(rescale(conv2d(x, a, padding=1) + bias, *first, 1))
        y = rescale(conv2d(y, b, padding=1) + bias, *second, 1)
        return F.max_pool2d(residual(y, x), 3, 2, 1)

    bias = torch.randint(-9999, 9999, (20, 1, 1), dtype=torch.int32)
    x, weights = int8(2, 20, 13, 10), [int8(20, 20, 3, 3) for _ in range(2)]
    run = check(block, [x], [*weights, bias])
    assert run.report.byte_counts == run.estimate.byte_counts
    assert run.estimate.cycles == pytest.approx(run.report.cycles, rel=0.05)


def test_small_layers_overlap() -> None:
    """Their weights are loaded, and their borders filled, while others run."""

    def layers(x: Tensor, *weights: Tensor) -> Tensor:
        for weight in weights:
            x = torch.relu(rescale(conv2d(x, weight, padding=1), *HALF))
        return x

    run = check(layers, [int8(1, 24, 5, 7)], [int8(24, 24, 3, 3) for _ in range(6)])
    assert run.estimate.cycles == pytest.approx(run.report.cycles, rel=0.1)


def test_results_that_are_operands_and_one_another() -> None:
    def copies(x: Tensor) -> tuple[Tensor, ...]:
        y = torch.relu(x)
        return x.reshape(-1), y, y.reshape(6, -1), y.transpose(0, 1)

    check(copies, [int8(3, 10)])


def bf16(*shape: int) -> Tensor:
    """Random, with what is not finite in the last vector."""
    x = torch.randn(shape).bfloat16()
    x.flatten()[-3:] = torch.tensor([float("nan"), float("inf"), -float("inf")])
    return x


def close(function: Callable, inputs: Sequence[Tensor], weights: Sequence[Tensor] = ()):
    """On the NPU, to a rounding of the result from float64."""
    model = Model(function, weights)
    run = run_model(model, inputs)
    wide = Model(function, [w.double() for w in weights])
    wanted = wide(*(x.double() for x in inputs))
    (got,) = run.results
    torch.testing.assert_close(
        got.double(), wanted, rtol=2**-8, atol=2**-8, equal_nan=True
    )


@pytest.mark.parametrize(
    ("function", "shapes", "weights"),
    [
        (F.linear, [(2, 7, 33)], [(19, 33), (19,)]),
        (lambda x, w: F.linear(x, w).relu(), [(5, 16)], [(3, 16)]),
        (lambda x, w, b: F.conv2d(x, w, b, 2, 1).relu(), [(2, 5, 9, 8)], [(17, 5, 3, 3), (17,)]),
        (lambda a, b: a @ b, [(2, 3, 9, 20), (2, 3, 20, 17)], []),
        (lambda a, b: a @ b.mT, [(2, 9, 20), (2, 31, 20)], []),
        (lambda a, b: torch.relu(a + b), [(3, 5, 7), (3, 5, 7)], []),
        (torch.relu, [(3, 50)], []),
        (lambda x: F.max_pool2d(x, 3, 2, 1), [(2, 5, 9, 8)], []),
        (lambda x: x.transpose(0, 1), [(9, 8)], []),
        (lambda x: F.avg_pool2d(x, 2, 2), [(2, 19, 6, 8)], []),
    ],
)  # fmt: skip
def test_bf16(function: Callable, shapes: list, weights: list) -> None:
    close(
        function,
        [bf16(*s) for s in shapes],
        [torch.randn(s).bfloat16() for s in weights],
    )


def test_both_types_in_one_region() -> None:
    """Two programs, one after another."""

    def both(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return torch.relu(x), torch.relu(y), F.max_pool2d(torch.relu(x), 2)

    check(both, [int8(1, 3, 4, 6), torch.randn(5, 7).bfloat16()])


def refused(function: Callable, inputs: Sequence[Tensor], weights=()) -> str:
    """Why the NPU does not take a model as a whole."""
    module, _ = region_of(Model(function, weights), inputs)
    (main,) = (op for op in module.ops if isinstance(op, FuncOp))
    kept = (WeightOp, ConstantOp, ReturnOp)
    ops = [op for op in main.body.block.ops if not isinstance(op, kept)]
    reasons = NPU().legal(ops)
    return reasons[0] if reasons else ""


HALF = ([1 << 30], [31])


@pytest.mark.parametrize(
    ("function", "inputs", "weights", "reason"),
    [
        (lambda x: torch.softmax(x, -1), [torch.randn(3, 4)], [], "not float32"),
        (lambda x: x.exp(), [torch.randn(3, 4).bfloat16()], [], "exponential"),
        (lambda x: x + x, [int8(3, 4)], [], "no product, sum or maximum"),
        (lambda x, y: torch.relu(x + y), [int8(3, 4).int(), int8(3, 4).int()], [], "int32 values"),
        (lambda x: rescale(x, *HALF, input_zero=3), [int8(3, 4)], [], "no zero points"),
        (lambda x: rescale(x, 2 * HALF[0], 2 * HALF[1], 0), [int8(2, 4)], [], ""),
        (lambda x: rescale(x, [1 << 30, 5], [31, 30], 0), [int8(2, 4)], [], "differs by channel"),
        (linear, [int8(3, 4), int8(5, 4)], [], "not constant"),
        (lambda x, w: conv2d(x, w, groups=2), [int8(1, 4, 5, 5)], [int8(4, 2, 3, 3)], "groups"),
        (lambda x, w: conv2d(x, w, dilation=2), [int8(1, 4, 9, 9)], [int8(4, 4, 3, 3)], "dilated"),
        (lambda x, w: conv2d(x, w, stride=(1, 2)), [int8(1, 4, 9, 9)], [int8(4, 4, 3, 3)], "differ"),
        (lambda x: F.max_pool2d(x, 2, ceil_mode=True), [int8(1, 4, 5, 5)], [], "ceil mode"),
        (lambda x, w: conv2d(x, w), [int8(1, 4, 150, 150)], [int8(4, 4, 149, 149)], "no tile"),
        (lambda x: F.max_pool2d(x, 400, 1), [int8(1, 1, 520, 520)], [], "no block"),
    ],
)  # fmt: skip
def test_refusals(function: Callable, inputs: list, weights: list, reason: str) -> None:
    assert reason in refused(function, inputs, weights)
    assert bool(reason) == bool(refused(function, inputs, weights))


def test_a_shared_term_is_refused() -> None:
    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        sums = x.sum((2, 3), dtype=torch.int32)
        return rescale(sums, *HALF), rescale(sums, *HALF, low=0)

    assert "read elsewhere" in refused(both, [int8(1, 4, 5, 5)])


def test_composites_and_cost() -> None:
    """What is proposed, largest first, is legal; a larger product costs more."""

    def layer(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return torch.relu(rescale(linear(x, w) + b, *HALF))

    def ops(m: int) -> Sequence[Operation]:
        weights = [int8(32, 64), torch.zeros(32, dtype=torch.int32)]
        module, _ = region_of(Model(layer, weights), [int8(m, 64)])
        (main,) = (op for op in module.ops if isinstance(op, FuncOp))
        end = main.body.block.last_op
        assert end is not None
        last = end.operands[0].owner
        assert isinstance(last, Operation)
        matches = (pattern.match(last) for pattern in NPU().patterns())
        found = [match for match in matches if match is not None]
        assert [op.name for op in found[0]] == [
            *("nn.linear", "nn.add", "nn.rescale", "nn.relu")
        ]
        assert len(found) == 1
        modules.append(module)
        return found[0]

    modules: list[ModuleOp] = []
    small, large = (NPU().cost(ops(m), TargetAttr.get()) for m in (16, 1600))
    assert 0 < 10 * small < large


LAYERS = {
    "linear": (linear, [int8(128, 256)], [int8(96, 256)]),
    "convolution": (
        lambda x, w: torch.relu(rescale(conv2d(x, w, padding=1), *HALF)),
        [int8(1, 64, 28, 28)],
        [int8(64, 64, 3, 3)],
    ),
    "small": (
        lambda x, w: rescale(conv2d(x, w, padding=1), *HALF),
        [int8(2, 128, 7, 7)],
        [int8(64, 128, 3, 3)],
    ),
    "first": (
        lambda x, w: rescale(conv2d(x, w, 2, 3), *HALF),
        [int8(1, 3, 64, 64)],
        [int8(64, 3, 7, 7)],
    ),
    "scores": (lambda q, k: matmul(q, k.mT), [int8(4, 128, 64), int8(4, 128, 64)], []),
    "mixed": (
        lambda p, v: rescale(matmul(p, v), *HALF),
        [int8(4, 128, 128), int8(4, 128, 64)],
        [],
    ),
    "channels first": (lambda x: x.permute(0, 3, 1, 2), [int8(1, 112, 111, 64)], []),
    "channels last": (lambda x: x.permute(0, 2, 3, 1), [int8(1, 5, 112, 111)], []),
    "residual": (residual, [int8(1, 64, 56, 56), int8(1, 64, 56, 56)], []),
    "pool": (lambda x: F.max_pool2d(x, 3, 2, 1), [int8(1, 64, 56, 56)], []),
    "mean": (
        lambda x: rescale(x.sum((2, 3), dtype=torch.int32), *HALF),
        [int8(1, 512, 7, 7)],
        [],
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_estimate_without_running(name: str) -> None:
    """Cycles to 10 %; bytes and operations exactly."""
    run = check(*LAYERS[name])
    assert run.estimate.cycles == pytest.approx(run.report.cycles, rel=0.1)
    assert run.estimate.byte_counts == run.report.byte_counts
    assert run.estimate.operations == run.report.operations


def test_code_says_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    module, weights = region_of(Model(torch.relu), [int8(3, 4)])
    npu = NPU()
    code = npu.build(lowered(module))
    assert npu.refusal(code) is None
    assert npu.problems(code, {SYMBOL: ["int8", "int8"]}) == []
    assert "npu_1" in npu.problems(code, {"npu_1": ["int8"]})[0]
    old = json.dumps(json.loads(code) | {"version": 0}).encode()
    assert "version 0" in str(npu.refusal(old))
    other = json.loads(code)
    other["machine"]["scratchpad"] = 1 << 20
    text = json.dumps(other).encode()
    with pytest.raises(BundleError, match="scratchpad = 1048576"):
        npu.load(text, weights)
    handle = npu.load(code, weights)
    npu.unload(handle)
    assert not handle.regions
