"""Schedules of the user whose weight has another layout: it is packed as they want it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram

import devproc
from devproc.errors import CompileError
from devproc.targets.cpu.machine.cpu_target import host_vector_bits

LANES = host_vector_bits() // 32
ROWS, DEPTH = 13, 192
WIDTH = 8 * LANES

TILE = (
    "#sched.register_tile<weight = {weight}, rows = {rows}, vectors = 2, order = panels,"
    " cut = none, block = 64, accumulators = 8, prefetch_panel = no,"
    " prefetch_results = [], spread = 0, grain = none>"
)
PANELS = f"#dev.layout<[0, 1], [{2 * LANES}, 1]>"
REGISTER_TILE = TILE.format(weight=PANELS, rows=7)
INNER_PRODUCT = (
    f"#sched.inner_product<weight = #dev.inner_product<{LANES}, {3 * LANES}>, rows = 4,"
    " plain_rows = 4, scale_rows = 2, tiles = 2, group = 3, prefetch_panel = no,"
    " prefetch_results = [], grain = none>"
)
STRASSEN = (
    f"#sched.strassen<weight = #dev.strassen<{2 * LANES}>, block = 7, rows = 7,"
    " slice = 48, group = 2, grain = none>"
)
BLOCK_FLOAT = (
    f"#sched.block_float<weight = #dev.block_float<{4 * LANES}, 48>, rows = 7,"
    " accumulators = 8, prefetch_results = [], spread = 0, grain = none>"
)
WINOGRAD = (
    f"#sched.winograd<weight = #dev.winograd<{{tile}}, {LANES}>, block = {{block}},"
    f" by_need = no, rows = 5, depth = {LANES}, filters = scratch, prefetch = 1,"
    " groups = 1, grain = none>"
)
LINEAR = {
    "register_tile": (REGISTER_TILE, 1e-6),
    "inner_product": (INNER_PRODUCT, 3e-6),
    "strassen": (STRASSEN, 1e-5),
    "block_float": (BLOCK_FLOAT, 1e-6),
}
"""Schedules of a linear layer, and the largest error, relative to the largest result."""

CONVOLUTION = {
    "register_tile": (
        TILE.format(
            weight=f"#dev.layout<[3, 0, 1, 2], [1, 1, 1, {2 * LANES}]>", rows=11
        ),
        1e-6,
    ),
    "inner_product": (INNER_PRODUCT, 3e-6),
    "register_tile as it lies": (TILE.format(weight="none", rows=11), 1e-6),
    "winograd": (WINOGRAD.format(tile=2, block=10), 3e-6),
    "winograd of larger tiles": (WINOGRAD.format(tile=4, block=5), 3e-6),
}
"""The same of a convolution."""


class Layers(nn.Module):
    """A convolution and two equal linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2 * LANES, 4 * LANES, 3, padding=1)
        self.a, self.b = nn.Linear(DEPTH, WIDTH), nn.Linear(DEPTH, WIDTH)

    def forward(self, image: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.conv(image).relu(), self.a(x), self.b(x)


def inputs() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    image = torch.randn(2, 2 * LANES, 9, 11, generator=generator)
    return image, torch.randn(ROWS, DEPTH, generator=generator)


@pytest.fixture(scope="module")
def layers() -> tuple[ExportedProgram, list[Tensor]]:
    """The program, and what it computes in float64."""
    torch.manual_seed(0)
    model = Layers().eval()
    exported = torch.export.export(model, inputs())
    with torch.no_grad():
        exact = deepcopy(model).double()
        return exported, list(exact(*(x.double() for x in inputs())))


def compiled(
    exported: ExportedProgram, schedules: Mapping[str, str], precision: str = "default"
) -> devproc.Program:
    return devproc.compile(
        exported, threads=1, precision=precision, cache=False, schedules=schedules
    )


def chosen(program: devproc.Program) -> dict[str, str]:
    """The schedules of the user, by kernel."""
    rows = program.report().schedules.rows
    return {r.kernel: r.schedule for r in rows if r.why == "chosen by the user"}


def error(found: Tensor, wanted: Tensor) -> float:
    """The largest one, relative to the largest result."""
    return float((found.double() - wanted).abs().max() / wanted.abs().max())


@pytest.mark.parametrize("name", LINEAR)
def test_linear(name: str, layers: tuple[ExportedProgram, list[Tensor]]) -> None:
    schedule, largest = LINEAR[name]
    exported, wanted = layers
    program = compiled(exported, {"linear_a": schedule})
    assert chosen(program) == {"linear_a": schedule}
    found = program(*inputs())
    assert error(found[1], wanted[1]) < largest
    assert error(found[2], wanted[2]) < 3e-6
    text = program.ir("kernels")
    (kernel,) = (
        line for line in text.splitlines() if "func private @linear_a(" in line
    )
    assert f'sched.algorithm = "{name}"' in kernel


@pytest.mark.parametrize("name", CONVOLUTION)
def test_convolution(name: str, layers: tuple[ExportedProgram, list[Tensor]]) -> None:
    schedule, largest = CONVOLUTION[name]
    exported, wanted = layers
    program = compiled(exported, {"conv2d*": schedule})
    assert list(chosen(program).values()) == [schedule]
    assert error(program(*inputs())[0], wanted[0]) < largest


def test_equal_kernels_with_and_without_a_schedule(
    layers: tuple[ExportedProgram, list[Tensor]],
) -> None:
    """They are one kernel, unless the user chose a schedule for one of them."""
    exported, wanted = layers

    def kernels(schedules: Mapping[str, str]) -> set[str]:
        rows = compiled(exported, schedules).report().schedules.rows
        return {row.kernel for row in rows if "linear" in row.kernel}

    assert kernels({}) == {"linear_a"}
    assert kernels({"linear*": REGISTER_TILE}) == {"linear_a"}
    assert kernels({"linear_b": BLOCK_FLOAT}) == {"linear_a", "linear_b"}
    plain = compiled(exported, {})
    planned = next(
        r.schedule for r in plain.report().schedules.rows if "linear" in r.kernel
    )
    program = compiled(exported, {"linear_b": planned})
    assert chosen(program) == {"linear_b": planned}
    np.testing.assert_array_equal(program(*inputs())[2], plain(*inputs())[2])
    assert error(program(*inputs())[2], wanted[2]) < 3e-6


@pytest.mark.parametrize(
    ("pattern", "schedule"),
    [
        ("linear_a", INNER_PRODUCT),
        ("linear_a", STRASSEN),
        ("linear_a", BLOCK_FLOAT),
        ("conv2d*", WINOGRAD.format(tile=2, block=10)),
    ],
)
def test_strict_has_none_of_these(
    pattern: str, schedule: str, layers: tuple[ExportedProgram, list[Tensor]]
) -> None:
    with pytest.raises(CompileError, match=r"cannot have the schedule .* not strict"):
        compiled(layers[0], {pattern: schedule}, "strict")


@pytest.mark.parametrize(
    ("pattern", "schedule", "message"),
    [
        ("linear_a", WINOGRAD.format(tile=2, block=10), r"is not a \(3, 3, I, O\)"),
        ("conv2d*", STRASSEN, r"is not an \(N, K\)"),
        (
            "linear_a",
            STRASSEN.replace(f"strassen<{2 * LANES}", f"strassen<{3 * LANES}"),
            f"of 2 x 2 blocks of panels of {3 * LANES}",
        ),
        ("linear_a", BLOCK_FLOAT.replace("rows = 7", "rows = 9"), "are not tiles of 9"),
        (
            "linear_a",
            TILE.format(weight=f"#dev.layout<[1, 0], [{LANES}, 1]>", rows=7),
            "in panels along dimension 0, such as",
        ),
        (
            "linear_a",
            TILE.format(weight="#dev.layout<[0], [16]>", rows=7),
            "dimensions",
        ),
        (
            "linear_a",
            TILE.format(weight=f"#dev.layout<[0, 1], [{LANES}, 1]>", rows=7),
            "'vectors' must make up a panel",
        ),
        (
            "linear_a",
            TILE.format(weight="none", rows=7),
            "no nest that 'register_tile'",
        ),
        ("transpose*", REGISTER_TILE, "it has no product"),
    ],
)
def test_layouts_that_cannot_be(
    pattern: str,
    schedule: str,
    message: str,
    layers: tuple[ExportedProgram, list[Tensor]],
) -> None:
    with pytest.raises(CompileError, match=r"cannot have the schedule") as raised:
        compiled(layers[0], {pattern: schedule})
    assert raised.match(message)


class Product(nn.Module):
    """A product of two inputs."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return nn.functional.linear(x, y)


def test_only_weights_are_packed() -> None:
    operands = torch.zeros(ROWS, DEPTH), torch.zeros(WIDTH, DEPTH)
    exported = torch.export.export(Product(), operands)
    with pytest.raises(CompileError, match="no weight to pack"):
        compiled(exported, {"linear*": REGISTER_TILE})
