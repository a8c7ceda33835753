"""The state of a program: mutated buffers of its model, kept from call to call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from devproc.errors import DevProcError, InputError
from devproc.ir.concurrency.locks import OneCallAtATime
from devproc.ir.weights.aligned import address_of, aligned_bytes
from devproc.runtime.calls.interface import TensorSpec, check_array

if TYPE_CHECKING:
    from devproc.backend.backend import Buffer
    from devproc.ir.weights.table import WeightTable

Array = NDArray[np.generic]


@dataclass(frozen=True)
class DeviceMemory:
    """Memory of a device for one state; its methods return when they are done."""

    buffer: Buffer
    read: Callable[[], Array]
    """A copy of the value, in memory of the host."""
    write: Callable[[Array], None]


Memory = Array | DeviceMemory
"""Memory of a state, in that of the host or of a device."""


class ProgramState(Mapping[str, Array]):
    """The states of one program by name: read a copy, assign a new value, reset.

    Each state is double-buffered: a call reads one buffer and writes the other, and they
    are swapped after it. So nothing is copied, and a call that fails leaves the state as it
    was. Calls of a program with state are serialised; a thread that needs its own state
    loads its own program. A state that only one device reads and writes lies on that device
    from the first call on.

    A signal handler that interrupts a call reads the state from before the call; changing
    the state raises BusyError there. A forked child continues with the state from before a
    call that another thread is in.
    """

    def __init__(self, specs: Sequence[TensorSpec], weights: WeightTable):
        self._specs = {spec.name: spec for spec in specs}
        self._initial = [weights.array(spec.name) for spec in specs]
        self._current: list[Memory] = [_empty_like(array) for array in self._initial]
        self._next: list[Memory] = [_empty_like(array) for array in self._initial]
        self._calls = OneCallAtATime("the state of this program")
        self.reset()

    def reset(self) -> None:
        """Resets every state to its initial value, that of the exported buffer."""
        self._calls.run(self._assign, dict(enumerate(self._initial)))

    def place(self, name: str, make: Callable[[], DeviceMemory]) -> None:
        """Moves a state with its value to memory of a device, where calls read and write it."""
        index = list(self._specs).index(name)
        with self._calls.held:
            current = make()
            current.write(self._read(index))
            self._current[index], self._next[index] = current, make()

    def copy_from(self, other: ProgramState) -> None:
        """Copies the values of another state of the same program."""
        values = {number: other._read(number) for number in range(len(other))}
        self._calls.run(self._assign, values)

    def _read(self, index: int) -> Array:
        # No call writes to the current buffer, so its own thread may read meanwhile.
        with self._calls.held:
            current = self._current[index]
            if isinstance(current, np.ndarray):
                return current.copy()
            # A device has no unsigned integers.
            return current.read().view(self._initial[index].dtype)

    def _assign(self, values: Mapping[int, Array]) -> None:
        """Assigns all values or none, even if interrupted: fills spare buffers, then swaps."""
        current, after = list(self._current), list(self._next)
        for index, value in values.items():
            place = after[index]
            if isinstance(place, np.ndarray):
                place[...] = value
            else:
                place.write(value)
            current[index], after[index] = after[index], current[index]
        self._current, self._next = current, after

    def __getitem__(self, name: str) -> Array:
        """A copy of a state; bfloat16, which NumPy lacks, becomes float32."""
        spec, index = self._find(name)
        value = self._read(index)
        if spec.dtype != "bfloat16":
            return value
        from devproc.runtime.calls.tensors import as_torch, to_numpy

        return to_numpy(as_torch(value, spec.dtype))

    def __setitem__(self, name: str, value: object) -> None:
        """Assign an array or a torch tensor; raises InputError if it does not fit."""
        spec, index = self._find(name)
        if spec.dtype == "bfloat16" or type(value).__module__.startswith("torch"):
            from devproc.reference.conversion.arrays import to_numpy
            from devproc.runtime.calls.tensors import check_tensors

            (tensor,) = check_tensors([spec], [value])
            found: Array | str = to_numpy(tensor)
        else:
            found = check_array(spec, value)
        if isinstance(found, str):
            raise InputError(found)
        self._calls.run(self._assign, {index: found})

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __repr__(self) -> str:
        return f"<state {'; '.join(map(str, self._specs.values()))}>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuses `copy.copy`, `copy.deepcopy` and `pickle`."""
        raise DevProcError(
            "the state belongs to its program: dict(program.state) has copies of the "
            "values, which can be kept and assigned again"
        )

    def _find(self, name: str) -> tuple[TensorSpec, int]:
        if name not in self._specs:
            listed = "; ".join(map(str, self._specs.values())) or "none"
            raise InputError(f"no state '{name}'. The states are {listed}")
        return self._specs[name], list(self._specs).index(name)

    def around_native(
        self, run: Callable[[Sequence[int], Sequence[int]], None]
    ) -> Callable[[Sequence[int], Sequence[int]], None]:
        """A run on addresses that appends the states to the inputs and the outputs."""
        # No function in between: a call of a small program is all overhead.
        return partial(self._calls.run, self._run, run, _addresses)

    def around_tensors(self, run: Callable[..., None]) -> Callable[..., None]:
        """A run on tensors that appends the states to the inputs and the outputs."""
        return partial(self._calls.run, self._run, run, self._tensors)

    def _run(
        self,
        run: Callable[..., None],
        given_as: Callable[[Sequence[Any]], Sequence[Any]],
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        *observe: Any,
    ) -> None:
        before, after = given_as(self._current), given_as(self._next)
        run([*inputs, *before], [*outputs, *after], *observe)
        self._current, self._next = self._next, self._current

    def _tensors(self, memories: Sequence[Memory]) -> list[Buffer]:
        from devproc.runtime.calls.tensors import as_torch

        specs = self._specs.values()
        return [
            as_torch(m, spec.dtype) if isinstance(m, np.ndarray) else m.buffer
            for m, spec in zip(memories, specs, strict=True)
        ]


def _addresses(arrays: Sequence[Array]) -> list[int]:
    return [address_of(array) for array in arrays]


def _empty_like(array: Array) -> Array:
    memory = aligned_bytes(array.nbytes).view(array.dtype)
    return cast(Array, memory.reshape(array.shape))
