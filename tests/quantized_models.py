"""Models in int8: ResNet-18 and a layer of BERT, with random weights.

A float model runs on random inputs first, which gives a scale to each activation: its
largest magnitude is 127 (symmetric, one scale per tensor; weights have one per output).
The integer model is made from it. Run eagerly, that one is the reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from devproc.quantized import (
    conv2d,
    dequantize,
    linear,
    matmul,
    quantize,
    rescale,
    scale_of,
)

RUNS = 3
"""Random inputs that scales are taken from."""
FRACTION = 16
"""Binary digits after the point in a sum of two int8 tensors of different scales."""


class Observer:
    """Passes a tensor on, and keeps its largest magnitude."""

    def __init__(self) -> None:
        self.largest = 0.0

    def __call__(self, x: Tensor) -> Tensor:
        self.largest = max(self.largest, x.abs().max().item())
        return x

    @property
    def scale(self) -> float:
        """The value of one step of int8."""
        return self.largest / 127


def scales_of(factors: Sequence[float]) -> tuple[list[int], list[int]]:
    """The multipliers and shifts of factors."""
    pairs = [scale_of(factor) for factor in factors]
    return [m for m, _ in pairs], [s for _, s in pairs]


class Product(nn.Module):
    """An int8 convolution or linear layer with an int32 bias: int32 sums, whose scales,
    one for each output, are `scales`."""

    weight: Tensor
    bias: Tensor

    def __init__(self, layer: nn.Conv2d | nn.Linear, x_scale: float) -> None:
        super().__init__()
        weight, bias = layer.weight.detach().double(), layer.bias
        assert bias is not None
        after = [1] * (weight.dim() - 2)
        steps = weight.flatten(1).abs().amax(1) / 127
        rounded = torch.round(weight / steps.reshape(-1, 1, *after))
        offsets = torch.round(bias.detach() / (steps * x_scale))
        self.scales: list[float] = (steps * x_scale).tolist()
        self.register_buffer("weight", rounded.to(torch.int8))
        self.register_buffer("bias", offsets.to(torch.int32).reshape(-1, *after))
        self.stride: Sequence[int] = ()
        self.padding: Sequence[int] = ()
        if isinstance(layer, nn.Conv2d):
            assert not isinstance(layer.padding, str)
            self.stride, self.padding = layer.stride, layer.padding

    def forward(self, x: Tensor) -> Tensor:
        if not self.stride:
            return linear(x, self.weight) + self.bias
        return conv2d(x, self.weight, self.stride, self.padding) + self.bias


class Rescaled(nn.Module):
    """A product, rescaled to int8."""

    def __init__(
        self, layer: nn.Conv2d | nn.Linear, x_scale: float, y_scale: float
    ) -> None:
        super().__init__()
        self.product = Product(layer, x_scale)
        self.scales = scales_of([s / y_scale for s in self.product.scales])
        self.axis = 1 if isinstance(layer, nn.Conv2d) else -1

    def forward(self, x: Tensor) -> Tensor:
        return rescale(self.product(x), *self.scales, self.axis)


class Dequantized(nn.Module):
    """A product of a linear layer, as float32."""

    def __init__(self, layer: nn.Linear, x_scale: float) -> None:
        super().__init__()
        self.product = Product(layer, x_scale)

    def forward(self, x: Tensor) -> Tensor:
        return dequantize(self.product(x), self.product.scales, -1)


class Block(nn.Module):
    """A basic block of ResNet, its batch norms folded into the convolutions."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1)
        changes = stride > 1 or inputs != outputs
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride) if changes else None
        self.seen = [Observer() for _ in range(4)]

    def forward(self, x: Tensor) -> Tensor:
        hidden, last, beside, after = self.seen
        y = last(self.second(hidden(F.relu(self.first(x)))))
        x = x if self.shortcut is None else beside(self.shortcut(x))
        return after(F.relu(x + y))


class IntegerBlock(nn.Module):
    """A block whose branches are added in int32."""

    def __init__(self, block: Block, x_scale: float) -> None:
        super().__init__()
        hidden, last, beside, after = (seen.scale for seen in block.seen)
        self.first = Rescaled(block.first, x_scale, hidden)
        self.second = Rescaled(block.second, hidden, last)
        self.shortcut = None
        if block.shortcut is not None:
            self.shortcut = Rescaled(block.shortcut, x_scale, beside)
            x_scale = beside
        one = 2.0**FRACTION
        factors = (last / after * one, x_scale / after * one, 1 / one)
        self.scales = [scales_of([factor]) for factor in factors]

    def forward(self, x: Tensor) -> Tensor:
        y = self.second(torch.relu(self.first(x)))
        x = x if self.shortcut is None else self.shortcut(x)
        branch, beside, after = self.scales
        total = rescale(y, *branch, dtype=torch.int32)
        total = total + rescale(x, *beside, dtype=torch.int32)
        return torch.relu(rescale(total, *after))


class ResNet(nn.Module):
    """ResNet-18 in float32; the outputs of its stages are observed."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.image, self.stem, self.pooled = Observer(), Observer(), Observer()
        self.first = nn.Conv2d(3, width, 7, 2, 3)
        sizes = [width << n for n in (0, 0, 0, 1, 1, 2, 2, 3, 3)]
        self.blocks = nn.Sequential(
            *(
                Block(before, after, 1 + (before != after))
                for before, after in pairwise(sizes)
            )
        )
        self.last = nn.Linear(width * 8, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(F.relu(self.first(self.image(x))))
        x = self.blocks(F.max_pool2d(x, 3, 2, 1))
        return self.last(self.pooled(x.mean((2, 3))))


class IntegerResNet(nn.Module):
    """ResNet-18 in int8, from the image to the last layer's sums.

    Takes float32 (N, 3, H, W). Returns the float32 classes, and the int8 outputs of the
    stem, of each pair of blocks and of the average.
    """

    def __init__(self, model: ResNet, pixels: int) -> None:
        super().__init__()
        self.image = model.image.scale
        self.first = Rescaled(model.first, self.image, model.stem.scale)
        scale, blocks = model.stem.scale, list[nn.Module]()
        for block in model.blocks:
            assert isinstance(block, Block)
            blocks.append(IntegerBlock(block, scale))
            scale = block.seen[-1].scale
        self.blocks = nn.ModuleList(blocks)
        self.mean = scales_of([scale / model.pooled.scale / pixels])
        self.last = Dequantized(model.last, model.pooled.scale)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        x = torch.relu(self.first(quantize(x, [self.image])))
        seen = [x]
        x = F.max_pool2d(x, 3, 2, 1)
        for index, block in enumerate(self.blocks):
            x = block(x)
            seen += [x] if index % 2 else []
        x = rescale(x.sum((2, 3), dtype=torch.int32), *self.mean)
        return self.last(x), *seen, x


class BertLayer(nn.Module):
    """A layer of BERT in float32, with its activations observed by name."""

    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (
            nn.Linear(hidden, hidden) for _ in range(4)
        )
        self.widen, self.narrow = (
            nn.Linear(hidden, 4 * hidden),
            nn.Linear(4 * hidden, hidden),
        )
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(2))
        names = ("x", "q", "k", "v", "p", "context", "attended", "activated")
        self.seen = {name: Observer() for name in names}

    def forward(self, x: Tensor) -> Tensor:
        seen = self.seen
        x = seen["x"](x)
        q, k, v = (
            split(seen[name](layer(x)), self.heads)
            for name, layer in (("q", self.query), ("k", self.key), ("v", self.value))
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        p = seen["p"](torch.softmax(scores, -1))
        context = seen["context"](joined(p @ v))
        x = seen["attended"](self.norms[0](x + self.output(context)))
        activated = seen["activated"](F.gelu(self.widen(x)))
        return self.norms[1](x + self.narrow(activated))


def split(x: Tensor, heads: int) -> Tensor:
    """(N, T, C) as (N, heads, T, C / heads)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    """The inverse of `split`."""
    return x.transpose(1, 2).flatten(2)


class IntegerBertLayer(nn.Module):
    """A layer of BERT whose products are of int8: linear layers and attention. Softmax,
    GELU and layer norm are in float32.

    Takes float32 (N, tokens, hidden). Returns the float32 result, and the int8 queries,
    probabilities, context, and inputs of the two last linear layers.
    """

    def __init__(self, model: BertLayer) -> None:
        super().__init__()
        self.heads, self.norms = model.heads, model.norms
        scale = {name: seen.scale for name, seen in model.seen.items()}
        self.scale = scale
        self.query = Rescaled(model.query, scale["x"], scale["q"])
        self.key = Rescaled(model.key, scale["x"], scale["k"])
        self.value = Rescaled(model.value, scale["x"], scale["v"])
        width = model.query.out_features // model.heads
        self.scores = scale["q"] * scale["k"] / math.sqrt(width)
        self.mixed = scales_of([scale["p"] * scale["v"] / scale["context"]])
        self.output = Dequantized(model.output, scale["context"])
        self.widen = Dequantized(model.widen, scale["attended"])
        self.narrow = Dequantized(model.narrow, scale["activated"])

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        scale = self.scale
        q, k, v = self._factors(quantize(x, [scale["x"]]))
        scores = dequantize(matmul(q, k.mT), [self.scores])
        p = quantize(torch.softmax(scores, -1), [scale["p"]])
        context = joined(rescale(matmul(p, v), *self.mixed))
        x = self.norms[0](x + self.output(context))
        attended = quantize(x, [scale["attended"]])
        activated = quantize(F.gelu(self.widen(attended)), [scale["activated"]])
        result = self.norms[1](x + self.narrow(activated))
        return result, q, p, context, attended, activated

    def _factors(self, x: Tensor) -> list[Tensor]:
        layers = (self.query, self.key, self.value)
        return [split(layer(x), self.heads) for layer in layers]


def calibrate(model: nn.Module, shape: Sequence[int]) -> None:
    """Runs a float model on random inputs."""
    with torch.no_grad():
        for _ in range(RUNS):
            model(torch.randn(shape))


def quantize_resnet18(size: int, width: int = 64, classes: int = 1000) -> IntegerResNet:
    """ResNet-18 in int8 for images of `size` x `size`; `width` channels in its first stage."""
    torch.manual_seed(18)
    model = ResNet(width, classes)
    for layer in model.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight)
    calibrate(model, (2, 3, size, size))
    side = math.ceil(size / 32)
    return IntegerResNet(model, side * side).requires_grad_(False)


def quantize_bert_layer(hidden: int, heads: int, tokens: int) -> IntegerBertLayer:
    """A layer of BERT with int8 products, for `tokens` vectors of `hidden` numbers."""
    torch.manual_seed(12)
    model = BertLayer(hidden, heads)
    calibrate(model, (2, tokens, hidden))
    return IntegerBertLayer(model).requires_grad_(False)
