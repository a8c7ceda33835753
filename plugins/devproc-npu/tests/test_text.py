"""The dialect and the passes as text."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from devproc_npu.backend import NPU
from xdsl.universe import Universe

from devproc import universe
from devproc.ir.verification.verify import verify_module
from devproc.registry import load
from tests.filecheck_runner import check_file
from tests.repository import context, parse
from tests.test_docstrings import BLOCKS, normalised

FILES = sorted((Path(__file__).parent / "filecheck").glob("*.mlir"))


@pytest.fixture(autouse=True)
def _tools(npu: None) -> Iterator[None]:
    """xDSL's tools read once in a process what is installed."""
    _read_again()
    yield
    _read_again()


def _read_again() -> None:
    importlib.reload(universe)
    Universe.get_multiverse.cache_clear()  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_filecheck(path: Path) -> None:
    failure = check_file(path)
    if failure is not None:
        pytest.fail(failure, pytrace=False)


@pytest.mark.parametrize("name", NPU.passes)
def test_before_becomes_after(name: str) -> None:
    class_ = load(NPU.passes[name])
    ((before, after),) = BLOCKS.findall(class_.__doc__)
    ctx = context()
    module, wanted = parse(before, ctx), parse(after, ctx)
    verify_module(module)
    class_().apply(ctx, module)
    verify_module(module)
    assert normalised(module) == normalised(wanted)


def test_each_pass_has_its_file() -> None:
    assert set(NPU.passes) <= {path.stem for path in FILES}
