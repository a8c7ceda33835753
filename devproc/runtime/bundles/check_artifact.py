"""Consistency of a saved program, checked before anything of it runs.

Generated code trusts the addresses that it is given: with an offset beyond the arena, or a
weight smaller than its slot, it would access foreign memory. What the code itself accesses
is not checked here; `devproc.runtime.bundles.bundle_file` ensures that it is the code that
was saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from devproc.backend.installed import backend
from devproc.backend.target import shared_memories
from devproc.errors import CompileError, DevProcError
from devproc.exactness.bound import Measure
from devproc.ir.devices import HOST
from devproc.ir.dtypes import (
    ALIGNMENT,
    DTYPE_NAMES,
    ITEM_SIZES,
    LARGEST_TENSOR,
    element_count,
    format_shape,
)
from devproc.ir.value_check import COLUMNS
from devproc.ir.weights.table import WeightTable
from devproc.runtime.calls.interface import TensorSpec
from devproc.runtime.execution.host_program import Slot, Step
from devproc.runtime.reading.problems import Problems

if TYPE_CHECKING:
    from devproc.runtime.bundles.artifact import Artifact

MOST_THREADS = 1 << 16

MOST_STREAMS = 16

_ONE_BOOL = (("bool", ()), ("bool", (1,)))
"""The dtypes and shapes of the output that ends repeated calls."""


def check_artifact(artifact: Artifact, weights: WeightTable, what: str) -> None:
    """Raises BundleError with all inconsistencies."""
    checker = _Checker(artifact, weights, Problems(what))
    checker.check_numbers()
    checker.check_interface()
    checker.problems.check()
    checker.check_slots()
    checker.problems.check()
    checker.check_steps("host.steps", artifact.host.steps)
    checker.check_repeat()
    checker.check_code()
    checker.problems.check()


@dataclass
class _Checker:
    artifact: Artifact
    weights: WeightTable
    problems: Problems
    memories: frozenset[str] = frozenset({HOST})
    """The devices that the program may use the memory of."""
    launches: dict[str, dict[str, Sequence[str]]] = field(
        default_factory=dict[str, dict[str, Sequence[str]]]
    )
    """Device -> the symbols that it launches, with the dtypes of their buffers."""

    events: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """The events of each device that an earlier step records."""

    def require(self, holds: bool, where: str, message: str) -> None:
        if not holds:
            self.problems.add(where, message)

    def check_numbers(self) -> None:
        """The fields that concern the program as a whole."""
        artifact, require = self.artifact, self.require
        host, threads = artifact.host, artifact.threads
        most = MOST_THREADS
        try:
            self.memories = shared_memories(artifact.devices)
        except CompileError as error:
            self.problems.add("devices", str(error))
        fits = 1 <= threads <= most
        require(fits, "threads", f"must be 1 to {most}, got {threads}")
        require(host.parts >= 1, "host.parts", f"must be 1 or more, got {host.parts}")
        for device, size in host.arenas.items():
            where = f"host.arenas['{device}']"
            self._check_memory(where, device)
            require(0 <= size <= LARGEST_TENSOR, where, f"cannot have {size} bytes")
        measures = [measure.value for measure in Measure]
        for number, bound in enumerate(artifact.exactness):
            where = f"exactness[{number}]"
            require(bound.measure in measures, where, f"unknown '{bound.measure}'")

    def check_interface(self) -> None:
        """Names are unique, dtypes known, shapes valid; states have a value."""
        interface = self.artifact.interface
        self._check_specs("inputs", interface.inputs)
        self._check_specs("outputs", interface.outputs)
        self._check_specs("states", interface.states)
        for spec in interface.states:
            where = f"state '{spec.name}'"
            if spec.name not in self.weights:
                self.problems.add(where, "its first value is missing")
                continue
            shape = self.weights.array(spec.name).shape
            same = (self.weights.dtype(spec.name), shape) == (spec.dtype, spec.shape)
            self.require(same, where, "its first value has another dtype or shape")

    def _check_specs(self, where: str, specs: Sequence[TensorSpec]) -> None:
        names = [spec.name for spec in specs]
        twice = sorted({name for name in names if names.count(name) > 1})
        self.require(not twice, where, f"the names {twice} appear twice")
        for spec in specs:
            place = f"{where} '{spec.name}'"
            if spec.dtype in DTYPE_NAMES:
                self._check_shape(place, spec.dtype, spec.shape)
            else:
                self.problems.add(place, f"unknown dtype '{spec.dtype}'")

    def _check_shape(self, where: str, dtype: str, shape: tuple[int, ...]) -> None:
        size = element_count(shape) * ITEM_SIZES[dtype]
        fits = all(0 <= n <= LARGEST_TENSOR for n in shape) and size <= LARGEST_TENSOR
        self.require(fits, where, f"cannot have the shape {format_shape(shape)}")

    def check_slots(self) -> None:
        """Each slot lies within memory that a call has."""
        interface = self.artifact.interface
        # The report of `check_values` is an output that the user does not see.
        checks = self.artifact.checks
        report = TensorSpec("value checks", "int64", (len(checks), COLUMNS))
        reports = [report] if checks else []
        inputs = (*interface.inputs, *interface.states)
        own = (*interface.outputs, *reports)
        updated = self.artifact.host.updated_inputs
        states = range(len(interface.inputs), len(inputs))
        outside = sorted(updated - set(states))
        self.require(not outside, "host.slots", f"inputs {outside} are not states")
        two_places = [number for number in states if number not in updated]
        given = {
            "input": inputs,
            "output": (*own, *(inputs[number] for number in two_places)),
        }
        seen: dict[str, set[int]] = {"input": set(), "output": set()}
        for number, slot in enumerate(self.artifact.host.slots):
            where = f"host.slots[{number}]"
            if slot.dtype not in ITEM_SIZES:
                self.problems.add(where, f"unknown dtype '{slot.dtype}'")
                continue
            self._check_shape(where, slot.dtype, slot.shape)
            self._check_memory(where, slot.device)
            match slot.kind:
                case "input" | "state" | "output":
                    kind = "output" if slot.kind == "output" else "input"
                    seen[kind].add(slot.index)
                    own_count = len(own if kind == "output" else interface.inputs)
                    self._check_given(where, slot, given[kind], own_count)
                case "weight":
                    self._check_weight(where, slot)
                case "buffer":
                    self._check_buffer(where, slot)
                case "slice" | "view":
                    self._check_part(where, number, slot)
                case "staging":
                    self._check_staging(where, slot)
                case "carried":
                    pass  # Without memory of its own; its loop is checked.
                case _:
                    self.problems.add(where, f"unknown kind '{slot.kind}'")
        self._check_states(two_places, len(own))
        for kind, specs in given.items():
            missing = sorted(set(range(len(specs))) - seen[kind])
            self.require(not missing, "host.slots", f"none for the {kind}s {missing}")

    def _check_states(self, states: Sequence[int], outputs: int) -> None:
        """A state with two places has them on one device; `states` are numbers of inputs,
        `outputs` is the number of outputs before them.
        """
        devices: dict[int, set[str]] = {number: set() for number in states}
        for slot in self.artifact.host.slots:
            number = slot.index
            if slot.kind == "output" and 0 <= number - outputs < len(states):
                number = states[number - outputs]
            elif slot.kind != "input":
                continue
            if number in devices:
                devices[number].add(slot.device)
        for number, found in devices.items():
            first = len(self.artifact.interface.inputs)
            message = f"state {number - first} is on the devices {sorted(found)}"
            self.require(len(found) == 1, "host.slots", message)

    def _check_given(
        self, where: str, slot: Slot, specs: Sequence[TensorSpec], own: int
    ) -> None:
        """A slot has the size of its value; the first `own` values are no states."""
        if not 0 <= slot.index < len(specs):
            self.problems.add(where, f"it is {slot.kind} {slot.index} of {len(specs)}")
            return
        # States may be on a device.
        on_host = slot.device == HOST or slot.index >= own
        self.require(on_host, where, f"an {slot.kind} is on the host")
        spec, parts = specs[slot.index], self.artifact.host.parts
        size = element_count(spec.shape) * ITEM_SIZES[spec.dtype]
        self.require(
            slot.byte_count * parts == size
            and ITEM_SIZES[slot.dtype] == ITEM_SIZES[spec.dtype],
            where,
            f"it has {slot.byte_count} bytes in each of {parts} parts, {slot.kind} "
            f"'{spec.name}' has {size}",
        )

    def _check_weight(self, where: str, slot: Slot) -> None:
        if slot.key not in self.weights:
            self.problems.add(where, f"weight '{slot.key}' is missing")
            return
        array = self.weights.array(slot.key)
        sizes, wanted = array.nbytes, slot.byte_count
        same = (sizes, array.itemsize) == (wanted, ITEM_SIZES[slot.dtype])
        message = f"weight '{slot.key}' has {sizes} bytes, the slot {wanted}"
        self.require(same, where, message)

    def _check_buffer(self, where: str, slot: Slot) -> None:
        arena = self.artifact.host.arenas.get(slot.device, 0)
        end = slot.offset + slot.byte_count
        inside, aligned = (
            0 <= slot.offset and end <= arena,
            slot.offset % ALIGNMENT == 0,
        )
        message = f"bytes {slot.offset} to {end} of an arena of {arena}"
        self.require(inside, where, message)
        self.require(aligned, where, f"its offset is not a multiple of {ALIGNMENT}")

    def _check_staging(self, where: str, slot: Slot) -> None:
        """It is memory of the host, for copies to or from another device."""
        self._check_memory(where, slot.key)
        fits = slot.device == HOST != slot.key
        self.require(fits, where, "staging memory is on the host, for a device")
        aligned = slot.offset >= 0 and slot.offset % ALIGNMENT == 0
        self.require(aligned, where, f"its offset is not a multiple of {ALIGNMENT}")

    def _check_part(self, where: str, number: int, slot: Slot) -> None:
        """One element of an earlier slot, or all of a slot that a loop carries."""
        if not 0 <= slot.index < number:
            self.problems.add(where, f"part of slot {slot.index}, which is not earlier")
            return
        source = self.artifact.host.slots[slot.index]
        count = source.shape[0] if slot.kind == "slice" and source.shape else 1
        same = (slot.byte_count * count, slot.device)
        self.require(
            same == (source.byte_count, source.device)
            and (slot.kind == "slice" or source.kind == "carried"),
            where,
            f"{slot.byte_count} bytes are not a {slot.kind} of slot {slot.index}, which has "
            f"{source.byte_count}",
        )

    def check_steps(self, where: str, steps: Sequence[Step]) -> None:
        """Each step has operands, and a function or device that runs it."""
        count = len(self.artifact.host.slots)
        for number, step in enumerate(steps):
            place = f"{where}[{number}]"
            used = (*step.slots, *chain.from_iterable(step.carried))
            unknown = [slot for slot in used if not 0 <= slot < count]
            if unknown:
                self.problems.add(place, f"slots {unknown} of {count}")
                continue
            slots = [self.artifact.host.slots[slot] for slot in step.slots]
            queued = 0 <= step.stream < MOST_STREAMS
            self.require(queued, place, f"there is no stream {step.stream}")
            match step.kind:
                case "launch":
                    self._check_launch(place, step, slots)
                case "copy":
                    self._check_copy(place, slots)
                case "sync":
                    self.require(step.device != HOST, place, "waits for no device")
                    self._check_memory(place, step.device)
                case "record" | "wait":
                    self._check_event(place, step)
                case "loop":
                    self._check_loop(place, step, slots)
                case _:
                    self.problems.add(place, f"unknown kind '{step.kind}'")

    def _check_event(self, where: str, step: Step) -> None:
        """An event is recorded before it is waited for."""
        self.require(step.device != HOST, where, "the host has no streams")
        self._check_memory(where, step.device)
        key = (step.device, step.event)
        if step.kind == "record":
            self.events.add(key)
        known = key in self.events and step.event >= 0
        self.require(known, where, f"event {step.event} was not recorded")

    def _check_loop(self, where: str, step: Step, moving: Sequence[Slot]) -> None:
        """Slices stay inside of their source; carried slots are of one size."""
        all_slots = self.artifact.host.slots
        self.require(step.rounds >= 0, where, f"cannot run {step.rounds} times")
        for slot in moving:
            if slot.kind != "slice":
                self.require(slot.kind == "view", where, f"a {slot.kind} does not move")
                continue
            source = all_slots[slot.index]
            last = slot.offset + max(step.rounds - 1, 0) * slot.stride
            ends = {slot.offset, last} if step.rounds else set[int]()
            inside = all(0 <= end < (*source.shape, 1)[0] for end in ends)
            message = f"steps {ends} of slot {slot.index} are outside"
            self.require(inside, where, message)
        for start, now, after, end in step.carried:
            slots = [all_slots[number] for number in (start, now, after, end)]
            alike = len({(slot.byte_count, slot.device) for slot in slots}) == 1
            kinds = (slots[1].kind, slots[3].kind) == ("carried", "carried")
            self.require(alike and kinds, where, f"slot {start} cannot become {end}")
        self.check_steps(f"{where}.body", step.body)

    def _check_memory(self, where: str, device: str) -> None:
        """The device is one of the target, and has code, which allocates its memory."""
        there = device in self.memories
        self.require(there, where, f"there is no device '{device}' in the target")
        has_code = device == HOST or device in self.artifact.code
        self.require(has_code, where, f"there is no code for the device '{device}'")

    def _check_copy(self, where: str, slots: Sequence[Slot]) -> None:
        same = len(slots) == 2 and len({slot.byte_count for slot in slots}) == 1
        self.require(same, where, "a copy is between two slots of equal size")

    def _check_launch(self, where: str, step: Step, slots: Sequence[Slot]) -> None:
        self.require(bool(step.symbol), where, "the symbol is empty")
        if step.device not in self.artifact.code:
            self.problems.add(where, f"there is no code for the device '{step.device}'")
            return
        known = self.launches.setdefault(step.device, {})
        given = [slot.dtype for slot in slots]
        same = known.setdefault(step.symbol, given) == given
        self.require(
            same, where, f"'{step.symbol}' has other buffers in another launch"
        )

    def check_repeat(self) -> None:
        """A program that is repeated takes only states, its loop those that are in place."""
        host, interface, require = (
            self.artifact.host,
            self.artifact.interface,
            self.require,
        )
        repeat, where = host.repeat, "host.repeat"
        if repeat is None:
            return
        require(not interface.inputs, where, "the program takes inputs")
        there = 0 <= repeat.until < len(interface.outputs)
        ended = interface.outputs[repeat.until] if there else None
        is_bool = ended is not None and (ended.dtype, ended.shape) in _ONE_BOOL
        require(is_bool, where, f"output {repeat.until} is not one bool")
        most = max(map(_byte_count, interface.outputs), default=1)
        fits = 1 <= repeat.at_most <= LARGEST_TENSOR // max(most, 1)
        require(fits, where, f"cannot call it {repeat.at_most} times")
        if not repeat.symbol:
            return
        one = [step.kind for step in host.steps] == ["launch"] and host.parts == 1
        require(one, where, "its loop needs one launch")
        in_place = len(host.updated_inputs) == len(interface.states)
        require(in_place, where, "its loop needs all states in place")
        self.launches.setdefault(HOST, {})[repeat.symbol] = ()

    def check_code(self) -> None:
        """Each device has what the program launches, and the weights that it names."""
        for device, code in self.artifact.code.items():
            for text in _problems_of(device, code, self.launches.get(device, {})):
                self.problems.add(f"code/{device}", text)
        for device, names in self.artifact.code_weights.items():
            for name in names:
                there = name in self.weights
                self.require(there, f"code/{device}", f"weight '{name}' is missing")


def _byte_count(spec: TensorSpec) -> int:
    return element_count(spec.shape) * ITEM_SIZES[spec.dtype]


def _problems_of(
    device: str, code: bytes, launches: Mapping[str, Sequence[str]]
) -> Sequence[str]:
    """What a backend finds; that it cannot read the code is a problem, too."""
    try:
        return backend(device).problems(code, launches)
    except DevProcError:
        raise
    except Exception as error:
        return [f"the code cannot be read: {type(error).__name__}: {error}"]
