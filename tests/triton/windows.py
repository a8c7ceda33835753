"""Windows over channels-last images, as text on memrefs: see `programs.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.triton.programs import fill, function, generic, memref, multiply_add

RELU = (
    "    %zero = arith.constant 0.0 : f32\n    %s = arith.addf %a, %b : f32\n"
    "    %r = arith.maximumf %s, %zero : f32\n    linalg.yield %r : f32"
)
MAXIMUM = "    %r = arith.maximumf %a, %o0 : f32\n    linalg.yield %r : f32"


@dataclass(frozen=True)
class Window:
    """An image (n, height, width, c), and a square window of `kernel` places over it."""

    n: int
    size: tuple[int, int]
    c: int
    kernel: int
    stride: int = 1
    padding: int = 0
    dilation: int = 1
    groups: int = 1
    element: str = "f32"
    """Of the image and the filters; results are f32."""

    @property
    def results(self) -> tuple[int, int]:
        """The pixels of the result."""
        reach = self.dilation * (self.kernel - 1) + 1
        height, width = (
            (s + 2 * self.padding - reach) // self.stride + 1 for s in self.size
        )
        return height, width

    def padded(self, value: str) -> tuple[list[str], tuple[str, str], str]:
        """The ops that pad the image, what the window reads, and the type of %x."""
        g, p = [self.groups] if self.groups > 1 else [], self.padding
        channels = [*g, self.c // self.groups]
        image = memref([self.n, *self.size, *channels], self.element)
        sizes = [s + 2 * p for s in self.size]
        border = memref([self.n, *sizes, *channels], self.element)
        index = [f"d{i}" for i in range(3 + len(channels))]
        inside = ["d0", f"d1 + {p}", f"d2 + {p}", *index[3:]]
        copy = generic(
            "p" * len(index),
            [", ".join(index), ", ".join(inside)],
            [("%x", image)],
            [("%pad", border)],
            f"    linalg.yield %a : {self.element}",
        )
        if not p:
            return [], ("%x", image), image
        ops = [f"  %pad = memref.alloca() : {border}"]
        ops += [fill(value, self.element, "%pad", border), copy]
        return ops, ("%pad", border), image

    def at(self, taps: Sequence[str]) -> list[str]:
        """The indices of the pixels (d1, d2) at a tap."""
        pairs = zip(("d1", "d2"), taps, strict=True)
        return [f"{d} * {self.stride} + {k} * {self.dilation}" for d, k in pairs]


def conv2d(window: Window, o: int) -> str:
    """Convolution, bias, relu; arguments %x, %w (HWIO), %bias, %out. Groups > 1: a
    dimension of their own."""
    k, g = window.kernel, [window.groups] if window.groups > 1 else []
    ops, source, image = window.padded("0.0")
    channels = [*g, o // window.groups]
    weight = memref([k, k, window.c // window.groups, *channels], window.element)
    bias, out = memref(channels), memref([window.n, *window.results, *channels])
    rank = 3 + len(channels)
    index = [f"d{i}" for i in range(rank)]
    kh, kw, c = (f"d{rank + i}" for i in range(3))
    own, outer = index[3:], index[3:-1]
    ops += [
        fill("0.0", "f32", "%out", out),
        generic(
            "p" * rank + "rrr",
            [
                ", ".join(["d0", *window.at((kh, kw)), *outer, c]),
                ", ".join([kh, kw, c, *own]),
                ", ".join(index),
            ],
            [source, ("%w", weight)],
            [("%out", out)],
            multiply_add(window.element, "f32"),
        ),
        generic(
            "p" * rank,
            [", ".join(index), ", ".join(own), ", ".join(index)],
            [("%out", out), ("%bias", bias)],
            [("%out", out)],
            RELU,
        ),
    ]
    arguments = f"%x: {image}, %w: {weight}, %bias: {bias}, %out: {out}"
    names = ["nn.conv2d", "nn.relu"]
    return function("conv", "window", names, arguments, "\n".join(ops))


def depthwise(window: Window) -> str:
    """One filter for each channel; arguments %x, %w (HWC), %out."""
    ops, source, image = window.padded("0.0")
    weight = memref([window.kernel, window.kernel, window.c])
    out = memref([window.n, *window.results, window.c])
    at = ", ".join(["d0", *window.at(("d4", "d5")), "d3"])
    ops += [
        fill("0.0", "f32", "%out", out),
        generic(
            "pppprr",
            [at, "d4, d5, d3", "d0, d1, d2, d3"],
            [source, ("%w", weight)],
            [("%out", out)],
            multiply_add("f32", "f32"),
        ),
    ]
    arguments = f"%x: {image}, %w: {weight}, %out: {out}"
    return function("depthwise", "window", ["nn.conv2d"], arguments, "\n".join(ops))


def max_pool2d(window: Window) -> str:
    """The largest element of each window; arguments %x, %out."""
    ops, source, image = window.padded("0xff800000")
    sizes = memref([window.kernel, window.kernel])
    out = memref([window.n, *window.results, window.c])
    at = ", ".join(["d0", *window.at(("d4", "d5")), "d3"])
    ops += [
        f"  %window = memref.alloca() : {sizes}",
        fill("0xff800000", "f32", "%out", out),
        generic(
            "pppprr",
            [at, "d4, d5", "d0, d1, d2, d3"],
            [source, ("%window", sizes)],
            [("%out", out)],
            MAXIMUM,
        ),
    ]
    arguments = f"%x: {image}, %out: {out}"
    return function("pool", "window", ["nn.max_pool2d"], arguments, "\n".join(ops))
