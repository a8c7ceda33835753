"""The C interface, called from C: bad input, sanitizers, threads, several bundles."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from devproc.bundle.interface.library import Library
from devproc.errors import BundleError
from tests.bundle.programs import bundle, compile_c, new_folder, program, run

C = Path(__file__).parent / "c"

ADDRESS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")


def test_bad_input_gives_a_code() -> None:
    folder = bundle("memory")
    test = compile_c(folder, [C / "bad_input.c", "libmemory.a"], "-std=c11", *ADDRESS)
    assert not run([test], folder)


def test_fuzz_under_the_address_sanitizer() -> None:
    folder = bundle("memory", threads="own")
    flags = ("-std=c11", "-pthread", *ADDRESS)
    test = compile_c(folder, [C / "fuzz.c", "libmemory.a"], *flags)
    lines = run([test, "4000"], folder).splitlines()
    counts = [int(line.rpartition(": ")[2]) for line in lines]
    # All codes but those of the CPU, of no memory, of busy instances and dead handles.
    assert all(
        count for number, count in enumerate(counts) if number not in (5, 9, 11, 16)
    )


def together(*flags: str) -> tuple[Path, Path]:
    """The program with two bundles in one folder."""
    folder = new_folder()
    for name in ("classify", "memory"):
        for path in bundle(name, threads="own").iterdir():
            if path.name.startswith((name, f"lib{name}")) and not path.is_symlink():
                shutil.copy(path, folder)
    libraries = ["libclassify.a", "libmemory.a"]
    sources = [C / "together.c", *libraries]
    return compile_c(folder, sources, "-std=gnu11", "-pthread", *flags), folder


def test_two_bundles_and_eight_threads() -> None:
    test, folder = together("-fsanitize=thread", "-g")
    assert "0 bad" in run([test], folder)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_nothing_is_left_in_memory() -> None:
    # Valgrind knows AVX2, not AVX-512.
    folder = bundle("memory", cpu="x86-64-v3", threads="own")
    flags = ("-std=c11", "-pthread", "-g")
    test = compile_c(folder, ["selftest.c", "libmemory.a"], *flags)
    options = ("-q", "--leak-check=full", "--errors-for-leak-kinds=all")
    run(["valgrind", *options, "--error-exitcode=9", test], folder)


def test_loaded_and_unloaded() -> None:
    test, folder = together("-DLOADED", "-ldl")
    assert "0 bad" in run([test, "1000"], folder)


def test_parallel_loops_of_the_caller() -> None:
    folder = bundle("classify", threads="callback")
    test = compile_c(folder, [C / "callback.c", "libclassify.a"], "-std=c11")
    assert "parallel" in run([test], folder)


def test_another_number_of_threads_while_the_pool_runs() -> None:
    folder = bundle("classify", threads="own")
    first = Library(folder, threads=3)
    with pytest.raises(BundleError, match="another instance of this bundle"):
        Library(folder, threads=2)
    Library(folder, threads=3).close()
    first.close()


def test_too_few_threads(tmp_path: Path) -> None:
    """A system that refuses threads: the error says so, and nothing is left."""
    folder = bundle("classify", threads="own")
    source = tmp_path / "threads.c"
    source.write_text(
        "#include <errno.h>\n#include <stdio.h>\n"
        "int pthread_create(void *, const void *, void *(*)(void *), void *);\n"
        "int pthread_create(void *a, const void *b, void *(*c)(void *), void *d) {\n"
        "  (void)a, (void)b, (void)c, (void)d;\n  return EAGAIN;\n}\n"
    )
    test = compile_c(folder, ["selftest.c", source, "libclassify.a"], "-std=c11")
    assert "the threads asked for are not to be had" in run([test], folder, code=1)


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
def test_lesser_cpu_is_refused(cpu: str) -> None:
    if shutil.which("qemu-x86_64") is None:
        pytest.skip("there is no qemu-x86_64")
    folder = bundle("classify", cpu=cpu)
    test = compile_c(folder, ["selftest.c", "libclassify.a"], "-static")
    lesser = "Nehalem" if cpu == "x86-64-v3" else "Haswell"
    said = run(["qemu-x86_64", "-cpu", lesser, test], folder, code=1)
    assert "this CPU lacks an instruction set that the code needs" in said
    assert "avx" in said.rpartition(":")[2]


@pytest.mark.parametrize("threads", ["none", "own"])
def test_cplusplus(threads: str, tmp_path: Path) -> None:
    folder = bundle("classify", weights="embed", threads=threads)
    source = tmp_path / "host.cpp"
    source.write_text(
        '#include <iostream>\n#include <vector>\n#include "classify.hpp"\n'
        "int main() {\n  using namespace classify_bundle;\n"
        "  Program first, program(std::move(first));\n"
        "  std::vector<uint8_t> image(CLASSIFY_IMAGE_COUNT, 7);\n"
        "  std::vector<float> logits(CLASSIFY_LOGITS_COUNT);\n  int64_t label;\n"
        "  program.run({image.data()}, {logits.data(), &label});\n"
        '  std::cout << label << "\\n";\n'
        "  try {\n    program.run({nullptr}, {logits.data(), &label});\n"
        '  } catch (const Error &error) { std::cout << error.what() << "\\n"; }\n}\n'
    )
    flags = ("-std=c++17", "-pthread")
    test = compile_c(folder, [source, "libclassify.a"], *flags, compiler="c++")
    label, error = run([test], folder).splitlines()
    import numpy as np

    found = program("classify")(image=np.full((40, 50, 3), 7, np.uint8))
    assert int(label) == found["label"][0]
    assert error == "a pointer is NULL: input 'image'"
