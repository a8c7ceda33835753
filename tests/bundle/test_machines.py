"""Bundles for other machines: what can run here under an emulator, and what is inspected."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devproc.bundle.check import check_bundle
from devproc.bundle.code.machines import MACHINES, Machine
from tests.bundle.machine_table import PAGE, TABLE, read_record, table
from tests.bundle.programs import SOURCES, bundle, compile_c, new_folder, program, run

FORMATS = {
    "linux": b"\x7fELF",
    "android": b"\x7fELF",
    "macos": b"\xcf\xfa\xed\xfe",
    "ios": b"\xcf\xfa\xed\xfe",
}
"""How an object file of a system begins."""

PROCESSORS = {
    "x86_64": 62,
    "aarch64": 183,
    "riscv64": 243,
    "riscv64v": 243,
    "thumbv7em": 40,
}

COFF = {"x86_64": 0x8664, "aarch64": 0xAA64}

SYSROOT = "/usr/aarch64-linux-gnu"


def needs(*tools: str) -> pytest.MarkDecorator:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


def folder_of(name: str, machine: Machine, **options: str) -> Path:
    cpu = "aarch64" if machine.program_architecture == "aarch64" else "x86-64-v3"
    given = {"cpu": machine.architecture} if machine.llvm_cpu else {}
    return bundle_for(name, cpu, os=machine.os, **given, **options)


def bundle_for(name: str, program_cpu: str, **options: Any) -> Path:
    folder = new_folder()
    compiled = program(name, program_cpu)
    compiled.export_bundle(folder, name=name, reference=SOURCES[name](), **options)
    return folder


def object_of(machine: Machine) -> Any:
    """A case of a test of all object files, with what it states."""
    other = {"macos": "Mach-O", "ios": "Mach-O", "windows": "COFF"}
    kind = other.get(machine.os, "ELF" if machine.has_elf else "WebAssembly")
    mark = pytest.mark.machine(machine.name, "inspected", f"{kind} object")
    return pytest.param(machine, marks=mark, id=machine.name)


@pytest.mark.parametrize("machine", map(object_of, MACHINES))
def test_object_is_of_the_machine(machine: Machine) -> None:
    folder = folder_of("memory", machine)
    data = (folder / "memory.o").read_bytes()
    if machine.os == "windows":
        assert struct.unpack_from("<H", data)[0] == COFF[machine.architecture]
    elif machine.architecture == "wasm32":
        assert data[:8] == b"\0asm\1\0\0\0"
    else:
        assert data[:4] == FORMATS.get(machine.os, b"\x7fELF")
    if data[:4] == b"\x7fELF":
        assert struct.unpack_from("<H", data, 18)[0] == PROCESSORS[machine.architecture]
        assert data[4] == machine.pointer_bytes // 4
    assert (folder / "libmemory.so.1").exists() == bool(machine.libc)


def test_page_has_the_record_of_every_machine() -> None:
    """A statement that no test makes any more is to be deleted from `machines.json`."""
    assert list(TABLE.findall(PAGE.read_text())) == [table() + "\n"]
    sources = "".join(p.read_text() for p in Path(__file__).parent.glob("test_*.py"))
    record = read_record()
    assert sorted(record) == sorted(machine.name for machine in MACHINES)
    for known in record.values():
        for what in (*known["ran"], *known["inspected"]):
            assert f'"{what}"' in sources or what.endswith(" object"), what


@needs("qemu-aarch64", "aarch64-linux-gnu-gcc")
@pytest.mark.machine("aarch64-linux", "ran", "static, with a pool, under qemu-aarch64")
@pytest.mark.parametrize("name", ["classify", "memory", "types", "detect"])
def test_aarch64_static(name: str) -> None:
    folder = bundle(name, cpu="aarch64", threads="own")
    assert any("qemu-aarch64" in line for line in check_bundle(folder))


@needs("qemu-aarch64", "aarch64-linux-gnu-gcc")
@pytest.mark.machine("aarch64-linux", "ran", "shared, under qemu-aarch64")
@pytest.mark.parametrize("weights", ["file", "embed"])
def test_aarch64_shared(weights: str) -> None:
    folder = bundle("classify", cpu="aarch64", threads="own", weights=weights)
    compiler = "aarch64-linux-gnu-gcc"
    flags = ("-L.", "-lclassify", "-Wl,-rpath,.")
    test = compile_c(folder, ["selftest.c"], *flags, compiler=compiler)
    said = run(["qemu-aarch64", "-L", SYSROOT, test], folder)
    assert "all golden cases pass" in said


@needs("qemu-aarch64", "aarch64-linux-gnu-gcc")
@pytest.mark.machine("aarch64-linux", "ran", "bad input")
def test_bad_input_on_aarch64() -> None:
    folder = bundle("memory", cpu="aarch64")
    source = Path(__file__).parent / "c" / "bad_input.c"
    compiler = "aarch64-linux-gnu-gcc"
    test = compile_c(folder, [source, "libmemory.a"], "-static", compiler=compiler)
    assert not run(["qemu-aarch64", test], folder)


@needs("readelf")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            n, marks=pytest.mark.machine(n, "inspected", "its libc, by readelf")
        )
        for n in ("aarch64-android", "x86_64-android")
    ],
)
def test_android_library_names_its_libc(name: str) -> None:
    android = next(m for m in MACHINES if m.name == name)
    folder = folder_of("memory", android, threads="own")
    said = run(["readelf", "-d", "libmemory.so.1"], folder)
    assert "Shared library: [libc.so]" in said
    assert "Library soname: [libmemory.so.1]" in said


@needs("readelf")
@pytest.mark.machine("x86_64-linux", "inspected", "versions of glibc's symbols")
def test_library_runs_with_an_old_glibc() -> None:
    """No symbol is newer than glibc 2.3.2, whatever this machine has."""
    folder = bundle("classify", threads="own")
    said = run(["readelf", "-V", "libclassify.so.1"], folder)
    versions = {word for word in said.split() if word.startswith("GLIBC_")}
    assert versions == {"GLIBC_2.2.5", "GLIBC_2.3.2"}


def bare(machine: str, what: str, target: str, emulator: str) -> Any:
    """A case of `test_without_heap_and_files`, with what it states."""
    mark = pytest.mark.machine(machine, "ran", what)
    architecture = machine.partition("-")[0]
    return pytest.param(architecture, target, emulator.split(), marks=mark, id=machine)


@pytest.mark.parametrize(
    ("architecture", "target", "emulator"),
    [
        bare(
            "wasm32-none",
            "in node, without a heap",
            "wasm32-wasi",
            "node --no-warnings",
        ),
        bare(
            "riscv64-linux", "under qemu-riscv64", "riscv64-linux-musl", "qemu-riscv64"
        ),
        bare(
            "riscv64v-linux",
            "under qemu-riscv64 with vectors of 128 bits",
            "riscv64-linux-musl",
            "qemu-riscv64 -cpu rv64,v=true,vlen=128",
        ),
        bare(
            "thumbv7em-none",
            "in qemu-arm's user mode, without a heap or a Cortex-M system",
            "thumb-linux-musleabihf",
            "qemu-arm",
        ),
    ],
)
def test_without_heap_and_files(
    architecture: str, target: str, emulator: list[str]
) -> None:
    """Weights, golden cases and memory are static; linked by ziglang's lld."""
    pytest.importorskip(
        "ziglang", reason="needs ziglang, a C compiler for all machines"
    )
    if shutil.which(emulator[0]) is None:
        pytest.skip(f"needs {emulator[0]}")
    machine = next(m for m in MACHINES if m.architecture == architecture)
    folder = folder_of("memory", machine)
    source = Path(__file__).parent / "c" / "bare.c"
    made = folder / "bare"
    flags = ["-std=c23", "-O1", "-static", f"-I{folder}", f"--embed-dir={folder}"]
    files = [source, folder / "memory.o", "-o", made]
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", target]
    subprocess.run([*zig, *flags, *map(str, files)], check=True)
    command: list[str | Path] = [*emulator, made]
    if architecture == "wasm32":
        runner = folder / "run.mjs"
        runner.write_text(WASI)
        command = [*emulator, runner, made]
    assert "status 0" in run(command, folder)


WASI = """
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
import { argv } from 'node:process';
const wasi = new WASI({ version: 'preview1', args: [], env: {} });
const program = await WebAssembly.compile(readFileSync(argv[2]));
wasi.start(await WebAssembly.instantiate(program, wasi.getImportObject()));
"""
