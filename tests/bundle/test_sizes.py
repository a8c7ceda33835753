"""The report of sizes, and code that is made small."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from devproc.bundle.code.elf import function_sizes, loaded_bytes
from devproc.bundle.interface.library import Library
from tests.bundle.programs import (
    bundle,
    classify,
    new_folder,
    program,
    random_inputs,
    run,
)
from tests.bundle.test_commands import SOURCES, command


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm and size of binutils")
@pytest.mark.parametrize("cpu", ["native", "aarch64", "thumbv7em"])
def test_sizes_are_those_of_binutils(cpu: str) -> None:
    folder = new_folder()
    compiled = program("classify", "native" if cpu == "native" else "aarch64")
    own = cpu if cpu == "thumbv7em" else None
    compiled.export_bundle(folder, name="classify", cpu=own, reference=classify())
    data = (folder / "classify.o").read_bytes()
    listed = [
        line.split() for line in run(["nm", "-S", "classify.o"], folder).splitlines()
    ]
    expected = {row[3]: int(row[1], 16) for row in listed if row[2:3] in (["t"], ["T"])}
    assert dict(function_sizes(data)) == expected
    total = run(["size", "-A", "classify.o"], folder).splitlines()
    sections = {
        row[0]: int(row[1])
        for row in map(str.split, total)
        if row[1:2] and row[1].isdigit()
    }
    code = sum(size for name, size in sections.items() if name.startswith(".text"))
    assert loaded_bytes(data, code=True) == code
    rest = (".rodata", ".data", ".eh_frame")
    other = sum(size for name, size in sections.items() if name.startswith(rest))
    assert loaded_bytes(data, code=False) == other


def test_description_has_the_sizes() -> None:
    data = json.loads((bundle("classify") / "classify.json").read_text())
    sizes, kernels = data["sizes"], data["kernels"]
    assert sum(kernel["bytes"] for kernel in kernels) == sizes["kernels"]
    assert all(kernel["bytes"] > 0 for kernel in kernels)
    code = (bundle("classify") / "classify.o").read_bytes()
    text = loaded_bytes(code, code=True)
    assert 0.95 * text < sizes["kernels"] + sizes["launches"] + sizes["runtime"] <= text


def test_small_code_has_the_same_bits() -> None:
    small, other = bundle("classify", small=True), bundle("classify")
    sizes = [
        json.loads((folder / "classify.json").read_text())["sizes"]["kernels"]
        for folder in (small, other)
    ]
    assert sizes[0] < sizes[1]
    files = [(f / "libclassify.so.1").stat().st_size for f in (small, other)]
    assert files[0] < 0.9 * files[1]
    libraries = [Library(folder) for folder in (small, other)]
    inputs = random_inputs("classify", 5)
    for first, second in zip(*(own.run(inputs) for own in libraries), strict=True):
        assert first.tobytes() == second.tobytes()
    for own in libraries:
        own.close()


def test_command_prints_the_kernels(tmp_path: Path) -> None:
    said = command("bundle", f"{SOURCES}:classify", "-o", tmp_path, "--size").output
    assert "bytes of kernels" in said
    kernel = json.loads((tmp_path / "classify.json").read_text())["kernels"][-1]
    assert f"{kernel['bytes']:,}  {kernel['name']}" in said
