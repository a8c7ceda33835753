"""Windows, volumes and grids beside what PyTorch's samples do not reach: NaN, infinities,
ties, borders, odd sizes, empty batches.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations

import devproc
from devproc.errors import UnsupportedError

INF, NAN = float("inf"), float("nan")


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def check(
    function: Callable[..., Any],
    *inputs: torch.Tensor,
    target: str = "cpu",
    **tolerance: Any,
) -> None:
    """The same results as eager PyTorch, in one compiled program."""
    model = function if isinstance(function, nn.Module) else Call(function)
    model = model.eval()
    exported = torch.export.export(model, inputs, strict=False)
    program = devproc.compile(exported, target, threads=1, cache=False)
    with torch.no_grad():
        wanted = model(*[x.clone() for x in inputs])
    found = program(*inputs)
    torch.testing.assert_close(found, wanted, equal_nan=True, **tolerance)


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator).to(dtype)


def special(*shape: int, seed: int = 0) -> torch.Tensor:
    """Small whole numbers, so with ties, and here and there NaN or an infinity."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(-3, 4, shape, generator=generator).float()
    kind = torch.randint(0, 12, shape, generator=generator)
    for number, value in enumerate((NAN, INF, -INF)):
        x[kind == number] = value
    return x


CONVOLUTIONS: tuple[dict[str, Any], ...] = (
    {"stride": (2, 1, 3), "padding": (1, 0, 2)},
    {"dilation": (2, 1, 1), "padding": 2},
    {"padding": "same"},
    {"padding": "same", "dilation": (1, 3, 2)},
    {"stride": 3, "padding": "valid"},
)


def convolutions(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor) -> Any:
    grouped = F.conv3d(x, w[:, :2], bias, padding=1, groups=2)
    single = F.conv3d(x[0], w, bias)
    turned = F.conv_transpose3d(
        x, w.transpose(0, 1), bias, (2, 3, 1), (1, 2, 0), (1, 2, 0), 1, (1, 2, 1)
    )
    cut = F.conv_transpose3d(x, w[:4, :3], None, 2, 3, 1, groups=2)
    raw = torch.convolution(x, w, None, [1, 2, 1], [0, 1, 1], [1, 1, 2], False, [0], 1)
    return [
        *[F.conv3d(x, w, bias, **options) for options in CONVOLUTIONS],
        *(grouped, single, turned, cut, raw),
    ]


def test_convolutions_of_volumes() -> None:
    inputs = (random(2, 4, 5, 6, 7), random(6, 4, 2, 3, 2), random(6))
    check(convolutions, *inputs)


def test_convolutions_of_whole_numbers() -> None:
    """Sums wrap like all integers do."""

    def both(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor) -> Any:
        turned = F.conv_transpose2d(x[:, :, 0], w[:, :, 0].transpose(0, 1), bias, 2)
        return F.conv3d(x, w, bias, 2, 1), turned

    inputs = (random(2, 4, 5, 6, 7), random(6, 4, 2, 3, 2), random(6))
    check(both, *((v.double() * 2**31).long() for v in inputs))


def test_a_kernel_over_depth_is_rounded_once() -> None:
    """The sum over the kernel's depth must not pass through half precision."""
    x, w = random(2, 3, 9, 5, 4), random(4, 3, 7, 2, 3)
    for dtype in (torch.float16, torch.bfloat16):
        given = (x.to(dtype), w.to(dtype))
        exported = torch.export.export(Call(F.conv3d), given, strict=False)
        found = devproc.compile(exported, "cpu", threads=1, cache=False)(*given)
        wanted = F.conv3d(*(v.double() for v in given)).to(dtype)
        torch.testing.assert_close(found, wanted, rtol=torch.finfo(dtype).eps, atol=0)


def averages(x: torch.Tensor) -> Any:
    pools = (F.avg_pool3d, F.avg_pool2d, F.avg_pool1d)
    images = (x, x[:, :, 0], x[:, :, 0, 0])
    found: list[torch.Tensor] = []
    for pool, image in zip(pools, images, strict=True):
        found.append(pool(image, 3, 2, 1, ceil_mode=False, count_include_pad=False))
        found.append(pool(image, 3, 2, 1, ceil_mode=True, count_include_pad=True))
        found.append(pool(image, 2, 3, 1, ceil_mode=True, count_include_pad=False))
    override = F.avg_pool3d(x, (2, 1, 3), None, 0, True, True, 5)
    return [*found, override, F.avg_pool2d(x[0], 2, divisor_override=-3)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_averages(dtype: torch.dtype) -> None:
    check(averages, (random(2, 3, 5, 6, 8) * 50).to(dtype))


def test_power_averages() -> None:
    def pools(x: torch.Tensor) -> Any:
        return [
            F.lp_pool3d(x, 2.0, 2),
            F.lp_pool2d(x[:, :, 0], 3.0, (2, 3), 2, True),
            F.lp_pool1d(x[:, :, 0, 0], 1.0, 3, 1),
        ]

    check(pools, random(2, 3, 5, 6, 7).abs())


def adaptive(x: torch.Tensor) -> Any:
    return [
        F.adaptive_avg_pool3d(x, (2, 4, 3)),
        F.adaptive_avg_pool3d(x[0], 1),
        F.adaptive_avg_pool3d(x, (None, 1, 7)),
        F.interpolate(x, (3, 4, 2), mode="area"),
        *F.adaptive_max_pool3d(x, (2, 4, 3), return_indices=True),
        *F.adaptive_max_pool2d(x[:, 0], (4, 9), return_indices=True),
        *F.adaptive_max_pool1d(x[0, 0], 5, return_indices=True),
    ]


def test_adaptive_pools() -> None:
    check(adaptive, random(2, 3, 5, 6, 7))


def maxima(x: torch.Tensor) -> Any:
    plane, line = x[0], x[0, 0]
    return [
        *F.max_pool3d(x, (2, 3, 1), (1, 2, 3), (1, 1, 0), 1, True, True),
        *F.max_pool3d(x, 2, 1, 1, 2, return_indices=True),
        *F.max_pool2d(plane, 3, 2, 1, 1, True, True),
        *F.max_pool2d(plane, (1, 2), None, 0, (1, 3), True, True),
        *F.max_pool1d(line, 3, 1, 1, 2, return_indices=True),
    ]


def test_the_place_of_a_maximum() -> None:
    """Of equal elements the first, of several NaN the last; infinities are elements."""
    x = special(2, 2, 6, 7, 8)
    x[0, 0, :3, :3] = -INF
    check(maxima, x)
    check(lambda x: F.adaptive_max_pool3d(x, (4, 3, 5), return_indices=True), x)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int64])
def test_maxima_of_integers(dtype: torch.dtype) -> None:
    def pools(x: torch.Tensor) -> Any:
        return [
            *F.max_pool2d(x[0], 3, 2, 1, 1, True, True),
            *F.max_pool3d(x, 2, 1, 1, return_indices=True),
            F.max_pool3d(x, (1, 2, 2)),
        ]

    limits = torch.iinfo(dtype)
    x = torch.randint(limits.min, min(limits.max, 2**62), (2, 2, 3, 5, 7))
    check(pools, x.to(dtype))
    check(pools, torch.full((1, 1, 2, 3, 4), limits.min, dtype=dtype))


def test_places_on_interpreted_triton() -> None:
    x = special(1, 2, 3, 4, 5)
    check(
        lambda x: F.max_pool3d(x, 2, 1, 1, return_indices=True),
        x,
        target="cuda:interpret",
    )


def test_a_window_without_an_element() -> None:
    """Its value is minus infinity; an index it has none, PyTorch gives one outside."""

    def pool(x: torch.Tensor) -> Any:
        return F.max_pool2d(x, 2, 1, 1, 3, return_indices=True)

    x = random(1, 2, 2, 7)
    check(lambda x: pool(x)[0], x)
    exported = torch.export.export(Call(pool), (x,), strict=False)
    with pytest.raises(UnsupportedError, match="lies in the padding alone"):
        devproc.compile(exported, "cpu", cache=False)


def test_unpooling() -> None:
    def round_trip(x: torch.Tensor) -> Any:
        plane, line = x[:, 0], x[0, 0]
        return (
            nn.MaxUnpool3d(2)(*F.max_pool3d(x, 2, return_indices=True), x.shape[-3:]),
            nn.MaxUnpool2d(2, 1)(*F.max_pool2d(plane, 2, 1, return_indices=True)),
            nn.MaxUnpool1d(3, 2)(*F.max_pool1d(line, 3, 2, return_indices=True)),
        )

    check(round_trip, random(2, 3, 4, 6, 7))


FOLDS: tuple[tuple[Any, ...], ...] = (
    ((6, 5), 3, 1, 1, 2),
    ((7, 8), (3, 2), (1, 3), (2, 1), (2, 3)),
    ((9, 9), 2, 4, 0, 3),
)


def folds(x: torch.Tensor) -> Any:
    found: list[torch.Tensor] = []
    columns = x
    for size, kernel, dilation, padding, stride in FOLDS:
        columns = F.unfold(
            x[..., : size[0], : size[1]], kernel, dilation, padding, stride
        )
        found.append(F.fold(columns, size, kernel, dilation, padding, stride))
    return [*found, F.fold(columns[0], *FOLDS[-1])]


def test_folding_sums_what_overlaps() -> None:
    check(folds, random(2, 3, 9, 9))
    check(folds, random(1, 2, 9, 9) > 1)


MODES = ("bilinear", "nearest", "bicubic")
BORDERS = ("zeros", "border", "reflection")
BEYOND = (NAN, INF, -INF, 1e10, -1e30, -1.0, 1.0, 0.0, 2.5, -3.7)


def grids(
    *forms: tuple[str, str, bool],
) -> Callable[[torch.Tensor, torch.Tensor], list[torch.Tensor]]:
    return lambda x, grid: [F.grid_sample(x, grid, *form) for form in forms]


EVERY = tuple(product(MODES, BORDERS, (False, True)))
SMOOTH = [form for form in EVERY if form[0] == "bicubic"]
SIMPLE = [form for form in EVERY if form[0] != "bicubic"]


@pytest.mark.parametrize("forms", [[*SIMPLE[:6], *SIMPLE[7::2]], SMOOTH[1:6:2]])
def test_grids_on_images(forms: list[tuple[str, str, bool]]) -> None:
    grid = random(2, 2, 10, 2, seed=1)
    grid[0, 0, :, 0] = grid[0, 1, :, 1] = torch.tensor(BEYOND)
    check(grids(*forms), random(2, 3, 5, 6), grid)


def test_grids_in_half_precision() -> None:
    """Each step is rounded, as PyTorch does: a place decides what is nearest. Far outside
    PyTorch's 16-bit indices wrap, so nothing is far outside here.
    """
    for dtype in (torch.float16, torch.bfloat16):
        grid = random(1, 3, 40, 2, seed=1, dtype=dtype)
        forms = [SIMPLE[0], SIMPLE[6], SIMPLE[11], SMOOTH[5]]
        check(grids(*forms), random(1, 3, 5, 6, dtype=dtype), grid)


def test_grids_on_volumes() -> None:
    grid = random(2, 2, 3, 10, 3, seed=1)
    for axis in range(3):
        grid[0, 0, axis, :, axis] = torch.tensor(BEYOND)
    check(grids(*SIMPLE[:3:2], *SIMPLE[5:12:3]), random(2, 2, 4, 5, 6), grid)


def test_a_grid_on_one_element_and_on_nothing() -> None:
    check(grids(*EVERY[3:6]), random(1, 2, 1, 1), random(1, 3, 4, 2))
    check(grids(*EVERY[3:6]), random(1, 2, 1, 3, 1), random(1, 2, 2, 2, 3))
    check(grids(*EVERY[:1]), random(0, 2, 3, 3), random(0, 3, 4, 2))


def test_affine_grids() -> None:
    def grid(plane: torch.Tensor, volume: torch.Tensor) -> Any:
        return [
            made
            for align in (False, True)
            for made in (
                F.affine_grid(plane, [2, 3, 4, 1], align),
                F.affine_grid(volume, [2, 3, 4, 5, 3], align),
            )
        ]

    check(grid, random(2, 2, 3), random(2, 3, 4))


class Normed(nn.Module):
    """Convolutions whose weights are a direction and a length."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = parametrizations.weight_norm(nn.Conv1d(4, 6, 3))
        self.columns = parametrizations.weight_norm(nn.Conv1d(6, 5, 2), dim=2)
        self.all = parametrizations.weight_norm(nn.Linear(5, 3), dim=None)  # pyright: ignore[reportArgumentType]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.all(self.columns(self.rows(x)).transpose(1, 2))


def test_weight_norm() -> None:
    torch.manual_seed(0)
    check(Normed(), random(2, 4, 9))
    interface = torch.ops.aten._weight_norm_interface.default
    check(lambda v, g: interface(v, g, 2), random(3, 4, 5), random(1, 1, 5))


def resized(x: torch.Tensor) -> Any:
    options = product(("bilinear", "bicubic"), (False, True), (False, True))
    found: list[torch.Tensor] = []
    for mode, align, smooth in options:
        given = {"mode": mode, "align_corners": align, "antialias": smooth}
        found.append(F.interpolate(x, (4, 13), **given))
        found.append(F.interpolate(x, scale_factor=(1.7, 0.6), **given))
    return found


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.uint8])
def test_images_resized(dtype: torch.dtype) -> None:
    x = (random(2, 3, 9, 7) * 90 + 100).clamp(0, 255)
    exact = dtype == torch.uint8
    check(resized, x.to(dtype), rtol=0 if exact else 1e-5, atol=0 if exact else 1e-4)


def test_borders_of_volumes() -> None:
    def padded(x: torch.Tensor) -> Any:
        amounts = (1, 2, 0, 3, 2, 1)
        modes = ("constant", "reflect", "replicate", "circular")
        return [F.pad(x, amounts, mode) for mode in modes]

    check(padded, random(2, 2, 4, 5, 6))
