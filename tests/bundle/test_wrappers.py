"""The wrappers for Rust and Go: they build without warnings, and compute the same bits."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from devproc.bundle.interface.names import camel_case, distinct
from tests.bundle.programs import bundle, new_folder
from tests.bundle.test_entries import compiled, reader

HOME = Path.home()


def tool(name: str, *places: Path) -> str:
    """The path of a tool; skips without it."""
    found = shutil.which(
        name, path=os.pathsep.join([os.environ["PATH"], *map(str, places)])
    )
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def run(command: list[str], folder: Path, variables: Mapping[str, str]) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copied(bundle: Path) -> Path:
    """A copy of a bundle's folder, in which the tools leave files of their own."""
    folder = new_folder()
    shutil.copytree(bundle, folder, dirs_exist_ok=True, symlinks=True)
    return folder


@cache
def cargo_folder() -> Path:
    return new_folder()


def cargo(folder: Path, example: str) -> str:
    cargo = tool("cargo", HOME / ".cargo" / "bin")
    variables = {"CARGO_TARGET_DIR": str(cargo_folder()), "RUSTFLAGS": "-Dwarnings"}
    command = [cargo, "run", "--quiet", "--offline", "--example", example]
    return run(command, folder / "rust", variables)


def go(folder: Path, package: str) -> str:
    go = tool("go", Path("/usr/local/go/bin"))
    tool("gcc")
    variables = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "CGO_ENABLED": "1"}
    run([go, "vet", f"./{package}"], folder / "go", variables)
    return run([go, "run", f"./{package}"], folder / "go", variables)


@pytest.mark.parametrize(
    "options", [{"threads": "own"}, {"weights": "embed"}], ids=["file", "embed"]
)
def test_selftest_of_the_wrappers(options: dict[str, str]) -> None:
    folder = copied(bundle("classify", **options))
    expected = "classify: all golden cases pass on native"
    assert cargo(folder, "selftest").startswith(expected)
    if "threads" in options:
        assert go(folder, "selftest").startswith(expected)


RUST = """
use reader::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let weights = Aligned::read("../reader.weights")?;
    let mut program = Program::new(weights.clone())?;
    let mut other = Program::new(weights)?;
    let x: Vec<f32> = (0..200).map(|i| i as f32 / 64.0).collect();
    let mut y = vec![0f32; 350];
    program.prefill_run(&PrefillInputs { x: &x }, &mut PrefillOutputs { output: &mut y })?;
    let mut z = vec![0f32; 70];
    let short = program.decode_run(&DecodeInputs { x: &x }, &mut DecodeOutputs { output: &mut z });
    println!("{}", short.unwrap_err());
    program.decode_run(&DecodeInputs { x: &x[..40] }, &mut DecodeOutputs { output: &mut z })?;
    println!("{} {}", y[349].to_bits(), z[69].to_bits());
    let mut state = vec![0u8; 8];
    println!("{}", other.get_state(9, &mut state).unwrap_err().status);
    let mut all = vec![0u8; 280];
    program.get_state(0, &mut all).or_else(|_| program.get_state(1, &mut all))?;
    other.reset()?;
    let wrong = Program::with(Aligned::read("../reader.json")?, Settings::default());
    println!("{}", wrong.err().unwrap());
    Ok(())
}
"""

GO = """
package main

import (
	"fmt"
	"math"

	"reader"
)

func main() {
	weights, _ := reader.ReadAligned("../reader.weights")
	program, err := reader.New(weights, reader.Settings{})
	x, y, z := make([]float32, 200), make([]float32, 350), make([]float32, 70)
	for i := range x {
		x[i] = float32(i) / 64
	}
	err = program.PrefillRun(reader.PrefillInputs{X: x}, reader.PrefillOutputs{Output: y})
	if err != nil {
		panic(err)
	}
	fmt.Println(program.DecodeRun(reader.DecodeInputs{X: x}, reader.DecodeOutputs{Output: z}))
	err = program.DecodeRun(reader.DecodeInputs{X: x[:40]}, reader.DecodeOutputs{Output: z})
	fmt.Println(math.Float32bits(y[349]), math.Float32bits(z[69]))
	fmt.Println(program.GetState(9, make([]byte, 8)))
	_, err = reader.New(weights, reader.Settings{CPU: "i486"})
	fmt.Println(err)
	program.Close()
	weights.Free()
}
"""


def expected_bits() -> str:
    """Of the last elements that two entries compute in Python."""
    own, x = compiled(), np.arange(200, dtype=np.float32).reshape(5, 40) / 64
    prefill, decode = (
        np.asarray(own["prefill"](x)),
        np.asarray(own["decode"](x[:1])),
    )
    last = (values.reshape(-1)[-1:].view(np.uint32)[0] for values in (prefill, decode))
    return " ".join(map(str, last))


def test_entries_in_rust() -> None:
    folder = copied(reader())
    (folder / "rust" / "examples" / "entries.rs").write_text(RUST)
    short, bits, status, weights = cargo(folder, "entries").splitlines()
    assert short == "input 'x' has 200 elements, 40 are expected"
    assert bits == expected_bits()
    assert status == "13"  # READER_ERROR_STATE
    assert weights.startswith("the weights are not those of this program")


def test_entries_in_go() -> None:
    folder = copied(reader())
    (folder / "go" / "entries").mkdir()
    (folder / "go" / "entries" / "main.go").write_text(GO)
    short, bits, state, cpu = go(folder, "entries").splitlines()
    assert short == "input 'x' has 200 elements, 40 are expected"
    assert bits == expected_bits()
    assert state.startswith("there is no such state")
    assert "no code for a processor of the name" in cpu


def test_every_dtype_in_rust_and_go() -> None:
    """Many inputs, outputs of rank 0, and bool."""
    folder = copied(bundle("types"))
    assert "all golden cases pass" in cargo(folder, "selftest")
    assert "all golden cases pass" in go(folder, "selftest")


def test_names() -> None:
    assert camel_case("found_boxes") == "FoundBoxes"
    assert camel_case("_0") == "X0"
    assert camel_case("") == ""
    assert distinct(["a_b", "aB", "a_B"], camel_case) == ["AB", "AB_", "AB__"]
