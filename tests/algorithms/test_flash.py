"""Schedules of attention on the GPU: plans, refusals, other blocks, machine code."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any
from unittest.mock import patch

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.algorithms import algorithm, module_of
from devproc.algorithms.base import Choice, Decision
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import FlashSchedule
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.code import read_code
from tests.algorithms.overrides import overridden
from tests.targets import target_attr

FLASH = algorithm("flash")


class Causal(nn.Module):
    """Attention with options."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, **self.options)


Shape = tuple[int, ...]


@cache
def planned(
    shape: Shape,
    keys: Shape | None = None,
    dtype: torch.dtype = torch.bfloat16,
    arch: str = "sm_90",
    precision: str = "default",
    is_causal: bool = False,
) -> tuple[FlashSchedule, Any]:
    """The schedule of an attention, and its first kernel."""
    q, k = (torch.empty(s, dtype=dtype) for s in (shape, keys or shape))
    model = Causal(is_causal=is_causal, enable_gqa=keys is not None)
    with overridden("flash") as used:
        program = devproc.compile(
            torch.export.export(model, (q, k, k)),
            target="cuda:interpret",
            precision=precision,
            arch=arch,
            cache=False,
        )
    (schedule,) = used
    assert isinstance(schedule, FlashSchedule)
    return schedule, next(
        iter(read_code(program.artifact.code["cuda"]).kernels.values())
    )


@pytest.mark.parametrize(
    ("given", "schedule"),
    [
        ({}, "queries = 64, keys = 64, warps = 4, stages = 3, mask = apply, precision = ieee"),
        (
            {"is_causal": True, "dtype": torch.float32},
            "queries = 64, keys = 64, warps = 4, stages = 2, mask = skip, precision = tf32x3",
        ),
        (
            {"is_causal": True, "dtype": torch.float32, "precision": "strict"},
            "queries = 64, keys = 32, warps = 4, stages = 2, mask = apply, precision = ieee",
        ),
        # More queries of large heads do not fit the registers.
        (
            {"shape": (4, 16, 128, 256), "arch": "sm_80"},
            "queries = 32, keys = 32, warps = 4, stages = 2, mask = apply, precision = ieee",
        ),
        # Few programs: smaller blocks.
        (
            {"shape": (1, 12, 128, 128)},
            "queries = 64, keys = 32, warps = 4, stages = 3, mask = apply, precision = ieee",
        ),
        # The last block of keys is not whole.
        (
            {"shape": (1, 12, 500, 64)},
            "queries = 64, keys = 64, warps = 4, stages = 3, mask = skip, precision = ieee",
        ),
        (
            {"shape": (1, 12, 500, 64), "dtype": torch.float32},
            "queries = 64, keys = 64, warps = 4, stages = 2, mask = apply, precision = tf32x3",
        ),
        # Queries that share keys are rows of one block.
        (
            {"shape": (8, 32, 1, 128), "keys": (8, 8, 120, 128)},
            "queries = 16, keys = 32, warps = 4, stages = 3, mask = skip, precision = ieee",
        ),
    ],
)  # fmt: skip
def test_plans(given: dict[str, Any], schedule: str) -> None:
    found, _ = planned(**({"shape": (4, 16, 1024, 64)} | given))
    assert str(found) == f"#sched.flash<{schedule}>"


def test_programs_of_a_gqa_head_share_its_keys() -> None:
    _, kernel = planned((8, 32, 1, 128), (8, 8, 120, 128))
    assert kernel.grid == (64, 1, 1)


CHANGES = [
    {"queries": 16, "keys": 16},
    {"queries": 128, "keys": 128, "warps": 8},
    {"mask": "apply"},
    {"queries": 32, "keys": 64, "precision": "ieee"},
]


@pytest.mark.parametrize(
    ("change", "is_causal"),
    [*((c, True) for c in CHANGES), ({"keys": 16}, False), ({"mask": "apply"}, False)],
    ids=str,
)
def test_other_schedules_give_right_values(
    change: dict[str, Any], is_causal: bool
) -> None:
    rng = torch.Generator().manual_seed(0)
    inputs = tuple(torch.randn(2, 1, 70, 20, generator=rng) for _ in range(3))
    model = Causal(is_causal=is_causal)
    with overridden("flash", lambda planned: planned.replace(**change)) as used:
        exported = torch.export.export(model, inputs)
        program = devproc.compile(exported, target="cuda:interpret", cache=False)
    assert len(used) == 1
    exact = model(*(x.double() for x in inputs))
    torch.testing.assert_close(program(*inputs).double(), exact, rtol=1e-5, atol=2e-6)


def test_refusals() -> None:
    kernel = queries_of_16()
    target = target_attr("cuda", precision="strict")
    decision = FLASH.plan(kernel, "attention", target)
    assert isinstance(decision, Choice)
    schedule = decision.schedule

    def problem(**changes: Any) -> str | None:
        return FLASH.problem(kernel, schedule.replace(**changes), target)

    assert problem() is None
    assert problem(precision="tf32x3") == (
        "'precision' must be ieee where the target's is strict"
    )
    assert problem(mask="skip", keys=64) == (
        "'mask' must be apply: nothing says which keys are hidden"
    )
    assert problem(queries=1 << 17) == (
        "a block of 131072 x 32 has more than Triton's 1048576 elements"
    )


def queries_of_16() -> Any:
    """The nest of a small attention."""
    q = torch.empty(2, 33, 16)
    nests: list[Any] = []

    def plan(nest: Any, family: str, target: TargetAttr) -> Decision:
        nests.append(nest)
        return FLASH.plan(nest, family, target)

    package = module_of("flash")
    with patch(f"{package}.ALGORITHM", replace(FLASH, plan=plan)):
        algorithm.cache_clear()
        exported = torch.export.export(Causal(), (q, q, q))
        devproc.compile(exported, target="cuda:interpret", cache=False)
    algorithm.cache_clear()
    return nests[0]


def test_a_last_block_of_keys_that_is_not_whole_does_not_spill() -> None:
    _, kernel = planned((1, 6, 421, 64), dtype=torch.float32)
    assert compile_kernel(kernel, "sm_90").resources().spilled_bytes == 0


MACHINE_CODE = [
    ("sm_90", 64, torch.bfloat16),
    ("sm_90", 128, torch.bfloat16),
    ("sm_90", 128, torch.float32),
    ("sm_80", 128, torch.bfloat16),
]


@pytest.mark.parametrize(("arch", "depth", "dtype"), MACHINE_CODE, ids=str)
def test_machine_code(arch: str, depth: int, dtype: torch.dtype) -> None:
    """Tensor cores in both products, no spills, and loads of 16 bytes."""
    schedule, kernel = planned(
        (4, 16, 1024, depth), dtype=dtype, arch=arch, is_causal=True
    )
    found = compile_kernel(kernel, arch).resources()
    assert found.spilled_bytes == 0
    assert found.count("LDL", "STL") == 0
    name, elements = ("HGMMA", 64) if arch == "sm_90" else ("HMMA", 16)
    # Each product of a loop takes at least one instruction for so many rows.
    warps = 4 if arch == "sm_90" else 1
    least = 4 * schedule.queries // elements // (schedule.warps // warps)
    assert found.count(name) >= least
    assert found.count("LDG") < 40
    assert found.shared_bytes <= (227 if arch == "sm_90" else 163) * 1024
