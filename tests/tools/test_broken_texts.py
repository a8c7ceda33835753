"""`devproc-opt` on broken texts: words, no traceback, no end of the process.

`python -m tests.fuzz FIRST COUNT --kind text` hunts further.
"""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from devproc.driver import make_context
from devproc.errors import CompileError
from devproc.ir.text.parser import parse_text
from devproc.targets.cpu.llvm_ir import print_module
from tests.filecheck_runner import run_devproc_opt
from tests.fuzz.texts import NESTED
from tests.repository import ROOT, parse

SEEDS = (0, 80)


def test_mutated_texts() -> None:
    """In a process of its own, which LLVM may end."""
    first, count = map(str, SEEDS)
    command = [sys.executable, "-m", "tests.fuzz", first, count, "--kind", "text"]
    done = subprocess.run(
        [*command, "--inside"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    last = [line for line in done.stderr.splitlines() if line.startswith("seed ")][-1]
    assert done.returncode == 0, f"{last}: {done.stderr[-2000:]}"
    assert not done.stdout


BROKEN = {
    "short hexadecimal float": 'func.func @f() attributes {a = dense<"0xFF"> : '
    "tensor<4xf32>} { func.return }",
    "deep": "func.func @f() attributes {a = " + "[" * NESTED + "} { func.return }",
    "layout": '"a.b"() {a = #dev.layout<"x">} : () -> ()',
    "not UTF-8": "\udcff",
    "target": 'module attributes {devproc.target = #dev.target<"", cpu = #cpu.machine<vector_bits = "1">>} {}',
    "shape": "func.func @f(%x: tensor<99999999999999999999x?xf32>) { func.return %y }",
    "nothing but a quote": '"',
}


@pytest.mark.parametrize("name", BROKEN)
def test_whatever_the_parser_raises_has_a_place(name: str) -> None:
    text = BROKEN[name].encode(errors="surrogateescape").decode(errors="replace")
    result = run_devproc_opt([], text)
    assert result.code == 1
    assert "Traceback" not in result.stderr
    assert "stdin:1:" in result.stderr, result.stderr


def test_a_string_that_does_not_end_is_refused_at_once() -> None:
    text = 'func.func @f() attributes {a = "' + "a long line " * 500
    started = time.perf_counter()
    assert run_devproc_opt([], text).code == 1
    assert time.perf_counter() - started < 10


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(CompileError, match=r"x\.mlir is not UTF-8 text"):
        parse_text(b"\xff\xfe", make_context(), "x.mlir")


@pytest.mark.parametrize("alignment", [0, 3, -4, 2**40])
def test_alignments_that_would_end_the_process(alignment: int) -> None:
    """Of a masked access, whose alignment is a number like others to LLVM's parser."""
    module = parse(f"""
    llvm.func @f(%p: !llvm.ptr, %m: vector<8xi1>, %v: vector<8xf32>) {{
      %a = "llvm_ext.intr.masked.load"(%p, %m, %v) <{{alignment = {alignment} : i64}}>
        : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
      llvm.return
    }}""")
    with pytest.raises(CompileError, match="is not a power of two"):
        print_module(module)
