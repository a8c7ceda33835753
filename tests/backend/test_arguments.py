"""Arguments of `compile` that are about one device, and what they become in a target."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import devproc
from devproc.backend.arguments import with_defaults
from devproc.errors import CompileError
from devproc.options import target_options
from tests.repository import parse

ARGUMENTS: dict[str, Any] = {"cpu": "x86-64-v3", "arch": "sm_80"}
MACHINE = (
    '#cpu.machine<processor = "x86-64-v3", vector_bits = 256, extensions = ["avx2"]>'
)


def test_defaults_are_those_of_the_devices() -> None:
    assert with_defaults(("cpu",), {}) == {"cpu": "native"}
    assert with_defaults(("cuda",), {}) == {"arch": "sm_90", "tune": "no"}
    # One of another device is kept, to be checked, if it is not the default.
    assert with_defaults(("cpu",), {"arch": "sm_90"}) == {"cpu": "native"}
    given = {"arch": "sm_80"}
    assert with_defaults(("cpu",), given) == {"cpu": "native", "arch": "sm_80"}


def test_an_unknown_argument_is_refused_with_a_suggestion() -> None:
    with pytest.raises(TypeError, match=r"no argument is called 'cpus'.*'cpu'"):
        devproc.compile(
            torch.export.export(torch.nn.ReLU(), (torch.ones(2),)), cpus="native"
        )


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("cpu", f"cpu = {MACHINE}"),
        (
            "cpu+cuda:interpret",
            f'cpu = {MACHINE}, cuda = #triton.options<arch = "sm_80", interpret = 1>',
        ),
        # The host program is for a processor too.
        (
            "cuda",
            f'cpu = {MACHINE}, cuda = #triton.options<arch = "sm_80", interpret = 0>',
        ),
    ],
)
def test_each_device_has_its_part_of_a_target(target: str, options: str) -> None:
    found = target_options(target, 3, "fast", **ARGUMENTS)
    devices = target.replace(":interpret", "")
    text = f'#dev.target<"{devices}", precision = "fast", threads = 3, {options}>'
    assert str(found) == text
    module = parse(f"module attributes {{a = {text}}} {{}}")
    assert module.attributes["a"] == found


@pytest.mark.parametrize("wrong", [{"cpu": "pentium"}, {"arch": "sm90"}])
def test_arguments_of_devices_that_are_not_used_are_checked(
    wrong: dict[str, Any],
) -> None:
    with pytest.raises(CompileError, match=f"unknown {next(iter(wrong))} '"):
        target_options("cpu", **wrong)
