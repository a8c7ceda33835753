"""The reference resize is that of the libraries it names: Pillow, and ATen."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import PIL
import pytest
import torch
import torch.nn.functional as F
from PIL import Image
from sklearn.datasets import load_sample_images
from xdsl.dialects import test
from xdsl.dialects.builtin import StringAttr

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.image import NormalizeOp, ResizeOp
from devproc.dialects.nn.resampling.filters import (
    LIKE_MODES,
    PLAIN,
    TAP_MODES,
    tap_count,
    windows,
)
from devproc.dialects.nn.resampling.resample import (
    TAP_DTYPES,
    ResampleOp,
    ResampleTapsOp,
)
from devproc.reference.conversion.tensors import type_of
from devproc.reference.image import REFERENCE, weighted_sum
from devproc.transforms.tensor.decompositions.image import DECOMPOSITIONS
from tests.reference.images import evaluate_decomposition, floats

assert int(PIL.__version__.split(".")[0]) >= 13, "like='pillow' means Pillow 13"

PILLOW_MODES = LIKE_MODES["pillow"]

SIZES = [
    ((1, 1), (1, 1)), ((1, 1), (5, 3)), ((1, 7), (4, 1)), ((7, 1), (1, 4)),
    ((2, 2), (1, 1)), ((3, 5), (3, 5)), ((3, 5), (3, 11)), ((3, 5), (7, 5)),
    ((480, 3), (2, 3)), ((5, 301), (5, 2)), ((33, 47), (32, 46)), ((64, 48), (32, 24)),
    ((40, 7), (8, 5)), ((7, 40), (5, 8)), ((181, 7), (62, 5)), ((7, 7), (5, 33)),
    ((9, 31), (3, 28)), ((9, 31), (3, 29)), ((2, 3), (150, 170)),
]  # fmt: skip


@cache
def random_sizes() -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Small and odd, extreme ratios, both directions."""
    rng = random.Random(0)

    def size() -> int:
        return rng.choice([1, 2, 3, rng.randint(4, 40), rng.randint(4, 150)])

    return [((size(), size()), (size(), size())) for _ in range(60)]


def resize(
    image: torch.Tensor,
    size: tuple[int, int],
    mode: str,
    like: str,
    axes: tuple[int, int],
) -> torch.Tensor:
    """The reference, and its decomposition, which must be the same."""
    properties = {
        "axes": int_array(axes),
        "size": int_array(size),
        "mode": StringAttr(mode),
        "like": StringAttr(like),
    }
    operand = test.TestOp(result_types=[type_of(image)])
    op = ResizeOp.build_op(operand.results, properties)
    (result,) = REFERENCE[ResizeOp](op, image)
    assert type_of(result) == op.result.type
    decomposed = evaluate_decomposition(op, DECOMPOSITIONS[ResizeOp], image)
    torch.testing.assert_close(decomposed, result, rtol=0, atol=0, equal_nan=True)
    return result


def pillow(image: np.ndarray, size: tuple[int, int], mode: str) -> np.ndarray:
    """`Image.resize`, which takes (width, height)."""
    resampling = Image.Resampling[mode.upper()]
    return np.asarray(Image.fromarray(image).resize((size[1], size[0]), resampling))


@pytest.mark.parametrize("mode", PILLOW_MODES)
@pytest.mark.parametrize("channels", [(), (3,)], ids=["L", "RGB"])
def test_pillow_uint8_is_bit_exact(mode: str, channels: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    for old, new in SIZES + random_sizes():
        image = rng.integers(0, 256, (*old, *channels), np.uint8)
        if rng.random() < 0.3:
            image = (image > 127).astype(np.uint8) * 255  # overshoot must clip
        got = resize(torch.from_numpy(image), new, mode, "pillow", (0, 1))
        np.testing.assert_array_equal(got, pillow(image, new, mode), f"{old} {new}")


@pytest.mark.parametrize("mode", PILLOW_MODES)
def test_pillow_float_is_bit_exact(mode: str) -> None:
    rng = np.random.default_rng(1)
    for old, new in SIZES + random_sizes():
        image = (rng.standard_normal(old) * 100).astype(np.float32)
        got = resize(torch.from_numpy(image), new, mode, "pillow", (0, 1))
        np.testing.assert_array_equal(got, pillow(image, new, mode), f"{old} {new}")


@pytest.mark.parametrize("mode", PILLOW_MODES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_pillow_reads_only_its_window(mode: str, value: float) -> None:
    rng = np.random.default_rng(3)
    for old, new in random_sizes():
        image = rng.standard_normal(old).astype(np.float32)
        image[rng.integers(old[0]), rng.integers(old[1])] = value
        got = resize(torch.from_numpy(image), new, mode, "pillow", (0, 1))
        np.testing.assert_array_equal(got, pillow(image, new, mode), f"{old} {new}")


@pytest.mark.parametrize("mode", PILLOW_MODES)
def test_pillow_photograph(mode: str) -> None:
    for image in load_sample_images().images:
        for size in ((224, 224), (97, 333), (500, 641)):
            got = resize(torch.tensor(image), size, mode, "pillow", (0, 1))
            np.testing.assert_array_equal(got, pillow(image, size, mode))


def lies_between(old: tuple[int, int], new: tuple[int, int]) -> bool:
    """Whether an output lies right between two inputs, where PyTorch's own loops disagree
    on which of them is the nearest."""
    pairs = zip(old, new, strict=True)
    return any((2 * i + 1) * a % (2 * b) == 0 for a, b in pairs for i in range(b))


def interpolate(image: torch.Tensor, size: tuple[int, int], mode: str) -> torch.Tensor:
    """What torchvision calls for its modes, antialiased unless they say otherwise."""
    name = mode.removesuffix(PLAIN)
    antialias = name == mode and not mode.startswith("nearest")
    return F.interpolate(image, size, mode=name, antialias=antialias)


@pytest.mark.parametrize("mode", LIKE_MODES["torchvision"])
def test_torchvision(mode: str) -> None:
    generator = torch.Generator().manual_seed(0)
    for old, new in SIZES + random_sizes():
        if new[1] == 1 or (mode == "nearest-exact" and lies_between(old, new)):
            continue  # See test_torch_is_wrong_for_width_one.
        image = torch.randn((2, 3, *old), generator=generator)
        got = resize(image, new, mode, "torchvision", (2, 3))
        wanted = interpolate(image, new, mode)
        if mode.startswith("nearest"):
            assert torch.equal(got, wanted)
        else:
            torch.testing.assert_close(got, wanted, rtol=1e-5, atol=2e-5)
        pixels = (image * 255).to(torch.uint8)
        got = resize(pixels, new, mode, "torchvision", (2, 3))
        assert torch.equal(got, interpolate(pixels, new, mode)), (old, new)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_torchvision_reads_only_its_window(mode: str) -> None:
    generator = torch.Generator().manual_seed(3)
    for old, new in random_sizes():
        if new[1] == 1:
            continue
        image = torch.randn((1, 1, *old), generator=generator)
        image[0, 0, old[0] // 2, old[1] // 3] = np.nan
        got = resize(image, new, mode, "torchvision", (2, 3))
        wanted = interpolate(image, new, mode)
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=2e-5, equal_nan=True)


def test_torch_is_wrong_for_width_one() -> None:
    """ATen's vertical pass repeats the first row where the result has width 1; we give
    what it gives for the transposed image. Should this fail, PyTorch is mended."""
    image = torch.arange(5.0).reshape(1, 1, 5, 1)
    turned = F.interpolate(image.mT, (1, 2), mode="bilinear", antialias=True).mT
    upright = F.interpolate(image, (2, 1), mode="bilinear", antialias=True)
    assert not torch.allclose(turned, upright)
    got = resize(image, (2, 1), "bilinear", "torchvision", (2, 3))
    torch.testing.assert_close(got, turned)


def test_axes_may_stand_anywhere() -> None:
    rng = np.random.default_rng(2)
    image = rng.integers(0, 256, (7, 2, 3, 9), np.uint8)  # H N C W
    got = resize(torch.from_numpy(image), (4, 5), "bicubic", "pillow", (0, 3))
    for n in range(2):
        wanted = pillow(
            np.ascontiguousarray(image[:, n].transpose(0, 2, 1)), (4, 5), "bicubic"
        )
        np.testing.assert_array_equal(got[:, n].permute(0, 2, 1), wanted)


FORMS = [(like, mode) for like, modes in TAP_MODES.items() for mode in modes]


@pytest.mark.parametrize(("like", "mode"), FORMS)
@pytest.mark.parametrize("compact", [False, True])
def test_tap_tables(like: str, mode: str, compact: bool) -> None:
    """Every window lies inside the input; the weights of one output sum to 1."""
    dtype = "float64" if like == "pillow" else "float32"
    for (old, _), (new, _) in SIZES + random_sizes():
        if (mode == "area" and new > old) or (mode == "area, enlarged" and new < old):
            continue
        op = ResampleTapsOp.table(old, new, mode, like, dtype, compact)
        first, taps, *rows = REFERENCE[ResampleTapsOp](op)
        assert [type_of(t) for t in (first, taps, *rows)] == [
            r.type for r in op.outputs
        ]
        assert first.min() >= 0
        assert (first + taps.shape[1]).max() <= (len(rows[0]) if compact else old)
        torch.testing.assert_close(taps.nansum(1), torch.ones(new, dtype=taps.dtype))
        if compact:
            assert 0 <= rows[0].min() <= rows[0].max() < old
            continue
        counts = [count for _, count in windows(old, new, mode, like)]
        assert min(counts) >= 1
        assert tap_count(old, new, mode, like) == min(max(counts), old)


@pytest.mark.parametrize(("like", "mode"), FORMS)
def test_compact_tables_make_the_same_sums(like: str, mode: str) -> None:
    generator = torch.Generator().manual_seed(0)
    for (old, _), (new, _) in SIZES + random_sizes():
        if mode.startswith("area") and (mode == "area") != (new <= old):
            continue
        image = torch.randn((old, 2), generator=generator, dtype=torch.float32)
        sums: list[torch.Tensor] = []
        for compact in (False, True):
            op = ResampleTapsOp.table(
                old, new, mode, like, TAP_DTYPES[like][-1], compact
            )
            first, taps, *rows = REFERENCE[ResampleTapsOp](op)
            source = image[rows[0].long()] if rows else image
            sums.append(weighted_sum(source.to(taps.dtype), first, taps, 0, 0))
        if mode in ("bilinear", "area, enlarged") and like == "opencv":
            # OpenCV treats the borders of both axes alike but for rounding.
            torch.testing.assert_close(*sums, rtol=1e-5, atol=1e-5)
        else:
            torch.testing.assert_close(*sums, rtol=1e-6, atol=3e-6)


def test_resample_is_the_weighted_sum() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn((3, 7, 2), generator=generator)
    first = torch.tensor([4, 0, 2, 1], dtype=torch.int32)
    for dtype in (torch.float32, torch.float64):
        taps = torch.randn((4, 3), generator=generator, dtype=dtype)
        operands = test.TestOp(result_types=[type_of(v) for v in (x, first, taps)])
        a, b, c = operands.results
        op = ResampleOp.along(a, b, c, 1)
        (got,) = REFERENCE[ResampleOp](op, x, first, taps)
        wanted = torch.stack(
            [
                (x[:, f : f + 3].double() * taps[i].double()[:, None]).sum(1)
                for i, f in enumerate(first.tolist())
            ],
            dim=1,
        )
        torch.testing.assert_close(got, wanted.float())


@pytest.mark.parametrize(
    ("shape", "axis"), [((4, 5, 3), 2), ((2, 3, 4, 5), 1), ((3, 4, 1), 0), ((4, 5), -1)]
)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.uint16, torch.float32])
def test_normalize_is_torchvisions(
    shape: tuple[int, ...], axis: int, dtype: torch.dtype
) -> None:
    """`to_tensor` divides by the brightest, `normalize` subtracts and divides, in
    float32."""
    generator = torch.Generator().manual_seed(0)
    brightest = {torch.uint8: 255, torch.uint16: 65535}.get(dtype, 1)
    image = (torch.rand(shape, generator=generator) * brightest).to(dtype)
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    channels = 1 if axis < 0 else 3
    properties = {
        "axis": int_attr(axis),
        "mean": floats(mean[:channels]),
        "std": floats(std[:channels]),
    }
    op = NormalizeOp.build_op(
        test.TestOp(result_types=[type_of(image)]).results, properties
    )
    (got,) = REFERENCE[NormalizeOp](op, image)
    last = image.movedim(axis, -1) if axis >= 0 else image[..., None]
    values = last.float().div(brightest) if brightest > 1 else last
    values = values.sub(torch.tensor(mean[:channels])).div(torch.tensor(std[:channels]))
    wanted = values.movedim(-1, axis) if axis >= 0 else values[..., 0]
    assert torch.equal(got, wanted)
    decomposed = evaluate_decomposition(op, DECOMPOSITIONS[NormalizeOp], image)
    assert torch.equal(decomposed, wanted)
