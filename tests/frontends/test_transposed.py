"""Transposed convolutions beside PyTorch in float64: strides that divide the kernel and
that do not, places without taps, borders that are cut, infinities and NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product
from math import prod
from random import Random
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

import devproc
from devproc.dialects.nn.window import Conv2dOp
from devproc.frontends.torch_export.windows.phases import Dimension
from devproc.ir.types import tensor_of
from devproc.source import read_source

INF, NAN = float("inf"), float("nan")

LAYERS: tuple[Any, ...] = (
    nn.ConvTranspose1d,
    nn.ConvTranspose2d,
    nn.ConvTranspose3d,
)


def transposed(inputs: int, outputs: int, kernel: tuple[int, ...], **more: Any) -> Any:
    """A layer over as many dimensions as the kernel has."""
    torch.manual_seed(0)
    return LAYERS[len(kernel) - 1](inputs, outputs, kernel, **more)


def random_layers(count: int) -> Iterator[tuple[Any, ...]]:
    """Layers of all kinds, and the sizes of an image."""
    rng = Random(0)
    while count:
        rank = rng.choice([1, 2, 2, 3])
        kernel = tuple(rng.randint(1, 7 if rank < 3 else 4) for _ in range(rank))
        strides = tuple(rng.randint(1, 4) for _ in kernel)
        dilations = tuple(rng.choice([1, 1, 2, 3]) for _ in kernel)
        spans = [d * (k - 1) for d, k in zip(dilations, kernel, strict=True)]
        padding = tuple(rng.randint(0, span) for span in spans)
        more = tuple(
            rng.randrange(max(s, d)) for s, d in zip(strides, dilations, strict=True)
        )
        sizes = tuple(rng.randint(1, 6) for _ in kernel)
        groups = rng.choice([1, 1, 2, 3, 5])
        inputs, outputs = (groups * rng.randint(1, 20 // groups) for _ in range(2))
        if rng.random() < 0.2:
            inputs = outputs = groups
        lies = zip(sizes, strides, spans, padding, more, strict=True)
        if min((n - 1) * s + k + 1 + m - 2 * p for n, s, k, p, m in lies) < 1:
            continue
        options = {
            "stride": strides, "padding": padding, "output_padding": more,
            "dilation": dilations, "groups": groups, "bias": rng.random() < 0.5,
        }  # fmt: skip
        yield inputs, outputs, kernel, options, (rng.randint(1, 3), inputs, *sizes)
        count -= 1


def check(layer: nn.Module, x: torch.Tensor, **options: Any) -> None:
    """The results of PyTorch in float64, finite or not."""
    program = devproc.compile(torch.export.export(layer, (x,)), cache=False, **options)
    wide = {name: value.double() for name, value in layer.state_dict().items()}
    for value in (0.5, INF, NAN):
        x.view(-1)[x.numel() // 2] = value
        with torch.no_grad():
            wanted = torch.func.functional_call(layer, wide, (x.double(),)).float()
        torch.testing.assert_close(
            program(x), wanted, rtol=1e-5, atol=1e-5, equal_nan=True
        )


@pytest.mark.parametrize("given", list(random_layers(20)), ids=str)
def test_random_layers(given: tuple[Any, ...]) -> None:
    inputs, outputs, kernel, options, shape = given
    layer = transposed(inputs, outputs, kernel, **options)
    check(layer, torch.randn(shape), threads=1)


DECODERS: tuple[dict[str, Any], ...] = (
    {"kernel": (3, 3), "stride": 2, "padding": 1, "output_padding": 1},
    {"kernel": (4, 4), "stride": 2, "padding": 1},
    {"kernel": (2, 2), "stride": 2},
    {"kernel": (5, 5), "stride": 2, "padding": 2, "output_padding": 1},
    {"kernel": (16,), "stride": 8, "padding": 4},
    {"kernel": (7,), "stride": 3, "padding": 2},
    {"kernel": (3, 3, 3), "stride": 2, "padding": 1, "output_padding": 1},
    # Places without taps.
    {"kernel": (1, 2), "stride": (2, 3)},
    {"kernel": (1,), "stride": 4, "output_padding": 3},
    {"kernel": (3, 2), "stride": (2, 4), "dilation": (4, 2)},
)


@pytest.mark.parametrize("options", DECODERS, ids=str)
@pytest.mark.parametrize(("precision", "outputs"), [("strict", 3), ("default", 16)])
def test_decoders(options: dict[str, Any], precision: str, outputs: int) -> None:
    """The usual forms: few outputs, and enough of them for vectors."""
    sizes = (5, 7, 4)[: len(options["kernel"])]
    layer = transposed(12, outputs, **options)
    check(layer, torch.randn(2, 12, *sizes), precision=precision, threads=2)


@pytest.mark.parametrize("stride", [2, 4])
def test_depthwise(stride: int) -> None:
    """Each place by itself, and many places together."""
    layer = transposed(6, 6, (2 * stride + 1,) * 2, stride=stride, groups=6)
    check(layer, torch.randn(2, 6, 5, 3))


@pytest.mark.parametrize("options", DECODERS, ids=str)
@pytest.mark.parametrize("value", [INF, NAN])
def test_filters_that_are_not_finite(options: dict[str, Any], value: float) -> None:
    """They meet pixels alone: zeros around the image would turn infinities into NaN."""
    sizes = (5, 7, 4)[: len(options["kernel"])]
    layer = transposed(6, 3, **options, groups=3)
    with torch.no_grad():
        layer.weight.view(-1)[:: layer.weight[0].numel() + 1] = value
    check(layer, torch.randn(2, 6, *sizes), threads=1)


class Given(nn.Module):
    """A layer whose filters are computed from an input."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(self.layer, {"weight": weight.neg()}, (x,))


def check_given(layer: Any, x: torch.Tensor) -> None:
    """Computed filters: finite ones, and some with an infinity or a NaN anywhere."""
    weight = layer.weight.detach().clone()
    exported = torch.export.export(Given(layer), (x, weight))
    program = devproc.compile(exported, cache=False, threads=1)
    wide = Given(layer).double()
    # Of several infinities at once, all results could be NaN.
    for value, i in ((1.0, 0), (INF, 0), (-INF, weight.numel() // 2), (NAN, -1)):
        weight.copy_(layer.weight).view(-1)[i] = value
        with torch.no_grad():
            wanted = wide(x.double(), weight.double()).float()
        found = program(x, weight)
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5, equal_nan=True)


PLANE = [given for given in random_layers(8) if len(given[2]) < 3]


@pytest.mark.parametrize("given", PLANE, ids=str)
def test_random_filters_that_are_computed(given: tuple[Any, ...]) -> None:
    inputs, outputs, kernel, options, shape = given
    layer = transposed(inputs, outputs, kernel, **options)
    check_given(layer, torch.randn(shape))


FORMS = [(16, 1), (3, 3), (12, 12)]


@pytest.mark.parametrize(
    ("options", "form"), list(zip(DECODERS, cycle(FORMS), strict=False)), ids=str
)
def test_filters_that_are_computed(
    options: dict[str, Any], form: tuple[int, int]
) -> None:
    """Few outputs, enough of them for vectors, and depthwise filters."""
    outputs, groups = form
    layer = transposed(12, outputs, **options, groups=groups)
    check_given(layer, torch.randn(2, 12, *(5, 7, 4)[: len(options["kernel"])]))


def test_results_beyond_the_image() -> None:
    """A tap may lie on no result, and all pixels may be cut off."""
    for size, stride, padding in ((1, 1, 3), (2, 4, 3)):
        layer = transposed(2, 3, (7,), stride=stride, padding=padding)
        check_given(layer, torch.randn(2, 2, size))


def test_filters_computed_from_weights() -> None:
    """They are known, and take as many convolutions as weights that are stored."""
    layer = transposed(6, 5, (3, 3), stride=2)
    normed: nn.Module = weight_norm(transposed(6, 5, (3, 3), stride=2))
    x = torch.randn(2, 6, 5, 4)
    plain, derived = (
        devproc.compile(torch.export.export(m, (x,)), cache=False)
        for m in (layer, normed)
    )
    counts = [p.ir("tensor").count("nn.conv2d") for p in (plain, derived)]
    assert counts[0] == counts[1] > 0
    assert plain.ir("tensor").count("nn.pad") == derived.ir("tensor").count("nn.pad")
    with torch.no_grad():
        normed.get_parameter("parametrizations.weight.original0")[2] = INF
    check(normed, x)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_computed_filters_in_half_precision(target: str) -> None:
    layer = transposed(3, 2, (3, 3), stride=2, padding=1, output_padding=1).half()
    x, weight = torch.randn(2, 3, 4, 5).half(), layer.weight.detach().clone()
    weight[0, 1, 0, 2] = INF
    exported = torch.export.export(Given(layer), (x, weight))
    program = devproc.compile(exported, target=target, cache=False)
    wanted = Given(layer.double())(x.double(), weight.double())
    assert_rounded(program(x, weight), wanted)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_half_precision_filters_that_are_not_finite(target: str) -> None:
    layer = transposed(3, 2, (3, 3), stride=2, padding=1, output_padding=1).half()
    with torch.no_grad():
        layer.weight[0, 1, 0, 2] = -INF
    x = torch.randn(2, 3, 4, 5).half()
    exported = torch.export.export(layer, (x,))
    program = devproc.compile(exported, target=target, cache=False)
    found = program(x)
    assert_rounded(found, layer.double()(x.double()))


def assert_rounded(found: torch.Tensor, wanted: torch.Tensor) -> None:
    """Half precision within one rounding of float64: PyTorch rounds each term on some
    processors."""
    assert found.dtype == torch.float16
    torch.testing.assert_close(
        found.double(), wanted, rtol=2**-10, atol=2**-14, equal_nan=True
    )


@pytest.mark.parametrize("options", DECODERS, ids=str)
@pytest.mark.parametrize("outputs", [1, 16])
def test_each_tap_is_in_one_convolution(options: dict[str, Any], outputs: int) -> None:
    """So nothing is multiplied with zeros between pixels."""
    layer = transposed(8, outputs, **options)
    x = torch.randn(1, 8, *(5, 7, 4)[: len(options["kernel"])])
    module = read_source(torch.export.export(layer, (x,))).module
    filters = [op.weight for op in module.walk() if isinstance(op, Conv2dOp)]
    assert sum(prod(tensor_of(w).get_shape()) for w in filters) == layer.weight.numel()


def test_phases_hold_each_tap_once() -> None:
    """For any window: each place once, each tap once, all pixels of the definition."""
    for kernel, stride, dilation, padding in product(
        range(1, 8), range(1, 6), range(1, 5), range(5)
    ):
        window = (kernel, stride, dilation)
        for make in (Dimension.exact, Dimension.together, Dimension.apart):
            d = make(9, 20, window, padding)
            place, found = padding - d.cut, list[tuple[int, int, int]]()
            for phase in d.phases:
                for p in range(phase.places):
                    for j in range(phase.taps):
                        tap = phase.first + p + phase.step * j
                        pixel = phase.shift - phase.dilation * j
                        found.append((place, tap, pixel))
                    place += 1
            assert place == padding - d.cut + stride
            assert sorted(tap for _, tap, _ in found) == list(range(kernel))
            for at, tap, pixel in found:
                assert at == stride * pixel + dilation * tap


def test_one_convolution_where_places_have_as_many_taps() -> None:
    """The places are its channels."""
    layer = nn.ConvTranspose1d(16, 8, 4, 2, 1)
    x = torch.randn(2, 16, 9)
    program = devproc.compile(torch.export.export(layer, (x,)), cache=False)
    assert program.ir("program").count("nn.conv2d") == 1
    torch.testing.assert_close(program(x), layer(x))


class Decoder(nn.Module):
    """Twice the size, joined with an image of that size; filters that are data."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Conv2d(6, 12, 3, 2, 1)
        self.up = nn.ConvTranspose2d(12, 6, 3, 2, 1, 1)
        self.norm = nn.BatchNorm2d(6)
        self.last = nn.Conv2d(12, 5, 3, padding=1)

    def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        up = self.norm(self.up(self.down(x).relu())).relu()
        return F.conv_transpose2d(self.last(torch.cat([x, up], 1)), w, None, 3, 1)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_in_a_model(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    model = Decoder().eval().to(dtype)
    inputs = (torch.randn(2, 6, 8, 10).to(dtype), torch.randn(5, 2, 2, 4).to(dtype))
    program = devproc.compile(torch.export.export(model, inputs), cache=False)
    found = program(*inputs)
    with torch.no_grad():
        wanted = model.double()(*(x.double() for x in inputs))
    bound = 8 * torch.finfo(dtype).eps * wanted.abs().max()
    assert found.dtype == dtype
    assert (found.double() - wanted).abs().max() <= bound


@pytest.mark.parametrize("shape", [(0, 4, 5, 3), (4, 5, 3)])
def test_no_image_and_no_batch(shape: tuple[int, ...]) -> None:
    layer, x = nn.ConvTranspose2d(4, 20, 3, 2, 1, 1), torch.randn(shape)
    program = devproc.compile(torch.export.export(layer, (x,)), cache=False)
    torch.testing.assert_close(program(x), layer(x), rtol=1e-5, atol=1e-5)
