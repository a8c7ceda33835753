"""Images with channels last mean what they meant, and few transposes are left.

Each network runs by the reference, before and after the tensor stage, and by PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from xdsl.dialects.builtin import ModuleOp

import devproc
from devproc.dialects.nn.shape import PadOp, TransposeOp
from devproc.dialects.nn.window import Conv2dOp, PoolOp, is_nhwc
from devproc.driver import make_context, run_stages, stages_between
from devproc.options import target_options
from devproc.reference.run.interpreter import evaluate
from devproc.reference.run.preparation import prepared
from devproc.source import Source, read_source
from tests.transforms.test_tensor_stage import main_of


class Net(nn.Module):
    """A function of layers and images."""

    def __init__(self, function: Callable[..., object], *layers: nn.Module):
        super().__init__()
        self.function = function
        self.layers = nn.ModuleList(layers)

    def forward(self, *inputs: Tensor) -> object:
        return self.function(self.layers, *inputs)


@dataclass(frozen=True)
class Case:
    """A network, the sizes of its inputs, and how many transposes stay in it."""

    transposes: int
    function: Callable[..., object]
    layers: Sequence[nn.Module]
    sizes: Sequence[Sequence[int]]

    def model(self) -> Net:
        """The network with its layers."""
        return Net(self.function, *self.layers).eval()

    def inputs(self) -> tuple[Tensor, ...]:
        """Images of fixed numbers."""
        numbers = torch.Generator().manual_seed(7)
        return tuple(torch.randn(tuple(s), generator=numbers) for s in self.sizes)


def case(
    transposes: int,
    function: Callable[..., object],
    layers: Sequence[nn.Module],
    *sizes: Sequence[int],
) -> Case:
    return Case(transposes, function, layers, sizes)


def conv(*args: object, **kwargs: object) -> nn.Module:
    return nn.Conv2d(*args, **kwargs)  # pyright: ignore


def conv1d(*args: object, **kwargs: object) -> nn.Module:
    return nn.Conv1d(*args, **kwargs)  # pyright: ignore


class Scale(nn.Module):
    """A product with a parameter."""

    def __init__(self, *shape: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.linspace(-1, 1, shape[0]).reshape(shape))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale


def chain(layers: nn.ModuleList, x: Tensor) -> Tensor:
    for layer in layers:
        x = layer(x)
    return x


def lines(layers: nn.ModuleList, x: Tensor) -> Tensor:
    """Convolutions of sounds with what is between them, and tokens."""
    x = layers[1](F.gelu(layers[0](x)))
    return layers[2](torch.where(x > 0.1, x, 0.5 * x)).transpose(1, 2)


def lines_twice(layers: nn.ModuleList, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The results of a convolution are returned, too, and a row is added to them."""
    x = layers[0](x).relu()
    return layers[1](torch.sigmoid(x) + y).tanh(), x


def excite(layers: nn.ModuleList, x: Tensor) -> Tensor:
    """Squeeze and excitation, and a classifier behind it."""
    x = layers[0](x)
    scale = torch.sigmoid(layers[2](F.silu(layers[1](x.mean((2, 3), keepdim=True)))))
    return layers[3]((x * scale).mean((2, 3)))


def u_net(layers: nn.ModuleList, x: Tensor) -> Tensor:
    """Down, up, and what was before beside it."""
    high = layers[0](x).relu()
    low = layers[1](F.max_pool2d(high, 2)).relu()
    up = F.interpolate(low, scale_factor=2, mode="bilinear")
    return layers[2](torch.cat((high[:, :, 1:], up), 1))


def convnext(layers: nn.ModuleList, x: Tensor) -> Tensor:
    """Depthwise, norm and linear layers over channels, residual."""
    x = layers[0](x)
    y = layers[1](x).permute(0, 2, 3, 1)
    y = layers[4](F.gelu(layers[3](layers[2](y))))
    return layers[5](x + y.permute(0, 3, 1, 2))


def vit(layers: nn.ModuleList, x: Tensor) -> Tensor:
    """Patches as tokens."""
    return layers[1](layers[0](x).flatten(2).transpose(1, 2))


def segformer(layers: nn.ModuleList, x: Tensor) -> Tensor:
    """Tokens, and an image again, and the class of each pixel."""
    x = layers[0](x)
    n, _, h, w = x.shape
    tokens = layers[1](x.flatten(2).transpose(1, 2))
    x = tokens.transpose(1, 2).reshape(n, -1, h, w)
    return layers[2](x).softmax(1)


def groups_as_lines(layers: nn.ModuleList, x: Tensor) -> Tensor:
    """The transpose of a channel shuffle, but groups of channels become lines."""
    x = layers[0](x)
    n, c, h, w = x.shape
    x = x.view(n, 3, c // 3, h, w).transpose(1, 2).reshape(n, c // 3, 3 * h, w)
    return layers[1](x)


def broadcast(layers: nn.ModuleList, x: Tensor, s: Tensor, t: Tensor) -> object:
    """Operands of fewer dimensions, which have other uses too."""
    s = s * 2
    y = layers[0](x) * s + t
    parts = s[1:], torch.cat((s, s), 1), F.pad(s, (1, 2)), s.reshape(-1)
    return y, s.sum(0), *parts, t.amax(1)


def reductions(layers: nn.ModuleList, x: Tensor) -> object:
    y = layers[0](x)
    kept = [y.sum(a, keepdim=True) for a in (0, 1, 3)]
    return (
        *kept, y.amax(1), y.sum((2, 3)), y.sum((0, 1)), y.mean((1, 2, 3)),
        y.sum(2), y.amax((1, 3)), y.argmax(1),
    )  # fmt: skip


def boxes(layers: nn.ModuleList, x: Tensor) -> object:
    """Slices and pads of every dimension."""
    y = layers[0](x)
    y = F.pad(y[:1, 1:-1, ::2, 2:], (1, 0, 0, 2, 3, 1), value=-2.5)
    return layers[1](y[:, :, 1:])


CASES: dict[str, Case] = {
    # The image in, the result out.
    "convolution": case(2, chain, [conv(3, 5, 3, padding=1)], (2, 3, 7, 9)),
    "chain": case(
        2,
        chain,
        [conv(3, 8, 3, 2), nn.ReLU(), conv(8, 4, 1), nn.BatchNorm2d(4), conv(4, 3, 5)],
        (2, 3, 17, 15),
    ),
    "groups as lines": case(
        5, groups_as_lines, [conv(5, 12, 3), conv(4, 5, 1)], (2, 5, 7, 8)
    ),
    "groups": case(2, chain, [conv(6, 9, 3, groups=3)], (2, 6, 7, 8)),
    "depthwise": case(
        2, chain, [conv(6, 6, 3, 1, 1, groups=6), conv(6, 4, 1)], (2, 6, 7, 8)
    ),
    "depth multiplier": case(
        2, chain, [conv(5, 15, 3, padding=(2, 0), groups=5)], (2, 5, 4, 8)
    ),
    "dilation": case(2, chain, [conv(2, 7, 3, 1, 3, dilation=(2, 3))], (1, 2, 9, 11)),
    "strides": case(
        2, chain, [conv(4, 7, (3, 2), stride=(3, 2), padding=(0, 1))], (2, 4, 12, 9)
    ),
    "uneven border": case(2, chain, [conv(5, 3, (2, 4), padding="same")], (1, 5, 6, 7)),
    # The window of a pool may begin where it sees the border alone.
    "ceil mode": case(
        2,
        chain,
        [conv(5, 6, 3), nn.MaxPool2d(3, 2, 1, 1, ceil_mode=True), nn.ReLU()],
        (2, 5, 10, 11),
    ),
    "pool of an input": case(
        2,
        chain,
        [nn.MaxPool2d((4, 2), (3, 2), (2, 1), 2, ceil_mode=True)],
        (2, 5, 13, 8),
    ),
    "average": case(
        2,
        chain,
        [
            conv(3, 5, 3),
            nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False),
            nn.AvgPool2d(2, 1, 1),
            nn.AdaptiveAvgPool2d((2, 1)),
        ],
        (2, 3, 11, 12),
    ),
    "two convolutions of one image": case(
        2,
        lambda m, x: m[0](x) + m[1](x),
        [conv(3, 6, 1), conv(3, 6, 3, padding=1)],
        (2, 3, 8, 9),
    ),
    "classifier": case(
        1,
        excite,
        [conv(3, 12, 3, 2), conv(12, 4, 1), conv(4, 12, 1), nn.Linear(12, 5)],
        (2, 3, 9, 11),
    ),
    "flatten": case(
        2,
        lambda m, x: m[1](m[0](x).flatten(1)),
        [conv(3, 4, 3), nn.Linear(80, 5)],
        (2, 3, 6, 7),
    ),
    "u-net": case(
        2,
        u_net,
        [conv(3, 6, 3, padding=1), conv(6, 5, 3, padding=1), conv(11, 2, 1)],
        (2, 3, 13, 14),
    ),
    "nearest": case(
        2,
        lambda m, x: m[0](F.interpolate(m[0](x), (11, 5))),
        [conv(6, 6, 3, padding=1)],
        (2, 6, 6, 7),
    ),
    "convnext": case(
        2,
        convnext,
        [
            conv(3, 8, 2, 2),
            conv(8, 8, 7, padding=3, groups=8),
            nn.LayerNorm(8),
            nn.Linear(8, 20),
            nn.Linear(20, 8),
            conv(8, 4, 2, 2),
        ],
        (2, 3, 12, 14),
    ),
    "vit": case(1, vit, [conv(3, 10, 4, 4), nn.LayerNorm(10)], (2, 3, 8, 12)),
    "segformer": case(
        2,
        segformer,
        [conv(3, 8, 3, 2, 1), nn.Linear(8, 6), conv(6, 4, 1)],
        (2, 3, 9, 12),
    ),
    # Only what is read.
    "lines": case(
        1,
        lines,
        [conv1d(3, 8, 3, 2), conv1d(8, 6, 2, padding=1), Scale(6, 1)],
        (2, 3, 21),
    ),
    # What is returned stays as it is, and so does what is computed from it.
    "lines that others read": case(
        4, lines_twice, [conv1d(3, 8, 3), conv1d(8, 8, 3, groups=2)], (2, 3, 11), (1, 9)
    ),
    "boxes": case(2, boxes, [conv(3, 6, 3), conv(8, 2, 2)], (2, 3, 9, 11)),
    "broadcast": case(3, broadcast, [conv(3, 4, 1)], (2, 3, 5, 7), (4, 1, 7), (1, 7)),
    # The results that stay images, and what is read in PyTorch's order.
    "reductions": case(4, reductions, [conv(3, 4, 1)], (2, 3, 5, 7)),
    "channel shuffle": case(
        3,
        lambda m, x: m[1](F.channel_shuffle(m[0](x), 2)),
        [conv(3, 6, 1), conv(6, 2, 3)],
        (2, 3, 5, 7),
    ),
    "transposed convolution": case(
        2,
        chain,
        [conv(3, 6, 3), nn.ConvTranspose2d(6, 8, 3, 2, 1, 1), nn.ReLU(), conv(8, 4, 3)],
        (2, 3, 6, 7),
    ),
}


def tensor_stage(
    model: nn.Module, inputs: tuple[Tensor, ...]
) -> tuple[Source, ModuleOp]:
    """The imported program, and its module after the tensor stage on a CPU."""
    source = read_source(torch.export.export(model, inputs))
    module = source.module.clone()
    module.attributes["devproc.target"] = target_options("cpu", 1, "strict")
    run_stages(module, make_context(), stages_between(None, "tensor"))
    return source, module


def flat(value: object) -> list[Tensor]:
    return list(value) if isinstance(value, tuple) else [value]  # pyright: ignore


def transposes(module: ModuleOp) -> list[TransposeOp]:
    """Those that run at each call."""
    return [op for op in main_of(module).walk() if isinstance(op, TransposeOp)]


@pytest.mark.parametrize("name", CASES)
def test_means_the_same(name: str) -> None:
    torch.manual_seed(0)
    given = CASES[name]
    model, inputs = given.model(), given.inputs()
    source, module = tensor_stage(model, inputs)
    for op in module.walk():
        if isinstance(op, Conv2dOp | PoolOp):
            assert is_nhwc(op.properties)
    assert len(transposes(module)) == given.transposes
    weights = prepared(module, source.weights)
    with torch.no_grad():
        wanted = flat(model(*inputs))
    found = evaluate(main_of(module), list(inputs), weights)
    for mine, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_compiles(name: str) -> None:
    torch.manual_seed(0)
    model, inputs = CASES[name].model(), CASES[name].inputs()
    program = devproc.compile(
        torch.export.export(model, inputs), cache=False, threads=2
    )
    with torch.no_grad():
        found, wanted = flat(program(*inputs)), flat(model(*inputs))
    for mine, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


DTYPES = {torch.float64: 1e-12, torch.float16: 4e-3, torch.bfloat16: 3e-2}


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    layers = conv(3, 8, 3, padding=1), nn.MaxPool2d(3, 2, 1), conv(8, 8, 3, groups=8)
    model = Net(chain, *layers).eval().to(dtype)
    x = torch.randn(2, 3, 9, 10).to(dtype)
    program = devproc.compile(torch.export.export(model, (x,)), cache=False)
    with torch.no_grad():
        found = program(x)
        wanted = model.double()(x.double())
    assert found.dtype == dtype
    assert (found.double() - wanted).abs().max() <= DTYPES[dtype] * wanted.abs().max()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize(
    "layer",
    [
        nn.MaxPool2d(3, 2, 1),
        nn.MaxPool2d(3, 3, 1, ceil_mode=True),
        nn.AvgPool2d(2, 2, 1),
        nn.Conv2d(5, 4, 3, padding=1),
        nn.Conv2d(5, 5, 3, padding=1, groups=5),
    ],
    ids=str,
)
def test_special_values(layer: nn.Module, value: float) -> None:
    """The border takes no part in a maximum, also where all else is -inf."""
    torch.manual_seed(0)
    x = torch.randn(2, 5, 7, 8)
    x[0, 1, 0, 0] = x[0, 2, 3, 4] = x[1, 3, 6, 7] = value
    x[1, 0] = value
    model = Net(chain, layer).eval()
    program = devproc.compile(torch.export.export(model, (x,)), cache=False)
    with torch.no_grad():
        torch.testing.assert_close(
            program(x), model(x), equal_nan=True, rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize("target", ["cuda:interpret", "cpu+cuda:interpret"])
def test_targets_with_a_gpu_mask_the_padding(target: str) -> None:
    """All devices take channels last, and no op computes a padded image."""
    model, x = Net(chain, nn.Conv2d(8, 4, 3, padding=1)).eval(), torch.randn(1, 8, 5, 6)
    module = read_source(torch.export.export(model, (x,))).module
    module.attributes["devproc.target"] = target_options(target, 1, "strict")
    run_stages(module, make_context(), stages_between(None, "tensor"))
    assert not any(isinstance(op, PadOp) for op in module.walk())
    (op,) = [op for op in module.walk() if isinstance(op, Conv2dOp)]
    assert is_nhwc(op.properties)
