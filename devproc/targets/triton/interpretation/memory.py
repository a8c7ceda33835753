# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""The memory of an interpreted kernel: accesses outside of its arguments are errors.

On a GPU the masks of a kernel keep it in bounds; the interpreter verifies that.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from devproc.errors import BoundsError
from devproc.targets.triton.interpretation.traffic import Touched, Traffic, current


@dataclass(frozen=True)
class Piece:
    """The memory of one argument."""

    begin: int
    data: Any
    """Its bytes."""

    @property
    def end(self) -> int:
        """The address after the last byte."""
        return self.begin + len(self.data)

    def elements(self, dtype: Any) -> Any:
        """Its elements of a type."""
        count = len(self.data) // dtype.itemsize
        return self.data[: count * dtype.itemsize].view(dtype)


@dataclass
class KernelMemory:
    """The memory of the arguments of a running kernel."""

    kernel: str
    pieces: tuple[Piece, ...]
    traffic: Traffic | None = None
    """Where accesses are counted; None if they are not."""
    programs: int = 1
    """How many programs run together."""

    @staticmethod
    def of(kernel: str, tensors: Sequence[Any]) -> KernelMemory:
        """The memory of contiguous tensors."""
        spans = ((t.data_ptr(), t.numel() * t.element_size()) for t in tensors)
        pieces = tuple(piece_at(*span) for span in spans)
        counting = current()
        if counting is None:
            return KernelMemory(kernel, pieces)
        sizes = [len(piece.data) for piece in pieces]
        return KernelMemory(kernel, pieces, counting.traffic(kernel, sizes))

    def load(self, pointers: Any, active: Any, other: Any, dtype: Any) -> Any:
        """The elements at these addresses, `other` in lanes that are not active.

        The arrays have one shape. Raises BoundsError for an active lane outside of all
        arguments.
        """
        piece = self.piece("a load", pointers, active, dtype.itemsize)
        if piece is None:
            return np.array(np.broadcast_to(other, pointers.shape))
        is_full = active.all()
        loaded = piece.elements(dtype).take(places(pointers, active, piece, dtype))
        return loaded if is_full else np.where(active, loaded, other)

    def store(self, pointers: Any, active: Any, data: Any) -> None:
        """Writes the active lanes; otherwise like `load`."""
        piece = self.piece("a store", pointers, active, data.dtype.itemsize)
        if piece is not None:
            index = places(pointers, active, piece, data.dtype)
            piece.elements(data.dtype)[index[active]] = data[active]

    def piece(self, what: str, pointers: Any, active: Any, size: int) -> Piece | None:
        """The argument that the active lanes access; None if no lane is active."""
        addresses = pointers if active.all() else pointers[active]
        if not addresses.size:
            return None
        is_load = what == "a load"
        first, last = int(addresses.min()), int(addresses.max()) + size
        for number, piece in enumerate(self.pieces):
            if piece.begin <= first and last <= piece.end:
                if self.traffic is not None:
                    touched = self.traffic.loads if is_load else self.traffic.stores
                    self.count(touched[number], piece, pointers, active, size)
                return piece
        near = min(self.pieces, key=lambda piece: abs(piece.begin - first))
        outside = (addresses < near.begin) | (addresses + np.uint64(size) > near.end)
        raise BoundsError(
            f"kernel '{self.kernel}': {what} of {int(outside.sum())} elements outside "
            f"of its arguments, {int(addresses[outside][0]) - near.begin} bytes from the "
            f"beginning of one of {len(near.data)}; nothing outside was read or "
            "written. No input may lead here: it is a fault of the kernel's masks. "
            'Report it with program.ir("triton-source")'
        )

    def count(
        self, touched: Touched, piece: Piece, pointers: Any, active: Any, size: int
    ) -> None:
        """Counts an access of all programs that run together."""
        offsets = (pointers - np.uint64(piece.begin)).view(np.int64)
        offsets = np.where(active, offsets, -1)
        # What does not depend on the program is one row, and accessed by each.
        touched.add(np.repeat(offsets, self.programs // len(offsets), axis=0), size)


def piece_at(begin: int, size: int) -> Piece:
    """The memory of `size` bytes at an address."""
    if not size:
        return Piece(begin, np.empty(0, np.uint8))
    array = (ctypes.c_uint8 * size).from_address(begin)
    return Piece(begin, np.ctypeslib.as_array(array))


def places(pointers: Any, active: Any, piece: Piece, dtype: Any) -> Any:
    """The positions of addresses in the elements of a piece; any in inactive lanes."""
    offsets = (pointers - np.uint64(piece.begin)).view(np.int64)
    offsets >>= shift_of(dtype.itemsize)
    if not active.all():
        offsets *= active
    return offsets


@cache
def shift_of(size: int) -> int:
    """The binary logarithm of an element's size."""
    return size.bit_length() - 1
