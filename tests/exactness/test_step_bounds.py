"""The bounds of a program's steps, from the tables to what a user sees."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import devproc
from devproc.driver import make_context, parse_module, run_stages, stages_between
from devproc.exactness.bound import ANY, Key, StepBound
from devproc.exactness.steps.step_bounds import EXACTNESS, read_bounds
from devproc.exactness.steps.tables import BOUNDS
from devproc.frontends.dsl import Pipeline
from devproc.stages import STAGES
from devproc.tools.devproc import main


def image_pipeline() -> Pipeline:
    """Two steps that name a library, and two that name none."""
    pipe = devproc.pipeline("image")
    x = pipe.input("image", "uint8", (9, 7, 3))
    x = pipe.resize(x, (5, 6), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=(0.4, 0.5, 0.6), std=(0.2, 0.3, 0.25))
    x = pipe.layout(x, "HWC->NCHW")
    x = pipe.resize(x, (3, 4), like="pillow", mode="lanczos")
    pipe.output("x", x)
    return pipe


@pytest.fixture(scope="module")
def program() -> devproc.Program:
    return devproc.compile(image_pipeline())


def test_rows_of_a_program(program: devproc.Program) -> None:
    rows = [b for b in program.exactness if b.step == "resize"]
    assert [(b.like, b.mode, b.dtype) for b in rows] == [
        ("pillow", "bilinear", "uint8"),
        ("pillow", "lanczos", "float32"),
    ]
    lines = Path(__file__).read_text().splitlines()
    for row, mode in zip(rows, ("bilinear", "lanczos"), strict=True):
        name, _, line = row.where.rpartition(":")
        assert name.startswith("resize")
        assert "test_step_bounds.py" in name
        assert mode in lines[int(line) - 1]
    steps = ["resize", "normalize", "layout", "resize"]
    assert [row.step for row in program.exactness] == steps
    for row in program.exactness:
        key = Key(row.step, row.like, row.mode, row.dtype)
        bound = BOUNDS.get(key) or BOUNDS[key._replace(dtype=ANY)]
        assert (row.measure, row.limit) == (bound.measure.value, bound.limit)
        assert row.reference == bound.reference


def test_words() -> None:
    head = ("blur", "blur at app.py:3", "lib", "wide", "uint8")
    exact = StepBound(*head, "bit-exact", 0.0, "lib.blur")
    assert str(exact) == "blur (blur at app.py:3): every bit of lib.blur"
    near = StepBound(*head, "absolute", 0.25, "lib.blur")
    assert near.promise == "at most 0.25 from"
    relative = StepBound(*head, "relative to the largest value", 1e-6, "lib.blur")
    assert relative.promise == "at most 1e-06 of the largest value from"


def test_every_stage_has_them_as_text(program: devproc.Program) -> None:
    """And any stage's text is enough to go on from."""
    module = parse_module(program.artifact.program_text)
    assert EXACTNESS not in module.attributes
    for stage in STAGES[1:]:
        run_stages(module, make_context(), [stage], verify=False)
        module = parse_module(program_text := str(module))
        assert read_bounds(module) == tuple(program.exactness), stage.name
        assert EXACTNESS in program_text


def test_passes_run_again_keep_them(program: devproc.Program) -> None:
    module = parse_module(program.ir("tensor"))
    run_stages(module, make_context(), stages_between("program", "tensor"))
    assert read_bounds(module) == program.exactness


def test_saved_programs(program: devproc.Program, tmp_path: Path) -> None:
    path = tmp_path / "program"
    program.save(path)
    assert devproc.load(path).exactness == program.exactness
    with zipfile.ZipFile(path) as bundle:
        manifest = json.loads(bundle.read("manifest.json"))
    row = manifest["exactness"][0]
    assert (row["step"], row["measure"], row["limit"]) == ("resize", "bit-exact", 0.0)
    assert row["reference"] == "PIL.Image.Image.resize"


def test_report_and_command_line(program: devproc.Program) -> None:
    report = program.report()
    assert report.exactness.rows == program.exactness
    assert "PIL.Image.Image.resize" in str(report)
    source = f"{__file__}:image_pipeline"
    result = CliRunner().invoke(main, ["inspect", source, "--view", "exactness"])
    assert result.exit_code == 0, result.output
    assert "exactness: " in result.output
    assert "every bit of" in result.output


def test_modes_of_other_names() -> None:
    """A rounding, a version and a strategy are modes; C's cast truncates."""
    pipe = devproc.pipeline("modes")
    x = pipe.input("x", "float32", (2, 5), "")
    maps = pipe.input("maps", "float32", (1, 69, 3, 2), "")
    pipe.output("c", pipe.cast(x, "int16"))
    pipe.output("floor", pipe.cast(x, "uint8", "floor", saturate=True))
    pipe.output("token", pipe.next_token(x))
    pipe.output("boxes", pipe.decode_yolo([maps], "v8", (8,))[0])
    rows = devproc.compile(pipe).exactness
    assert [(row.step, row.mode, row.dtype) for row in rows] == [
        ("cast", "truncate", "float32"),
        ("cast", "floor", "float32"),
        ("next_token", "greedy", "float32"),
        ("decode_yolo", "v8", "float32"),
    ]


def test_programs_without_steps() -> None:
    pipe = devproc.pipeline("plain")
    pipe.output("y", pipe.input("x", "uint8", (5, 4, 3)))
    program = devproc.compile(pipe)
    assert program.exactness == ()
    assert EXACTNESS not in program.ir("cpu")
