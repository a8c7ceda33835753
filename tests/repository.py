"""What the convention tests know about the repository: its files and its passes."""

from __future__ import annotations

import ast
import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.driver import make_context, parse_module, run_stages, stages_between
from devproc.program import Program
from devproc.registry import load, passes
from devproc.targets.cpu.code import CPUCode

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "devproc"


def pass_class(name: str) -> type[ModulePass]:
    """The registered pass of this name."""
    return load(passes()[name])


def context() -> Context:
    """A context that knows xDSL's dialects and ours."""
    return make_context()


def parse(text: str, ctx: Context | None = None) -> ModuleOp:
    """The module that the text spells."""
    return parse_module(text, ctx)


def cpu_code(program: Program) -> CPUCode:
    """The code of a program's CPU part."""
    return CPUCode.from_bytes(program.artifact.code["cpu"])


@functools.cache
def sources() -> dict[Path, ast.Module]:
    """The syntax tree of each Python file of the package."""
    return {p: ast.parse(p.read_text()) for p in sorted(PACKAGE.rglob("*.py"))}


def definitions(kind: type[ast.AST]) -> Iterator[tuple[str, int, ast.AST]]:
    """(place, lines, node) of each definition of a kind in the package."""
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, kind):
                place = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"  # pyright: ignore
                yield place, node.end_lineno - node.lineno + 1, node  # pyright: ignore


@functools.cache
def repository_files() -> list[Path]:
    """The files git tracks or would track, that exist."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [path for name in listed.splitlines() if (path := ROOT / name).is_file()]


def lowered(text: str) -> ModuleOp:
    """The module that the text spells after the last stage."""
    ctx = make_context()
    module = parse_module(text, ctx)
    run_stages(module, ctx, stages_between(None, None))
    return module
