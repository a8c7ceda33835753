"""The NPU as a device of DevProc."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from devproc.backend import (
    Backend,
    Composite,
    Description,
    Estimate,
    Link,
    Memory,
    Stage,
    pass_paths,
)
from devproc.errors import BundleError
from devproc_npu.machine import COLUMNS, MACHINE, ROWS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from devproc.dialects.dev import TargetAttr
    from devproc.ir.weights.table import Array
    from devproc_npu.isa import Instruction

PASSES = ("npu-fuse", "npu-choose-tiles")


@dataclass(frozen=True)
class Region:
    """A function in the memory of the machine: what it runs, and on what."""

    programs: Sequence[Sequence[Instruction]]
    shared: NDArray[np.uint8]
    """Memory of intermediate values."""
    data: NDArray[np.uint8]
    """Constants, packed for the array."""


@dataclass(frozen=True)
class Loaded:
    """The functions of a program, and what their last launches took."""

    regions: dict[str, Region]
    reports: dict[str, Estimate] = field(default_factory=dict[str, Estimate])


class NPU(Backend):
    """A systolic array with its memories, which a simulator runs."""

    summary = (
        f"an example NPU, simulated: {ROWS} x {COLUMNS} units for int8 and bfloat16"
    )
    dialects: ClassVar = {"npu": "devproc_npu.dialect:NPU"}
    passes: ClassVar = pass_paths("devproc_npu.transforms", PASSES)
    stages: ClassVar = (
        Stage(
            "npu",
            "regions of the NPU as ops of the machine, with their schedules",
            PASSES,
            frozenset(),
            device="npu",
            after="kernels",
            legal_in_kernels=frozenset({"func", "nn", "npu"}),
        ),
    )

    # What it is.

    def describe(self, target: TargetAttr) -> Description:
        """The machine's rates at its clock, behind a link as of a system on a chip."""
        peak = 2.0 * ROWS * COLUMNS * MACHINE.clock
        memories = (
            Memory("external", MACHINE.bandwidth * MACHINE.clock),
            Memory("scratchpad", 2 * ROWS * MACHINE.clock, MACHINE.scratchpad),
            Memory("accumulator", 8 * COLUMNS * MACHINE.clock, MACHINE.accumulator),
        )
        return Description(
            memories,
            {"": MACHINE.lanes * MACHINE.clock, "int32": peak, "bfloat16": peak},
            launch_seconds=1e-6,
            link=Link(2e-6, 16e9),
            queues=4,
        )

    def legal(self, ops: Sequence[Operation]) -> Sequence[str]:
        """Ops that are no op of the machine together, or that fit none of its memories."""
        from devproc_npu.regions import reasons

        return reasons(ops)

    def cost(self, ops: Sequence[Operation], target: TargetAttr) -> float:
        """Seconds of the estimate."""
        from devproc_npu.regions import cycles

        return cycles(ops) / MACHINE.clock

    def patterns(self) -> Sequence[Composite]:
        """A product with its bias, scale and clamp; a sum of two tensors with its scales;
        the mean of pixels."""
        from devproc_npu.regions import COMPOSITES

        return COMPOSITES

    # How its code is made.

    def build(self, module: ModuleOp) -> bytes:
        """The instructions of the functions, and what to pack when weights are loaded."""
        from devproc_npu.lowering.emit import build

        return build(module)

    def estimate(self, code: bytes) -> Sequence[Estimate]:
        """Cycles by the model of the schedules, bytes by the instructions."""
        from devproc_npu.report import estimates

        return estimates(code)

    # How it runs.

    def refusal(self, code: bytes) -> str | None:
        """That code is of another version, or for another machine."""
        from devproc_npu.code import refusal

        return refusal(code)

    def problems(self, code: bytes, launches: Mapping[str, Sequence[str]]) -> list[str]:
        """Functions that code lacks, or that take another number of buffers."""
        from devproc_npu.code import decode

        functions = decode(code)
        return [
            f"the NPU has no function '{name}' of {len(dtypes)} buffers"
            for name, dtypes in launches.items()
            if name not in functions or len(functions[name].buffers) != len(dtypes)
        ]

    def load(
        self, code: bytes, weights: Mapping[str, Array], option: str = ""
    ) -> Loaded:
        """Weights are packed for the array. Raises BundleError for code of another machine."""
        import numpy as np

        from devproc_npu.code import data_of, decode
        from devproc_npu.isa import decode as decode_program

        problem = self.refusal(code)
        if problem is not None:
            raise BundleError(f"the code is not for this NPU: {problem}")
        regions: dict[str, Region] = {}
        for name, function in decode(code).items():
            programs = [decode_program(binary) for binary in function.binaries()]
            shared = np.zeros(function.shared, np.uint8)
            regions[name] = Region(programs, shared, data_of(function, weights))
        return Loaded(regions)

    def unload(self, handle: Loaded) -> None:
        """Forget regions and reports."""
        handle.regions.clear()
        handle.reports.clear()

    def launch(
        self, handle: Loaded, symbol: str, buffers: Sequence[Any], queue: int = 0
    ) -> None:
        """Simulate a function; `handle.reports` then has what it took."""
        import torch

        from devproc_npu.isa import Type
        from devproc_npu.report import measured
        from devproc_npu.simulator import Simulator

        region = handle.regions[symbol]
        memory = [b.reshape(-1).view(torch.uint8).numpy() for b in buffers]
        memory += [region.shared, region.data]
        simulators = [
            Simulator(program, memory, MACHINE) for program in region.programs
        ]
        runs = [simulator.run() for simulator in simulators]
        types: list[Type] = [simulator.type for simulator in simulators]
        handle.reports[symbol] = measured(symbol, runs, types)
