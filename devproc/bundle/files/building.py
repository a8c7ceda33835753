"""What a bundle gives to those who build with it: CMake, pkg-config, a README."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from devproc.bundle.interface.tensors import Description, EntryTensors, Tensor

_CMAKE = Template("""\
# add_subdirectory(this folder), then target_link_libraries(yours PRIVATE $name)
cmake_minimum_required(VERSION 3.16)
project($name C)
$find
add_library($name INTERFACE)
target_include_directories($name INTERFACE "$${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries($name INTERFACE "$${CMAKE_CURRENT_SOURCE_DIR}/$library" $libraries)
add_executable(${name}_selftest EXCLUDE_FROM_ALL selftest.c)
target_link_libraries(${name}_selftest PRIVATE $name)
""")

_PKG_CONFIG = Template("""\
prefix=$${pcfiledir}
Name: $name
Description: an inference program compiled by DevProc
Version: 1
Cflags: -I$${prefix}
Libs: -L$${prefix} -l$name
Libs.private: $libs
""")

_README = Template("""\
# $name

An inference program as a C library for $machine, compiled by DevProc for the CPU `$cpu`$gpu.
It needs nothing else installed$driver, and imports only: $imports.

| file | what it is |
| --- | --- |
$files

$entries$states## Build and test

```
$build
```

`$name.h` says the rest. An instance takes $memory bytes beside the weights; parallel loops
run on $threads.
""")

_THREADS = {
    "none": "the calling thread",
    "own": "a pool of the library's own, shared by its instances",
    "callback": "the `parallel_for` of the caller",
}


def cmake(name: str, library: str, threading: str, has_gpu: bool) -> str:
    """The text of CMakeLists.txt; `library` is the file to link."""
    own = threading == "own"
    libraries = ["Threads::Threads"] * own + ["${CMAKE_DL_LIBS}"] * has_gpu
    return _CMAKE.substitute(
        name=name,
        library=library,
        find="find_package(Threads REQUIRED)" if own else "",
        libraries=" ".join(libraries),
    )


def pkg_config(name: str, threading: str, has_gpu: bool) -> str:
    """The text of NAME.pc."""
    return _PKG_CONFIG.substitute(
        name=name, libs=" ".join(system_flags(threading, has_gpu))
    )


def system_flags(threading: str, has_gpu: bool) -> list[str]:
    """What a compiler links beside a bundle: before glibc 2.34 these were other libraries."""
    return ["-pthread"] * (threading == "own") + ["-ldl"] * has_gpu


def _rows(tensors: Sequence[Tensor]) -> str:
    return "\n".join(f"- `{t.member}`: {t.text}" for t in tensors) or "None."


def _entry(entry: EntryTensors) -> str:
    of = f" of `{entry.name}`" if entry.name else ""
    groups = (("Inputs", entry.inputs), ("Outputs", entry.outputs))
    return "".join(f"## {title}{of}\n\n{_rows(rows)}\n\n" for title, rows in groups)


def readme(
    name: str,
    library: str,
    machine: str,
    cpu: str,
    description: Description,
    files: Sequence[tuple[str, str]],
    imports: Sequence[str],
    memory: int,
    threading: str,
    archs: Sequence[str],
) -> str:
    """The text of README.md; `library` is to be linked, `files` are names with what they
    are, `archs` those of GPUs.
    """
    states = (
        f"## States\n\n{_rows(description.states)}\n\n" if description.states else ""
    )
    flags = "".join(f" {flag}" for flag in system_flags(threading, bool(archs)))
    listed = ", ".join(f"`{arch}`" for arch in archs)
    return _README.substitute(
        name=name,
        machine=machine,
        cpu=cpu,
        gpu=f" and GPUs of {listed}" if archs else "",
        driver=" but NVIDIA's driver" if archs else "",
        files="\n".join(f"| `{file}` | {what} |" for file, what in files),
        imports=", ".join(imports) or "nothing",
        entries="".join(map(_entry, description.entries)),
        states=states,
        build=f"cc -O2 selftest.c {library}{flags} -o selftest && ./selftest",
        memory=f"{memory:,}",
        threads=_THREADS[threading],
    )
