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
target_link_libraries($name INTERFACE "$${CMAKE_CURRENT_SOURCE_DIR}/$library" $threads)
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

An inference program as a C library for $machine, compiled by DevProc for the CPU `$cpu`.
It needs nothing else installed, and imports only: $imports.

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


def cmake(name: str, library: str, threading: str) -> str:
    """The text of CMakeLists.txt; `library` is the file to link."""
    own = threading == "own"
    return _CMAKE.substitute(
        name=name,
        library=library,
        find="find_package(Threads REQUIRED)" if own else "",
        threads="Threads::Threads" if own else "",
    )


def pkg_config(name: str, threading: str) -> str:
    """The text of NAME.pc."""
    return _PKG_CONFIG.substitute(
        name=name, libs="-pthread" if threading == "own" else ""
    )


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
) -> str:
    """The text of README.md; `library` is to be linked, `files` are names with what they
    are.
    """
    states = (
        f"## States\n\n{_rows(description.states)}\n\n" if description.states else ""
    )
    pthread = " -pthread" if threading == "own" else ""
    return _README.substitute(
        name=name,
        machine=machine,
        cpu=cpu,
        files="\n".join(f"| `{file}` | {what} |" for file, what in files),
        imports=", ".join(imports) or "nothing",
        entries="".join(map(_entry, description.entries)),
        states=states,
        build=f"cc -O2 selftest.c {library}{pthread} -o selftest && ./selftest",
        memory=f"{memory:,}",
        threads=_THREADS[threading],
    )
