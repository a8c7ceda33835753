"""Code for AArch64, run under an emulator where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cpu import emulated
from tests.cpu.cpu_programs import CASES, case

pytestmark = pytest.mark.skipif(
    emulated.why_not() is not None, reason=str(emulated.why_not())
)


@pytest.mark.parametrize("name", CASES)
def test_program_agrees_with_pytorch(name: str, tmp_path: Path) -> None:
    given = case(name)
    (result,) = emulated.run(given.compile("aarch64"), given.inputs, tmp_path)
    given.check(result)
