"""The contract of each stage: what may remain after it, and where it may start."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from devproc.backend import Stage
from devproc.driver import run_stages, stage_named, stages_between
from devproc.errors import CompileError
from devproc.ir.verification.verify import verify_legal_dialects
from devproc.registry import dialects, load, passes
from devproc.stages import STAGES
from tests.repository import context, parse

NAMES = [stage.name for stage in STAGES]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_foreign_dialect_is_refused(stage: Stage) -> None:
    module = ModuleOp([test.TestOp.create()])
    with pytest.raises(VerifyException) as caught:
        verify_legal_dialects(module, stage.legal_after, stage.name)
    assert f"after stage '{stage.name}' only the dialects" in str(caught.value)
    assert "'test.op' (unknown source)" in str(caught.value)


KERNEL = """
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>)
    attributes {{dev.kernel = #dev.kernel<"{device}", "pointwise", ["nn.exp"]>}} {{
  {body}
  func.return
}}
"""
FILL = """%one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%y : memref<4xf32>)"""
LOAD = """%i = arith.constant 0 : index
  %v = memref.load %x[%i] : memref<4xf32>"""


@pytest.mark.parametrize(
    ("stage", "device", "body", "foreign"),
    [
        ("buffers", "cpu", FILL, None),
        ("cpu", "cpu", FILL, "linalg.fill"),
        ("cpu", "cuda", FILL, None),
        ("gpu", "cuda", FILL, "linalg.fill"),
        ("gpu", "cuda", LOAD, "memref.load"),
        ("host", "cpu", LOAD, None),
        ("llvm", "cuda", LOAD, "memref.load"),
    ],
)
def test_kernels_of_each_device_have_their_dialects(
    stage: str, device: str, body: str, foreign: str | None
) -> None:
    found, module = stage_named(stage), parse(KERNEL.format(device=device, body=body))
    if foreign is None:
        verify_legal_dialects(module, found.legal_after, stage, found.legal_of)
        return
    with pytest.raises(VerifyException, match=f"holds .*'{foreign}'"):
        verify_legal_dialects(module, found.legal_after, stage, found.legal_of)


def test_code_of_the_cpu_ends_in_llvm() -> None:
    body = "llvm.func @k() {\n%0 = arith.constant 1 : i64\nllvm.return\n}"
    stage = stage_named("llvm")
    with pytest.raises(VerifyException, match=r"code of 'cpu' holds 'arith\.constant'"):
        verify_legal_dialects(
            parse(body), stage.legal_after, stage.name, stage.legal_of
        )


def test_a_kernel_that_no_schedule_takes_is_refused() -> None:
    """With the passes of its stage gone, a kernel of the CPU keeps its `linalg`."""
    module = parse(KERNEL.format(device="cpu", body=FILL))
    stage = replace(stage_named("cpu"), passes=())
    with pytest.raises(CompileError, match=r"after stage 'cpu'.*linalg\.fill"):
        run_stages(module, context(), [stage])


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_legal_dialects_exist(stage: Stage) -> None:
    dialects = {name.partition(".")[0] for name in stage.legal_anywhere}
    assert dialects <= set(context().registered_dialect_names)


def test_stages_have_one_name_and_a_reason() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(stage.why and stage.why.strip(".") == stage.why for stage in STAGES)


def test_every_dialect_of_ours_lives_somewhere() -> None:
    homes = set[str]().union(*(stage.legal_anywhere for stage in STAGES))
    with_ops = {
        name for name, path in dialects().items() if list(load(path).operations)
    }
    assert with_ops <= homes


def test_every_pass_of_ours_is_used() -> None:
    used = {name.partition("{")[0] for stage in STAGES for name in stage.passes}
    assert set(passes()) <= used


def test_stages_between() -> None:
    def names(after: str | None, to: str | None) -> list[str]:
        return [stage.name for stage in stages_between(after, to)]

    assert names(None, None) == NAMES
    assert names(None, NAMES[0]) == NAMES[:1]
    assert names(NAMES[2], NAMES[4]) == NAMES[3:5]
    assert names(NAMES[-1], None) == []
    assert names(NAMES[3], NAMES[1]) == []


def test_unknown_stage() -> None:
    with pytest.raises(CompileError, match="no stage named 'middle'; the stages are"):
        stage_named("middle")
