"""The text of a convolution's kernel, with a bias and a ReLU, and what it computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from xdsl.dialects.builtin import ModuleOp

from tests.cpu.native_kernels import generic, kernel

RNG = np.random.default_rng(7)


def floats(*shape: int) -> np.ndarray:
    """Normally distributed numbers."""
    return RNG.standard_normal(shape).astype(np.float32)


def convolution(
    image: str, sizes: Sequence[Sequence[int]], layout: str, **options: Any
) -> ModuleOp:
    """Arguments x, w, bias, y: relu(conv(x, w) + bias); y has the channels last.

    `image`: how the loops n, h, w, o, p, q, c read it. `sizes`: of all arguments.
    `layout`: of the filters.
    """
    x, weight, bias, y = (f"memref<{'x'.join(map(str, s))}xf32>" for s in sizes)
    weight = f'{weight[:-1]}, #dev.on<"cpu", {layout}>>'
    kinds = [*["parallel"] * 4, *["reduction"] * 3]
    body = "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %y0, %p : f32"
    maps = [image, "p, q, c, o", "n, h, w, o"]
    anchor = generic(maps, kinds, [x, weight, y], 2, body, "n, h, w, o, p, q, c")
    anchor = anchor.replace("%a2", "%a3")
    body = """
      %s = arith.addf %x0, %x1 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32"""
    maps = ["n, h, w, o", "o", "n, h, w, o"]
    relu = generic(maps, kinds[:4], [y, bias, y], 2, body, "n, h, w, o", first=10)
    relu = relu.replace("%a10", "%a3").replace("%a11", "%a2").replace("%a12", "%a3")
    text = f"""
      %start = arith.constant 0.0 : f32
      linalg.fill ins(%start : f32) outs(%a3 : {y})
      {anchor}
      {relu}"""
    return kernel("window", [x, weight, bias, y], text, **options)


def exact(
    image: np.ndarray, filters: np.ndarray, bias: np.ndarray, stride: int = 1
) -> np.ndarray:
    """relu(conv(NCHW image, HWIO filters) + bias) in float64, with channels last."""
    x, w, b = (torch.from_numpy(a).double() for a in (image, filters, bias))
    found = F.conv2d(x, w.permute(3, 2, 0, 1), b, stride).relu()
    return found.permute(0, 2, 3, 1).numpy()
