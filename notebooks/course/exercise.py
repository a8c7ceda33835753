"""What every lesson uses: checks with hints, folded solutions, links and pictures."""

from __future__ import annotations

import ast
import html
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

import marimo as mo

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
"""The checkout; a lesson that runs in a browser or from a copy has none."""
GLOSSARIES = ROOT / "docs" / "glossary.md", FOLDER / "glossary.md"
"""The second is that of a browser (notebooks/browser)."""
ROOT_LINK = "../.."
"""Where a page of the course finds the documents and the code."""


class Unsolved(AssertionError):
    """An exercise is not solved yet; the message says what is off."""


def hint_of(trial: Callable[[], str | None]) -> str | None:
    """What is off with an answer: what `trial` returns or raises; None if nothing is."""
    try:
        return trial()
    except NotImplementedError:
        return "nothing is written yet."
    except Exception as error:  # the reader's code may raise anything
        return f"your code raised {type(error).__name__}: {error}"


def check(
    name: str,
    trial: Callable[[], str | None],
    then: Callable[[], object] = lambda: None,
) -> mo.Html:
    """The verdict on an exercise, as a box with the hint of `trial`.

    Once it is solved, what `then` returns is shown below. A script stops at an exercise
    that is not solved: `Unsolved` is raised with the hint.
    """
    hint = hint_of(trial)
    if hint is None:
        box = mo.callout(mo.md(f"**{name}**: right."), kind="success")
        return mo.vstack([item for item in (box, then()) if item is not None])
    if not mo.running_in_notebook():
        raise Unsolved(f"{name}: {hint}")
    return mo.callout(mo.md(f"**{name}**: {hint}"), kind="warn")


def solution(lesson: str, name: str) -> mo.Html:
    """The source of an answer, folded; `lesson` is the `__file__` of the lesson."""
    path = FOLDER / "solutions" / Path(lesson).name
    if not path.exists():  # handed out without
        return mo.md("The solution is in the repository: `notebooks/course/solutions`.")
    return mo.accordion(
        {"A solution": mo.md(f"````python\n{source(path, name)}\n````")}
    )


def source(path: Path, symbol: str) -> str:
    """The text of a definition in a file."""
    first, last = _lines(path, symbol)
    return "\n".join(path.read_text().splitlines()[first - 1 : last])


def term(name: str) -> str:
    """A link to the glossary for the first use of a term, with its meaning as a tooltip.

    Markdown text. Raises LookupError if the glossary lacks the term.
    """
    meaning = ""
    if path := next(filter(Path.exists, GLOSSARIES), None):
        meanings = glossary(path.read_text())
        if name not in meanings:
            raise LookupError(f"docs/glossary.md has no term '{name}': add a row")
        meaning = re.sub(r"`", "", meanings[name])
    place = f"{ROOT_LINK}/docs/glossary.md"
    if sys.platform == "emscripten":
        place = "index.html#glossary"
    elif _in_editor():
        place = f"?file={FOLDER / 'index.py'}"
    return f'<a href="{place}" title="{html.escape(meaning)}">{name}</a>'


def glossary(text: str) -> dict[str, str]:
    """Term -> meaning, from the tables of the glossary."""
    rows = (line.split(" | ") for line in text.splitlines() if line.startswith("| "))
    return {cells[0].removeprefix("| "): cells[1].removesuffix(" |") for cells in rows}


def code(path: str, symbol: str) -> str:
    """A link to the code that does the same in earnest: a definition in a file.

    `symbol` may be dotted (`Class.method`). HTML, for Markdown texts. Raises LookupError if a
    checkout is there and does not have the definition.
    """
    place = f"{ROOT_LINK}/{path}"
    if (ROOT / "devproc").is_dir():
        if not (ROOT / path).exists():
            raise LookupError(f"there is no file {path}")
        place += f"#L{_lines(ROOT / path, symbol)[0]}"
    shown = path.replace("/", "/<wbr>")  # a long path wraps on a narrow page
    text = f"<code>{symbol}</code> in <code>{shown}</code>"
    return text if _in_editor() else f'<a href="{place}">{text}</a>'


def _in_editor() -> bool:
    """Whether the page is marimo's editor, whose server has notebooks, but no other files."""
    return mo.app_meta().mode == "edit"


def show(text: str, language: str = "text") -> mo.Html:
    """IR or code as a block, without source locations.

    Pygments does not know MLIR; with "mlir" it would guess a language for each block.
    """
    nested = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
    plain = re.sub(rf" loc{nested}", "", text)
    return mo.md(f"```{language}\n{plain}\n```")


def picture(width: int, height: int, body: str, title: str) -> mo.Html:
    """SVG elements as a picture; `title` says in words what it shows.

    It shrinks to a narrow page. Text and lines take the colour of the page's text; shapes
    in `fill="currentColor"` with a `fill-opacity` are readable in light and dark pages.
    """
    return mo.Html(
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" '
        'style="max-width: 100%; height: auto" fill="currentColor" '
        'stroke-width="1.5" font-family="ui-monospace, monospace" font-size="13" '
        f'aria-label="{html.escape(title)}">{body}</svg>'
    )


def graph(nodes: Sequence[tuple[str, Sequence[int]]], title: str) -> mo.Html:
    """A picture of a program as a graph: each value below the values it is made of.

    A node is a label and the indices of its operands, which come before it.
    """
    rows = _rows([operands for _, operands in nodes])
    size = max(len(label) for label, _ in nodes) * 8 + 20
    width = max(map(len, rows)) * (size + 16)
    x: dict[int, float] = {}
    y = {i: 52 * depth + 2 for depth, row in enumerate(rows) for i in row}
    for row in rows:
        # From left to right in the order of what they read, so that few lines cross.
        centers = {i: [x[operand] for operand in nodes[i][1]] for i in row}
        row.sort(key=lambda i: fmean(centers[i]) if centers[i] else width)
        x |= {i: (at + 0.5) * width / len(row) for at, i in enumerate(row)}
    body = [
        f'<line x1="{x[i]:.0f}" y1="{y[i] + 26}" x2="{x[to]:.0f}" y2="{y[to]}" '
        'stroke="currentColor" stroke-opacity="0.6" />'
        for to, (_, operands) in enumerate(nodes)
        for i in operands
    ]
    for i, (label, _) in enumerate(nodes):
        body.append(
            f'<rect x="{x[i] - size / 2:.0f}" y="{y[i]}" width="{size}" height="26" rx="5" '
            'stroke="currentColor" fill-opacity="0.1" />'
            f'<text x="{x[i]:.0f}" y="{y[i] + 18}" text-anchor="middle">'
            f"{html.escape(label)}</text>"
        )
    return picture(int(width), 52 * len(rows) - 20, "".join(body), title)


def _rows(operands: Sequence[Sequence[int]]) -> list[list[int]]:
    """The nodes of a graph by row: below what they read; what reads nothing, just above
    its first reader.
    """
    depths: list[int] = []
    for reads in operands:
        depths.append(1 + max((depths[i] for i in reads), default=-1))
    for i, reads in enumerate(operands):
        readers = [depths[to] for to, others in enumerate(operands) if i in others]
        if not reads and readers:
            depths[i] = min(readers) - 1
    return [
        [i for i, d in enumerate(depths) if d == row] for row in range(max(depths) + 1)
    ]


def _lines(path: Path, symbol: str) -> tuple[int, int]:
    """First and last line of a definition, decorators included."""
    nodes: list[ast.stmt] = ast.parse(path.read_text()).body
    found = None
    for name in symbol.split("."):
        found = next((node for node in nodes if name in _defines(node)), None)
        if found is None:
            raise LookupError(f"{path.name} does not define {symbol}")
        nodes = getattr(found, "body", [])
    assert found is not None
    decorators = getattr(found, "decorator_list", [])
    first = min(node.lineno for node in (*decorators, found))
    return first, found.end_lineno or first


def _defines(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []
