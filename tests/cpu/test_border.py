"""What lies around a box is filled, and the box is left alone."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from devproc.targets.cpu.algorithms.padding.expand import slabs_of
from tests.cpu.native_kernels import kernel, memref_type, run_kernel, run_passes

Box = list[tuple[int, int]]


def random_box(rng: np.random.Generator) -> tuple[tuple[int, ...], Box]:
    """A shape and a box in it, often as wide as the shape."""
    shape = tuple(int(n) for n in rng.integers(1, 9, rng.integers(1, 5)))
    if rng.random() < 0.5:
        shape = (*shape[:-1], int(rng.integers(10, 70)))
    box: Box = []
    for whole in shape:
        first = int(rng.integers(whole)) if rng.random() < 0.6 else 0
        size = int(rng.integers(1, whole - first + 1))
        box.append((first, whole - first if rng.random() < 0.4 else size))
    return shape, box


def around(shape: tuple[int, ...], box: Box) -> np.ndarray:
    """Where the border is."""
    mask = np.ones(shape, bool)
    mask[tuple(slice(first, first + size) for first, size in box)] = False
    return mask


@pytest.mark.parametrize("seed", range(200))
def test_slabs_are_the_border(seed: int) -> None:
    """Each element around the box is in one slab, none of the box in any."""
    shape, box = random_box(np.random.default_rng(seed))
    count = np.zeros(shape, int)
    for slab in slabs_of(shape, box):
        within = [slice(first, first + size) for first, size in box[: slab.dimension]]
        within.append(slice(slab.first, slab.first + slab.count))
        assert slab.count > 0
        count[tuple(within)] += 1
    np.testing.assert_array_equal(count, around(shape, box).astype(int))


@pytest.mark.parametrize(
    ("dtype", "text", "value"),
    [
        ("float32", "-2.5 : f32", -2.5),
        ("float32", "0xFF800000 : f32", -np.inf),
        ("float64", "1.5 : f64", 1.5),
        ("float16", "0.0 : f16", 0.0),
        ("uint8", "7 : i8", 7),
        ("int64", "-3 : i64", -3),
    ],
)
@pytest.mark.parametrize("bits", [128, 512])
def test_random_boxes(dtype: str, text: str, value: float, bits: int) -> None:
    rng = np.random.default_rng(bits + len(text))
    shapes = [random_box(rng) for _ in range(3)]
    arrays = [np.full(shape, 99, dtype) for shape, _ in shapes]
    types = [memref_type(a) for a in arrays]
    body = f"%v = arith.constant {text}\n"
    for i, ((_, box), type_) in enumerate(zip(shapes, types, strict=True)):
        # An attribute's integers are plain ones: `[#builtin.int<1>, #builtin.int<2>]`.
        rows = ", ".join(f"[#builtin.int<{f}>, #builtin.int<{s}>]" for f, s in box)
        element = text.split(": ")[1]
        body += (
            f"linalg.fill {{kernel.inside = [{rows}]}}"
            f" ins(%v : {element}) outs(%a{i} : {type_})\n"
        )
    run_kernel(kernel("pointwise", types, body, vector_bits=bits), arrays)
    for array, (shape, box) in zip(arrays, shapes, strict=True):
        border = around(shape, box)
        np.testing.assert_array_equal(array[border], np.array(value, dtype))
        assert (array[~border] == 99).all(), (shape, box)
        assert (~border).sum() == prod(size for _, size in box)


def test_without_a_box_all_is_filled() -> None:
    array = np.full((3, 37), 9, np.float32)
    type_ = memref_type(array)
    body = (
        f"%v = arith.constant 1.0 : f32\nlinalg.fill ins(%v : f32) outs(%a0 : {type_})"
    )
    module = kernel("pointwise", [type_], body)
    run_kernel(module, [array])
    assert (array == 1).all()
    assert "kernel.inside" not in str(run_passes(kernel("pointwise", [type_], body)))
