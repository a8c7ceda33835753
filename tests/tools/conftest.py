"""Runs `devproc` within the test's process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devproc.tools.devproc import main

Command = Callable[..., Result]


@pytest.fixture
def command() -> Command:
    """Runs `devproc` with arguments; errors of ours are raised to the test."""

    def run(*arguments: str | Path, code: int = 0) -> Result:
        result = CliRunner().invoke(main, [str(a) for a in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return run
