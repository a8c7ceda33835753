"""Shared libraries, linked without a C compiler: by the `lld` that Triton's package has.

Where Triton is missing, a system's `ld.lld`, its `cc`, or the package `ziglang` do the same.
All take the arguments of `ld`.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

# Triton's extension has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from devproc.bundle.code.machines import Machine
from devproc.errors import CompileError
from devproc.targets.cpu.machine.cpu_target import CPUTarget


class Linker(Protocol):
    """Links ELF objects to a shared library."""

    name: str

    def why_not(self, machine: Machine) -> str | None:
        """Why it cannot link for a machine here; None if it can."""
        ...

    def link(self, arguments: Sequence[str], output: Path, machine: Machine) -> None:
        """Writes `output`; raises CompileError with the linker's message."""
        ...


class TritonLinker:
    """`ld.lld -shared` inside of Triton's extension, which imports no torch."""

    name = "triton"

    def why_not(self, machine: Machine) -> str | None:
        """Without Triton."""
        try:
            from triton._C.libtriton import amd  # type: ignore[import-untyped]

            return None if hasattr(amd, "link_hsaco") else "its link_hsaco is missing"
        except ImportError:
            return "the package triton is not installed"

    def link(self, arguments: Sequence[str], output: Path, machine: Machine) -> None:
        """The arguments go through a response file."""
        from triton._C.libtriton import amd  # type: ignore[import-untyped]

        response = output.with_name(f"{output.name}.rsp")
        response.write_text("\n".join(arguments))
        try:
            amd.link_hsaco(f"@{response}", str(output))
        except RuntimeError as error:
            raise CompileError(f"Triton's linker failed: {error}") from error
        finally:
            response.unlink()
        if not output.exists():
            raise CompileError(f"Triton's linker did not write {output.name}")


class CommandLinker:
    """A linker, or a compiler that calls one, as a command."""

    def __init__(self, name: str, command: Sequence[str], prefix: str = ""):
        self.name, self._command, self._prefix = name, command, prefix

    def why_not(self, machine: Machine) -> str | None:
        """Without the command; a compiler links for its own machine alone."""
        if shutil.which(self._command[0]) is None:
            return f"there is no command {self._command[0]}"
        if self._prefix and machine.architecture != CPUTarget.host().architecture:
            return f"{self.name} links for this machine alone"
        return None

    def link(self, arguments: Sequence[str], output: Path, machine: Machine) -> None:
        """Each argument that is no file gets the compiler's prefix."""
        given: list[str] = []
        for argument in arguments:
            words = argument.split()
            option = words[0].startswith("-")
            given += (
                [f"{self._prefix}{','.join(words)}"]
                if option and self._prefix
                else words
            )
        done = subprocess.run(
            [*self._command, "-shared", *given, "-o", str(output)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise CompileError(f"{self.name} failed: {done.stderr.strip()}")


class ZigLinker(CommandLinker):
    """The `ld.lld` of zig's compiler, for any machine."""

    def __init__(self) -> None:
        super().__init__("ziglang", [sys.executable, "-m", "ziglang", "ld.lld"])

    def why_not(self, machine: Machine) -> str | None:
        """Without the package."""
        found = importlib.util.find_spec("ziglang")
        return None if found else "the package ziglang is not installed"


LINKERS: tuple[Linker, ...] = (
    TritonLinker(),
    CommandLinker("ld.lld", ["ld.lld"]),
    CommandLinker("cc", ["cc", "-nostdlib"], "-Wl,"),
    ZigLinker(),
)
"""In the order in which they are tried."""


def find_linker(machine: Machine, name: str | None = None) -> Linker:
    """The linker of this name, or the first one that works for a machine.

    Raises CompileError that says why none does.
    """
    known = [linker for linker in LINKERS if name in (None, linker.name)]
    reasons: list[str] = []
    for linker in known:
        reason = linker.why_not(machine)
        if reason is None:
            return linker
        reasons.append(f"{linker.name}: {reason}")
    if not known:
        names = ", ".join(linker.name for linker in LINKERS)
        raise CompileError(f"no linker '{name}'; there are {names}")
    raise CompileError(
        f"cannot link a shared library for {machine.name}: {'; '.join(reasons)}. Install "
        "triton, or lld; or take the .o and .a that are written with shared=False"
    )
