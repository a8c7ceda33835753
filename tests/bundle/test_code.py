"""The parts of a bundle's code: the runtime's IR, linkers, archives, the check of the CPU."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from devproc.bundle.code.archive import Member, archive
from devproc.bundle.code.features import FEATURES, features_of
from devproc.bundle.code.linker import LINKERS, Linker, find_linker
from devproc.bundle.code.machines import MACHINES, find_machine
from devproc.bundle.code.runtime.generate import FOLDER, FOLDERS, generate
from devproc.errors import CompileError
from devproc.targets.cpu.machine.processors import CPUS, RequiredCPU
from devproc.targets.cpu.machine.this_machine import why_not_here
from tests.bundle.programs import bundle, classify, compile_c, program, run

HERE = find_machine("x86_64", "linux")


@pytest.mark.parametrize("folder", FOLDERS)
def test_runtime_is_that_of_its_sources(folder: str) -> None:
    """The IR in the package is what clang makes of the C beside it."""
    pytest.importorskip("ziglang", reason="needs ziglang, which has clang")
    target, parts = FOLDERS[folder]
    for part in parts:
        shipped = FOLDER / "ir" / folder / f"{part}.ll"
        assert shipped.read_text() == generate(part, target), shipped


def test_runtime_has_all_its_files() -> None:
    """And no file that nothing makes."""
    made = {
        Path(f, f"{part}.ll") for f, (_, parts) in FOLDERS.items() for part in parts
    }
    shipped = {p.relative_to(FOLDER / "ir") for p in (FOLDER / "ir").rglob("*.ll")}
    assert shipped == made


def test_features_are_those_of_this_machine(tmp_path: Path) -> None:
    """Each CPUID bit agrees with the flags that Linux lists."""
    rows = ",\n".join(
        f'{{"{f.name}", {f.leaf}u, {f.subleaf}, {f.word}, {f.bit}, {f.saved}}}'
        for f in FEATURES.values()
    )
    source = tmp_path / "features.c"
    source.write_text(
        f'#include <stdio.h>\n#include "{FOLDER}/runtime.h"\n'
        f"static const bundle_feature rows[] = {{\n{rows}}};\n"
        "int main(void) {\n"
        "  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)\n"
        '    printf("%s %d\\n", rows[i].name, !bundle_missing_feature(rows + i, 1));\n}\n'
    )
    test = compile_c(tmp_path, [source, FOLDER / "x86_features.c"], "-std=gnu11")
    for line in run([test], tmp_path).splitlines():
        name, has = line.split()
        expected = why_not_here(RequiredCPU("", "x86_64", (name,))) is None
        assert bool(int(has)) == expected, name


def test_every_level_can_be_checked() -> None:
    for cpu in CPUS.values():
        if cpu.architecture == "x86_64":
            assert len(features_of(cpu.features)) == len(cpu.features)
    with pytest.raises(CompileError, match="cannot check for apxf"):
        features_of(["apxf"])


@pytest.mark.parametrize("linker", LINKERS, ids=lambda linker: linker.name)
def test_every_linker_makes_a_library_that_passes(
    linker: Linker, tmp_path: Path
) -> None:
    why = linker.why_not(HERE)
    if why is not None:
        pytest.skip(why)
    options = {"name": "classify", "reference": classify(), "linker": linker.name}
    program("classify").export_bundle(tmp_path, threads="own", **options)
    symbols = run(["nm", "-D", "libclassify.so.1"], tmp_path)
    names = {line.split()[-1].partition("@")[0] for line in symbols.splitlines()}
    outside = {n for n in names if not n.startswith(("classify_", "CLASSIFY_1"))}
    assert outside <= {
        *("posix_memalign", "free", "memset", "memcpy", "sched_yield", "sigfillset"),
        *(name for name in outside if name.startswith("pthread_")),
    }


def test_no_linker(monkeypatch: pytest.MonkeyPatch) -> None:
    for linker in LINKERS:
        monkeypatch.setattr(type(linker), "why_not", lambda self, machine: "not here")
    with pytest.raises(
        CompileError, match=r"triton: not here; .*Install triton, or lld"
    ):
        find_linker(HERE)


def test_linker_error_is_shown(tmp_path: Path) -> None:
    broken = tmp_path / "broken.o"
    broken.write_bytes(b"no object")
    with pytest.raises(CompileError, match="Triton's linker"):
        LINKERS[0].link([str(broken)], tmp_path / "out.so", HERE)


@pytest.mark.skipif(shutil.which("ar") is None, reason="needs ar")
def test_archive_is_read_by_binutils(tmp_path: Path) -> None:
    long = "a_name_of_more_than_sixteen_letters.o"
    members = [
        Member(long, b"123", ["first", "second"]),
        Member("b.o", b"4567", ["third"]),
    ]
    (tmp_path / "lib.a").write_bytes(archive(members))
    assert run(["ar", "t", "lib.a"], tmp_path).split() == [long, "b.o"]
    run(["ar", "x", "lib.a"], tmp_path)
    assert (tmp_path / long).read_bytes() == b"123"
    assert (tmp_path / "b.o").read_bytes() == b"4567"
    index = run(["nm", "-s", "lib.a"], tmp_path)
    assert f"second in {long}" in index
    assert "third in b.o" in index


def test_machines_have_different_names() -> None:
    names = [machine.name for machine in MACHINES]
    assert len(set(names)) == len(names)
    with pytest.raises(CompileError, match="did you mean 'aarch64-linux'"):
        find_machine("aarch46", "linux")


def test_cmake_builds_the_self_test(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    folder = bundle("classify", threads="own")
    run(["cmake", "-S", folder, "-B", tmp_path], folder)
    run(["cmake", "--build", tmp_path, "--target", "classify_selftest"], folder)
    assert "all golden cases pass" in run([tmp_path / "classify_selftest"], folder)


def test_pkg_config_gives_the_flags(tmp_path: Path) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip("needs pkg-config")
    folder = bundle("classify", threads="own")
    asked = ["env", f"PKG_CONFIG_PATH={folder}", "pkg-config", "--cflags", "--libs"]
    flags = run([*asked, "classify"], tmp_path).split()
    test = tmp_path / "selftest"
    run(
        ["cc", folder / "selftest.c", *flags, f"-Wl,-rpath,{folder}", "-o", test],
        tmp_path,
    )
    assert "libclassify.so.1" in run(["ldd", test], tmp_path)
    assert "all golden cases pass" in run([test], folder)
