"""The machine code of the kernels of the benchmark models and of the zoo.

`tests/triton/machine_code.json` says what is wrong with each of them; what is drawn here
is lowered and compiled again. Another tree draws other cases, the same tree the same.
"""

from __future__ import annotations

import hashlib
import random
from fnmatch import filter as filter_by_pattern

import pytest
import torch
import triton
from torch import nn
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.cost.program_kernels import program_kernels
from devproc.targets.triton.cost.quality import problems as problems_of
from devproc.targets.triton.cost.work import Access, Dot, Work
from devproc.targets.triton.machine_code import Instruction, MachineCode
from tests.machine_code import (
    FILE,
    KNOWN,
    NOT_EXPORTED,
    ZOO_FILE,
    Figures,
    Stored,
    cases,
    compiled,
    exported,
    kernels_of,
    missing,
    problems_in,
    programs,
    read,
    stale,
    unknown,
)
from tests.repository import PACKAGE

DRAWN = 2
"""Cases that are lowered again, and kernels of each that are compiled again."""


def drawn(stored: Stored, count: int) -> list[str]:
    """Cases that depend on the sources of the compiler alone."""
    sources = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        sources.update(path.read_bytes())
    possible = [c for c in sorted(stored) if c.rpartition("@")[0] in programs()]
    return random.Random(sources.digest()).sample(possible, count)


def test_kernels_are_as_an_expert_writes_them() -> None:
    found = problems_in(read()) | problems_in(read(ZOO_FILE))
    assert unknown(found) == []
    assert [known for known in KNOWN if not filter_by_pattern(found, known)] == []


def test_every_program_is_there() -> None:
    stored = read()
    assert [c for p in programs() for c in cases(p) if c not in stored] == []
    assert missing(read(ZOO_FILE)) == []


@pytest.mark.parametrize("left_out", NOT_EXPORTED)
def test_what_is_left_out_cannot_be_exported(left_out: str) -> None:
    with pytest.raises(GuardOnDataDependentSymNode, match="data-dependent"):
        exported(*left_out.split("@"))


@pytest.mark.parametrize("number", range(DRAWN))
def test_the_file_says_what_the_compiler_makes(number: int) -> None:
    stored = read()
    case = drawn(stored, DRAWN)[number]
    kernels = kernels_of(case)
    assert stale(case, kernels, stored) == []
    if f'"triton": "{triton.__version__}"' not in FILE.read_text():
        pytest.skip(f"the file is not of Triton {triton.__version__}")
    names = random.Random(case).sample(sorted(kernels), min(DRAWN, len(kernels)))
    again = compiled({name: kernels[name] for name in names}, case[-5:], processes=1)
    assert again == {name: stored[case][name] for name in names}


def test_a_program_of_the_zoo_is_as_an_expert_writes_it() -> None:
    stored = read(ZOO_FILE)
    (case,) = drawn(stored, 1)
    kernels = kernels_of(case)
    # Those that have changed since the file was made say more.
    names = sorted(kernels.keys() - stored[case].keys()) or sorted(kernels)
    names = random.Random(case).sample(names, min(DRAWN, len(names)))
    found = compiled({name: kernels[name] for name in names}, case[-5:], processes=1)
    assert unknown(problems_in({case: found})) == []


def test_a_changed_kernel_is_noticed() -> None:
    case = "form/softmax_4096x1000@float32-sm_80"
    kernels = kernels_of(case)
    ((name, kernel),) = kernels.items()
    figures: Figures = {name: "64 0"}
    assert stale(case, kernels, {case: figures}) == []
    (message,) = stale(case, {"0": kernel}, {case: figures})
    assert message == (
        f"{case}: {kernel.kernel.name} (0) is new; run python -m tests.machine_code"
    )
    found = problems_in({case: {name: "64 0 spills registers, 2-byte loads"}})
    assert found == {f"{case}: spills registers", f"{case}: 2-byte loads"}
    assert unknown([*found, *KNOWN]) == sorted(found)


@pytest.mark.parametrize(
    ("count", "element", "others", "is_narrow"),
    [
        (31, "bf16", 0, False),
        (32, "bf16", 0, True),
        (32, "f32", 0, False),
        (63, "bf16", 4096, False),
        (64, "bf16", 4096, True),
    ],
)
def test_factors_are_not_loaded_element_by_element(
    count: int, element: str, others: int, is_narrow: bool
) -> None:
    """Of factors of 64 x 64 each of 128 threads would load 32 elements."""
    loads = [Instruction("LDG.E.U16", "")] * count
    code = MachineCode(32, 0, 0, 4, [*loads, Instruction("HMMA.16816.F32", "")], [])
    work = Work(1, dots=[Dot(1.0, 64, 64, 64, element, "tf32x3")])
    work.accesses.append(Access(1.0, 0, others, 2, is_store=False, is_in_loop=False))
    found = set(problems_of(code, work, find_arch("sm_90")))
    assert found - {"no 128-bit loads"} == ({"2-byte loads"} if is_narrow else set())


class Recurrence(nn.Module):
    """The states of a recurrence, unrolled."""

    def __init__(self, is_transposed: bool) -> None:
        super().__init__()
        self.is_transposed = is_transposed

    def forward(self, state: torch.Tensor, *steps: torch.Tensor) -> list[torch.Tensor]:
        """[m, n], and for each step a gate, [m, n], and an input, [m, n] or [n, m]; to all
        states."""
        states = [state]
        for gate, given in zip(steps[::2], steps[1::2], strict=True):
            added = given.T if self.is_transposed else given
            states.append(gate * states[-1] + added)
        return states[1:]


@pytest.mark.parametrize("is_transposed", [False, True])
def test_kernels_of_many_inputs_do_not_spill(is_transposed: bool) -> None:
    """All of them are loaded before the first is used."""
    state = torch.zeros(1536, 16) if is_transposed else torch.zeros(1024, 1024)
    shapes = (state.shape, state.T.shape if is_transposed else state.shape) * 31
    steps = [torch.zeros(shape) for shape in shapes]
    program = torch.export.export(Recurrence(is_transposed), (state, *steps))
    source = read_source(program)
    set_options(source.module, target_options("cuda", arch="sm_90"), None)
    (found,) = program_kernels(source.module)
    assert compiled({"": found}, "sm_90", processes=1)[""].split(" ", 2)[2:] == []


class Window(nn.Module):
    """Attention within a window, with a bias of each pair of positions."""

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        """[windows, heads, positions, size]; bias [1, heads, positions, positions]."""
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_the_bias_of_scores_is_no_factor(arch: str) -> None:
    """Rows of 49 elements of 2 bytes are not aligned, so that a bias is loaded one by one."""
    shapes = [(4, 3, 49, 32)] * 3 + [(1, 3, 49, 49)]
    inputs = tuple(torch.zeros(shape, dtype=torch.bfloat16) for shape in shapes)
    source = read_source(torch.export.export(Window(), inputs))
    set_options(source.module, target_options("cuda", arch=arch), None)
    (found,) = program_kernels(source.module)
    loads = [a.is_factor for a in found.work.accesses if not a.is_store]
    assert loads == [True, True, False, True]
    assert compiled({"": found}, arch, processes=1)[""].split(" ", 2)[2:] == []
