"""Builds with `check_bounds`: wrong accesses are found, kept inside, and reported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from numpy.typing import NDArray
from torch import nn

import devproc
from devproc import options
from devproc.driver import run_stages, stages_between
from devproc.errors import BoundsError, InputError
from devproc.frontends.dsl import Pipeline
from devproc.targets.cpu.jit import compile_object
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.native_code import SegmentCode
from devproc.targets.cpu.object_code import checked_accesses
from devproc.targets.cpu.transforms.convert_to_llvm import ConvertToLlvmPass
from devproc.targets.cpu.transforms.insert_bounds_checks import InsertBoundsChecksPass
from devproc.tools.devproc import main
from tests.cpu.cpu_programs import Case, Function, case
from tests.cpu.native import NO_CACHE, call
from tests.repository import context, cpu_code, parse

ELEMENTS, LANES = 32, 8
"""Of `memref<4x8xf32>`, and of the vectors."""

MASK = np.array([0, 1, 1, 0, 0, 1, 0, 0], bool)
OFFSETS = np.array([5, -3, 0, 7, 1, 2, -6, 4], np.int32)

FORMS = {
    "memref.load": """
        %a = memref.load %x[%i, %j] : memref<4x8xf32>
        memref.store %a, %y[%zero] : memref<8xf32>""",
    "memref.store": """
        %a = memref.load %y[%zero] : memref<8xf32>
        memref.store %a, %x[%i, %j] : memref<4x8xf32>""",
    "vector.load": """
        %a = vector.load %x[%i, %j] : memref<4x8xf32>, vector<8xf32>
        vector.store %a, %y[%zero] : memref<8xf32>, vector<8xf32>""",
    "vector.store": """
        %a = vector.load %y[%zero] : memref<8xf32>, vector<8xf32>
        vector.store %a, %x[%i, %j] : memref<4x8xf32>, vector<8xf32>""",
    "vector.maskedload": """
        %a = vector.maskedload %x[%i, %j], %mask, %zeros
          : memref<4x8xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
        vector.store %a, %y[%zero] : memref<8xf32>, vector<8xf32>""",
    "vector.maskedstore": """
        %a = vector.load %y[%zero] : memref<8xf32>, vector<8xf32>
        vector.maskedstore %x[%i, %j], %mask, %a
          : memref<4x8xf32>, vector<8xi1>, vector<8xf32>""",
    "simd.gather": """
        %a = simd.gather %x[%i, %j] [%offsets], %mask, %zeros
          : memref<4x8xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
        vector.store %a, %y[%zero] : memref<8xf32>, vector<8xf32>""",
}
"""One access of `%x` each; the value goes to `%y` or comes from it."""


def touched(form: str, element: int) -> NDArray[np.int64]:
    """The elements that a form touches, from an element on."""
    lanes = np.arange(LANES)
    if form.startswith("memref"):
        return np.array([element])
    if form == "simd.gather":
        return element + OFFSETS[MASK].astype(np.int64)
    return element + (lanes[MASK] if "masked" in form else lanes)


def kernels_text() -> str:
    """A kernel and a segment for each form; the index comes from memory."""
    types = "(memref<4x8xf32>, memref<2xindex>, memref<8xf32>)"
    parts: list[str] = []
    for number, body in enumerate(FORMS.values()):
        mask = ", ".join(map(str, MASK.astype(int)))
        offsets = ", ".join(map(str, OFFSETS))
        parts.append(f"""
    func.func private @k{number}(
        %x: memref<4x8xf32>, %at: memref<2xindex>, %y: memref<8xf32>
    ) attributes {{dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>}} {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %mask = arith.constant dense<[{mask}]> : vector<8xi1>
      %offsets = arith.constant dense<[{offsets}]> : vector<8xi32>
      %zeros = arith.constant dense<0.0> : vector<8xf32>
      %i = memref.load %at[%zero] : memref<2xindex>
      %j = memref.load %at[%one] : memref<2xindex>
      {body}
      func.return
    }}
    func.func private @segment_{number}(
        %x: memref<4x8xf32>, %at: memref<2xindex>, %y: memref<8xf32>
    ) {{
      func.call @k{number}(%x, %at, %y) : {types} -> ()
      func.return
    }}""")
    return "\n".join(parts)


@pytest.fixture(scope="module")
def kernels() -> SegmentCode:
    return load_checked(kernels_text())


def load_checked(text: str, threads: int = 1) -> SegmentCode:
    """Hand-written kernels with checks, as loaded code."""
    module = parse(text)
    options.set_checks(module, "check_bounds")
    InsertBoundsChecksPass().apply(context(), module)
    accesses = checked_accesses(module)
    ConvertToLlvmPass().apply(context(), module)
    code = compile_object(print_module(module), cache=NO_CACHE)
    return SegmentCode([code], threads, accesses=accesses)


@pytest.mark.parametrize("form", FORMS)
def test_accesses_of_kernels(form: str, kernels: SegmentCode) -> None:
    """At each element around the memory: exact inside, and reported outside."""
    symbol = f"segment_{list(FORMS).index(form)}"
    random = np.random.default_rng(7)
    outside = 0
    for row in (*range(-9, 13), 2**40, -(2**40), 2**61):
        column = int(random.integers(-8, 9))
        guarded = random.standard_normal(3 * ELEMENTS).astype(np.float32)
        memory, before = guarded[ELEMENTS : 2 * ELEMENTS], guarded.copy()
        inner = before[ELEMENTS : 2 * ELEMENTS]
        given = random.standard_normal(LANES).astype(np.float32)
        other = given.copy()
        elements = touched(form, (8 * row + column + 2**63) % 2**64 - 2**63)
        arguments = memory, np.array([row, column], np.int64), other
        if ((elements < 0) | (elements >= ELEMENTS)).any():
            outside += 1
            with pytest.raises(BoundsError, match=f"'{form}'"):
                call(kernels, *arguments, symbol=symbol)
            assert (guarded[:ELEMENTS] == before[:ELEMENTS]).all()
            assert (guarded[2 * ELEMENTS :] == before[2 * ELEMENTS :]).all()
            continue
        call(kernels, *arguments, symbol=symbol)
        lanes = 1 if form.startswith("memref") else LANES
        chosen = MASK if "masked" in form or "gather" in form else np.ones(lanes, bool)
        if "store" in form:
            inner[elements] = given[:lanes][chosen]
            np.testing.assert_array_equal(guarded, before)
        else:
            wanted = np.zeros(lanes, np.float32)
            wanted[chosen] = inner[elements]
            np.testing.assert_array_equal(other[:lanes], wanted)
    assert 10 < outside < 24


def test_message_says_kernel_line_element_and_remedy(kernels: SegmentCode) -> None:
    memory, other = np.zeros(ELEMENTS, np.float32), np.zeros(LANES, np.float32)
    with pytest.raises(BoundsError) as caught:
        call(kernels, memory, np.array([3, 1]), other, symbol="segment_3")
    message = str(caught.value)
    assert message.startswith(
        "kernel 'k3' (unknown source): 'vector.store' of 8 elements from number 25, in "
        "f32 (4, 8), which has the elements 0 to 31; nothing outside was read"
    )
    assert 'program.ir("cpu")' in message


@pytest.mark.parametrize("threads", [1, 3])
def test_parallel_loops(threads: int) -> None:
    """One chunk of many leaves the memory; the code works again after that."""
    text = f"""
    builtin.module attributes {{devproc.target = #dev.target<"cpu", precision = "default", threads = {threads},
        cpu = #cpu.machine<vector_bits = 256>>}} {{
      func.func private @k(%x: memref<64xf32>, %by: memref<1xindex>) attributes {{
          dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>}} {{
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %n = arith.constant 64 : index
        %shift = memref.load %by[%zero] : memref<1xindex>
        %v = arith.constant 1.0 : f32
        "scf.parallel"(%zero, %n, %one) <{{
            operandSegmentSizes = array<i32: 1, 1, 1, 0>}}> ({{
        ^bb0(%i: index):
          %j = arith.addi %i, %shift : index
          memref.store %v, %x[%j] : memref<64xf32>
          scf.reduce
        }}) : (index, index, index) -> ()
        func.return
      }}
      func.func private @segment_0(%x: memref<64xf32>, %by: memref<1xindex>) {{
        func.call @k(%x, %by) : (memref<64xf32>, memref<1xindex>) -> ()
        func.return
      }}
    }}"""
    code = load_checked(text, threads)
    guarded = np.zeros(192, np.float32)
    with pytest.raises(BoundsError, match=r"'memref\.store' of one element, number"):
        call(code, guarded[64:128], np.array([5]))
    np.testing.assert_array_equal(guarded, np.repeat([0, 0, 1, 0], [64, 5, 59, 64]))
    call(code, guarded[64:128], np.array([0]))
    np.testing.assert_array_equal(guarded, np.repeat([0, 1, 0], 64))


def _image_case() -> Case:
    pipe = devproc.pipeline("image")
    image = pipe.input("image", "uint8", (19, 23, 3))
    x = pipe.resize(image, (11, 13), like="pillow", mode="bicubic")
    x = pipe.normalize(x, mean=(0.4, 0.5, 0.6), std=(0.2, 0.3, 0.25))
    x = pipe.layout(x, "HWC->NCHW")
    pipe.output("x", x)
    pixels = np.random.default_rng(1).integers(0, 256, (19, 23, 3), np.uint8)
    return Case(pipe, (pixels,), np.empty(0))


def _detection_case() -> Case:
    """More boxes than may stay, some of them no boxes."""
    random = np.random.default_rng(2)
    corners = random.uniform(0, 20, (29, 2))
    boxes = np.concatenate([corners, corners + 9], 1).astype(np.float32)
    scores = random.uniform(0, 1, (29, 3)).astype(np.float32)
    boxes[3], scores[5] = np.nan, np.nan
    pipe = devproc.pipeline("detection")
    given = pipe.input("boxes", "float32", (29, 4))
    found = pipe.nms(given, pipe.input("scores", "float32", (29, 3)), 0.6, max_n=7)
    pipe.output("found", found)
    return Case(pipe, (boxes, scores), np.empty(0))


def _module_case(module: nn.Module, *operands: torch.Tensor) -> Case:
    exported = torch.export.export(module.eval(), operands)
    return Case(exported, tuple(x.numpy() for x in operands), np.empty(0))


class Bottleneck(nn.Module):
    """The block that `bottleneck` takes as one kernel."""

    def __init__(self) -> None:
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(32, 16, 1), nn.Conv2d(16, 32, 1)
        self.conv = nn.Conv2d(16, 16, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.conv(torch.relu(self.reduce(x))))
        return torch.relu(self.expand(y) + x)


class Pairs(nn.Module):
    """Products of bf16 with an odd number of terms."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(7, 19).bfloat16()
        self.conv = nn.Conv2d(3, 19, 2).bfloat16()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        images = x.bfloat16()
        rows, places = self.linear(images), self.conv(images)
        return rows.float(), places.float()


def _gather(x: torch.Tensor, table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Indices that the operands of the test give out of range."""
    return nn.functional.embedding(index, table) + torch.gather(x, 1, index)[..., None]


MORE = {
    "image": _image_case,
    "detection": _detection_case,
    "bottleneck": lambda: _module_case(Bottleneck(), torch.randn(2, 32, 7, 9)),
    "pairs": lambda: _module_case(Pairs(), torch.randn(2, 3, 5, 7)),
    "topk": lambda: _module_case(
        Function(lambda x: torch.topk(x, 5, -1).values), torch.randn(3, 301)
    ),
    "median of many": lambda: _module_case(
        Function(lambda x: torch.median(x, -1).values), torch.randn(2, 33_001)
    ),
    "gather": lambda: _module_case(
        Function(_gather),
        torch.randn(5, 7),
        torch.randn(7, 19),
        torch.randint(0, 7, (5, 6)),
    ),
}

SOME = (
    *(
        "linear",
        "winograd",
        "winograd_line",
        "conv",
        "depthwise",
        "attention",
        "sort",
        "order",
    ),
    *("scan", "scatter"),
)
"""Of the programs that the tests of processors have."""


@pytest.mark.parametrize("name", [*SOME, *MORE])
def test_generated_code_stays_inside(name: str) -> None:
    """Checked code finds nothing, and gives the bits of the unchecked one."""
    found = MORE[name]() if name in MORE else case(name)
    plain = found.compile("native")
    checked = devproc.compile(found.source, threads=2, check_bounds=True)
    assert cpu_code(checked).accesses
    assert not cpu_code(plain).accesses
    for result, wanted in zip(
        checked.run_flat(found.inputs), plain.run_flat(found.inputs), strict=True
    ):
        np.testing.assert_array_equal(result, wanted)
    if name == "gather":
        # What PyTorch refuses reads inside, and is an error of the values.
        x, table, index = found.inputs
        for wrong in (7, -1, 2**40, -(2**62)):
            with pytest.raises(InputError, match=f"index {wrong} at "):
                checked(x, table, np.full_like(index, wrong))


def small_pipeline() -> Pipeline:
    pipe = devproc.pipeline("travel")
    pipe.output("y", pipe.softmax(pipe.input("x", "float32", (3, 5)), axis=-1))
    return pipe


def test_option_travels(tmp_path: Path) -> None:
    """Through the text of the program, the cache, a saved file and the command line."""
    pipe = small_pipeline()
    checked = devproc.compile(pipe, check_bounds=True)
    assert not cpu_code(devproc.compile(pipe)).accesses
    again = devproc.compile(pipe, check_bounds=True)
    assert cpu_code(again).accesses == cpu_code(checked).accesses != ()
    checked.save(tmp_path / "checked")
    loaded = devproc.load(tmp_path / "checked")
    assert cpu_code(loaded) == cpu_code(checked)
    x = np.linspace(-1, 2, 15, dtype=np.float32).reshape(3, 5)
    np.testing.assert_array_equal(loaded(x=x)["y"], checked(x=x)["y"])
    path, source = tmp_path / "command", f"{__file__}:small_pipeline"
    command = ["compile", source, "--check-bounds", "-o", str(path)]
    assert CliRunner().invoke(main, command).exit_code == 0
    assert cpu_code(devproc.load(path)).accesses == cpu_code(checked).accesses


def test_no_cost_when_off() -> None:
    """The pass leaves a module without the option as it is."""
    module = parse(kernels_text())
    before = str(module)
    InsertBoundsChecksPass().apply(context(), module)
    assert str(module) == before
    run_stages(module, context(), stages_between("cpu", "host"))
    assert not checked_accesses(module)
