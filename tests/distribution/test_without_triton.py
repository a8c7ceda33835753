"""Triton is optional: without it the CPU works, and a GPU gets a message with the remedy."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["triton"] = None  # `import triton` fails, as where it is not installed.
import warnings
import torch
import devproc
from devproc.backend.installed import backend

TARGETS = ("cuda", "cuda:interpret")
x = torch.randn(3, 5)
exported = torch.export.export(torch.nn.Softmax(-1), (x,))
torch.testing.assert_close(devproc.compile(exported, cache=False)(x), x.softmax(-1))
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    programs = [devproc.compile(exported, target, cache=False) for target in TARGETS]
for warning in warned:
    if "devproc[gpu]" in str(warning.message):
        print(warning.message)
code = programs[0].artifact.code["cuda"]
assert "@triton.jit" in programs[0].ir("triton-source")
for attempt in (
    lambda: programs[0](x),
    lambda: programs[1](x),
    lambda: backend("cuda").compile_ahead(code, {"arch": "sm_90"}, None),
    lambda: devproc.compile(exported, "cuda", tune="yes", cache=False),
):
    try:
        attempt()
    except devproc.CompileError as error:
        print(error)
"""


def test_only_a_gpu_needs_triton() -> None:
    """In a process of its own, on the CPU and then for a GPU."""
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    messages = done.stdout.splitlines()
    assert len(messages) == 6, "two warnings, four errors"
    for message in messages:
        assert "Triton, which is not installed; pip install 'devproc[gpu]'" in message
