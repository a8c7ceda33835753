"""Products by persistent programs: tiles in turns, factors by descriptors, machine code.

Values are those of the printed programs under Triton's interpreter, beside PyTorch in
float64; margins of NaN around each tensor show what is read outside of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
import torch
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException

import devproc
from devproc.dialects.sched import NestOp
from devproc.dialects.sched.parsing import parse_schedule
from devproc.driver import make_pass
from devproc.targets.triton import interpret
from devproc.targets.triton.aot import compile_kernel, waiting
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.kernel import TritonKernel, kernels_of
from tests.targets import target_attr
from tests.triton import programs
from tests.triton.support import guarded, is_untouched, parse

SCHEDULE = (
    "#sched.persistent_tile<m = {m}, n = {n}, k = {k}, warps = {warps}, stages = {stages},"
    " group = 2, precision = tf32x3, programs = {programs}, loads = {loads}>"
)
SMALL = {"m": 32, "n": 32, "k": 32, "warps": 4, "stages": 3, "programs": 5}
LARGE = {"m": 128, "n": 256, "k": 64, "warps": 8, "stages": 2, "programs": 132}

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def schedule(**fields: object) -> str:
    """The text of a schedule."""
    return SCHEDULE.format(**{**SMALL, "loads": "descriptors", **fields})


def program(text: str, chosen: str, arch: str = "sm_90") -> TritonKernel:
    """The program of the only nest of a module, by a schedule."""
    module = parse(text)
    module.attributes["devproc.target"] = target_attr("cuda", arch=arch)
    for name in ("mark-scratch", "choose-schedules"):
        make_pass(name).apply(Context(), module)
    (nest,) = (op for op in module.walk() if isinstance(op, NestOp))
    nest.properties["schedule"] = parse_schedule(chosen)
    make_pass("convert-linalg-to-triton").apply(Context(), module)
    module.verify()
    (kernel,) = kernels_of(module).values()
    return kernel


def product(
    lhs: str, rhs: str, out: str, shapes: Sequence[Sequence[int]], element: str
) -> str:
    """A product by maps of the loops d0.., the last of which is summed."""
    types = [
        programs.memref(s, e)
        for s, e in zip(shapes, (element, element, "f32"), strict=True)
    ]
    loops = 1 + max(int(n) for n in re.findall(r"d(\d+)", lhs + rhs + out))
    body = programs.multiply_add(element, "f32")
    inputs = [("%x", types[0]), ("%y", types[1])]
    text = programs.generic(
        "p" * (loops - 1) + "r", [lhs, rhs, out], inputs, [("%out", types[2])], body
    )
    text = f"{programs.fill('0.0', 'f32', '%out', types[2])}\n{text}"
    arguments = f"%x: {types[0]}, %y: {types[1]}, %out: {types[2]}"
    return programs.function("matmul", "contraction", ["nn.matmul"], arguments, text)


def check(
    kernel: TritonKernel, factors: Sequence[torch.Tensor], wanted: torch.Tensor
) -> None:
    """The kernel writes a product, reads no other memory, and leaves its inputs alone."""
    tensors, buffers = zip(*map(guarded, factors), strict=True)
    out, around = guarded(torch.full(wanted.shape, torch.nan))
    interpret.launch(kernel, *tensors, out)
    assert all(map(is_untouched, (*buffers, around)))
    torch.testing.assert_close(out.double(), wanted, rtol=0, atol=2e-6 * 80 * 10)


# Values.


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("loads", ["pointers", "descriptors"])
@pytest.mark.parametrize("count", [1, 5, 100])
def test_a_linear_layer(element: str, loads: str, count: int) -> None:
    """12 tiles: by one program, in three rounds of five, and each by its own."""
    x, w = (torch.randn(n, 88).to(DTYPES[element]) for n in (100, 70))
    bias = torch.randn(70)
    text = programs.linear(100, 70, 88, element)
    kernel = program(text, schedule(loads=loads, programs=count))
    assert kernel.grid == (min(count, 12), 1, 1)
    assert ("tl.make_tensor_descriptor" in kernel.source) == (loads == "descriptors")
    assert ("for tile in" in kernel.source) == (count < 12)
    check(kernel, [x, w, bias], x.double() @ w.double().T + bias)


BATCH, HEADS, ROWS, TERMS, COLUMNS = 2, 3, 37, 40, 48


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize(
    ("rhs", "swapped"), [("d0, d3, d2", False), ("d0, d2, d3", True)]
)
def test_batches(element: str, rhs: str, swapped: bool) -> None:
    x, y = (
        torch.randn(BATCH, *shape).to(DTYPES[element])
        for shape in ((ROWS, TERMS), (TERMS, COLUMNS))
    )
    y = y.mT.contiguous() if swapped else y
    shapes = [x.shape, y.shape, (BATCH, ROWS, COLUMNS)]
    text = product("d0, d1, d3", rhs, "d0, d1, d2", shapes, element)
    kernel = program(text, schedule())
    assert f"shape=[{BATCH}, {ROWS}, {TERMS}]" in kernel.source
    assert kernel.source.count("tl.load(") == 0
    check(kernel, [x, y], x.double() @ (y.mT if swapped else y).double())


def test_batches_that_share_a_factor() -> None:
    x, y = torch.randn(BATCH, ROWS, TERMS), torch.randn(1, TERMS, COLUMNS)
    kernel = program(programs.batched_matmul(BATCH, ROWS, COLUMNS, TERMS), schedule())
    assert f"shape=[{TERMS}, {COLUMNS}]" in kernel.source
    check(kernel, [x, y], x.double() @ y.double())


def test_heads_within_rows() -> None:
    """Batch and head have strides of their own; rows of the left factor are columns."""
    x = torch.randn(BATCH, TERMS, HEADS, ROWS + 3).to(torch.bfloat16)
    y = torch.randn(BATCH, COLUMNS, HEADS, TERMS).to(torch.bfloat16)
    out = (BATCH, HEADS, ROWS + 3, COLUMNS)
    text = product(
        *("d0, d4, d1, d2", "d0, d3, d1, d4", "d0, d1, d2, d3"),
        [x.shape, y.shape, out],
        "bf16",
    )
    kernel = program(text, schedule())
    assert kernel.source.count(".load([") == 2
    wanted = torch.einsum("bkhm,bnhk->bhmn", x.double(), y.double())
    check(kernel, [x, y], wanted)


def test_a_slice_of_a_factor() -> None:
    """Descriptors begin at the first row that is read, and end with the last."""
    x, y = torch.randn(ROWS + 5, TERMS), torch.randn(COLUMNS, TERMS)
    x[:2], x[-3:] = torch.nan, torch.nan
    shapes = [x.shape, y.shape, (ROWS, COLUMNS)]
    text = product("d0 + 2, d2", "d1, d2", "d0, d1", shapes, "f32")
    kernel = program(text, schedule(programs=1))
    assert f"x_ptr + {2 * TERMS}, shape=[{ROWS}, {TERMS}]" in kernel.source
    check(kernel, [x, y], x[2:-3].double() @ y.double().T)


def test_a_factor_that_descriptors_cannot_read() -> None:
    """Rows of 37 x 4 bytes: its blocks come through pointers, the others do not."""
    x, y = torch.randn(ROWS, TERMS), torch.randn(TERMS, ROWS)
    shapes = [x.shape, y.shape, (ROWS, ROWS)]
    text = product("d0, d2", "d2, d1", "d0, d1", shapes, "f32")
    kernel = program(text, schedule())
    assert (kernel.source.count(".load(["), kernel.source.count("tl.load(")) == (1, 1)
    check(kernel, [x, y], x.double() @ y.double())


class Gated(torch.nn.Module):
    """Two products of the same rows, and their product."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up = (torch.nn.Linear(64, 40, bias=False) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """A gated layer."""
        return torch.nn.functional.silu(self.gate(x)) * self.up(x)


def test_a_program_by_schedules_of_the_user() -> None:
    torch.manual_seed(0)
    model, x = Gated().to(torch.bfloat16), torch.randn(3, 50, 64).to(torch.bfloat16)
    with torch.no_grad():
        exported = torch.export.export(model, (x,))
        chosen = {"*linear*": schedule(n=16)}
        made = devproc.compile(
            exported, "cuda:interpret", cache=False, schedules=chosen
        )
        text = made.ir("triton-source")
        assert (text.count("tl.dot("), text.count(".load([")) == (2, 3)
        exact = model.double()(x.double())
        torch.testing.assert_close(made(x).double(), exact, rtol=0.02, atol=0.02)


# What is refused.


@pytest.mark.parametrize(
    ("text", "chosen", "arch", "why"),
    [
        (
            programs.linear(100, 70, 75),
            schedule(),
            "sm_90",
            "descriptors read no factor: a stride of 300 bytes is no multiple of 16",
        ),
        (
            programs.linear(100, 70, 80),
            schedule(),
            "sm_80",
            r"sm_80 copies no tensors by descriptors \(TMA\)",
        ),
        (
            programs.linear(1000, 1000, 80),
            schedule(m=512, n=512),
            "sm_90",
            r"a block of \[512, 32\] has a dimension of more than 256",
        ),
        (
            product("d0 + 1, d2", "d1 + 1, d2", "d0, d1", [(40, 60), (40, 60), (39, 39)], "bf16"),
            schedule(),
            "sm_90",
            "a factor does not begin at a multiple of 16 bytes",
        ),
        (programs.softmax((30, 77), 1), schedule(), "sm_90", "no sum of products"),
    ],
    ids=["stride", "arch", "box", "begin", "softmax"],
)  # fmt: skip
def test_refused(text: str, chosen: str, arch: str, why: str) -> None:
    with pytest.raises(PassFailedException, match=why):
        program(text, chosen, arch)


# Machine code.


@pytest.fixture(scope="module")
def kernel() -> TritonKernel:
    """A product of 512 tiles by 132 programs."""
    return program(programs.linear(4096, 4096, 4096, "bf16"), schedule(**LARGE))


def test_machine_code(kernel: TritonKernel) -> None:
    """Blocks come by the tensor memory accelerator, to wgmma, without spills."""
    compiled = compile_kernel(kernel, "sm_90")
    found = compiled.resources()
    assert found.count("UTMALDG") >= 2
    assert found.count("HGMMA") == 4
    assert found.count("LDGSTS", "LDL", "STL") == 0
    assert found.spilled_bytes == 0
    assert found.shared_bytes <= find_arch("sm_90").program_shared_bytes
    assert compiled.scratch_bytes == 2 * 128
    # One loop: what only some of its iterations do is branched over.
    assert any(loop.skipped > 300 for loop in found.innermost)


def test_machine_code_of_other_gpus(kernel: TritonKernel) -> None:
    """Ampere's copies 16 bytes for each thread, and needs no scratch memory."""
    compiled = compile_kernel(kernel, "sm_80")
    found = compiled.resources()
    assert found.count("UTMALDG", "HGMMA") == 0
    assert found.count("LDGSTS") > 0
    assert found.count("HMMA") > 0
    assert compiled.scratch_bytes == 0


def test_buffers_that_are_not_aligned(kernel: TritonKernel) -> None:
    """A descriptor cannot have their addresses: pointers can."""
    compiled = compile_kernel(kernel, "sm_90", aligned=False)
    assert compiled.resources().count("UTMALDG") == 0
    assert compiled.resources().count("LDG") > 0
    assert compiled.scratch_bytes == 0


def test_batches_are_copied_too() -> None:
    shapes = [(8, 512, 512)] * 3
    text = product("d0, d1, d3", "d0, d3, d2", "d0, d1, d2", shapes, "f16")
    chosen = schedule(m=128, n=128, k=64, warps=8, programs=132)
    found = compile_kernel(program(text, chosen)).resources()
    assert (found.count("LDGSTS"), found.spilled_bytes) == (0, 0)
    assert any("UTMALDG.3D" in each.opcode for each in found.instructions)


def test_descriptors_are_made_after_the_kernel_before(kernel: TritonKernel) -> None:
    """They are written to memory that the launch before may still read."""
    text = waiting(kernel.source)
    assert text.index("gdc_wait") < text.index("make_tensor_descriptor")
