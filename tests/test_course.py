"""Each lesson of the course: unsolved, solved, with typical wrong answers; its form."""

from __future__ import annotations

import ast
import builtins
import dis
import importlib
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from devproc import extension
from tests.installed_wheel import InstalledWheel
from tests.repository import ROOT

COURSE = ROOT / "notebooks" / "course"
LESSONS = sorted(COURSE.glob("[0-9][0-9]_*.py"))
BEFORE_CODE_GENERATION = ("00", "01", "02", "06")
"""Lessons that also run in a browser, without packages of machine code."""
HEAVY = {"torch", "llvmlite", "numpy"}
EVERYDAY = {
    "alias", "attribute", "barrier", "launch", "module", "operand", "operator", "packing",
    "pass", "pattern", "peak", "pipeline", "property", "register", "result", "symbol",
    "tolerance", "traffic",
}  # fmt: skip
"""Terms of the field that are everyday words too; prose may use them without a link."""

DEFINITIONS = {"app.function", "app.class_definition"}
"""Decorators of cells that are one definition."""

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)


@pytest.fixture(autouse=True)
def registrations_end_with_the_test() -> Iterator[None]:
    """A lesson registers operators for its process."""
    with extension.temporary():
        yield


class Lesson:
    """A lesson in this process, with a `check` that notes hints instead of raising."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(COURSE)
        self._exercise = importlib.import_module("exercise")
        monkeypatch.setattr(self._exercise, "check", self._note)
        self._hints: dict[str, str | None] = {}
        self._app: Any = runpy.run_path(str(path))["app"]
        self.outputs: list[Any] = []
        self.names: Mapping[str, Any] = {}
        solved = runpy.run_path(str(COURSE / "solutions" / path.name))
        self.answers: dict[str, Any] = solved["ANSWERS"]
        self.wrong: list[tuple[str, Any, str]] = solved["WRONG"]

    def _note(
        self,
        name: str,
        trial: Callable[[], str | None],
        then: Callable[[], object] = lambda: None,
    ) -> object:
        assert name not in self._hints, f"two checks are named {name}"
        hint = self._hints[name] = self._exercise.hint_of(trial)
        return then() if hint is None else None

    def run(self, answers: dict[str, Any]) -> list[str | None]:
        """The hint of each exercise, in order; None where it is solved."""
        self._hints = {}
        outputs, self.names = self._app.run(defs=answers)
        self.outputs = list(outputs)
        names = [f"Exercise {i + 1}" for i in range(len(self.answers))]
        assert sorted(self._hints) == names, "one check for each answer, numbered"
        return [self._hints[name] for name in names]


def run_python(
    *arguments: str, cwd: Path, python: str | Path = sys.executable
) -> subprocess.CompletedProcess[str]:
    """A process in a folder that is not the repository.

    With another Python than ours, the repository is not on its path.
    """
    places = [ROOT, COURSE] if python == sys.executable else []
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"PYTHONPATH": os.pathsep.join(map(str, places)), "PATH": path}
    return subprocess.run(
        [python, "-W", "error::DeprecationWarning:devproc", *arguments],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def outside(
    devproc_wheel: InstalledWheel, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """A Python with DevProc's wheel, and a copy of the course."""
    folder = tmp_path_factory.mktemp("outside")
    without_caches = shutil.ignore_patterns("__*__")
    copy = shutil.copytree(COURSE, folder / "course", ignore=without_caches)
    return devproc_wheel.python, copy


@each_lesson
def test_unsolved_script_stops_at_the_first_exercise(
    lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(COURSE)
    with pytest.raises(Exception, match=r"Exercise \d: .") as raised:
        runpy.run_path(str(lesson), run_name="__main__")
    assert type(raised.value.__cause__ or raised.value).__name__ == "Unsolved"


def test_a_script_that_stops_has_failed(tmp_path: Path) -> None:
    done = run_python(str(LESSONS[0]), cwd=tmp_path)
    assert done.returncode == 1, done.stderr[-2000:]
    assert re.search(r"Unsolved: Exercise 1: .", done.stderr), done.stderr[-2000:]


@pytest.mark.parametrize("name", BEFORE_CODE_GENERATION)
def test_the_first_lessons_load_no_machine_code(name: str, tmp_path: Path) -> None:
    """Solved, they run without PyTorch, NumPy and llvmlite."""
    (solution,) = (COURSE / "solutions").glob(f"{name}_*.py")
    run = (
        "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__'); "
        f"print('loaded:', *sorted({HEAVY} & set(sys.modules)))"
    )
    done = run_python("-c", run, str(solution), cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1].strip() == "loaded:"


def test_lessons_work_outside_of_the_repository(outside: tuple[Path, Path]) -> None:
    """Solved, with the wheel that users install; all in one process, which saves time."""
    python, course = outside
    lessons = [p for p in LESSONS if p.name.startswith(("07", "12", "13", "14", "15"))]
    run = (
        "import runpy, sys, devproc; print(devproc.__file__)\n"
        "for lesson in sys.argv[1:]:\n"
        "    runpy.run_path(lesson, run_name='__main__'); print(lesson)"
    )
    paths = [str(course / "solutions" / lesson.name) for lesson in lessons]
    done = run_python("-c", run, *paths, cwd=course, python=python)
    assert done.returncode == 0, done.stderr[-2000:]
    place, *ran = done.stdout.splitlines()
    assert Path(place).is_relative_to(python.parent.parent)
    assert set(paths) <= set(ran)


@each_lesson
def test_each_answer_is_checked_alone(
    lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Lesson(lesson, monkeypatch)
    assert 2 <= len(run.answers) <= 4
    unsolved = run.run({})
    assert all(unsolved), "each exercise is unsolved as the reader finds it"
    assert run.run(run.answers) == [None] * len(run.answers)
    _check_pictures(run.outputs)
    _check_solutions(lesson, run)
    for i, name in enumerate(run.answers):
        others = {key: value for key, value in run.answers.items() if key != name}
        hints = run.run(others)
        assert hints[i], f"{name} is unsolved"
        assert not any(hints[:i] + hints[i + 1 :]), f"only {name} is unsolved"


@each_lesson
def test_wrong_answers_get_their_hints(
    lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Lesson(lesson, monkeypatch)
    names = list(run.answers)
    wrong = [[w[1:] for w in run.wrong if w[0] == name] for name in names]
    assert min(map(len, wrong)) >= 2
    # The exercises are independent: one run tries a wrong answer for each.
    for tries in zip_longest(*wrong):
        wrongs = [(name, *t) for name, t in zip(names, tries, strict=True) if t]
        hints = run.run({**run.answers, **{name: answer for name, answer, _ in wrongs}})
        for name, _, part in wrongs:
            hint = hints[names.index(name)]
            assert hint is not None, f"a wrong {name} passes; it should get '{part}'"
            assert part in hint, f"{name}: {hint}"


@each_lesson
def test_lesson_is_short(lesson: Path) -> None:
    text = lesson.read_text()
    assert len(text.splitlines()) <= 300
    assert len(re.findall(r"^@app\.", text, re.M)) <= 25
    assert '__generated_with = "0.25.2"' in text
    assert "Pass().apply" not in text, "run stages, not single passes"
    kinds = ast.FunctionDef, ast.ClassDef
    cells = [node for node in ast.parse(text).body if isinstance(node, kinds)]
    for name in runpy.run_path(str(COURSE / "solutions" / lesson.name))["ANSWERS"]:
        (cell,) = [cell for cell in cells if name in _top_names(cell)]
        assert _top_names(cell) == [name], f"the cell of {name} defines nothing else"
        assert f'solution(__file__, "{name}")' in text


@each_lesson
def test_first_use_of_a_term_is_linked(lesson: Path) -> None:
    exercise = runpy.run_path(str(COURSE / "exercise.py"))
    _, _, field = (ROOT / "docs" / "glossary.md").read_text().partition("## Terms of ")
    field_terms = set(exercise["glossary"](field)) - EVERYDAY - {"term", "---"}
    prose = _prose(ast.parse(lesson.read_text()))
    linked = re.findall(r"\{(.*?)\}", prose)
    assert len(linked) >= 3, "a lesson introduces terms"
    assert len(set(linked)) == len(linked), "a term is linked at its first use only"
    for name in {*field_terms, *linked}:
        used = re.search(rf"\b(?<!-){re.escape(name)}s?\b(?!-)", prose)
        if used:
            assert prose[used.start() - 1] == "{", f"link the first use of '{name}'"


def test_the_index_lists_the_lessons() -> None:
    """With the titles that they have, and the minutes that they claim."""
    index = (COURSE / "README.md").read_text()
    for lesson in LESSONS:
        row = re.search(rf"\| (\d+) \| \[(.*)\]\({lesson.name}\) \| (\d+) \|", index)
        assert row, f"{lesson.name} is not in the index"
        number, title, minutes = row.groups()
        text = lesson.read_text()
        assert f"# Lesson {number}: {title}\n" in text
        assert f"*{minutes} minutes. You need " in text
        assert text.startswith(
            f'"""{title}: `marimo edit notebooks/course/{lesson.name}`'
        )


def test_the_index_opens_the_lessons() -> None:
    outputs, _ = runpy.run_path(str(COURSE / "index.py"))["app"].run()
    for lesson in LESSONS:
        assert f'href="?file={lesson}"' in outputs[0].text


def test_links_work_in_a_repository_and_in_the_editor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(COURSE)
    exercise = importlib.import_module("exercise")
    for link in (exercise.term("SSA"), exercise.code("devproc/stages.py", "STAGES")):
        (place,) = re.findall(r"\.\./\.\./([\w/.]+)", link)
        assert (ROOT / place).exists()
    with pytest.raises(LookupError, match="has no term 'SAS'"):
        exercise.term("SAS")
    with pytest.raises(LookupError, match=r"stages.py does not define STAGE$"):
        exercise.code("devproc/stages.py", "STAGE")
    monkeypatch.setattr(exercise.mo, "app_meta", lambda: SimpleNamespace(mode="edit"))
    assert "course/index.py" in exercise.term("SSA")
    assert "href" not in exercise.code("devproc/stages.py", "STAGES")


def test_the_compiler_of_lesson_0_equals_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lesson itself does without NumPy, so that it runs in a browser."""
    run = Lesson(COURSE / "00_hundred_lines.py", monkeypatch)
    run.run(run.answers)
    x, y = np.random.default_rng(0).standard_normal((2, 1000))
    x[::7], y[::5] = np.nan, np.nan
    ops = run.names["trace"](lambda a, b: (a * 3 + b).maximum(b * b) + a)
    for answer in ("remove_dead", "merge_equal"):
        ops = run.answers[answer](ops)
    found = run.names["compiled"](ops)(x.tolist(), y.tolist())
    np.testing.assert_array_equal(found, np.maximum(x * 3 + y, y * y) + x)


def _check_pictures(outputs: list[Any]) -> None:
    """There is one, and each is readable on a narrow page and on a dark one."""
    texts = [getattr(output, "text", "") for output in outputs]
    pictures = [s for text in texts for s in re.findall(r"<svg.*?</svg>", text, re.S)]
    assert pictures
    for svg in pictures:
        head = svg[: svg.index(">")]
        assert "viewBox" in head
        assert re.search(r"max-width:\s*100%", head)
        assert "currentColor" in svg


def _prose(tree: ast.Module) -> str:
    """The texts that a lesson gives to `mo.md`, without code and headings.

    Linked terms are in braces.
    """
    calls = [
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "mo.md"
    ]
    calls.sort(key=lambda node: node.lineno)
    text = "\n".join(_pieces(call) for call in calls)
    text = re.sub(r"^ *#+ .*$", "", text, flags=re.M)
    return re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "", text, flags=re.S)


def _pieces(text: ast.expr) -> str:
    """A string literal; in an f-string, `term("x")` becomes {x}, other values nothing."""
    match text:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(map(_pieces, values))
        case ast.FormattedValue(
            value=ast.Call(
                func=ast.Name(id="term"), args=[ast.Constant(value=str(name))]
            )
        ):
            return f"{{{name}}}"
        case _:
            return ""


def _check_solutions(lesson: Path, solved: Lesson) -> None:
    """As the lesson shows them, they read no name that it lacks."""
    exercise = importlib.import_module("exercise")
    known = {*vars(builtins), *solved.names, *_setup_names(lesson)}
    for name in solved.answers:
        source = exercise.source(COURSE / "solutions" / lesson.name, name)
        assert _global_names(compile(source, name, "exec")) - {name} <= known, name


def _global_names(code: CodeType) -> set[str]:
    """The names that code reads, but not from a scope of its own."""
    loads = {"LOAD_GLOBAL", "LOAD_NAME"}
    read, own = set[str](), {"__name__", "__annotations__"}
    for instruction in dis.get_instructions(code):
        if instruction.opname in loads:
            read.add(instruction.argval)
        if instruction.opname == "STORE_NAME":
            own.add(instruction.argval)
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return (read - own).union(*map(_global_names, inner))


def _setup_names(lesson: Path) -> set[str]:
    """The names that the first cell of a lesson imports."""
    (setup,) = (
        n for n in ast.parse(lesson.read_text()).body if isinstance(n, ast.With)
    )
    imported = ast.Import, ast.ImportFrom
    aliases = [a for n in setup.body if isinstance(n, imported) for a in n.names]
    return {a.asname or a.name.partition(".")[0] for a in aliases}


def _top_names(cell: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """The names that the statements of a cell define, without private ones.

    A cell of one function or class is that definition itself (`@app.function`).
    """
    if ast.unparse(cell.decorator_list[0]) in DEFINITIONS:
        return [cell.name]
    names: list[str] = []
    for node in cell.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.append(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.append(name)
            case _:
                pass
    return [name for name in names if not name.startswith("_")]
