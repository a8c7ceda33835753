"""No pass is quadratic in ops: calls of functions per op, which no load disturbs."""

from __future__ import annotations

import cProfile
import sys
from pathlib import Path

import pytest

from devproc.driver import make_context, run_pass
from devproc.ir.verification.verify import verify_module
from devproc.stages import STAGES

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from pass_scaling import SHAPES, program

SMALL, LARGE = 64, 256
MOST_GROWTH = 2.5
"""Of calls per op; 4 is quadratic. Kernels that only the large program has twice are
compared there and not in the small one, which is growth to a bound."""
LAST = "buffers"
"""Later passes work on distinct kernels, whose number and length is bounded here."""


def calls_by_pass(shape: str, count: int) -> dict[str, int]:
    """How many function calls each pass and each verification makes."""
    module, context = program(shape, count), make_context()
    calls: dict[str, int] = {}

    def counted(name: str, action: object, *args: object) -> None:
        profile = cProfile.Profile()
        profile.runcall(action, *args)  # type: ignore[arg-type]
        calls[name] = sum(entry.callcount for entry in profile.getstats())

    for stage in STAGES:
        for name in stage.passes:
            counted(name, run_pass, name, module, context, stage.name)
        counted(f"verify {stage.name}", verify_module, module)
        if stage.name == LAST:
            break
    return calls


@pytest.mark.parametrize("shape", SHAPES)
def test_calls_grow_with_the_program_and_not_faster(shape: str) -> None:
    calls_by_pass(shape, 8)  # Imports of modules are no work of passes.
    small, large = calls_by_pass(shape, SMALL), calls_by_pass(shape, LARGE)
    growth = {
        name: large[name] / small[name] / (LARGE / SMALL)
        for name in large
        if large[name] > 20 * LARGE and small[name] > 20 * SMALL
    }
    assert growth
    assert not {name: r for name, r in growth.items() if r > MOST_GROWTH}
