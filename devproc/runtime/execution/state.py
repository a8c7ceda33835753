"""The state of a program: mutated buffers of its model, kept from call to call."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Container,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from devproc.errors import DevProcError, InputError
from devproc.ir.concurrency.locks import ForkSafeLock, OneCallAtATime
from devproc.ir.concurrency.signals import signals_deferred
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.weights.aligned import Bytes, address_of, aligned_bytes
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
    """The states of a program by name: read a copy, assign a new value, reset.

    The entries of a program share its states, and each takes those that it names.

    A state has one place, which a call updates, where the compiler has proven for all
    entries that such a call cannot fail once it has begun. Every other state has two: a call
    reads one buffer and writes the other, and they are swapped after it, or updates the
    first, by an entry that can. So nothing is copied, and a call
    that fails leaves the state as it was. Calls of a program with state are serialised; a
    thread that needs its own state loads its own program. A state that only one device
    reads and writes lies on that device from the first call on.

    A signal handler that interrupts a call reads states from before the call, or states in
    place from after it, never halfway; changing the state raises BusyError there. A fork
    waits for a call of another thread that updates a state in place; otherwise the child
    continues with the state from before that call.
    """

    def __init__(self, specs: Sequence[TensorSpec], weights: WeightTable):
        self._specs = {spec.name: spec for spec in specs}
        self._initial = [weights.array(spec.name) for spec in specs]
        self._current: list[Memory] = list(self._initial)
        self._next: list[Memory] = list(self._initial)
        """The second place of each state; the only one, where no entry needs another."""
        self._make: dict[int, Callable[[], DeviceMemory]] = {}
        """How memory is made for a state that is on a device."""
        self._calls = OneCallAtATime("the state of this program")
        self._updating = ForkSafeLock()
        """Held while a call updates states, but not between calls in a row."""
        self.reset()

    def reset(self, *names: str) -> None:
        """Resets states to their initial values, those of the exported buffers.

        `names`: those of states or of models in a pipeline, all of whose states are meant;
        every state without names. Raises InputError for an unknown name.
        """
        numbers = range(len(self))
        if names:
            wanted = dict.fromkeys(found for name in names for found in self._of(name))
            numbers = self._numbers(wanted)
        self._calls.run(self._assign, {n: self._initial[n] for n in numbers})

    def _of(self, name: str) -> list[str]:
        """The state of a name, or those of a model of this name."""
        own = [known for known in self._specs if known.startswith(f"{name}.")]
        return own or [self._find(name)[0].name]

    def _numbers(self, names: Iterable[str]) -> list[int]:
        places = {name: number for number, name in enumerate(self._specs)}
        return [places[name] for name in names]

    def place(self, name: str, make: Callable[[], DeviceMemory]) -> None:
        """Moves a state with its value to memory of a device, where calls read and write it."""
        index = list(self._specs).index(name)
        with self._calls.held:
            if isinstance(self._current[index], DeviceMemory):
                return  # Another entry has moved it.
            has_two = self._next[index] is not self._current[index]
            current = make()
            current.write(self._read(index))
            self._current[index] = current
            self._next[index] = make() if has_two else current
            self._make[index] = make

    def copy_from(self, other: ProgramState) -> None:
        """Copies the values of the states of these names in another program."""
        numbers = other._numbers(self)
        self._calls.run(self._assign, dict(enumerate(map(other._read, numbers))))

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
        # Without a second place: a call is given the address of a new one.
        single = [index for index in values if after[index] is current[index]]
        for index, place in zip(single, self._new_places(single), strict=True):
            current[index] = after[index] = place
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
        """Assigns an array or a torch tensor; raises InputError if it does not fit."""
        self.assign({name: value})

    def assign(self, values: Mapping[str, object]) -> None:
        """Assigns several states, all or none; raises InputError for what does not fit."""
        found = {
            self._find(name)[1]: self._checked(name, values[name]) for name in values
        }
        self._calls.run(self._assign, found)

    def _checked(self, name: str, value: object) -> Array:
        spec, _ = self._find(name)
        if spec.dtype == "bfloat16" or type(value).__module__.startswith("torch"):
            from devproc.reference.conversion.arrays import to_numpy
            from devproc.runtime.calls.tensors import check_tensors

            (tensor,) = check_tensors([spec], [value])
            found: Array | str = to_numpy(tensor)
        else:
            found = check_array(spec, value)
        if isinstance(found, str):
            raise InputError(found)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __contains__(self, name: object) -> bool:
        return name in self._specs

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
        self,
        run: Callable[..., None],
        names: Sequence[str] | None = None,
        in_place: Container[str] = (),
    ) -> Callable[[Sequence[int], Sequence[int]], None]:
        """A run on addresses that appends states to the inputs and the outputs: those of
        these names, or all. It updates those of `in_place`, which are inputs alone.
        """
        numbers, apart = self._places(names, in_place)
        with self._calls.held:
            self._updating.delays_fork |= len(apart) < len(numbers)
        # No function in between: a call of a small program is all overhead.
        if apart and len(apart) < len(numbers):
            return partial(self._calls.run, self._run_mixed, run, numbers, apart)
        return partial(self._calls.run, self._run, run, numbers, apart, self._address)

    def around_tensors(
        self,
        run: Callable[..., None],
        names: Sequence[str] | None = None,
        in_place: Container[str] = (),
    ) -> Callable[..., None]:
        """The same for a run on tensors."""
        numbers, apart = self._places(names, in_place)
        whole = self._run if len(apart) == len(numbers) else self._run_to_its_end
        return partial(self._calls.run, whole, run, numbers, apart, self._tensor)

    def around_repeat(
        self,
        run: Callable[[Sequence[int], Sequence[int], int], None],
        names: Sequence[str],
    ) -> Callable[[Sequence[int], int], None]:
        """A run of calls in a row on addresses, given the states of these names, which it
        updates in place.
        """
        numbers, _ = self._places(names, names)
        self._updating.delays_fork = True
        return partial(self._calls.run, self._run_repeat, run, numbers)

    def _run_repeat(
        self,
        run: Callable[[Sequence[int], Sequence[int], int], None],
        numbers: Sequence[int],
        outputs: Sequence[int],
        control: int,
    ) -> None:
        states = [self._address(self._current[n], n) for n in numbers]
        done = False
        try:
            with self._updating.held:
                run(states, outputs, control)
                done = True
        except RuntimeError:
            # Between two calls the lock is free: an exception of a signal handler may have
            # come just then.
            if not done:
                raise

    @contextmanager
    def between_calls(self) -> Generator[None]:
        """What is done between two calls in a row, while no state is being updated."""
        self._updating.held.release()
        try:
            yield
        finally:
            self._updating.held.acquire()

    def _places(
        self, names: Sequence[str] | None, in_place: Container[str]
    ) -> tuple[list[int], list[int]]:
        """The numbers of states, and of those among them that get a second place."""
        wanted = list(self) if names is None else names
        apart = self._numbers(name for name in wanted if name not in in_place)
        with self._calls.held:
            single = [n for n in apart if self._next[n] is self._current[n]]
            for number, place in zip(single, self._new_places(single), strict=True):
                self._next[number] = place
        return self._numbers(wanted), apart

    def _new_places(self, numbers: Sequence[int]) -> list[Memory]:
        """Memory for states, where they lie: one block in that of the host, as the system
        has huge pages for large blocks alone."""
        ends = [0]
        for number in numbers:
            size = 0 if number in self._make else self._initial[number].nbytes
            ends.append(ends[-1] + size + -size % ALIGNMENT)
        block = aligned_bytes(ends[-1])
        return [
            self._make[n]()
            if n in self._make
            else _like(self._initial[n], block[begin:])
            for n, begin in zip(numbers, ends[:-1], strict=True)
        ]

    def _run(
        self,
        run: Callable[..., None],
        numbers: Sequence[int],
        apart: Sequence[int],
        given_as: Callable[[Memory, int], Any],
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        *observe: Any,
    ) -> None:
        current, following = self._current, self._next
        before = [given_as(current[n], n) for n in numbers]
        after = [given_as(following[n], n) for n in apart]
        swapped = self._swapped(apart)
        with self._updating.held:
            run([*inputs, *before], [*outputs, *after], *observe)
            self._current, self._next = swapped

    def _run_to_its_end(self, *call: Any) -> None:
        """A call of several steps that updates states in place: signals wait for its end."""
        with signals_deferred():
            self._run(*call)

    def _run_mixed(
        self,
        run: Callable[..., None],
        numbers: Sequence[int],
        apart: Sequence[int],
        inputs: Sequence[int],
        outputs: Sequence[int],
    ) -> None:
        """A native call that also updates states in place: the others are swapped whenever
        it has done so, even if a signal handler ends it with an exception.
        """
        before = [self._address(self._current[n], n) for n in numbers]
        after = [self._address(self._next[n], n) for n in apart]
        swapped, finished = self._swapped(apart), list[None]()
        with self._updating.held:
            try:
                run([*inputs, *before], [*outputs, *after], finished)
            except InputError:
                # Refused by a check: the states in place are as before, too.
                finished.clear()
                raise
            finally:
                if finished:
                    self._current, self._next = swapped

    def _swapped(self, apart: Sequence[int]) -> tuple[list[Memory], list[Memory]]:
        """Both places of all states after a call that swaps some. They are made before the
        call and assigned at once after it: no interrupt can come in between.
        """
        current, following = self._current, self._next
        if len(apart) == len(current):
            return following, current
        if apart:
            current, following = list(current), list(following)
            for n in apart:
                current[n], following[n] = following[n], current[n]
        return current, following

    @staticmethod
    def _address(memory: Any, number: int) -> int:
        return address_of(memory)

    def _tensor(self, memory: Memory, number: int) -> Buffer:
        from devproc.runtime.calls.tensors import as_torch

        if not isinstance(memory, np.ndarray):
            return memory.buffer
        return as_torch(memory, list(self._specs.values())[number].dtype)


def _like(array: Array, memory: Bytes) -> Array:
    """The beginning of a block as an array of this shape and dtype."""
    return cast(Array, memory[: array.nbytes].view(array.dtype).reshape(array.shape))
