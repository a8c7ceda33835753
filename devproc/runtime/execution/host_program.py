"""The host program as plain data: slots of memory, and steps over them in order.

`host_reader` reads it from the last stage. It is stored as JSON in a saved program and
runs without xDSL.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from devproc.ir.dtypes import ALIGNMENT, ITEM_SIZES, element_count


@dataclass(frozen=True)
class Slot:
    """Memory that a step reads or writes.

    `kind`: "input" or "output" (number `index`), "state" (input `index`, which the call
    updates in place), "weight" (named `key`), "buffer" (`offset` bytes into the device's
    arena), "slice" (in iteration `i` of a loop, the element `offset + i * stride` of slot
    `index`), "carried" (a value carried by a loop), "view" (of the carried slot `index`), or
    "staging" (`offset` bytes into the page-locked memory of a call for the device `key`).
    Other views are slots over the same memory with a shape
    of their own.
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
    """One action of the host: "launch", "copy", "sync", "loop", "record" or "wait".

    Launches, copies, records and waits of a device are queued on one of its streams; an
    event has a number. A launch on the device "host" calls a function that PyTorch runs. A loop runs its `body`
    `rounds` times; `slots` are the slices and views that advance with it. Each row of
    `carried` names the slots of a carried value: its initial value, its value in an
    iteration, its value for the next iteration, and its value after the loop.
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
    stream: int = 0
    event: int = -1


@dataclass(frozen=True)
class NativeKernel:
    """A kernel of the host: its operands, and the places in the source of its calls.

    The calls of a run have the places in turn. Those of a kernel in a loop are one place.
    """

    operands: int
    places: tuple[str, ...]


@dataclass(frozen=True)
class Repeat:
    """How a program is called again and again on its states.

    `symbol`: the function of the host's code that does it, `at_most` so many calls; "" where
    the runtime calls one by one. Output `until` is a bool, true for the last call.
    """

    at_most: int
    until: int
    symbol: str = ""


@dataclass(frozen=True, repr=False)
class HostProgram:
    """Arena sizes by device, slots and steps, which run once for each part of a batch.

    Input and output slots are those of one part: an equal share of the tensors of a call.
    """

    arenas: dict[str, int]
    slots: tuple[Slot, ...]
    steps: tuple[Step, ...]
    parts: int = 1
    repeat: Repeat | None = None
    picked: tuple[str, ...] = ()
    """The weights of which a call reads only some elements."""
    kernels: dict[str, NativeKernel] = field(default_factory=dict[str, NativeKernel])
    """The kernels in native segments by name, for traces."""

    @property
    def bytes_read(self) -> int:
        """Bytes of the weights that a call reads as a whole, each once."""
        sizes = {s.key: s.byte_count for s in self.slots if s.kind == "weight"}
        return sum(size for key, size in sizes.items() if key not in self.picked)

    @property
    def updated_inputs(self) -> set[int]:
        """The numbers of the states that a call updates in place, among the inputs."""
        return {slot.index for slot in self.slots if slot.kind == "state"}

    @property
    def weight_names(self) -> set[str]:
        """The weights that launches take."""
        return {slot.key for slot in self.slots if slot.kind == "weight"}

    def staging_bytes(self, device: str) -> int:
        """The page-locked memory that a call takes for copies to and from a device."""
        own = (s for s in self.slots if s.kind == "staging" and s.key == device)
        return max((s.offset + s.byte_count for s in own), default=0)

    def __repr__(self) -> str:
        return f"<HostProgram {len(self.steps)} steps over {len(self.slots)} slots>"


def unaligned_launches(host: HostProgram, device: str) -> set[str]:
    """The functions of a device that loops launch on parts of any alignment.

    Buffers are aligned; an element of one is where its number of bytes puts it.
    """
    todo, found = list(host.steps), set[str]()
    while todo:
        step = todo.pop()
        todo += step.body
        slots = [host.slots[number] for number in step.slots]
        moving = [s for s in slots if s.kind in ("slice", "view", "carried")]
        if step.kind == "launch" and step.device == device:
            if any(slot.byte_count % ALIGNMENT for slot in moving):
                found.add(step.symbol)
    return found
