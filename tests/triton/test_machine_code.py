"""The machine code of the kernels of the benchmark models and of the zoo.

`tests/triton/machine_code.json` says what is wrong with each of them; what is drawn here
is lowered and compiled again. Another tree draws other cases, the same tree the same.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest
import triton

from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.cost.quality import problems as problems_of
from devproc.targets.triton.cost.work import Dot, Work
from devproc.targets.triton.machine_code import Instruction, MachineCode
from tests.machine_code import (
    FILE,
    KNOWN,
    Figures,
    Stored,
    cases,
    compiled,
    kernels_of,
    programs,
    read,
    stale,
    told,
)
from tests.repository import PACKAGE

DRAWN = 2
"""Cases that are lowered again, and kernels of each that are compiled again."""


def problems(stored: Stored) -> Iterator[str]:
    """Each case with a problem of one of its kernels."""
    for case, kernels in stored.items():
        for figures in kernels.values():
            yield from (f"{case}: {problem}" for problem in told(figures))


def drawn() -> list[str]:
    """Cases that depend on the sources of the compiler alone."""
    sources = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        sources.update(path.read_bytes())
    possible = [
        case for case in sorted(read()) if case.rpartition("@")[0] in programs()
    ]
    return random.Random(sources.digest()).sample(possible, DRAWN)


def test_kernels_are_as_an_expert_writes_them() -> None:
    assert set(problems(read())) == KNOWN.keys()


def test_every_program_is_there() -> None:
    stored = read()
    assert [c for p in programs() for c in cases(p) if c not in stored] == []


@pytest.mark.parametrize("number", range(DRAWN))
def test_the_file_says_what_the_compiler_makes(number: int) -> None:
    case = drawn()[number]
    kernels, stored = kernels_of(case), read()
    assert stale(case, kernels, stored) == []
    if f'"triton": "{triton.__version__}"' not in FILE.read_text():
        pytest.skip(f"the file is not of Triton {triton.__version__}")
    names = random.Random(case).sample(sorted(kernels), min(DRAWN, len(kernels)))
    again = compiled({name: kernels[name] for name in names}, case[-5:], processes=1)
    assert again == {name: stored[case][name] for name in names}


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
    assert list(problems({case: {name: "64 0 spills registers, 2-byte loads"}})) == [
        f"{case}: spills registers",
        f"{case}: 2-byte loads",
    ]


@pytest.mark.parametrize(
    ("count", "element"), [(31, "bf16"), (32, "bf16"), (32, "f32")]
)
def test_factors_are_not_loaded_element_by_element(count: int, element: str) -> None:
    """Of factors of 64 x 64 each of 128 threads would load 32 elements."""
    loads = [Instruction("LDG.E.U16", "")] * count
    code = MachineCode(32, 0, 0, 4, [*loads, Instruction("HMMA.16816.F32", "")], [])
    work = Work(1, dots=[Dot(1.0, 64, 64, 64, element, "tf32x3")])
    found = list(problems_of(code, work, find_arch("sm_90")))
    assert found == (["2-byte loads"] if count == 32 and element == "bf16" else [])
