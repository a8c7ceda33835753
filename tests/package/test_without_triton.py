"""Triton is optional: without it the CPU works, and a GPU gets a message with the remedy."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.modules["triton"] = None  # `import triton` fails, as where it is not installed.
import warnings
import torch
import devproc
from devproc.backend.installed import backend

x = torch.randn(3, 5)
exported = torch.export.export(torch.nn.Softmax(-1), (x,))

def compiled(target):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = devproc.compile(exported, target, cache=False)
    return program, [str(w.message) for w in caught if "target" in str(w.message)]
"""

ON_THE_CPU = """
program, warned = compiled("cpu")
torch.testing.assert_close(program(x), x.softmax(-1))
assert not warned
"""

A_CALL = """
program, (warned,) = compiled({target!r})
assert "pip install" in warned
program(x)
"""

AHEAD = """
program, _ = compiled("cuda")
assert "@triton.jit" in program.ir("triton-source")
backend("cuda").compile_ahead(program.artifact.code["cuda"], {"arch": "sm_90"}, None)
"""

TUNING = """
devproc.compile(exported, "cuda", tune="yes", cache=False)
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    """A process in which Triton is missing."""
    command = [sys.executable, "-c", PROGRAM + program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_cpu_works_without_triton() -> None:
    done = run(ON_THE_CPU)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    "program",
    [
        A_CALL.format(target="cuda"),
        A_CALL.format(target="cuda:interpret"),
        AHEAD,
        TUNING,
    ],
    ids=["cuda", "cuda:interpret", "ahead of time", "tuning"],
)
def test_what_needs_triton_says_how_to_install_it(program: str) -> None:
    done = run(program)
    assert done.returncode == 1
    *_, last = done.stderr.strip().splitlines()
    assert last.startswith("devproc.errors.CompileError: "), done.stderr[-2000:]
    assert "Triton, which is not installed; pip install 'devproc[gpu]'" in last
