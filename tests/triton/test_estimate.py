"""The reader of machine code, the work of kernels, and the times that follow from both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.context import Context

from devproc.driver import make_pass
from devproc.options import set_options
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.archs import ARCHS
from devproc.targets.triton.cost.estimate import (
    estimate,
    executed,
    iterations,
    occupancy,
)
from devproc.targets.triton.cost.work import Dot, Work, work_of
from devproc.targets.triton.cost.work import programs as programs_of_grid
from devproc.targets.triton.machine_code import (
    Instruction,
    MachineCode,
    mix,
    parse_assembly,
)
from tests.targets import target_attr
from tests.triton import programs
from tests.triton.support import PASSES, parse

H100 = ARCHS["sm_90"]

ASSEMBLY = """
        .headerflags    @"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0020*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8 ;
        /*0030*/              @!P0 BRA 0x20 ;
        /*0040*/              @P1  BRA P2, 0x10 ;
        /*0050*/                   STG.E.U16 desc[UR4][R2.64], R8 ;
        /*0060*/                   EXIT ;
        /*0070*/                   BRA 0x70;
"""


def code(text: str, **given: int) -> MachineCode:
    """Machine code of this text, with these resources."""
    instructions, loops = parse_assembly(text)
    resources = {"registers": 32, "spilled_bytes": 0, "shared_bytes": 0, "warps": 4}
    return MachineCode(**{**resources, **given}, instructions=instructions, loops=loops)


TILE = (
    "#sched.block_tile<m = 128, n = 128, k = 64, warps = 4, stages = 3, group = 1,"
    " precision = ieee>"
)


def work(text: str, schedule: str | None = None) -> Work:
    """The work of the only kernel of a module, with this schedule."""
    module = parse(text)
    given = {"*": schedule} if schedule else None
    set_options(module, target_attr("cuda"), {}, given)
    for name in PASSES:
        make_pass(name).apply(Context(), module)
    (func,) = (op for op in module.ops if isinstance(op, triton.FuncOp))
    return work_of(func)


def test_loops_are_backward_branches() -> None:
    found = code(ASSEMBLY)
    assert [(loop.begin, loop.end) for loop in found.loops] == [(1, 5), (2, 4)]
    assert [loop.is_innermost for loop in found.loops] == [False, True]
    assert mix(found.hot_loop) == {"HMMA": 1, "BRA": 1}
    assert found.mix["LDG.128"] == 1
    assert found.mix["STG.U16"] == 1
    assert found.count("HMMA", "LDG") == 2


FLATTENED = """
.text.kernel:
        /*0000*/                   HGMMA.64x128x16.F32.BF16 R24, gdesc[UR12], R24 ;
        /*0010*/               @P0 BRA 0x40 ;
        /*0020*/                   STG.E.128 desc[UR30][R44.64], R32 ;
        /*0030*/                   STG.E.128 desc[UR30][R48.64], R36 ;
        /*0040*/              @!P1 BRA 0x70 ;
        /*0050*/               @P0 BRA 0x0 ;
        /*0060*/                   EXIT ;
        /*0070*/                   BRA 0x70;
"""
PERSISTENT = (
    "#sched.persistent_tile<m = 64, n = 128, k = 16, warps = 4, stages = 3, group = 1,"
    " precision = ieee, programs = 2, loads = descriptors>"
)


def test_what_a_flattened_loop_does_seldom() -> None:
    """Two programs have two and one of three tiles, each of four steps."""
    found = code(FLATTENED)
    (loop,) = found.innermost
    # The branch out of the loop skips nothing of it.
    assert (loop.end - loop.begin, loop.skipped) == (6, 2)
    product = work(programs.linear(192, 128, 64, "bf16"), PERSISTENT)
    assert (product.programs, product.rounds, product.most_rounds) == (2, 1.5, 2)
    tile = 4 * (64 + 128) * 16 * 2 + 64 * 128 * 4
    # The only columns of the bias are loaded once by each program.
    assert product.requested_bytes == 3 * tile + 2 * 128 * 4
    assert iterations(found, product, loop) == 6
    # Once outside of the loop: the exit and the branch to itself.
    assert executed(found, product) == 2 + 6 * 4 + 1.5 * 2
    long = estimate(found, product, [0] * 4, H100).seconds
    even = replace(product, most_rounds=1.5)
    assert long > estimate(found, even, [0] * 4, H100).seconds


@pytest.mark.parametrize(
    ("opcode", "width", "multiply_adds"),
    [
        ("LDG.E.128.CONSTANT", 16, 0),
        ("LDG.E.U16", 2, 0),
        ("LDS.S8", 1, 0),
        ("STG.E.64", 8, 0),
        ("LDGSTS.E.BYPASS.128", 16, 0),
        ("LDG.E", 4, 0),
        ("IADD3", 0, 0),
        ("FFMA", 0, 32),
        # 64 x 128 x 16 by four warps; 16 x 8 x 16 and 16 x 8 x 4 by one.
        ("HGMMA.64x128x16.F32.BF16", 0, 16 * 128 * 16),
        ("HMMA.16816.F32", 0, 16 * 8 * 16),
        ("HMMA.1684.F32.TF32", 0, 16 * 8 * 4),
    ],
)
def test_instructions(opcode: str, width: int, multiply_adds: int) -> None:
    found = Instruction(opcode, "")
    assert (found.width, found.multiply_adds) == (width, multiply_adds)


def test_work_of_a_product() -> None:
    found = work(programs.linear(100, 70, 75, "bf16"), TILE)
    (dot,) = found.dots
    # One tile of 128 x 128 in two steps of 64 terms.
    assert (dot.m, dot.n, dot.k, dot.times, dot.element) == (128, 128, 64, 2, "bf16")
    assert found.programs == 1
    (loop,) = found.loops
    assert (loop.trips, loop.has_dot) == (2, True)
    sizes = [100 * 75 * 2, 70 * 75 * 2, 70 * 2, 100 * 70 * 4]
    assert found.moved_bytes(sizes) == sum(sizes)
    assert found.requested_bytes > sum(sizes)


def test_a_kernel_moves_no_more_than_it_asks_for() -> None:
    found = work(
        programs.elementwise(
            "%r = arith.addf %a, %b : f32", "f32", (32, 32), "f32", "f32"
        )
    )
    assert found.moved_bytes([4096, 4096, 4096]) == 3 * 4096
    assert found.moved_bytes([4096, 1 << 20, 4096]) == 3 * 4096


def test_iterations_follow_from_the_multiply_adds() -> None:
    """A pass of the loop does 2048 multiply-adds for each of four warps."""
    found, product = code(ASSEMBLY), work(programs.linear(100, 70, 75, "bf16"), TILE)
    (loop,) = found.innermost
    wanted = 2 * 128 * 128 * 64 / (4 * 2048)
    assert iterations(found, product, loop) == wanted
    assert executed(found, product) == 6 + 2 * wanted


def test_occupancy_is_limited_by_each_resource() -> None:
    assert occupancy(code(ASSEMBLY), H100) == 16
    assert occupancy(code(ASSEMBLY, registers=255), H100) == 2
    assert occupancy(code(ASSEMBLY, shared_bytes=96 << 10), H100) == 2
    assert occupancy(code(ASSEMBLY, warps=1, registers=8), H100) == 32
    assert occupancy(code(ASSEMBLY, registers=255, warps=32), H100) == 1


def test_time_is_the_longest_of_its_parts() -> None:
    found, product = code(ASSEMBLY), work(programs.linear(100, 70, 75, "bf16"), TILE)
    small = estimate(found, product, [15000, 10500, 140, 28000], H100)
    assert small.bound == "L2"
    assert 1e-6 < small.seconds < 4e-6
    assert small.flops == 2 * 128 * 128 * 128
    copied = work(
        programs.elementwise(
            "%r = arith.addf %a, %b : f32", "f32", (8192, 8192), "f32", "f32"
        )
    )
    size = 4 << 26
    large = estimate(code(ASSEMBLY), copied, [size] * 3, H100)
    assert large.bound == "memory"
    assert large.seconds == pytest.approx(3 * size / 3e12 + 1e-6)
    assert large.roofline_share > 0.99


def test_programs_are_sampled_without_a_period() -> None:
    """Every eighth of 512 would be one block of queries of each head."""
    blocks = [x for x, _, _ in programs_of_grid((8, 64, 1))]
    assert len(blocks) == 64
    assert all(6 <= blocks.count(block) <= 10 for block in range(8))
    assert len(set(programs_of_grid((3, 5, 4)))) == 60


def test_only_products_of_f32_take_several() -> None:
    for element, products in (("bf16", 1), ("f32", 3)):
        dot = Dot(2, 16, 32, 64, element, "tf32x3")
        assert dot.machine_multiply_adds == products * dot.multiply_adds
