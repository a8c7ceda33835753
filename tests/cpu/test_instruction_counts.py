"""Micro-kernels by their machine code: what the innermost loops of products consist of.

Time cannot guard a kernel in a test, counting can. The loop of a register tile must have
the multiply-adds that its schedule planned, each factor loaded once, and nothing else: no
vector on the stack, no call, no gather.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import devproc
from devproc.driver import make_context, run_stages, stages_between
from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.cpu.jit import assembly
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.machine.processors import CPUS
from tests.cpu.assembly_loops import (
    inner_loops,
    multiplications,
    stack_accesses,
    stores,
)
from tests.cpu.cpu_programs import Function

AVX512, AVX2, SSE2, NEON = "x86-64-v4", "x86-64-v3", "x86-64", "aarch64"

KERNELS: dict[str, Callable[[], tuple[nn.Module, *tuple[torch.Tensor, ...]]]] = {
    "linear": lambda: (nn.Linear(200, 96), torch.randn(64, 200)),
    # In blocks, with an epilogue that takes many registers.
    "long_sum": lambda: (
        nn.Sequential(nn.Linear(384, 96), nn.GELU()),
        torch.randn(64, 384),
    ),
    "one_row": lambda: (nn.Linear(200, 96), torch.randn(1, 200)),
    "block_float": lambda: (nn.Linear(512, 256), torch.randn(1, 512)),
    "conv1x1": lambda: (nn.Conv2d(64, 96, 1), torch.randn(1, 64, 14, 14)),
    "conv3x3": lambda: (nn.Conv2d(32, 96, 3, 2, 1), torch.randn(1, 32, 28, 28)),
    "winograd": lambda: (nn.Conv2d(64, 96, 3, 1, 1), torch.randn(1, 64, 28, 28)),
    "winograd_few": lambda: (nn.Conv2d(64, 96, 3, 1, 1), torch.randn(1, 64, 7, 7)),
    "winograd_line": lambda: (nn.Conv2d(3, 96, 7, 2, 3), torch.randn(1, 3, 28, 96)),
    "attention": lambda: (
        Function(F.scaled_dot_product_attention),
        *(torch.randn(2, 48, 64) for _ in range(3)),
    ),
}

PLANNED = {
    "linear": {AVX512: 16, AVX2: 12, SSE2: 12, NEON: 16},
    "long_sum": {AVX512: 16, AVX2: 12, SSE2: 12, NEON: 16},
    "one_row": {AVX512: 8, AVX2: 8, SSE2: 8, NEON: 8},
    "conv1x1": {AVX512: 14, AVX2: 12, SSE2: 12, NEON: 14},
    "conv3x3": {AVX512: 14, AVX2: 10, SSE2: 10, NEON: 14},
    "winograd": {AVX512: 15, AVX2: 12, SSE2: 9, NEON: 21},
    "winograd_line": {AVX512: 24, AVX2: 12, SSE2: 12, NEON: 24},
    "attention": {AVX512: 24, AVX2: 12, SSE2: 12, NEON: 24},
}
"""Multiply-adds of the largest tile: rows times vectors, of 32 registers (AVX-512, NEON)
or 16. Less is allowed where tiles of one height are all rows: 64 rows are eight times 8 rows
of two vectors, 196 pixels 28 times 7."""

GATHER = re.compile(r"\s+v?p?gather")
VECTOR_LOAD = re.compile(r"\s+v\w+\s.*\(.*%zmm")
CALL = re.compile(r"\s+(?:call|bl|blr)\b")


def planned_tiles(module: ModuleOp) -> dict[int, int]:
    """The innermost loops that carry sums of products alone: multiply-adds to loads."""

    def is_sum(value: SSAValue) -> bool:
        op = value.owner
        if isinstance(op, arith.AddfOp):  # of a CPU without a fused multiply-add
            op = op.operands[0].owner
        return isinstance(op, vector.FMAOp | arith.MulfOp) and isinstance(
            op.operands[0].owner, vector.BroadcastOp
        )

    found: dict[int, int] = {}
    for op in module.walk():
        if not isinstance(op, scf.ForOp) or not op.results:
            continue
        inside = list(op.body.block.ops)
        if all(map(is_sum, inside[-1].operands)):
            loads = memref.LoadOp | vector.LoadOp | vector.MaskedLoadOp
            found[len(op.results)] = sum(isinstance(o, loads) for o in inside)
    return found


def lowered(name: str, cpu: str) -> tuple[dict[int, int], str]:
    """The tiles of a kernel as scheduled, and its machine code."""
    torch.manual_seed(0)
    module, *operands = KERNELS[name]()
    exported = torch.export.export(module.eval(), tuple(operands))
    program, context = read_source(exported).module, make_context()
    set_options(program, target_options("cpu", 1, "default", cpu=cpu), {})
    run_stages(program, context, stages_between(None, "cpu"))
    tiles = planned_tiles(program)
    run_stages(program, context, stages_between("cpu", None))
    return tiles, assembly(print_module(program), CPUTarget.get(cpu))


def unrolled(multiply_adds: int, cpu: str) -> int:
    """How many iterations of a planned loop are one of the machine code's."""
    if "fma" in CPUS[cpu].missing or not 8 < multiply_adds <= 16:
        return 1
    return 4 if multiply_adds <= 12 else 2


def check(loop: list[str], multiply_adds: int, loads: int, cpu: str) -> None:
    """The loop of a register tile: its products, what they read, and a counter."""
    code = "\n".join(loop)
    assert not stack_accesses(loop, CPUS[cpu].architecture), code
    assert not any(map(CALL.match, loop)), code
    assert not any(map(GATHER.match, loop)), code
    if "fma" in CPUS[cpu].missing:
        # A product and a sum, copies of registers, two steps for a broadcast.
        assert len(loop) <= 3 * multiply_adds + 2 * loads, code
    else:
        assert len(loop) <= multiply_adds + loads + 6, code


@pytest.mark.parametrize("cpu", [AVX512, AVX2, SSE2, NEON])
@pytest.mark.parametrize("name", PLANNED)
def test_inner_loop_of_a_product(name: str, cpu: str) -> None:
    tiles, text = lowered(name, cpu)
    assert max(tiles) == PLANNED[name][cpu]
    architecture = CPUS[cpu].architecture
    # Transforms and exponentials store in each iteration, products do not.
    loops = [
        (multiplications(loop, architecture), loop)
        for loop in inner_loops(text)
        if not stores(loop, architecture)
    ]
    for planned, loads in tiles.items():
        most = unrolled(planned, cpu) * planned
        assert most in {count for count, _ in loops}
        for count, loop in loops:
            # The rest of an unrolled loop is one of single iterations.
            if count in (planned, most):
                check(loop, count, count // planned * loads, cpu)
    fused = "fmla" if architecture == "aarch64" else "vfmadd"
    assert (fused in text) == ("fma" not in CPUS[cpu].missing)


def test_numbers_of_three_bytes_are_unpacked_in_registers() -> None:
    """Four vectors take three loads, at most seven instructions between them and the
    casts, and a scaled number."""
    tiles, text = lowered("block_float", AVX512)
    assert max(tiles) == 8
    architecture = CPUS[AVX512].architecture
    (loop,) = (
        loop
        for loop in inner_loops(text)
        if multiplications(loop, architecture) == 8 and not stores(loop, architecture)
    )
    code = "\n".join(loop)
    assert not stack_accesses(loop, architecture), code
    assert not any(map(CALL.match, loop)), code
    terms = 2
    assert sum(VECTOR_LOAD.match(line) is not None for line in loop) == 3 * terms, code
    assert len(loop) <= (3 + 7 + 4 + 2 + 4) * terms + 4, code


def test_transforms_of_few_tiles_stay_in_registers() -> None:
    """Of four tiles, late in both directions: 22 products beside a filter's transforms."""
    _, text = lowered("winograd_few", AVX512)
    architecture = CPUS[AVX512].architecture
    loops = [
        (multiplications(loop, architecture), loop)
        for loop in inner_loops(text)
        if not stores(loop, architecture)
    ]
    # A middle line of G g takes six, its points four or six; the first line has 11 products.
    for products, transforms in ((22, 12), (22, 6), (11, 6)):
        found = [
            loop
            for count, loop in loops
            if products + 4 <= count <= products + transforms
        ]
        assert found, (products, [count for count, _ in loops])
        for loop in found:
            code = "\n".join(loop)
            # One of 24 sums, six factors and what makes them may be read again.
            assert len(stack_accesses(loop, architecture)) <= 1, code
            assert not any(map(CALL.match, loop)), code


@pytest.mark.parametrize("cpu", [AVX512, AVX2])
def test_taps_of_bytes_are_multiplied_in_pairs(cpu: str) -> None:
    """torchvision's antialiased resize: no product of 32 bits in the pass over columns."""
    pipe = devproc.pipeline("resize")
    image = pipe.input("image", "uint8", (41, 95, 3))
    pipe.output("image", pipe.resize(image, (9, 12), "torchvision"))
    program = devproc.compile(pipe, cpu=cpu, threads=1, cache=False)
    text = assembly(program.ir("llvm-ir"), CPUTarget.get(cpu))
    assert "vpmaddwd" in text
    assert "vpmulld" not in text
