"""Decides which results take the memory of an operand, and which states have one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from devproc.backend.installed import backend
from devproc.dialects.dev import LaunchOp, target_of
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.ir.functions import functions_of
from devproc.ir.host.lifetimes import memory_root, readers_of
from devproc.ir.program.kernel_modules import kernel_mark, returned_by
from devproc.ir.program.region_functions import region_functions
from devproc.ir.program.state import GUARDED, set_place, state_name
from devproc.ir.program.structured import is_parallel, maps_of
from devproc.ir.program.updates import set_updates, updates_of
from devproc.ir.text.location import describe_location
from devproc.ir.verification.value_checks import read_checks
from devproc.transforms.kernels.in_place.launch_order import LaunchOrder

SUFFIX = "_in_place"
"""Of the name of a kernel's copy, if other launches of it write to memory of their own."""

Update: TypeAlias = tuple[LaunchOp, int, int | None]
"""A launch, its result, and the operand that it writes some elements of, by number; None if
it writes all elements."""


def scattered(kernel: FuncOp) -> dict[int, int]:
    """Result -> argument, where a kernel writes some elements of an argument."""
    mark = kernel_mark(kernel)
    if kernel.is_declaration or mark is None or mark.family.data != "scatter":
        return {}
    return {
        number: value.owner.target.index
        for number, value in enumerate(returned_by(kernel))
        if isinstance(value.owner, ScatterOp)
        and isinstance(value.owner.target, BlockArgument)
    }


def is_elementwise(kernel: FuncOp, result: int, argument: int) -> bool:
    """Whether a kernel reads each element of an argument only in the iteration that writes
    the same element of a result.
    """
    value, read = returned_by(kernel)[result], kernel.body.block.args[argument]
    generics = [op for op in kernel.body.block.ops if isinstance(op, GenericOp)]
    if value.owner not in generics or len(generics) != 1 or value.type != read.type:
        return False
    (generic,) = generics
    number = list[SSAValue](generic.results).index(value)
    if isinstance(generic.outputs[number].owner, FillOp) or not read.has_one_use():
        return False
    if read not in list(generic.inputs) or not all(is_parallel(generic)):
        return False
    maps = maps_of(generic)
    there = maps[len(generic.inputs) + number]
    loops = sorted(d for index in there.results for d in index.used_dims())
    return maps[list(generic.inputs).index(read)] == there and loops == list(
        range(there.num_dims)
    )


@dataclass
class InPlace:
    """Finds the updates of a program, whose launches move after the readers of what they
    overwrite.
    """

    module: ModuleOp
    main: FuncOp
    decided: dict[LaunchOp, dict[int, int]] = field(
        default_factory=dict[LaunchOp, dict[int, int]]
    )
    """Launch -> result -> operand."""
    placed: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Values that are computed in the place of a state -> its name."""

    def __post_init__(self) -> None:
        self.kernels = {f.sym_name.data: f for f in functions_of(self.module)}
        self.order = LaunchOrder(self.main.body.block)

    def run(self) -> None:
        """Marks states, launches and kernels."""
        last = self.main.get_return_op()
        assert last is not None
        states = [a for a in self.main.args if self.name_of(a) is not None]
        after = last.operands[len(last.operands) - len(states) :]
        for argument, value in zip(states, after, strict=True):
            why = self.why_no_state() or self.why_unguarded(argument)
            why = why or self.place_state(argument, value)
            set_place(self.main, argument.index, why)
        for op in list(self.main.body.block.ops):
            if not isinstance(op, LaunchOp) or op in self.decided:
                continue
            for result, operand in scattered(self.kernel_of(op)).items():
                if isinstance(memory_root(op.inputs[operand]).owner, LaunchOp):
                    self.update(op, result, operand)
        self.mark()

    def name_of(self, argument: BlockArgument) -> str | None:
        """The name of a state."""
        rows = self.main.arg_attrs
        return state_name(rows.data[argument.index]) if rows else None

    def kernel_of(self, launch: LaunchOp) -> FuncOp:
        """The kernel of a launch."""
        return self.kernels[launch.kernel.root_reference.data]

    def why_no_state(self) -> str | None:
        """Why no state may have one place: a call that fails must leave it as it was."""
        target = target_of(self.module)
        if target.checks_bounds:
            return "checks may refuse the call after the update"
        if len(target.device_names) == 1:
            (device,) = target.device_names
            if not backend(device).updates_in_place:
                return f"kernels of '{device}' do not update in place"
        launches = [op for op in self.main.body.block.ops if isinstance(op, LaunchOp)]
        if len({*map(self.device_of, launches)}) > 1 or region_functions(self.module):
            return "a call runs in several steps, of which a later one may fail"
        return None

    def why_unguarded(self, argument: BlockArgument) -> str | None:
        """Why a call that a value check refuses would change a state."""
        rows = self.main.arg_attrs
        if not read_checks(self.module) or (
            rows and GUARDED in rows.data[argument.index].data
        ):
            return None
        return "a check depends on its new value, and may refuse the call"

    def place_state(self, argument: BlockArgument, value: SSAValue) -> str | None:
        """Computes the new value of a state in the place of the old one; or says why not."""
        steps: list[Update] = []
        source = memory_root(value)
        while source is not argument:
            if source in self.placed:
                return f"it has the same new value as '{self.placed[source]}'"
            if not isinstance(source, OpResult) or not isinstance(
                source.owner, LaunchOp
            ):
                return "its new value is an input, a constant or another state"
            launch, result = source.owner, source.index
            operand = scattered(self.kernel_of(launch)).get(result)
            steps.append((launch, result, operand))
            if operand is None:
                break
            source = memory_root(launch.inputs[operand])
        decided = {launch: dict(updates) for launch, updates in self.decided.items()}
        for launch, result, operand in reversed(steps):
            if operand is None:
                why = self.overwrite(argument, launch, result)
            else:
                why = self.update(launch, result, operand)
            if why is not None:
                self.decided = decided
                return why
        for launch, result, _ in steps:
            self.placed[launch.results[result]] = str(self.name_of(argument))
        return None

    def overwrite(
        self, argument: BlockArgument, launch: LaunchOp, result: int
    ) -> str | None:
        """Writes a whole result in the place of a state; or says why not."""
        own: list[int] = []
        readers: list[Operation] = []
        for op, operand in readers_of(argument):
            if op is not launch:
                readers.append(op)
            elif own or not is_elementwise(self.kernel_of(launch), result, operand):
                return f"{_named(op)} reads it otherwise than element by element"
            else:
                own.append(operand)
        why = self.why_not_after(launch, readers)
        if why is None:
            self.decided.setdefault(launch, {}).update((result, n) for n in own)
        return why

    def update(self, launch: LaunchOp, result: int, operand: int) -> str | None:
        """Updates some elements of a value in place; or says why not."""
        readers = readers_of(memory_root(launch.inputs[operand]))
        if sum(op is launch for op, _ in readers) > 1:
            return f"{_named(launch)} reads it beside the update"
        why = self.why_not_after(launch, [op for op, _ in readers if op is not launch])
        if why is None:
            self.decided.setdefault(launch, {})[result] = operand
        return why

    def why_not_after(
        self, launch: LaunchOp, readers: Sequence[Operation]
    ) -> str | None:
        """Puts a launch after the readers of what it overwrites; or says why not."""
        device = self.device_of(launch)
        if device is None or not backend(device).updates_in_place:
            return f"kernels of '{device}' do not update in place"
        for reader in readers:
            if reader.name == "func.return":
                return "its old value is an output"
            if not isinstance(reader, LaunchOp) or self.device_of(reader) != device:
                return f"{_named(reader)} reads its old value on another device"
        late = self.order.put_after(launch, readers)
        if late is None:
            return None
        return f"{_named(late)} reads its old value after the update"

    def device_of(self, launch: LaunchOp) -> str | None:
        """The device that runs a launch."""
        mark = kernel_mark(self.kernel_of(launch))
        return mark.device.data if mark is not None else None

    def mark(self) -> None:
        """Writes the decisions on launches, and on kernels that need them."""
        launches = Counter(
            op.kernel.root_reference.data
            for op in self.module.walk()
            if isinstance(op, LaunchOp)
        )
        needed: dict[str, list[LaunchOp]] = {}
        for launch, updates in self.decided.items():
            if not updates:
                continue
            set_updates(launch, updates, len(launch.results))
            if updates == scattered(self.kernel_of(launch)):
                needed.setdefault(launch.kernel.root_reference.data, []).append(launch)
        for name, found in needed.items():
            kernel = self.kernels[name]
            if launches[name] > len(found):
                kernel = self.copied(kernel, found)
            set_updates(kernel, updates_of(found[0]), len(found[0].results))

    def copied(self, kernel: FuncOp, launches: Sequence[LaunchOp]) -> FuncOp:
        """A copy of a kernel for some of its launches."""
        copy, name = kernel.clone(), f"{kernel.sym_name.data}{SUFFIX}"
        while name in self.kernels:
            name += SUFFIX
        copy.sym_name = type(kernel.sym_name)(name)
        self.kernels[name] = copy
        self.module.body.block.insert_op_after(copy, kernel)
        for launch in launches:
            launch.kernel = SymbolRefAttr(name)
        return copy


def _named(op: Operation) -> str:
    """A launch by its kernel and line, another op by its name."""
    name = op.name
    if isinstance(op, LaunchOp):
        name = f"@{op.kernel.root_reference.data}"
    return f"{name} ({describe_location(op.location)})"
