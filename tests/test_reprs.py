"""What `print`, an interpreter and a notebook show of programs, reports and handles."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import devproc
from devproc.entry import verify
from devproc.report.report import Report
from devproc.report.tables import PlacedOp, PlacementTable
from devproc.runtime.bundles.summary import format_bytes
from devproc.runtime.calls.interface import Interface, TensorSpec
from devproc.source import read_source
from devproc.targets.triton.code import read_code

LINE = 300


class Wide(nn.Module):
    """Many operators, inputs and outputs, one that is not supported, and a buffer."""

    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(40))
        self.register_buffer("count", torch.zeros(1))

    def forward(self, *xs: torch.Tensor) -> list[torch.Tensor]:
        self.count.add_(1)
        found = [layer(x) for layer, x in zip(self.layers, xs, strict=True)]
        return [*found, torch.linalg.svdvals(found[0])]


@pytest.fixture(scope="module")
def exported() -> torch.export.ExportedProgram:
    inputs = tuple(torch.randn(5, 3) for _ in range(40))
    return torch.export.export(Wide().eval(), inputs)


@pytest.fixture(scope="module")
def program(exported: torch.export.ExportedProgram) -> devproc.Program:
    return devproc.compile(
        exported, threads=1, precision="strict", fallback="torch", cache=False
    )


@pytest.fixture(scope="module")
def report(program: devproc.Program) -> Report:
    return program.report()


def test_a_program_is_one_line(program: devproc.Program) -> None:
    text = repr(program)
    assert text.startswith(
        "<Program for cpu, 1 thread, precision strict: xs_0: float32"
    )
    assert "37 more" in text
    assert "bytes of memory" in text
    assert len(text) < LINE
    assert "\n" not in text


def test_a_program_is_printed_with_all_its_tensors(program: devproc.Program) -> None:
    lines = str(program).splitlines()
    assert lines[0] == "program for cpu, 1 thread, precision strict"
    assert sum("float32 (5, 3)" in line for line in lines) == 80
    assert any(line.startswith("  states   count: float32 (1)") for line in lines)
    html = program._repr_html_()
    assert html.count("<tr>") == len(lines) - 1


def test_what_a_program_holds_is_short(
    program: devproc.Program, exported: torch.export.ExportedProgram
) -> None:
    artifact = program.artifact
    parts = (artifact, artifact.host, artifact.interface, artifact.calling)
    others = (program.weights, program.state, read_source(exported, "torch"))
    for part in (*parts, *others):
        assert len(repr(part)) < LINE, type(part)
        assert "\n" not in repr(part)


def test_a_report_and_its_tables(report: Report) -> None:
    assert len(repr(report)) < LINE
    tables = list(vars(report).values())
    assert len(tables) == 15
    for table in tables:
        title, *rest = str(table).splitlines()
        assert len(repr(table)) < LINE
        assert title.split()[0] in repr(table)
        assert rest, "a header at least"
        assert table._repr_html_().startswith("<table><caption")
    assert report._repr_html_().count("<table>") == 10  # no tokens, no exactness
    assert str(report).count("in PyTorch: 1 operator") == 1


def test_a_table_prints_and_escapes_its_rows(report: Report) -> None:
    (row,) = report.fallbacks.rows
    text, html = str(report.fallbacks), report.fallbacks._repr_html_()
    assert row.operator in text
    assert f"{row.byte_count:,}" in text
    assert '<td style="text-align: right">12</td>' in html
    assert "&#x27;" in program_html("o'clock")


def program_html(name: str) -> str:
    pipe = devproc.pipeline(name)
    x = pipe.input("x", "float32", (3,))
    pipe.output("y", pipe.softmax(x, axis=0))
    program = devproc.compile(pipe, cache=False)
    assert repr(pipe) == f"<Pipeline '{name}': x -> y>"
    assert repr(program).startswith(f"<Program '{name}' for cpu")
    return program._repr_html_()


def test_a_verification_is_its_sentence() -> None:
    exported = torch.export.export(nn.ReLU(), (torch.randn(3),))
    found = verify(exported)
    assert repr(found) == "<Verification all 1 ops and 1 outputs agree>"


def test_a_triton_kernel_shows_no_source() -> None:
    exported = torch.export.export(nn.ReLU(), (torch.randn(3),))
    program = devproc.compile(exported, "cuda:interpret", cache=False)
    (kernel,) = read_code(program.artifact.code["cuda"]).kernels.values()
    assert "import triton" not in repr(kernel)


def test_interfaces_without_tensors() -> None:
    assert Interface((), ()).line() == "nothing -> nothing"
    specs = tuple(TensorSpec(f"x{i}", "bool", ()) for i in range(5))
    assert Interface(specs, ()).line(4).startswith("x0: bool (), x1: bool (), ")
    assert ", 1 more -> " in Interface(specs, ()).line(4)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (5248, "5.2 kB"),
        (10_300_000, "10.3 MB"),
        (7_000_000_000, "7.0 GB"),
    ],
)
def test_bytes_have_a_unit(count: int, text: str) -> None:
    assert format_bytes(count) == text


def test_brackets_in_a_cell_are_no_markup() -> None:
    """`rich` would leave out what looks like a style or a closing tag."""
    row = PlacedOp("nn.add", "layers[bold].x[/] at [red].py:1", "cpu", "[/why]")
    table = PlacementTable((row,))
    for shown in (str(table), table._repr_html_()):
        assert "layers[bold].x[/] at [red].py:1" in shown
        assert "[/why]" in shown
