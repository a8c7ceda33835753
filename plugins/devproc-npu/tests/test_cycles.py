"""Cycles of the simulator beside those of ScaleSim, and of the estimate.

`scalesim_cycles.json` is what ScaleSim 3.0.0 reported (`benchmarks/scalesim.py`).
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from devproc_npu.estimate import estimate
from devproc_npu.isa import Type
from devproc_npu.machine import Machine
from devproc_npu.shapes import Convolution, Tiling
from devproc_npu.tiling import best_tiling
from test_product import run
from test_simulator import BOUNDLESS, scalesim_cycles

RECORDED = [
    tuple(row)
    for row in json.loads(
        Path(__file__).with_name("scalesim_cycles.json").read_text(encoding="utf-8")
    )["cycles"]
]
AROUND = 5
"""The loads of scales and weights, the last requantisation, the store, and ScaleSim's count
from zero: a cycle for each, as memories and the vector unit take no more."""


@pytest.mark.parametrize(("m", "n", "k", "cycles"), RECORDED)
def test_boundless_machine_takes_the_cycles_of_scalesim(
    m: int, n: int, k: int, cycles: int
) -> None:
    assert cycles == scalesim_cycles(m, n, k)
    machine = replace(BOUNDLESS, bandwidth=1 << 40, lanes=1 << 40, shadow=False)
    counters = run(Convolution(1, m, n, k), Tiling(1, m, 16, k, "left"), machine)
    assert counters.cycles == cycles + AROUND


@pytest.mark.parametrize(
    ("m", "n", "k"), [(77, 128, 768), (128, 128, 768), (357, 100, 603)]
)
def test_memories_cost_little(m: int, n: int, k: int) -> None:
    """Without shadow weights at most 10 % over ScaleSim."""
    counters = run(Convolution(1, m, n, k), machine=Machine(shadow=False))
    assert scalesim_cycles(m, n, k) < counters.cycles < 1.1 * scalesim_cycles(m, n, k)


@pytest.mark.parametrize(
    ("c", "least"),
    [
        (Convolution(1, 128, 256, 768), 0.98),
        (Convolution(1, 128, 128, 3072), 0.98),
        (Convolution(28, 28, 64, 64, (3, 3)), 0.95),
        (Convolution(7, 7, 64, 512, (3, 3)), 0.90),
        # The array computes 7 blocks of columns and 38 pieces of the sum.
        (Convolution(17, 21, 100, 67, (3, 3)), 0.75),
    ],
    ids=str,
)
def test_shadow_weights_keep_the_array_busy(c: Convolution, least: float) -> None:
    """Also: the estimate is within 5 % of the simulator."""
    machine = Machine()
    tiling = best_tiling(c, machine, Type.INT8)
    counters = run(c, tiling)
    assert counters.utilization > least
    estimated = estimate(c, tiling, machine, Type.INT8)
    assert estimated == pytest.approx(counters.cycles, rel=0.05)
