"""Candidates of GPU kernels, ranked by the model, and the commands that show them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.algorithms import algorithm
from devproc.backend.installed import tuner_of
from devproc.dialects.dev import target_of
from devproc.dialects.sched import BlocksSchedule, NestOp, VariantsOp
from devproc.driver import make_pass
from devproc.errors import CompileError
from devproc.options import target_options
from devproc.targets.triton.cost import ranking
from devproc.targets.triton.cost.assess import machine_codes
from devproc.targets.triton.machine_code import MachineCode
from devproc.tools.devproc import main
from devproc.tuning import candidates
from tests.targets import target_attr
from tests.triton import programs
from tests.triton.support import kernels, parse

POINTWISE = programs.elementwise(
    "%r = arith.addf %a, %b : f32", "f32", (256, 1024), "f32", "f32"
)

APP = """
import torch

class Double(torch.nn.Module):
    def forward(self, x):
        return x + x

model = torch.export.export(Double(), (torch.randn(256, 1024),))
"""


@pytest.fixture(autouse=True)
def few_candidates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Three candidates, compiled in this process; nothing is in the cache."""
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(ranking, "MOST_CANDIDATES", 3)
    alone = partial(machine_codes, processes=1)
    monkeypatch.setattr(ranking, "machine_codes", alone)


def scheduled(tune: str = "no") -> ModuleOp:
    """The pointwise kernel with its schedule."""
    module = parse(POINTWISE)
    module.attributes["devproc.target"] = target_options("cuda", tune=tune)
    make_pass("choose-schedules").apply(Context(), module)
    return module


def kernel_of(module: ModuleOp) -> FuncOp:
    """The only kernel."""
    (found,) = (op for op in module.ops if isinstance(op, FuncOp))
    return found


def test_without_tuning_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "machine_codes", None)
    (nest,) = (op for op in scheduled().walk() if isinstance(op, NestOp))
    assert nest.why.data == "262144 elements, 256 for each program"


def test_the_best_modelled_schedule_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    module = scheduled("yes")
    module.verify()
    (op,) = (op for op in module.walk() if isinstance(op, VariantsOp))
    times = {str(v.schedule): v.time for v in op.variants}
    assert len(times) == 3
    assert all(v.by == "modelled" for v in op.variants)
    assert op.schedule == op.variants.data[0].schedule
    make_pass("prune-variants").apply(Context(), module)
    (nest,) = (op for op in module.walk() if isinstance(op, NestOp))
    best = min(times.values(), key=lambda time: time or 0)
    assert times[str(nest.schedule)] == best
    # The second time they are in the cache.
    monkeypatch.setattr(ranking, "machine_codes", None)
    (op,) = (op for op in scheduled("yes").walk() if isinstance(op, VariantsOp))
    assert {str(v.schedule): v.time for v in op.variants} == times


def test_equal_kernels_are_ranked_once() -> None:
    text = POINTWISE + POINTWISE.replace("@elementwise", "@again")
    module = parse(text)
    module.attributes["devproc.target"] = target_attr("cuda")
    make_pass("choose-schedules").apply(Context(), module)
    both = [op for op in module.ops if isinstance(op, FuncOp)]
    found = ranking.ranked_nests(both, target_of(module))
    assert len({nest.key for nest, _ in found}) == 1
    assert found[0][1] is found[1][1]


def test_a_schedule_that_cannot_run_is_not_taken() -> None:
    module = scheduled()
    (nest,) = ranking.nests_of(kernel_of(module), target_of(module))
    planned = nest.schedules[0]
    (code,) = machine_codes(
        [ranking.kernel_of(next(nest.programs))], "sm_90", processes=1
    )
    assert not isinstance(code, str)
    work = ranking.work_of(next(nest.programs))
    large = replace(code, shared_bytes=1 << 20)
    found = ranking.score(nest, planned, large, work)
    assert (found.microseconds, found.why) == (None, "too much shared memory")
    refused = ranking.score(nest, planned, "no code", work)
    assert (refused.microseconds, refused.why) == (None, "no code")


def test_the_best_are_measured_where_there_is_a_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ranking, "card_name", lambda: "made up")
    monkeypatch.setattr(ranking, "SHORT_LIST", 2)
    times = iter([9e-6, 8e-6])
    monkeypatch.setattr(ranking, "kernel_seconds", lambda *_: next(times))
    module = scheduled()
    ((_, scores),) = ranking.ranked_nests([kernel_of(module)], target_of(module))
    assert sorted(score.by for score in scores) == ["measured", "measured", "modelled"]
    (best,) = tuner_of("cuda").tune([kernel_of(module)], target_of(module))
    assert best.by == "measured"
    assert best.best_microseconds == pytest.approx(8)


def test_an_algorithm_may_offer_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    module = scheduled()
    blocks = algorithm("blocks")
    offered = [BlocksSchedule(size=n, warps=2) for n in (512, 512, 2048)]
    monkeypatch.setitem(vars(blocks), "candidates", lambda *_: offered)
    ((planned, *others),) = candidates(kernel_of(module), target_of(module)).values()
    assert planned == BlocksSchedule(size=256, warps=4)
    assert others == [offered[0], offered[2]]


def test_commands(tmp_path: Path) -> None:
    app, output = tmp_path / "app.py", tmp_path / "tuned.json"
    app.write_text(APP)
    arguments = [f"{app}:model", "--target", "cuda"]
    run = CliRunner().invoke(main, ["tune", *arguments, "-o", str(output)])
    assert run.exit_code == 0, run.output
    (entry,) = json.loads(output.read_text())
    assert (entry["by"], entry["tried"]) == ("modelled", 3)
    assert entry["best_microseconds"] <= entry["planned_microseconds"]
    assert entry["kernel"] in run.output
    run = CliRunner().invoke(main, ["inspect", *arguments, "--kernel", "add*"])
    assert run.exit_code == 0, run.output
    for text in (
        "@triton.jit",
        "#sched.blocks<",
        "registers",
        "roofline",
        "us  #sched",
    ):
        assert text in run.output
    run = CliRunner().invoke(main, ["inspect", *arguments, "--kernel", "conv"])
    assert isinstance(run.exception, CompileError)
    assert "no kernel is called 'conv'; there are add" in str(run.exception)


def test_tune_is_yes_or_no() -> None:
    with pytest.raises(CompileError, match="tune must be yes or no, not 'maybe'"):
        target_options("cuda", tune="maybe")


def test_processes_answer_in_order() -> None:
    """The second kernel does not compile: it says so, and the others are not disturbed."""
    (good,) = kernels(POINTWISE, interpret=False)
    bad = replace(good, source=good.source.replace("tl.store", "tl.stored"))
    (alone,) = machine_codes([good], "sm_90")
    first, second, third = machine_codes([good, bad, good], "sm_90", processes=2)
    for each in (first, third):
        assert isinstance(each, MachineCode)
        assert isinstance(alone, MachineCode)
        assert (each.registers, each.mix) == (alone.registers, alone.mix)
    assert "cannot compile the kernel 'elementwise'" in str(second)
