# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""Bounds checks of an interpreted kernel: accesses outside of its arguments are errors.

On a GPU the masks of a kernel keep it in bounds; the interpreter verifies that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from devproc.errors import BoundsError
from devproc.targets.triton.traffic import Traffic, current


@dataclass(frozen=True)
class KernelMemory:
    """The memory of the arguments of a running kernel."""

    kernel: str
    pieces: tuple[tuple[int, int], ...]
    """The first byte of each argument, and the byte after its last."""
    traffic: Traffic | None = None
    """Where accesses are counted; None if they are not."""

    @staticmethod
    def of(kernel: str, tensors: Sequence[Any]) -> KernelMemory:
        """The memory of contiguous tensors."""
        spans = ((t.data_ptr(), t.numel() * t.element_size()) for t in tensors)
        pieces = tuple((at, at + size) for at, size in spans)
        counting = current()
        if counting is None:
            return KernelMemory(kernel, pieces)
        sizes = [end - begin for begin, end in pieces]
        return KernelMemory(kernel, pieces, counting.traffic(kernel, sizes))

    def check(self, what: str, pointers: Any, mask: Any) -> None:
        """Raises BoundsError for a pointer outside of all arguments in an active lane."""
        size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
        lanes = np.broadcast_to(mask.data, pointers.data.shape).astype(bool)
        addresses = pointers.data[lanes].astype(np.uint64)
        if not addresses.size:
            return
        first, last = int(addresses.min()), int(addresses.max()) + size
        for number, (begin, end) in enumerate(self.pieces):
            if begin <= first and last <= end:
                self.count(what, number, addresses - np.uint64(begin), size)
                return
        inside = np.zeros(addresses.shape, bool)
        for begin, end in self.pieces:
            inside |= (addresses >= begin) & (addresses + np.uint64(size) <= end)
        if inside.all():
            return
        begin, end = min(self.pieces, key=lambda piece: abs(piece[0] - first))
        raise BoundsError(
            f"kernel '{self.kernel}': {what} of {int((~inside).sum())} elements outside "
            f"of its arguments, {int(addresses[~inside][0]) - begin} bytes from the "
            f"beginning of one of {end - begin}; nothing outside was read or written. "
            "No input may lead here: it is a fault of the kernel's masks. Report it with "
            'program.ir("triton-source")'
        )

    def count(self, what: str, argument: int, offsets: Any, size: int) -> None:
        """Counts an access of one program to an argument."""
        if self.traffic is not None:
            kinds = (self.traffic.loads, self.traffic.stores)
            touched = kinds[what != "a load"][argument]
            touched.add(offsets.astype(np.int64)[None], size)


def checked_builder(builder: Any, memory: Callable[[], KernelMemory | None]) -> None:
    """Makes an interpreter's builder check the addresses of loads, stores and atomics."""

    def check(name: str, what: str, pointers: int, mask: int) -> None:
        """The method of this name takes pointers and mask at these positions."""
        method = getattr(builder, name)

        def checked(self: Any, *args: Any) -> Any:
            running = memory()
            if running is not None:
                running.check(what, args[pointers], args[mask])
            return method(self, *args)

        setattr(builder, name, checked)

    check("create_masked_load", "a load", 0, 1)
    check("create_masked_store", "a store", 0, 2)
    check("create_atomic_rmw", "an atomic operation", 1, 3)
