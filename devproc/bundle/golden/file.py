"""The file of golden cases; the runtime reads the same format (`runtime.c`).

It has a section for each entry: a header of 64 bytes; a bound for each output; then for each
case its inputs, its outputs and, where they are recorded, samples of what each kernel writes.
All begin at multiples of 64.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from devproc.bundle.golden.cases import Bound, Case
from devproc.ir.dtypes import ALIGNMENT

_HEADER = struct.Struct("<8sIIQQI28x")
_MAGIC, _VERSION = b"DPGOLDEN", 1

SAMPLES = 256
"""Most elements of a kernel's operand that are kept; they are evenly spread."""


def golden_section(
    identity: int,
    bounds: Sequence[Bound],
    cases: Sequence[Case],
    kernels: Sequence[Sequence[bytes]] | None,
    level: int = 0,
) -> bytes:
    """The bytes of an entry's section.

    `kernels` has the samples of each case, in order, of the code for the level of this
    number.
    """
    parts = [b"".join(struct.pack("<dd", b.relative, b.absolute) for b in bounds)]
    for number, case in enumerate(cases):
        parts += [array.tobytes() for array in (*case.inputs, *case.outputs)]
        if kernels is not None:
            parts += kernels[number]
    content = b"".join(map(_padded, parts))
    header = _HEADER.pack(
        _MAGIC,
        _VERSION,
        len(cases),
        identity,
        _HEADER.size + len(content),
        0 if kernels is None else level + 1,
    )
    return header + content


def samples(data: NDArray[np.uint8], item_size: int) -> bytes:
    """The samples of an operand with these bytes."""
    items = data.reshape(-1, item_size)
    count = min(len(items), SAMPLES)
    chosen = np.arange(count, dtype=np.int64) * len(items) // max(count, 1)
    return items[chosen].tobytes()


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)


def has_kernels(data: NDArray[np.uint8]) -> bool:
    """Whether the content of a file has samples of what kernels write."""
    return len(data) >= _HEADER.size and bool(_HEADER.unpack_from(data.tobytes())[5])
