"""The file of golden cases; the runtime reads the same format (`runtime.c`).

It has a section for each entry: a header of 64 bytes; a bound for each output; then for each
case its inputs, its outputs and, for each level that is recorded, samples of what each kernel
of that level writes.
All begin at multiples of 64.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from devproc.bundle.golden.cases import Bound, Case
from devproc.ir.dtypes import ALIGNMENT

_HEADER = struct.Struct("<8sIIQQI28x")
_MAGIC, _VERSION = b"DPGOLDEN", 2

SAMPLES = 256
"""Most elements of a kernel's operand that are kept; they are evenly spread."""


def golden_section(
    identity: int,
    bounds: Sequence[Bound],
    cases: Sequence[Case],
    kernels: Mapping[int, Sequence[Sequence[bytes]]],
) -> bytes:
    """The bytes of an entry's section.

    `kernels` has the samples of each case by the number of the level whose code wrote them.
    """
    parts = [b"".join(struct.pack("<dd", b.relative, b.absolute) for b in bounds)]
    for number, case in enumerate(cases):
        parts += [array.tobytes() for array in (*case.inputs, *case.outputs)]
        for level in sorted(kernels):
            parts += kernels[level][number]
    content = b"".join(map(_padded, parts))
    header = _HEADER.pack(
        _MAGIC,
        _VERSION,
        len(cases),
        identity,
        _HEADER.size + len(content),
        sum(1 << level for level in kernels),
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


def recorded_levels(data: NDArray[np.uint8]) -> list[int]:
    """The numbers of the levels that the content of a file has samples of."""
    if len(data) < _HEADER.size:
        return []
    levels = _HEADER.unpack_from(data.tobytes())[5]
    return [number for number in range(32) if levels >> number & 1]
