"""Targets for tests: the options of all devices by name, in one call."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Attribute

from devproc.backend.target import parse_target
from devproc.dialects.dev import TargetAttr
from devproc.ir.devices import HOST
from devproc.targets.cpu.machine.attribute import MachineAttr
from devproc.targets.cpu.machine.processors import NATIVE
from devproc.targets.triton import GPU
from devproc.targets.triton.dialect import GPUAttr

GPU_OPTIONS = ("arch", "interpret")
COMMON = ("precision", "threads", "check_bounds", "check_values")


def target_attr(devices: str = HOST, **given: Any) -> TargetAttr:
    """The target for these devices; `given` are arguments of `TargetAttr.get`,
    `GPUAttr.get` and `MachineAttr.get`, whose processor is called `cpu` as by users."""
    common = {name: given.pop(name) for name in COMMON if name in given}
    gpu = GPUAttr.get(
        **{name: given.pop(name) for name in GPU_OPTIONS if name in given}
    )
    processor = given.pop("cpu", NATIVE)
    options: dict[str, Attribute] = {
        HOST: MachineAttr.get(processor=processor, **given)
    }
    if GPU in parse_target(devices):
        options[GPU] = gpu
    return TargetAttr.get(devices, options=options, **common)
