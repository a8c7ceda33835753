"""`devproc bundle` and `devproc bundle-check`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devproc.errors import DevProcError
from devproc.tools.devproc import main
from tests.bundle.programs import program

SOURCES = Path(__file__).parent / "programs.py"


def command(*arguments: str | Path, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def test_source_to_a_checked_bundle(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    options = ("--threads", "2", "--threading", "own", "--embed-weights")
    made = command("bundle", f"{SOURCES}:classify", "-o", folder, *options)
    assert "bundle 'classify' for x86_64-linux" in made.output
    assert "classify_weights.o" in made.output
    checked = command("bundle-check", folder).output
    assert "golden cases: all pass" in checked
    assert "kernels: all pass" in checked


def test_saved_program(tmp_path: Path) -> None:
    saved = tmp_path / "memory.devproc"
    program("memory").save(saved)
    command("bundle", saved, "-o", tmp_path / "out", "--name", "remember")
    assert "golden cases: all pass" in command("bundle-check", tmp_path / "out").output
    assert (tmp_path / "out" / "remember.h").exists()


def test_machine_that_takes_a_program_for_aarch64(tmp_path: Path) -> None:
    options = ("--cpu", "thumbv7em", "-o", tmp_path)
    made = command("bundle", f"{SOURCES}:memory", "--name", "m", *options)
    assert "thumbv7em-none" in made.output
    said = command("bundle-check", tmp_path).output
    assert "not run, thumbv7em-none has no emulator here" in said


def test_one_of_several_entries(tmp_path: Path) -> None:
    several = f"one={SOURCES}:memory,two={SOURCES}:types"
    said = command("bundle", several, "-o", tmp_path, "--entry", "no", code=2).output
    assert "the entries are one, two" in said
    options = ("--entry", "two", "--name", "two")
    command("bundle", several, "-o", tmp_path, *options)
    assert "golden cases: all pass" in command("bundle-check", tmp_path).output


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DevProcError, match="cannot write the bundle into"):
        command("bundle", f"{SOURCES}:types", "-o", tmp_path / "file" / "out")
