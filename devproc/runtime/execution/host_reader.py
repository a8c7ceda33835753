"""Reads the interface and the host program from the IR, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from xdsl.dialects.arith import ConstantOp, SubiOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.dev import (
    OnAttr,
    RecordOp,
    SyncOp,
    WaitOp,
    byte_size,
    device_of,
    stream_number,
)
from devproc.dialects.plan import (
    ArenaOp,
    BufferOp,
    CopyOp,
    LaunchOp,
    SliceOp,
    StagingOp,
    ViewOp,
    WeightOp,
)
from devproc.errors import CompileError, first_few
from devproc.ir.devices import HOST
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.functions import (
    constant_of,
    function_named,
    functions_of,
    ops_of,
)
from devproc.ir.host.batch import part_count
from devproc.ir.program.kernel_modules import kernel_mark, loop_functions
from devproc.ir.program.region_functions import region_functions
from devproc.ir.program.repeat import REPEAT_SUFFIX, repetition_of, until_number
from devproc.ir.program.state import state_name
from devproc.ir.text.location import describe_location
from devproc.ir.types import AnyMemRef, AnyTensor, dtype_name, memory_dtype_name
from devproc.runtime.calls.interface import Interface, TensorSpec
from devproc.runtime.execution.host_program import (
    HostProgram,
    NativeKernel,
    Repeat,
    Slot,
    Step,
)

PREFIX = "segment_"
"""Prefix of the names of segments; see `outline-segments`."""


def interface_of(main: FuncOp) -> Interface:
    """The interface of a host function at a tensor level (`dev.name` attributes)."""
    inputs = main.function_type.inputs.data
    outputs = main.function_type.outputs.data
    taken = _specs(inputs, main.arg_attrs, "input")
    given = _specs(outputs, main.res_attrs, "output")
    own = len(taken) - sum(state_name(a) is not None for a in main.arg_attrs or ())
    states = taken[own:]
    return Interface(taken[:own], given[: len(given) - len(states)], states)


def _specs(
    types: Sequence[Attribute],
    attributes: ArrayAttr[DictionaryAttr] | None,
    fallback: str,
) -> tuple[TensorSpec, ...]:
    specs: list[TensorSpec] = []
    for index, type_ in enumerate(types):
        shaped = cast(AnyTensor, type_)
        known: Mapping[str, Attribute] = {}
        if attributes is not None:
            known = attributes.data[index].data
        defaults = {"dev.name": f"{fallback}{index}", "dev.layout": ""}
        name, layout = (
            value.data if isinstance(value := known.get(key), StringAttr) else default
            for key, default in defaults.items()
        )
        dtype, shape = dtype_name(shaped.element_type), shaped.get_shape()
        specs.append(TensorSpec(name, dtype, shape, layout))
    return tuple(specs)


def read_host_program(
    module: ModuleOp, segments: Mapping[str, tuple[str, ...]]
) -> HostProgram:
    """The program of `@main`; `segments` names the kernels in each segment, and what the loop
    over a segment calls."""
    main = find_function(module, "main")
    loops = {f.sym_name.data: f for f in loop_functions(module) if not runs_on_host(f)}
    marks = {name: kernel_mark(f) for name, f in region_functions(module).items()}
    regions = {name: mark.device.data for name, mark in marks.items() if mark}
    program = _Reader(segments, regions, loops).read(main)
    found = repetition_of(module)
    if found is None:
        return program
    native = [f"{step.symbol}{REPEAT_SUFFIX}" for step in program.steps]
    symbol = next((name for name in native if name in segments), "")
    repeat = Repeat(found.at_most, until_number(main, found), symbol)
    return replace(program, repeat=repeat)


def find_function(module: ModuleOp, name: str) -> FuncOp:
    """The `func.func` of this name; raises CompileError if there is none."""
    found = function_named(module, name)
    if found is None:
        raise CompileError(f"the module has no function @{name}")
    return found


def segment_kernels(module: ModuleOp) -> dict[str, tuple[str, ...]]:
    """The kernels that each `@segment_*` of the `host` stage calls, in order."""
    return {
        function.sym_name.data: tuple(
            op.callee.root_reference.data
            for op in function.walk()
            if isinstance(op, CallOp)
        )
        for function in functions_of(module)
        if function.sym_name.data.startswith(PREFIX)
    }


def native_kernels(module: ModuleOp) -> dict[str, NativeKernel]:
    """The kernels that the segments of the `host` stage call, by name, loops included."""
    loops = {f.sym_name.data: f for f in loop_functions(module) if runs_on_host(f)}
    named = {f.sym_name.data: f for f in functions_of(module)}
    segments = {name: f for name, f in named.items() if name.startswith(PREFIX)}
    operands: dict[str, int] = {}
    places: dict[str, list[str]] = {}
    looped: set[str] = set()
    for function in (*segments.values(), *loops.values()):
        for op in function.walk():
            if not isinstance(op, CallOp | LaunchOp):
                continue
            symbol = op.callee if isinstance(op, CallOp) else op.kernel
            name = symbol.root_reference.data
            # A loop over the calls of a program calls a segment.
            if name in loops or name in segments:
                continue
            operands[name] = len(op.operands)
            places.setdefault(name, []).append(describe_location(op.location))
            if function.sym_name.data in loops:
                looped.add(name)
    for name in looped:
        places[name] = [first_few(list(dict.fromkeys(places[name])))]
    return {n: NativeKernel(operands[n], tuple(places[n])) for n in operands}


def weight_names(module: ModuleOp) -> tuple[str, ...]:
    """The weights that `@main` of the `host` stage binds."""
    ops = ops_of(module, "main")
    return tuple(op.weight_name for op in ops if isinstance(op, WeightOp))


def runs_on_host(function: FuncOp) -> bool:
    """Whether a kernel, or a loop over kernels, is CPU code."""
    mark = kernel_mark(function)
    return mark is not None and mark.device.data == HOST


def is_index(op: Operation) -> bool:
    """Whether an op computes the index of a slice."""
    return isinstance(op, ConstantOp | SubiOp)


def _progress(index: SSAValue) -> tuple[int, int]:
    """The first index of a slice in a loop, and its stride."""
    if isinstance(index.owner, SubiOp):
        return constant_of(index.owner.lhs), -1
    return 0, 1


@dataclass
class _Reader:
    segments: Mapping[str, tuple[str, ...]]
    regions: Mapping[str, str]
    """The device of each function of a region."""
    loops: Mapping[str, FuncOp]
    """Functions that loop over launches on a device."""
    arenas: dict[str, int] = field(default_factory=dict)
    slots: list[Slot] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    numbers: dict[SSAValue, int] = field(default_factory=dict)
    staged: dict[str, int] = field(default_factory=dict)
    """Bytes of staging memory by device."""
    events: dict[SSAValue, int] = field(default_factory=dict)

    def read(self, main: FuncOp) -> HostProgram:
        # A state that is updated in place is numbered with the inputs.
        counts = {"input": 0, "output": 0}
        for argument, attributes in zip(
            main.body.block.args, main.arg_attrs or (), strict=True
        ):
            role = attributes.data["dev.role"]
            assert isinstance(role, StringAttr)
            count = "output" if role.data == "output" else "input"
            self.add(argument, role.data, index=counts[count])
            counts[count] += 1
        for op in main.body.block.ops:
            self.read_op(op)
        slots, steps = tuple(self.slots), tuple(self.steps)
        return HostProgram(self.arenas, slots, steps, part_count(main))

    def add(
        self,
        value: SSAValue,
        kind: str,
        index: int = -1,
        key: str = "",
        at: int = 0,
        stride: int = 0,
    ) -> None:
        type_ = cast(AnyMemRef, value.type)
        self.numbers[value] = len(self.slots)
        device = device_of(type_) or HOST
        shape, place = type_.get_shape(), type_.memory_space
        if isinstance(place, OnAttr):
            shape = place.physical_shape(shape)
        dtype = memory_dtype_name(type_.element_type)
        self.slots.append(Slot(kind, device, dtype, shape, index, key, at, stride))

    def read_op(self, op: Operation) -> None:
        match op:
            case ArenaOp():
                self.arenas[op.device.data] = op.byte_count
            case BufferOp():
                self.add(op.result, "buffer", index=op.buffer_id, at=op.span[0])
            case WeightOp():
                self.add(op.result, "weight", key=op.weight_name)
            case StagingOp():
                device = op.device.data
                offset = self.staged.get(device, 0)
                self.add(op.result, "staging", key=device, at=offset)
                end = offset + byte_size(op.result.type)
                self.staged[device] = -(-end // ALIGNMENT) * ALIGNMENT
            case ViewOp() if self.slots[self.numbers[op.source]].kind == "carried":
                self.add(op.result, "view", index=self.numbers[op.source])
            case ViewOp():
                base = self.slots[self.numbers[op.source]]
                self.add(
                    *(op.result, base.kind, base.index),
                    *(base.key, base.offset, base.stride),
                )
            case SliceOp():
                first, stride = _progress(op.index)
                source = self.numbers[op.source]
                self.add(op.result, "slice", index=source, at=first, stride=stride)
            case LaunchOp() if op.kernel.root_reference.data in self.loops:
                self.add_function(op)
            case LaunchOp():
                self.add_launch(op)
            case ForOp():
                self.add_loop(op)
            case CopyOp():
                slots = tuple(self.numbers[v] for v in op.operands)
                devices = [self.slots[s].device for s in slots]
                device = next((d for d in devices if d != HOST), HOST)
                where = describe_location(op.location)
                step = Step("copy", device, "copy", slots, op.byte_count, (), where)
                self.steps.append(replace(step, stream=stream_number(op)))
            case SyncOp():
                self.steps.append(Step("sync", op.device.data))
            case RecordOp() | WaitOp():
                self.add_event(op)
            case _:
                if op.name not in ("func.return", "scf.yield") and not is_index(op):
                    raise CompileError(
                        f"'{op.name}' cannot be part of the host program"
                    )

    def add_function(self, launch: LaunchOp) -> None:
        """The steps of a function, in place of its launch."""
        function = self.loops[launch.kernel.root_reference.data]
        for argument, value in zip(
            function.body.block.args, launch.operands, strict=True
        ):
            self.numbers[argument] = self.numbers[value]
        for op in function.body.block.ops:
            self.read_op(op)

    def add_loop(self, loop: ForOp) -> None:
        """One step that holds the steps of the body."""
        outer, self.steps, first = self.steps, [], len(self.slots)
        block = loop.body.block
        for value in (*block.args[1:], *loop.results):
            self.add(value, "carried")
        for op in block.ops:
            self.read_op(op)
        assert block.last_op is not None
        lists = (loop.iter_args, block.args[1:], block.last_op.operands, loop.results)
        carried = zip(*([self.numbers[v] for v in values] for values in lists))
        body, self.steps = tuple(self.steps), outer
        slices = (n for n in range(first, len(self.slots)) if self.moves(n, body))
        kernels = tuple(dict.fromkeys(name for step in body for name in step.kernels))
        where = describe_location(loop.location)
        device, rounds = body[0].device if body else HOST, constant_of(loop.ub)
        step = Step("loop", device, "loop", tuple(slices), 0, kernels, where)
        step = replace(step, body=body, rounds=rounds, carried=tuple(carried))
        self.steps.append(step)

    def moves(self, number: int, body: Sequence[Step]) -> bool:
        """Whether a slot advances with this loop, not with a loop in its body."""
        inner = (step.slots for step in body if step.kind == "loop")
        is_inner = any(number in slots for slots in inner)
        return self.slots[number].kind in ("slice", "view") and not is_inner

    def add_launch(self, op: LaunchOp) -> None:
        symbol = op.kernel.root_reference.data
        slots = tuple(self.numbers[v] for v in op.operands)
        device = HOST if symbol in self.segments else self.slots[slots[-1]].device
        device = self.regions.get(symbol, device)
        kernels = self.segments.get(symbol, (symbol,))
        where = describe_location(op.location)
        step = Step("launch", device, symbol, slots, 0, kernels, where)
        self.steps.append(replace(step, stream=stream_number(op)))

    def add_event(self, op: RecordOp | WaitOp) -> None:
        """A step that marks an event, or waits for it."""
        kind = "record" if isinstance(op, RecordOp) else "wait"
        event = self.events.setdefault(op.event, len(self.events))
        stream = stream_number(op)
        self.steps.append(Step(kind, op.device.data, stream=stream, event=event))
