"""Products on GPUs: their tiles on each architecture, parts of sums, precision, machine code.

Values are those of the printed programs under Triton's interpreter, beside NumPy and
PyTorch in float64. Machine code is compiled ahead of time, without a GPU.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import devproc
from devproc.dialects.sched import BlockTileSchedule
from devproc.targets.triton.algorithms.block_tile import expand
from devproc.targets.triton.algorithms.block_tile.splits import best_split
from devproc.targets.triton.algorithms.block_tile.tiles import (
    Load,
    Product,
    best_tile,
)
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.archs import ARCHS, find_arch
from devproc.targets.triton.interpretation.dot import product
from devproc.targets.triton.kernel import TritonKernel, jit_function
from tests.algorithms.test_gpu import program_of
from tests.triton import programs
from tests.triton.support import kernels, run

SHAPES = [
    *[
        (128, 3072, 768, 1),
        (128, 768, 3072, 1),
        (4096, 4096, 4096, 1),
        (49, 512, 4608, 1),
    ],
    *[(16, 4096, 4096, 1), (3, 5, 20, 1), (1000, 1000, 1000, 3), (128, 128, 64, 12)],
]


@pytest.mark.parametrize("arch", ARCHS.values(), ids=list(ARCHS))
@pytest.mark.parametrize("precision", ["ieee", "tf32", "tf32x3"])
def test_tiles_fit_each_architecture(arch: Any, precision: str) -> None:
    if precision not in arch.dot_precisions:
        pytest.skip(f"{arch.name} has no {precision}")
    for size in (2, 4):
        for m, n, k, batch in SHAPES:
            wanted = Product(m, n, k, batch, size, precision)
            found = best_tile(wanted, arch)
            assert found is not None
            tile, cycles = found
            load = Load(wanted, tile, arch)
            assert load.fits
            assert min(cycles, load.resident) >= 1
            assert load.shared_bytes <= arch.program_shared_bytes
            # Tiles of large products are large, and small products have many.
            programs = wanted.programs(tile)
            if m * n * batch >= 1 << 24:
                least = 4096 if arch.name in ("sm_80", "sm_90", "sm_100") else 1024
                assert tile.m * tile.n >= least
                assert tile.group > 1
            elif (m, n) == (128, 3072):
                assert programs >= arch.processors // 2


@pytest.mark.parametrize(
    ("sizes", "parts"),
    [
        ((128, 768, 3072), {2: 4, 4: 8}),
        ((4096, 4096, 4096), {2: 1, 4: 1}),
        ((128, 768, 3071), {2: 1, 4: 1}),
    ],
)
def test_parts_of_sums(sizes: tuple[int, int, int], parts: dict[int, int]) -> None:
    """By the bytes of an element."""
    for size, wanted in parts.items():
        found = best_split(Product(*sizes, 1, size, "tf32x3"), find_arch("sm_90"))
        assert found == wanted


@pytest.mark.parametrize(
    ("name", "known"),
    [("sm_90a", "sm_90"), ("sm_88", "sm_87"), ("sm_70", "sm_75"), ("gfx942", "gfx942")],
)
def test_architectures_by_name(name: str, known: str) -> None:
    assert find_arch(name).name == known


# Precision.


def tf32(x: np.ndarray, *, nearest: bool) -> np.ndarray:
    """TF32 by arithmetic on float64: 11 bits of the significand."""
    significand, exponent = np.frexp(x.astype(np.float64))
    scaled = significand * 2.0**11
    cut = np.sign(scaled) * np.floor(np.abs(scaled) + (0.5 if nearest else 0.0))
    return np.ldexp(cut, exponent - 11)


def split_product(a: np.ndarray, b: np.ndarray, block: int) -> np.ndarray:
    """What a GPU computes for tf32x3: in each block of terms, sums of eight products on
    tensor cores, which truncate to f32 (Fasi et al., "Numerical behavior of NVIDIA tensor
    cores", 2021); blocks are added in f32."""
    big_a, big_b = tf32(a, nearest=True), tf32(b, nearest=True)
    small_a, small_b = tf32(a - big_a, nearest=False), tf32(b - big_b, nearest=False)
    acc = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for start in range(0, a.shape[1], block):
        part = np.zeros_like(acc, np.float64)
        for x, y in ((small_a, big_b), (big_a, small_b), (big_a, big_b)):
            for k in range(start, start + block, 8):
                part = truncated(part + x[:, k : k + 8] @ y[k : k + 8])
        acc += part.astype(np.float32)
    return acc


def truncated(x: np.ndarray) -> np.ndarray:
    """Float64 cut to the significand of float32."""
    significand, exponent = np.frexp(x)
    return np.ldexp(np.trunc(significand * 2.0**24), exponent - 24)


@pytest.mark.parametrize("data", ["normal", "positive", "wide"])
def test_tf32x3_keeps_the_contract(data: str) -> None:
    """At most four times PyTorch's own error, and 3e-6 relative; the interpreter's split
    is as close as the GPU's."""
    random = np.random.default_rng(0)
    a, b = random.standard_normal((37, 3072)), random.standard_normal((3072, 41))
    if data == "positive":
        a, b = np.abs(a), np.abs(b)
    if data == "wide":
        a *= 2.0 ** random.integers(-20, 20, a.shape)
    a, b = a.astype(np.float32), b.astype(np.float32)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    theirs = (torch.from_numpy(a) @ torch.from_numpy(b)).numpy()

    def error(found: np.ndarray) -> float:
        return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))

    limit = min(4 * error(theirs), 3e-6)
    assert error(split_product(a, b, 64)) <= limit
    assert error(product(a, b, "tf32x3")) <= limit
    assert 1e-5 < error(product(a, b, "tf32")) < 2e-3


def test_interpreted_factors_are_those_of_a_gpu() -> None:
    random = np.random.default_rng(1)
    a = random.standard_normal((5, 1)).astype(np.float32)
    b = random.standard_normal((1, 7)).astype(np.float32)
    wanted = tf32(a, nearest=False) * tf32(b, nearest=False)
    assert np.array_equal(product(a, b, "tf32"), wanted.astype(np.float32))
    a[0], a[1], b[0, 0] = np.inf, np.nan, np.inf
    found = product(a, b, "tf32x3")
    assert np.array_equal(np.isnan(found), np.isnan(a @ b))
    assert np.array_equal(found[np.isinf(a @ b)], (a @ b)[np.isinf(a @ b)])


# Values.


@pytest.mark.parametrize("precision", ["strict", "default", "fast"])
def test_precisions_of_a_program(precision: str) -> None:
    x, w, bias = torch.randn(33, 130), torch.randn(17, 130), torch.randn(17)
    out = torch.empty(33, 17)
    assert run(programs.linear(33, 17, 130), x, w, bias, out, precision=precision) == 1
    exact = x.double() @ w.double().T + bias
    error = float((out - exact).norm() / exact.norm())
    assert error < (1e-3 if precision == "fast" else 3e-7)
    assert (error > 1e-5) == (precision == "fast")


def test_more_batches_than_a_grid_axis_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """They share the first axis with the tiles."""
    monkeypatch.setattr(expand, "LARGEST_GRID", (1 << 31, 2, 2))
    x, w = torch.randn(3, 70, 20), torch.randn(3, 20, 40)
    out = torch.full((3, 70, 40), float("nan"))
    text = programs.batched_matmul(3, 70, 40, 20).replace("1x20x40", "3x20x40")
    text = text.replace("(0, d3, d2)", "(d0, d3, d2)")
    (kernel,) = kernels(text)
    (programs_of_all, *others) = kernel.grid
    assert others == [1, 1]
    assert programs_of_all in range(6, 100, 3)
    assert run(text, x, w, out) == 1
    torch.testing.assert_close(out, x @ w, rtol=1e-5, atol=1e-5)


class Layer(torch.nn.Module):
    """A linear layer of long sums, with what follows it."""

    def __init__(self, terms: int, outputs: int):
        super().__init__()
        self.linear = torch.nn.Linear(terms, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """GELU of the layer."""
        return torch.nn.functional.gelu(self.linear(x))


def test_split_sums() -> None:
    torch.manual_seed(0)
    layer, x = Layer(2048, 19), torch.randn(2, 5, 2048)
    with torch.no_grad():
        program = devproc.compile(
            torch.export.export(layer, (x,)), "cuda:interpret", cache=False
        )
        text = program.ir("triton-source")
        assert (text.count("tl.dot"), text.count("@triton.jit")) == (1, 2)
        found, theirs = program(x), layer(x)
        exact = layer.double()(x.double())
    assert torch.equal(found, program(x))
    error = (found.double() - exact).norm()
    assert error <= 4 * (theirs.double() - exact).norm()


class Projections(torch.nn.Module):
    """Grouped queries, keys and values of one input, and their products."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(24, n) for n in (32, 16, 16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Attention without a softmax."""
        q, k, v = (
            layer(x).view(*x.shape[:2], -1, 8).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        k, v = (t.repeat_interleave(2, 1) for t in (k, v))
        return (q @ k.transpose(-1, -2)) @ v


def test_merged_projections() -> None:
    torch.manual_seed(0)
    model, x = Projections(), torch.randn(2, 7, 24)
    with torch.no_grad():
        exported = torch.export.export(model, (x,))
        program = devproc.compile(exported, "cuda:interpret", cache=False)
        assert program.ir("tensor").count("nn.linear") == 1
        found, theirs = program(x), model(x)
        exact = model.double()(x.double())
    error = (found.double() - exact).norm()
    assert error <= 4 * (theirs.double() - exact).norm() + 1e-7 * exact.norm()


# Machine code.

HOT = [("bf16", (128, 768, 768), "sm_80"), ("f32", (128, 768, 768), "sm_90")]


@pytest.mark.parametrize(("element", "sizes", "arch"), HOT)
def test_machine_code(element: str, sizes: tuple[int, int, int], arch: str) -> None:
    """Tensor cores, asynchronous 16-byte copies, no spills, what the plan counted."""
    (kernel,) = kernels(programs.linear(*sizes, element), interpret=False, arch=arch)
    compiled = compile_kernel(kernel, arch)
    found = compiled.resources()
    assert found.spilled_bytes == 0
    assert found.count("HGMMA", "HMMA") > 0
    assert found.shared_bytes <= find_arch(arch).program_shared_bytes
    copies = re.findall(
        r"cp\.async\.c[ag]\.shared\.global [^;]*, (0x[0-9a-f]+|\d+)", compiled.ptx
    )
    assert {int(size, 0) for size in copies} == {16}


def test_a_vector_is_read_16_bytes_at_a_time() -> None:
    (kernel,) = kernels(programs.linear(1, 1000, 4096, "bf16"), interpret=False)
    assert "tl.dot" not in kernel.source
    compiled = compile_kernel(kernel)
    assert compiled.resources().spilled_bytes == 0
    assert "ld.global.v4" in compiled.ptx


@pytest.mark.parametrize(
    ("element", "m", "n", "k"),
    [
        ("f16", 32, 256, 128),
        ("f16", 64, 64, 128),
        ("f16", 32, 64, 64),
        ("f32", 32, 128, 32),
    ],
)
def test_registers_are_about_those_of_the_estimate(
    element: str, m: int, n: int, k: int
) -> None:
    size = 4 if element == "f32" else 2
    tile = BlockTileSchedule(
        m=m, n=n, k=k, warps=4, stages=3, group=8, precision="tf32x3"
    )
    load = Load(Product(512, 768, 1024, 1, size, "tf32x3"), tile, find_arch("sm_80"))
    kernel = program_of(programs.linear(512, 768, 1024, element), tile)
    found = compile_kernel(kernel, "sm_80").resources()
    assert found.spilled_bytes == 0
    assert abs(load.registers - found.registers) <= 25


def test_unrolled_loops_take_more_registers() -> None:
    """Whisper's decoder: parts of three steps, in which a tile of 32 x 32 x 64 spills, but
    not if its rows are masked."""
    tile = BlockTileSchedule(
        m=32, n=32, k=64, warps=4, stages=3, group=8, precision="tf32x3"
    )
    arch, product = find_arch("sm_80"), Product(32, 1536, 384, 1, 4, "tf32x3")
    assert Load(product, tile, arch).fits
    assert not Load(replace(product, k=192), tile, arch).fits
    assert Load(replace(product, k=192, m=31), tile, arch).fits


@pytest.mark.parametrize(("arch", "width"), [("gfx942", 64), ("gfx1100", 32)])
def test_other_vendors(arch: str, width: int) -> None:
    (kernel,) = kernels(
        programs.linear(70, 100, 128, "f16"), interpret=False, arch=arch
    )
    assert "spill_count: 0" in amd_text(kernel, arch, width)


def amd_text(kernel: TritonKernel, arch: str, width: int) -> str:
    """The assembly of a kernel for a GPU of AMD."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function = jit_function(kernel)
    signature = dict(zip(function.arg_names, kernel.arg_types, strict=True))
    source = ASTSource(fn=function, signature=signature, constexprs={}, attrs={})
    options = {"num_warps": kernel.num_warps, "num_stages": kernel.num_stages}
    target = GPUTarget("hip", arch, width)
    return triton.compile(source, target=target, options=options).asm["amdgcn"]
