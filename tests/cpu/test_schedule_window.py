"""Window schedules, executed and compared with PyTorch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.cpu.native_kernels import (
    CPU_PASSES,
    PLAIN,
    SCHEDULED,
    kernel,
    memref_type,
    run_kernel,
    run_passes,
)

RNG = np.random.default_rng(23)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def padding(shape: Sequence[int], pad: int, value: str) -> str:
    """Fill the alloca %padded, then copy the image %a0 into its middle."""
    n, c, h, w = shape
    padded = f"memref<{n}x{c}x{h + 2 * pad}x{w + 2 * pad}xf32>"
    image = f"memref<{n}x{c}x{h}x{w}xf32>"
    return f"""
      %border = arith.constant {value} : f32
      %padded = memref.alloca() : {padded}
      linalg.fill ins(%border : f32) outs(%padded : {padded})
      linalg.generic {{indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>,
          affine_map<(n, c, h, w) -> (n, c, h + {pad}, w + {pad})>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
        ins(%a0 : {image}) outs(%padded : {padded}) {{
      ^bb0(%v: f32, %unused: f32):
        linalg.yield %v : f32
      }}"""


def convolution(
    x: str, x_type: str, w_type: str, out: str, stride: int, dilation: int, groups: bool
) -> str:
    """Fill %a3, then the convolution of an image with %a1; bias %a2 and relu behind."""
    at = f"h * {stride} + p * {dilation}, w * {stride} + q * {dilation}"
    g = "g, " if groups else ""
    parallel = ", ".join(['"parallel"'] * (5 if groups else 4))
    loops = f"n, {g}o, h, w"
    bias = f"memref<{out.split('<')[1].split('x')[2]}xf32>"
    if groups:
        bias = f"memref<{'x'.join(out.split('<')[1].split('x')[1:3])}xf32>"
    else:
        bias = f"memref<{out.split('<')[1].split('x')[1]}xf32>"
    return f"""
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%a3 : {out})
      linalg.generic {{indexing_maps = [affine_map<({loops}, c, p, q) -> (n, {g}c, {at})>,
          affine_map<({loops}, c, p, q) -> ({g}o, c, p, q)>,
          affine_map<({loops}, c, p, q) -> ({loops})>],
        iterator_types = [{parallel}, "reduction", "reduction", "reduction"]}}
        ins({x}, %a1 : {x_type}, {w_type}) outs(%a3 : {out}) {{
      ^bb0(%v: f32, %f: f32, %acc: f32):
        %m = arith.mulf %v, %f : f32
        %s = arith.addf %acc, %m : f32
        linalg.yield %s : f32
      }}
      linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({loops})>,
          affine_map<({loops}) -> ({g}o)>, affine_map<({loops}) -> ({loops})>],
        iterator_types = [{parallel}]}}
        ins(%a3, %a2 : {out}, {bias}) outs(%a3 : {out}) {{
      ^bb0(%v: f32, %b: f32, %unused: f32):
        %s = arith.addf %v, %b : f32
        %r = arith.maximumf %s, %zero : f32
        linalg.yield %r : f32
      }}"""


CASES = [
    # (n, c, h, w), out channels, kernel, stride, padding, dilation, groups
    ((1, 1, 8, 8), 8, 3, 1, 1, 1, 1),
    ((2, 3, 9, 11), 5, 3, 1, 1, 1, 1),
    ((1, 16, 14, 14), 24, 3, 1, 1, 1, 1),
    ((1, 5, 20, 37), 13, 3, 2, 1, 1, 1),
    ((2, 3, 31, 40), 16, 7, 2, 3, 1, 1),
    ((1, 40, 7, 9), 30, 1, 1, 0, 1, 1),
    ((1, 8, 15, 50), 6, 1, 2, 0, 1, 1),
    ((1, 4, 19, 21), 7, 3, 1, 2, 2, 1),
    ((2, 6, 10, 18), 4, 3, 1, 1, 1, 2),
    ((1, 12, 16, 70), 33, 5, 3, 2, 1, 1),
    ((1, 64, 6, 6), 10, 6, 1, 0, 1, 1),
    ((1, 4, 30, 41), 6, 3, 5, 0, 1, 1),
]


def pack(weight: np.ndarray, axis: int, width: int) -> tuple[np.ndarray, str]:
    """Filters in panels of output channels [g][o/width][c][kh][kw][width], and the type."""
    o = weight.shape[axis]
    pads = [(0, -o % width if d == axis else 0) for d in range(weight.ndim)]
    padded = np.pad(weight, pads)
    shape = padded.shape
    split = padded.reshape(*shape[:axis], -1, width, *shape[axis + 1 :])
    order, tiles = list(range(weight.ndim)), [1] * weight.ndim
    tiles[axis] = width
    dims = "x".join(map(str, weight.shape))
    type_ = f'memref<{dims}xf32, #dev.on<"cpu", #dev.layout<{order}, {tiles}>>>'
    return np.ascontiguousarray(np.moveaxis(split, axis + 1, -1)), type_


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("vector_bits", [128, 512])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_convolution(case: tuple, vector_bits: int, packed: bool) -> None:
    shape, channels, size, stride, pad, dilation, groups = case
    n, c, h, w = shape
    x, weight = floats(*shape), floats(channels, c // groups, size, size)
    bias = floats(channels)
    image, filters, offsets = (torch.from_numpy(a).double() for a in (x, weight, bias))
    wanted = F.conv2d(image, filters, offsets, stride, pad, dilation, groups)
    wanted = wanted.relu().numpy()
    out = np.zeros(wanted.shape, np.float32)
    source, text = "%a0", ""
    if pad:
        text, source = padding(shape, pad, "0.0"), "%padded"
    lead = f"{n}x{groups}x{c // groups}" if groups > 1 else f"{n}x{c}"
    image_type = f"memref<{lead}x{h + 2 * pad}x{w + 2 * pad}xf32>"
    if groups > 1:
        text += f"\n%view = plan.view {source} : memref<{n}x{c}x{h + 2 * pad}x{w + 2 * pad}xf32> -> {image_type}"
        source = "%view"
        weight = weight.reshape(groups, channels // groups, c // groups, size, size)
        bias = bias.reshape(groups, -1)
        out = out.reshape(n, groups, channels // groups, *out.shape[2:])
    types = [memref_type(a) for a in (x, weight, bias, out)]
    if packed:
        weight, types[1] = pack(weight, int(groups > 1), vector_bits // 16)
    text += convolution(
        source, image_type, types[1], types[3], stride, dilation, groups > 1
    )
    for passes in (CPU_PASSES, PLAIN):
        arrays = [a.copy() for a in (x, weight, bias, out)]
        module = kernel("window", types, text, vector_bits=vector_bits)
        run_kernel(module, arrays, passes)
        np.testing.assert_allclose(
            arrays[3].reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-4
        )
    module = kernel("window", types, text, vector_bits=vector_bits)
    run_passes(module, SCHEDULED)
    if wanted.shape[-1] > 1:
        assert "linalg" not in str(module)


def test_depthwise() -> None:
    x, weight = floats(2, 5, 12, 33), floats(5, 1, 3, 3)
    image, filters = torch.from_numpy(x).double(), torch.from_numpy(weight).double()
    wanted = F.conv2d(image, filters, groups=5).numpy()
    out = np.zeros(wanted.shape, np.float32)
    types = [memref_type(a) for a in (x, weight, out)]
    text = f"""
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%a2 : {types[2]})
      linalg.generic {{indexing_maps = [
          affine_map<(n, c, h, w, p, q) -> (n, c, h + p, w + q)>,
          affine_map<(n, c, h, w, p, q) -> (c, 0, p, q)>,
          affine_map<(n, c, h, w, p, q) -> (n, c, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}}
        ins(%a0, %a1 : {types[0]}, {types[1]}) outs(%a2 : {types[2]}) {{
      ^bb0(%v: f32, %f: f32, %acc: f32):
        %m = arith.mulf %v, %f : f32
        %s = arith.addf %acc, %m : f32
        linalg.yield %s : f32
      }}"""
    for passes in (CPU_PASSES, PLAIN):
        result = out.copy()
        run_kernel(kernel("window", types, text), [x, weight, result], passes)
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)
    module = run_passes(kernel("window", types, text), SCHEDULED)
    assert "linalg" not in str(module)


@pytest.mark.parametrize("vector_bits", [128, 256, 512])
@pytest.mark.parametrize(
    ("shape", "size", "stride", "pad"),
    [
        ((1, 8, 8, 8), 2, 2, 0),
        ((2, 3, 13, 33), 3, 2, 1),
        ((1, 4, 9, 40), 3, 1, 1),
        ((1, 2, 30, 31), 5, 3, 2),
        ((1, 2, 30, 91), 2, 6, 0),
    ],
)
def test_max_pool(
    shape: tuple[int, ...], size: int, stride: int, pad: int, vector_bits: int
) -> None:
    x = floats(*shape)
    x[0, 0, 2, 3], x[0, 1, 4, 4], x[0, 1, :, 0] = np.nan, np.inf, -np.inf
    wanted = F.max_pool2d(torch.from_numpy(x), size, stride, pad).numpy()
    out = np.zeros(wanted.shape, np.float32)
    n, c, h, w = shape
    text, image = (
        padding(shape, pad, "0xFF800000") if pad else "",
        "%padded" if pad else "%a0",
    )
    image_type = f"memref<{n}x{c}x{h + 2 * pad}x{w + 2 * pad}xf32>"
    types = [memref_type(x), memref_type(out)]
    at = f"h * {stride} + p, w * {stride} + q"
    window = f"memref<{size}x{size}xf32>"
    text += f"""
      %lowest = arith.constant 0xFF800000 : f32
      %window = memref.alloca() : {window}
      linalg.fill ins(%lowest : f32) outs(%a1 : {types[1]})
      linalg.generic {{indexing_maps = [affine_map<(n, c, h, w, p, q) -> (n, c, {at})>,
          affine_map<(n, c, h, w, p, q) -> (p, q)>,
          affine_map<(n, c, h, w, p, q) -> (n, c, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}}
        ins({image}, %window : {image_type}, {window}) outs(%a1 : {types[1]}) {{
      ^bb0(%v: f32, %unused: f32, %acc: f32):
        %m = arith.maximumf %v, %acc : f32
        linalg.yield %m : f32
      }}"""
    for passes in (CPU_PASSES, PLAIN):
        result = out.copy()
        module = kernel("window", types, text, vector_bits=vector_bits)
        run_kernel(module, [x.copy(), result], passes)
        np.testing.assert_array_equal(result, wanted)
    module = run_passes(kernel("window", types, text), SCHEDULED)
    assert "linalg" not in str(module)
