"""Programs for several architectures: kernels as each of them is planned, in one file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

import devproc
from devproc.targets.triton import binaries
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.backend import Triton
from devproc.targets.triton.code import GPUCode, read_code
from devproc.targets.triton.recording.recorder import Recorder
from tests.triton.recorded import on_device, program_of
from tests.triton.test_code import ALONE, binary
from tests.triton.test_recorder import KERNEL

ARCHS = "sm_90,sm_86"


class Layer(nn.Module):
    """A linear layer, a norm and a reduction."""

    def __init__(self, terms: int, outputs: int):
        super().__init__()
        self.linear, self.norm = nn.Linear(terms, outputs), nn.LayerNorm(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalised results."""
        return self.norm(self.linear(x))


def code_of(program: devproc.Program) -> GPUCode:
    """The code of a program for the GPU."""
    return read_code(program.artifact.code["cuda"])


def test_each_architecture_has_its_tiles() -> None:
    """Three stages of the tile for 227 KB of shared memory do not fit 99 KB."""
    model = nn.Linear(1024, 2048).to(torch.bfloat16)
    x = torch.randn(2048, 1024).to(torch.bfloat16)
    both, alone = (
        code_of(program_of(model, x, arch=archs, cache=False))
        for archs in (ARCHS, "sm_86")
    )
    assert both.variants.keys() == {"sm_90", "sm_86"}
    assert alone.variants == {}
    for name, kernel in both.kernels_for("sm_86").items():
        wanted = replace(alone.kernels[name], name=f"{name}_sm_86")
        wanted = replace(wanted, source=kernel.source)
        assert kernel == wanted
        assert kernel.grid != both.kernels[name].grid
    assert both.kernels_for("sm_90") == both.kernels_for("sm_100") == both.kernels
    assert both.kernels_for("sm_89") == both.kernels_for("sm_86")
    made = binaries.add_binaries(both, ["sm_90", "sm_86"])
    for each, cubin in made.binaries:
        kernel, gpu = both.kernels_for(each.arch)[each.kernel], find_arch(each.arch)
        assert "0 bytes spilled" in binaries.describe(each, cubin)
        assert each.shared_bytes <= gpu.program_shared_bytes
        # Binaries have fewer stages than planned where those do not fit.
        assert compile_kernel(kernel, each.arch).shared_bytes == each.shared_bytes
    assert [each.kernel for each, _ in made.binaries] == 2 * list(both.kernels)
    assert Triton().problems(made.to_bytes(), {}) == []


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, torch.Tensor, torch.Tensor]:
    """A program with machine code for two architectures, an input, and its result."""
    torch.manual_seed(0)
    model = Layer(256, 200).to(torch.bfloat16)
    x = torch.randn(100, 256).to(torch.bfloat16)
    program = program_of(model, x, arch=ARCHS, cache=False)
    made = binaries.add_binaries(code_of(program), ["sm_90", "sm_86"])
    program.artifact = replace(program.artifact, code={"cuda": made.to_bytes()})
    program.save(tmp_path / "layer.devproc")
    return tmp_path / "layer.devproc", x, model.double()(x.double())


@pytest.mark.parametrize(
    ("card", "kernel"),
    [("sm_90", "linear"), ("sm_86", "linear_sm_86"), ("sm_89", "linear_sm_86")],
)
def test_a_card_runs_what_is_planned_for_it(
    saved: tuple[Path, torch.Tensor, torch.Tensor],
    card: str,
    kernel: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, x, wanted = saved
    monkeypatch.setattr(binaries, "fitting", lambda *given: pytest.fail("compiled"))
    recorder = Recorder(card)
    with on_device(recorder):
        found = devproc.load(path)(x)
    torch.testing.assert_close(found.double(), wanted, rtol=0.02, atol=0.05)
    assert kernel in [record.name for record in recorder.log]


def test_schedules_of_the_user_are_kept_where_they_are_legal() -> None:
    model = nn.Linear(256, 200).to(torch.bfloat16)
    x = torch.randn(100, 256).to(torch.bfloat16)
    fields = (
        "m = 32, n = 64, k = 64, warps = 4, stages = 2, group = 1, precision = ieee"
    )
    tile = f"#sched.block_tile<{fields}>"
    stream = f"#sched.persistent_tile<{fields}, programs = 3, loads = descriptors>"
    for schedule in (tile, stream):
        schedules = {"linear*": schedule}
        program = program_of(model, x, arch=ARCHS, cache=False, schedules=schedules)
        code = code_of(program)
        # Neither is planned again: descriptors become pointers where there is no TMA.
        assert code.kernels_for("sm_86")["linear"] == code.kernels["linear"]
    made = binaries.add_binaries(code, ["sm_86"])
    assert made.binaries[0][0].scratch_bytes == 0


def test_variants_are_part_of_the_code() -> None:
    other = replace(KERNEL, name="double_sm_80", grid=(2, 1, 1))
    variants = {"sm_90": {}, "sm_80": {"double": other}}
    code = GPUCode({"double": KERNEL}, (binary("sm_80"),), variants)
    assert read_code(code.to_bytes()) == code
    assert Triton().problems(code.to_bytes(), ALONE) == []
    assert code.kernels_for("sm_80") == code.kernels_for("sm_86") == {"double": other}
    assert code.kernels_for("sm_75") == code.kernels_for("sm_90") == code.kernels


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"num_warps": 3}, "grid, number of warps or stages that no GPU has"),
        ({"arg_types": ("*fp32",)}, r"variants\['sm_80'\]: 'double' takes other"),
    ],
)
def test_variants_that_do_not_fit(changed: dict[str, object], message: str) -> None:
    other = replace(KERNEL, name="double_sm_80", **changed)  # pyright: ignore[reportArgumentType]
    code = GPUCode({"double": KERNEL}, (), {"sm_80": {"double": other}})
    (found,) = Triton().problems(code.to_bytes(), ALONE)
    assert re.search(message, found)
