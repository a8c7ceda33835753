"""Every operator that the importer knows, through the reference, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
import torch.ao.quantization.fx._decomposed
import torch.nn.functional as F
from torch import nn

import devproc
import devproc.quantized
from devproc.frontends.torch_export.importer import import_program
from devproc.frontends.torch_export.tables import IMPORTS
from tests.frontends.imported import check, check_all, export, op_names

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
aten = torch.ops.aten

Shape = tuple[int, ...]


def values(shape: Shape, dtype: torch.dtype, seed: int) -> torch.Tensor:
    """Random values; floats hold a zero, an infinity and a NaN where there is room."""
    rng = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.rand(shape, generator=rng) < 0.5
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        low, high = max(info.min, -(2**40)), min(info.max, 2**40)
        return torch.randint(low, high, shape, generator=rng).to(dtype)
    result = (torch.randn(shape, generator=rng) * 3).to(dtype)
    flat = result.view(-1)
    if flat.numel() > 8:
        special = (float("nan"), float("inf"), -float("inf"), -0.0, 0.0)
        for value in special:
            flat[int(torch.randint(flat.numel(), (1,), generator=rng))] = value
    return result


def finite(
    shape: Shape, dtype: torch.dtype = torch.float32, seed: int = 0
) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=rng).to(dtype)


ROUNDED = {"rtol": 2e-6, "atol": 1e-6}
SHAPES: tuple[tuple[Shape, Shape], ...] = (
    ((3, 5), (3, 5)),
    ((2, 3, 7), (7,)),
    ((4, 1, 3), (1, 6, 1)),
    ((), (5,)),
    ((0, 3), (3,)),
    ((1,), ()),
)
BINARY: tuple[Callable[..., torch.Tensor], ...] = (torch.add, torch.sub, torch.mul)


@pytest.mark.parametrize("op", [*BINARY, torch.div, torch.rsub])
@pytest.mark.parametrize("dtype", FLOATS)
def test_binary_floats(op: Any, dtype: torch.dtype) -> None:
    check_all(
        (op, (values(left, dtype, seed), values(right, dtype, seed + 50)))
        for seed, (left, right) in enumerate(SHAPES)
    )


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("dtype", INTS)
def test_binary_integers_wrap_around(op: Any, dtype: torch.dtype) -> None:
    check(op, values((3, 9), dtype, 1), values((9,), dtype, 2))


@pytest.mark.parametrize("op", [torch.add, torch.mul])
def test_binary_bools(op: Any) -> None:
    check(op, values((5, 9), torch.bool, 1), values((9,), torch.bool, 2))


@pytest.mark.parametrize("left", [*FLOATS, torch.int64, torch.uint8, torch.bool])
@pytest.mark.parametrize("right", [*FLOATS, torch.int8, torch.int32, torch.bool])
def test_promotion_of_tensors(left: torch.dtype, right: torch.dtype) -> None:
    x, y = values((3, 4), left, 1), values((4,), right, 2)
    check(lambda x, y: (x + y, x * y, x / (y + 1)), x, y)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS, torch.bool])
@pytest.mark.parametrize("number", [2, -3, 0.1, 1e30, float("inf"), True])
def test_promotion_of_numbers(dtype: torch.dtype, number: float) -> None:
    x = values((3, 5), dtype, 3)
    subtracts = dtype != torch.bool and number is not True

    def model(x: torch.Tensor) -> list[torch.Tensor]:
        found = [x + number, x * number, number / (x + 0.5), x / number]
        return [*found, x - number, number - x] if subtracts else found

    check(model, x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_rank_zero_tensors_do_not_promote(dtype: torch.dtype) -> None:
    x = values((3, 5), dtype, 3)
    numbers = torch.tensor(0.1, dtype=torch.float64), torch.tensor(257)
    check_all((lambda x, y: (x + y, x * y, x / y, y - x), (x, y)) for y in numbers)


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int32])
def test_alpha(dtype: torch.dtype) -> None:
    x, y = finite((3, 5), torch.float32).to(dtype), finite((5,)).to(dtype)
    # PyTorch's vectors round the product and the sum once, its remainder loop twice.
    bound = {torch.float16: 4e-3, torch.bfloat16: 4e-2}.get(dtype, 1e-6)
    tolerance = {"rtol": bound, "atol": bound}
    for alpha in (2, -3):
        check(
            lambda x, y: (
                torch.add(x, y, alpha=alpha),
                torch.sub(x, y, alpha=alpha),
                torch.rsub(x, y, alpha=alpha),
                aten.add.Scalar(x, 2, alpha),
            ),
            x,
            y,
            exact=False,
            tolerance=tolerance,
        )
    if dtype.is_floating_point:
        check(
            lambda x, y: torch.add(x, y, alpha=0.3),
            x,
            y,
            exact=False,
            tolerance=tolerance,
        )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "op",
    [torch.relu, torch.exp, torch.sqrt, torch.neg, torch.reciprocal, torch.square],
)
def test_unary(op: Any, dtype: torch.dtype) -> None:
    shapes = (3, 5), (), (2, 0), (1, 17)
    check_all((op, [values(shape, dtype, 5)]) for shape in shapes)


@pytest.mark.parametrize("dtype", INTS)
def test_unary_integers(dtype: torch.dtype) -> None:
    x = values((3, 5), dtype, 5)
    check(lambda x: (torch.neg(x), torch.relu(x), torch.square(x)), x)
    small = (x % 11).abs()
    check(lambda x: (torch.exp(x), torch.sqrt(x), torch.reciprocal(x + 1)), small)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", [torch.sigmoid, F.silu, torch.rsqrt])
def test_composed_unary(op: Any, dtype: torch.dtype) -> None:
    x = torch.cat([values((40,), dtype, 1), torch.tensor([-90, 90, -200]).to(dtype)])
    tolerance = {torch.float16: 1e-3, torch.bfloat16: 8e-3}.get(dtype, 3e-6)
    check(op, x, exact=False, tolerance={"rtol": tolerance, "atol": 1e-7})


def test_clamp_at_zero() -> None:
    x = values((4, 9), torch.float32, 1)
    check(lambda x: (x.clamp(min=0), torch.clamp_min(x, 0)), x)


@pytest.mark.parametrize("source", [*FLOATS, *INTS, torch.bool])
@pytest.mark.parametrize("target", [*FLOATS, *INTS, torch.bool])
def test_casts(source: torch.dtype, target: torch.dtype) -> None:
    # Out of an integer's range the result is undefined, in PyTorch too.
    x = finite((4, 7), torch.float32, 3).mul(20).abs().to(source)
    other = torch.zeros(2, dtype=target)

    def model(x: torch.Tensor, o: torch.Tensor) -> list[torch.Tensor]:
        copied = aten._to_copy.default(x, dtype=target)
        return [x.to(target), x.to(o), x.type_as(o), x.to("cpu", target), copied]

    check(model, x, other)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_products(dtype: torch.dtype) -> None:
    tolerance = {"rtol": 2e-2, "atol": 5e-2} if dtype == torch.bfloat16 else ROUNDED

    def case(op: Any, *shapes: Shape) -> tuple[Any, list[torch.Tensor]]:
        return op, [finite(s, dtype, i) for i, s in enumerate(shapes)]

    exact = [
        case(torch.mm, (3, 7), (7, 5)),
        case(torch.bmm, (4, 3, 7), (4, 7, 5)),
        case(F.linear, (2, 3, 7), (5, 7), (5,)),
        case(F.linear, (7,), (5, 7)),
    ]
    check_all(exact, tolerance=tolerance)
    rounded = [
        case(torch.dot, (7,), (7,)),
        case(torch.mv, (3, 7), (7,)),
        case(F.linear, (3, 7), (7,)),
    ]
    for left, right in (
        ((3, 7), (7, 5)),
        ((7,), (7,)),
        ((7,), (7, 5)),
        ((3, 7), (7,)),
        ((2, 1, 3, 7), (4, 7, 5)),
        ((7,), (4, 7, 5)),
        ((4, 3, 7), (7,)),
    ):
        rounded.append(case(torch.matmul, left, right))
    for beta, alpha in ((1, 1), (2, 0.5), (0, 1), (0, 2), (1, 3)):
        factors = {"beta": beta, "alpha": alpha}
        addmm = partial(torch.addmm, **factors)
        rounded += [
            case(addmm, bias, (3, 7), (7, 5)) for bias in ((5,), (3, 5), (3, 1), (1,))
        ]
        baddbmm, addmv = (partial(f, **factors) for f in (torch.baddbmm, torch.addmv))
        rounded += [
            case(baddbmm, (4, 3, 5), (4, 3, 7), (4, 7, 5)),
            case(addmv, (3,), (3, 7), (7,)),
        ]
    check_all(rounded, exact=False, tolerance=tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("beta", [0, 1, 2])
def test_products_with_alpha_zero(dtype: torch.dtype, beta: int) -> None:
    """Where BLAS multiplies, infinities and NaN of the factors do not count."""
    x, y, z = (torch.randn(shape).to(dtype) for shape in ((4, 6), (4, 5), (5, 6)))
    y[1, 2], y[2, 0] = float("inf"), float("nan")
    more: dict[str, Any] = {"beta": beta, "alpha": 0}
    check(lambda x, y, z: torch.addmm(x, y, z, **more), x, y, z)
    check(lambda x, y, z: torch.addmm(x[0], y, z, **more), x, y, z)
    check(lambda x, y, z: torch.addmv(x[:, 0], y, z[:, 0], **more), x, y, z)
    check(lambda x, y, z: torch.addbmm(x, y[None], z[None], **more), x, y, z)
    check(lambda x, y, z: torch.baddbmm(x, y[None], z[None], **more), x, y, z)
    check(lambda x, y, z: torch.addr(x, y[:, 0], z[0], **more), x, y, z)


def test_addmm_with_beta_zero_does_not_read_the_bias() -> None:
    nan = torch.full((3, 5), float("nan"))
    check(
        lambda x, y, z: torch.addmm(x, y, z, beta=0),
        nan,
        finite((3, 7)),
        finite((7, 5)),
        exact=False,
    )


def test_linear_layer_in_pieces_is_nn_linear() -> None:
    program = check(
        lambda x, w, b: torch.addmm(b, x, w.t()),
        finite((3, 7)),
        finite((5, 7)),
        finite((5,)),
        exact=False,
    )
    assert "nn.linear" in op_names(program)
    assert "nn.matmul" not in op_names(program)


@pytest.mark.parametrize("dtype", INTS)
def test_integer_products(dtype: torch.dtype) -> None:
    check(torch.mm, values((3, 7), dtype, 1), values((7, 5), dtype, 2))


CONVOLUTIONS = (
    dict(),
    dict(stride=2, padding=1),
    dict(stride=(1, 3), padding=(2, 0), dilation=(2, 1)),
    dict(padding="same"),
    dict(padding="same", dilation=(2, 3)),
    dict(padding="valid", stride=2),
    dict(groups=2),
)


@pytest.mark.parametrize("options", CONVOLUTIONS, ids=str)
@pytest.mark.parametrize("kernel", [(3, 3), (1, 2), (4, 3), (1, 1)])
def test_conv2d(options: dict[str, Any], kernel: tuple[int, int]) -> None:
    groups = options.get("groups", 1)
    weight, bias = finite((6, 4 // groups, *kernel), seed=1), finite((6,), seed=2)
    images = [finite(shape, seed=3) for shape in ((2, 4, 9, 13), (4, 11, 9))]
    operands = [[x, weight, *more] for x in images for more in ((bias,), ())]
    conv2d = partial(F.conv2d, **options)
    check_all([(conv2d, given) for given in operands], exact=False, tolerance=ROUNDED)


@pytest.mark.parametrize(
    "options",
    [
        o
        for o in CONVOLUTIONS
        if not isinstance(o.get("stride"), tuple)
        and not isinstance(o.get("dilation"), tuple)
    ],
    ids=str,
)
def test_conv1d(options: dict[str, Any]) -> None:
    groups = options.get("groups", 1)
    weight = finite((6, 4 // groups, 3), seed=1)
    conv1d, shapes = partial(F.conv1d, **options), ((2, 4, 13), (4, 11))
    cases = [(conv1d, [finite(shape), weight]) for shape in shapes]
    check_all(cases, exact=False, tolerance=ROUNDED)


def test_convolution_overload() -> None:
    def model(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return aten.convolution.default(
            x, w, None, [2, 1], [1, 2], [1, 1], False, [0, 0], 1
        )

    check(
        model,
        finite((2, 4, 9, 7)),
        finite((3, 4, 3, 3)),
        exact=False,
        tolerance=ROUNDED,
    )


@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_max_pool(ceil: bool, dtype: torch.dtype) -> None:
    cases: tuple[dict[str, Any], ...] = (
        dict(kernel_size=2),
        dict(kernel_size=(3, 2), stride=(2, 1), padding=(1, 0)),
        dict(kernel_size=3, stride=2, padding=1, dilation=(1, 2)),
    )
    check_all(
        (partial(F.max_pool2d, ceil_mode=ceil, **options), [values(shape, dtype, 1)])
        for options in cases
        for shape in ((2, 3, 9, 13), (3, 10, 11))
    )
    check(lambda x: F.max_pool1d(x, 3, 2, 1, 1, ceil), values((2, 3, 14), dtype, 1))
    check(
        lambda x: aten.max_pool2d_with_indices.default(x, [2, 2])[0],
        values((2, 3, 6, 7), dtype, 1),
    )


AXES = (None, 0, -1, (0, 2), (1, -1, 0), (2,))


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTS, torch.bool])
def test_reductions(dtype: torch.dtype, keepdim: bool) -> None:
    x = values((3, 4, 5), dtype, 4)

    def model(x: torch.Tensor, dim: Any) -> list[torch.Tensor]:
        every = () if dim is None else dim
        sums = [torch.sum(x, dim, keepdim)]
        if dtype.is_floating_point:
            sums.append(torch.mean(x, dim, keepdim))
        return [
            *sums,
            torch.amax(x, every, keepdim),
            torch.amin(x, every, keepdim),
            torch.sum(x, dim, keepdim, dtype=torch.float64),
            torch.mean(x, dim, keepdim, dtype=torch.float32),
        ]

    check_all((model, (x, dim)) for dim in AXES)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS])
def test_whole_reductions(dtype: torch.dtype) -> None:
    x = values((3, 4, 5), dtype, 4)
    check(lambda x: (x.sum(), x.max(), x.min(), x.argmax(), x.argmin()), x)
    check(
        lambda x: (x.sum(), x.sum(0), x.amax(-1), x.argmax(), x.argmax(0)), x[0, 0, 0]
    )


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.bfloat16, torch.int8, torch.uint8]
)
def test_extrema_with_places(dtype: torch.dtype, keepdim: bool) -> None:
    # Many ties: the first one counts.
    x = values((4, 5, 6), dtype, 4).clone()
    x[:, 1:3] = x[:, :2].clone()

    def model(x: torch.Tensor, dim: int) -> list[Any]:
        largest, smallest = (op(x, dim, keepdim) for op in (torch.max, torch.min))
        places = [op(x, dim, keepdim) for op in (torch.argmax, torch.argmin)]
        values = torch.max(x, dim, keepdim).values
        return [*places, largest, smallest, values, torch.max(x, dim, keepdim).indices]

    check_all((model, (x, dim)) for dim in (0, 1, -1))


def test_empty_reductions() -> None:
    x = torch.zeros(3, 0, 2)
    check(lambda x: (x.sum(1), x.mean(1), x.sum()), x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax(dtype: torch.dtype) -> None:
    def model(x: torch.Tensor, dim: int) -> list[torch.Tensor]:
        wide = torch.softmax(x, dim, dtype=torch.float64)
        return [torch.softmax(x, dim), wide, aten._softmax.default(x, dim, False)]

    cases = ((3, 7), 1), ((3, 7), 0), ((2, 3, 5), -2), ((), 0), ((1, 1), 1)
    check_all((model, (finite(shape, dtype), dim)) for shape, dim in cases)


def test_global_average_pool() -> None:
    x = finite((2, 3, 5, 7))
    check(
        nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        x,
        exact=False,
        tolerance=ROUNDED,
    )
    check(nn.AdaptiveAvgPool1d(1), x[0], exact=False, tolerance=ROUNDED)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.int16])
def test_shapes(dtype: torch.dtype) -> None:
    x = values((2, 3, 1, 5), dtype, 1)
    check(
        lambda x: (x.reshape(6, -1), x.view(3, 10), x.flatten(1, 2), x.unsqueeze(-2)), x
    )
    check(lambda x: (x.squeeze(), x.squeeze(2), x.squeeze(0), x.squeeze((0, 2))), x)
    check(lambda x: (x.unflatten(3, (5, 1)), x.reshape(-1), x.view_as(x)), x)
    check(lambda x: (x.permute(3, 0, -2, 1), x.transpose(0, -1), x.swapaxes(1, 2)), x)
    check(lambda x: (x.movedim(0, 2), x.movedim((3, 0), (0, 1)), x.mT), x)
    check(lambda x: (x.t(), x.T, x.t().contiguous(), x.t().reshape(-1)), x[:, :, 0, 0])
    check(lambda x: (x.expand(2, 3, 1, 5), x.squeeze(2).expand(1, 2, 3, 5)), x)
    check(
        lambda x: (F.pad(x, (1, 2)), F.pad(x, (0, 0, 3, 1, 1, 0)), F.pad(x, (0, 0))), x
    )
    check(lambda x: aten.constant_pad_nd.default(x, [1, 0], 0), x)
    check(lambda x: (aten._unsafe_view.default(x, [30]), aten.alias.default(x)), x)


def test_identities_are_the_input_itself() -> None:
    x = finite((2, 3))
    program = check(
        lambda x: (
            x.detach(),
            x.clone(),
            x.contiguous(),
            F.dropout(x, 0.3, False),
            x.view(2, 3),
        ),
        x,
    )
    assert op_names(program) == []


def test_constants_of_the_graph() -> None:
    x = finite((3, 40))
    check(
        lambda x: x + torch.arange(40) * torch.full((3, 1), 0.5) - torch.ones(3, 1), x
    )
    check(
        lambda x: x * torch.zeros_like(x) + torch.ones_like(x) + x.new_full((40,), 2), x
    )
    check(
        lambda x: x + torch.tensor([0.1] * 40) + torch.tensor(2) + torch.eye(3, 40), x
    )
    check(lambda x: x + torch.linspace(0, 1, 40) + torch.scalar_tensor(3.0), x)
    check(
        lambda x: (torch.zeros(2, dtype=torch.bool), x.new_zeros(3), x.new_ones(1)), x
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm(dtype: torch.dtype, affine: bool) -> None:
    tolerance = {"rtol": 2e-2, "atol": 2e-2} if dtype == torch.bfloat16 else ROUNDED
    for layer, shape in (
        (nn.BatchNorm2d(5, affine=affine), (2, 5, 3, 4)),
        (nn.BatchNorm1d(5, affine=affine), (2, 5)),
        (nn.BatchNorm3d(5, eps=0.1, affine=affine), (2, 5, 3, 1, 2)),
    ):
        torch.manual_seed(0)
        assert layer.running_mean is not None
        assert layer.running_var is not None
        layer.running_mean.normal_()
        layer.running_var.uniform_(0.1, 3)
        check(layer.to(dtype), finite(shape, dtype), exact=False, tolerance=tolerance)
    mixed = nn.BatchNorm2d(5, affine=affine)
    check(
        mixed,
        finite((2, 5, 3, 4), torch.bfloat16),
        exact=False,
        tolerance={"rtol": 2e-2, "atol": 2e-2},
    )
    layer = nn.BatchNorm2d(5, affine=affine).to(dtype).eval()
    exported = export(layer, (finite((2, 5, 3, 4), dtype),)).run_decompositions()
    assert "nn.batch_norm" in op_names(import_program(exported))


@pytest.mark.parametrize("decomposed", [False, True])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm_by_the_batch(affine: bool, decomposed: bool) -> None:
    """Without running statistics a batch is normalized by its own, as in training."""
    layer = nn.BatchNorm2d(5, affine=affine, track_running_stats=False).eval()
    if affine:
        layer.weight.data.normal_()
        layer.bias.data.normal_()
    x = finite((3, 5, 3, 4), torch.float32)
    exported = export(layer, (x,))
    if decomposed:
        exported = exported.run_decompositions()
    program = devproc.compile(exported, threads=1, cache=False)
    torch.testing.assert_close(program(x), layer(x), rtol=2e-6, atol=1e-6)


def test_standardized_weights_are_computed_once() -> None:
    """The convolutions of BiT and of networks without normalization."""

    class Standardized(nn.Conv2d):
        def forward(self, input: torch.Tensor) -> torch.Tensor:
            rows = self.weight.reshape(1, self.out_channels, -1)
            norm = F.batch_norm(rows, None, None, training=True, momentum=0.0, eps=1e-6)
            return self._conv_forward(input, norm.reshape_as(self.weight), self.bias)

    layer, x = Standardized(3, 7, 3), finite((2, 3, 6, 5), torch.float32)
    program = devproc.compile(export(layer, (x,)), threads=1, cache=False)
    torch.testing.assert_close(program(x), layer(x), rtol=1e-5, atol=1e-5)
    families = {kernel.family for kernel in program.report().kernels.rows}
    assert "reduction" not in families


def test_in_place_updates() -> None:
    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3)
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.relu(self.norm(self.conv(x)))
            y += x
            return self.relu(y)

    check(Residual(), finite((2, 3, 5, 7)), exact=False, tolerance=ROUNDED)


def test_in_place_updates_that_others_see() -> None:
    def view_then_update(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x * 2
        flat = y.view(-1)
        before = y + 1
        y.relu_()
        return flat, before, y + flat.view(3, 5)

    def update_of_a_view(x: torch.Tensor) -> torch.Tensor:
        y = x - 1
        y.view(-1).mul_(3)
        return y

    def returned_operand(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x - 1
        z = y.relu_()
        return y, z

    def of_a_lone_dropout(x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x - 1, 0.1, False).add_(5)

    for model in (
        view_then_update, update_of_a_view, returned_operand, of_a_lone_dropout,
    ):  # fmt: skip
        check(model, finite((3, 5)))


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    """A chain of random operators on random shapes, all of them at once."""
    rng = torch.Generator().manual_seed(seed)

    def pick(n: int) -> int:
        return int(torch.randint(n, (1,), generator=rng))

    choices = [pick(8) for _ in range(10)]
    numbers = [float(torch.randn((), generator=rng)) for _ in range(10)]
    layer = nn.Linear(6, 6)

    def model(x: torch.Tensor) -> torch.Tensor:
        for choice, number in zip(choices, numbers, strict=True):
            x = (
                lambda x: x + number,
                lambda x: torch.relu(x * number),
                lambda x: layer(x),
                lambda x: x.transpose(0, 1),
                lambda x: torch.softmax(x, -1),
                lambda x: x - x.mean(-1, keepdim=True),
                lambda x: x.reshape(x.shape[1], x.shape[0], 6),
                lambda x: x @ x.mT @ x / 7,
            )[choice](x)
        return x

    check(
        model,
        finite((1 + pick(4), 1 + pick(5), 6), seed=seed),
        exact=False,
        tolerance={"rtol": 1e-4, "atol": 1e-5},
    )


def test_rows_name_operators_that_exist() -> None:
    for name in IMPORTS:
        namespace, operator, overload = name.split(".")
        operators = getattr(torch.ops, namespace)
        assert hasattr(getattr(operators, operator), overload), name
