"""The state of a program: mutated buffers of its model, kept from call to call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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

    A state has one place, which a call updates, where the compiler has proven that such a
    call cannot fail once it has begun. Every other state has two: a call reads one buffer
    and writes the other, and they are swapped after it. So nothing is copied, and a call
    that fails leaves the state as it was. Calls of a program with state are serialised; a
    thread that needs its own state loads its own program. A state that only one device
    reads and writes lies on that device from the first call on.

    A signal handler that interrupts a call reads states from before the call, or states in
    place from after it, never halfway; changing the state raises BusyError there. A fork
    waits for a call of another thread that updates a state in place; otherwise the child
    continues with the state from before that call.
    """

    def __init__(
        self,
        specs: Sequence[TensorSpec],
        weights: WeightTable,
        in_place: Collection[int] = (),
    ):
        self._specs = {spec.name: spec for spec in specs}
        self._initial = [weights.array(spec.name) for spec in specs]
        self._in_place = in_place
        self._all = range(len(specs))
        self._apart = [number for number in self._all if number not in in_place]
        """The states with two places."""
        self._current: list[Memory] = list(self._initial)
        self._next: list[Memory] = list(self._initial)
        """The second place of each state; of a state in place, the only one."""
        for number in self._apart:
            self._current[number] = _empty_like(self._initial[number])
            self._next[number] = _empty_like(self._initial[number])
        self._calls = OneCallAtATime("the state of this program", bool(in_place))
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
            second = current if index in self._in_place else make()
            self._current[index], self._next[index] = current, second

    def copy_from(self, other: ProgramState) -> None:
        """Copies the values of another state of the same program."""
        values = {number: other._read(number) for number in range(len(other))}
        self._calls.run(self._assign, values)

    def _read(self, index: int) -> Array:
        # A handler runs between the native calls of its thread, never in one.
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
            if index in self._in_place and isinstance(place, np.ndarray):
                # No call knows the address of the last one.
                place = current[index] = after[index] = _empty_like(place)
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
        if self._in_place and self._apart:
            return partial(self._calls.run, self._run_mixed, run)
        return partial(self._calls.run, self._run, run, _addresses)

    def around_tensors(self, run: Callable[..., None]) -> Callable[..., None]:
        """A run on tensors that appends the states to the inputs and the outputs."""
        return partial(self._calls.run, self._run, run, self._tensors)

    def _run(
        self,
        run: Callable[..., None],
        given_as: Callable[[Sequence[Any], Sequence[int]], Sequence[Any]],
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        *observe: Any,
    ) -> None:
        before = given_as(self._current, self._all)
        after = given_as(self._next, self._apart)
        run([*inputs, *before], [*outputs, *after], *observe)
        self._current, self._next = self._next, self._current

    def _run_mixed(
        self, run: Callable[..., None], inputs: Sequence[int], outputs: Sequence[int]
    ) -> None:
        """A call that also updates states in place: the others are swapped whenever it has
        done so, even if a signal handler ends it with an exception.
        """
        before = _addresses(cast("list[Array]", self._current), self._all)
        after = _addresses(cast("list[Array]", self._next), self._apart)
        finished: list[None] = []
        try:
            run([*inputs, *before], [*outputs, *after], finished)
        finally:
            if finished:
                self._current, self._next = self._next, self._current

    def _tensors(
        self, memories: Sequence[Memory], numbers: Sequence[int]
    ) -> list[Buffer]:
        from devproc.runtime.calls.tensors import as_torch

        dtypes = [spec.dtype for spec in self._specs.values()]
        found = [(memories[number], dtypes[number]) for number in numbers]
        return [
            as_torch(memory, dtype) if isinstance(memory, np.ndarray) else memory.buffer
            for memory, dtype in found
        ]


def _addresses(arrays: Sequence[Array], numbers: Sequence[int]) -> list[int]:
    return [address_of(arrays[number]) for number in numbers]


def _empty_like(array: Array) -> Array:
    memory = aligned_bytes(array.nbytes).view(array.dtype)
    return cast(Array, memory.reshape(array.shape))
