"""The conformance kit: our devices pass, and each planted fault is found and named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from devproc.backend.conformance.cases import OPS, cases_of
from devproc.backend.conformance.chain_matrix import wanted_of
from devproc.backend.conformance.chains import DTYPES, chains_of
from devproc.backend.conformance.kit import run_kit, selected
from devproc.backend.conformance.result import Result
from devproc.backend.conformance.samples import NO_SAMPLE, SAMPLES
from devproc.dialects.nn import NN
from devproc.errors import CompileError
from devproc.tools.devproc import main
from devproc.transforms.tensor.decompose_nn import DECOMPOSITIONS
from tests.backend.conftest import Install

FEW = ("nn.sub", "nn.add", "nn.maximum", "nn.relu", "nn.matmul", "nn.transpose")


def test_each_op_has_samples() -> None:
    decomposed = {op.name for op in DECOMPOSITIONS}
    names = {op.name for op in NN.operations}
    assert names == SAMPLES.keys() | NO_SAMPLE.keys() | decomposed
    assert not SAMPLES.keys() & NO_SAMPLE.keys()


@pytest.mark.parametrize("name", OPS)
def test_each_sample_is_used(name: str) -> None:
    """A sample that no dtype fits would test nothing."""
    cases = list(cases_of(name, ("float32", "int32", "uint8")))
    assert {case.variant for case in cases} >= {"odd", "special"}
    assert all(str(case) for case in cases)


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_chain_is_valid(dtype: str) -> None:
    """Each has a name of its own, and results that are not all the same number."""
    chains = list(chains_of(dtype))
    assert len({chain.name for chain in chains}) == len(chains) > 20
    for chain in chains:
        (value,) = wanted_of(chain).values
        assert len(value.unique()) > 1, str(chain)


def failures_of(result: Result) -> set[str]:
    """The names of the checks and ops that failed."""
    return {
        *(check.name for check in result.checks if check.failure is not None),
        *(cell.op for cell in result.cells if cell.failures),
    }


def test_numpy_passes(install: Install) -> None:
    install()
    result = run_kit("numpy", FEW)
    assert result.passed, list(result.failures())
    assert not [check.name for check in result.checks if check.skipped]
    assert sum(cell.of for cell in result.cells) > 300


FAULTS = {
    "ForgetsSync": {"queued work", "order of work", "weights"},
    "ReversesQueue": {"order of work"},
    "SwapsOperands": {"nn.sub"},
    "IgnoresNaN": {"nn.maximum", "nn.relu"},
    "OffByOne": {"nn.add"},
    "WrongAlignment": {"alignment"},
    "WritesOutside": {"alignment"},
    "KeepsNoWeights": {"weights kept"},
    "OneMemory": {"loaded twice"},
    "OneQueue": {"unloaded code"},
    "ChecksNothing": {"damaged code", "missing functions"},
    "ForgetsState": {"states", "calls"},
}
"""A fault -> what has to find it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(install: Install, fault: str) -> None:
    install(fault.lower(), f"tests.backend.faulty_devices:{fault}")
    checks = [name for name in FAULTS[fault] if not name.startswith("nn.")]
    found = run_kit(fault.lower(), FEW, ["float32"], checks or ["unknown options"])
    failed = failures_of(found)
    assert FAULTS[fault] <= failed, list(found.failures())
    assert not found.passed
    if not checks:
        assert failed == FAULTS[fault]


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_our_devices_pass(target: str) -> None:
    """A part of the matrix; `devproc backend-test` runs all of it."""
    result = run_kit(
        target,
        ("nn.sub", "nn.relu", "nn.reduce_sum", "nn.*constants"),
        ("float32", "int8"),
    )
    assert result.passed, list(result.failures())


def test_the_command_writes_a_page(install: Install, tmp_path: Path) -> None:
    install()
    page = tmp_path / "numpy.md"
    arguments = ["backend-test", "numpy", "--op", "nn.a*", "--dtype", "int8"]
    run = CliRunner().invoke(main, [*arguments, "--page", str(page)])
    assert run.exit_code == 0, run.output
    assert "9 / 9" in run.output
    text = page.read_text()
    assert text.startswith("# Conformance of `numpy`")
    assert "package numpy-device 1.2" in text
    assert "| nn.add | 9 / 9 |" in text
    assert "- `nn.abs`: NumPy has no nn.abs" in text


def test_the_command_fails_for_a_fault(install: Install) -> None:
    install("swaps", "tests.backend.faulty_devices:SwapsOperands")
    run = CliRunner().invoke(main, ["backend-test", "swaps", "--op", "nn.sub"])
    assert run.exit_code == 1
    assert "nn.sub in float32, odd: float32" in run.output


def test_selections() -> None:
    assert selected([], OPS, "op") == list(OPS)
    found = selected(["nn.cum*", "nn.abs"], OPS, "op")
    assert sorted(found) == [
        f"nn.{n}" for n in ("abs", "cummax", "cummin", "cumprod", "cumsum")
    ]
    with pytest.raises(CompileError, match=r"no op is called 'nn.ad'.*'nn.pad'"):
        run_kit("cpu", ["nn.ad"])
    with pytest.raises(CompileError, match=r"no dtype is called 'float33'.*'float32'"):
        run_kit("cpu", [], ["float33"])
    with pytest.raises(CompileError, match="no device 'nump'"):
        run_kit("nump")
