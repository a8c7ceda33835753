"""What a terminal shows while the work takes long; elsewhere nothing."""

from __future__ import annotations

import sys
import warnings

import pytest
import torch
from torch import nn

import devproc
from devproc.timings import announce, announced_to
from devproc.tools.commands.common import console


def test_a_compilation_tells_where_it_is() -> None:
    exported = torch.export.export(nn.Linear(7, 5), (torch.randn(3, 7),))
    told: list[str] = []
    with announced_to(told.append):
        devproc.compile(exported, cache=False)
    assert told[0] == "import"
    assert told[-1] == "weights"
    assert "kernel 1 of 1: linear" in told
    stages = [text.split()[1] for text in told if text.startswith("stage ")]
    assert stages[:5] == ["program", "tensor", "placed", "kernels", "buffers"]
    announce("to nobody")
    assert "to nobody" not in told


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_for_terminals(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress("compiling [x]"):
        announce("stage tensor")
    found = capfd.readouterr()
    assert found.out == ""
    assert ("compiling [x]" in found.err) is terminal


def test_the_observer_is_gone_after_an_error() -> None:
    told: list[str] = []

    def fail() -> None:
        with announced_to(told.append):
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        fail()
    announce("more")
    assert told == []


def test_warnings_are_lines(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        console.show_warnings_as_messages()
        warnings.warn("no GPU", stacklevel=1)
        warnings.warn("for developers", FutureWarning, stacklevel=1)
    assert capfd.readouterr().err == "devproc: warning: no GPU\n"
