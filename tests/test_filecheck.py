"""Each file below tests/filecheck is one test; its RUN lines say what must hold."""

from pathlib import Path

import pytest

from tests.filecheck_runner import check_file

ROOT = Path(__file__).parent / "filecheck"
FILES = sorted(ROOT.rglob("*.mlir"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_filecheck(path: Path) -> None:
    failure = check_file(path)
    if failure is not None:
        pytest.fail(failure, pytrace=False)
