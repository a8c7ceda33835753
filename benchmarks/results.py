"""Writes one section of `RESULTS.md`: the command, date, versions, CPU, and a table."""

from __future__ import annotations

import datetime
import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"
PACKAGES = ("devproc", "xdsl", "llvmlite", "torch", "triton", "numpy")
PEERS = ("onnxruntime", "openvino", "executorch")
"""Packages that need not be there."""


def cpu_name() -> str:
    """The processor's name as the system gives it, its vectors, and the usable cores."""
    import os

    from devproc.targets.cpu.machine.cpu_target import host_vector_bits

    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = re.findall(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    name = names[0] if names else platform.processor()
    cores = len(os.sched_getaffinity(0))
    return f"{name}, vectors of {host_vector_bits()} bits, {cores} cores"


def write_section(title: str, command: str, lines: Sequence[str]) -> None:
    """Replaces (or appends) the section `title`; also prints it."""
    peers = [name for name in PEERS if find_spec(name)]
    versions = ", ".join(f"{name} {version(name)}" for name in (*PACKAGES, *peers))
    body = "\n".join(
        [
            f"## {title}",
            "",
            f"`{command}`, {datetime.date.today()}, {cpu_name()}, "
            f"Python {platform.python_version()}, {versions}.",
            "",
            *lines,
            "",
        ]
    )
    text = RESULTS.read_text() if RESULTS.exists() else "# Measured results\n\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.M | re.S)
    text = (
        pattern.sub(lambda _: body + "\n", text, count=1)
        if pattern.search(text)
        else text.rstrip() + "\n\n" + body
    )
    RESULTS.write_text(text.rstrip() + "\n")
    print(body)
