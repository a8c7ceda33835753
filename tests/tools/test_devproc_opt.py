"""`devproc-opt` stays light, and plain `xdsl-opt` knows what it knows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ShrinkException
from xdsl.xdsl_opt_main import xDSLOptMain

from devproc.registry import dialects, passes, texts
from devproc.transforms.placed.place_ops import PlaceOpsPass
from tests.filecheck_runner import run_devproc_opt

LIGHT = """
import sys
from devproc.registry import dialects, load, passes
from devproc.tools.devproc_opt import main
for path in (*dialects().values(), *passes().values()):
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
    assert set(dialects()) <= set(tool.ctx.registered_dialect_names)
    assert set(passes()) <= set(tool.available_passes)
    assert set(texts()) <= set(tool.available_targets)


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


WRONG = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = nn.relu %x : (tensor<2xf32>) -> tensor<3xf32>
  func.return %x : tensor<2xf32>
}
"""
MARK = """
    %a = "nn.relu"(%x) : (tensor<2xf32>) -> tensor<3xf32>
    ^^^^^^^^^^^^^^"""


def test_a_verifier_shows_its_place() -> None:
    """As `xdsl-opt` does; of a long module the lines around it, and after stages too."""
    result = run_devproc_opt([], WRONG)
    assert MARK in result.stderr
    assert result.stderr.count("func.func") == 1
    swapped = PROGRAM.replace("nn.relu %x", "nn.relu %b").replace(
        "func.return",
        "%b = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>\n func.return",
    )
    result = run_devproc_opt(["--to-stage", "program"], swapped)
    assert "used before its definition" in result.stderr
    assert '= "nn.relu"(%b)' in result.stderr
    line = "  nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>\n"
    result = run_devproc_opt([], WRONG.replace("  %a", line * 300 + "  %a"))
    assert MARK in result.stderr
    assert "... line 299 of 310" in result.stderr
    assert len(result.stderr.splitlines()) < 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-p place-opz", "unknown pass 'place-opz'; did you mean 'place-ops'?"),
        (
            "-p outline-segments{max-launchs=1}",
            "pass 'outline-segments' has no option 'max-launchs'; it has max-launches; "
            "did you mean 'max-launches'?",
        ),
        ("-p cse{deep=1}", "pass 'cse' has no option 'deep'; it has none"),
        ("-p outline-segments{max-launches=a}", "pass 'outline-segments': Incompat"),
        ("-p cse{", "-p cse{: Error parsing pass pipeline"),
        ("-t llvm-ir", "-t llvm-ir prints a module of the stage 'llvm'"),
        ("-t triton-source", "add --to-stage gpu"),
        ("-t llvm-ir --to-stage placed", "module holds 'nn.relu'"),
    ],
)
def test_messages_name_what_they_are_about(arguments: str, message: str) -> None:
    result = run_devproc_opt(arguments.split(), PROGRAM)
    assert result.code == 1
    assert message in result.stderr
    assert not result.stdout


def test_targets_print_what_stages_left() -> None:
    result = run_devproc_opt(["--to-stage", "llvm", "-t", "llvm-ir"], PROGRAM)
    assert "define void @segment_0_entry(ptr %table)" in result.stdout


def test_a_dash_is_standard_input() -> None:
    assert run_devproc_opt(["-"], PROGRAM) == run_devproc_opt([], PROGRAM)


def test_other_chunks_go_on() -> None:
    """The code is 1, a message has the line of the whole file."""
    chunks = [PROGRAM, WRONG, PROGRAM, "\nfunc.func @f(", PROGRAM]
    text = "// -----".join(chunks)
    result = run_devproc_opt(["-p", "cse", "--split-input-file"], text)
    assert result.code == 1
    assert result.stdout.count("nn.relu") == 3
    assert result.stdout.count("// -----") == 4
    assert result.stderr.count("devproc-opt: ") == 2
    lines = text.splitlines()
    assert f"stdin:{lines.index('func.func @f(// -----') + 1}:" in result.stderr


def test_shrink_succeeds_where_a_pass_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal and a text that is not well formed are no failure of a pass."""
    ways = (["-p", "place-ops"], ["--to-stage", "placed"])
    for way in ways:
        assert run_devproc_opt([*way, "--shrink"], PROGRAM).code == 1
        assert run_devproc_opt([*way, "--shrink"], WRONG).code == 1
    for error in (ShrinkException(), AssertionError(), KeyError("x")):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(PlaceOpsPass, "apply", fail)
        for way in ways:
            result = run_devproc_opt([*way, "--shrink"], PROGRAM)
            assert (result.code, result.stderr) == (0, "")
            assert "Success, can shrink" in result.stdout
            assert run_devproc_opt([*way, "--shrink"], WRONG).code == 1
            result = run_devproc_opt(way, PROGRAM)
            assert result.code == 1
            assert "Traceback" not in result.stderr
