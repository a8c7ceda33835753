"""The contract of each stage: what may remain after it, and where it may start."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from devproc.driver import stage_named, stages_between
from devproc.errors import CompileError
from devproc.ir.verification.verify import verify_legal_dialects
from devproc.registry import DIALECTS, PASSES
from devproc.stages import STAGES, Stage
from tests.repository import context

NAMES = [stage.name for stage in STAGES]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_foreign_dialect_is_refused(stage: Stage) -> None:
    module = ModuleOp([test.TestOp.create()])
    with pytest.raises(VerifyException) as caught:
        verify_legal_dialects(module, stage.legal_after, stage.name)
    assert f"after stage '{stage.name}' only the dialects" in str(caught.value)
    assert "'test.op' (unknown source)" in str(caught.value)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_legal_dialects_exist(stage: Stage) -> None:
    dialects = {name.partition(".")[0] for name in stage.legal_after}
    assert dialects <= set(context().registered_dialect_names)


def test_stages_have_one_name_and_a_reason() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(stage.why and stage.why.strip(".") == stage.why for stage in STAGES)


def test_every_dialect_of_ours_lives_somewhere() -> None:
    homes = set[str]().union(*(stage.legal_after for stage in STAGES))
    assert set(DIALECTS) <= homes


def test_every_pass_of_ours_is_used() -> None:
    used = {name.partition("{")[0] for stage in STAGES for name in stage.passes}
    assert set(PASSES) <= used


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
