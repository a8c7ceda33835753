"""`devproc-opt` stays light, and plain `xdsl-opt` knows what it knows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from xdsl.xdsl_opt_main import xDSLOptMain

from devproc.registry import DIALECTS, PASSES, TARGETS
from tests.filecheck_runner import run_devproc_opt

LIGHT = """
import sys
from devproc.registry import DIALECTS, PASSES, load
from devproc.tools.devproc_opt import main
for path in (*DIALECTS.values(), *PASSES.values()):
    load(path)
main(["--to-stage", "program"])
print([name for name in ("torch", "triton", "llvmlite") if name in sys.modules])
"""

PROGRAM = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %a : tensor<2xf32>
}
"""


def test_nothing_heavy_is_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIGHT],
        input=PROGRAM,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_xdsl_opt_finds_ours() -> None:
    tool = xDSLOptMain(args=[])
    assert set(DIALECTS) <= set(tool.ctx.registered_dialect_names)
    assert set(PASSES) <= set(tool.available_passes)
    assert set(TARGETS) <= set(tool.available_targets)


def test_dump_dir(tmp_path: Path) -> None:
    arguments = ["--to-stage", "program", "--dump-dir", str(tmp_path)]
    result = run_devproc_opt(arguments, PROGRAM)
    assert result.code == 0, result.stderr
    (dump,) = tmp_path.iterdir()
    assert dump.name == "00-program.mlir"
    again = run_devproc_opt([str(dump)])
    assert again.stdout == result.stdout


def test_errors_are_one_message(tmp_path: Path) -> None:
    for arguments, text, message in (
        ([], "func.func @f( {", "expected"),
        (["-p", "no-such-pass"], "", "no-such-pass"),
        ([str(tmp_path / "missing.mlir")], "", "No such file"),
        (["--from-stage", "program", "--to-stage", "tensor"], "func.func @f(", ""),
    ):
        result = run_devproc_opt(arguments, text)
        assert result.code == 1
        assert result.stderr.startswith("devproc-opt: ")
        assert message in result.stderr.lower() or message in result.stderr
        assert "Traceback" not in result.stderr
