"""A program with several entries, which share their weights and their states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NoReturn, Protocol, TypeVar

import numpy as np

from devproc.errors import CompileError, DevProcError, InputError, counted
from devproc.ir.devices import HOST
from devproc.ir.weights.aligned import address_of
from devproc.ir.weights.table import Array, WeightTable
from devproc.runtime.bundles.artifact import Artifact, Compiled
from devproc.runtime.bundles.summary import format_bytes
from devproc.runtime.calls.interface import TensorSpec
from devproc.runtime.execution.state import ProgramState

if TYPE_CHECKING:
    from devproc.runtime.program import RunnableProgram
    from devproc.timings import StageRecord

P = TypeVar("P", bound="RunnableProgram", covariant=True)


class MakeProgram(Protocol[P]):
    """The class of the programs of entries."""

    def __call__(
        self,
        artifact: Artifact,
        weights: WeightTable,
        timings: list[StageRecord],
        shared: ProgramState,
        /,
    ) -> P:
        """The program of one entry, on states that it shares."""
        ...


class Entries(Mapping[str, P], Generic[P]):
    """A program with several entries, by name: each is a program of its own.

    `program["decode"](token)` calls an entry. Equal weights are in memory once, and a state
    is one tensor for all entries that have a state of its name; calls of all entries run one
    after another. An unknown entry raises InputError with the names of all; a copy or a
    pickle raises DevProcError.
    """

    def __init__(
        self,
        programs: Mapping[str, P],
        state: ProgramState,
        properties: Mapping[str, object],
    ):
        self._programs = dict(programs)
        self.properties = dict(properties)
        """Plain data that is saved with the program, for the code around it."""
        self.state = state
        """The states of all entries by name: arrays of their declared shapes and dtypes,
        bfloat16 as float32. Reading gives a copy; an assignment that does not fit raises
        InputError.
        """

    def __getitem__(self, name: str) -> P:
        """The program of an entry; raises InputError naming those that there are."""
        if name not in self._programs:
            listed = ", ".join(map(repr, self._programs))
            raise InputError(f"no entry {name!r}; the entries are {listed}")
        return self._programs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._programs)

    def __len__(self) -> int:
        return len(self._programs)

    def __contains__(self, name: object) -> bool:
        return name in self._programs

    def __repr__(self) -> str:
        return f"<Entries {', '.join(self._programs)}>"

    def __str__(self) -> str:
        """Each entry with its inputs and outputs, the states, and the shared weights."""
        tables = [program.weights for program in self.values()]
        alone = sum(table.byte_count() for table in tables)
        lines = [f"entry {name}: {p.summary}" for name, p in self.items()]
        lines += [
            f"together: {counted(len(self.state), 'state')}, "
            f"{format_bytes(_bytes_once(tables))} of weights ({format_bytes(alone)} apart)"
        ]
        return "\n".join(lines)

    def reset(self, *names: str) -> None:
        """Resets the states of these names to their initial values; all without names.

        Raises InputError for a name that no state has.
        """
        self.state.reset(*names)

    def save(
        self, path: str | Path, *, key: bytes | None = None, report: bool = False
    ) -> None:
        """Writes all entries, with weights that they share once, into one file.

        The options are those of `Program.save`. Raises BundleError where it cannot be
        written.
        """
        from devproc.runtime.bundles.bundle import save_entries

        save_entries(self._programs, self.properties, Path(path), key, report)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuses `copy.copy`, `copy.deepcopy` and `pickle`."""
        raise DevProcError(
            "a compiled program cannot be copied or pickled; write it with "
            "program.save(path) and read it with devproc.load_entries(path)"
        )


def join_entries(
    found: Mapping[str, Compiled],
    make: MakeProgram[P],
    properties: Mapping[str, object] | None = None,
) -> Entries[P]:
    """One program of compiled entries; with the properties of one that was saved, whose
    weights are shared already.

    Raises CompileError with all problems: states of one name that differ, in dtype, shape,
    first value or device.
    """
    problems = _name_problems(found) or _state_problems(found)
    if problems:
        raise CompileError("the entries do not fit together: " + "; ".join(problems))
    tables = [one.weights for one in found.values()]
    if properties is None:
        tables = share_weights(tables)
    firsts = _first_states(found)
    initial = WeightTable()
    for name, (entry, _) in firsts.items():
        initial.update(found[entry].weights.subset([name]))
    state = ProgramState([spec for _, spec in firsts.values()], initial)
    programs = {
        name: make(one.artifact, table, one.records, state)
        for (name, one), table in zip(found.items(), tables, strict=True)
    }
    return Entries(programs, state, properties or {})


def share_weights(tables: Sequence[WeightTable]) -> list[WeightTable]:
    """The same tables, with equal weights of several tables in the same memory."""
    known: dict[object, list[Array]] = {}
    result: list[WeightTable] = []
    for table in tables:
        shared = WeightTable()
        for name in table:
            array, dtype = table.array(name), table.dtype(name)
            # Weights of one shape are many; samples tell nearly all of them apart.
            key = (
                dtype,
                array.shape,
                array.reshape(-1)[:: array.size // 8 or 1].tobytes(),
            )
            same = known.setdefault(key, [])
            first = next((a for a in same if _equal_bits(a, array)), None)
            if first is None:
                same.append(array)
            shared.add(name, array if first is None else first, dtype)
        result.append(shared)
    return result


def _equal_bits(a: Array, b: Array) -> bool:
    if address_of(a) == address_of(b):
        return True
    first, second = (np.ascontiguousarray(x).reshape(-1).view(np.uint8) for x in (a, b))
    return bool(np.array_equal(first, second))


def _bytes_once(tables: Sequence[WeightTable]) -> int:
    arrays = {
        (address_of(a), a.nbytes) for table in tables for a in map(table.array, table)
    }
    return sum(size for _, size in arrays)


def _first_states(
    found: Mapping[str, Compiled],
) -> dict[str, tuple[str, TensorSpec]]:
    """Each state with the first entry that has it."""
    firsts: dict[str, tuple[str, TensorSpec]] = {}
    for entry, one in found.items():
        for spec in one.artifact.interface.states:
            firsts.setdefault(spec.name, (entry, spec))
    return firsts


def _name_problems(found: Mapping[str, Compiled]) -> list[str]:
    if not found:
        return ["there is none"]
    wrong = [name for name in found if not name.isidentifier()]
    return [f"{name!r} is no name of an entry: use an identifier" for name in wrong]


def _state_problems(found: Mapping[str, Compiled]) -> list[str]:
    problems: list[str] = []
    firsts = _first_states(found)
    for entry, one in found.items():
        for spec in one.artifact.interface.states:
            first, known = firsts[spec.name]
            other = found[first]
            both = f"state '{spec.name}' of '{first}' and '{entry}'"
            if (spec.dtype, spec.shape) != (known.dtype, known.shape):
                problems.append(f"{both}: {known} and {spec}")
            elif not _equal_bits(
                other.weights.array(spec.name), one.weights.array(spec.name)
            ):
                problems.append(f"{both}: their first values differ")
            else:
                places = [state_device(x.artifact, spec.name) for x in (other, one)]
                if places[0] != places[1]:
                    where = " and ".join(places)
                    problems.append(f"{both}: they are on {where}; place them alike")
    return problems


def state_device(artifact: Artifact, name: str) -> str:
    """The device on which a program keeps a state."""
    interface = artifact.interface
    number = [spec.name for spec in interface.states].index(name)
    index = len(interface.inputs) + number
    kinds = ("input", "state")
    slots = (s for s in artifact.host.slots if s.kind in kinds and s.index == index)
    return next((slot.device for slot in slots), HOST)
