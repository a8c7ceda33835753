"""Panels widened once for many rows: what is planned and refused; changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import (
    BlockFloatAttr,
    InnerProductAttr,
    TargetAttr,
    WeightOnlyAttr,
)
from devproc.dialects.sched import WidenedPanelsSchedule
from devproc.reference.conversion.packers import PACKERS
from devproc.targets.cpu.machine.attribute import MachineAttr
from tests.algorithms.schedules import decisions, planned, problem, run_by
from tests.cpu.linear_kernels import linear
from tests.cpu.native_kernels import kernel, memref_type

NAME = "widened_panels"
ROWS, DEPTH, COLUMNS = 37, 320, 72
RNG = np.random.default_rng(7)
FORMATS = [
    *[
        (name, group)
        for name in ("int8", "int4", "uint8", "uint4")
        for group in (32, 64)
    ],
    ("bfloat16", 64),
    ("float16", 32),
    ("float24", 40),
]
"""Formats and the terms of their blocks; float24 is block floating point."""


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def layer(
    dtype: str = "int8",
    terms: int = 32,
    rows: int = ROWS,
    depth: int = DEPTH,
    columns: int = COLUMNS,
    adders: bool = True,
    algorithm: str = NAME,
    bits: int = 512,
    **options: Any,
) -> ModuleOp:
    """relu(x w^T + bias + residual)."""
    shapes = [(rows, depth), (columns,), (rows, columns), (rows, columns)]
    x, bias, y, residual = (memref_type(floats(*shape)) for shape in shapes)
    layout = f"#dev.weight_only<{dtype}, {terms}, {bits // 16}>"
    if dtype == "float24":
        layout = f"#dev.block_float<{bits // 8}, {terms}>"
    weight = f'memref<{columns}x{depth}xf32, #dev.on<"cpu", {layout}>>'
    types = [x, weight, bias, y, residual]
    module = kernel("contraction", types, linear(types, ["m"]), algorithm=algorithm)
    extensions = ["avx512vnni"]
    machine = MachineAttr.get(
        vector_bits=bits, separate_adders=adders, extensions=extensions
    )
    target = TargetAttr.get(options={"cpu": machine}, **options)
    module.attributes["devproc.target"] = target
    return module


def packed(
    dtype: str, terms: int, columns: int = COLUMNS, depth: int = DEPTH
) -> tuple[np.ndarray, np.ndarray]:
    """A weight of random integers and scales, or floats: packed, and in float64."""
    if dtype == "float24":
        weight = torch.from_numpy(floats(columns, depth))
        words = PACKERS[BlockFloatAttr](BlockFloatAttr.get(64, terms), weight)
        return words.numpy(), weight.double().numpy()
    layout = WeightOnlyAttr.get(dtype, terms, 32)
    if not layout.stored.is_integer:
        weight = torch.from_numpy(floats(columns, depth)).to(getattr(torch, dtype))
        return PACKERS[WeightOnlyAttr](layout, weight).numpy(), weight.double().numpy()
    low, top = -layout.stored.zero, 1 << layout.stored.bits
    groups = (columns, depth // terms)
    numbers = RNG.integers(low, low + top, (*groups, terms))
    scales = RNG.uniform(0.01, 1, (*groups, 1)).astype(np.float16)
    sources = [numbers.astype(np.int8 if low else np.uint8), scales]
    zeros = RNG.integers(0, top, (*groups, 1), dtype=np.int32)
    if not low:
        sources.append(zeros)
    wide = (numbers - (0 if low else zeros)) * scales.astype(np.float64)
    words = PACKERS[WeightOnlyAttr](layout, *map(torch.from_numpy, sources)).numpy()
    return words, wide.reshape(columns, depth)


def chosen(module: ModuleOp) -> WidenedPanelsSchedule:
    """The planned schedule."""
    schedule = planned(module, NAME)
    assert isinstance(schedule, WidenedPanelsSchedule)
    return schedule


def check(
    module: ModuleOp,
    x: np.ndarray,
    stored: tuple[np.ndarray, np.ndarray],
    block: int | None = None,
    **changes: Any,
) -> None:
    """The layer is that of float64, of a weight as `packed` returns it."""
    words, weight = stored
    rows, columns = len(x), len(weight)
    bias, residual = floats(columns), floats(rows, columns)
    y = np.empty((rows, columns), np.float32)
    schedule = chosen(module)
    schedule = schedule.replace(
        block=block or schedule.block, product=schedule.product.replace(**changes)
    )
    found = run_by(module, NAME, schedule, [x, words, bias, y, residual])[3]
    wide = x.astype(np.float64)
    wanted = np.maximum(wide @ weight.T + bias + residual, 0)
    sums = np.linalg.norm(wide, axis=1)[:, None] * np.linalg.norm(weight, axis=1)
    assert (np.abs(found - wanted) <= 1e-6 * (sums + 1)).all()


def test_plan() -> None:
    assert str(planned(layer(), NAME)) == (
        "#sched.widened_panels<weight = #dev.weight_only<int8, 32, 32>, block = 320,"
        " product = #sched.inner_product<weight = #dev.inner_product<16, 144>, rows = 10,"
        " plain_rows = 5, scale_rows = 10, tiles = 4, group = 3, prefetch_panel = no,"
        " prefetch_results = [], grain = none>>"
    )


@pytest.mark.parametrize(
    ("depth", "rows", "block"),
    [
        (576, 512, 576),
        (1536, 128, 768),
        (4864, 128, 608),
        (4864, 64, 1216),
        (5632, 128, 704),
        (8192, 40, 2048),
        (11008, 128, 1376),
        (32 * 101, 128, 32 * 101),
    ],
)
def test_blocks_of_terms(depth: int, rows: int, block: int) -> None:
    """Equal blocks whose copy and widened panel fit a cache, if there are such."""
    schedule = chosen(layer("bfloat16", 32, rows=rows, depth=depth, columns=896))
    assert schedule.block == block
    assert schedule.product.rows * schedule.product.tiles >= min(rows, 64) or (
        block == depth
    )


def test_threads_share_out_the_panels() -> None:
    """Each of two blocks of rows would widen all panels."""
    product = chosen(layer(rows=128, depth=576, columns=1536, threads=2)).product
    assert (product.tiles, product.rows, product.group) == (16, 8, 12)


@pytest.mark.parametrize(
    ("dtype", "rows", "wanted"),
    [
        ("int8", 63, "weight_only"),
        ("int8", 64, NAME),
        ("bfloat16", 23, "weight_only"),
        ("bfloat16", 24, NAME),
        ("float24", 23, "block_float"),
        ("float24", 24, NAME),
    ],
)
def test_from_how_many_rows_on(dtype: str, rows: int, wanted: str) -> None:
    """The algorithm of the layout leaves many rows to this one."""
    own = "block_float" if dtype == "float24" else "weight_only"
    module = layer(dtype, rows=rows, algorithm=own)
    (decision,) = decisions(module, own)
    assert not isinstance(decision, Refusal)
    assert decision.schedule.algorithm == wanted


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"adders": False}, "additions take as long as multiply-adds"),
        ({"rows": 23}, "23 rows by 72 columns are few"),
        ({"rows": 39, "depth": 4864}, "39 rows by 72 columns are few"),
        ({"columns": 63}, "37 rows by 63 columns are few"),
        ({"precision": "strict"}, "sums of pairs are not strict"),
        (
            {"depth": 8 * 25, "terms": 8},
            "200 terms are no single loop of vectors of 16",
        ),
        ({"depth": 32}, "a block has 48 terms, of 32"),
        ({"depth": 32 * 257}, "bytes of scratch memory, of 1048576 at most"),
    ],
)
def test_what_it_does_not_take(options: dict[str, Any], reason: str) -> None:
    (decision,) = decisions(layer(**options), NAME)
    assert isinstance(decision, Refusal)
    assert reason in decision.why


def test_refusals() -> None:
    module = layer()
    schedule = chosen(module)
    product = schedule.product
    other = WeightOnlyAttr.get("int4", 32, 32)
    for changed, reason in (
        (schedule.replace(weight=other), "'weight' must be that of its memory"),
        (
            schedule.replace(product=product.replace(prefetch_panel=True)),
            "widened panels are in a cache already",
        ),
        (
            schedule.replace(product=product.replace(prefetch_results=(1,))),
            "there are 1 results",
        ),
        (
            schedule.replace(
                product=product.replace(weight=InnerProductAttr.get(16, 72))
            ),
            "thirds of blocks of 72 terms are no whole vectors",
        ),
        (schedule.replace(block=64), "a block has 144 terms, of 64"),
        (
            schedule.replace(block=80),
            "'block' must divide the 320 terms into multiples of 32",
        ),
        (
            schedule.replace(block=160, product=product.replace(prefetch_results=(0,))),
            "'prefetch_results': results follow the last slice of terms",
        ),
    ):
        assert reason in str(problem(module, NAME, changed))


@pytest.mark.parametrize(("dtype", "terms"), FORMATS)
def test_formats(dtype: str, terms: int) -> None:
    check(layer(dtype, terms), floats(ROWS, DEPTH), packed(dtype, terms))


@pytest.mark.parametrize("rows", [24, 29, 64, 130])
@pytest.mark.parametrize(
    ("columns", "depth"), [(65, 96), (80, 352), (93, 160), (128, 576)]
)
def test_sizes(rows: int, columns: int, depth: int) -> None:
    module = layer("int4", 32, rows, depth, columns)
    check(module, floats(rows, depth), packed("int4", 32, columns, depth))


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": 4, "plain_rows": 2, "scale_rows": 1},
        {"tiles": 1, "group": 1, "grain": 1},
        {"tiles": 2, "group": 2},
        {"weight": InnerProductAttr.get(16, 48)},
        {"weight": InnerProductAttr.get(16, 240)},
        {"block": 160},
        {"block": 64, "weight": InnerProductAttr.get(16, 48), "tiles": 3, "group": 2},
        {"block": 160, "tiles": 1, "group": 1, "grain": 1},
    ],
)
def test_changes(changes: dict[str, Any]) -> None:
    check(layer("uint8"), floats(ROWS, DEPTH), packed("uint8", 32), **changes)


@pytest.mark.parametrize("rows", [24, 57, 130])
@pytest.mark.parametrize(
    ("dtype", "terms", "columns"),
    [("int8", 32, 93), ("uint4", 64, 70), ("bfloat16", 64, 64)],
)
def test_long_sums(dtype: str, terms: int, columns: int, rows: int) -> None:
    """Sums of several blocks, with terms after the last third of each."""
    depth = 4 * 448
    module = layer(dtype, terms, rows, depth, columns)
    x, stored = floats(rows, depth), packed(dtype, terms, columns, depth)
    check(module, x, stored, 448, weight=InnerProductAttr.get(16, 192))


def test_uneven_columns_and_rows() -> None:
    """What pairs would make inexact is multiplied term by term, and what is not finite
    stays in its row or column."""
    weight = floats(COLUMNS, DEPTH)
    weight[0] = 0
    weight[20, ::48] *= 1e4
    weight[40] *= 1e-30
    weight[70] *= 1e25
    stored = torch.from_numpy(weight).to(torch.bfloat16)
    words = PACKERS[WeightOnlyAttr](WeightOnlyAttr.get("bfloat16", 64, 32), stored)
    x = floats(ROWS, DEPTH)
    x[1] = 0
    x[2, ::24] *= 1e4
    x[12] *= 1e-20
    x[30, 7] = np.nan
    x[31, 9] = np.inf
    module = layer("bfloat16", 64)
    y = np.empty((ROWS, COLUMNS), np.float32)
    zeros = np.zeros(COLUMNS, np.float32), np.zeros((ROWS, COLUMNS), np.float32)
    schedule = planned(module, NAME)
    arguments = [x, words.numpy(), zeros[0], y, zeros[1]]
    found = run_by(module, NAME, schedule, arguments)[3]
    wide = stored.double().numpy()
    with np.errstate(invalid="ignore"):
        wanted = x.astype(np.float64) @ wide.T
    assert np.isnan(found[30]).all()
    assert np.array_equal(np.isinf(found[31]), wanted[31] > 0)
    rest = np.isfinite(x).all(1)
    sums = np.linalg.norm(x[rest].astype(np.float64), axis=1)[:, None]
    sums = sums * np.linalg.norm(wide, axis=1)
    error = np.abs(found[rest] - np.maximum(wanted[rest], 0))
    # Products of small rows and small columns are no float32.
    assert (error <= 1e-6 * sums + 1e-37).all()
