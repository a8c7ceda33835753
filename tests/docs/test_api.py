"""The reference of the API: every public name, its members, and the errors they raise."""

from __future__ import annotations

import inspect
import re

import pytest

import devproc
from devproc import errors
from devproc.tools.api_page import INTERNAL, public_members
from tests.repository import ROOT

PAGE = (ROOT / "docs" / "api.md").read_text()
CLASSES = [
    name
    for name in devproc.__all__
    if inspect.isclass(thing := getattr(devproc, name))
    and not issubclass(thing, (errors.DevProcError, devproc.Pipeline))
]
METHODS = [
    f"{name}.{member}"
    for name in CLASSES
    for member in public_members(name)
    if callable(getattr(getattr(devproc, name), member))
]
FUNCTIONS = [n for n in devproc.__all__ if inspect.isfunction(getattr(devproc, n))]
RAISE_NOTHING = {
    "LanguageModel.check",
    "LanguageModel.place",
    "LanguageModel.reset",
    "LanguageModel.save_state",
    "Program.report",
}
"""They take no value of the user that could be wrong."""


def documentation(name: str) -> str:
    """The docstring of `Program.ir` or `compile`."""
    thing: object = devproc
    for part in name.split("."):
        thing = getattr(thing, part)
    return inspect.getdoc(thing) or ""


@pytest.mark.parametrize("name", [*METHODS, *FUNCTIONS])
def test_errors_are_named(name: str) -> None:
    found = re.findall(r"\b\w+Error\b", documentation(name))
    assert (not found) == (name in RAISE_NOTHING)
    assert all(hasattr(errors, error) for error in found)


@pytest.mark.parametrize("name", CLASSES)
def test_members_are_documented(name: str) -> None:
    members = public_members(name)
    assert f"members: [{', '.join(members)}]" in PAGE
    for member in members:
        value = inspect.getattr_static(getattr(devproc, name), member)
        assert (inspect.getdoc(value) or "").strip(), member


@pytest.mark.parametrize("name", INTERNAL)
def test_internal_members_exist(name: str) -> None:
    assert all(hasattr(getattr(devproc, name), member) for member in INTERNAL[name])
