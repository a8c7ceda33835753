"""The host program as plain data: slots of memory, and steps over them in order.

`host_reader` reads it from the last stage; it is small enough to travel as JSON in a
bundle, and runs without xDSL.
"""

from __future__ import annotations

from dataclasses import dataclass

from devproc.ir.dtypes import ITEM_SIZES, element_count


@dataclass(frozen=True)
class Slot:
    """Memory that a step reads or writes.

    `kind`: "input" or "output" (`index` counts them), "weight" (`key`), "buffer"
    (`offset` bytes into the device's arena), "slice": in the round `i` of a loop, the
    element `offset + i * stride` of the slot `index`, "carried": handed on by a loop, or
    "view": of the carried slot `index`. Other views are slots of their own shape over the
    same memory.
    """

    kind: str
    device: str
    dtype: str
    shape: tuple[int, ...]
    index: int = -1
    key: str = ""
    offset: int = 0
    stride: int = 0

    @property
    def byte_count(self) -> int:
        """Bytes of the slot's tensor; of an input or output, of one part of it."""
        return element_count(self.shape) * ITEM_SIZES[self.dtype]


@dataclass(frozen=True)
class Step:
    """One action of the host: "launch", "copy", "sync" or "loop".

    A launch on the device "host" calls a function that PyTorch runs. A loop runs its
    `body` `rounds` times, and `slots` are the slices and views that move. `carried` are the
    slots that it hands on: at first, in a round, for the next round, and after the last.
    """

    kind: str
    device: str
    symbol: str = ""
    slots: tuple[int, ...] = ()
    byte_count: int = 0
    kernels: tuple[str, ...] = ()
    where: str = ""
    body: tuple[Step, ...] = ()
    rounds: int = 0
    carried: tuple[tuple[int, int, int, int], ...] = ()


@dataclass(frozen=True, repr=False)
class HostProgram:
    """Arena sizes by device, slots and steps; all of it once for each part of a batch.

    Inputs and outputs are slots of one part: an equal share of the tensors of a call.
    """

    arenas: dict[str, int]
    slots: tuple[Slot, ...]
    steps: tuple[Step, ...]
    parts: int = 1

    def __repr__(self) -> str:
        return f"<HostProgram {len(self.steps)} steps over {len(self.slots)} slots>"
