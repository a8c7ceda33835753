"""The CPU: the host itself, whose kernels become object code by LLVM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from typing import TYPE_CHECKING, ClassVar

from devproc.backend import (
    Argument,
    Backend,
    Description,
    Memory,
    PrintedText,
    Stage,
    pass_paths,
)
from devproc.ir.devices import HOST
from devproc.settings import threads_problem
from devproc.targets.cpu.machine.processors import CPUS, NATIVE
from devproc.targets.cpu.machine.this_machine import machine_description, why_not_here

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation

    from devproc.backend.builder import CodeBuilder
    from devproc.dialects.dev import TargetAttr
    from devproc.ir.weights.table import Array
    from devproc.targets.cpu.native_code import SegmentCode

FLOPS_PER_BIT = 128.0e6
"""FLOP per second, thread and bit of vector width: 65 GFLOP/s for 512 bits."""

THREAD_BYTES, ALL_BYTES = 12e9, 40e9
"""Bytes per second from main memory: per thread, and in total."""


ALGORITHMS = (
    # Algorithms that compute whole kernels.
    *("cached_attention", "attention", "bottleneck"),
    # Products: with a custom weight layout, then with panels, then row-major.
    *("winograd", "winograd_line", "inner_product", "strassen", "block_float"),
    *("weight_only", "widened_panels", "bf16_dot"),
    *("register_tile", "pixel_tile", "resample"),
    # Rows before vectors, which accept any reduction, vectorised along its results.
    *("grouped_rows", "rows", "padding", "channels", "row_parts", "vectors"),
    *("nms", "scan", "scatter", "sort"),
    # The fallback: accepts every structured op, one element at a time.
    "elements",
)
SCHEDULE_PASSES = ("split-choices",)
LOOP_PASSES = (
    "tile-nests",
    "open-tiles",
    "split-long-sums",
    "interleave-sums",
    "sink-prefetches",
    "unroll-tiles",
    "expand-schedules",
    "expand-math",
    "insert-bounds-checks",
)
LLVM_PASSES = ("convert-to-llvm",)
KERNELS = {"func", "arith", "math", "dev", "plan", "memref", "scf"}
LOOPS = frozenset({*KERNELS, "vector", "simd", "bounds"})

SCANS = ("cummax", "cummin", "cumprod", "cumsum", "logcumsumexp")

EFFICIENCY = {
    # Indexed loads are scalar.
    **dict.fromkeys(("nn.gather", "nn.resample", "nn.resize"), 0.1),
    **dict.fromkeys(("nn.scatter", "nn.sort"), 0.02),
    # A maximum, of a window or with its index, keeps few vector lanes busy.
    **dict.fromkeys(("nn.max_pool2d", "nn.sum_pool2d"), 0.25),
    "nn.argmax": 0.1,
    # Each element waits for the previous one.
    **{f"nn.{name}": 0.1 for name in SCANS},
}
"""Name of an op -> the share of the peak rate that it reaches, where not 1/2."""


KEPT = "nn.attention"
"""The op that is not decomposed if there is a kernel for it."""


class CPU(Backend):
    """Native segments, which the host calls; see `docs/layout.md` for the road to them."""

    summary = "this processor, or another one by `cpu=`: LLVM IR to object code"
    is_asynchronous = False
    lowers_kernels = True
    channels_last = True
    merges_products = True
    updates_in_place = True
    packages = ("llvmlite",)
    arguments = (
        Argument(
            "cpu",
            NATIVE,
            f"Processor to compile for: {NATIVE}, {', '.join(CPUS)}.",
        ),
    )
    algorithms: ClassVar = {
        name: f"devproc.targets.cpu.algorithms.{name}" for name in ALGORITHMS
    }
    dialects: ClassVar = {
        "cpu": "devproc.targets.cpu.machine.attribute:CPU",
        "bounds": "devproc.targets.cpu.dialects.bounds:BOUNDS",
        "llvm_ext": "devproc.targets.cpu.dialects.llvm_ext:LLVM_EXT",
    }
    passes: ClassVar = pass_paths(
        "devproc.targets.cpu.transforms",
        (*SCHEDULE_PASSES, *LOOP_PASSES, *LLVM_PASSES),
    )
    stages: ClassVar = (
        Stage("schedules", passes=SCHEDULE_PASSES),
        Stage(
            "cpu",
            "CPU kernels as loops and vectors, as their schedules say",
            LOOP_PASSES,
            device=HOST,
            after="schedules",
            by_kernel=True,
            legal_in_kernels=LOOPS,
        ),
        Stage(
            "llvm",
            "CPU code in the llvm dialect, one entry for each native segment",
            LLVM_PASSES,
            # A table that only kernels read stays beside them, as it is.
            frozenset({"func", "scf", "arith", "dev", "plan", "memref.global"}),
            device=HOST,
            after="host",
            by_kernel=True,
            legal_in_kernels=frozenset({"llvm", "llvm_ext"}),
        ),
    )
    texts: ClassVar = {
        "llvm-ir": PrintedText(
            "llvm", "devproc.targets.cpu.llvm_ir:LLVMIRTarget", "program.ll"
        )
    }

    def target_options(self, option: str, arguments: Mapping[str, str]) -> Attribute:
        """The processor, with what schedules depend on."""
        from devproc.targets.cpu.machine.attribute import MachineAttr
        from devproc.targets.cpu.machine.cpu_target import vector_unit

        processor = arguments["cpu"]
        return MachineAttr.get(processor=processor, **asdict(vector_unit(processor)))

    def machine(self) -> str:
        """The processor."""
        return machine_description()

    def describe(self, target: TargetAttr) -> Description:
        """The rates grow with the threads and the width of the vectors."""
        from devproc.targets.cpu.machine.attribute import machine_of

        threads = target.threads.data
        return Description(
            (Memory("main", min(THREAD_BYTES * threads, ALL_BYTES)),),
            {"": FLOPS_PER_BIT * machine_of(target).vector_bits.data * threads},
            launch_seconds=0.1e-6,
        )

    def keeps(self, op: Operation) -> bool:
        """Attention in float32, if the scores of a few queries fit the cache, and all
        attention over a cache but in float64."""
        from devproc.transforms.tensor.decompositions.attention import pays

        return pays(op)

    def legal(self, ops: Sequence[Operation]) -> Sequence[str]:
        """All but attention in other dtypes, which is kept only for other devices."""
        from devproc.ir.types import dtype_name, tensor_of

        kept = (inner for op in ops for inner in op.walk() if inner.name == KEPT)
        dtypes = {dtype_name(tensor_of(op.results[0]).element_type) for op in kept}
        return [f"'{KEPT}' of {d} has no kernel" for d in dtypes - {"float32"}]

    def efficiency(self, op: Operation) -> float:
        """Less than others for indexed loads and dependent iterations."""
        return EFFICIENCY.get(op.name, super().efficiency(op))

    def builder(self, module: ModuleOp, executor: Executor) -> CodeBuilder:
        """Object code by LLVM, in a thread."""
        from devproc.targets.cpu.builder import ObjectCodeBuilder

        return ObjectCodeBuilder(self, module, executor)

    def refusal(self, code: bytes) -> str | None:
        """Instructions that this machine lacks."""
        from devproc.targets.cpu.code import CPUCode

        return why_not_here(CPUCode.from_bytes(code).cpu)

    def problems(self, code: bytes, launches: Mapping[str, Sequence[str]]) -> list[str]:
        """Numbers that make no sense, and segments that the object code lacks."""
        from devproc.targets.cpu.code import CPUCode

        found = CPUCode.from_bytes(code)
        problem = threads_problem(found.threads)
        texts = [problem] if problem is not None else []
        texts += [
            f"accesses[{number}] has a negative number of elements"
            for number, access in enumerate(found.accesses)
            if access.lanes < 1 or access.elements < 0
        ]
        for name in launches:
            # The C entry of a segment, in the table of names of an object file.
            entry = f"{name}_entry\0".encode()
            if not any(entry in file for file in found.objects):
                texts.append(f"the object code has no function '{name}'")
        return texts

    def load(
        self, code: bytes, weights: Mapping[str, Array], option: str = ""
    ) -> SegmentCode:
        """The segments as functions of tables of addresses."""
        from devproc.targets.cpu.code import CPUCode
        from devproc.targets.cpu.native_code import SegmentCode

        found = CPUCode.from_bytes(code)
        return SegmentCode(found.objects, found.threads, found.pool, found.accesses)
