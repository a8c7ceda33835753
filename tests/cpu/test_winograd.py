"""3x3 convolutions by Winograd's algorithm beside PyTorch in float64."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram

import devproc
from devproc.dialects.dev import Layout, WinogradAttr
from devproc.dialects.nn.shape import PackOp
from devproc.driver import make_context, run_stages, stages_between
from devproc.source import read_source
from tests.fuzz.compare import guarded_outputs
from tests.targets import target_attr
from tests.vectors import vectors


class Block(nn.Module):
    """Convolutions, and what is done with their results."""

    def __init__(self, function: Callable[..., object], *layers: nn.Module):
        super().__init__()
        self.function = function
        self.layers = nn.ModuleList(layers)

    def forward(self, *inputs: Tensor) -> object:
        return self.function(self.layers, *inputs)


def conv(channels: int, outputs: int, bias: bool = True, size: int = 3) -> nn.Module:
    return nn.Conv2d(channels, outputs, size, padding=size // 2, bias=bias)


def alone(layers: nn.ModuleList, x: Tensor) -> Tensor:
    return layers[0](x)


def images(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@lru_cache(maxsize=1)
def exported(model: nn.Module, *inputs: Tensor) -> ExportedProgram:
    """The model, which most tests ask for twice."""
    return torch.export.export(model.eval(), inputs)


def compiled(
    model: nn.Module, *inputs: Tensor, bits: int = 512, **options: object
) -> devproc.Program:
    source = exported(model, *inputs)
    with vectors(bits):
        return devproc.compile(source, cache=False, **({"threads": 1} | options))  # pyright: ignore


def layouts(
    model: nn.Module,
    *inputs: Tensor,
    bits: int,
    precision: str,
    layout: type[Layout] = WinogradAttr,
) -> list[str]:
    """The layouts of this kind that filters are stored in."""
    module = read_source(exported(model, *inputs)).module
    module.attributes["devproc.target"] = target_attr(
        vector_bits=bits, precision=precision
    )
    run_stages(module, make_context(), stages_between(None, "kernels"))
    found = [op.layout for op in module.walk() if isinstance(op, PackOp)]
    texts = [str(each) for each in found if isinstance(each, layout)]
    return [text[text.index("<") :] for text in texts]


def relative_error(result: Tensor, wanted: Tensor) -> float:
    """Of the norms."""
    return float((result.double() - wanted).norm() / wanted.norm())


def check(
    model: nn.Module, *inputs: Tensor, bits: int = 512, **options: object
) -> Tensor:
    """At most 4 times PyTorch's error and 3e-6; gives the result."""
    program = compiled(model, *inputs, bits=bits, **options)
    with guarded_outputs(), torch.no_grad():
        result = program(*inputs)
    with torch.no_grad():
        theirs = model(*inputs)
        wanted = model.double()(*(x.double() for x in inputs))
    model.float()
    error, their_error = (relative_error(r, wanted) for r in (result, theirs))
    # How PyTorch sums depends on the machine.
    assert error <= max(4 * their_error, 9.5e-7), f"{error:.2e}, not {their_error:.2e}"
    assert (result.double() - wanted).abs().max() <= 3e-6 * wanted.abs().max()
    return result


@pytest.mark.parametrize("height", [4, 5, 6, 7, 11, 12, 13, 14, 15, 17])
def test_every_size(height: int) -> None:
    """Every rest of a tile of 4 x 4; batch and width change along."""
    torch.manual_seed(height)
    model = Block(alone, conv(16, 24))
    x = images(1 + height % 3, 16, height, 21 - height)
    assert layouts(model, x, bits=256, precision="default") == ["<4, 24>"]
    check(model, x, bits=256)


@pytest.mark.parametrize(("height", "width"), [(5, 5), (6, 5), (5, 6), (6, 6)])
def test_small_tiles(height: int, width: int) -> None:
    """Tiles of 2 x 2, where those of 4 x 4 would cover more than the image."""
    torch.manual_seed(height)
    model = Block(alone, conv(48, 24))
    x = images(height - 3, 48, height, width)
    assert layouts(model, x, bits=256, precision="default") == ["<2, 24>"]
    check(model, x, bits=256)


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize(
    ("shape", "outputs", "panels"),
    [
        # Panels of three vectors, of two, of one.
        ((1, 64, 13, 30), 96, 3),
        ((2, 32, 5, 14), 64, 2),
        ((3, 48, 12, 12), 80, 1),
    ],
)
def test_panels(shape: tuple[int, ...], outputs: int, panels: int, bits: int) -> None:
    torch.manual_seed(bits)
    model = Block(alone, conv(shape[1], outputs, bias=False))
    x = images(*shape)
    (found,) = layouts(model, x, bits=bits, precision="default")
    if bits == 512:
        assert found == f"<4, {16 * panels}>"
    check(model, x, bits=bits)


FALLS_BACK = {
    "channels are no whole vectors": (Block(alone, conv(24, 32)), images(1, 24, 8, 8)),
    "outputs are no whole vectors": (Block(alone, conv(32, 40)), images(1, 32, 8, 8)),
    "few channels": (Block(alone, conv(16, 32)), images(1, 16, 8, 8)),
    "few outputs": (Block(alone, conv(32, 16)), images(1, 32, 8, 8)),
    "low image": (Block(alone, conv(32, 32)), images(1, 32, 3, 20)),
    "narrow image": (Block(alone, conv(32, 32)), images(2, 32, 20, 3)),
    "5x5": (Block(alone, conv(32, 32, size=5)), images(1, 32, 8, 8)),
    "stride": (Block(alone, nn.Conv2d(32, 32, 3, 2)), images(1, 32, 9, 9)),
    "dilation": (
        Block(alone, nn.Conv2d(32, 32, 3, dilation=2)),
        images(1, 32, 9, 9),
    ),
    "groups": (Block(alone, nn.Conv2d(64, 64, 3, groups=2)), images(1, 64, 9, 9)),
    "float64": (
        Block(alone, conv(32, 32)).double(),
        images(1, 32, 9, 9).double(),
    ),
    "filters that are computed": (
        Block(lambda _, x, w: nn.functional.conv2d(x, w)),
        images(1, 32, 9, 9),
        images(32, 32, 3, 3),
    ),
    "no block holds one tile": (
        Block(alone, conv(11264, 32, bias=False)),
        images(1, 11264, 4, 4),
    ),
}


@pytest.mark.parametrize("why", FALLS_BACK)
def test_falls_back(why: str) -> None:
    model, *inputs = FALLS_BACK[why]
    assert layouts(model, *inputs, bits=512, precision="default") == []
    program = compiled(model, *inputs)
    with torch.no_grad():
        torch.testing.assert_close(
            program(*inputs), model(*inputs), rtol=1e-4, atol=1e-4
        )


def test_strict_is_direct() -> None:
    """Its error is PyTorch's, and what is not finite stays where it is."""
    torch.manual_seed(0)
    model, x = Block(alone, conv(32, 32)), images(1, 32, 14, 15)
    assert layouts(model, x, bits=512, precision="default") == ["<4, 32>"]
    assert layouts(model, x, bits=512, precision="strict") == []
    program = compiled(model, x, precision="strict")
    with torch.no_grad():
        theirs = model(x)
        wanted = model.double()(x.double())
    model.float()
    errors = relative_error(program(x), wanted), relative_error(theirs, wanted)
    assert errors[0] <= max(2 * errors[1], 1.2e-7)
    for value in (torch.nan, torch.inf, -torch.inf):
        x[0, 3, 6, 7] = value
        with torch.no_grad():
            torch.testing.assert_close(
                program(x), model(x), equal_nan=True, rtol=1e-5, atol=1e-6
            )


def test_nan_spreads_over_its_tiles_alone() -> None:
    """By default: pixels that share no tile with it are as in PyTorch."""
    torch.manual_seed(0)
    model, x = Block(alone, conv(32, 32)), images(1, 32, 16, 20)
    x[0, 3, 6, 7] = torch.nan
    with torch.no_grad():
        found, wanted = compiled(model, x)(x), model(x)
    # Tiles of 4 x 4 whose windows reach (6, 7): rows 4 to 7, columns 4 to 11.
    assert found[0, :, 5:8, 6:9].isnan().all()
    reached = torch.zeros(1, 32, 16, 20, dtype=torch.bool)
    reached[..., 4:8, 4:12] = True
    torch.testing.assert_close(found[~reached], wanted[~reached], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("channels", [96, 256])
@pytest.mark.parametrize("size", [7, 14])
def test_error(channels: int, size: int) -> None:
    """As in a network: positive images, filters of He's deviation."""
    torch.manual_seed(size)
    layer = conv(channels, 64, bias=False)
    nn.init.kaiming_normal_(layer.weight)  # pyright: ignore
    check(Block(alone, layer), images(1, channels, size, size).relu())


def test_equal_filters_are_stored_once() -> None:
    torch.manual_seed(3)
    layer = conv(32, 32)
    model = Block(lambda layers, x: layers[0](layers[0](x)), layer)
    x = images(1, 32, 9, 9)
    assert layouts(model, x, bits=512, precision="default") == ["<4, 32>"]
    check(model, x)


EPILOGUES: dict[str, Callable[..., object]] = {
    "relu": lambda m, x, y: m[0](x).relu(),
    "residual": lambda m, x, y: (m[0](x) + y).relu(),
    "gelu": lambda m, x, y: nn.functional.gelu(m[0](x)),
    "scale of each channel": lambda m, x, y: m[0](x) * y.mean((2, 3), keepdim=True),
    "value of each pixel": lambda m, x, y: m[0](x) * y[:, :1],
    "next convolution": lambda m, x, y: m[1](m[0](x).relu()),
    "next pool": lambda m, x, y: nn.functional.max_pool2d(m[0](x), 3, 2, 1),
    "border of ones": lambda m, x, y: nn.functional.pad(
        m[0](x), (1, 2, 0, 3), value=1.0
    ),
    "double": lambda m, x, y: m[0](x).double() * 0.5,
}


@pytest.mark.parametrize("bits", [128, 512])
@pytest.mark.parametrize("name", EPILOGUES)
def test_epilogue(name: str, bits: int) -> None:
    torch.manual_seed(1)
    model = Block(EPILOGUES[name], conv(32, 48), conv(48, 32))
    x, y = images(2, 32, 7, 13), images(2, 48, 7, 13, seed=1)
    assert layouts(model, x, y, bits=bits, precision="default")
    check(model, x, y, bits=bits)


def test_two_results() -> None:
    """The sum with and without its activation, one of them behind a border."""
    torch.manual_seed(2)

    def both(layers: nn.ModuleList, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        total = layers[0](x) + y
        return total, layers[1](total.relu())

    model = Block(both, conv(32, 32), conv(32, 3))
    x, y = images(2, 32, 13, 6), images(2, 32, 13, 6, seed=1)
    program = compiled(model, x, y)
    with torch.no_grad(), guarded_outputs():
        torch.testing.assert_close(program(x, y), model(x, y), rtol=1e-4, atol=2e-5)


def test_boolean_result() -> None:
    """A comparison in the epilogue is written as bytes."""
    torch.manual_seed(4)
    model = Block(lambda m, x: m[0](x) > 0.05, conv(32, 32))
    x = images(1, 32, 6, 14)
    with torch.no_grad():
        clear = (model.layers[0](x) - 0.05).abs() > 1e-4
        found, wanted = compiled(model, x)(x), model(x)
    assert found.dtype == torch.bool
    assert clear.sum() > 0.99 * clear.numel()
    assert torch.equal(found[clear], wanted[clear])


@pytest.mark.parametrize(("size", "outputs"), [(20, 96), (5, 192), (40, 32)])
def test_threads_change_no_bit(size: int, outputs: int) -> None:
    """Many blocks of tiles, or one that is shared out by panels."""
    torch.manual_seed(5)
    model, x = Block(alone, conv(64, outputs)), images(2, 64, size, size)
    results = [compiled(model, x, threads=n, bits=256)(x) for n in (1, 2, 3)]
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


@pytest.mark.parametrize("seed", range(6))
def test_random(seed: int) -> None:
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    bits = int(rng.choice([128, 256, 512]))
    lanes = bits // 32
    channels, outputs = (lanes * int(rng.integers(2, 6)) for _ in range(2))
    n, h, w = (
        int(rng.integers(1, 4)),
        int(rng.integers(4, 30)),
        int(rng.integers(4, 30)),
    )
    layer = nn.Conv2d(channels, outputs, 3, padding=1, bias=bool(rng.integers(2)))
    check(
        Block(lambda m, x: m[0](x).relu(), layer),
        images(n, channels, h, w, seed=seed),
        bits=bits,
        threads=int(rng.integers(1, 4)),
    )
