"""Products with different factors in one kernel, against PyTorch in float64.

The programs run under Triton's interpreter. Each case says how many of its kernels multiply.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import devproc
from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.cost.program_kernels import program_kernels

FLOATS = (torch.float32, torch.bfloat16, torch.float16)
TOLERANCE = {torch.float32: 4e-6, torch.bfloat16: 2e-2, torch.float16: 3e-3}
"""Of the largest result: two roundings of results to the type."""

Tensors = tuple[torch.Tensor, ...]


class Stage(nn.Module):
    """The sum that a stage of a ResNet begins with, of a branch and of a shortcut."""

    def __init__(
        self, kernel: int, stride: int, *, bias: bool, norm: bool, groups: int = 1
    ):
        super().__init__()
        self.branch = nn.Conv2d(
            18, 40, kernel, padding=kernel // 2, bias=bias, groups=groups
        )
        self.shortcut = nn.Conv2d(24, 40, 1, stride, bias=bias)
        self.norms = nn.ModuleList(
            nn.BatchNorm2d(40) if norm else nn.Identity() for _ in range(2)
        )
        for value in self.norms.state_dict().values():
            if value.is_floating_point():
                nn.init.uniform_(value, 0.5, 1.5)

    def forward(self, h: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """[n, 18, h, w] and [n, 24, stride * h, stride * w] to [n, 40, h, w]."""
        first, second = self.norms
        return torch.relu(first(self.branch(h)) + second(self.shortcut(x)))


class Two(nn.Module):
    """An elementwise op of two products of rows."""

    def __init__(
        self, meet: Callable[..., Any], inputs: tuple[int, int], *, bias: bool = True
    ):
        super().__init__()
        self.meet = meet
        self.first, self.second = (nn.Linear(size, 52, bias=bias) for size in inputs)

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> Any:
        """Rows of `inputs` elements each."""
        return self.meet(self.first(x), self.second(h))


def check(module: nn.Module, inputs: Tensors, products: int) -> devproc.Program:
    """Compare a program with its module, and count the kernels that multiply."""
    dtype = inputs[0].dtype
    module = module.eval().to(dtype)
    with torch.no_grad():
        exported = torch.export.export(module, inputs)
        wanted = deepcopy(module).double()(*(x.double() for x in inputs))
    program = devproc.compile(exported, target="cuda:interpret")
    found = program(*inputs)
    pairs = zip(found, wanted) if isinstance(found, tuple) else [(found, wanted)]
    for mine, theirs in pairs:
        scale = theirs[theirs.isfinite()].abs().max().item()
        torch.testing.assert_close(
            mine.double(), theirs, rtol=0, atol=TOLERANCE[dtype] * scale, equal_nan=True
        )
    assert sum(k.count("tl.dot") > 0 for k in sources(program)) == products
    return program


def sources(program: devproc.Program) -> list[str]:
    """The source of each kernel."""
    return program.ir("triton-source").split("@triton.jit\n")[1:]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("kernel", "stride", "batch", "bias", "norm"),
    [(1, 1, 3, True, True), (1, 2, 1, False, True), (3, 2, 3, True, False)],
)
def test_stage(
    kernel: int, stride: int, batch: int, bias: bool, norm: bool, dtype: torch.dtype
) -> None:
    torch.manual_seed(0)
    h = torch.randn(batch, 18, 7, 5, dtype=dtype)
    x = torch.randn(batch, 24, 7 * stride, 5 * stride, dtype=dtype)
    check(Stage(kernel, stride, bias=bias, norm=norm), (h, x), 1)


def test_groups_keep_their_kernel() -> None:
    """Their results have another shape."""
    h, x = torch.randn(2, 18, 7, 5), torch.randn(2, 24, 7, 5)
    check(Stage(3, 1, bias=True, norm=False, groups=2), (h, x), 2)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("meet", "shape", "bias"),
    [
        (torch.add, (37,), False),
        (torch.sub, (37,), True),
        (lambda a, b: torch.tanh(a + b), (3, 17), True),
        (lambda a, b: a + 0.5 * b, (2, 19), True),
        (lambda a, b: F.silu(a) * b, (37,), True),
        (lambda a, b: a * torch.sigmoid(a) + b, (37,), False),
    ],
    ids=["add", "sub", "gate", "adapter", "product", "twice"],
)
def test_rows(
    meet: Callable[..., Any], shape: tuple[int, ...], bias: bool, dtype: torch.dtype
) -> None:
    torch.manual_seed(0)
    x, h = (torch.randn(*shape, size, dtype=dtype) for size in (48, 75))
    check(Two(meet, (48, 75), bias=bias), (x, h), 1)


def test_three_products() -> None:
    class Three(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(size, 52) for size in (48, 75, 20))

        def forward(self, *rows: torch.Tensor) -> torch.Tensor:
            first, second, third = (
                layer(x) for layer, x in zip(self.layers, rows, strict=True)
            )
            return torch.relu(first + second + third)

    rows = tuple(torch.randn(37, size) for size in (48, 75, 20))
    (source,) = sources(check(Three(), rows, 1))
    assert source.count("tl.dot") == 3
    assert source.count("tl.full") == 1, "one accumulator"


def test_an_adapter_reads_the_rows_of_its_layer() -> None:
    """The low-rank product is a kernel of its own, and one operand of both is the same."""

    class Adapted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(48, 52)
            self.down = nn.Linear(48, 8, bias=False)
            self.up = nn.Linear(8, 52, bias=False)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x) + 2.0 * self.up(self.down(x))

    check(Adapted(), (torch.randn(37, 48),), 2)


def test_the_same_rows_twice() -> None:
    x = torch.randn(37, 48)
    check(Two(torch.add, (48, 48)), (x, x), 1)


@pytest.mark.parametrize(
    "meet",
    [
        lambda a, b: (torch.tanh(a + b), a),
        lambda a, b: (a + b, torch.exp(b).sum(-1)),
        lambda a, b: torch.sigmoid(a) * b + a,
    ],
    ids=["output", "row", "later"],
)
def test_a_result_with_another_reader_is_stored(meet: Callable[..., Any]) -> None:
    x, h = torch.randn(37, 48), torch.randn(37, 75)
    check(Two(meet, (48, 75)), (x, h), 2)


def test_one_row_streams_each_matrix() -> None:
    x, h = torch.randn(1, 48), torch.randn(1, 75)
    check(Two(torch.add, (48, 75)), (x, h), 0)


def test_long_sums_are_split_instead() -> None:
    """Few tiles of long sums: their parts occupy more processors."""
    x, h = torch.randn(16, 4096), torch.randn(16, 4096)
    program = check(Two(torch.add, (4096, 4096)), (x, h), 2)
    assert "_parts" in program.ir("triton-source")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("place", [0, 1])
def test_what_is_not_finite(value: float, place: int) -> None:
    rows = torch.randn(37, 48), torch.randn(37, 75)
    rows[place][3, 5] = value
    check(Two(torch.add, (48, 75)), rows, 1)


def test_sums_are_not_rounded_in_between() -> None:
    """Two results beyond the largest number of f16, whose sum is none."""
    module = Two(torch.add, (32, 48), bias=False).eval().half()
    nn.init.constant_(module.first.weight, 100.0)
    nn.init.constant_(module.second.weight, -100.0)
    inputs = torch.full((17, 32), 30.0).half(), torch.full((17, 48), 20.0).half()
    with torch.no_grad():
        exported = torch.export.export(module, inputs)
    found = devproc.compile(exported, target="cuda:interpret")(*inputs)
    torch.testing.assert_close(found, torch.zeros(17, 52).half())


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_machine_code(arch: str, dtype: torch.dtype) -> None:
    """No spills, though one tile of results is held while the next is computed."""
    module = Stage(1, 2, bias=False, norm=True).eval().to(dtype)
    inputs = torch.randn(32, 18, 28, 28), torch.randn(32, 24, 56, 56)
    with torch.no_grad():
        exported = torch.export.export(module, tuple(x.to(dtype) for x in inputs))
    source = read_source(exported)
    set_options(source.module, target_options("cuda:interpret", arch=arch), None)
    (kernel,) = (
        k.kernel for k in program_kernels(source.module) if "tl.dot" in k.kernel.source
    )
    assert compile_kernel(kernel, arch).resources().spilled_bytes == 0
