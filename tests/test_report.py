"""The report says what the IR says: checked on a program whose numbers are known."""

from __future__ import annotations

import json
import sys

import pytest

from devproc.errors import BundleError
from devproc.report.make_report import make_report
from devproc.report.report import Report
from devproc.timings import StageRecord

ROW = "tensor<16x16xf32>"
TEXT = f"""
builtin.module attributes {{
  devproc.placement = [["model.*", "cuda"], ["post", "cpu"]],
  devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1,
      cpu = #cpu.machine<vector_bits = 256>,
      cuda = #triton.options<arch = "sm_90", interpret = 0>>
}} {{
  func.func @main(%x: {ROW} {{dev.name = "x"}}) -> ({ROW} {{dev.name = "y"}}) {{
    %w = nn.weight @w hash "0" : {ROW}
    %a = nn.linear %x, %w : ({ROW}, {ROW}) -> {ROW} loc("model.fc1"("m.py":7:0))
    %b = nn.relu %a : ({ROW}) -> {ROW} loc("model.act"("m.py":8:0))
    %c = nn.linear %b, %w : ({ROW}, {ROW}) -> {ROW} loc("model.fc2"("m.py":9:0))
    %d = nn.exp %c : ({ROW}) -> {ROW} loc("post"("app.py":3:0))
    func.return %d : {ROW}
  }}
}}
"""
SIZE = 16 * 16 * 4


@pytest.fixture(scope="module")
def report() -> Report:
    return make_report(TEXT, [StageRecord("tensor", {"cse": 0.002, "dce": 0.001})])


def test_placement(report: Report) -> None:
    rows = report.placement.rows
    assert [(r.op, r.where, r.device) for r in rows] == [
        ("nn.linear", "model.fc1 at m.py:7", "cuda"),
        ("nn.relu", "model.act at m.py:8", "cuda"),
        ("nn.linear", "model.fc2 at m.py:9", "cuda"),
        ("nn.exp", "post at app.py:3", "cpu"),
    ]
    assert all(r.why.startswith("requested by the user with '") for r in rows)


def test_copies(report: Report) -> None:
    assert [(r.value, r.source, r.target) for r in report.copies.rows] == [
        ("x", "cpu", "cuda"),
        ("model.fc2", "cuda", "cpu"),
    ]
    assert {r.type for r in report.copies.rows} == {"float32 (16, 16)"}
    assert report.copies.byte_count == 2 * SIZE
    assert report.copies.sync_count == 1


def test_memory(report: Report) -> None:
    memory = report.memory
    devices = [row.device for row in memory.rows]
    assert devices == ["cuda", "cuda", "cuda", "cpu"]
    # x, fc1 and fc2 on the GPU, two at a time; the copy of fc2 on the host.
    assert memory.tensor_bytes == 4 * SIZE
    assert memory.arenas == {"cuda": 2 * SIZE, "cpu": SIZE}
    assert memory.peak_bytes == 3 * SIZE
    assert memory.live_bytes("cuda") == 2 * SIZE
    assert [row.writer for row in memory.rows] == [
        "copy",
        "linear_relu_model_fc1",
        "linear_model_fc2",
        "copy",
    ]


def test_kernels(report: Report) -> None:
    assert [
        (k.family, k.device, k.sources, k.launches) for k in report.kernels.rows
    ] == [
        ("contraction", "cuda", ("nn.linear", "nn.relu"), 1),
        ("contraction", "cuda", ("nn.linear",), 1),
        ("pointwise", "cpu", ("nn.exp",), 1),
    ]


def test_launches(report: Report) -> None:
    """Both linear layers run on the GPU without the host in between."""
    rows = report.launches.rows
    assert [(row.device, row.launches) for row in rows] == [("cuda", 2)]
    assert "queued launches: 2 in 1 run" in str(report)


def test_timings(report: Report) -> None:
    assert report.timings.total_seconds == pytest.approx(0.003)


def test_text_has_every_row(report: Report) -> None:
    text = str(report)
    for word in (
        "placement: 3 on cuda, 1 on cpu",
        "model.fc1 at m.py:7",
        "copies: 2,048 bytes in 2 copies, 1 sync",
        "memory: 3,072 bytes for 4,096 bytes of tensors",
        "kernels: 3 distinct, 3 launches",
        "linear_relu_model_fc1",
        "compile time: 3 ms",
        "cse 2.0",
    ):
        assert word in text


def test_a_program_without_work() -> None:
    text = f"func.func @main(%x: {ROW}) -> {ROW} {{ func.return %x : {ROW} }}"
    report = make_report(text)
    assert not report.placement.rows
    assert not report.copies.rows
    assert report.memory.peak_bytes == 0
    assert [k.name for k in report.kernels.rows] == ["copy_output_0"]
    assert "placement: no ops" in str(report)


def test_moves() -> None:
    """One transpose is read in place by the product, one is a kernel of its own."""
    report = make_report(
        """
builtin.module attributes {
  devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
      cpu = #cpu.machine<vector_bits = 256>>
} {
  func.func @main(%x: tensor<6x4x5xf32> {dev.name = "x"}, %y: tensor<4x5x7xf32> {dev.name = "y"})
      -> (tensor<4x6x7xf32> {dev.name = "z"}, tensor<5x6x4xf32> {dev.name = "t"}) {
    %p = nn.transpose %x by [1, 0, 2] : (tensor<6x4x5xf32>) -> tensor<4x6x5xf32>
    %z = nn.matmul %p, %y : (tensor<4x6x5xf32>, tensor<4x5x7xf32>) -> tensor<4x6x7xf32>
    %t = nn.transpose %x by [2, 0, 1] : (tensor<6x4x5xf32>) -> tensor<5x6x4xf32>
    func.return %z, %t : tensor<4x6x7xf32>, tensor<5x6x4xf32>
  }
}
"""
    )
    moves = report.moves
    assert moves.transposes == 2
    assert [(m.sources, m.byte_count, m.launches) for m in moves.rows] == [
        (("nn.transpose",), 5 * 6 * 4 * 4, 1)
    ]
    assert moves.byte_count == 480
    assert "moves: 2 transposes" in str(report)


def test_fusion() -> None:
    """ReLU joins the first product; the second reads what the two leave in memory."""
    image = "tensor<8x16xf32>"
    report = make_report(
        f"""
builtin.module attributes {{
  devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
      cpu = #cpu.machine<vector_bits = 256>>
}} {{
  func.func @main(%x: {image} {{dev.name = "x"}}) -> ({image} {{dev.name = "y"}}) {{
    %w = nn.weight @w hash "0" : tensor<16x16xf32>
    %a = nn.linear %x, %w : ({image}, tensor<16x16xf32>) -> {image}
    %b = nn.relu %a : ({image}) -> {image} loc("model.act"("m.py":8:0))
    %c = nn.linear %b, %w : ({image}, tensor<16x16xf32>) -> {image}
    %d = nn.add %c, %b : ({image}, {image}) -> {image}
    func.return %d : {image}
  }}
}}
"""
    )
    fusion = report.fusion
    assert (fusion.op_count, fusion.kernel_count) == (4, 2)
    # Both products' sums stay in registers; the ReLU's result is the one value between.
    assert fusion.saved_bytes == 2 * 8 * 16 * 4
    assert [(r.value, r.maker, r.reader, r.byte_count) for r in fusion.rows] == [
        ("model.act", "nn.relu", "nn.linear", 8 * 16 * 4)
    ]
    assert fusion.rows[0].why == "a product reads each element several times"
    assert fusion.byte_count == 8 * 16 * 4


def test_a_report_as_json(report: Report) -> None:
    """All but the times; what is not a report is refused with the field."""
    text = report.to_json()
    again = Report.from_json(text)
    assert again == report.with_timings(())
    assert again.with_timings(report.timings.rows) == report
    assert str(again.with_timings(report.timings.rows)) == str(report)
    data = json.loads(text)
    data["copies"]["rows"][0]["byte_count"] = "many"
    del data["memory"]["rows"]
    with pytest.raises(BundleError) as caught:
        Report.from_json(json.dumps(data))
    assert "byte_count" in str(caught.value)
    assert "'rows' is missing" in str(caught.value)


def test_a_report_without_rich(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cells in plain columns, numbers aligned to the right."""
    shown = str(report)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    lines = str(report).splitlines()
    words = {word for line in lines for word in line.split()}
    # Lines that rich has wrapped have parts of words.
    wanted = {word for word in shown.split() if word.isalnum() and len(word) > 2}
    assert len(wanted & words) > 0.8 * len(wanted)
    start = lines.index("copies: 2,048 bytes in 2 copies, 1 sync")
    assert lines[start + 1 : start + 5] == [
        "value      type              from  to    bytes",
        "---------  ----------------  ----  ----  -----",
        "x          float32 (16, 16)  cpu   cuda  1,024",
        "model.fc2  float32 (16, 16)  cuda  cpu   1,024",
    ]
