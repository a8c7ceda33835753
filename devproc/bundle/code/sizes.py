"""What the bytes of a bundle's code are spent on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from devproc.bundle.code.elf import function_sizes, loaded_bytes

_PIECE = re.compile(r"_parallel_\d+(_chunk)?$")
"""The end of the name of a parallel loop's body, a function of its own."""


@dataclass(frozen=True)
class CodeSizes:
    """Bytes of machine code by kernel, of the launches, and of the C runtime; and of data.

    `tables` are the constants: descriptions, steps, operands, texts, and those of kernels.
    """

    kernels: Mapping[str, int]
    launches: int
    runtime: int
    tables: int


def code_sizes(data: bytes, kernels: Iterable[str], steps: Iterable[str]) -> CodeSizes:
    """The sizes of an ELF object; `kernels` are functions, `steps` those that call them."""
    sizes = dict.fromkeys(kernels, 0)
    entries = {f"{step}_entry" for step in steps} | set(steps)
    launches = runtime = 0
    for name, size in function_sizes(data):
        kernel = name if name in sizes else _PIECE.sub("", name)
        if kernel in sizes:
            sizes[kernel] += size
        elif name in entries:
            launches += size
        else:
            runtime += size
    return CodeSizes(sizes, launches, runtime, loaded_bytes(data, code=False))
