"""The passes and the lowering stay small enough to copy."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import devproc_npu

PACKAGE = Path(devproc_npu.__file__).parent
LIMIT = 900
"""Lines of code, without imports, docstrings, comments and blank lines."""
BLANK = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}


def code_lines(path: Path) -> int:
    """The lines of code of a module."""
    text = path.read_text(encoding="utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {
        line
        for token in tokens
        if token.type not in BLANK
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            lines -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


def test_passes_and_lowering_are_few_lines() -> None:
    files = [PACKAGE / f"{name}.py" for name in ("groups", "regions", "tiling")]
    for folder in ("transforms", "lowering"):
        files += sorted((PACKAGE / folder).glob("*.py"))
    assert len(files) > 10
    assert sum(map(code_lines, files)) <= LIMIT
