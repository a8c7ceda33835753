# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""The memory of an interpreted kernel: an access outside of its arguments is an error.

On a GPU masks keep a kernel inside. The interpreter shows that they do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from devproc.errors import BoundsError


@dataclass(frozen=True)
class KernelMemory:
    """Where the arguments of a running kernel lie."""

    kernel: str
    pieces: tuple[tuple[int, int], ...]
    """First byte and the byte behind the last."""

    @staticmethod
    def of(kernel: str, tensors: Sequence[Any]) -> KernelMemory:
        """The memory of contiguous tensors."""
        begins = [tensor.data_ptr() for tensor in tensors]
        sizes = [tensor.numel() * tensor.element_size() for tensor in tensors]
        ends = [begin + size for begin, size in zip(begins, sizes, strict=True)]
        return KernelMemory(kernel, tuple(zip(begins, ends, strict=True)))

    def check(self, what: str, pointers: Any, mask: Any) -> None:
        """Raises BoundsError for a pointer of a set lane that is in none of them."""
        size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
        lanes = np.broadcast_to(mask.data, pointers.data.shape).astype(bool)
        addresses = pointers.data[lanes].astype(np.uint64)
        if not addresses.size:
            return
        first, last = int(addresses.min()), int(addresses.max()) + size
        if any(begin <= first and last <= end for begin, end in self.pieces):
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


def checked_builder(builder: Any, memory: Callable[[], KernelMemory | None]) -> None:
    """Make an interpreter's builder check what it loads and stores."""
    load, store = builder.create_masked_load, builder.create_masked_store
    rmw = builder.create_atomic_rmw

    def check(what: str, pointers: Any, mask: Any) -> None:
        running = memory()
        if running is not None:
            running.check(what, pointers, mask)

    def masked_load(self: Any, pointers: Any, mask: Any, *rest: Any) -> Any:
        check("a load", pointers, mask)
        return load(self, pointers, mask, *rest)

    def masked_store(
        self: Any, pointers: Any, value: Any, mask: Any, *rest: Any
    ) -> Any:
        check("a store", pointers, mask)
        return store(self, pointers, value, mask, *rest)

    def atomic(self: Any, op: Any, pointers: Any, value: Any, mask: Any, *rest: Any):
        check("an atomic operation", pointers, mask)
        return rmw(self, op, pointers, value, mask, *rest)

    builder.create_masked_load, builder.create_masked_store = masked_load, masked_store
    builder.create_atomic_rmw = atomic
