"""Weights in fewer bits: what is planned and refused; legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.dev import TargetAttr, WeightOnlyAttr
from devproc.reference.conversion.packers import PACKERS
from devproc.targets.cpu.jit import assembly
from devproc.targets.cpu.machine.attribute import MachineAttr
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.machine.processors import CPUS
from tests.algorithms.schedules import decisions, planned, problem, run_by
from tests.cpu.assembly_loops import inner_loops
from tests.cpu.linear_kernels import linear
from tests.cpu.native_kernels import kernel, llvm_text, memref_type, run_passes
from tests.vectors import needs

NAME = "weight_only"
ROWS, DEPTH, COLUMNS = 5, 96, 93
RNG = np.random.default_rng(3)
VNNI = {"extensions": ["avx512vnni"]}
PAIRS: dict[str, Any] = {
    "dtype": "int4",
    "width": 16,
    "vector_bits": 256,
    "extensions": ["avx2"],
}

needs_vnni = pytest.mark.skipif(
    "avx512vnni" not in CPUTarget.host().present, reason="needs AVX-512 with VNNI"
)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def layer(
    dtype: str = "int8",
    terms: int = 32,
    width: int = 32,
    rows: int = ROWS,
    **options: Any,
) -> ModuleOp:
    """relu(x w^T + bias + residual)."""
    shapes = [(rows, DEPTH), (COLUMNS,), (rows, COLUMNS), (rows, COLUMNS)]
    x, bias, y, residual = (memref_type(floats(*shape)) for shape in shapes)
    layout = f"#dev.weight_only<{dtype}, {terms}, {width}>"
    weight = f'memref<{COLUMNS}x{DEPTH}xf32, #dev.on<"cpu", {layout}>>'
    types = [x, weight, bias, y, residual]
    return kernel("contraction", types, linear(types, ["m"]), **{**VNNI, **options})


def packed(dtype: str, terms: int, width: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """A weight of random integers and scales, or floats: packed, and in float64."""
    layout = WeightOnlyAttr.get(dtype, terms, width)
    if not layout.stored.is_integer:
        weight = torch.from_numpy(floats(COLUMNS, DEPTH)).to(getattr(torch, dtype))
        return PACKERS[WeightOnlyAttr](layout, weight).numpy(), weight.double().numpy()
    low, top = -layout.stored.zero, 1 << layout.stored.bits
    shape = (COLUMNS, DEPTH // terms, terms)
    numbers = RNG.integers(low, low + top, shape)
    scales = RNG.standard_normal((*shape[:2], 1)).astype(np.float16)
    sources = [numbers.astype(np.int8 if low else np.uint8), scales]
    if not low:
        sources.append(RNG.integers(0, top, (*shape[:2], 1), dtype=np.int32))
    zeros = 0 if low else sources[2]
    wide = (numbers - zeros) * scales.astype(np.float64)
    words = PACKERS[WeightOnlyAttr](layout, *map(torch.from_numpy, sources)).numpy()
    return words, wide.reshape(COLUMNS, DEPTH)


def test_plan() -> None:
    assert str(planned(layer(), NAME)) == (
        "#sched.weight_only<weight = #dev.weight_only<int8, 32, 32>, digits = 3, rows = 4,"
        " block = 5, ahead = 4096, accumulators = 8, row_grain = none, grain = 1>"
    )


@pytest.mark.parametrize(
    ("options", "digits"),
    [
        ({"precision": "fast"}, 1),
        ({"precision": "fast", "rows": 130}, 1),
        ({"precision": "strict"}, 0),
        ({"extensions": []}, 0),
        ({"dtype": "float16"}, 0),
        ({"width": 16, "vector_bits": 256, "extensions": ["avxvnni"]}, 3),
        ({"width": 16, "vector_bits": 256}, 0),
        ({**PAIRS, "rows": 1}, 3),
        ({**PAIRS, "rows": 2}, 0),
        ({**PAIRS, "rows": 130, "precision": "fast"}, 1),
        ({"width": 16, "vector_bits": 256, "extensions": ["avx2"]}, 0),
        ({"width": 8, "vector_bits": 128, "extensions": ["dotprod"]}, 3),
    ],
)
def test_bytes_of_a_number(options: dict[str, Any], digits: int) -> None:
    assert planned(layer(**options), NAME).values["digits"] == digits


def test_where_prefetches_are_slow() -> None:
    """Into the L2 cache only where the loop takes as long as memory."""
    extensions = VNNI["extensions"]
    machine = MachineAttr.get(vector_bits=512, prefetch_level=2, extensions=extensions)
    least: dict[str, int] = {}
    for dtype in ("int8", "int4", "bfloat16", "float16"):
        for rows in (3, 2, 1):
            module = layer(dtype, rows=rows)
            target = TargetAttr.get(options={"cpu": machine})
            module.attributes["devproc.target"] = target
            if planned(module, NAME).values["ahead"] == 12288:
                least[dtype] = rows
    assert least == {"int8": 2, "int4": 1, "bfloat16": 3, "float16": 2}


def test_what_it_does_not_take() -> None:
    (decision,) = decisions(layer(width=16), NAME)
    assert "panels of 16 columns are not 2 vectors of 16" in str(decision)


@pytest.mark.parametrize(
    ("options", "changes", "reason"),
    [
        ({}, {"block": 6}, "'block' must be at most the 5 rows"),
        (
            {"extensions": []},
            {"digits": 1},
            "'digits' needs a processor with avx512vnni",
        ),
        ({"dtype": "bfloat16"}, {"digits": 2}, "must be 0 for a weight of bfloat16"),
        (
            {"width": 16, "vector_bits": 256, "extensions": ["avx2"]},
            {"digits": 1},
            "'digits' needs a processor with avxvnni",
        ),
        (
            {},
            {"weight": WeightOnlyAttr.get("int4", 32, 32)},
            "must be that of its memory",
        ),
    ],
)
def test_refusals(
    options: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    module = layer(**options)
    schedule = planned(module, NAME).replace(**changes)
    assert reason in str(problem(module, NAME, schedule))


@needs_vnni
@pytest.mark.parametrize(
    ("dtype", "changes", "error"),
    [
        ("int8", {"digits": 3, "rows": 1, "block": 2, "grain": 2}, 1e-6),
        ("int4", {"digits": 3, "rows": 5, "ahead": 0}, 1e-6),
        ("int8", {"digits": 2, "rows": 2}, 1e-3),
        ("int4", {"digits": 1, "block": 1}, 0.1),
        ("int4", {"digits": 1, "rows": 3, "row_grain": 2, "grain": 1}, 0.1),
        ("int8", {"digits": 0, "rows": 3, "accumulators": 32}, 1e-6),
        ("int4", {"digits": 0, "rows": 1, "accumulators": 1, "grain": 1}, 1e-6),
        ("uint8", {"digits": 3, "rows": 2}, 1e-6),
        ("uint4", {"digits": 2, "rows": 1, "block": 1}, 1e-3),
        ("uint8", {"digits": 0, "rows": 2}, 1e-6),
        ("bfloat16", {"rows": 2, "ahead": 64}, 1e-6),
        ("float16", {"rows": 4, "grain": 3}, 1e-6),
    ],
)
def test_changes_compute_a_layer(
    dtype: str, changes: dict[str, Any], error: float
) -> None:
    x, bias = floats(ROWS, DEPTH), floats(COLUMNS)
    y, residual = floats(ROWS, COLUMNS), floats(ROWS, COLUMNS)
    words, weight = packed(dtype, 32)
    module = layer(dtype)
    schedule = planned(module, NAME).replace(**changes)
    found = run_by(module, NAME, schedule, [x, words, bias, y, residual])[3]
    wanted = x.astype(np.float64) @ weight.T + bias + residual
    largest = np.abs(wanted).max()
    np.testing.assert_allclose(
        found, np.maximum(wanted, 0), rtol=0, atol=error * largest
    )


@needs_vnni
@pytest.mark.parametrize("rows", [1, 2, 3, 8, 33, 130])
@pytest.mark.parametrize(
    ("dtype", "terms"),
    [(name, n) for name in ("int8", "int4", "uint8", "uint4") for n in (32, 96)],
)
def test_rows(dtype: str, terms: int, rows: int) -> None:
    """As accurate as float32, also where the sum of a group is the largest possible."""
    x, bias = floats(rows, DEPTH), np.zeros(COLUMNS, np.float32)
    x[0] = np.where(np.arange(DEPTH) // terms % 2, 3.0, -3.0)
    y, residual = np.zeros((2, rows, COLUMNS), np.float32)
    layout = WeightOnlyAttr.get(dtype, terms, 32)
    low, top = -layout.stored.zero, 1 << layout.stored.bits
    numbers = RNG.integers(low, low + top, (COLUMNS, DEPTH // terms, terms))
    numbers[0], numbers[1] = low, low + top - 1
    scales = np.ones((COLUMNS, DEPTH // terms, 1), np.float16)
    sources = [numbers.astype(np.int8 if low else np.uint8), scales]
    zeros = np.zeros(scales.shape, np.int32)
    if not low:
        zeros[1::2] = top - 1
        sources.append(zeros)
    words = PACKERS[WeightOnlyAttr](layout, *map(torch.from_numpy, sources)).numpy()
    module = layer(dtype, terms, rows=rows)
    schedule = planned(module, NAME)
    assert schedule.values["digits"] == 3
    found = run_by(module, NAME, schedule, [x, words, bias, y, residual])[3]
    weight = (numbers - zeros).reshape(COLUMNS, DEPTH).astype(np.float64)
    wanted = np.maximum(x.astype(np.float64) @ weight.T, 0)
    norms = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(weight, axis=1)
    assert (np.abs(found - wanted) <= 5e-7 * norms).all()


def as_bytes(x: np.ndarray, terms: int) -> np.ndarray:
    """Numbers as one signed byte each, with a float32 scale for each group of terms."""
    groups = x.reshape(len(x), -1, terms)
    largest = np.abs(groups).max(-1, keepdims=True)
    numbers = np.rint(groups * np.float64(np.float32(127) / largest))
    return (numbers * (largest * np.float32(1 / 127))).reshape(x.shape)


@needs_vnni
@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 17, 64, 128, 130])
@pytest.mark.parametrize(
    ("dtype", "terms"),
    [(name, n) for name in ("int8", "int4", "uint8", "uint4") for n in (32, 96)],
)
def test_rows_of_one_byte(dtype: str, terms: int, rows: int) -> None:
    """As accurate as float32 with rows rounded to bytes: that is the only error, and at most
    1/254 of a group's largest number. Rows without bytes have none."""
    x, bias = floats(rows, DEPTH), np.zeros(COLUMNS, np.float32)
    x *= 4.0 ** RNG.integers(-9, 9, (rows, 1))
    x[-1] *= np.float32(1e-30) if rows > 7 else 1
    x[0, :terms] = np.where(np.arange(terms) % 3, 2.0, -2.0)
    y, residual = np.zeros((2, rows, COLUMNS), np.float32)
    words, weight = packed(dtype, terms)
    module = layer(dtype, terms, rows=rows, precision="fast")
    schedule = planned(module, NAME)
    assert schedule.values["digits"] == 1
    found = run_by(module, NAME, schedule, [x, words, bias, y, residual])[3]
    rounded = as_bytes(x, terms)
    rounded[-1] = x[-1] if rows > 7 else rounded[-1]
    wanted, exact = (np.maximum(a @ weight.T, 0) for a in (rounded, np.float64(x)))
    norms = np.linalg.norm(np.float64(x), axis=1)[:, None]
    norms = norms * np.linalg.norm(weight, axis=1)
    assert (np.abs(found - wanted) <= 5e-7 * norms).all()
    largest = np.abs(x).reshape(rows, -1, terms).max(-1).repeat(terms, 1)
    most = largest / 254 @ np.abs(weight).T + 5e-7 * norms
    assert (np.abs(found - exact) <= most).all()


@needs_vnni
@pytest.mark.parametrize("rows", [1, 9, 67])
def test_rows_of_one_byte_that_are_not_finite(rows: int) -> None:
    """Are summed in floats, and leave the others alone."""
    x, bias = floats(rows, DEPTH), floats(COLUMNS)
    y, residual = np.zeros((2, rows, COLUMNS), np.float32)
    words, weight = packed("int8", 32)

    def run() -> np.ndarray:
        module = layer(rows=rows, precision="fast")
        arguments = [x, words, bias, y, residual]
        return run_by(module, NAME, planned(module, NAME), arguments)[3]

    before = run().copy()
    x[rows // 2, 33] = np.nan
    x[rows - 1, 5] = np.inf
    found = run()
    is_changed = np.isin(np.arange(rows), (rows // 2, rows - 1))
    np.testing.assert_array_equal(found[~is_changed], before[~is_changed])
    with np.errstate(invalid="ignore"):
        wanted = np.maximum(x[is_changed].astype(np.float64) @ weight.T + bias, 0)
    np.testing.assert_array_equal(found[is_changed], wanted)


@pytest.mark.parametrize("digits", [1, 2, 3])
@pytest.mark.parametrize(
    ("dtype", "terms"), [("int4", 32), ("int4", 96), ("uint4", 32)]
)
def test_pairs_of_bytes_compute_a_layer(dtype: str, terms: int, digits: int) -> None:
    """AVX2: sums of two products, of which the largest are 2 * 15 * 127."""
    needs("x86-64-v3")
    x, bias = floats(ROWS, DEPTH), floats(COLUMNS)
    x[0] = np.where(np.arange(DEPTH) % 3, -1, 1)
    y, residual = floats(ROWS, COLUMNS), floats(ROWS, COLUMNS)
    words, weight = packed(dtype, terms, 16)
    module = layer(dtype, terms, cpu="x86-64-v3", width=16, extensions=["avx2"])
    schedule = planned(module, NAME).replace(digits=digits, rows=digits)
    found = run_by(module, NAME, schedule, [x, words, bias, y, residual])[3]
    wanted = x.astype(np.float64) @ weight.T + bias + residual
    error = 8 * 256.0**-digits * np.abs(wanted).max()
    np.testing.assert_allclose(found, np.maximum(wanted, 0), rtol=0, atol=error)


@pytest.mark.parametrize(
    ("rows", "precision"), [(1, "default"), (1, "fast"), (66, "fast")]
)
@pytest.mark.parametrize(
    ("cpu", "extension", "dtype", "wanted", "other"),
    [
        ("x86-64-v3", "avx2", "int4", "vpmaddubsw", "vfmadd"),
        ("x86-64-v3", "avx2", "int8", "vfmadd", "vpmaddubsw"),
        ("aarch64", "dotprod", "int8", "sdot", "fmla"),
        ("aarch64", "dotprod", "int4", "sdot", "fmla"),
        ("aarch64", "dotprod", "uint8", "sdot", "fmla"),
        ("aarch64", None, "int8", "fmla", "sdot"),
    ],
)
def test_the_inner_loop_of_other_processors(
    cpu: str,
    extension: str | None,
    dtype: str,
    wanted: str,
    other: str,
    rows: int,
    precision: str,
) -> None:
    """The instructions that multiply the words of a group: bytes, or floats."""
    known = CPUS[cpu]
    extensions = [] if extension is None else [extension]
    width = 2 * known.vector_bits // 32
    options = {"rows": rows, "precision": precision, "extensions": extensions}
    module = layer(dtype, cpu=cpu, width=width, **options)
    text = llvm_text(run_passes(module))
    features = ",".join(f"+{name}" for name in (*known.features, *extensions))
    triple = f"{known.architecture}-unknown-linux-gnu"
    target = CPUTarget(triple, known.llvm_name, features)
    loops = ["\n".join(loop) for loop in inner_loops(assembly(text, target))]
    assert any(wanted in loop and other not in loop for loop in loops)
    if wanted in ("vfmadd", "fmla"):
        assert not any(other in loop for loop in loops)
