"""No circle of imports, not even inside functions: between modules, nor between folders.

Imports for type checkers alone do not count. What the registry loads by name does not
either: it knows no module that it loads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from tests.repository import PACKAGE, ROOT

Graph = Mapping[str, set[str]]

PATTERNS = "xDSL asks an op's trait for its patterns, which name the op classes"

MODULE_EXCEPTIONS = {
    (
        "devproc.dialects.nn.base.op",
        "devproc.dialects.nn_canonicalization.tables",
    ): PATTERNS
}
"""(importing, imported) -> why it stays."""

FOLDER_EXCEPTIONS = {
    ("devproc.dialects.nn.base", "devproc.dialects.nn_canonicalization"): PATTERNS,
}


def imported_names(tree: ast.AST) -> Iterator[str]:
    """What a module imports anywhere, `module` and `module.name` alike."""
    if isinstance(tree, ast.If) and ast.unparse(tree.test).endswith("TYPE_CHECKING"):
        children: Iterable[ast.AST] = tree.orelse
    else:
        children = ast.iter_child_nodes(tree)
    if isinstance(tree, ast.Import):
        yield from (alias.name for alias in tree.names)
    if isinstance(tree, ast.ImportFrom):
        assert tree.level == 0, "imports are absolute"
        yield from (f"{tree.module}.{alias.name}" for alias in tree.names)
    for child in children:
        yield from imported_names(child)


@cache
def modules() -> dict[str, str]:
    """Each module of the package, and its folder: itself at the top."""
    found: dict[str, str] = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        found[name] = name if len(parts) == 2 else ".".join(parts[:-1])
    return found


@cache
def imports() -> Graph:
    """Module -> the modules that it imports."""
    known = modules()
    graph: dict[str, set[str]] = {name: set() for name in known}
    for name in known:
        path = ROOT.joinpath(*name.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        for found in imported_names(ast.parse(file.read_text())):
            target = found if found in known else found.rpartition(".")[0]
            if target in known and target != name:
                graph[name].add(target)
    return graph


@cache
def folder_imports() -> Graph:
    """Folder -> the other folders that its modules import from."""
    folders = modules()
    graph: dict[str, set[str]] = {folder: set() for folder in folders.values()}
    for name, targets in imports().items():
        graph[folders[name]] |= {folders[t] for t in targets} - {folders[name]}
    return graph


def circles(graph: Graph) -> list[str]:
    """What is on a circle, or between two: no end of the graph, nor after those are gone."""
    left = {node: set(targets) & graph.keys() for node, targets in graph.items()}
    while True:
        read = set[str]().union(*left.values())
        ends = {node for node, targets in left.items() if not targets}
        ends |= left.keys() - read
        if not ends:
            break
        left = {n: targets - ends for n, targets in left.items() if n not in ends}
    return sorted(left)


def without(graph: Graph, edges: Iterable[tuple[str, str]]) -> Graph:
    """A graph without some of its edges."""
    edges = set(edges)
    return {n: {t for t in ts if (n, t) not in edges} for n, ts in graph.items()}


def test_what_counts_as_an_import() -> None:
    tree = ast.parse(
        "import a.b\nif TYPE_CHECKING:\n    import c\ndef f():\n    from d import e\n"
    )
    assert set(imported_names(tree)) == {"a.b", "d.e"}
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == ["b", "c"]
    assert not circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})


def test_no_circle_between_modules() -> None:
    assert not circles(without(imports(), MODULE_EXCEPTIONS))


def test_no_circle_between_folders() -> None:
    assert not circles(without(folder_imports(), FOLDER_EXCEPTIONS))


def test_exceptions_are_needed() -> None:
    for graph, exceptions in (
        (imports(), MODULE_EXCEPTIONS),
        (folder_imports(), FOLDER_EXCEPTIONS),
    ):
        for edge in exceptions:
            others = set(exceptions) - {edge}
            assert circles(without(graph, others)), f"{edge} is in no circle any more"
