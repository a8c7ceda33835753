"""Records what each kernel of a bundle writes, by running its library in this process."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from devproc.bundle.code.layout import StepRow
from devproc.bundle.golden.cases import Bound, Case
from devproc.bundle.golden.file import samples
from devproc.bundle.interface.library import Array, Library
from devproc.bundle.interface.tensors import DTYPES
from devproc.errors import CompileError
from devproc.ir.dtypes import ITEM_SIZES


def record_kernels(
    library: Library, entry: str, steps: Sequence[StepRow], cases: Sequence[Case]
) -> list[list[bytes]]:
    """The samples of all kernels of an entry, by case; the states begin with their first
    values.
    """
    library.reset()
    recorded: list[list[bytes]] = []
    for case in cases:
        found: list[bytes] = []

        def look(
            step: int, operands: Sequence[int], found: list[bytes] = found
        ) -> None:
            for slot, address in zip(steps[step].slots, operands, strict=True):
                if slot.written:
                    data = ctypes.string_at(address, slot.byte_count)
                    size = ITEM_SIZES[DTYPES[slot.dtype]]
                    found.append(samples(np.frombuffer(data, np.uint8), size))

        library.run(case.inputs, look, entry)
        recorded.append(found)
    return recorded


def require_agreement(
    library: Library, entry: str, cases: Sequence[Case], bounds: Sequence[Bound]
) -> None:
    """Raises CompileError for the first output that is beyond its bound on this machine."""
    library.reset()
    for number, case in enumerate(cases):
        outputs = library.run(case.inputs, entry=entry)
        described = library.description.entry(entry).outputs
        rows = zip(described, outputs, case.outputs, bounds, strict=True)
        for tensor, found, expected, bound in rows:
            off = _furthest(found, expected, bound, tensor.dtype)
            if off is not None:
                place = f"entry '{entry}': " if entry else ""
                raise CompileError(
                    f"{place}golden case {number}: output '{tensor.name}' is {off} from its "
                    "reference, beyond its bound; compare op by op with devproc.verify, or "
                    "give inputs that are not at the border of a decision with inputs="
                )


def _furthest(found: Array, expected: Array, bound: Bound, dtype: str) -> float | None:
    """The largest distance, if it is beyond the bound."""
    if not found.size or found.tobytes() == expected.tobytes():
        return None
    a, b = (_as_double(array, dtype) for array in (found, expected))
    gap = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
    largest = np.abs(b[np.isfinite(b)]).max(initial=0.0)
    worst = float(np.nan_to_num(gap, nan=np.inf).max())
    return worst if worst > bound.relative * largest + bound.absolute else None


def _as_double(
    array: Array, dtype: str
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if dtype == "bfloat16":
        bits = array.astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64)
    return array.astype(np.float64)
