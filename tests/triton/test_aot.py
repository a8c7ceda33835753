"""What the machine code of the printed kernels looks like, without a GPU."""

from __future__ import annotations

import pytest

from devproc.errors import CompileError
from devproc.targets.triton import aot
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.kernel import TritonKernel
from devproc.targets.triton.machine_code import MachineCode
from tests.triton import programs
from tests.triton.support import kernels


def resources(text: str, arch: str = "sm_90") -> MachineCode:
    """The resources of the only kernel of a module, with the blocks of a GPU."""
    (kernel,) = kernels(text, interpret=False)
    return compile_kernel(kernel, arch).resources()


POINTWISE = programs.elementwise(
    "%r = arith.addf %a, %b : f32", "f32", (1000, 1000), "f32", "f32"
)


def test_elementwise_kernels_move_16_bytes_at_a_time() -> None:
    (kernel,) = kernels(POINTWISE, interpret=False)
    compiled = compile_kernel(kernel)
    assert compiled.resources().registers <= 40
    assert "ld.global.v4" in compiled.ptx
    assert "st.global.v4" in compiled.ptx


def test_half_precision_uses_tensor_cores() -> None:
    found = resources(programs.linear(256, 2048, 256, "f16"))
    assert found.count("HGMMA") > 0
    assert found.count("FFMA") == 0


def test_strict_float32_does_not() -> None:
    text = programs.linear(200, 300, 400)
    (kernel,) = kernels(text, interpret=False, precision="strict")
    found = compile_kernel(kernel).resources()
    assert found.count("FFMA") > 0
    assert found.count("HGMMA", "HMMA") == 0


def test_older_architectures() -> None:
    found = resources(programs.linear(256, 256, 256, "bf16"), "sm_80")
    assert found.count("HMMA") > 0
    (kernel,) = kernels(programs.linear(1, 1000, 512), interpret=False)
    assert compile_kernel(kernel, "sm_80").symbol == "linear"


def test_a_wrong_architecture_is_refused() -> None:
    (kernel,) = kernels(programs.linear(1, 1000, 512), interpret=False)
    with pytest.raises(
        CompileError, match="unknown arch 'hopper'; write it as NVIDIA does, 'sm_90'"
    ):
        compile_kernel(kernel, "hopper")


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_a_kernel_waits_for_the_one_before_it(arch: str) -> None:
    """Before its first access; then the next kernel may start, where launches overlap."""
    (kernel,) = kernels(programs.linear(100, 70, 75, "bf16"), interpret=False)
    found = compile_kernel(kernel, arch)
    opcodes = [instruction.base for instruction in found.resources().instructions]
    accesses = [n for n, o in enumerate(opcodes) if o in ("LDG", "LDGSTS", "STG")]
    waits = [opcodes.index(o) for o in ("ACQBULK", "PREEXIT") if o in opcodes]
    assert found.is_dependent == (arch == "sm_90")
    assert len(waits) == (2 if found.is_dependent else 0)
    assert all(place < accesses[0] for place in waits[:1])
    assert "gdc" not in kernel.source


ONE_TILE = """import triton
import triton.language as tl


@triton.jit
def tile(x, w, bias, out):
    lanes = tl.arange(0, 32)
    m = tl.program_id(0) * 32 + lanes[:, None]
    n = tl.arange(0, 16)[None, :]
    a = tl.load(x + lanes[None, :] + m * 32)
    b = tl.load(w + lanes[:, None] * 16 + n)
    zero = tl.full([32, 16], 0.0, tl.float32)
    acc = tl.dot(a, b, zero, input_precision="tf32x3")
    tl.store(out + m * 16 + n, acc + tl.load(bias + n))
"""


def test_no_value_is_spilled_for_occupancy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The assembler would rather spill a value than give threads more than 64 registers."""
    kernel = TritonKernel("tile", ONE_TILE, ("*fp32",) * 4, (392, 1, 1), 4, 1)
    assert compile_kernel(kernel).resources().spilled_bytes == 0
    monkeypatch.setattr(aot, "most_registers", lambda *_: None)
    assert compile_kernel(kernel).resources().spilled_bytes > 0
