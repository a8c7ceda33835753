"""The device under test: programs for it, and its code without the host program."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from devproc.backend import Backend
from devproc.backend.installed import backend
from devproc.backend.target import parse_target
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.driver import parse_module
from devproc.entry import build_program
from devproc.ir.devices import HOST
from devproc.ir.weights.table import WeightTable
from devproc.options import set_options, target_options
from devproc.program import Program
from devproc.reference.conversion.arrays import TORCH_DTYPES, to_numpy
from devproc.runtime.execution.host_program import Slot, Step
from devproc.source import named_source
from devproc.timings import StageRecord


@dataclass(frozen=True)
class Device:
    """A device with one of its options ("" for none)."""

    name: str
    option: str
    backend: Backend

    @property
    def target(self) -> str:
        """The device as a user names it."""
        return f"{self.name}:{self.option}" if self.option else self.name

    @property
    def is_host(self) -> bool:
        """Whether the host program calls its code itself, without `launch`."""
        return self.name == HOST

    def compile(
        self,
        module: ModuleOp | str,
        weights: Mapping[str, torch.Tensor] | None = None,
        placement: Mapping[str, str] | None = None,
    ) -> Program:
        """The program of a module at the stage `tensor`, for the device alone or, with a
        placement, beside the host.
        """
        if isinstance(module, str):
            module = parse_module(module)
        alone = placement is None or self.is_host
        target = self.target if alone else f"{HOST}+{self.target}"
        set_options(module, target_options(target), {} if alone else placement or {})
        source = named_source(module, table_of(weights or {}))
        record = StageRecord("import")
        return build_program(source, target, record, use_cache=False, after="tensor")


def device_named(target: str) -> Device:
    """The device of a target such as `cuda:interpret`; raises CompileError."""
    found = parse_target(target)
    name, option = next(iter(found.items()))
    return Device(name, option, backend(name))


def table_of(weights: Mapping[str, torch.Tensor]) -> WeightTable:
    """A table of weights."""
    table = WeightTable()
    names = {dtype: name for name, dtype in TORCH_DTYPES.items()}
    for name, value in weights.items():
        table.add(name, to_numpy(value.clone()), names[value.dtype])
    return table


def computed(main: FuncOp) -> list[Operation]:
    """The ops of a program that a device may compute."""
    kept = (WeightOp, ConstantOp, ReturnOp)
    return [op for op in main.body.block.ops if not isinstance(op, kept)]


def require_launches(device: Device, program: Program) -> None:
    """Raises AssertionError if the device runs no part of a program."""
    steps = program.artifact.host.steps
    found = {step.device for step in steps if step.kind == "launch"}
    assert device.is_host or device.name in found, "the program runs elsewhere"


class Code:
    """The code of a program's only launch on a device, loaded without the program."""

    def __init__(self, device: Device, program: Program):
        artifact = program.artifact
        self.device = device
        self.bytes = artifact.code[device.name]
        names = artifact.code_weights.get(device.name, ())
        self.weights = {name: program.weights.array(name).copy() for name in names}
        launches = [
            step
            for step in artifact.host.steps
            if step.kind == "launch" and step.device == device.name
        ]
        assert len(launches) == 1, f"one launch was expected, not {len(launches)}"
        self.step: Step = launches[0]
        self.slots: list[Slot] = [artifact.host.slots[n] for n in self.step.slots]

    def load(self) -> Loaded:
        """The code, ready to be launched."""
        backend, option = self.device.backend, self.device.option
        return Loaded(self, backend.load(self.bytes, self.weights, option))


@dataclass
class Loaded:
    """Loaded code with what the kit does to it."""

    code: Code
    handle: Any

    @property
    def backend(self) -> Backend:
        """The device's."""
        return self.code.device.backend

    def place(self, offset: int, slot: Slot, memory: Any) -> Any:
        """A buffer for one of the operands of the launch, from a byte of memory on."""
        return self.backend.view(memory, offset, slot.dtype, slot.shape)

    def buffers(self) -> list[Any]:
        """A buffer for each operand of the launch, each in memory of its own."""
        return [
            self.place(0, slot, self.backend.allocate(self.handle, slot.byte_count))
            for slot in self.code.slots
        ]

    def upload(self, value: torch.Tensor, buffer: Any) -> None:
        """Queues a copy to the device."""
        self.backend.upload(value, buffer)

    def launch(self, buffers: Sequence[Any]) -> None:
        """Queues the launch."""
        with self.backend.session(self.handle):
            self.backend.launch(self.handle, self.code.step.symbol, buffers)

    def read(self, buffer: Any, like: torch.Tensor) -> torch.Tensor:
        """The value of a buffer, after a sync."""
        found = torch.full_like(like, 77)
        self.backend.download(buffer, found)
        self.backend.synchronize(self.handle)
        return found
