"""The reference of the API: every public name, its members, and the errors they raise."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest

import devproc
from devproc import errors
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.user_input import fail
from devproc.tools.api_page import INTERNAL, RESULTS, public_members
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
COPIES = ["Entries.__reduce_ex__", "Program.__reduce_ex__"]
"""What copying and pickling call; not on the page, the class says that it is refused."""
STEPS = [
    f"Pipeline.{name}"
    for class_ in devproc.Pipeline.__mro__
    if issubclass(class_, StepBuilder) and class_ is not StepBuilder
    for name, member in vars(class_).items()
    if inspect.isfunction(getattr(member, "__func__", member))
    and not name.startswith("_")
    and name != "calling"
]
"""The methods on the page of the steps."""
RAISE_NOTHING = {
    "LanguageModel.place",
    "LanguageModel.reset",
    "LanguageModel.save_state",
    "Program.report",
}
"""They take no value of the user that could be wrong."""

ARRAYS = re.compile(r"\b(Value|Operand|Boxes|Detections|Tokens|Array|NDArray|Tensor)\b")
"""Annotations of arrays, and of their handles in a pipeline."""
UNTYPED = re.compile(r"\b(Any|object)\b")
ARRAY_NAMES = {
    "anchors", "args", "colors", "initial", "inputs", "kwargs", "return", "saved", "source"
}  # fmt: skip
"""Names under which an array may be given or returned without such an annotation."""

SHAPE = re.compile(r"\b[Ss]hapes?\b|`[\[(][^`]*[\])]`")
DTYPE = re.compile(r"\bdtypes?\b|\b[Uu]?(?:int|[Ff]loat)\d+\b|\bbfloat16\b|\bbools?\b")
"""How a docstring names them: the word, or axes in backquotes as `(batch, time)`; the word, or
the name of a dtype."""

UNITS = {
    r"hop|n_fft|win_length": r"samples",
    r"\w*_rate|f_min|f_max": r"\bHz\b",
    r"(max_)?size": r"\b(pixels|samples|tokens|bytes)\b",
    r"\w*(seconds|timeout)": r"\bseconds\b",
    r"\w*_ms": r"\bmilliseconds\b",
    r"\w*bytes|key": r"\bbytes\b",
    r"capacity|max_tokens|length": r"\b([Tt]okens|samples)\b",
    r"position|slide|draft|speculate|prefill": r"\btokens\b",
}
"""Names of parameters -> the unit that the docstring names."""
SAME_AS = re.compile(
    r"options are those of `(?:devproc\.)?([\w.]+)`|as `(Program\.save)`"
)
"""A reference to the docstring that explains the parameters."""


def documentation(name: str) -> str:
    """The docstring of `Program.ir` or `compile`."""
    thing: object = devproc
    for part in name.split("."):
        thing = getattr(thing, part)
    return inspect.getdoc(thing) or ""


def member(name: str) -> Callable[..., Any]:
    """The function of `Program.save` or `compile`; that of a property reads it."""
    thing: object = devproc
    for part in name.split("."):
        thing = inspect.getattr_static(thing, part)
    return getattr(thing, "fget", None) or getattr(thing, "__func__", thing)  # pyright: ignore[reportReturnType]


def is_of_arrays(name: str) -> bool:
    """Whether a function takes or returns arrays."""
    return any(
        ARRAYS.search(str(annotation))
        or (parameter in ARRAY_NAMES and UNTYPED.search(str(annotation)))
        for parameter, annotation in member(name).__annotations__.items()
    )


@pytest.mark.parametrize(
    "name",
    [n for n in [*METHODS, *FUNCTIONS, *STEPS] if is_of_arrays(n)],
)
def test_shapes_and_dtypes_are_named(name: str) -> None:
    text = documentation(name)
    assert SHAPE.search(text)
    assert DTYPE.search(text)


@pytest.mark.parametrize("name", [*METHODS, *FUNCTIONS, *STEPS])
def test_units_are_named(name: str) -> None:
    text = documentation(name)
    for same in SAME_AS.finditer(text):
        text += documentation(same[1] or same[2])
    for parameter in inspect.signature(member(name)).parameters:
        for names, unit in UNITS.items():
            if re.fullmatch(names, parameter):
                assert re.search(unit, text), parameter


def functions_of(module: str) -> dict[str, list[ast.FunctionDef]]:
    """The functions and methods of a module by name."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


@cache
def parsed(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def called(node: ast.AST) -> str:
    """The name of what is called: `f` of `f(x)` and of `self.f(x)`."""
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id == "self" else ""
    return ""


def raised_by(node: ast.AST, module: str, depth: int = 2) -> Iterator[str]:
    """Errors of DevProc that a function raises, or a helper of its module that it calls."""
    helpers = functions_of(module)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Raise) and inner.exc is not None:
            name = called(inner.exc)
            returned = [
                ast.unparse(h.returns) for h in helpers.get(name, []) if h.returns
            ]
            yield from (n for n in [name, *returned] if hasattr(errors, n))
        elif isinstance(inner, ast.Call) and depth:
            if called(inner) == fail.__name__:
                yield errors.BuildError.__name__
            for helper in helpers.get(called(inner), []):
                yield from raised_by(helper, module, depth - 1)


def errors_of(name: str) -> set[str]:
    function = member(name)
    node = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return set(raised_by(node, function.__module__))


def test_errors_are_found_in_the_source() -> None:
    assert errors_of("LanguageModel.step") == {"GenerationError"}
    assert errors_of("LanguageModel.check") == {"GenerationError", "InputError"}
    assert errors_of("Pipeline.slice") == {"BuildError"}
    assert errors_of("register_op") == {"RegistrationError"}


@pytest.mark.parametrize("name", [*METHODS, *FUNCTIONS, *COPIES, *STEPS])
def test_errors_of_the_source_are_named(name: str) -> None:
    """A method in its own docstring; a step, and what is not on the page, in the class's."""
    class_ = name.partition(".")[0]
    in_class = name in COPIES or name in STEPS
    assert errors_of(name) <= set(
        re.findall(r"\w+", documentation(class_ if in_class else name))
    )


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


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_documented(name: str) -> None:
    """Each field in its own docstring, or in that of the class; each property."""
    module, _, class_name = name.rpartition(".")
    class_ = getattr(import_module(module), class_name)
    (node,) = ast.parse(inspect.getsource(class_)).body
    assert isinstance(node, ast.ClassDef)
    text = ast.get_docstring(node) or ""
    for statement, after in pairwise(node.body):
        if isinstance(statement, ast.AnnAssign):
            field = ast.unparse(statement.target)
            assert isinstance(after, ast.Expr) or f"`{field}`" in text, field
        if isinstance(statement, ast.FunctionDef) and statement.name[0] != "_":
            assert ast.get_docstring(statement), statement.name
    assert f"::: {name}\n" in PAGE


@pytest.mark.parametrize("name", INTERNAL)
def test_internal_members_exist(name: str) -> None:
    assert all(hasattr(getattr(devproc, name), member) for member in INTERNAL[name])
