"""The shared library of a bundle, and the empty libc that it is linked against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from devproc.bundle.code.linker import Linker
from devproc.bundle.code.machines import Machine
from devproc.targets.cpu.jit import CompileOptions, compile_object

IMPORTS = (
    *("posix_memalign", "free", "memset", "memcpy", "memmove"),
    *("pthread_create", "pthread_join", "pthread_mutex_init", "pthread_mutex_lock"),
    *("pthread_mutex_unlock", "pthread_sigmask", "sched_yield", "sigfillset"),
    *("pthread_cond_init", "pthread_cond_wait", "pthread_cond_broadcast"),
)
"""All that a bundle may import from the C library; nothing of libm."""

LOADER_IMPORTS = ("dlopen", "dlsym")
"""What one with a GPU imports beside them, to find the driver."""

LOADER = "libdl.so.2"
"""Where glibc had them before 2.34, and has their names since."""


def shared_library(
    objects: Sequence[bytes],
    name: str,
    machine: Machine,
    linker: Linker,
    exported: Sequence[str],
    small: bool = False,
    has_gpu: bool = False,
) -> bytes:
    """The bytes of libNAME.so.1, which exports these functions under a version.

    It is linked against an empty library with libc's symbols, in the oldest versions that
    have them: so it runs with any glibc of the last years, and a missing symbol is an error
    of the linker. A `small` file has no padding between code and data, which then share
    pages.
    """
    with TemporaryDirectory() as made:
        folder = Path(made)
        files = [folder / f"{number}.o" for number in range(len(objects))]
        for file, data in zip(files, objects, strict=True):
            file.write_bytes(data)
        exports = folder / "exports.map"
        listed = " ".join(f"{symbol};" for symbol in exported)
        exports.write_text(f"{name.upper()}_1 {{ global: {listed} local: *; }};\n")
        output = folder / f"lib{name}.so.1"
        system = [_library(machine.libc, IMPORTS, machine, linker, folder)]
        if has_gpu:
            system.append(_library(LOADER, LOADER_IMPORTS, machine, linker, folder))
        linker.link(
            [
                f"-soname {output.name}",
                f"--version-script={exports}",
                *(
                    "--gc-sections",
                    "-Bsymbolic",
                    "-z now",
                    "-z relro",
                    "-z noexecstack",
                ),
                *(
                    f"-z {'no' if small else ''}separate-code",
                    "--hash-style=gnu",
                    "--build-id=sha1",
                    "--strip-all",
                ),
                *map(str, files),
                "--no-undefined",
                *map(str, system),
            ],
            output,
            machine,
        )
        return output.read_bytes()


def _library(
    name: str,
    symbols: Sequence[str],
    machine: Machine,
    linker: Linker,
    folder: Path,
) -> Path:
    """A library with the name of one of the system's and these symbols, without content."""
    text = "\n".join(f"define void @{symbol}() {{ ret void }}" for symbol in symbols)
    target = machine.target("x86-64" if machine.architecture == "x86_64" else "aarch64")
    output = folder / name
    code = folder / f"{name}.o"
    code.write_bytes(compile_object(text, target, CompileOptions(passes=False)))
    arguments = [f"-soname {name}", str(code)]
    if machine.symbol_versions is not None:
        plain, waiting = machine.symbol_versions
        versions: dict[str, list[str]] = {}
        for symbol in symbols:
            version = waiting if symbol.startswith("pthread_cond") else plain
            versions.setdefault(version, []).append(f"{symbol};")
        script = folder / f"{name}.map"
        lines = [
            f"{v} {{ global: {' '.join(names)} }};" for v, names in versions.items()
        ]
        script.write_text("\n".join(lines) + "\n")
        arguments.append(f"--version-script={script}")
    linker.link(arguments, output, machine)
    return output
