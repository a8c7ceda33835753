"""The file of weights: a header, then each array at a multiple of 64 bytes.

The header has 64 bytes: the word `DPWEIGHT`, the size of the file, 16 unused bytes, and the
SHA-256 of what follows it. The runtime compares that with the one in its code.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.weights.table import WeightTable

_HEADER = struct.Struct("<8sQ16x32s")
_MAGIC = b"DPWEIGHT"


@dataclass(frozen=True)
class PackedWeights:
    """The bytes of the file, and where in it each weight of each table lies.

    `sizes` has the bytes of each place.
    """

    data: bytes
    offsets: Sequence[Mapping[str, int]]
    sizes: Mapping[int, int]

    @property
    def digest(self) -> bytes:
        """The SHA-256 of what follows the header."""
        return self.data[32 : _HEADER.size]


def pack_weights(
    wanted: Iterable[tuple[WeightTable, Iterable[str]]],
) -> PackedWeights:
    """The weights of these names in tables, in their order; equal ones lie in one place."""
    content, offsets = bytearray(), list[dict[str, int]]()
    places, sizes = dict[bytes, int](), dict[int, int]()
    for table, names in wanted:
        offsets.append({})
        for name in names:
            data = np.ascontiguousarray(table.array(name)).tobytes()
            key = hashlib.sha256(data).digest()
            if key not in places:
                places[key] = _HEADER.size + len(content)
                content += data + bytes(-len(data) % ALIGNMENT)
                sizes[places[key]] = len(data)
            offsets[-1][name] = places[key]
    digest = hashlib.sha256(content).digest()
    header = _HEADER.pack(_MAGIC, _HEADER.size + len(content), digest)
    return PackedWeights(header + bytes(content), offsets, sizes)
