"""The house rules, as tests: one name per pass, budgets, one settings file."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from devproc.registry import dialects, load, passes
from devproc.stages import COMMON
from devproc.tools.generate_docs import documented
from tests.repository import (
    PACKAGE,
    ROOT,
    definitions,
    pass_class,
    repository_files,
    sources,
)

TRANSFORMS, TARGETS = PACKAGE / "transforms", PACKAGE / "targets"
STAGE_NAMES = {stage.name for stage in COMMON}
DIALECTS, PASSES = dialects(), passes()
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FILE_LINES, PASS_FILE_LINES, FUNCTION_LINES = 400, 250, 60
OP_CLASS_LINES, VERIFY_LINES = 60, 35
FOLDER_MODULES = 20


def camel(kebab: str) -> str:
    """`foo-bar` -> `FooBar`; matches `Llvm` and `LLVM` alike when compared lower."""
    return "".join(part.capitalize() for part in kebab.split("-"))


@pytest.mark.parametrize("name", PASSES)
def test_pass_has_one_name(name: str) -> None:
    """Registry key, `name`, file, class and FileCheck file say the same."""
    module, class_name = PASSES[name].split(":")
    folders = module.split(".")
    assert KEBAB.fullmatch(name)
    assert not name.endswith("-pass")
    assert pass_class(name).name == name
    assert folders[-1] == name.replace("-", "_")
    assert class_name.lower() == (camel(name) + "Pass").lower()
    if folders[1] == "targets":
        assert folders[3:-1] == ["transforms"]
    else:
        assert folders[:2] == ["devproc", "transforms"]
        assert folders[2] in STAGE_NAMES
    test = ROOT / "tests" / "filecheck" / "transforms" / f"{name}.mlir"
    assert test.is_file(), f"{name} has no FileCheck file {test.relative_to(ROOT)}"
    assert re.search(rf"RUN:.*devproc-opt.*{name}", test.read_text())


@pytest.mark.parametrize("name", PASSES)
def test_pass_stands_in_the_folder_of_its_stage(name: str) -> None:
    users = {s.name for s in COMMON if name in map(pass_name, s.passes)}
    package, folder = PASSES[name].split(".")[1:3]
    assert not users or (package, folder) in {("transforms", user) for user in users}


def pass_name(spec: str) -> str:
    """`foo{x=1}` -> `foo`."""
    return spec.partition("{")[0]


@pytest.mark.parametrize("name", PASSES)
def test_pass_docstring_shows_before_and_after(name: str) -> None:
    """Its own, or those of the patterns in its file; `test_docstrings.py` runs them."""
    texts = [item.__doc__ or "" for item in documented(pass_class(name))]
    assert any("Before:" in text and "After:" in text for text in texts), (
        f"neither {name} nor a pattern in its file shows 'Before:' and 'After:'"
    )


def test_every_pass_is_registered() -> None:
    found = {
        f"{'.'.join(path.relative_to(ROOT).with_suffix('').parts)}:{node.name}"
        for path, tree in sources().items()
        if path.is_relative_to(TRANSFORMS) or path.is_relative_to(TARGETS)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and "ModulePass" in map(ast.unparse, node.bases)
    }
    assert found == set(PASSES.values())


def test_transform_folders_are_stages() -> None:
    folders = {p.name for p in TRANSFORMS.iterdir() if any(p.glob("*.py"))}
    assert folders <= STAGE_NAMES


def test_pipeline_is_data() -> None:
    tree = sources()[PACKAGE / "stages.py"]
    branches = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    assert not branches, "devproc/stages.py is a map: no `if`"
    assert len((PACKAGE / "stages.py").read_text().splitlines()) <= 165


def within_budget(found: list[tuple[int, str]], budget: int) -> None:
    """Print the worst five, then complain of each that is over."""
    found.sort(reverse=True)
    print(*(f"{lines:5d}  {place}" for lines, place in found[:5]), sep="\n")
    over = [f"{place}: {lines} lines" for lines, place in found if lines > budget]
    assert not over, f"over the budget of {budget} lines:\n" + "\n".join(over)


def line_counts(folder: Path) -> list[tuple[int, str]]:
    """(lines, file) of each source below a folder."""
    return [
        (len(path.read_text().splitlines()), str(path.relative_to(ROOT)))
        for path in sources()
        if path.is_relative_to(folder)
    ]


def test_file_budget() -> None:
    within_budget(line_counts(PACKAGE), FILE_LINES)


def test_folder_budget() -> None:
    """Modules of each folder, without its `__init__.py` and what lies in sub-folders."""
    modules = (path for path in sources() if path.name != "__init__.py")
    counts = Counter(path.parent for path in modules if path.is_relative_to(PACKAGE))
    over = [f"{f}: {count}" for f, count in counts.items() if count > FOLDER_MODULES]
    assert not over, f"folders with more than {FOLDER_MODULES} modules: {over}"


def test_pass_file_budget() -> None:
    """Files with a pass; what several patterns share lies in files of its own."""
    files = {
        "/".join(path.split(":")[0].split(".")) + ".py" for path in PASSES.values()
    }
    found = [(lines, name) for lines, name in line_counts(PACKAGE) if name in files]
    within_budget(found, PASS_FILE_LINES)


def test_function_budget() -> None:
    found = [(lines, place) for place, lines, _ in definitions(ast.FunctionDef)]
    within_budget(found, FUNCTION_LINES)


def op_classes() -> list[tuple[str, int, ast.ClassDef]]:
    """Each class decorated with `op_definition`."""
    return [
        (place, lines, node)
        for place, lines, node in definitions(ast.ClassDef)
        if isinstance(node, ast.ClassDef)
        and "op_definition" in map(ast.unparse, node.decorator_list)
    ]


def test_op_class_budget() -> None:
    """Lines of an op class without its docstring."""
    found: list[tuple[int, str]] = []
    for place, lines, node in op_classes():
        docstring = ast.get_docstring(node, clean=False) or ""
        found.append((lines - len(docstring.splitlines()), place))
    within_budget(found, OP_CLASS_LINES)


def test_verify_budget() -> None:
    found = [
        (lines, place)
        for place, lines, node in definitions(ast.FunctionDef)
        if isinstance(node, ast.FunctionDef) and node.name == "verify_"
    ]
    within_budget(found, VERIFY_LINES)


def test_op_classes_end_in_op() -> None:
    assert not [
        place for place, _, node in op_classes() if not node.name.endswith("Op")
    ]


# Methods that xDSL's classes define and document.
OVERRIDES = re.compile(
    r"match_and_rewrite|apply|emit|verify|verify_|parse_parameters|print_parameters|fold"
    r"|parse|print|register_\w+|get_canonicalization_patterns|materialize_constant"
)


def public_definitions() -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef, bool]]:
    """(place, definition, whether in a class with bases) of each public one."""
    for path, tree in sources().items():
        for node in tree.body:
            if not isinstance(
                node, ast.ClassDef | ast.FunctionDef
            ) or node.name.startswith("_"):
                continue
            if any(ast.unparse(d) == "overload" for d in node.decorator_list):
                continue
            place = str(path.relative_to(ROOT))
            yield f"{place}:{node.lineno} {node.name}", node, False
            for item in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(
                    item, ast.ClassDef | ast.FunctionDef
                ) and not item.name.startswith("_"):
                    name = f"{place}:{item.lineno} {node.name}.{item.name}"
                    yield (
                        name,
                        item,
                        isinstance(node, ast.ClassDef) and bool(node.bases),
                    )


def test_public_definitions_have_docstrings() -> None:
    """Modules, classes, functions; not what overrides something documented."""
    found = list(public_definitions())
    documented = {node.name for _, node, _ in found if ast.get_docstring(node)}
    missing = [
        place
        for place, node, inherits in found
        if not ast.get_docstring(node)
        and not (
            inherits and (OVERRIDES.fullmatch(node.name) or node.name in documented)
        )
    ]
    missing += [str(p) for p, tree in sources().items() if not ast.get_docstring(tree)]
    assert not missing, "without a docstring:\n" + "\n".join(missing)


def test_environment_is_read_in_one_place() -> None:
    pattern = re.compile(r"\bos\.(environ|getenv)|from os import .*environ")
    found = [
        str(path.relative_to(ROOT))
        for path in sources()
        if pattern.search(path.read_text()) and path != PACKAGE / "settings.py"
    ]
    assert not found, f"only devproc/settings.py reads the environment, not {found}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_op_stands_in_a_round_trip_test(dialect: str) -> None:
    folder = ROOT / "tests" / "filecheck" / "dialects" / dialect
    tests = [p.read_text() for p in folder.rglob("*.mlir") if "ops" in p.stem]
    text = "\n".join(tests)
    ops = [op.name for op in load(DIALECTS[dialect]).operations]
    missing = [name for name in ops if not re.search(rf"{re.escape(name)}\b", text)]
    assert not missing, f"not in tests/filecheck/dialects/{dialect}/ops*.mlir"


def test_filecheck_files_are_kebab_case() -> None:
    files = (ROOT / "tests" / "filecheck").rglob("*.mlir")
    assert not [str(p) for p in files if not KEBAB.fullmatch(p.stem)]


def test_no_machine_paths() -> None:
    """No file names a folder of the machine it was written on."""
    # In two parts, so that this file does not match itself.
    pattern = re.compile("|".join("/" + f for f in ("work/", "root/", "tmp/", "home/")))
    found: list[str] = []
    for path in repository_files():
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(lines, 1)
            if pattern.search(line)
        ]
    assert not found, "machine paths:\n" + "\n".join(found)
